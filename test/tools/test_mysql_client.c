/* The client against bytes that a test writes into the other end of a socket pair; against a real
 * server it is held by test/kernel/load_ground_truth. */
#include "test/kit/check.h"
#include "test/tools/mysql_client.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

struct pair {
	struct mysql m;
	int server;
};

static void pair_open(struct pair *p)
{
	int fd[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
	memset(p, 0, sizeof(*p));
	p->m.fd = fd[0];
	p->m.is_open = 1;
	p->server = fd[1];
}

static void pair_close(struct pair *p)
{
	mysql_close(&p->m);
	if (p->server >= 0)
		close(p->server);
}

static void say(struct pair *p, const struct bytes *b)
{
	assert_int_equal(b->err, 0);
	assert_int_equal(send(p->server, b->data, b->len, 0), b->len);
}

static void put_packet(struct bytes *out, __u8 seq, const char *payload, size_t len)
{
	mysql_put_packets(out, seq, payload, len);
}

static void put_result(struct bytes *out, int more)
{
	put_packet(out, 1, "\2", 1);
	put_packet(out, 2, "\3def", 4);
	put_packet(out, 3, "\3def", 4);
	put_packet(out, 4, "\xfe\0\0\2\0", 5);
	put_packet(out, 5, "\4name\3" "123", 9);
	put_packet(out, 6, "\5other\4" "4567", 11);
	put_packet(out, 7, more ? "\xfe\0\0\x0a\0" : "\xfe\0\0\2\0", 5);
}

static void two_replies_in_one_receive_are_two_replies(void **state)
{
	struct bytes wire = { 0 };
	struct mysql_reply r;
	struct pair p;

	pair_open(&p);
	put_result(&wire, 1);
	put_result(&wire, 0);
	put_packet(&wire, 1, "\0\0\0\2\0\0\0", 7);
	say(&p, &wire);
	assert_int_equal(mysql_read_reply(&p.m, MYSQL_REPLY_RESULTS, NULL, &r), 0);
	assert_int_equal(r.n_results, 2);
	assert_int_equal(r.n_rows, 4);
	assert_int_equal(mysql_read_reply(&p.m, MYSQL_REPLY_ONE, NULL, &r), 0);
	bytes_fini(&wire);
	pair_close(&p);
}

static void a_command_goes_out_whole_and_its_reply_comes_back(void **state)
{
	struct bytes wire = { 0 };
	struct mysql_reply r;
	char got[64];
	struct pair p;

	pair_open(&p);
	put_packet(&wire, 1, "\xff\x28\4#42000no", 11);
	say(&p, &wire);
	assert_int_equal(mysql_command(&p.m, MYSQL_QUERY, "selec", &r), 0);
	assert_int_equal(r.error, 1064);
	assert_int_equal(recv(p.server, got, sizeof(got), 0), 10);
	assert_memory_equal(got, "\6\0\0\0\3selec", 10);
	bytes_fini(&wire);
	pair_close(&p);
}

static void the_file_is_sent_numbered_on_and_ended_by_an_empty_packet(void **state)
{
	struct bytes wire = { 0 };
	struct mysql_reply r;
	char got[64];
	struct pair p;

	pair_open(&p);
	put_packet(&wire, 1, "\xfb/file", 6);
	put_packet(&wire, 4, "\0\2\0\2\0\0\0", 7);
	say(&p, &wire);
	assert_int_equal(mysql_read_reply(&p.m, MYSQL_REPLY_RESULTS, "1,2\n", &r), 0);
	assert_int_equal(recv(p.server, got, sizeof(got), 0), 12);
	assert_memory_equal(got, "\4\0\0\2" "1,2\n" "\0\0\0\3", 12);
	bytes_fini(&wire);
	pair_close(&p);
}

static void frames_and_packets_need_not_meet(void **state)
{
	struct bytes wire = { 0 }, frames = { 0 };
	struct mysql_reply r;
	struct pair p;

	pair_open(&p);
	p.m.compressed = 1;
	put_result(&wire, 0);
	for (size_t at = 0, part; at < wire.len; at += part) {
		part = 1 + check_below(7);
		part = part < wire.len - at ? part : wire.len - at;
		mysql_put_compressed(&frames, at & 0xff, wire.data + at, part);
	}
	say(&p, &frames);
	assert_int_equal(mysql_read_reply(&p.m, MYSQL_REPLY_RESULTS, NULL, &r), 0);
	assert_int_equal(r.n_rows, 2);
	bytes_fini(&wire);
	bytes_fini(&frames);
	pair_close(&p);
}

static void refuses_a_frame_that_does_not_unpack(void **state)
{
	struct bytes wire = { 0 };
	struct pair p;

	pair_open(&p);
	p.m.compressed = 1;
	bytes_put(&wire, "\4\0\0\0\x40\0\0junk", 11);
	say(&p, &wire);
	assert_int_equal(mysql_read_packet(&p.m), -EBADMSG);
	bytes_fini(&wire);
	pair_close(&p);
}

static void a_close_in_the_middle_is_an_error_wherever_it_comes(void **state)
{
	struct bytes wire = { 0 };
	struct mysql_reply r;

	put_result(&wire, 0);
	for (size_t len = 0; len < wire.len; len++) {
		struct bytes cut = { .data = wire.data, .len = len };
		struct pair p;

		pair_open(&p);
		say(&p, &cut);
		close(p.server);
		p.server = -1;
		assert_int_equal(mysql_read_reply(&p.m, MYSQL_REPLY_RESULTS, NULL, &r), -ECONNRESET);
		pair_close(&p);
	}
	bytes_fini(&wire);
}

static void take_one(void *arg, const char *name, const char *value)
{
	char *out = arg;

	strcat(strcat(strcat(strcat(out, name), "="), value), " ");
}

static void pairs_come_row_by_row(void **state)
{
	struct bytes wire = { 0 };
	char got[64] = "";
	struct pair p;

	pair_open(&p);
	put_result(&wire, 0);
	put_packet(&wire, 1, "\xff\x28\4#42000no", 11);
	say(&p, &wire);
	assert_int_equal(mysql_read_pairs(&p.m, take_one, got), 0);
	assert_string_equal(got, "name=123 other=4567 ");
	assert_int_equal(mysql_read_pairs(&p.m, take_one, got), -EINVAL);
	bytes_fini(&wire);
	pair_close(&p);
}

static void refuses_addresses_that_are_none(void **state)
{
	const struct mysql_address nowhere = { .socket = "/nonexistent/socket" };
	const struct mysql_address malformed = { .host = "no address", .port = 1 };
	struct mysql m;

	assert_int_equal(mysql_open(&m, &nowhere), -ENOENT);
	assert_int_equal(mysql_open(&m, &malformed), -EINVAL);
	mysql_close(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_replies_in_one_receive_are_two_replies),
		cmocka_unit_test(a_command_goes_out_whole_and_its_reply_comes_back),
		cmocka_unit_test(the_file_is_sent_numbered_on_and_ended_by_an_empty_packet),
		cmocka_unit_test(frames_and_packets_need_not_meet),
		cmocka_unit_test(refuses_a_frame_that_does_not_unpack),
		cmocka_unit_test(a_close_in_the_middle_is_an_error_wherever_it_comes),
		cmocka_unit_test(pairs_come_row_by_row),
		cmocka_unit_test(refuses_addresses_that_are_none),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	check_seed();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
