/* mysql_conn.h - what the kernel keeps per server socket, and who may touch it when.
 *
 *      IDLE --command complete--> WAITING --send--> PENDING --recorded--> RECORDED --command--> ...
 *
 * The event programs of one socket run one after another (a server does not read and write one
 * connection at a time).  Only the age flush, an iterator, runs beside them.  It may take nothing
 * but a PENDING event, by compare-and-swap of the whole word; so everything an event consists of
 * is written while the state is not PENDING, and each change gives the word a new generation.
 * That is why every event is recorded exactly once.
 */
#ifndef HEATSCOPE_MYSQL_CONN_H
#define HEATSCOPE_MYSQL_CONN_H

#include "fs.h"
#include "mysql_digest.h"
#include "mysql_parse.h"
#include "reason.h"
#include "stamp.h"

enum { STATE_IDLE, STATE_WAITING, STATE_PENDING, STATE_RECORDED };

#define STATE_KIND(state) ((state) & 3)
#define STATE_NEXT(state, kind) ((((state) >> 2) + 1) << 2 | (kind))

struct mysql_conn {
	struct conn conn;
	__u64 state;			/* generation << 2 | kind */
	struct stamp start, end;
	__u64 id;			/* of the connection, for the statements prepared on it */
	__u64 connection;		/* the server's number of it; 0: it is older than we are */
	__u64 instance, execname, client;
	__u32 pid;
	__u32 digested;			/* bytes of the current text that `digest` has, or DIGEST_REFUSED */
	__u64 code;			/* of its digest; of an execute, that of what was prepared */
	__u64 last_code;		/* of the last prepared one */
	__u64 table, last_table;	/* the same of the table: codes of mysql_name.h */
	struct blocked blocked;		/* up to `end` */
	struct fs_spent files;
	__u64 parted;			/* 1: these are told, since this command's start */
	__u64 text, text_end;		/* where this receive has the current text, as far as it lies together; 0: it has not */
	struct digest digest;		/* of the current command's text */
};

#define DIGEST_REFUSED (~0u)

struct prepared_statement {
	__u64 statement, digest, table;	/* codes */
};

struct prepared_key {
	__u64 conn;
	__u32 statement, pad;
};

#define CALL_CONNS_MAX 16384
#define PREPARED_MAX 16384		/* MariaDB's default of max_prepared_stmt_count is 16382 */

#endif
