/* mysql_packet.h - builds and reads packets of the MySQL protocol, so that a test can cut, join or damage them
 * anywhere.
 *
 *       0          3     4
 *      | length LE | seq | payload ... |      seq 0 begins a command; 0xffffff bytes: more follows
 *
 * Shape   texts are bytes; integers are little-endian; `lenenc` is the protocol's own variable-length integer.  No I/O.
 * Errors  builders fail through bytes.err; readers return -EBADMSG and have written nothing.
 */
#ifndef HEATSCOPE_MYSQL_PACKET_H
#define HEATSCOPE_MYSQL_PACKET_H

#include "collector/core/bytes.h"

#define MYSQL_HEAD 4
#define MYSQL_PACKET_MAX 0xffffffu	/* bytes of payload in one packet */
#define MYSQL_COMPRESSED_HEAD 7
#define MYSQL_LAST_PREPARED 0xffffffffu	/* MariaDB: the statement that was prepared last */

enum mysql_command {
	MYSQL_QUIT = 1,
	MYSQL_INIT_DB = 2,
	MYSQL_QUERY = 3,
	MYSQL_FIELD_LIST = 4,
	MYSQL_STATISTICS = 9,
	MYSQL_PROCESS_INFO = 10,
	MYSQL_PROCESS_KILL = 12,
	MYSQL_PING = 14,
	MYSQL_CHANGE_USER = 17,
	MYSQL_BINLOG_DUMP = 18,
	MYSQL_PREPARE = 22,
	MYSQL_EXECUTE = 23,
	MYSQL_SEND_LONG_DATA = 24,
	MYSQL_STMT_CLOSE = 25,
	MYSQL_STMT_RESET = 26,
	MYSQL_SET_OPTION = 27,
	MYSQL_STMT_FETCH = 28,
	MYSQL_RESET_CONNECTION = 31,
	MYSQL_BULK_EXECUTE = 250,
};

/* Returns "query", "close", ...; NULL for any other number. */
const char *mysql_command_name(unsigned command);

/* Capabilities; from bit 32 on MariaDB's own. */
#define MYSQL_CAP_LONG_PASSWORD (1ull << 0)	/* unset in a greeting: MariaDB's bits follow */
#define MYSQL_CAP_WITH_DB (1ull << 3)
#define MYSQL_CAP_COMPRESS (1ull << 5)
#define MYSQL_CAP_LOCAL_FILES (1ull << 7)
#define MYSQL_CAP_PROTOCOL_41 (1ull << 9)
#define MYSQL_CAP_SSL (1ull << 11)
#define MYSQL_CAP_TRANSACTIONS (1ull << 13)
#define MYSQL_CAP_SECURE (1ull << 15)
#define MYSQL_CAP_MULTI_STATEMENTS (1ull << 16)
#define MYSQL_CAP_MULTI_RESULTS (1ull << 17)
#define MYSQL_CAP_PS_MULTI_RESULTS (1ull << 18)
#define MYSQL_CAP_PLUGIN_AUTH (1ull << 19)
#define MYSQL_CAP_DEPRECATE_EOF (1ull << 24)	/* an OK ends rows, and nothing ends definitions */
#define MYSQL_CAP_BULK (1ull << 34)

struct mysql_greeting {
	char version[64];
	__u32 connection_id;
	__u64 capabilities;
};

int mysql_get_greeting(const __u8 *data, size_t len, struct mysql_greeting *ret_greeting);

void mysql_put_lenenc(struct bytes *out, __u64 value);
__u64 mysql_get_lenenc(struct cursor *c);

/* Writes a payload as packets numbered from seq, with an empty last one if the length requires it. */
void mysql_put_packets(struct bytes *out, __u8 seq, const void *payload, size_t len);

/* Writes a command: its byte, then its body. */
void mysql_put_command(struct bytes *out, enum mysql_command command, const void *body, size_t len);
void mysql_put_text(struct bytes *out, enum mysql_command command, const char *text);

/* Write an SSL request or a login: with seq 1, the login after an SSL request with 2.  The password is empty. */
void mysql_put_ssl_request(struct bytes *out, __u64 capabilities);
void mysql_put_login(struct bytes *out, __u8 seq, __u64 capabilities, const char *user, const char *db);
void mysql_put_change_user(struct bytes *out, const char *user, const char *db);

/* Writes the execute of a prepared statement.  Each parameter is a string; NULL: it was sent before, as long data.
 * cursor: asks for one. */
void mysql_put_execute(struct bytes *out, __u32 stmt, int cursor, const char *const *param, size_t n_params);

/* Writes the execute of a statement for n_rows rows of n_params strings each, row after row. */
void mysql_put_bulk_execute(struct bytes *out, __u32 stmt, const char *const *param, size_t n_params, size_t n_rows);

void mysql_put_long_data(struct bytes *out, __u32 stmt, __u16 param, const void *data, size_t len);
void mysql_put_fetch(struct bytes *out, __u32 stmt, __u32 n_rows);
void mysql_put_binlog_dump(struct bytes *out, __u32 position, __u32 server_id, const char *file);

/* Writes packets in frames of the compressed protocol, numbered from seq:
 *
 *       0          3     4                    7
 *      | length LE | seq | plain length or 0 | zlib, or plain if that is 0 |           */
void mysql_put_compressed(struct bytes *out, __u8 seq, const void *data, size_t len);

/* --- replies ---------------------------------------------------------------------------------- */

enum mysql_shape {			/* of the reply to a command */
	MYSQL_REPLY_NONE,		/* there is none                                       */
	MYSQL_REPLY_ONE,		/* one packet: OK, ERR, EOF or a text                   */
	MYSQL_REPLY_RESULTS,		/* one or more OKs or result sets, or ERR               */
	MYSQL_REPLY_ROWS,		/* rows up to an EOF, or ERR: fetch, field list         */
	MYSQL_REPLY_PREPARE,		/* a statement and its parameters and columns, or ERR   */
	MYSQL_REPLY_STREAM,		/* packets up to an EOF or ERR: a binary log            */
};

enum mysql_shape mysql_command_shape(enum mysql_command command);

struct mysql_reply {
	enum mysql_shape shape;
	int no_eof;			/* MYSQL_CAP_DEPRECATE_EOF was agreed on */
	int state;			/* of the reader */
	__u64 n_params, n_columns;	/* definitions the reader still expects */
	unsigned n_results;		/* OKs and whole result sets */
	__u64 n_rows, n_bytes;		/* rows; payload bytes */
	__u16 error;			/* code of ERR, or 0 */
	__u16 status;			/* the server's last status word */
	__u32 stmt;			/* of a prepared statement */
	int wants_file;			/* the server asked for LOAD DATA LOCAL's file: send it, read on */
};

void mysql_reply_begin(struct mysql_reply *r, enum mysql_shape shape, __u64 capabilities);

/* Takes the next packet's payload.  1: the reply is complete; 0: it goes on; -EBADMSG. */
int mysql_reply_take(struct mysql_reply *r, const __u8 *payload, size_t len);

#endif
