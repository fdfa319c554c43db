/* mysql_session.h - runs a connection that counts its commands and checks their replies.
 *
 *      session_put ... -> s->out -> session_flush -> session_read, in the order of the puts
 *
 * Cut     with `cut` set, bytes are sent in pieces, cut at random places.
 * Errors  0 or -errno.  -EBADE: a reply is an error that was not expected, or lacks the expected one; it is reported on
 *         stderr.
 * Memory  session_quit() and session_drop() free the session.  The tally and the address are borrowed.
 * Thread  one at a time.
 */
#ifndef HEATSCOPE_MYSQL_SESSION_H
#define HEATSCOPE_MYSQL_SESSION_H

#include "test/tools/mysql_client.h"
#include "test/tools/mysql_tally.h"

#define LOAD_DB "heatscope_load"

struct session {
	struct mysql m;
	const struct mysql_address *address;
	struct tally *tally;
	enum channel channel;
	__u64 random;			/* state of the generator, any value */
	__u32 id;			/* of the thread: rows of its own */
	int cut;
	struct bytes out;
	size_t n_wrapped;		/* bytes of out that are ready for the wire */
	__u32 stmt;			/* of the last reply to a prepare */
	int awaited;			/* sent, and nothing of the reply read yet */
	const char *file;		/* what LOAD DATA LOCAL gets */
};

__u64 session_random(struct session *s, __u64 below);

/* Connects and logs in with these capabilities and our usual ones; `of` gives address, tally, id
 * and randomness. */
int session_open_with(struct session *s, const struct session *of, enum channel channel, const char *db,
		      __u64 capabilities);
int session_open(struct session *s, const struct session *of, enum channel channel, const char *db);
int session_quit(struct session *s);	/* COM_QUIT, waits for the server's close */
void session_drop(struct session *s);	/* closes the socket as it is */

/* After a builder has put one command into s->out: counts it and makes it ready. */
void session_count(struct session *s, enum mysql_command command, enum statement statement);
int session_flush(struct session *s);

enum outcome { MUST_WORK, MUST_FAIL, MAY_FAIL };
int session_read(struct session *s, enum mysql_command command, enum outcome outcome);

/* Counts, flushes and reads one command, which is in s->out. */
int session_run(struct session *s, enum mysql_command command, enum statement statement, enum outcome outcome);

int session_command(struct session *s, enum mysql_command command, const void *body, size_t len);
int session_query(struct session *s, enum statement statement, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
int session_query_fails(struct session *s, enum statement statement, const char *sql);
int session_prepare(struct session *s, enum statement statement, const char *sql);
int session_execute(struct session *s, enum statement statement, __u32 stmt, const char *const *param, size_t n_params);
int session_stmt_close(struct session *s, __u32 stmt);

/* Rows of two columns. */
int session_pairs(struct session *s, enum statement statement, const char *sql, mysql_pair_take *take, void *arg);

#endif
