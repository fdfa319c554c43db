/* mysql_tally.h - counts exactly what a load generator has sent.
 *
 *      tally of each thread  --mysql_tally_add()-->  tally of the run  --mysql_tally_to_json()-->  JSON
 *
 * Command a packet with sequence number 0 that was sent whole, with or without a reply.  Channel how much an observer
 * of the socket can see: everything, only the compressed protocol's frames, or only TLS.
 * Words   the names of commands and statements are heatscope-collector's labels.
 */
#ifndef HEATSCOPE_MYSQL_TALLY_H
#define HEATSCOPE_MYSQL_TALLY_H

#include "test/tools/mysql_packet.h"
#include <jansson.h>

enum channel { CHANNEL_PLAIN, CHANNEL_COMPRESSED, CHANNEL_TLS, N_CHANNELS };

enum statement {			/* the first keyword of a text */
	STATEMENT_NONE,			/* the command has no text */
	STATEMENT_SELECT, STATEMENT_INSERT, STATEMENT_UPDATE, STATEMENT_DELETE, STATEMENT_REPLACE,
	STATEMENT_SET, STATEMENT_BEGIN, STATEMENT_COMMIT, STATEMENT_ROLLBACK, STATEMENT_SHOW,
	STATEMENT_KILL, STATEMENT_LOAD, STATEMENT_CREATE, STATEMENT_DROP, STATEMENT_DO, STATEMENT_WITH,
	STATEMENT_MISC,			/* no keyword */
	STATEMENT_UNKNOWN,		/* an execute whose text was not seen */
	N_STATEMENTS
};

struct tally {
	__u64 command[N_CHANNELS][256];
	__u64 statement[N_CHANNELS][256][N_STATEMENTS];
	__u64 connections[N_CHANNELS];
	__u64 turns[N_CHANNELS];	/* requests, or pipelines of them, that were answered; no logins */
	__u64 extra_statements;		/* begun, beyond the first inside multi-statement packets */
	__u64 cut_in_header, cut_in_body;	/* commands never sent whole: the connection was closed */
	__u64 unread;			/* sent whole, closed without reading the reply */
	__u64 killed;			/* connections and statements, by KILL and COM_PROCESS_KILL */
	__u64 n_errors;			/* replies that were an error, as they should be */
};

void mysql_tally_count(struct tally *t, enum channel channel, unsigned command, enum statement statement);
void mysql_tally_add(struct tally *t, const struct tally *other);

__u64 mysql_tally_commands(const struct tally *t);

/* Returns how much all of it adds to the server's status variable Questions. */
__u64 mysql_tally_questions(const struct tally *t);

/* Finds the other status variables to which all of it adds by a rule that we know: the i-th one's name and growth.
 * Returns 0 beyond the last. */
int mysql_tally_variable(const struct tally *t, unsigned i, const char **ret_name, __u64 *ret_value);

json_t *mysql_tally_to_json(const struct tally *t);	/* NULL: no memory */

#endif
