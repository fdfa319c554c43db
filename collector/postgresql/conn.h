/* conn.h - defines the state that the kernel keeps of a connection: the turn of exchange.h, and PostgreSQL's part. */
#ifndef HEATSCOPE_POSTGRESQL_CONN_H
#define HEATSCOPE_POSTGRESQL_CONN_H

#include "collector/postgresql/digest.h"
#include "collector/postgresql/parse.h"
#include "collector/server/exchange.h"

struct event_data {			/* the data of the next event */
	struct statement_codes codes;
	__u64 command, status, n_rows;
};

struct server_conn {
	struct turn turn;
	struct front front;
	struct event_data event_data;
	__u64 user, database;		/* codes */
	struct digest digest;		/* of the text that is being read */
	__u32 digested;			/* its bytes so far */
	__u32 n_texts;			/* texts that were read; the number of the next one */
	__u64 begun;			/* within TLS: when the statement began that was read last, as the server says
					 * it */
	__u64 text, text_end;		/* where this receive has the contiguous part of it; 0: it has none */
};

#define SERVER_NAMES POSTGRESQL_SERVERS
#define FIELD_BLOCKED_IN POSTGRESQL_BLOCKED_IN


/* Statements and portals with a name. */
struct named_key {
	__u64 conn;
	__u64 name;			/* hash */
	__u64 kind;			/* NAME_STATEMENT, NAME_PORTAL */
};

#endif
