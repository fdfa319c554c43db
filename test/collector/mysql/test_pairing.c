/* Every command is paired with the end of its reply, in any valid conversation, cut anywhere.
 *
 * A generator makes random conversations and knows the events of each; the machine below takes them as mysql.bpf.c
 * does.  Without an argument it makes as many as take a second or two; HEATSCOPE_CONVERSATIONS is another number of
 * them, HEATSCOPE_SEED the first seed.
 */
#include "test/kit/mysql_driver.h"
#include "collector/server/exchange.h"
#include "test/kit/check.h"

#include <stdio.h>
#include <stdlib.h>

#define EVENTS 4096
#define IDS 64

struct event_seen {
	__u32 command, result;
	__u64 statement;
};

/* ---- the machine: exchange.h's states around the parser, as in mysql/receives.bpf.h and mysql/sends.bpf.h ---- */

struct machine {
	struct drive d;
	int state;
	__u64 prepared[IDS];
	struct event_seen event[EVENTS];
	unsigned n, n_unanswered;
};

static void machine_emit(struct machine *m)
{
	if (m->n < EVENTS)
		m->event[m->n++] = (struct event_seen){ m->d.conn.command, m->d.conn.result, m->d.conn.statement };
}

static void machine_outcome(struct machine *m, __u32 out)
{
	struct conn *c = &m->d.conn;

	if (out & PARSE_START) {
		m->n_unanswered += m->state == STATE_WAITING;
		m->state = STATE_IDLE;
	}
	if (out & PARSE_LOOKUP)
		c->statement = m->prepared[c->statement_id % IDS];
	if (!(out & PARSE_DONE))
		return;
	follow_begin(c, m->d.follow);
	m->state = STATE_WAITING;
	if (!command_has_no_reply(c->command))
		return;
	if (!c->sure)
		c->command = COMMAND_OPAQUE;
	machine_emit(m);
	m->state = STATE_RECORDED;
}

static void machine_parse(struct machine *m, const __u8 *data, __u32 total)
{
	__u32 at = 0;

	while (at < total) {
		__u64 step = drive_step(&m->d, data + at, total - at);

		machine_outcome(m, step);
		at += step >> 32;
	}
}

/* The server finds nothing to receive. */
static void machine_waits(struct machine *m)
{
	struct conn *c = &m->d.conn;

	if (!c->held && m->state == STATE_PENDING) {
		machine_emit(m);
		m->state = STATE_RECORDED;
	}
	if (m->state == STATE_WAITING && conn_drop_unanswered(c))
		m->state = STATE_IDLE;
}

static void machine_records(struct machine *m, const __u8 *data, __u32 total)
{
	__u32 at = 0;

	while (at < total && m->d.conn.mode == CONN_ENCRYPTED)
		at += records_step(&m->d.conn.records, data[at], total - at);
}

static void machine_receive(struct machine *m, const __u8 *data, __u32 total)
{
	struct conn *c = &m->d.conn;

	if (!c->held && m->state == STATE_PENDING) {
		machine_emit(m);
		m->state = STATE_RECORDED;
	}
	conn_receive(c, data, total < 5 ? total : 5, total);
	if (!conn_turns(c)) {
		machine_parse(m, data, total);
		return;
	}
	machine_records(m, data, total);
	if (m->state == STATE_WAITING)
		return;
	conn_begin_turn(c);
	m->state = STATE_WAITING;
}

static void machine_send(struct machine *m, const __u8 *data, __u32 total)
{
	struct conn *c = &m->d.conn;
	int verdict;
	__u8 stage = c->stage;

	if (c->mode == CONN_LOGIN) {
		if (total >= 11 && !data[4])
			login_end(c, bytes_u16(data + 7));
		return;
	}
	if (m->state == STATE_IDLE || m->state == STATE_RECORDED)
		return;
	if (c->mode != CONN_PLAIN) {
		m->state = STATE_PENDING;
		return;
	}
	verdict = drive_send(&m->d, data, total);
	if (c->command == COM_STMT_PREPARE && stage == REPLY_FIRST && c->stage == REPLY_DEFINITIONS)
		m->prepared[c->statement_id % IDS] = c->last_statement;
	m->state = verdict == REPLY_DONE ? STATE_RECORDED : STATE_PENDING;
	if (verdict == REPLY_DONE)
		machine_emit(m);
}

static void machine_close(struct machine *m)
{
	if (m->state == STATE_PENDING)
		machine_emit(m);
}

/* ---- conversations ---- */

enum cuts { CUT_NOWHERE, CUT_AT_PACKETS, CUT_ANYWHERE };

struct talk {
	__u64 seed;
	struct machine *m;
	int no_eof, tracks, attributes, wire;	/* wire: CONN_PLAIN, CONN_COMPRESSED, CONN_ENCRYPTED */
	int sends, receives;			/* enum cuts */
	struct event_seen expected[EVENTS];
	unsigned n;
	__u8 *out;				/* bytes that one side sends next */
	__u32 len;
	__u32 packet[512], n_packets;		/* where its packets begin */
	__u8 seq;
	__u64 statement_of[IDS];
	unsigned n_prepared;
	__u32 result;				/* of the reply that is being made */
};

#define OUT_MAX (40u << 20)

static __u32 any(struct talk *t, __u32 n)
{
	t->seed ^= t->seed << 13;
	t->seed ^= t->seed >> 7;
	t->seed ^= t->seed << 17;
	return (t->seed >> 11) % n;
}

static void say_begin(struct talk *t)
{
	t->len = 0;
	t->n_packets = 0;
}

static void say(struct talk *t, const void *body, __u32 n)
{
	t->packet[t->n_packets < 511 ? t->n_packets++ : 511] = t->len;
	t->len += packet(t->out + t->len, t->seq++, body, n);
}

static __u32 piece(struct talk *t, int cuts, __u32 from)
{
	__u32 i;

	if (cuts == CUT_ANYWHERE && any(t, 3))
		return 1 + any(t, t->len - from < 40 ? t->len - from : any(t, 2) ? 40 : t->len - from);
	if (cuts == CUT_AT_PACKETS)
		for (i = 0; i < t->n_packets; i++)
			if (t->packet[i] > from && any(t, 2))
				return t->packet[i] - from;
	return t->len - from;
}

/* A server reads a header alone, or all of a packet at once; here the rest of a packet also comes in pieces. */
static void client_says(struct talk *t)
{
	__u32 at = 0, n, k;

	for (k = 0; k < t->n_packets; k++) {
		__u32 end = k + 1 < t->n_packets ? t->packet[k + 1] : t->len;
		__u32 whole = t->len;

		if (t->receives == CUT_AT_PACKETS && end - at > 4) {
			machine_receive(t->m, t->out + at, t->wire == CONN_COMPRESSED ? 7 : 4);
			at += t->wire == CONN_COMPRESSED ? 7 : 4;
		}
		t->len = end;
		while (at < end) {
			n = t->receives == CUT_ANYWHERE ? piece(t, CUT_ANYWHERE, at) : end - at;
			machine_receive(t->m, t->out + at, n);
			at += n;
		}
		t->len = whole;
	}
}

static void server_says(struct talk *t)
{
	__u32 at = 0, n;

	while (at < t->len) {
		n = piece(t, t->sends, at);
		machine_send(t->m, t->out + at, n);
		at += n;
	}
}

static void expect(struct talk *t, __u32 command, __u64 statement, __u32 result)
{
	assert_true(t->n < EVENTS);
	t->expected[t->n++] = (struct event_seen){ command, result, statement };
}

/* ---- replies ---- */

static __u32 put_number(__u8 *to, __u64 n)
{
	if (n < 0xfb) {
		to[0] = n;
		return 1;
	}
	to[0] = 0xfc;
	to[1] = n;
	to[2] = n >> 8;
	return 3;
}

static void say_ok(struct talk *t, __u8 first, __u16 status)
{
	__u8 body[64] = { first };
	__u32 n = 1;

	n += put_number(body + n, first ? 0 : any(t, 600));
	n += put_number(body + n, first ? 0 : any(t, 600));
	if (t->tracks && any(t, 2))
		status |= 0x4000;
	body[n++] = status;
	body[n++] = status >> 8;
	n += 2;
	if (status & 0x4000) {
		memcpy(body + n, "\0\7\1\5\4shop", 9);
		n += 9;
	}
	say(t, body, n);
	t->result = STATUS_OK;
}

static void say_error(struct talk *t, __u16 number)
{
	__u8 body[32] = { 0xff, number, number >> 8 };

	memcpy(body + 3, "#42000not so", 12);
	say(t, body, 3 + 6 + any(t, 7));
	t->result = STATUS_ERROR(number);
}

static void say_eof(struct talk *t, __u16 status)
{
	__u8 body[5] = { 0xfe, 0, 0, status, status >> 8 };

	if (t->no_eof)
		say_ok(t, 0xfe, status);
	else
		say(t, body, 5);
	t->result = STATUS_OK;
}

static void say_definitions(struct talk *t, __u32 n, int end)
{
	__u8 body[40] = "\3def";

	while (n--)
		say(t, body, 10 + any(t, 30));
	if (end && !t->no_eof)
		say_eof(t, 2);
}

static void say_rows(struct talk *t, __u32 n, int binary)
{
	__u8 body[300];
	__u32 i;

	while (n--) {
		__u32 len = 1 + any(t, any(t, 8) ? 12 : 300);

		for (i = 0; i < len; i++)
			body[i] = any(t, 256);
		body[0] = binary ? 0 : any(t, 8) ? len - 1 < 0xfb ? len - 1 : 0 : 0xfb;
		say(t, body, len);
	}
}

/* Sends one result; more: another one follows.  1: it ended in an error. */
static int say_result(struct talk *t, int binary, int more)
{
	__u16 status = 2 | (more ? SERVER_MORE_RESULTS_EXISTS : 0);
	__u32 columns = 1 + any(t, 5);
	__u8 number[3];

	if (!any(t, 8)) {
		say_error(t, 1000 + any(t, 46));
		return 1;
	}
	if (any(t, 3) == 0) {
		say_ok(t, 0, status);
		return 0;
	}
	say(t, number, put_number(number, columns));
	say_definitions(t, columns, 1);
	say_rows(t, any(t, any(t, 6) ? 6 : 60), binary);
	if (!any(t, 10)) {
		say_error(t, 1317);
		return 1;
	}
	say_eof(t, status);
	return 0;
}

static void say_results(struct talk *t, int binary)
{
	int more = any(t, 4) ? 0 : any(t, 4);

	while (!say_result(t, binary, more) && more--)
		;
}

/* ---- commands ---- */

static const struct { const char *text; __u64 code; } texts[] = {
	{ "select a from t where b = 'x'", STATEMENT_CODE("select") },
	{ "insert into t values (1, 2)", STATEMENT_CODE("insert") },
	{ "/* why */ update t set a = 1", STATEMENT_CODE("update") },
	{ "delete from t", STATEMENT_CODE("delete") },
	{ "set @a = 1", STATEMENT_CODE("set") },
	{ "(select 1)", STATEMENT_CODE("select") },
	{ "commit", STATEMENT_CODE("commit") },
	{ "x", STATEMENT_MISC },
	{ "", STATEMENT_MISC },
};
#define N_TEXTS (sizeof(texts) / sizeof(*texts))

static void command_says(struct talk *t, __u8 byte, const void *body, __u32 n)
{
	__u8 *at = t->out + OUT_MAX - 8192;

	at[0] = byte;
	memcpy(at + 1, body, n);
	t->seq = 0;
	say_begin(t);
	say(t, at, n + 1);
	client_says(t);
	say_begin(t);
}

/* Some attributes with values of any type, or none. */
static __u32 put_attributes(struct talk *t, char *body)
{
	static const struct { __u8 type, n; const char *value; } of[] = {
		{ 15, 1, "" }, { 254, 6, "\5abcde" }, { 252, 7, "\xfc\4\0select" }, { 8, 8, "12345678" }, { 3, 4, "1234" }, { 2, 2, "12" },
		{ 1, 1, "\1" }, { 12, 5, "\4abcd" }, { 6, 0, "" },
	};
	__u32 n = any(t, 2) ? 0 : any(t, ATTRIBUTES_MAX + 1), at = 2, nulls = 2, i, kind[ATTRIBUTES_MAX];

	body[0] = n;
	if (!n)
		return at;
	memset(body + at, 0, (n + 7) / 8);
	at += (n + 7) / 8;
	body[at++] = 1;
	for (i = 0; i < n; i++) {
		__u32 name = any(t, 9);

		kind[i] = any(t, sizeof(of) / sizeof(*of));
		if (!any(t, 5))
			body[nulls + i / 8] |= 1 << (i & 7);
		body[at] = of[kind[i]].type;
		body[at + 1] = any(t, 2) << 7;
		body[at + 2] = name;
		memset(body + at + 3, 'n', name);
		at += 3 + name;
	}
	for (i = 0; i < n; i++)
		if (!(body[nulls + i / 8] >> (i & 7) & 1)) {
			memcpy(body + at, of[kind[i]].value, of[kind[i]].n);
			at += of[kind[i]].n;
		}
	return at;
}

static __u64 command_text(struct talk *t, __u8 byte)
{
	char body[5000] = { 0, 1 };
	__u32 k = any(t, N_TEXTS), from = byte == COM_QUERY && t->attributes ? put_attributes(t, body) : 0;
	__u32 n = strlen(texts[k].text) + from;

	memcpy(body + from, texts[k].text, n - from);
	if (k < 7 && !any(t, 8)) {
		memset(body + n, ' ', 4000);
		n += any(t, 4000);
	}
	command_says(t, byte, body, n);
	return texts[k].code;
}

static void do_query(struct talk *t)
{
	__u64 code = command_text(t, COM_QUERY);

	say_results(t, 0);
	server_says(t);
	expect(t, COM_QUERY, code, t->result);
}

/* The client's packets continue the server's numbers, and the server's answer continues the client's. */
static void do_load(struct talk *t)
{
	__u64 code = command_text(t, COM_QUERY);
	__u32 n = any(t, any(t, 8) ? 4 : 600);
	int sends = t->sends;

	say(t, "\xfb/tmp/file", 10);
	t->sends = CUT_NOWHERE;		/* a server sends it whole, and waits */
	server_says(t);
	t->sends = sends;
	while (n--) {
		say_begin(t);
		say(t, "\3some\trows\n", 1 + any(t, 11));
		client_says(t);
	}
	say_begin(t);
	say(t, "", 0);
	client_says(t);
	say_begin(t);
	if (any(t, 3))
		say_ok(t, 0, 2);
	else
		say_error(t, 1062);
	server_says(t);
	expect(t, COM_QUERY, code, t->result);
}

static void do_prepare(struct talk *t)
{
	__u64 code = command_text(t, COM_STMT_PREPARE);
	__u32 id = t->n_prepared % IDS, params = any(t, 4), columns = any(t, 4);
	__u8 body[12] = { 0, id, 0, 0, 0, columns, 0, params };

	if (any(t, 6)) {
		t->n_prepared++;
		t->statement_of[id] = code;
		say(t, body, 12);
		t->result = STATUS_OK;
		say_definitions(t, params, params > 0);
		say_definitions(t, columns, columns > 0);
		t->result = STATUS_OK;
	} else {
		say_error(t, 1064);
	}
	server_says(t);
	expect(t, COM_STMT_PREPARE, code, t->result);
}

static void do_prepared(struct talk *t, __u8 command)
{
	__u32 id = t->n_prepared ? any(t, t->n_prepared < IDS ? t->n_prepared : IDS) : 0;
	__u8 body[40] = { id };

	if (!t->n_prepared)
		return;
	command_says(t, command, body, command == COM_STMT_CLOSE || command == 26 ? 4 : 9 + any(t, 20));
	switch (command) {
	case COM_STMT_CLOSE: case COM_STMT_SEND_LONG_DATA:
		expect(t, command, STATEMENT_NONE, STATUS_NONE);
		return;
	case COM_STMT_FETCH:
		say_rows(t, any(t, 20), 1);
		say_eof(t, 2);
		break;
	case 26:
		say_ok(t, 0, 2);
		break;
	default:
		if (any(t, 4)) {
			say_results(t, 1);
		} else {
			say(t, "\2", 1);		/* a cursor: the rows wait */
			say_definitions(t, 2, 0);
			say_eof(t, 2 | SERVER_CURSOR_EXISTS);
		}
	}
	server_says(t);
	expect(t, command, command == COM_STMT_EXECUTE ? t->statement_of[id] : STATEMENT_NONE, t->result);
}

static void do_change_user(struct talk *t)
{
	int sends = t->sends;

	command_says(t, COM_CHANGE_USER, "ann\0\0shop\0\x21\0mysql_native_password", 33);
	if (any(t, 2)) {
		say(t, "\xfemysql_native_password\0scramble", 31);
		t->sends = CUT_NOWHERE;
		server_says(t);
		t->sends = sends;
		say_begin(t);
		say(t, "\3secretsecretsecret", any(t, 19));
		client_says(t);
		say_begin(t);
	}
	if (any(t, 3))
		say_ok(t, 0, 2);
	else
		say_error(t, 1045);
	server_says(t);
	expect(t, COM_CHANGE_USER, STATEMENT_NONE, t->result);
}

static void do_small(struct talk *t)
{
	static const __u8 bytes[] = { 14, 31, 27, COM_INIT_DB, COM_STATISTICS, COM_FIELD_LIST, 0x40, 0xf9, COM_BINLOG_DUMP, COM_BINLOG_DUMP_GTID, 21, COM_CLONE };
	__u8 byte = bytes[any(t, sizeof(bytes))];
	int unknown = byte == 0x40 || byte == 0xf9;

	command_says(t, byte, "shop\0shop\0shop", byte == 14 || byte == 31 ? 0 : 4 + any(t, 10));
	t->result = STATUS_OK;
	if (unknown)
		say_error(t, 1047);
	else if (byte == COM_BINLOG_DUMP || byte == COM_BINLOG_DUMP_GTID || byte == 21 || byte == COM_CLONE || !any(t, 6))
		say_error(t, 1227);
	else if (byte == COM_STATISTICS)
		say(t, "Uptime: 17  Threads: 3", 22);
	else if (byte == COM_FIELD_LIST)
		say_definitions(t, any(t, 5), 0), say_eof(t, 2);
	else if (byte == 27)
		say_eof(t, 2);
	else
		say_ok(t, 0, 2);
	server_says(t);
	expect(t, unknown ? COMMAND_UNKNOWN : byte, STATEMENT_NONE, t->result);
}

/* A body of 16 MB or more is sent in several packets. */
static void do_long(struct talk *t)
{
	__u32 rest = any(t, 3) ? any(t, 2000) : 0;
	__u8 *body = t->out;

	say_begin(t);
	t->seq = 0;
	t->packet[t->n_packets++] = 0;
	memcpy(body, "\xff\xff\xff\0\3", 5);
	memset(body + 5, ' ', 40);
	memcpy(body + 5 + (t->attributes ? 2 : 0), "insert into t values", 20);
	if (t->attributes)
		memcpy(body + 5, "\0\1", 2);
	t->len = 4 + PACKET_MAX;
	t->seq = 1;
	t->packet[t->n_packets++] = t->len;
	memset(body + t->len + 4, ' ', rest);
	t->len += packet(body + t->len, t->seq++, body + t->len + 4, rest);
	client_says(t);
	say_begin(t);
	say_results(t, 0);
	server_says(t);
	expect(t, COM_QUERY, STATEMENT_CODE("insert"), t->result);
}

static void do_command(struct talk *t)
{
	static const __u8 prepared[] = { COM_STMT_EXECUTE, COM_STMT_EXECUTE, COM_STMT_CLOSE, COM_STMT_SEND_LONG_DATA, COM_STMT_FETCH, 26 };

	switch (any(t, 12)) {
	case 0: case 1: case 2: case 3:
		do_query(t);
		break;
	case 4:
		do_load(t);
		break;
	case 5:
		do_prepare(t);
		break;
	case 6: case 7: case 8:
		do_prepared(t, prepared[any(t, sizeof(prepared))]);
		break;
	case 9:
		do_change_user(t);
		break;
	default:
		if (any(t, 300))
			do_small(t);
		else
			do_long(t);
	}
}

/* A message that cannot be read: n bytes in a compressed packet, or in a TLS record. */
static void hidden_says(struct talk *t, __u32 n)
{
	__u32 head = t->wire == CONN_COMPRESSED ? 7 : 5, i;
	__u8 compressed[7] = { n, n >> 8, 0, t->seq++, 0, 0, 0 }, record[5] = { 0x17, 3, 3, n >> 8, n };

	say_begin(t);
	t->packet[t->n_packets++] = 0;
	memcpy(t->out, t->wire == CONN_COMPRESSED ? compressed : record, head);
	for (i = 0; i < n; i++)
		t->out[head + i] = any(t, 256);
	t->len = head + n;
	client_says(t);
}

/* A turn whose bytes cannot be read, perhaps in several pieces, and before it commands without a reply. */
static void do_hidden(struct talk *t)
{
	__u32 n = any(t, 3), i;

	for (i = 0; i < n; i++) {
		t->seq = 0;
		hidden_says(t, 1 + any(t, 200));
		machine_waits(t->m);
		assert_int_equal(t->m->state, STATE_IDLE);
	}
	t->seq = 0;
	n = any(t, 4) ? 0 : any(t, 4);
	for (i = 0; i < n; i++) {
		hidden_says(t, RECORD_FULL + 17);
		machine_waits(t->m);
		assert_int_equal(t->m->state, t->wire == CONN_COMPRESSED ? STATE_IDLE : STATE_WAITING);
	}
	hidden_says(t, 1 + any(t, 200));
	assert_int_equal(t->m->state, STATE_WAITING);
	assert_int_equal(t->m->d.conn.result, STATUS_UNKNOWN);		/* not that of the turn before */
	t->len = 7;
	t->result = t->m->d.conn.result = any(t, 2) ? STATUS_ERROR(1064) : STATUS_OK;	/* the server's memory has it */
	server_says(t);
	expect(t, t->wire == CONN_COMPRESSED ? COMMAND_COMPRESSED : COMMAND_ENCRYPTED, STATEMENT_NONE, t->result);
}

static void do_login(struct talk *t)
{
	struct conn *c = &t->m->d.conn;
	__u32 both = CLIENT_PROTOCOL_41, server, client;
	__u8 body[80] = { 0 };

	if (t->attributes)
		both |= CLIENT_QUERY_ATTRIBUTES;
	if (t->wire == CONN_COMPRESSED)
		both |= any(t, 2) ? CLIENT_COMPRESS : CLIENT_ZSTD;
	if (t->wire == CONN_ENCRYPTED)
		both |= CLIENT_SSL;
	/* each side also has capabilities that the other has not */
	server = both | (any(t, 2) ? CLIENT_COMPRESS | CLIENT_ZSTD | CLIENT_QUERY_ATTRIBUTES : 0);
	client = both | (server == both && any(t, 2) ? CLIENT_COMPRESS | CLIENT_ZSTD | CLIENT_QUERY_ATTRIBUTES : 0);
	c->mode = CONN_LOGIN;
	c->wanted = 1;
	c->server_caps = server;
	c->caps_known = 1;
	memcpy(body, &client, 4);
	memcpy(body + 32, "ann", 4);
	t->seq = 1;
	say_begin(t);
	say(t, body, t->wire == CONN_ENCRYPTED ? 32 : 60);
	client_says(t);
	if (t->wire != CONN_ENCRYPTED)
		machine_send(t->m, (const __u8 *)"\7\0\0\2\0\0\0\2\0\0\0", 11);
}

static int is_equal(const struct talk *t, const struct event_seen *seen, const struct event_seen *expected)
{
	/* A reply that is not followed to its end may hide its error; the status is unknown then.  So may a reply
	 * with a piece that ends like a whole reply, which no server sends. */
	int hides = !t->m->d.follow, hidden = seen->result == STATUS_UNKNOWN || (seen->result == STATUS_OK && t->sends != CUT_NOWHERE);

	/* The reply to a prepare may hide the statement's number, too. */
	int unnamed = expected->command == COM_STMT_EXECUTE && seen->statement == STATEMENT_UNKNOWN;

	return seen->command == expected->command && (seen->statement == expected->statement || (hides && unnamed)) &&
	       (seen->result == expected->result || (hides && hidden));
}

static void talk_once(__u64 seed, __u8 *out, struct machine *m)
{
	static const int wires[] = { CONN_PLAIN, CONN_PLAIN, CONN_PLAIN, CONN_PLAIN, CONN_COMPRESSED, CONN_ENCRYPTED };
	static struct talk t;
	unsigned n, i;

	memset(m, 0, sizeof(*m));
	memset(&t, 0, sizeof(t));
	t.seed = (seed + 1) * 0x9e3779b97f4a7c15ull | 1;
	t.m = m;
	t.out = out;
	for (i = 0; i < IDS; i++)
		m->prepared[i] = STATEMENT_UNKNOWN;
	t.no_eof = any(&t, 2);
	t.tracks = any(&t, 2);
	t.attributes = any(&t, 2);
	t.wire = wires[any(&t, 6)];
	t.sends = any(&t, 3);
	t.receives = any(&t, 3);
	m->d.ahead = any(&t, 2);
	m->d.ahead_text = any(&t, 2);
	m->d.follow = any(&t, 2);
	do_login(&t);
	for (n = 1 + any(&t, 24); n; n--)
		if (t.wire == CONN_PLAIN)
			do_command(&t);
		else
			do_hidden(&t);
	if (t.wire == CONN_PLAIN) {
		command_says(&t, COM_QUIT, "", 0);
		expect(&t, COM_QUIT, STATEMENT_NONE, STATUS_NONE);
	}
	machine_close(m);
	for (i = 0; i < t.n || i < m->n; i++)
		if (i >= t.n || i >= m->n || !is_equal(&t, &m->event[i], &t.expected[i]))
			fail_msg("seed %llu (wire %d, sends %d, receives %d, ahead %d, follow %d, no_eof %d): event %u of %u is %u %#llx %#x of %u, not %u %#llx %#x",
				 (unsigned long long)seed, t.wire, t.sends, t.receives, m->d.ahead, m->d.follow, t.no_eof, i, t.n, m->event[i].command,
				 (unsigned long long)m->event[i].statement, m->event[i].result, m->n, t.expected[i].command,
				 (unsigned long long)t.expected[i].statement, t.expected[i].result);
	assert_int_equal(m->n_unanswered, 0);
}

static void every_event_is_the_one_that_was_asked_for(void **state)
{
	const char *of = getenv("HEATSCOPE_CONVERSATIONS"), *from = getenv("HEATSCOPE_SEED");
	unsigned long n = of ? strtoul(of, NULL, 10) : 20000, seed = from ? strtoul(from, NULL, 10) : 0, i, n_events = 0;
	__u8 *out = malloc(OUT_MAX);
	struct machine *m = malloc(sizeof(*m));

	assert_true(out && m);
	for (i = 0; i < n; i++) {
		talk_once(seed + i, out, m);
		n_events += m->n;
	}
	printf("# %lu conversations, %lu events\n", n, n_events);
	free(out);
	free(m);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(every_event_is_the_one_that_was_asked_for),
};

CHECK_MAIN(tests)
