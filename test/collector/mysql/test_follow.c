/* Rows are counted in replies that are cut anywhere. */
#include "test/kit/mysql_driver.h"
#include "test/kit/check.h"

#define OK_ROWS "\7\0\0\1\0\5\0\2\0\0\0"			/* 5 affected */
#define OK_MANY "\x0f\0\0\1\0\xfe\0\0\0\0\1\0\0\0\0\2\0\0\0"	/* 2^32 */
#define OK_300 "\x09\0\0\1\0\xfc\x2c\1\0\2\0\0\0"
#define OK_LIES "\2\0\0\1\0\xfe"				/* shorter than its length says */
#define COLUMNS ONE_COLUMN DEFINITION END
#define LONG_ROW "\x28\0\0\4\x27" "123456789012345678901234567890123456789"

static const struct {
	__u16 command;
	const char *bytes;
	__u32 n;
	__u64 rows;
	int verdict;
} cases[] = {
#define REPLY(command, bytes, rows, verdict) { command, bytes, sizeof(bytes) - 1, rows, verdict }
	REPLY(COM_QUERY, OK, 0, REPLY_DONE), REPLY(COM_QUERY, OK_ROWS, 5, REPLY_DONE), REPLY(COM_QUERY, OK_300, 300, REPLY_DONE),
	REPLY(COM_QUERY, OK_MANY, 1ull << 32, REPLY_DONE), REPLY(COM_QUERY, OK_LIES, 0, REPLY_DONE),
	REPLY(COM_QUERY, "\7\0\0\1\0\5\0\x0a\0\0\0" "\1\0\0\1\0", 5, REPLY_DONE),	/* shorter than an OK */
	REPLY(COM_QUERY, ERR, 0, REPLY_DONE), REPLY(COM_QUERY, PROGRESS OK_ROWS, 5, REPLY_DONE),
	REPLY(COM_QUERY, COLUMNS END, 0, REPLY_DONE), REPLY(COM_QUERY, COLUMNS ROW END, 1, REPLY_DONE),
	REPLY(COM_QUERY, COLUMNS ROW ROW_EMPTY LONG_ROW END, 3, REPLY_DONE),
	REPLY(COM_QUERY, COLUMNS ROW PROGRESS ROW END, 2, REPLY_DONE),
	REPLY(COM_QUERY, COLUMNS ROW ROW ERR, 2, REPLY_DONE),
	REPLY(COM_QUERY, ONE_COLUMN DEFINITION ROW ROW END_OK, 2, REPLY_DONE),
	REPLY(COM_QUERY, COLUMNS ROW END_MORE COLUMNS ROW ROW END_MORE OK_ROWS, 8, REPLY_DONE),
	REPLY(COM_QUERY, COLUMNS ROW ROW ROW ROW ROW ROW ROW ROW ROW ROW ROW ROW END, 12, REPLY_DONE),
	REPLY(COM_QUERY, COLUMNS ROW, 1, REPLY_MORE), REPLY(COM_QUERY, "\7\0\0\1\xfb/tmp/f", 0, REPLY_HELD),
	REPLY(COM_QUERY, NO_METADATA END ROW ROW END, 2, REPLY_DONE), REPLY(COM_QUERY, NO_METADATA END END, 0, REPLY_DONE),
	REPLY(COM_QUERY, NO_METADATA ROW ROW END_OK, 2, REPLY_DONE), REPLY(COM_QUERY, METADATA DEFINITION ROW END_OK, 1, REPLY_DONE),
	REPLY(COM_STMT_EXECUTE, COLUMNS ROW_BINARY ROW_BINARY END, 2, REPLY_DONE),
	REPLY(COM_STMT_EXECUTE, ONE_COLUMN DEFINITION END_CURSOR, 0, REPLY_DONE),
	REPLY(COM_STMT_FETCH, ROW_BINARY ROW_BINARY END, 2, REPLY_DONE),
	REPLY(COM_STMT_PREPARE, PREPARED_2 DEFINITION END DEFINITION END, 0, REPLY_DONE),
	REPLY(COM_FIELD_LIST, DEFINITION DEFINITION END, 0, REPLY_DONE),
	REPLY(COM_STATISTICS, "\6\0\0\1Uptime", 0, REPLY_DONE),
#undef REPLY
};

static void begin(struct drive *d, __u16 command)
{
	plain(d);
	d->conn.command = command;
	follow_begin(&d->conn, 1);
}

static void check(size_t i, const struct drive *d, int verdict)
{
	if (verdict != cases[i].verdict || follow_rows(&d->conn) != cases[i].rows)
		fail_msg("reply %zu: %llu rows, verdict %d", i, (unsigned long long)follow_rows(&d->conn), verdict);
}

static void rows_are_the_same_however_cut(void **state)
{
	struct drive d;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		for (__u32 a = 0; a < cases[i].n; a++)
			for (__u32 b = a; b < cases[i].n; b++) {
				const __u8 *data = (const __u8 *)cases[i].bytes;

				begin(&d, cases[i].command);
				drive_send(&d, data, a);
				drive_send(&d, data + a, b - a);
				check(i, &d, drive_send(&d, data + b, cases[i].n - b));
			}
}

static void rows_are_the_same_byte_by_byte(void **state)
{
	struct drive d;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int verdict = REPLY_MORE;

		begin(&d, cases[i].command);
		for (__u32 at = 0; at < cases[i].n; at++)
			verdict = drive_send(&d, (const __u8 *)cases[i].bytes + at, 1);
		check(i, &d, verdict);
	}
}

/* A row of 16 MiB or more continues in the next packet, and counts once. */
static void a_long_row_is_one(void **state)
{
	static __u8 data[70000];
	__u32 left = PACKET_MAX + 4 - 70000;
	struct drive d;

	begin(&d, COM_QUERY);
	drive_send(&d, (const __u8 *)COLUMNS, sizeof(COLUMNS) - 1);
	memset(data, 0xfe, sizeof(data));	/* no byte of it begins a packet */
	memcpy(data, "\xff\xff\xff\4", 4);
	assert_int_equal(drive_send(&d, data, sizeof(data)), REPLY_MORE);
	for (memset(data, 0xfe, 4); left; left -= left < sizeof(data) ? left : sizeof(data))
		assert_int_equal(drive_send(&d, data, left < sizeof(data) ? left : sizeof(data)), REPLY_MORE);
	assert_int_equal(drive_send(&d, (const __u8 *)"\5\0\0\5\xfe\0\0\2\0" END, 18), REPLY_DONE);
	assert_int_equal(follow_rows(&d.conn), 1);
}

static void nothing_is_counted_unless_asked(void **state)
{
	struct drive d;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		plain(&d);
		d.conn.command = cases[i].command;
		drive_send(&d, (const __u8 *)cases[i].bytes, cases[i].n);
		assert_int_equal(d.conn.follow.rows, 0);
	}
}

static void the_next_command_begins_at_zero(void **state)
{
	__u8 data[64];
	struct drive d;

	begin(&d, COM_QUERY);
	d.follow = 1;
	drive_send(&d, (const __u8 *)COLUMNS ROW, sizeof(COLUMNS ROW) - 1);
	drive_receive(&d, data, command(data, COM_QUERY, "update t set a = 1"));
	assert_int_equal(follow_rows(&d.conn), 0);
	assert_int_equal(drive_send(&d, (const __u8 *)OK_ROWS, sizeof(OK_ROWS) - 1), REPLY_DONE);
	assert_int_equal(follow_rows(&d.conn), 5);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(rows_are_the_same_however_cut),
	cmocka_unit_test(rows_are_the_same_byte_by_byte),
	cmocka_unit_test(a_long_row_is_one),
	cmocka_unit_test(nothing_is_counted_unless_asked),
	cmocka_unit_test(the_next_command_begins_at_zero),
};

CHECK_MAIN(tests)
