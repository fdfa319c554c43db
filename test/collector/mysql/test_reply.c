/* When a reply is complete, and how it ended: shown by its packets and by its ends, with its sends cut anywhere. */
#include "test/kit/mysql_driver.h"
#include "test/kit/check.h"

#define LOOP(i, n) for (i = 0; i < (n); i++)

struct reply {
	const char *bytes;
	size_t n;
	__u16 command;
	int verdict;
};

#define REPLY(command, bytes, verdict) { bytes, sizeof(bytes) - 1, command, verdict }

static const struct reply replies[] = {
	REPLY(COM_QUERY, OK, REPLY_DONE),
	REPLY(COM_QUERY, ERR, REPLY_DONE),
	REPLY(COM_QUERY, PROGRESS, REPLY_MORE),
	REPLY(COM_QUERY, PROGRESS OK, REPLY_DONE),
	REPLY(COM_QUERY, OK_MORE, REPLY_MORE),
	REPLY(COM_QUERY, OK_MORE OK, REPLY_DONE),
	REPLY(COM_QUERY, OK_MORE ERR, REPLY_DONE),
	REPLY(COM_QUERY, ONE_COLUMN DEFINITION END ROW END, REPLY_DONE),
	REPLY(COM_QUERY, ONE_COLUMN DEFINITION END, REPLY_MORE),
	REPLY(COM_QUERY, ONE_COLUMN DEFINITION, REPLY_MORE),
	REPLY(COM_QUERY, ONE_COLUMN DEFINITION END ROW_EMPTY, REPLY_MORE),
	REPLY(COM_QUERY, ONE_COLUMN DEFINITION END ROW ERR, REPLY_DONE),
	REPLY(COM_QUERY, ONE_COLUMN DEFINITION END END_MORE, REPLY_MORE),
	REPLY(COM_QUERY, ONE_COLUMN DEFINITION END END_MORE OK, REPLY_DONE),
	REPLY(COM_QUERY, ONE_COLUMN DEFINITION END_OK, REPLY_DONE),		/* CLIENT_DEPRECATE_EOF, empty */
	REPLY(COM_QUERY, ONE_COLUMN DEFINITION ROW END_OK, REPLY_DONE),
	REPLY(COM_QUERY, NO_METADATA ROW END, REPLY_DONE),			/* by MariaDB */
	REPLY(COM_QUERY, NO_METADATA END ROW END, REPLY_DONE),			/* by MySQL */
	REPLY(COM_QUERY, NO_METADATA END, REPLY_MORE),
	REPLY(COM_QUERY, NO_METADATA END END, REPLY_DONE),
	REPLY(COM_QUERY, NO_METADATA END_OK, REPLY_DONE),			/* CLIENT_DEPRECATE_EOF */
	REPLY(COM_QUERY, NO_METADATA ROW END_OK, REPLY_DONE),
	REPLY(COM_QUERY, METADATA DEFINITION END ROW END, REPLY_DONE),
	REPLY(COM_QUERY, METADATA DEFINITION END, REPLY_MORE),
	REPLY(COM_QUERY, METADATA DEFINITION ROW END_OK, REPLY_DONE),
	REPLY(COM_QUERY, "\2\0\0\1\2\1" DEFINITION DEFINITION ROW END_OK, REPLY_DONE),
	REPLY(COM_QUERY, "\4\0\0\1\xfc\x2c\1\0" ROW END_OK, REPLY_DONE),	/* 300 columns */
	REPLY(COM_QUERY, "\7\0\0\1\xfb/tmp/f", REPLY_HELD),
	REPLY(COM_QUERY, OK_MORE "\7\0\0\1\xfb/tmp/f", REPLY_HELD),
	REPLY(COM_STMT_EXECUTE, ONE_COLUMN DEFINITION END_CURSOR, REPLY_DONE),
	REPLY(COM_STMT_EXECUTE, ONE_COLUMN DEFINITION END ROW_BINARY, REPLY_MORE),
	REPLY(COM_STMT_FETCH, ROW_BINARY, REPLY_MORE),
	REPLY(COM_STMT_FETCH, ROW_BINARY END, REPLY_DONE),
	REPLY(COM_STMT_FETCH, ERR, REPLY_DONE),
	REPLY(COM_FIELD_LIST, DEFINITION, REPLY_MORE),
	REPLY(COM_FIELD_LIST, DEFINITION END, REPLY_DONE),
	REPLY(COM_STATISTICS, "\6\0\0\1Uptime", REPLY_DONE),
	REPLY(14, OK, REPLY_DONE),
	REPLY(27, END, REPLY_DONE),
	REPLY(COM_CHANGE_USER, OK, REPLY_DONE),
	REPLY(COM_CHANGE_USER, ERR, REPLY_DONE),
	REPLY(COM_CHANGE_USER, "\7\0\0\1\xfemysql\0", REPLY_HELD),
	REPLY(COM_STMT_PREPARE, ERR, REPLY_DONE),
	REPLY(COM_STMT_PREPARE, PREPARED_0, REPLY_DONE),
	REPLY(COM_STMT_PREPARE, PREPARED_2, REPLY_MORE),
	REPLY(COM_STMT_PREPARE, PREPARED_2 DEFINITION, REPLY_MORE),
	REPLY(COM_STMT_PREPARE, PREPARED_2 DEFINITION END DEFINITION END, REPLY_DONE),
	REPLY(COM_STMT_PREPARE, PREPARED_2 DEFINITION DEFINITION, REPLY_DONE),
	REPLY(COM_STMT_PREPARE, PREPARED_FLAG "\0", REPLY_DONE),		/* metadata left out */
	REPLY(COM_STMT_PREPARE, PREPARED_FLAG "\0" END END, REPLY_DONE),
	REPLY(COM_STMT_PREPARE, PREPARED_FLAG "\1", REPLY_MORE),
	REPLY(COM_STMT_PREPARE, PREPARED_FLAG "\1" DEFINITION END DEFINITION END, REPLY_DONE),
	/* more packets than are followed: the tail shows the end */
	REPLY(COM_QUERY, ONE_COLUMN DEFINITION END ROW ROW ROW ROW ROW ROW END, REPLY_DONE),
	REPLY(COM_QUERY, ONE_COLUMN DEFINITION END ROW ROW ROW ROW ROW ROW END_OK, REPLY_DONE),
	REPLY(COM_QUERY, ONE_COLUMN DEFINITION END ROW ROW ROW ROW ROW ROW END_MORE, REPLY_MORE),
	REPLY(COM_QUERY, ONE_COLUMN DEFINITION END ROW ROW ROW ROW ROW ROW ROW, REPLY_MORE),
	REPLY(COM_QUERY, "\1\0\0", REPLY_MORE),
};

static void reply_start(struct drive *d, __u16 command)
{
	plain(d);
	d->conn.command = command;
}

static void reply_is_complete_at_its_end(void **state)
{
	struct drive d;
	size_t i;

	LOOP(i, sizeof(replies) / sizeof(*replies)) {
		reply_start(&d, replies[i].command);
		if (drive_send(&d, (const __u8 *)replies[i].bytes, replies[i].n) != replies[i].verdict)
			fail_msg("reply %zu", i);
	}
}

/* Numbers a reply's packets as a server does.  Returns the bytes of the complete ones. */
static __u32 reply_number(__u8 *data, __u32 n, __u8 seq)
{
	__u32 at;

	for (at = 0; at + 4 <= n && at + 4 + bytes_u24(data + at) <= n; at += 4 + bytes_u24(data + at))
		data[at + 3] = seq++;
	return at;
}

/* A whole reply and each of its begins: the packets, read one by one, and the two ends give the same result. */
static void ends_of_a_reply_agree_with_its_packets(void **state)
{
	static const __u8 seqs[] = { 1, 2, 127, 254 };
	size_t i, s, aligned = 0;

	LOOP(i, sizeof(replies) / sizeof(*replies))
		LOOP(s, sizeof(seqs)) {
			struct drive walked, ahead;
			__u8 data[256];
			__u32 n = replies[i].n, at, len;
			int verdict;

			memcpy(data, replies[i].bytes, n);
			len = reply_number(data, n, seqs[s]);
			for (at = 0; at < len; at += 4 + bytes_u24(data + at)) {
				n = at + 4 + bytes_u24(data + at);
				reply_start(&walked, replies[i].command);
				reply_start(&ahead, replies[i].command);
				ahead.ahead = 1;
				verdict = drive_send(&walked, data, n);
				if (drive_send(&ahead, data, n) != verdict || ahead.conn.result != walked.conn.result)
					fail_msg("reply %zu, %u bytes", i, n);
				if (walked.conn.unaligned) {		/* more packets than are walked */
					aligned += !ahead.conn.unaligned;
					continue;
				}
				if (ahead.conn.stage != walked.conn.stage || ahead.conn.status != walked.conn.status)
					fail_msg("reply %zu, %u bytes: stage or status", i, n);
			}
		}
	assert_int_equal(aligned, 2 * sizeof(seqs));	/* small replies of many rows: by an EOF, by an OK */
}

/* Also after an earlier send: a reply in two sends, cut between packets. */
static void ends_of_a_second_send_agree_with_its_packets(void **state)
{
	size_t i;

	LOOP(i, sizeof(replies) / sizeof(*replies)) {
		struct drive walked, ahead;
		__u8 data[256];
		__u32 n = replies[i].n, at, len;

		memcpy(data, replies[i].bytes, n);
		len = reply_number(data, n, 1);
		for (at = 0; at < len; at += 4 + bytes_u24(data + at)) {
			reply_start(&walked, replies[i].command);
			reply_start(&ahead, replies[i].command);
			ahead.ahead = 1;
			drive_send(&walked, data, at);
			drive_send(&ahead, data, at);
			if (drive_send(&walked, data + at, len - at) != drive_send(&ahead, data + at, len - at) ||
			    ahead.conn.result != walked.conn.result)
				fail_msg("reply %zu, from byte %u on", i, at);
		}
	}
}

/* With more columns and rows than packet numbers, the end of the definitions is distinguished from the end of the
 * rows. */
static void numbers_distinguish_the_definitions_end_from_the_rows_end(void **state)
{
	static const __u8 end[] = { 0, 0, 5, 0, 0, 0, 0xfe, 0, 0, 2, 0 }, end_ok[] = { 7, 0, 0, 0, 0xfe, 0, 0, 2, 0, 0, 0 };
	unsigned columns, rows, eof;

	for (columns = 1; columns < 250; columns += 7)
		for (rows = 0; rows + columns < 253; rows++)
			for (eof = 0; eof < 2; eof++) {
				struct conn c = { .stage = REPLY_COLUMNS, .n_left = columns };
				__u8 tail[REPLY_TAIL], seq = columns * rows;

				memcpy(tail, eof ? end : end_ok, sizeof(tail));
				tail[eof ? 5 : 3] = seq + columns + rows + 1 + eof;
				assert_int_equal(reply_ahead(&c, seq, tail), REPLY_DONE);
				assert_int_equal(c.stage, REPLY_FIRST);
				assert_int_equal(c.status, 2);
				c = (struct conn){ .stage = REPLY_COLUMNS, .n_left = columns };
				tail[eof ? 5 : 3] = seq + columns + eof;
				assert_int_equal(reply_ahead(&c, seq, tail), REPLY_MORE);
				assert_int_equal(c.stage, REPLY_COLUMNS);
			}
}

static void reply_says_how_it_ended(void **state)
{
	static const struct { const char *bytes; size_t n; __u32 result; } cases[] = {
#define ENDED(data, result) { data, sizeof(data) - 1, result }
		ENDED(OK, STATUS_OK), ENDED(ERR, STATUS_ERROR(0x419)), ENDED(PROGRESS OK, STATUS_OK),
		ENDED(PROGRESS, STATUS_UNKNOWN), ENDED(PROGRESS ERR, STATUS_ERROR(0x419)), ENDED(OK_MORE ERR, STATUS_ERROR(0x419)),
		ENDED(ONE_COLUMN DEFINITION END ROW END, STATUS_OK), ENDED(ONE_COLUMN ERR, STATUS_ERROR(0x419)),
		ENDED(ONE_COLUMN DEFINITION END ROW ERR, STATUS_ERROR(0x419)),
#undef ENDED
	};
	struct drive d;
	size_t i;

	LOOP(i, sizeof(cases) / sizeof(*cases)) {
		__u8 data[64];

		plain(&d);
		drive_receive(&d, data, command(data, COM_QUERY, "select 1"));
		assert_int_equal(d.conn.result, STATUS_UNKNOWN);
		drive_send(&d, (const __u8 *)cases[i].bytes, cases[i].n);
		if (d.conn.result != cases[i].result)
			fail_msg("reply %zu: %u", i, d.conn.result);
		drive_receive(&d, data, command(data, COM_QUIT, ""));
		assert_int_equal(d.conn.result, STATUS_NONE);
	}
}

/* A reply that is cut between packets is followed across its sends. */
static void reply_may_take_several_sends(void **state)
{
	struct drive d;

	reply_start(&d, COM_QUERY);
	assert_int_equal(drive_send(&d, (const __u8 *)ONE_COLUMN DEFINITION END, 24), REPLY_MORE);
	assert_int_equal(drive_send(&d, (const __u8 *)ROW_EMPTY, 5), REPLY_MORE);	/* looks like an OK */
	assert_int_equal(drive_send(&d, (const __u8 *)END, 9), REPLY_DONE);
}

/* The end of a reply that is cut within a packet is only seen at its tail. */
static void cut_reply_ends_at_its_tail(void **state)
{
	static const __u8 data[] = ONE_COLUMN DEFINITION END ROW ROW END;
	__u32 n = sizeof(data) - 1, cut;
	struct drive d;

	for (cut = 1; cut < n - REPLY_TAIL; cut++) {
		reply_start(&d, COM_QUERY);
		assert_int_equal(drive_send(&d, data, cut), REPLY_MORE);
		assert_int_equal(drive_send(&d, data + cut, n - cut), REPLY_DONE);
	}
}

static void prepare_reply_names_the_statement(void **state)
{
	struct drive d;

	reply_start(&d, COM_STMT_PREPARE);
	drive_send(&d, (const __u8 *)PREPARED_2, sizeof(PREPARED_2) - 1);
	assert_int_equal(d.conn.statement_id, 5);
	assert_int_equal(d.conn.n_left, 2);
}

static void long_row_continues(void **state)
{
	static const __u8 any[REPLY_HEAD], end[REPLY_HEAD] = { 0xfe };
	struct packet first = { .len = PACKET_MAX, .n = REPLY_HEAD, .head = any }, rest = { .len = 5, .n = 5, .head = end };
	struct drive d;

	reply_start(&d, COM_QUERY);
	d.conn.stage = REPLY_ROWS;
	assert_int_equal(reply_packet(&d.conn, &first), REPLY_MORE);
	assert_int_equal(reply_packet(&d.conn, &rest), REPLY_MORE);	/* its bytes belong to the row */
	assert_int_equal(reply_packet(&d.conn, &rest), REPLY_DONE);
}

static void a_reply_that_is_cut_is_unknown_unless_an_error_was_sent(void **state)
{
	struct conn c = { .result = STATUS_OK };

	(void)state;
	reply_cut(&c);
	assert_int_equal(c.result, STATUS_UNKNOWN);
	c.result = STATUS_ERROR(1242);
	reply_cut(&c);
	assert_int_equal(c.result, STATUS_ERROR(1242));
	c.result = STATUS_NONE;
	reply_cut(&c);
	assert_int_equal(c.result, STATUS_NONE);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(reply_is_complete_at_its_end),
	cmocka_unit_test(ends_of_a_reply_agree_with_its_packets),
	cmocka_unit_test(ends_of_a_second_send_agree_with_its_packets),
	cmocka_unit_test(numbers_distinguish_the_definitions_end_from_the_rows_end),
	cmocka_unit_test(reply_says_how_it_ended),
	cmocka_unit_test(reply_may_take_several_sends),
	cmocka_unit_test(cut_reply_ends_at_its_tail),
	cmocka_unit_test(prepare_reply_names_the_statement),
	cmocka_unit_test(long_row_continues),
	cmocka_unit_test(a_reply_that_is_cut_is_unknown_unless_an_error_was_sent),
};

CHECK_MAIN(tests)
