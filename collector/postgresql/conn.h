/* conn.h - what the kernel keeps per server socket: exchange.h's part of it, and the protocol's. */
#ifndef HEATSCOPE_POSTGRESQL_CONN_H
#define HEATSCOPE_POSTGRESQL_CONN_H

#include "collector/postgresql/digest.h"
#include "collector/postgresql/parse.h"
#include "collector/server/exchange.h"

struct told {				/* what the next event says */
	struct statement_codes codes;
	__u64 command, status, n_rows;
};

struct server_conn {
	struct turn turn;
	struct front front;
	struct told told;
	__u64 user, database;		/* codes */
	struct digest digest;		/* of the text that is read */
	__u32 digested;			/* its bytes so far */
	__u32 n_texts;			/* that were read: the next one's number */
	__u64 text, text_end;		/* where this receive has it, as far as it lies together; 0: it has not */
};

#define SERVER_NAMES POSTGRESQL_SERVERS
#define FIELD_BLOCKED_IN POSTGRESQL_BLOCKED_IN

/* Statements and portals that have a name. */
struct named_key {
	__u64 conn;
	__u64 name;			/* hash */
	__u64 kind;			/* NAME_STATEMENT, NAME_PORTAL */
};

#endif
