#include "test/kit/mysql_driver.h"
#include "test/kit/check.h"

#define LOOP(i, n) for (i = 0; i < (n); i++)
#define BYTES(text) text, sizeof(text) - 1

static __u64 statement_of(const char *text)
{
	struct statement s = { 0 };
	size_t i, n = strlen(text);

	for (i = 0; i < n && !statement_done(&s); i++)
		statement_byte(&s, text[i]);
	return statement_code(&s, 1);
}

/* The same, with its first bytes at once. */
static __u64 statement_of_ahead(const char *text)
{
	struct statement s = { 0 };
	size_t i, n = strlen(text);

	for (i = n < STATEMENT_AHEAD ? 0 : statement_ahead(&s, (const __u8 *)text); i < n && !statement_done(&s); i++)
		statement_byte(&s, text[i]);
	return statement_code(&s, 1);
}

/* ---- statements ---- */

static void statement_is_the_first_keyword(void **state)
{
	static const struct { const char *text; __u64 code; } cases[] = {
		{ "select 1", STATEMENT_CODE("select") },
		{ "SELECT", STATEMENT_CODE("select") },
		{ " \t\r\nInSeRt into t", STATEMENT_CODE("insert") },
		{ "-- select\nupdate t", STATEMENT_CODE("update") },
		{ "#delete\n\ndelete from t", STATEMENT_CODE("delete") },
		{ "/* insert */ select 1", STATEMENT_CODE("select") },
		{ "/* ** /* */ select 1", STATEMENT_CODE("select") },
		{ "/**/select 1", STATEMENT_CODE("select") },
		{ "/***/select 1", STATEMENT_CODE("select") },
		{ "/*! select 1 */", STATEMENT_CODE("select") },
		{ "/*!50003 create trigger */", STATEMENT_CODE("create") },
		{ "/*M!100100 alter table t */", STATEMENT_CODE("alter") },
		{ "/*!40101 */ set x = 1", STATEMENT_CODE("set") },
		{ "/*Memo*/ set x = 1", STATEMENT_CODE("set") },
		{ "/*M*/ set x = 1", STATEMENT_CODE("set") },
		{ "((select 1) union (select 2))", STATEMENT_CODE("select") },
		{ ";;commit", STATEMENT_CODE("commit") },
		{ "SAVEPOINT a", STATEMENT_CODE("savepoin") },
		{ "truncate table t", STATEMENT_CODE("truncate") },
		{ "deallocate prepare s", STATEMENT_CODE("dealloca") },
		{ "xa start 'a'", STATEMENT_CODE("xa") },
		{ "selecting", STATEMENT_MISC },
		{ "select_1", STATEMENT_MISC },
		{ "", STATEMENT_MISC },
		{ "/* nothing", STATEMENT_MISC },
		{ "-x", STATEMENT_MISC },
		{ "/x", STATEMENT_MISC },
		{ "@a", STATEMENT_MISC },
		{ "1", STATEMENT_MISC },
		{ "\xff\xfe", STATEMENT_MISC },
	};
	size_t i;

	LOOP(i, sizeof(cases) / sizeof(*cases))
		if (statement_of(cases[i].text) != cases[i].code || statement_of_ahead(cases[i].text) != cases[i].code)
			fail_msg("%s", cases[i].text);
}

static void unfinished_text_is_unknown(void **state)
{
	struct statement s = { 0 };

	statement_byte(&s, 's');
	assert_true(statement_code(&s, 0) == STATEMENT_UNKNOWN);
	assert_true(statement_code(&s, 1) == STATEMENT_MISC);
}

static void no_word_packs_into_a_special_code(void **state)
{
	assert_true(STATEMENT_CODE("xa") > STATEMENT_MISC);
	assert_true(STATEMENT_CODE("select") == 0x7463656c6573ull);
}

/* ---- receives ---- */

/* Six commands, one of them without a body beyond its byte. */
static __u32 stream(__u8 *out)
{
	__u32 n = 0;

	n += command(out + n, COM_QUERY, "/* a */ select 1");
	n += command(out + n, 14, "");
	n += command(out + n, COM_STMT_PREPARE, "insert into t values (?)");
	n += packet(out + n, 0, "\x17\x01\x02\x03\x04\x00\x01\x00\x00\x00", 10);
	n += packet(out + n, 0, "\x19\x05\x00\x00\x00", 5);
	n += command(out + n, COM_INIT_DB, "test");
	return n;
}

static void stream_check(const struct drive *d)
{
	assert_int_equal(d->n, 6);
	assert_int_equal(d->n_starts, 6);
	assert_int_equal(d->n_cancels, 0);
	assert_int_equal(d->found[0].command, COM_QUERY);
	assert_true(d->found[0].statement == STATEMENT_CODE("select"));
	assert_int_equal(d->found[1].command, 14);
	assert_true(d->found[1].statement == STATEMENT_NONE);
	assert_int_equal(d->found[2].command, COM_STMT_PREPARE);
	assert_true(d->found[2].statement == STATEMENT_CODE("insert"));
	assert_int_equal(d->found[3].command, COM_STMT_EXECUTE);
	assert_true(d->found[3].statement == STATEMENT_CODE("select"));
	assert_int_equal(d->found[4].command, COM_STMT_CLOSE);
	assert_int_equal(d->found[5].command, COM_INIT_DB);
	assert_int_equal(d->n_lookups, 1);
	assert_int_equal(d->n_closes, 1);
	assert_int_equal(d->id, 5);
}

static void commands_are_the_same_however_cut(void **state)
{
	__u8 data[256];
	__u32 n = stream(data), a, b, ahead;
	struct drive d;

	for (a = 0; a <= n; a++)
		for (b = a; b <= n; b++)
			for (ahead = 0; ahead < 3; ahead++) {
				plain(&d);
				d.ahead = ahead > 0;
				d.ahead_text = ahead > 1;
				drive_receive(&d, data, a);
				drive_receive(&d, data + a, b - a);
				drive_receive(&d, data + b, n - b);
				stream_check(&d);
			}
}

static void commands_are_the_same_byte_by_byte(void **state)
{
	__u8 data[256];
	__u32 n = stream(data), i;
	struct drive d;

	plain(&d);
	LOOP(i, n)
		drive_receive(&d, data + i, 1);
	stream_check(&d);
}

static void nonzero_sequence_never_starts(void **state)
{
	__u8 data[64];
	struct drive d;
	__u32 seq;

	for (seq = 1; seq < 256; seq++) {
		plain(&d);
		drive_receive(&d, data, packet(data, seq, "\x03select 1", 9));
		drive_receive(&d, data, command(data, 14, ""));
		assert_int_equal(d.n_starts, 1);
		assert_int_equal(d.found[0].command, 14);
	}
}

static void local_infile_data_may_wrap_to_sequence_zero(void **state)
{
	__u8 data[64];
	struct drive d;
	__u32 i, n;

	plain(&d);
	drive_receive(&d, data, command(data, COM_QUERY, "load data local infile"));
	assert_int_equal(drive_send(&d, data, packet(data, 1, "\xfb/tmp/f", 7)), REPLY_HELD);
	LOOP(i, 600)
		drive_receive(&d, data, packet(data, 2 + i, "\x03rows\n", 6));
	drive_receive(&d, data, packet(data, 2 + i, "", 0));
	assert_int_equal(d.n_starts, 1);
	n = packet(data, 3 + i, "\0\0\0\2\0\0\0", 7);
	assert_int_equal(drive_send(&d, data, n), REPLY_DONE);
	drive_receive(&d, data, command(data, 14, ""));
	assert_int_equal(d.n, 2);
}

static void long_packet_continues(void **state)
{
	__u8 head[4] = { 0xff, 0xff, 0xff, 0 }, text[2048];
	struct drive d;
	__u32 seq;

	memset(text, ' ', sizeof(text));
	text[0] = COM_QUERY;
	memcpy(text + 1, "insert", 6);
	plain(&d);
	for (seq = 0; seq < 3; seq++) {
		head[3] = seq;
		drive_receive(&d, head, 4);
		drive_receive(&d, text, 1000);
		drive_receive(&d, NULL, PACKET_MAX - 1000);
		assert_int_equal(d.n, 0);
	}
	memcpy(head, "\0\0\0\3", 4);		/* a multiple of 0xffffff ends with an empty packet */
	drive_receive(&d, head, 4);
	assert_int_equal(d.n, 1);
	assert_int_equal(d.n_starts, 1);
	assert_true(d.found[0].statement == STATEMENT_CODE("insert"));
}

static void continued_packet_may_have_any_sequence(void **state)
{
	__u8 head[4] = { 0xff, 0xff, 0xff, 0 };
	struct drive d;

	plain(&d);
	drive_receive(&d, head, 4);
	drive_receive(&d, (const __u8 *)"\x03 ", 2);
	drive_receive(&d, (const __u8 *)"select ", 7);
	drive_receive(&d, NULL, PACKET_MAX - 9);
	drive_receive(&d, (const __u8 *)"\x02\0\0\0xy", 6);
	assert_int_equal(d.n, 1);
	assert_int_equal(d.n_starts, 1);
}

static void kilobyte_of_comment_is_unknown(void **state)
{
	char text[3000];
	__u8 data[4096];
	struct drive d;

	memset(text, 'x', sizeof(text));
	memcpy(text, "/*", 2);
	memcpy(text + 2900, "*/select 1", 11);
	plain(&d);
	drive_receive(&d, data, command(data, COM_QUERY, text));
	assert_true(d.found[0].statement == STATEMENT_UNKNOWN);
	memcpy(text + 100, "*/ select ", 10);
	plain(&d);
	drive_receive(&d, data, command(data, COM_QUERY, text));
	assert_true(d.found[0].statement == STATEMENT_CODE("select"));
}

static void statement_is_not_read_unless_it_is_wanted(void **state)
{
	__u8 data[64];
	struct drive d;

	plain(&d);
	d.conn.wanted = 0;
	drive_receive(&d, data, command(data, COM_QUERY, "select 1"));
	assert_true(d.found[0].statement == STATEMENT_UNKNOWN);
	drive_receive(&d, data, command(data, COM_STMT_PREPARE, "select 1"));
	assert_true(d.found[1].statement == STATEMENT_CODE("select"));	/* but it is always remembered */
}

static void incomplete_body_is_no_command(void **state)
{
	__u8 data[64];
	__u32 n = command(data, COM_QUERY, "select 1"), i;
	struct drive d;

	LOOP(i, n) {
		plain(&d);
		drive_receive(&d, data, i);
		assert_int_equal(d.n, 0);
	}
}

static void commands_without_reply(void **state)
{
	assert_true(command_has_no_reply(COM_QUIT));
	assert_true(command_has_no_reply(COM_STMT_CLOSE));
	assert_true(command_has_no_reply(COM_STMT_SEND_LONG_DATA));
	assert_false(command_has_no_reply(COM_QUERY));
	assert_false(command_has_no_reply(COMMAND_ENCRYPTED));
}

/* After a dump command the server sends an event of the log, an error or an EOF. */
static void replication_begins_with_its_stream(void **state)
{
	static const __u8 dumps[] = { COM_BINLOG_DUMP, COM_BINLOG_DUMP_GTID };
	static const char event[] = "\x0a\0\0\1\0\1\2\3\4\5\6\7\x08\x09";
	__u8 data[64];
	struct drive d;
	size_t i;

	LOOP(i, 2) {
		plain(&d);
		drive_receive(&d, data, command(data, dumps[i], "\1\1\1\1\1\1\1\1\1\1"));
		assert_int_equal(d.n, 1);
		assert_int_equal(d.found[0].command, dumps[i]);
		drive_send(&d, (const __u8 *)event, sizeof(event) - 1);
		assert_int_equal(d.conn.mode, CONN_IGNORED);
		drive_receive(&d, data, command(data, COM_QUERY, "select 1"));
		assert_int_equal(d.n, 1);
	}
}

static void refused_replication_leaves_the_connection_as_it_is(void **state)
{
	static const char refused[] = "\x0f\0\0\1\xff\xcb\x04#42000Denied", unknown[] = "\x0f\0\0\1\xff\x17\x04#08S01Unknow";
	static const char nothing[] = "\5\0\0\1\xfe\0\0\2\0";
	static const struct { __u8 command; const char *reply; size_t n; __u32 result; } cases[] = {
		{ COM_BINLOG_DUMP, refused, sizeof(refused) - 1, STATUS_ERROR(1227) },
		{ COM_BINLOG_DUMP_GTID, unknown, sizeof(unknown) - 1, STATUS_ERROR(1047) },
		{ COM_BINLOG_DUMP, nothing, sizeof(nothing) - 1, STATUS_OK },	/* does not wait; the log is empty */
		{ 21, refused, sizeof(refused) - 1, STATUS_ERROR(1227) },	/* register_slave */
	};
	__u8 data[64];
	struct drive d;
	size_t i, k;

	LOOP(i, sizeof(cases) / sizeof(*cases)) {
		plain(&d);
		drive_receive(&d, data, command(data, cases[i].command, "\1\1\1\1\1\1\1\1\1\1"));
		assert_int_equal(drive_send(&d, (const __u8 *)cases[i].reply, cases[i].n), REPLY_DONE);
		assert_int_equal(d.conn.result, cases[i].result);
		LOOP(k, 10) {
			drive_receive(&d, data, command(data, COM_QUERY, "select 1"));
			assert_int_equal(drive_send(&d, (const __u8 *)OK, sizeof(OK) - 1), REPLY_DONE);
		}
		assert_int_equal(d.n, 11);
		assert_int_equal(d.found[0].command, cases[i].command);
		assert_int_equal(d.conn.mode, CONN_PLAIN);
	}
}

#define NO_SUCH_COMMAND "\x0f\0\0\1\xff\x17\x04#08S01Unknow"

static void unknown_command_is_an_event_with_its_status(void **state)
{
	static const __u8 bytes[] = { 0x20, 0x21, 0x40, 0x55, 0xf9, 0xfa, 0xfb, 0xfe, 0xff, 0, 5, 6, 11, 15, 16, 19, 20, 29 };
	__u8 data[64];
	struct drive d;
	size_t i;

	LOOP(i, sizeof(bytes)) {
		plain(&d);
		d.conn.who.user = 77;
		d.conn.who.database = 78;
		drive_receive(&d, data, command(data, bytes[i], i & 1 ? "\1\1\1\1\1\1\1\1\1\1\1" : ""));
		assert_int_equal(d.n, 1);
		assert_int_equal(drive_send(&d, (const __u8 *)NO_SUCH_COMMAND, sizeof(NO_SUCH_COMMAND) - 1), REPLY_DONE);
		assert_int_equal(d.conn.command, COMMAND_UNKNOWN);
		assert_int_equal(d.conn.result, STATUS_ERROR(1047));
		drive_receive(&d, data, command(data, COM_QUERY, "select 1"));
		assert_true(d.found[1].statement == STATEMENT_CODE("select"));
		assert_true(d.conn.who.user == 77 && d.conn.who.database == 78);
	}
}

/* MariaDB takes an empty packet for an unknown command. */
static void empty_packet_is_an_unknown_command(void **state)
{
	struct drive d;

	plain(&d);
	drive_receive(&d, (const __u8 *)"\0\0\0\0", 4);
	assert_int_equal(d.n, 1);
	assert_int_equal(d.found[0].command, COMMAND_UNKNOWN);
	assert_int_equal(drive_send(&d, (const __u8 *)NO_SUCH_COMMAND, sizeof(NO_SUCH_COMMAND) - 1), REPLY_DONE);
	assert_int_equal(d.conn.mode, CONN_PLAIN);
}

/* A cluster's server that is not ready refuses every statement in this way. */
static void known_command_refused_as_unknown_keeps_its_name(void **state)
{
	__u8 data[64];
	struct drive d;

	plain(&d);
	drive_receive(&d, data, command(data, COM_QUERY, "select 1"));
	drive_send(&d, (const __u8 *)NO_SUCH_COMMAND, sizeof(NO_SUCH_COMMAND) - 1);
	assert_int_equal(d.conn.command, COM_QUERY);
}

static void unknown_command_with_another_answer_is_opaque(void **state)
{
	__u8 data[64];
	struct drive d;

	plain(&d);
	drive_receive(&d, data, command(data, 0x40, "x"));
	drive_send(&d, (const __u8 *)OK, sizeof(OK) - 1);
	assert_int_equal(d.conn.mode, CONN_OPAQUE);
	assert_int_equal(d.conn.command, COMMAND_OPAQUE);
}

/* MySQL 9.7: after the server's OK to a clone its client speaks another protocol, whose first command byte is that of quit. */
static void clone_that_the_server_accepts_is_ignored(void **state)
{
	static const __u8 bytes[] = { COM_CLONE, COM_GROUP_REPLICATION };
	__u8 data[64];
	struct drive d;
	size_t i;

	LOOP(i, sizeof(bytes)) {
		plain(&d);
		drive_receive(&d, data, command(data, bytes[i], ""));
		drive_send(&d, (const __u8 *)OK, sizeof(OK) - 1);
		assert_int_equal(d.conn.mode, CONN_IGNORED);
		drive_receive(&d, data, command(data, COM_QUIT, "\2\1\1\1\x2c\1\1\1"));
		assert_int_equal(d.n, 1);
		plain(&d);
		drive_receive(&d, data, command(data, bytes[i], ""));
		drive_send(&d, (const __u8 *)ERR, sizeof(ERR) - 1);
		assert_int_equal(d.conn.command, bytes[i]);
		assert_int_equal(d.conn.mode, CONN_PLAIN);
	}
}

static void reply_with_a_wrong_number_answers_nothing(void **state)
{
	__u8 data[64];
	struct drive d;
	__u32 seq;

	for (seq = 0; seq < 256; seq++) {
		plain(&d);
		drive_receive(&d, data, command(data, COM_QUERY, "select 1"));
		drive_send(&d, data, packet(data, seq, "\0\0\0\2\0\0\0", 7));
		assert_int_equal(d.conn.mode, seq == 1 ? CONN_PLAIN : CONN_OPAQUE);
	}
}

static void impossible_header_is_opaque(void **state)
{
	__u8 data[64];
	struct drive d;
	__u32 byte;

	for (byte = 0; byte < 256; byte++) {
		int possible = byte <= 33 || byte == 250;

		plain(&d);
		d.conn.sure = 0;
		drive_receive(&d, data, command(data, byte, "\1\1\1\1\1\1\1\1\1\1\1"));
		assert_int_equal(d.conn.mode, possible ? CONN_PLAIN : CONN_OPAQUE);
		assert_int_equal(d.n_cancels, !possible);
	}
	plain(&d);
	d.conn.sure = 0;
	drive_receive(&d, (const __u8 *)"\0\0\0\0", 4);
	assert_int_equal(d.conn.mode, CONN_OPAQUE);
}

static void id_minus_one_is_the_last_prepared(void **state)
{
	__u8 data[64];
	struct drive d;

	plain(&d);
	drive_receive(&d, data, packet(data, 0, "\x17\xff\xff\xff\xff\0\1\0\0\0", 10));
	assert_true(d.found[0].statement == STATEMENT_UNKNOWN);
	drive_receive(&d, data, command(data, COM_STMT_PREPARE, "update t"));
	drive_receive(&d, data, packet(data, 0, "\xfa\xff\xff\xff\xff\0\0\1", 8));
	assert_int_equal(d.found[2].command, COM_BULK_EXECUTE);
	assert_true(d.found[2].statement == STATEMENT_CODE("update"));
	assert_int_equal(d.n_lookups, 0);
}

/* ---- login ---- */

static void login(struct drive *d, __u32 caps, __u32 len)
{
	__u8 body[64] = { caps, caps >> 8, caps >> 16, caps >> 24 }, data[80];

	memset(d, 0, sizeof(*d));
	d->conn.mode = CONN_LOGIN;
	d->conn.wanted = 1;
	drive_receive(d, data, packet(data, 1, body, len));
}

static void the_connection_is_in_the_greeting(void **state)
{
	static const char whole[] = "\x5a\0\0\0\x0a" "5.5.5-10.11.19-MariaDB-0+deb12u1\0\x04\x03\x02\x01scramble";
	static const char refused[] = "\x17\0\0\0\xff" "\x10\x04Too many connections\0\1\1\1\1";
	__u8 endless[2 * GREETING_LOOK];
	__u32 n;

	assert_int_equal(greeting_connection((const __u8 *)whole, sizeof(whole)), 0x01020304);
	for (n = 0; n < 5 + 33 + 4; n++)		/* cut before its last byte */
		assert_int_equal(greeting_connection((const __u8 *)whole, n), 0);
	assert_int_equal(greeting_connection((const __u8 *)whole, n), 0x01020304);
	assert_int_equal(greeting_connection((const __u8 *)refused, sizeof(refused)), 0);
	memset(endless, 'x', sizeof(endless));
	endless[4] = 0x0a;
	endless[GREETING_LOOK - 4] = 0;		/* its number would end after the bytes that are read */
	assert_int_equal(greeting_connection(endless, GREETING_LOOK), 0);
}

static void greeting_is_known(void **state)
{
	assert_true(greeting((const __u8 *)"\x5a\0\0\0\x0a", 5, 94));
	assert_true(greeting((const __u8 *)"\x17\0\0\0\xff", 5, 27));	/* "Too many connections" */
	assert_false(greeting((const __u8 *)"\x5a\0\0\1\x0a", 5, 94));
	assert_false(greeting((const __u8 *)"\x5a\0\0\0\x09", 5, 94));
	assert_false(greeting((const __u8 *)"\0\0\0\0\x0a", 5, 4));
	assert_false(greeting((const __u8 *)"\x5a\0\0\0", 4, 94));
	assert_false(greeting((const __u8 *)"\x5a\0\0\0\x0a", 5, 93));
	assert_false(greeting((const __u8 *)"\5\0\0\0\x0b", 5, 9));	/* the X protocol's */
}

static void capabilities_are_in_the_greeting(void **state)
{
	static const char mariadb[] = "\x5a\0\0\0\x0a" "5.5.5-10.11.19-MariaDB-0+deb12u1\0\x04\x03\x02\x01scramble\0\xfe\xf7\x2d\2\0\xff\x81\x15\0\0";
	__u8 endless[2 * GREETING_LOOK];
	__u32 n;

	assert_true(greeting_capabilities((const __u8 *)mariadb, sizeof(mariadb) - 1) == (GREETING_KNOWN | 0x81fff7fe));
	for (n = 0; n < 5 + 32 + 21; n++)
		assert_true(!greeting_capabilities((const __u8 *)mariadb, n));
	memset(endless, 'x', sizeof(endless));
	endless[4] = 0x0a;
	endless[GREETING_LOOK - 20] = 0;
	assert_true(!greeting_capabilities(endless, GREETING_LOOK));
}

/* Logs in to a server with these capabilities; 0: its greeting was not read. */
static void login_to(struct drive *d, __u64 offers, __u32 asks)
{
	__u8 body[64] = { asks, asks >> 8, asks >> 16, asks >> 24 }, data[80];

	memset(d, 0, sizeof(*d));
	d->conn.mode = CONN_LOGIN;
	d->conn.wanted = 1;
	d->conn.server_caps = offers;
	d->conn.caps_known = offers != 0;
	drive_receive(d, data, packet(data, 1, body, 60));
	login_end(&d->conn, 2);
}

static void capabilities_are_of_both_sides(void **state)
{
	static const __u32 bits[] = { CLIENT_COMPRESS, CLIENT_ZSTD, CLIENT_QUERY_ATTRIBUTES };
	struct drive d;
	size_t i;

	LOOP(i, 3) {
		login_to(&d, GREETING_KNOWN | CLIENT_PROTOCOL_41 | bits[i], CLIENT_PROTOCOL_41 | bits[i]);
		assert_int_equal(d.conn.caps, CLIENT_PROTOCOL_41 | bits[i]);
		assert_int_equal(d.conn.mode, i < 2 ? CONN_COMPRESSED : CONN_PLAIN);
		login_to(&d, GREETING_KNOWN | CLIENT_PROTOCOL_41, CLIENT_PROTOCOL_41 | bits[i]);
		assert_int_equal(d.conn.caps, CLIENT_PROTOCOL_41);
		assert_int_equal(d.conn.mode, CONN_PLAIN);
		login_to(&d, GREETING_KNOWN | CLIENT_PROTOCOL_41 | bits[i], CLIENT_PROTOCOL_41);
		assert_int_equal(d.conn.caps, CLIENT_PROTOCOL_41);
		login_to(&d, 0, CLIENT_PROTOCOL_41 | bits[i]);
		assert_int_equal(d.conn.mode, i < 2 ? CONN_STRANGE : CONN_PLAIN);	/* it may compress or not */
	}
}

/* Sends a query on a new connection, at once, with its first bytes ahead, and cut anywhere. */
static void query_check(__u64 offers, const void *body, __u32 len, __u64 statement, const char *words)
{
	__u8 data[256];
	struct drive d;
	__u32 n = packet(data, 0, body, len), cut, ahead;

	LOOP(cut, n)
		LOOP(ahead, 3) {
			login_to(&d, offers, CLIENT_QUERY_ATTRIBUTES);
			d.ahead = ahead > 0;
			d.ahead_text = ahead > 1;
			drive_receive(&d, data, cut);
			drive_receive(&d, data + cut, n - cut);
			if (d.n != 1 || d.found[0].statement != statement)
				fail_msg("%s, ahead %u, cut at %u", words, ahead, cut);
		}
}

/* The begin of a query, by capabilities that are asked for, offered, or not known. */
static void text_is_after_attributes_where_both_sides_have_them(void **state)
{
	static const struct { __u64 offers; const char *text; __u32 n; __u64 statement; } cases[] = {
		{ GREETING_KNOWN, BYTES("\3select 1"), STATEMENT_CODE("select") },
		{ GREETING_KNOWN | CLIENT_QUERY_ATTRIBUTES, BYTES("\3\0\1select 1"), STATEMENT_CODE("select") },
		{ GREETING_KNOWN | CLIENT_QUERY_ATTRIBUTES, BYTES("\3\1\1\0\1\x0f\0\1a\1bselect 1"), STATEMENT_CODE("select") },
		{ 0, BYTES("\3select 1"), STATEMENT_CODE("select") },
		{ 0, BYTES("\3\0\1select 1"), STATEMENT_CODE("select") },
		{ 0, BYTES("\3\1\1\0\1\x0f\0\1a\1bselect 1"), STATEMENT_CODE("select") },
		/* which cannot be read */
		{ GREETING_KNOWN | CLIENT_QUERY_ATTRIBUTES, BYTES("\3\0\2select 1"), STATEMENT_UNKNOWN },
		{ GREETING_KNOWN | CLIENT_QUERY_ATTRIBUTES, BYTES("\3 select 1"), STATEMENT_UNKNOWN },
		{ GREETING_KNOWN | CLIENT_QUERY_ATTRIBUTES, BYTES("\3\x21\1\0\0\0\0\0\1select 1"), STATEMENT_UNKNOWN },
		{ GREETING_KNOWN | CLIENT_QUERY_ATTRIBUTES, BYTES("\3\1\1\0\1\x0f\0\1a\x40select 1"), STATEMENT_UNKNOWN },
		{ 0, BYTES("\3\x0e\2select 1"), STATEMENT_UNKNOWN },
		{ 0, BYTES("\3\1\1\0\0\x0f\0\1a\1bselect 1"), STATEMENT_UNKNOWN },
	};
	size_t i;

	LOOP(i, sizeof(cases) / sizeof(*cases))
		query_check(cases[i].offers, cases[i].text, cases[i].n, cases[i].statement, cases[i].text + 1);
}

/* Any number of attributes, also one that is the code of white space; of an older connection, too. */
static void attributes_are_known_by_their_begin(void **state)
{
	__u8 body[256];
	__u32 count, i, n;

	LOOP(count, ATTRIBUTES_MAX + 1) {
		n = 0;
		body[n++] = COM_QUERY;
		body[n++] = count;
		body[n++] = 1;
		for (i = 0; i < count; i += 8)
			body[n++] = 0xff;		/* all are null */
		if (count)
			body[n++] = 1;
		LOOP(i, count) {
			memcpy(body + n, "\x0f\0\1a", 4);
			n += 4;
		}
		memcpy(body + n, "update t", 8);
		query_check(0, body, n + 8, STATEMENT_CODE("update"), "older");
		query_check(GREETING_KNOWN | CLIENT_QUERY_ATTRIBUTES, body, n + 8, STATEMENT_CODE("update"), "newer");
	}
}

/* Of an older connection: with it a text begins, or a number of attributes. */
static void white_space_begins_a_text(void **state)
{
	static const struct { const char *text; __u32 n; __u64 statement; } cases[] = {
		{ BYTES("\3 select 1"), STATEMENT_CODE("select") }, { BYTES("\3\t\tselect 1"), STATEMENT_CODE("select") },
		{ BYTES("\3\n-- a\nselect 1"), STATEMENT_CODE("select") }, { BYTES("\3\v(select 1)"), STATEMENT_CODE("select") },
		{ BYTES("\3\f/* a */ select 1"), STATEMENT_CODE("select") }, { BYTES("\3\r\nuse a"), STATEMENT_CODE("use") },
		{ BYTES("\3 "), STATEMENT_MISC }, { BYTES("\3  "), STATEMENT_MISC }, { BYTES("\3 1"), STATEMENT_MISC },
	};
	size_t i;

	LOOP(i, sizeof(cases) / sizeof(*cases))
		query_check(0, cases[i].text, cases[i].n, cases[i].statement, cases[i].text + 1);
}

/* ---- PROXY headers ---- */

#define SIGNATURE "\r\n\r\n\0\r\nQUIT\n"

static void proxy_header_has_the_client(void **state)
{
	static const struct { const char *bytes; size_t n; const char *address; } cases[] = {
		{ BYTES("PROXY TCP4 10.1.2.3 192.168.0.1 56324 3306\r\n"), "\0\0\0\0\0\0\0\0\0\0\xff\xff\x0a\1\2\3" },
		{ BYTES("PROXY TCP4 255.255.255.255 1.1.1.1 65535 65535\r\n"), "\0\0\0\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff" },
		{ BYTES("PROXY TCP6 2001:db8::7 ::1 1 2\r\n"), "\x20\1\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\7" },
		{ BYTES("PROXY TCP6 ::1 ::1 1 2\r\n"), "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1" },
		{ BYTES("PROXY TCP6 1:: ::1 1 2\r\n"), "\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0" },
		{ BYTES("PROXY TCP6 :: ::1 1 2\r\n"), "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0" },
		{ BYTES("PROXY TCP6 1:2:3:4:5:6:7:aBcD ::1 1 2\r\n"), "\0\1\0\2\0\3\0\4\0\5\0\6\0\7\xab\xcd" },
		{ BYTES("PROXY TCP6 ::ffff:10.1.2.3 ::1 1 2\r\n"), "\0\0\0\0\0\0\0\0\0\0\xff\xff\x0a\1\2\3" },
		{ BYTES("PROXY UNKNOWN\r\n"), NULL },
		{ BYTES("PROXY UNKNOWN ffff::1 ::1 1 2\r\n"), NULL },
		{ BYTES("PROXY TCP4 1.2.3 1.1.1.1 1 2\r\n"), NULL },
		{ BYTES("PROXY TCP4 1.2.3.256 1.1.1.1 1 2\r\n"), NULL },
		{ BYTES("PROXY TCP6 1:2:3 ::1 1 2\r\n"), NULL },
		{ BYTES(SIGNATURE "\x21\x11\0\x0c\x0a\1\2\3\xc0\xa8\0\1\xdc\4\x0c\xea"), "\0\0\0\0\0\0\0\0\0\0\xff\xff\x0a\1\2\3" },
		{ BYTES(SIGNATURE "\x21\x11\0\x14\x0a\1\2\3\xc0\xa8\0\1\xdc\4\x0c\xea\3\0\4\1\1\1\1\4"), "\0\0\0\0\0\0\0\0\0\0\xff\xff\x0a\1\2\3" },
		{ BYTES(SIGNATURE "\x21\x21\0\x24" "2001:db8::000007" "2001:db8::000001" "\1\1\2\2"), "2001:db8::000007" },
		{ BYTES(SIGNATURE "\x20\0\0\0"), NULL },
		{ BYTES(SIGNATURE "\x20\x11\0\x0c\x0a\1\2\3\xc0\xa8\0\1\xdc\4\x0c\xea"), NULL },
		{ BYTES(SIGNATURE "\x21\0\0\3\1\2\3"), NULL },
		{ BYTES(SIGNATURE "\x21\x31\0\4abcd"), NULL },
	};
	__u8 data[256], body[60] = { 0, 2 };
	struct drive d;
	__u32 n, cut;
	size_t i;

	LOOP(i, sizeof(cases) / sizeof(*cases)) {
		memcpy(data, cases[i].bytes, cases[i].n);
		n = cases[i].n + packet(data + cases[i].n, 1, body, sizeof(body));
		n += command(data + n, COM_QUERY, "select 1");
		for (cut = 0; cut <= n; cut++) {
			memset(&d, 0, sizeof(d));
			d.conn.mode = CONN_LOGIN;
			d.conn.wanted = 1;
			drive_receive(&d, data, cut);
			drive_receive(&d, data + cut, n - cut);
			if (d.n != 1 || d.found[0].statement != STATEMENT_CODE("select") || d.n_clients != !!cases[i].address ||
			    (cases[i].address && memcmp(d.conn.proxy.address.byte, cases[i].address, 16)))
				fail_msg("case %zu, cut at %u", i, cut);
		}
	}
}

/* A server may wait for the PROXY header before it greets. */
static void proxy_header_may_come_before_the_greeting(void **state)
{
	struct drive d;

	memset(&d, 0, sizeof(d));
	drive_receive(&d, (const __u8 *)"PROXY TCP4 10.1.2.3 192.168.0.1 56324 3306\r\n", 45);
	assert_int_equal(d.conn.mode, CONN_LOGIN);
	assert_int_equal(d.n_clients, 1);
}

static void endless_proxy_header_is_opaque(void **state)
{
	__u8 data[200];
	struct drive d;

	memset(data, 'x', sizeof(data));
	memcpy(data, "PROXY ", 6);
	memset(&d, 0, sizeof(d));
	d.conn.mode = CONN_LOGIN;
	drive_receive(&d, data, sizeof(data));
	assert_int_equal(d.conn.mode, CONN_OPAQUE);
}

static void ssl_request_makes_it_encrypted(void **state)
{
	struct drive d;

	login(&d, CLIENT_SSL | 0x200, 32);
	assert_int_equal(d.conn.mode, CONN_ENCRYPTED);
	assert_int_equal(d.conn.command, COMMAND_ENCRYPTED);
	login(&d, 0x200, 32);
	assert_int_equal(d.conn.mode, CONN_LOGIN);
	login(&d, CLIENT_SSL | 0x200, 60);		/* a whole login: TLS has begun before or not at all */
	assert_int_equal(d.conn.mode, CONN_LOGIN);
}

static void login_is_no_command(void **state)
{
	__u8 data[64];
	struct drive d;

	login(&d, 0x200, 60);
	drive_receive(&d, data, packet(data, 3, "secret", 6));
	assert_int_equal(d.n_starts, 0);
	drive_receive(&d, data, command(data, COM_QUERY, "select 1"));
	assert_int_equal(d.n, 1);
}

static void compressed_header_starts_a_command(void **state)
{
	static const __u8 data[] = { 5, 0, 0, 0, 0, 0, 0, 'a', 'b', 'c', 'd', 'e', 1, 0, 0, 1, 0, 0, 0, 'f',
				     2, 0, 0, 0, 0, 0, 0, 'g', 'h' };
	struct drive d;
	size_t i;

	login(&d, CLIENT_COMPRESS, 60);
	assert_true(d.conn.caps & CLIENT_COMPRESS);
	conn_becomes(&d.conn, CONN_COMPRESSED);
	LOOP(i, sizeof(data))
		drive_receive(&d, data + i, 1);
	assert_int_equal(d.n, 2);
	assert_int_equal(d.found[1].command, COMMAND_COMPRESSED);
}

/* A status that the server's memory shows is of its own turn alone. */
static void turn_begins_without_the_last_ones_status(void **state)
{
	static const struct { __u8 mode; __u16 command; } cases[] = {
		{ CONN_COMPRESSED, COMMAND_COMPRESSED }, { CONN_ENCRYPTED, COMMAND_ENCRYPTED }, { CONN_OPAQUE, COMMAND_OPAQUE },
		{ CONN_MYSQLX, COMMAND_MYSQLX },
	};
	static const __u8 compressed[] = { 1, 0, 0, 0, 0, 0, 0, 'a' };
	struct drive d;
	size_t i;

	LOOP(i, sizeof(cases) / sizeof(*cases)) {
		memset(&d, 0, sizeof(d));
		conn_becomes(&d.conn, cases[i].mode);
		d.conn.command = COM_QUERY;
		d.conn.statement = STATEMENT_CODE("select");
		d.conn.result = STATUS_ERROR(1064);
		if (cases[i].mode == CONN_COMPRESSED)
			drive_receive(&d, compressed, sizeof(compressed));
		else
			conn_begin_turn(&d.conn);
		assert_int_equal(d.conn.command, cases[i].command);
		assert_true(d.conn.statement == STATEMENT_NONE);
		assert_int_equal(d.conn.result, STATUS_UNKNOWN);
	}
}

/* ---- connections older than we are ---- */

static void strange_connection_waits_for_a_command(void **state)
{
	__u8 data[64];
	struct drive d;

	memset(&d, 0, sizeof(d));
	d.conn.wanted = 1;
	drive_receive(&d, (const __u8 *)"\x03select 1", 9);	/* the body of a header that was not seen */
	drive_receive(&d, data, packet(data, 2, "data", 4));
	assert_int_equal(d.n_starts, 0);
	command(data, COM_QUERY, "select 1");
	drive_receive(&d, data, 4);
	drive_receive(&d, data + 4, 9);
	assert_int_equal(d.n, 1);
	assert_true(d.found[0].statement == STATEMENT_CODE("select"));
}

static void strange_connection_may_be_encrypted(void **state)
{
	struct drive d;

	memset(&d, 0, sizeof(d));
	drive_receive(&d, (const __u8 *)"\x17\x03\x03\x00\x45", 5);
	assert_int_equal(d.conn.mode, CONN_ENCRYPTED);
	memset(&d, 0, sizeof(d));
	drive_receive(&d, (const __u8 *)"\x17\x03\x03\x00", 4);	/* a header of 197,399 bytes */
	assert_int_equal(d.conn.mode, CONN_PLAIN);
}

/* A first receive of a process with a server's name, and bytes that may be its reply; the server reads all at once,
 * or the first 4 bytes first. */
static void foreign_protocols_are_no_commands(void **state)
{
	static const struct { const char *asks; size_t n; const char *answer; size_t n_answer; } cases[] = {
		{ BYTES("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), BYTES("HTTP/1.1 200 OK\r\n") },
		{ BYTES("*1\r\n$4\r\nPING\r\n"), BYTES("+PONG\r\n") },
		{ BYTES("\x16\3\1\2\0\1\0\1\xfc\3\3"), BYTES("\x16\3\3\0\x7a\2\0\0\x76") },
		{ BYTES("\0\0\0\x08\4\xd2\x16\x2f"), BYTES("N") },
		{ BYTES("\0\0\0\x2a\0\3\0\0user\0a\0"), BYTES("R\0\0\0\x08\0\0\0\0") },
		{ BYTES("\1\0\0\0\1"), BYTES("\x30\0\0\0\2\x0a") },		/* X protocol: what can you do? */
		{ BYTES("\3\0\0\0\x03\1\2"), BYTES("\4\0\0\0\x0b\1\2\3") },
		{ BYTES("\1\0\0\0\x0e"), BYTES("\4\0\0\0\x0b\1\2\3") },
	};
	struct drive d;
	size_t i, pieces;

	LOOP(i, sizeof(cases) / sizeof(*cases))
		LOOP(pieces, 2) {
			memset(&d, 0, sizeof(d));
			if (pieces) {
				drive_receive(&d, (const __u8 *)cases[i].asks, 4);
				drive_receive(&d, (const __u8 *)cases[i].asks + 4, cases[i].n - 4);
			} else {
				drive_receive(&d, (const __u8 *)cases[i].asks, cases[i].n);
			}
			drive_send(&d, (const __u8 *)cases[i].answer, cases[i].n_answer);
			if (d.conn.sure || (d.n && !command_has_no_reply(d.found[0].command) && d.conn.mode != CONN_OPAQUE))
				fail_msg("case %zu", i);
		}
}

/* Messages of the X protocol have the form of commands; an older connection is recognized by its first reply. */
static void x_protocol_is_never_a_command(void **state)
{
	static const struct { const char *bytes; size_t n; int convinces; } answers[] = {
		{ BYTES("\1\0\0\0\0"), 1 }, { BYTES("\2\0\0\0\0\x08"), 1 }, { BYTES("\1\0\0\0\5"), 0 }, { BYTES("\1\0\0\0"), 0 },
	};
	__u8 data[64];
	struct drive d;
	size_t i, pieces;
	__u32 type, tried;

	LOOP(i, sizeof(answers) / sizeof(*answers))
		LOOP(pieces, 2) {
			tried = 0;
			LOOP(type, 48) {
				__u32 n = command(data, type, "\x0a\x08select 1"), first = pieces ? 4 : n;

				memset(&d, 0, sizeof(d));
				drive_receive(&d, data, first);
				drive_receive(&d, data + first, n - first);
				if (d.n != 1 || command_has_no_reply(d.found[0].command))
					continue;
				drive_send(&d, (const __u8 *)answers[i].bytes, answers[i].n);
				if (d.conn.sure || d.conn.mode != (answers[i].convinces ? CONN_MYSQLX : CONN_OPAQUE) ||
				    d.conn.command != (answers[i].convinces ? COMMAND_MYSQLX : COMMAND_OPAQUE))
					fail_msg("answer %zu to %u, pieces %zu: mode %u", i, type, pieces, d.conn.mode);
				tried++;
			}
			assert_int_equal(tried, COM_LAST + 1 - 3);	/* all but three have a reply */
		}
}

/* A sure connection stays one: its server's next reply, with a wrong number, answers nothing. */
static void sure_connection_does_not_become_x(void **state)
{
	__u8 data[64];
	struct drive d;

	plain(&d);
	drive_receive(&d, data, command(data, COM_QUERY, "select 1"));
	drive_send(&d, (const __u8 *)"\1\0\0\0\0", 5);
	assert_int_equal(d.conn.mode, CONN_OPAQUE);
}

/* Once of the X protocol, a connection stays so, within TLS too: turns only. */
static void x_protocol_has_turns_only(void **state)
{
	__u8 data[64];
	struct drive d;

	memset(&d, 0, sizeof(d));
	conn_becomes(&d.conn, CONN_MYSQLX);
	drive_receive(&d, (const __u8 *)"\x16\3\1\2\0\1\0\1\xfc\3\3", 11);
	drive_receive(&d, (const __u8 *)"\x17\3\3\0\x45", 5);
	drive_receive(&d, data, command(data, COM_QUERY, "select 1"));
	assert_int_equal(d.n_starts, 0);
	assert_int_equal(d.conn.mode, CONN_MYSQLX);
	assert_int_equal(d.conn.command, COMMAND_MYSQLX);
	assert_int_equal(d.conn.who.user, NAME_UNKNOWN);
}

/* The first reply makes an older connection sure. */
static void reply_makes_a_strange_connection_sure(void **state)
{
	static const struct { __u8 command; const char *reply; size_t n; int sure; } cases[] = {
		{ COM_QUERY, BYTES(OK), 1 }, { COM_QUERY, BYTES(ERR), 1 }, { COM_QUERY, BYTES(ONE_COLUMN DEFINITION END ROW END), 1 },
		{ COM_QUERY, BYTES("\2\0\0\1\1\0" ROW END), 1 }, { COM_QUERY, BYTES("\7\0\0\1\xfb/tmp/f"), 1 }, { COM_STMT_PREPARE, BYTES(PREPARED_0), 1 },
		{ 27, BYTES("\5\0\0\1\xfe\0\0\2\0"), 1 }, { COM_STATISTICS, BYTES("\x0a\0\0\1Uptime: 17"), 1 },
		{ 14, BYTES(ONE_COLUMN DEFINITION END ROW END), 0 }, { 14, BYTES("\x0a\0\0\1Uptime: 17"), 0 }, { COM_QUERY, BYTES("\7\0\0\2\0\0\0\2\0\0\0"), 0 },
		{ COM_QUERY, BYTES("\x90\0\0\1\0\0\0\2\0\0\0"), 0 }, { COM_QUERY, BYTES("\x09\0\0\1\xff\x19\x04xxxxxx"), 0 }, { COM_STMT_PREPARE, BYTES(OK), 0 },
	};
	__u8 data[64];
	struct drive d;
	size_t i;

	LOOP(i, sizeof(cases) / sizeof(*cases)) {
		memset(&d, 0, sizeof(d));
		drive_receive(&d, data, command(data, cases[i].command, "select 1"));
		assert_int_equal(d.n, 1);
		drive_send(&d, (const __u8 *)cases[i].reply, cases[i].n);
		if (d.conn.sure != cases[i].sure || (d.conn.mode == CONN_PLAIN) != cases[i].sure)
			fail_msg("case %zu", i);
	}
}

static void strange_connection_becomes_opaque(void **state)
{
	struct drive d;
	int i;

	memset(&d, 0, sizeof(d));
	LOOP(i, CONN_TRIES)
		drive_receive(&d, (const __u8 *)"nonsense", 8);
	assert_int_equal(d.conn.mode, CONN_OPAQUE);
	drive_receive(&d, (const __u8 *)"\1\0\0\0", 4);		/* and is in step again */
	assert_int_equal(d.conn.mode, CONN_PLAIN);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(statement_is_the_first_keyword),
	cmocka_unit_test(unfinished_text_is_unknown),
	cmocka_unit_test(no_word_packs_into_a_special_code),
	cmocka_unit_test(commands_are_the_same_however_cut),
	cmocka_unit_test(commands_are_the_same_byte_by_byte),
	cmocka_unit_test(nonzero_sequence_never_starts),
	cmocka_unit_test(local_infile_data_may_wrap_to_sequence_zero),
	cmocka_unit_test(long_packet_continues),
	cmocka_unit_test(continued_packet_may_have_any_sequence),
	cmocka_unit_test(kilobyte_of_comment_is_unknown),
	cmocka_unit_test(statement_is_not_read_unless_it_is_wanted),
	cmocka_unit_test(incomplete_body_is_no_command),
	cmocka_unit_test(commands_without_reply),
	cmocka_unit_test(replication_begins_with_its_stream),
	cmocka_unit_test(refused_replication_leaves_the_connection_as_it_is),
	cmocka_unit_test(unknown_command_is_an_event_with_its_status),
	cmocka_unit_test(empty_packet_is_an_unknown_command),
	cmocka_unit_test(known_command_refused_as_unknown_keeps_its_name),
	cmocka_unit_test(unknown_command_with_another_answer_is_opaque),
	cmocka_unit_test(clone_that_the_server_accepts_is_ignored),
	cmocka_unit_test(reply_with_a_wrong_number_answers_nothing),
	cmocka_unit_test(impossible_header_is_opaque),
	cmocka_unit_test(id_minus_one_is_the_last_prepared),
	cmocka_unit_test(greeting_is_known),
	cmocka_unit_test(the_connection_is_in_the_greeting),
	cmocka_unit_test(capabilities_are_in_the_greeting),
	cmocka_unit_test(capabilities_are_of_both_sides),
	cmocka_unit_test(text_is_after_attributes_where_both_sides_have_them),
	cmocka_unit_test(attributes_are_known_by_their_begin),
	cmocka_unit_test(white_space_begins_a_text),
	cmocka_unit_test(proxy_header_has_the_client),
	cmocka_unit_test(proxy_header_may_come_before_the_greeting),
	cmocka_unit_test(endless_proxy_header_is_opaque),
	cmocka_unit_test(ssl_request_makes_it_encrypted),
	cmocka_unit_test(login_is_no_command),
	cmocka_unit_test(compressed_header_starts_a_command),
	cmocka_unit_test(turn_begins_without_the_last_ones_status),
	cmocka_unit_test(strange_connection_waits_for_a_command),
	cmocka_unit_test(strange_connection_may_be_encrypted),
	cmocka_unit_test(reply_makes_a_strange_connection_sure),
	cmocka_unit_test(foreign_protocols_are_no_commands),
	cmocka_unit_test(x_protocol_is_never_a_command),
	cmocka_unit_test(sure_connection_does_not_become_x),
	cmocka_unit_test(x_protocol_has_turns_only),
	cmocka_unit_test(strange_connection_becomes_opaque),
};

CHECK_MAIN(tests)
