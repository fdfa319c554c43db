#include "test/tools/mysql_client.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <zlib.h>

#define RECEIVE_ROOM (64u << 10)
#define USUAL_CAPABILITIES (MYSQL_CAP_PROTOCOL_41 | MYSQL_CAP_TRANSACTIONS | MYSQL_CAP_SECURE | \
	MYSQL_CAP_PLUGIN_AUTH | MYSQL_CAP_MULTI_RESULTS | MYSQL_CAP_PS_MULTI_RESULTS)

/* --- sockets ---------------------------------------------------------------------------------- */

static int connect_unix(const char *path, int *ret_fd)
{
	struct sockaddr_un sa = { .sun_family = AF_UNIX };
	int fd;

	if (strlen(path) >= sizeof(sa.sun_path))
		return -ENAMETOOLONG;
	strcpy(sa.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || connect(fd, (struct sockaddr *)&sa, sizeof(sa))) {
		int err = -errno;

		close(fd);
		return err;
	}
	*ret_fd = fd;
	return 0;
}

static int connect_tcp(const char *host, int port, int *ret_fd)
{
	struct sockaddr_in sa = { .sin_family = AF_INET, .sin_port = htons(port) };
	int fd, on = 1;

	if (inet_pton(AF_INET, host, &sa.sin_addr) != 1)
		return -EINVAL;
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || connect(fd, (struct sockaddr *)&sa, sizeof(sa))) {
		int err = -errno;

		close(fd);
		return err;
	}
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));	/* pieces must stay pieces */
	*ret_fd = fd;
	return 0;
}

static int send_plain(struct mysql *m, const __u8 *data, size_t len)
{
	while (len) {
		ssize_t n = send(m->fd, data, len, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		data += n;
		len -= n;
	}
	return 0;
}

static int send_tls(struct mysql *m, const __u8 *data, size_t len)
{
	size_t n;

	if (!len || SSL_write_ex(m->ssl, data, len, &n) == 1)
		return 0;
	return -EPROTO;
}

int mysql_send(struct mysql *m, const void *data, size_t len)
{
	return m->ssl ? send_tls(m, data, len) : send_plain(m, data, len);
}

void mysql_wrap(struct mysql *m, struct bytes *out, size_t from, __u8 seq)
{
	struct bytes frames = { 0 };

	if (!m->compressed || out->err)
		return;
	mysql_put_compressed(&frames, seq, out->data + from, out->len - from);
	out->len = from;
	bytes_put(out, frames.data, frames.len);
	out->err = frames.err ? frames.err : out->err;
	bytes_fini(&frames);
}

/* Wraps, sends and frees. */
static int send_packets(struct mysql *m, struct bytes *out, __u8 seq)
{
	int err;

	mysql_wrap(m, out, 0, seq);
	err = out->err ? out->err : mysql_send(m, out->data, out->len);
	bytes_fini(out);
	return err;
}

/* At least one byte into to[room]. */
static int receive(struct mysql *m, __u8 *to, size_t room, size_t *ret_len)
{
	ssize_t n;

	if (m->ssl)
		return SSL_read_ex(m->ssl, to, room, ret_len) == 1 ? 0 : -ECONNRESET;
	do {
		n = recv(m->fd, to, room, 0);
	} while (n < 0 && errno == EINTR);
	if (n <= 0)
		return n ? -errno : -ECONNRESET;
	*ret_len = n;
	return 0;
}

/* --- the received stream ---------------------------------------------------------------------- */

/* Undoes one frame of the compressed protocol, if it is whole: 1, else 0. */
static int unpack_frame(struct mysql *m)
{
	const __u8 *head = m->packed.data;
	size_t len, plain_len;
	uLongf got;
	__u8 *plain;
	int err = 0;

	if (m->packed.len < MYSQL_COMPRESSED_HEAD)
		return 0;
	len = head[0] | head[1] << 8 | head[2] << 16;
	plain_len = head[4] | head[5] << 8 | head[6] << 16;
	if (m->packed.len < MYSQL_COMPRESSED_HEAD + len)
		return 0;
	m->frame_seq = head[3];
	if (!plain_len) {
		bytes_put(&m->in, head + MYSQL_COMPRESSED_HEAD, len);
	} else {
		got = plain_len;
		plain = malloc(plain_len);
		if (!plain || uncompress(plain, &got, head + MYSQL_COMPRESSED_HEAD, len) != Z_OK || got != plain_len)
			err = plain ? -EBADMSG : -ENOMEM;
		else
			bytes_put(&m->in, plain, plain_len);
		free(plain);
	}
	len += MYSQL_COMPRESSED_HEAD;
	memmove(m->packed.data, m->packed.data + len, m->packed.len - len);
	m->packed.len -= len;
	return err ? err : 1;
}

/* More bytes into m->in. */
static int fill(struct mysql *m)
{
	__u8 data[RECEIVE_ROOM];
	size_t len;
	int err = receive(m, data, sizeof(data), &len);

	if (err)
		return err;
	if (m->in_at == m->in.len) {
		bytes_clear(&m->in);
		m->in_at = 0;
	}
	if (!m->compressed) {
		bytes_put(&m->in, data, len);
		return m->in.err;
	}
	bytes_put(&m->packed, data, len);
	while ((err = unpack_frame(m)) == 1)
		;
	return err ? err : m->in.err ? m->in.err : m->packed.err;
}

static int need(struct mysql *m, size_t len)
{
	int err = 0;

	while (!err && m->in.len - m->in_at < len)
		err = fill(m);
	return err;
}

int mysql_read_packet(struct mysql *m)
{
	const __u8 *head;
	size_t part;
	int err;

	bytes_clear(&m->payload);
	do {
		err = need(m, MYSQL_HEAD);
		if (err)
			return err;
		head = m->in.data + m->in_at;
		part = head[0] | head[1] << 8 | head[2] << 16;
		m->seq = head[3];
		err = need(m, MYSQL_HEAD + part);
		if (err)
			return err;
		bytes_put(&m->payload, m->in.data + m->in_at + MYSQL_HEAD, part);
		m->in_at += MYSQL_HEAD + part;
	} while (part == MYSQL_PACKET_MAX);
	return m->payload.err;
}

/* --- connections ------------------------------------------------------------------------------ */

int mysql_open(struct mysql *m, const struct mysql_address *to)
{
	int err;

	memset(m, 0, sizeof(*m));
	err = to->socket ? connect_unix(to->socket, &m->fd) : connect_tcp(to->host, to->port, &m->fd);
	if (err)
		return err;
	m->is_open = 1;
	err = mysql_read_packet(m);
	if (!err)
		err = mysql_get_greeting(m->payload.data, m->payload.len, &m->greeting);
	if (err)
		mysql_close(m);
	return err;
}

static __u64 agreed(const struct mysql *m, __u64 capabilities)
{
	return (capabilities | USUAL_CAPABILITIES) & m->greeting.capabilities;
}

/* OpenSSL's context holds no connection of its own and may be shared by all threads. */
static SSL_CTX *tls_context(void)
{
	static SSL_CTX *context;
	SSL_CTX *mine, *none = NULL;

	if (__atomic_load_n(&context, __ATOMIC_ACQUIRE))
		return context;
	mine = SSL_CTX_new(TLS_client_method());
	if (mine && !__atomic_compare_exchange_n(&context, &none, mine, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		SSL_CTX_free(mine);
	return context;
}

int mysql_start_tls(struct mysql *m, __u64 capabilities)
{
	SSL_CTX *context = tls_context();
	struct bytes out = { 0 };
	int err;

	if (!(m->greeting.capabilities & MYSQL_CAP_SSL))
		return -ENOTSUP;
	mysql_put_ssl_request(&out, agreed(m, capabilities));
	err = send_packets(m, &out, 0);
	if (err)
		return err;
	m->ssl = context ? SSL_new(context) : NULL;
	if (!m->ssl || SSL_set_fd(m->ssl, m->fd) != 1 || SSL_connect(m->ssl) != 1)
		return -EPROTO;
	return 0;
}

int mysql_login(struct mysql *m, __u64 capabilities, const char *db)
{
	struct bytes out = { 0 };
	int err;

	m->capabilities = agreed(m, capabilities) | (m->ssl ? MYSQL_CAP_SSL : 0);
	mysql_put_login(&out, m->ssl ? 2 : 1, m->capabilities, "root", db);
	err = send_packets(m, &out, 0);
	if (!err)
		err = mysql_read_packet(m);
	if (!err && (!m->payload.len || m->payload.data[0] != 0))
		err = -EACCES;
	if (!err)
		m->compressed = !!(m->capabilities & MYSQL_CAP_COMPRESS);
	return err;
}

void mysql_close(struct mysql *m)
{
	SSL_free(m->ssl);
	if (m->is_open)
		close(m->fd);
	bytes_fini(&m->in);
	bytes_fini(&m->packed);
	bytes_fini(&m->payload);
	memset(m, 0, sizeof(*m));
}

/* --- commands --------------------------------------------------------------------------------- */

/* The file, then an empty packet, numbered on from the server's question; 255 is followed by 0. */
static int send_file(struct mysql *m, const char *file)
{
	struct bytes out = { 0 };
	size_t left = file ? strlen(file) : 0;
	__u8 seq = m->seq + 1;

	while (left) {
		size_t part = m->file_part && m->file_part < left ? m->file_part : left;

		mysql_put_packets(&out, seq++, file, part);
		file += part;
		left -= part;
	}
	mysql_put_packets(&out, seq, "", 0);
	return send_packets(m, &out, m->frame_seq + 1);
}

int mysql_read_reply(struct mysql *m, enum mysql_shape shape, const char *file, struct mysql_reply *ret_reply)
{
	int err = 0, done = shape == MYSQL_REPLY_NONE;

	mysql_reply_begin(ret_reply, shape, m->capabilities);
	while (!err && !done) {
		err = mysql_read_packet(m);
		if (err)
			break;
		done = mysql_reply_take(ret_reply, m->payload.data, m->payload.len);
		if (done < 0)
			err = done;
		else if (ret_reply->wants_file)
			err = send_file(m, file);
	}
	return err;
}

int mysql_command(struct mysql *m, enum mysql_command command, const char *text, struct mysql_reply *ret_reply)
{
	struct bytes out = { 0 };
	int err;

	mysql_put_text(&out, command, text);
	err = send_packets(m, &out, 0);
	return err ? err : mysql_read_reply(m, mysql_command_shape(command), NULL, ret_reply);
}

static void take_pair(const struct bytes *row, mysql_pair_take *take, void *arg)
{
	struct cursor c = { .data = row->data, .len = row->len };
	char name[256], value[256];

	cursor_get_text(&c, name, sizeof(name));	/* a lenenc below 251 is one byte */
	cursor_get_text(&c, value, sizeof(value));
	if (!c.err)
		take(arg, name, value);
}

int mysql_read_pairs(struct mysql *m, mysql_pair_take *take, void *arg)
{
	struct mysql_reply reply;
	__u64 n_rows = 0;
	int err = 0, done = 0;

	mysql_reply_begin(&reply, MYSQL_REPLY_RESULTS, m->capabilities);
	while (!err && !done) {
		err = mysql_read_packet(m);
		if (err)
			break;
		done = mysql_reply_take(&reply, m->payload.data, m->payload.len);
		if (done < 0)
			err = done;
		else if (reply.n_rows > n_rows)
			take_pair(&m->payload, take, arg);
		n_rows = reply.n_rows;
	}
	return err ? err : reply.error ? -EINVAL : 0;
}
