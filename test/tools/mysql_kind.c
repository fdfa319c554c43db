#include "test/tools/mysql_kind.h"
#include "test/tools/mysql_kind_end.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROWS_EACH 100			/* rows of t that belong to one session */
#define HUGE_BYTES (17u << 20)		/* more than one packet holds */
#define LARGE_BYTES (70u << 10)		/* more than one send */

static __u32 own_row(struct session *s)
{
	return s->id * ROWS_EACH + session_random(s, ROWS_EACH);
}

int kind_prepare(struct session *control, unsigned n_sessions)
{
	int err;

	err = session_query(control, STATEMENT_DROP, "drop database if exists " LOAD_DB);
	if (!err)
		err = session_query(control, STATEMENT_CREATE, "create database " LOAD_DB);
	if (!err)
		err = session_command(control, MYSQL_INIT_DB, LOAD_DB, strlen(LOAD_DB));
	if (!err)
		err = session_query(control, STATEMENT_CREATE,
				    "create table t (id int primary key, v int, s varchar(100)) engine=innodb");
	if (!err)
		err = session_query(control, STATEMENT_CREATE,
				    "create table heap (v int, s varchar(100)) engine=innodb");
	if (!err)
		err = session_query(control, STATEMENT_INSERT,
				    "insert into t select seq, seq %% 97, repeat('x', 50) from seq_0_to_%u",
				    n_sessions * ROWS_EACH - 1);
	return err;
}

/* --- text ------------------------------------------------------------------------------------- */

static const char *const comment[] = {
	"", "", "", "", "/* insert */ ", "-- update it\n", "# delete\n", " \t\r\n ", "/**/\n/* a */-- b\n",
};

static int text_select(struct session *s)
{
	return session_query(s, STATEMENT_SELECT, "%sselect v from t where id = %u",
			     comment[session_random(s, sizeof(comment) / sizeof(*comment))], own_row(s));
}

static int text_update(struct session *s)
{
	return session_query(s, STATEMENT_UPDATE, "%sUPDATE t set v = v + 1 where id = %u",
			     comment[session_random(s, sizeof(comment) / sizeof(*comment))], own_row(s));
}

static int text_insert_delete(struct session *s)
{
	__u32 id = 10000000 + own_row(s);
	int err = session_query(s, STATEMENT_INSERT, "Insert into t values (%u, 1, 'new')", id);

	return err ? err : session_query(s, STATEMENT_DELETE, "/* gone */delete from t where id = %u", id);
}

static int text_transaction(struct session *s)
{
	int err = session_query(s, STATEMENT_BEGIN, "begin");

	if (!err)
		err = text_update(s);
	if (!err && session_random(s, 2))
		return session_query(s, STATEMENT_COMMIT, "commit");
	return err ? err : session_query(s, STATEMENT_ROLLBACK, "rollback");
}

static int text_odd(struct session *s)
{
	static const struct {
		enum statement statement;
		const char *sql;
	} odd[] = {
		{ STATEMENT_SELECT, "(select 1)" },
		{ STATEMENT_SELECT, "( ( select 1 ) union (select 2))" },
		{ STATEMENT_SELECT, "/*!40101 select */ 1" },
		{ STATEMENT_SET, "/*M!100100 set @c = 1 */" },
		{ STATEMENT_SELECT, "/* a /* select */select'update'" },
		{ STATEMENT_WITH, "with w as (select 1) select * from w" },
		{ STATEMENT_SHOW, "SHOW tables" },
		{ STATEMENT_DO, "do 1" },
		{ STATEMENT_SELECT, "select*from t where id=1" },
	};
	int i = session_random(s, sizeof(odd) / sizeof(*odd));

	return session_query(s, odd[i].statement, "%s", odd[i].sql);
}

static int run_text(struct session *s)
{
	switch (session_random(s, 16)) {
	case 5:
		return text_odd(s);
	case 0:
		return text_transaction(s);
	case 1:
		return text_insert_delete(s);
	case 2:
		return session_query(s, STATEMENT_SET, "set @a = %u", own_row(s));
	case 3:
	case 4:
		return text_update(s);
	default:
		return text_select(s);
	}
}

static int run_select(struct session *s)
{
	return session_query(s, STATEMENT_SELECT, "select v from t where id = %u", own_row(s));
}

static int run_errors(struct session *s)
{
	switch (session_random(s, 4)) {
	case 0:
		return session_query_fails(s, STATEMENT_MISC, "selec 1");
	case 1:
		return session_query_fails(s, STATEMENT_SELECT, "select * from no_such_table");
	case 2:
		mysql_put_text(&s->out, MYSQL_PREPARE, "select * from no_such_table where id = ?");
		return session_run(s, MYSQL_PREPARE, STATEMENT_SELECT, MUST_FAIL);
	default:
		mysql_put_text(&s->out, MYSQL_INIT_DB, "no_such_db");
		return session_run(s, MYSQL_INIT_DB, STATEMENT_NONE, MUST_FAIL);
	}
}

static int run_execute_unknown(struct session *s)
{
	mysql_put_execute(&s->out, 123456, 0, NULL, 0);
	return session_run(s, MYSQL_EXECUTE, STATEMENT_UNKNOWN, MUST_FAIL);
}

/* Several statements in one packet; `n` beyond the first are begun. */
static int multi(struct session *s, enum statement first, const char *sql, unsigned n, enum outcome outcome)
{
	s->tally->extra_statements += n;
	mysql_put_text(&s->out, MYSQL_QUERY, sql);
	return session_run(s, MYSQL_QUERY, first, outcome);
}

static int run_multi(struct session *s)
{
	char sql[256];

	switch (session_random(s, 3)) {
	case 0:
		return multi(s, STATEMENT_SELECT, "select 1; select 2; select 3", 2, MUST_WORK);
	case 1:
		snprintf(sql, sizeof(sql), "select 1; insert into heap values (%u, 'multi');select 2;", own_row(s));
		return multi(s, STATEMENT_SELECT, sql, 2, MUST_WORK);
	default:		/* the one that fails was begun and counts, the one after it was not */
		return multi(s, STATEMENT_SET, "set @b = 1; selec 2; select 3", 1, MUST_FAIL);
	}
}

/* --- prepared --------------------------------------------------------------------------------- */

static int execute_many(struct session *s, enum statement statement, __u32 stmt)
{
	char text[16];
	const char *param[] = { text };
	int err = 0;

	for (int n = 1 + session_random(s, 20); !err && n; n--) {
		snprintf(text, sizeof(text), "%u", own_row(s));
		err = session_execute(s, statement, stmt, param, 1);
	}
	return err;
}

static int run_prepared(struct session *s)
{
	int update = !session_random(s, 4);
	enum statement statement = update ? STATEMENT_UPDATE : STATEMENT_SELECT;
	int err = session_prepare(s, statement, update ? "update t set v = v + 1 where id = ?" :
							 "/* p */ select v, s from t where id = ?");
	__u32 stmt = s->stmt;

	if (!err)
		err = execute_many(s, statement, stmt);
	return err ? err : session_stmt_close(s, stmt);
}

/* Two statements held open at once, executed in turns: their texts must not be mixed up. */
static int run_interleaved(struct session *s)
{
	char text[16];
	const char *param[] = { text };
	__u32 reader, writer = 0;
	int err = session_prepare(s, STATEMENT_SELECT, "select v from t where id = ?");

	reader = s->stmt;
	if (!err)
		err = session_prepare(s, STATEMENT_UPDATE, "update t set v = 0 where id = ?");
	writer = s->stmt;
	for (int n = 0; !err && n < 6; n++) {
		snprintf(text, sizeof(text), "%u", own_row(s));
		err = n & 1 ? session_execute(s, STATEMENT_UPDATE, writer, param, 1) :
			      session_execute(s, STATEMENT_SELECT, reader, param, 1);
	}
	if (!err)
		err = session_stmt_close(s, reader);
	return err ? err : session_stmt_close(s, writer);
}

/* MariaDB: prepare and execute in one send; the statement's number is not known yet. */
static int run_direct(struct session *s)
{
	const char *param[] = { "1" };
	int err;

	mysql_put_text(&s->out, MYSQL_PREPARE, "select v from t where id = ?");
	session_count(s, MYSQL_PREPARE, STATEMENT_SELECT);
	mysql_put_execute(&s->out, MYSQL_LAST_PREPARED, 0, param, 1);
	session_count(s, MYSQL_EXECUTE, STATEMENT_SELECT);
	err = session_flush(s);
	if (!err)
		err = session_read(s, MYSQL_PREPARE, MUST_WORK);
	if (!err) {
		__u32 stmt = s->stmt;

		err = session_read(s, MYSQL_EXECUTE, MUST_WORK);
		s->stmt = stmt;
	}
	return err ? err : session_stmt_close(s, s->stmt);
}

static int run_bulk(struct session *s)
{
	static const char *const rows[] = { "1", "one", "2", "two", "3", "three" };
	int err = session_prepare(s, STATEMENT_INSERT, "insert into heap values (?, ?)");
	__u32 stmt = s->stmt;

	if (err)
		return err;
	mysql_put_bulk_execute(&s->out, stmt, rows, 2, 3);
	err = session_run(s, MYSQL_BULK_EXECUTE, STATEMENT_INSERT, MUST_WORK);
	return err ? err : session_stmt_close(s, stmt);
}

static int run_long_data(struct session *s)
{
	static const char part[] = "a part of a long value ";
	const char *param[] = { NULL };
	__u8 id[4];
	int err = session_prepare(s, STATEMENT_SELECT, "select length(?)");
	__u32 stmt = s->stmt;

	for (int n = 0; !err && n < 3; n++) {
		mysql_put_long_data(&s->out, stmt, 0, part, sizeof(part) - 1);
		err = session_run(s, MYSQL_SEND_LONG_DATA, STATEMENT_NONE, MUST_WORK);
	}
	if (!err)
		err = session_execute(s, STATEMENT_SELECT, stmt, param, 1);
	memcpy(id, (__u8[4]) { stmt, stmt >> 8, stmt >> 16, stmt >> 24 }, 4);
	if (!err)
		err = session_command(s, MYSQL_STMT_RESET, id, 4);
	return err ? err : session_stmt_close(s, stmt);
}

static int run_fetch(struct session *s)
{
	int err = session_prepare(s, STATEMENT_SELECT, "select id from t order by id limit 5");
	__u32 stmt = s->stmt;

	if (!err) {
		mysql_put_execute(&s->out, stmt, 1, NULL, 0);
		err = session_run(s, MYSQL_EXECUTE, STATEMENT_SELECT, MUST_WORK);
	}
	for (int n = 0; !err && n < 3; n++) {
		mysql_put_fetch(&s->out, stmt, 2);
		err = session_run(s, MYSQL_STMT_FETCH, STATEMENT_NONE, MUST_WORK);
	}
	return err ? err : session_stmt_close(s, stmt);
}

/* --- the small commands ----------------------------------------------------------------------- */

static int run_ping(struct session *s)
{
	return session_command(s, MYSQL_PING, "", 0);
}

static int run_init_db(struct session *s)
{
	return session_command(s, MYSQL_INIT_DB, LOAD_DB, strlen(LOAD_DB));
}

static int run_set_option(struct session *s)
{
	int err = session_command(s, MYSQL_SET_OPTION, "\1", 2);	/* multi statements off */

	return err ? err : session_command(s, MYSQL_SET_OPTION, "\0", 2);
}

static int run_statistics(struct session *s)
{
	return session_command(s, MYSQL_STATISTICS, "", 0);
}

static int run_process_info(struct session *s)
{
	return session_command(s, MYSQL_PROCESS_INFO, "", 0);
}

static int run_field_list(struct session *s)
{
	return session_command(s, MYSQL_FIELD_LIST, "t\0%", 3);
}

static int run_change_user(struct session *s)
{
	mysql_put_change_user(&s->out, "root", LOAD_DB);
	return session_run(s, MYSQL_CHANGE_USER, STATEMENT_NONE, MUST_WORK);
}

static int run_reset(struct session *s)
{
	return session_command(s, MYSQL_RESET_CONNECTION, "", 0);
}

/* --- sizes ------------------------------------------------------------------------------------ */

static int run_large(struct session *s)
{
	if (session_random(s, 2))
		return session_query(s, STATEMENT_SELECT, "select repeat('x', %u)",
				     (unsigned)(LARGE_BYTES + session_random(s, 1 << 20)));
	return session_query(s, STATEMENT_SELECT, "select seq, repeat('y', 40) from seq_1_to_3000");
}

static int run_huge_reply(struct session *s)
{
	return session_query(s, STATEMENT_SELECT, "select repeat('x', %u)", HUGE_BYTES);
}

/* A text of exactly `len` bytes that selects the length of a literal. */
static int huge_text(struct session *s, size_t len)
{
	static const char head[] = "select length('", tail[] = "')";
	char *sql = malloc(len);

	if (!sql)
		return -ENOMEM;
	memset(sql, 'x', len);
	memcpy(sql, head, sizeof(head) - 1);
	memcpy(sql + len - sizeof(tail) + 1, tail, sizeof(tail) - 1);
	mysql_put_command(&s->out, MYSQL_QUERY, sql, len);
	free(sql);
	return session_run(s, MYSQL_QUERY, STATEMENT_SELECT, MUST_WORK);
}

/* Two packets; then one full and one empty; then the longest that is a single one. */
static int run_huge_request(struct session *s)
{
	int err = huge_text(s, HUGE_BYTES);

	if (!err)
		err = huge_text(s, MYSQL_PACKET_MAX - 1);
	return err ? err : huge_text(s, MYSQL_PACKET_MAX - 2);
}

#define FILE_PACKETS 600		/* their numbers go through 0 twice */

/* The file in one packet, or a row in each of many. */
static int run_infile(struct session *s)
{
	char file[FILE_PACKETS * 4 + 1];
	int err;

	for (int i = 0; i < FILE_PACKETS; i++)
		memcpy(file + 4 * i, "1,2\n", 5);
	s->file = file;
	s->m.file_part = session_random(s, 2) ? 4 : 0;
	err = session_query(s, STATEMENT_LOAD,
			    "load data local infile 'a file' into table heap fields terminated by ','");
	s->file = NULL;
	return err;
}

/* --- how it is sent --------------------------------------------------------------------------- */

static int a_bit_of_everything(struct session *s)
{
	int err = run_text(s);

	if (!err)
		err = run_ping(s);
	if (!err)
		err = run_prepared(s);
	if (!err)
		err = run_errors(s);
	if (!err)
		err = run_multi(s);
	return err ? err : run_large(s);
}

static int run_cut(struct session *s)
{
	int err;

	s->cut = 1;
	err = a_bit_of_everything(s);
	s->cut = 0;
	return err;
}

static int run_pipeline(struct session *s)
{
	static const enum mysql_command sent[] = {
		MYSQL_QUERY, MYSQL_PING, MYSQL_QUERY, MYSQL_STATISTICS, MYSQL_QUERY,
	};
	const size_t n = sizeof(sent) / sizeof(*sent);
	int err;

	for (size_t i = 0; i < n; i++) {
		int query = sent[i] == MYSQL_QUERY;

		mysql_put_text(&s->out, sent[i], query ? "select 1" : "");
		session_count(s, sent[i], query ? STATEMENT_SELECT : STATEMENT_NONE);
	}
	err = session_flush(s);
	for (size_t i = 0; !err && i < n; i++)
		err = session_read(s, sent[i], MUST_WORK);
	return err;
}

/* A connection of another sort, from login to quit. */
static int on_channel(struct session *s, enum channel channel)
{
	struct session other;
	int err = session_open(&other, s, channel, LOAD_DB);

	if (!err)
		err = a_bit_of_everything(&other);
	if (!err)
		return session_quit(&other);
	session_drop(&other);
	return err;
}

static int run_compress(struct session *s)
{
	return on_channel(s, CHANNEL_COMPRESSED);
}

static int run_tls(struct session *s)
{
	return on_channel(s, CHANNEL_TLS);
}

/* As newer clients have it: an OK packet where an EOF was. */
static int run_no_eof(struct session *s)
{
	struct session other;
	int err = session_open_with(&other, s, CHANNEL_PLAIN, LOAD_DB, MYSQL_CAP_DEPRECATE_EOF);

	if (!err)
		err = a_bit_of_everything(&other);
	if (!err)
		err = run_fetch(&other);
	if (!err)
		err = run_field_list(&other);
	if (!err)
		return session_quit(&other);
	session_drop(&other);
	return err;
}

static int run_connect(struct session *s)
{
	struct session other;
	int err = session_open(&other, s, CHANNEL_PLAIN, NULL);

	if (!err)
		return session_quit(&other);
	session_drop(&other);
	return err;
}

const struct kind kinds[] = {
	{ "text", "select, insert, update, delete, set, begin, commit; comments in front", run_text, 10000, 0, 0 },
	{ "select", "one point select", run_select, 0, 0, 0 },
	{ "prepared", "prepare, 1 to 20 executes, close", run_prepared, 600, 0, 0 },
	{ "interleaved", "two prepared statements in turns", run_interleaved, 100, 0, 0 },
	{ "direct", "prepare and execute of statement -1 in one send", run_direct, 100, 0, MYSQL_CAP_BULK },
	{ "bulk", "one bulk execute of 3 rows", run_bulk, 50, 0, MYSQL_CAP_BULK },
	{ "long_data", "a parameter sent ahead, then a reset", run_long_data, 50, 0, 0 },
	{ "fetch", "a cursor, fetched in three parts", run_fetch, 50, 0, 0 },
	{ "error", "syntax error, missing table and database", run_errors, 300, 0, 0 },
	{ "execute_unknown", "execute of a statement that does not exist", run_execute_unknown, 20, 0, 0 },
	{ "multi", "several statements in one packet", run_multi, 300, 0, 0 },
	{ "ping", "ping", run_ping, 300, 0, 0 },
	{ "init_db", "init_db", run_init_db, 100, 0, 0 },
	{ "set_option", "multi statements off and on", run_set_option, 50, 0, 0 },
	{ "statistics", "statistics", run_statistics, 50, 0, 0 },
	{ "process_info", "process_info", run_process_info, 20, 0, 0 },
	{ "field_list", "field_list", run_field_list, 20, 0, 0 },
	{ "change_user", "change_user", run_change_user, 20, 0, 0 },
	{ "reset", "reset_connection", run_reset, 20, 0, 0 },
	{ "large", "replies of 70 KiB to 1 MiB", run_large, 20, 0, 0 },
	{ "huge_reply", "one reply of 17 MiB", run_huge_reply, 1, 1, 0 },
	{ "huge_request", "three requests of about 16 MiB", run_huge_request, 1, 1, 0 },
	{ "infile", "load data local infile", run_infile, 20, 0, 0 },
	{ "cut", "requests cut at random places", run_cut, 20, 0, 0 },
	{ "pipeline", "five commands in one send", run_pipeline, 100, 0, 0 },
	{ "compress", "a connection with the compressed protocol", run_compress, 5, 0, MYSQL_CAP_COMPRESS },
	{ "tls", "a connection with TLS", run_tls, 5, 0, MYSQL_CAP_SSL },
	{ "no_eof", "a connection without EOF packets", run_no_eof, 20, 0, MYSQL_CAP_DEPRECATE_EOF },
	{ "connect", "login and quit", run_connect, 20, 0, 0 },
	{ "killed", "KILL QUERY, KILL, process_kill, of SLEEP and of an idle connection", run_killed, 5, 0, 0 },
	{ "disconnect", "closed in the header, the body, the statement, the reply, between", run_disconnect, 10, 0, 0 },
	{ "binlog", "the whole binary log; needs --log-bin", run_binlog, 0, 0, 0 },
};

const unsigned n_kinds = sizeof(kinds) / sizeof(*kinds);
