/* conn.h - defines the state that the kernel keeps of a connection: the turn of exchange.h, and MySQL's part. */
#ifndef HEATSCOPE_MYSQL_CONN_H
#define HEATSCOPE_MYSQL_CONN_H

#include "collector/mysql/digest.h"
#include "collector/mysql/parse.h"
#include "collector/server/exchange.h"

struct server_conn {
	struct turn turn;
	struct conn conn;
	__u32 digested;			/* bytes of the current text that `digest` has read, or DIGEST_REFUSED */
	__u32 n_texts;			/* texts that were to be kept, the next one's number; the current one's name: */
	__u64 verbatim;
	__u64 code;			/* of its digest; of an execute, the code of the prepared statement */
	__u64 last_code;		/* of the last prepared one */
	__u64 table, last_table;	/* the same of the table: codes of name.h */
	__u64 text, text_end;		/* this receive's contiguous part of the current text; 0: it has none */
	__u64 fingerprint;		/* of the current text; 0: it has none */
	__u32 known, pad;		/* known: the fingerprint gives its code and table, so the text was not read */
	struct digest digest;		/* of the current command's text */
};

#define SERVER_NAMES MYSQL_SERVERS
#define FIELD_BLOCKED_IN MYSQL_BLOCKED_IN
#define DIGEST_REFUSED (~0u)
#define MYSQLX_MAX 256			/* listeners of the X protocol */

struct prepared_statement {
	__u64 statement, digest, table;	/* codes */
};

struct prepared_key {
	__u64 conn;
	__u32 statement, pad;
};

#endif
