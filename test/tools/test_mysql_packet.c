#include "test/kit/check.h"
#include "test/tools/mysql_packet.h"

#include <errno.h>

/* --- requests --------------------------------------------------------------------------------- */

static void assert_bytes(struct bytes *got, const void *want, size_t len)
{
	assert_int_equal(got->err, 0);
	assert_int_equal(got->len, len);
	assert_memory_equal(got->data, want, len);
	bytes_fini(got);
}

static void a_command_is_a_packet_with_number_zero(void **state)
{
	struct bytes out = { 0 };

	mysql_put_text(&out, MYSQL_QUERY, "select 1");
	assert_bytes(&out, "\x09\0\0\0\3select 1", 13);
	mysql_put_command(&out, MYSQL_PING, "", 0);
	assert_bytes(&out, "\x01\0\0\0\x0e", 5);
}

static void commands_follow_one_another_in_one_buffer(void **state)
{
	struct bytes out = { 0 };

	mysql_put_text(&out, MYSQL_PING, "");
	mysql_put_text(&out, MYSQL_INIT_DB, "db");
	assert_bytes(&out, "\x01\0\0\0\x0e\x03\0\0\0\2db", 12);
}

/* Lengths around the limit: how many packets, how long, numbered how. */
static void a_long_payload_is_split_and_a_full_packet_followed(void **state)
{
	static const struct { size_t len, n_packets, last; } cases[] = {
		{ 0, 1, 0 },
		{ MYSQL_PACKET_MAX - 1, 1, MYSQL_PACKET_MAX - 1 },
		{ MYSQL_PACKET_MAX, 2, 0 },
		{ MYSQL_PACKET_MAX + 1, 2, 1 },
	};
	char *payload = calloc(1, MYSQL_PACKET_MAX + 1);

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct bytes out = { 0 };
		const __u8 *last;

		mysql_put_packets(&out, 5, payload, cases[i].len);
		assert_int_equal(out.len, cases[i].len + MYSQL_HEAD * cases[i].n_packets);
		last = out.data + out.len - cases[i].last - MYSQL_HEAD;
		assert_int_equal(last[0] | last[1] << 8 | last[2] << 16, cases[i].last);
		assert_int_equal(last[3], 5 + cases[i].n_packets - 1);
		bytes_fini(&out);
	}
	free(payload);
}

static void a_command_of_16_mib_is_one_byte_longer_than_its_body(void **state)
{
	size_t len = MYSQL_PACKET_MAX - 1;
	char *body = calloc(1, len);
	struct bytes out = { 0 };

	mysql_put_command(&out, MYSQL_QUERY, body, len - 1);
	assert_int_equal(out.len, MYSQL_HEAD + len);
	bytes_clear(&out);
	mysql_put_command(&out, MYSQL_QUERY, body, len);
	assert_int_equal(out.len, MYSQL_HEAD + MYSQL_PACKET_MAX + MYSQL_HEAD);
	assert_int_equal(out.data[4], MYSQL_QUERY);
	bytes_fini(&out);
	free(body);
}

static void execute_lists_types_and_strings_and_leaves_long_data_out(void **state)
{
	static const char *const params[] = { "ab", NULL };
	struct bytes out = { 0 };

	mysql_put_execute(&out, 0x01020304, 1, params, 2);
	assert_bytes(&out, "\x13\0\0\0\x17\4\3\2\1\1\1\0\0\0\0\1\xfd\0\xfd\0\2ab", 23);
	mysql_put_execute(&out, MYSQL_LAST_PREPARED, 0, NULL, 0);
	assert_bytes(&out, "\x0a\0\0\0\x17\xff\xff\xff\xff\0\1\0\0\0", 14);
}

static void bulk_execute_marks_every_value(void **state)
{
	static const char *const rows[] = { "1", "x", "2", "y" };
	struct bytes out = { 0 };

	mysql_put_bulk_execute(&out, 7, rows, 2, 2);
	assert_bytes(&out, "\x17\0\0\0\xfa\7\0\0\0\x80\0\xfd\0\xfd\0\0\1" "1\0\1x\0\1" "2\0\1y", 27);
}

static void every_lenenc_reads_back(void **state)
{
	static const __u64 values[] = { 0, 1, 250, 251, 252, 0xffff, 0x10000, 0xffffff, 0x1000000, ~0ull };
	struct bytes out = { 0 };
	struct cursor c;

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		mysql_put_lenenc(&out, values[i]);
	c = (struct cursor) { .data = out.data, .len = out.len };
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		assert_true(mysql_get_lenenc(&c) == values[i]);
	assert_int_equal(c.at, c.len);
	assert_int_equal(c.err, 0);
	mysql_get_lenenc(&c);
	assert_int_equal(c.err, -EBADMSG);
	bytes_fini(&out);
}

static void short_data_is_framed_plain_and_long_data_packed(void **state)
{
	struct bytes out = { 0 };
	char *zeros = calloc(1, 100000);

	mysql_put_compressed(&out, 3, "hello", 5);
	assert_bytes(&out, "\5\0\0\3\0\0\0hello", 12);
	mysql_put_compressed(&out, 0, zeros, 100000);
	assert_true(out.len < 1000);
	assert_int_equal(out.data[4] | out.data[5] << 8 | out.data[6] << 16, 64 << 10);
	bytes_fini(&out);
	free(zeros);
}

/* --- replies ---------------------------------------------------------------------------------- */

#define P(text) { text, sizeof(text) - 1 }
#define OK P("\0\0\0\2\0\0\0")
#define OK_MORE P("\0\0\0\x0a\0\0\0")
#define END P("\xfe\0\0\2\0")
#define END_MORE P("\xfe\0\0\x0a\0")
#define END_CURSOR P("\xfe\0\0\x42\0")
#define OK_END P("\xfe\0\0\2\0\0\0")
#define OK_END_MORE P("\xfe\0\0\x0a\0\0\0")
#define NO_EOF MYSQL_CAP_DEPRECATE_EOF
#define ERROR P("\xff\x28\4#42000wrong")
#define COLUMN P("\3def...")
#define ROW P("\1x")

struct reply_case {
	enum mysql_shape shape;
	struct { const char *data; size_t len; } packet[12];
	unsigned n_results, n_rows;
	__u16 error;
	__u32 stmt;
	__u64 capabilities;
};

static const struct reply_case replies[] = {
	{ MYSQL_REPLY_ONE, { OK }, 0, 0, 0, 0, 0 },
	{ MYSQL_REPLY_ONE, { P("Uptime: 1  Threads: 2") }, 0, 0, 0, 0, 0 },
	{ MYSQL_REPLY_ONE, { ERROR }, 0, 0, 1064, 0, 0 },
	{ MYSQL_REPLY_RESULTS, { OK }, 1, 0, 0, 0, 0 },
	{ MYSQL_REPLY_RESULTS, { ERROR }, 0, 0, 1064, 0, 0 },
	{ MYSQL_REPLY_RESULTS, { P("\1"), COLUMN, END, END }, 1, 0, 0, 0, 0 },
	{ MYSQL_REPLY_RESULTS, { P("\2"), COLUMN, COLUMN, END, ROW, ROW, END }, 1, 2, 0, 0, 0 },
	{ MYSQL_REPLY_RESULTS, { P("\1"), COLUMN, END, ROW, END_MORE, OK_MORE, OK }, 3, 1, 0, 0, 0 },
	{ MYSQL_REPLY_RESULTS, { P("\1"), COLUMN, END, ROW, END_MORE, ERROR }, 1, 1, 1064, 0, 0 },
	{ MYSQL_REPLY_RESULTS, { P("\1"), COLUMN, END, ROW, ERROR }, 0, 1, 1064, 0, 0 },
	{ MYSQL_REPLY_RESULTS, { P("\1"), COLUMN, END_CURSOR }, 1, 0, 0, 0, 0 },
	{ MYSQL_REPLY_RESULTS, { P("\xfbname"), OK }, 1, 0, 0, 0, 0 },
	/* a row whose first value is 16 MiB long begins like an EOF */
	{ MYSQL_REPLY_RESULTS, { P("\1"), COLUMN, END, P("\xfe\0\0\0\1\0\0\0\0..."), END }, 1, 1, 0, 0, 0 },
	{ MYSQL_REPLY_ROWS, { ROW, ROW, END }, 1, 2, 0, 0, 0 },
	{ MYSQL_REPLY_ROWS, { ERROR }, 0, 0, 1064, 0, 0 },
	{ MYSQL_REPLY_PREPARE, { P("\0\7\0\0\0\0\0\0\0\0\0\0") }, 0, 0, 0, 7, 0 },
	{ MYSQL_REPLY_PREPARE, { P("\0\7\0\0\0\1\0\0\0\0\0\0"), COLUMN, END }, 0, 0, 0, 7, 0 },
	{ MYSQL_REPLY_PREPARE, { P("\0\7\0\0\0\0\0\2\0\0\0\0"), COLUMN, COLUMN, END }, 0, 0, 0, 7, 0 },
	{ MYSQL_REPLY_PREPARE, { P("\0\7\0\0\0\1\0\1\0\0\0\0"), COLUMN, END, COLUMN, END }, 0, 0, 0, 7, 0 },
	{ MYSQL_REPLY_PREPARE, { ERROR }, 0, 0, 1064, 0, 0 },
	{ MYSQL_REPLY_STREAM, { P("\0event"), P("\0event"), P("\xfe\0\0\2\0") }, 0, 2, 0, 0, 0 },
	{ MYSQL_REPLY_RESULTS, { P("\1"), COLUMN, ROW, OK_END }, 1, 1, 0, 0, NO_EOF },
	{ MYSQL_REPLY_RESULTS, { P("\1"), COLUMN, OK_END_MORE, OK }, 2, 0, 0, 0, NO_EOF },
	{ MYSQL_REPLY_ROWS, { ROW, OK_END }, 1, 1, 0, 0, NO_EOF },
	{ MYSQL_REPLY_PREPARE, { P("\0\7\0\0\0\1\0\1\0\0\0\0"), COLUMN, COLUMN }, 0, 0, 0, 7, NO_EOF },
	{ MYSQL_REPLY_PREPARE, { P("\0\7\0\0\0\0\0\1\0\0\0\0"), COLUMN }, 0, 0, 0, 7, NO_EOF },
};

static void a_reply_ends_with_its_last_packet_and_not_before(void **state)
{
	for (size_t i = 0; i < sizeof(replies) / sizeof(*replies); i++) {
		const struct reply_case *want = &replies[i];
		struct mysql_reply r;

		mysql_reply_begin(&r, want->shape, want->capabilities);
		for (size_t p = 0; want->packet[p].data; p++)
			assert_int_equal(mysql_reply_take(&r, (const __u8 *)want->packet[p].data, want->packet[p].len),
					 !want->packet[p + 1].data);
		assert_int_equal(r.n_results, want->n_results);
		assert_int_equal(r.n_rows, want->n_rows);
		assert_int_equal(r.error, want->error);
		assert_int_equal(r.stmt, want->stmt);
		assert_int_equal(mysql_reply_take(&r, (const __u8 *)"\0", 1), -EBADMSG);
	}
}

static void a_wanted_file_is_told_until_the_next_packet(void **state)
{
	struct mysql_reply r;

	mysql_reply_begin(&r, MYSQL_REPLY_RESULTS, 0);
	assert_int_equal(mysql_reply_take(&r, (const __u8 *)"\xfbname", 5), 0);
	assert_int_equal(r.wants_file, 1);
	assert_int_equal(mysql_reply_take(&r, (const __u8 *)"\0\0\0\2\0\0\0", 7), 1);
	assert_int_equal(r.wants_file, 0);
}

static void refuses_what_is_no_reply(void **state)
{
	static const struct { enum mysql_shape shape; const char *data; size_t len; } cases[] = {
		{ MYSQL_REPLY_ONE, "", 0 },
		{ MYSQL_REPLY_RESULTS, "\0\0\0", 3 },		/* OK without status */
		{ MYSQL_REPLY_RESULTS, "\xff\1", 2 },		/* error without code */
		{ MYSQL_REPLY_RESULTS, "\xfc\1", 2 },		/* half a column count */
		{ MYSQL_REPLY_RESULTS, "\xfc\0\0", 3 },		/* no columns */
		{ MYSQL_REPLY_PREPARE, "\0\7\0\0\0\1", 6 },
		{ MYSQL_REPLY_PREPARE, "\1", 1 },
		{ MYSQL_REPLY_ROWS, "\xfe\0", 2 },
		{ MYSQL_REPLY_NONE, "\0", 1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct mysql_reply r;

		mysql_reply_begin(&r, cases[i].shape, 0);
		assert_int_equal(mysql_reply_take(&r, (const __u8 *)cases[i].data, cases[i].len), -EBADMSG);
	}
}

/* The greeting of MariaDB 10.11; its own capabilities stand where MySQL has zeros. */
static const char greeting[] = "\x0a" "5.5.5-10.11.19-MariaDB\0" "\x2a\0\0\0" "abcdefgh\0" "\xfe\xff" "\x2d" "\2\0"
	"\xff\x81" "\x15" "\0\0\0\0\0\0" "\x1d\0\0\0" "ijklmnopqrst\0" "mysql_native_password";

static void a_greeting_gives_version_number_and_capabilities(void **state)
{
	struct mysql_greeting g;

	assert_int_equal(mysql_get_greeting((const __u8 *)greeting, sizeof(greeting), &g), 0);
	assert_string_equal(g.version, "5.5.5-10.11.19-MariaDB");
	assert_int_equal(g.connection_id, 42);
	assert_true(g.capabilities == 0x1d81fffffeull);
	assert_true(g.capabilities & MYSQL_CAP_BULK);
}

static void refuses_every_truncated_greeting(void **state)
{
	struct mysql_greeting g = { .connection_id = 1 };

	for (size_t len = 0; len < 55; len++) {
		assert_int_equal(mysql_get_greeting((const __u8 *)greeting, len, &g), -EBADMSG);
		assert_int_equal(g.connection_id, 1);
	}
	assert_int_equal(mysql_get_greeting((const __u8 *)"\x09", 1, &g), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_command_is_a_packet_with_number_zero),
		cmocka_unit_test(commands_follow_one_another_in_one_buffer),
		cmocka_unit_test(a_long_payload_is_split_and_a_full_packet_followed),
		cmocka_unit_test(a_command_of_16_mib_is_one_byte_longer_than_its_body),
		cmocka_unit_test(execute_lists_types_and_strings_and_leaves_long_data_out),
		cmocka_unit_test(bulk_execute_marks_every_value),
		cmocka_unit_test(every_lenenc_reads_back),
		cmocka_unit_test(short_data_is_framed_plain_and_long_data_packed),
		cmocka_unit_test(a_reply_ends_with_its_last_packet_and_not_before),
		cmocka_unit_test(a_wanted_file_is_told_until_the_next_packet),
		cmocka_unit_test(refuses_what_is_no_reply),
		cmocka_unit_test(a_greeting_gives_version_number_and_capabilities),
		cmocka_unit_test(refuses_every_truncated_greeting),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
