#include "test/tools/mysql_session.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CUTS_MAX 4			/* pieces of one send, less one */
#define CUT_DELAY_US 300

/* SplitMix64 (Steele, Lea, Flood 2014). */
__u64 session_random(struct session *s, __u64 below)
{
	__u64 z = (s->random += 0x9e3779b97f4a7c15ull);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return (z ^ (z >> 31)) % below;
}

int session_open_with(struct session *s, const struct session *of, enum channel channel, const char *db,
		      __u64 capabilities)
{
	int err;

	memset(s, 0, sizeof(*s));
	s->address = of->address;
	s->tally = of->tally;
	s->channel = channel;
	s->random = of->random;
	s->id = of->id;
	capabilities |= MYSQL_CAP_MULTI_STATEMENTS | MYSQL_CAP_LOCAL_FILES | MYSQL_CAP_BULK;
	capabilities |= db ? MYSQL_CAP_WITH_DB : 0;
	capabilities |= channel == CHANNEL_COMPRESSED ? MYSQL_CAP_COMPRESS : 0;
	err = mysql_open(&s->m, s->address);
	if (!err && channel == CHANNEL_TLS)
		err = mysql_start_tls(&s->m, capabilities);
	if (!err)
		err = mysql_login(&s->m, capabilities, db);
	if (err)
		fprintf(stderr, "mysql_load: cannot log in: %s\n", strerror(-err));
	else
		s->tally->connections[channel]++;
	return err;
}

int session_open(struct session *s, const struct session *of, enum channel channel, const char *db)
{
	return session_open_with(s, of, channel, db, 0);
}

void session_drop(struct session *s)
{
	mysql_close(&s->m);
	bytes_fini(&s->out);
}

/* The server's close is waited for: then it has read the command. */
int session_quit(struct session *s)
{
	int err = session_command(s, MYSQL_QUIT, "", 0);

	if (!err && mysql_read_packet(&s->m) == 0)
		err = -EBADMSG;			/* an answer to a good-bye? */
	session_drop(s);
	return err;
}

void session_count(struct session *s, enum mysql_command command, enum statement statement)
{
	mysql_tally_count(s->tally, s->channel, command, statement);
	mysql_wrap(&s->m, &s->out, s->n_wrapped, 0);
	s->n_wrapped = s->out.len;
}

/* Cuts favour the first bytes: a header has only five places to be cut at. */
static size_t cut_place(struct session *s, size_t len)
{
	return session_random(s, 2) ? session_random(s, len) : session_random(s, len < 8 ? len : 8);
}

static int send_cut(struct session *s, const __u8 *data, size_t len)
{
	int err = 0;

	for (int i = session_random(s, CUTS_MAX + 1); !err && i && len > 1; i--) {
		size_t part = cut_place(s, len);

		err = part ? mysql_send(&s->m, data, part) : 0;
		data += part;
		len -= part;
		usleep(session_random(s, CUT_DELAY_US));
	}
	return err ? err : mysql_send(&s->m, data, len);
}

int session_flush(struct session *s)
{
	int err = s->out.err;

	if (!err && s->cut)
		err = send_cut(s, s->out.data, s->out.len);
	else if (!err)
		err = mysql_send(&s->m, s->out.data, s->out.len);
	bytes_clear(&s->out);
	s->n_wrapped = 0;
	s->awaited = 1;
	return err;
}

/* Counts a turn: a request and all that is sent back before the next one; also a pipeline, and a statement with the file
 * that the server asks for. */
static void count_turn(struct session *s)
{
	s->tally->turns[s->channel] += s->awaited;
	s->awaited = 0;
}

int session_read(struct session *s, enum mysql_command command, enum outcome outcome)
{
	struct mysql_reply reply;
	int err = mysql_read_reply(&s->m, mysql_command_shape(command), s->file, &reply);

	if (reply.shape != MYSQL_REPLY_NONE)
		count_turn(s);
	s->stmt = reply.stmt;
	s->tally->n_errors += !!reply.error;
	if (err) {
		fprintf(stderr, "mysql_load: %s: no whole reply: %s\n", mysql_command_name(command), strerror(-err));
	} else if (outcome == MUST_WORK ? reply.error : outcome == MUST_FAIL && !reply.error) {
		fprintf(stderr, "mysql_load: %s: %s %u %.*s\n", mysql_command_name(command),
			reply.error ? "unexpected error" : "an error was expected", reply.error,
			reply.error ? (int)s->m.payload.len - 3 : 0, (char *)s->m.payload.data + 3);
		err = -EBADE;
	}
	return err;
}

int session_run(struct session *s, enum mysql_command command, enum statement statement, enum outcome outcome)
{
	int err;

	session_count(s, command, statement);
	err = session_flush(s);
	return err ? err : session_read(s, command, outcome);
}

int session_command(struct session *s, enum mysql_command command, const void *body, size_t len)
{
	mysql_put_command(&s->out, command, body, len);
	return session_run(s, command, STATEMENT_NONE, MUST_WORK);
}

int session_query(struct session *s, enum statement statement, const char *format, ...)
{
	char sql[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(sql, sizeof(sql), format, args);
	va_end(args);
	mysql_put_text(&s->out, MYSQL_QUERY, sql);
	return session_run(s, MYSQL_QUERY, statement, MUST_WORK);
}

int session_query_fails(struct session *s, enum statement statement, const char *sql)
{
	mysql_put_text(&s->out, MYSQL_QUERY, sql);
	return session_run(s, MYSQL_QUERY, statement, MUST_FAIL);
}

int session_prepare(struct session *s, enum statement statement, const char *sql)
{
	mysql_put_text(&s->out, MYSQL_PREPARE, sql);
	return session_run(s, MYSQL_PREPARE, statement, MUST_WORK);
}

int session_execute(struct session *s, enum statement statement, __u32 stmt, const char *const *param, size_t n_params)
{
	mysql_put_execute(&s->out, stmt, 0, param, n_params);
	return session_run(s, MYSQL_EXECUTE, statement, MUST_WORK);
}

int session_stmt_close(struct session *s, __u32 stmt)
{
	__u8 id[4] = { stmt, stmt >> 8, stmt >> 16, stmt >> 24 };

	return session_command(s, MYSQL_STMT_CLOSE, id, sizeof(id));
}

int session_pairs(struct session *s, enum statement statement, const char *sql, mysql_pair_take *take, void *arg)
{
	int err;

	mysql_put_text(&s->out, MYSQL_QUERY, sql);
	session_count(s, MYSQL_QUERY, statement);
	err = session_flush(s);
	count_turn(s);
	return err ? err : mysql_read_pairs(&s->m, take, arg);
}
