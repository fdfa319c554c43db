/* Kinds of work whose connection does not end properly. */
#include "test/tools/mysql_kind_end.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define POLL_MAX 2000			/* times a target is looked at, 1 ms apart */

static void take_number(void *arg, const char *name, const char *value)
{
	*(__u64 *)arg = strtoull(value, NULL, 10);
}

/* Returns when the connection is inside SLEEP. */
static int wait_until_asleep(struct session *s, __u32 connection)
{
	char sql[256];
	__u64 asleep = 0;
	int err = 0;

	snprintf(sql, sizeof(sql), "select 'asleep', count(*) from information_schema.processlist "
				   "where id = %u and state = 'User sleep'", connection);
	for (int n = 0; !err && !asleep && n < POLL_MAX; n++) {
		err = session_pairs(s, STATEMENT_SELECT, sql, take_number, &asleep);
		if (!asleep)
			usleep(1000);
	}
	if (!err && !asleep)
		fprintf(stderr, "mysql_load: connection %u does not sleep\n", connection);
	return err ? err : asleep ? 0 : -ETIMEDOUT;
}

static int send_sleep(struct session *s, const char *seconds)
{
	char sql[64];

	snprintf(sql, sizeof(sql), "select sleep(%s)", seconds);
	mysql_put_text(&s->out, MYSQL_QUERY, sql);
	session_count(s, MYSQL_QUERY, STATEMENT_SELECT);
	return session_flush(s);
}

static int kill_it(struct session *s, __u32 connection, int whole)
{
	__u8 id[4] = { connection, connection >> 8, connection >> 16, connection >> 24 };

	s->tally->killed++;
	if (whole && session_random(s, 2))
		return session_command(s, MYSQL_PROCESS_KILL, id, sizeof(id));
	return session_query(s, STATEMENT_KILL, whole ? "kill %u" : "kill query %u", connection);
}

/* Until the server has closed the connection; it may say why first. */
static void read_to_the_end(struct session *s)
{
	while (!mysql_read_packet(&s->m))
		;
}

/* After KILL QUERY the connection lives; after KILL it gets an error, or nothing, and is closed. */
static int kill_sleeper(struct session *s, struct session *target, int whole)
{
	int err = send_sleep(target, "20");

	if (!err)
		err = wait_until_asleep(s, target->m.greeting.connection_id);
	if (!err)
		err = kill_it(s, target->m.greeting.connection_id, whole);
	if (!err && whole)
		read_to_the_end(target);
	else if (!err)
		err = session_read(target, MYSQL_QUERY, MAY_FAIL);
	return err;
}

static int kill_idle(struct session *s, struct session *target)
{
	int err = session_command(target, MYSQL_PING, "", 0);

	if (!err)
		err = kill_it(s, target->m.greeting.connection_id, 1);
	if (!err)
		read_to_the_end(target);
	return err;
}

int run_killed(struct session *s)
{
	unsigned what = session_random(s, 3);
	struct session target;
	int err = session_open(&target, s, CHANNEL_PLAIN, NULL);

	if (!err)
		err = what == 0 ? kill_idle(s, &target) : kill_sleeper(s, &target, what == 1);
	if (!err && what == 2)
		return session_quit(&target);
	session_drop(&target);
	return err;
}

/* Sends the first `len` bytes of a query and closes. */
static int break_off(struct session *s, struct session *other, size_t len)
{
	int err;

	mysql_put_text(&other->out, MYSQL_QUERY, "select 'never sent whole'");
	if (!len)
		len = MYSQL_HEAD + session_random(s, other->out.len - MYSQL_HEAD - 1);
	if (len < MYSQL_HEAD)
		s->tally->cut_in_header++;
	else
		s->tally->cut_in_body++;
	err = mysql_send(&other->m, other->out.data, len);
	session_drop(other);
	return err;
}

static int leave_unread(struct session *s, struct session *other, const char *sql)
{
	int err;

	mysql_put_text(&other->out, MYSQL_QUERY, sql);
	session_count(other, MYSQL_QUERY, STATEMENT_SELECT);
	s->tally->unread++;
	err = session_flush(other);
	session_drop(other);
	return err;
}

int run_disconnect(struct session *s)
{
	struct session other;
	int err = session_open(&other, s, CHANNEL_PLAIN, NULL);

	if (!err && session_random(s, 2))
		err = session_command(&other, MYSQL_PING, "", 0);
	if (err) {
		session_drop(&other);
		return err;
	}
	switch (session_random(s, 5)) {
	case 0:
		return break_off(s, &other, 1 + session_random(s, MYSQL_HEAD - 1));
	case 1:
		return break_off(s, &other, 0);
	case 2:
		return leave_unread(s, &other, "select sleep(0.02)");
	case 3:
		return leave_unread(s, &other, "select repeat('x', 3000000)");
	default:
		session_drop(&other);		/* between two commands */
		return 0;
	}
}

static int dump(struct session *s)
{
	int err = session_query(s, STATEMENT_SET, "set @master_binlog_checksum = @@global.binlog_checksum");

	if (err)
		return err;
	mysql_put_binlog_dump(&s->out, 4, 1 + session_random(s, 0xfffffffe), "");
	return session_run(s, MYSQL_BINLOG_DUMP, STATEMENT_NONE, MUST_WORK);
}

/* The server ends a connection that has dumped. */
int run_binlog(struct session *s)
{
	struct session other;
	int err = session_open(&other, s, CHANNEL_PLAIN, NULL);

	if (!err)
		err = dump(&other);
	session_drop(&other);
	return err;
}

