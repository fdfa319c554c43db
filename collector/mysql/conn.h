/* conn.h - what the kernel keeps per server socket: exchange.h's part of it, and the protocol's. */
#ifndef HEATSCOPE_MYSQL_CONN_H
#define HEATSCOPE_MYSQL_CONN_H

#include "collector/mysql/digest.h"
#include "collector/mysql/parse.h"
#include "collector/server/exchange.h"

struct server_conn {
	struct turn turn;
	struct conn conn;
	__u32 digested;			/* bytes of the current text that `digest` has, or DIGEST_REFUSED */
	__u32 n_texts;			/* that were to be kept: the next one's number; the name of the current one: */
	__u64 verbatim;
	__u64 code;			/* of its digest; of an execute, that of what was prepared */
	__u64 last_code;		/* of the last prepared one */
	__u64 table, last_table;	/* the same of the table: codes of name.h */
	__u64 text, text_end;		/* where this receive has the current text, as far as it lies together; 0: it has not */
	__u64 sketch;			/* of the current text; 0: it has none */
	__u32 known, pad;		/* its code and table are known by that, and were not read */
	struct digest digest;		/* of the current command's text */
};

#define SERVER_NAMES MYSQL_SERVERS
#define FIELD_BLOCKED_IN MYSQL_BLOCKED_IN
#define DIGEST_REFUSED (~0u)

struct prepared_statement {
	__u64 statement, digest, table;	/* codes */
};

/* What the server itself says of a connection whose bytes do not, at the end of its newest statement: detail.bpf.h. */
struct mysql_detail {
	__u64 ns;				/* CLOCK_MONOTONIC */
	__u64 statement, digest, table;		/* codes, as of a text that is received */
	__u64 user, database;			/* as they are then */
};

#define DETAILS_MAX 16			/* executables of servers */

struct prepared_key {
	__u64 conn;
	__u32 statement, pad;
};

#endif
