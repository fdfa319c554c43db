/* mysql_client.h - opens a raw MySQL connection for tests, and sends any bytes on it, cut anywhere, at any time.
 *
 *      mysql_open -> [mysql_start_tls] -> mysql_login -> mysql_send, mysql_read_reply ... -> mysql_close
 *
 * Login   as a user without password, to a server with --skip-grant-tables.
 * Bytes   mysql_packet.h makes packets, mysql_wrap() wraps those of one command, and mysql_send() sends any bytes of
 *         them: half a packet, or three at once.
 * Errors  0 or -errno; -ECONNRESET: the server closed the connection; -EPROTO: TLS failed.
 * Memory  a value; mysql_close() frees its content, also of a zeroed one.
 * Thread  one at a time; SIGPIPE must be ignored when TLS is used.
 */
#ifndef HEATSCOPE_MYSQL_CLIENT_H
#define HEATSCOPE_MYSQL_CLIENT_H

#include "test/tools/mysql_packet.h"

struct mysql_address {
	const char *socket;		/* path of a Unix socket; NULL: TCP */
	const char *host;		/* an IPv4 address */
	int port;
};

struct mysql {
	int fd;				/* valid while is_open */
	int is_open, compressed;
	struct ssl_st *ssl;		/* NULL: plain */
	struct mysql_greeting greeting;
	__u64 capabilities;		/* agreed on at login */
	struct bytes in;		/* received; plain and decompressed */
	size_t in_at;			/* first byte not read yet */
	struct bytes packed;		/* received, compressed, not whole yet */
	size_t file_part;		/* bytes of a file per packet; 0: all in one */
	__u8 seq, frame_seq;		/* of the last packet and compressed frame read */
	struct bytes payload;		/* of the last packet read */
};

int mysql_open(struct mysql *m, const struct mysql_address *to);	/* connects, reads the greeting */

/* Sends the SSL request and shakes hands; the certificate is not checked.  The server takes the
 * login's capabilities from here, MYSQL_CAP_WITH_DB too.  -ENOTSUP: no TLS there. */
int mysql_start_tls(struct mysql *m, __u64 capabilities);

/* Logs in with `capabilities` and the usual ones, without those that the server lacks.  db may be NULL.
 * -EACCES: refused. */
int mysql_login(struct mysql *m, __u64 capabilities, const char *db);

/* Closes the socket as it is, with no word to the server. */
void mysql_close(struct mysql *m);

/* Sends bytes, through TLS if there is TLS. */
int mysql_send(struct mysql *m, const void *data, size_t len);

/* Makes packets of mysql_packet.h, from `from` on in `out`, ready for the wire: with the compressed protocol it puts
 * them into frames numbered from seq, else they stay as they are. */
void mysql_wrap(struct mysql *m, struct bytes *out, size_t from, __u8 seq);

/* Reads the next packet's payload into m->payload; parts of 16 MiB are joined. */
int mysql_read_packet(struct mysql *m);

/* Reads until the reply is complete; the file a server asks for is answered with `file`. */
int mysql_read_reply(struct mysql *m, enum mysql_shape shape, const char *file, struct mysql_reply *ret_reply);

/* Sends a text command and reads its reply. */
int mysql_command(struct mysql *m, enum mysql_command command, const char *text, struct mysql_reply *ret_reply);

/* Reads the reply to a query with two columns of text, and hands every row over.  Values longer
 * than 254 bytes or with a NUL are skipped.  -EINVAL: the server refused the query. */
typedef void mysql_pair_take(void *arg, const char *name, const char *value);
int mysql_read_pairs(struct mysql *m, mysql_pair_take *take, void *arg);

#endif
