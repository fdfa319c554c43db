/* parse.h - parses the requests that a server receives, and decides whether we understand a connection; pure, for
 * kernel and tests.  reply.h has the other direction.
 *
 *      conn_receive() once per receive; then bytes -> request_byte(), request_skip() -> ASK_* flags
 *
 *                 request line                    headers (message.h)
 *      +--------+----+-------------+----+----------+------+------
 *      | method | SP |   target    | SP | HTTP/1.x | \r\n | ...
 *      +--------+----+-------------+----+----------+------+------
 *
 * Target  /path?query, scheme://authority/path?query, an authority (CONNECT), or *.
 *
 * Mode    of a connection:
 *
 *      A PROXY header may come first.  After it the connection is new.
 *
 *      new --request--> PLAIN --bytes that cannot be followed--> STRANGE
 *       |                 ^                                         | a send, then a receive with a request line
 *       |                 `---the next receive--- PROBATION <-------'
 *       |                                          |  ^    (exactly one reply per request, in lock step; events are
 *       |                         anything but that v  |     not counted)
 *       |--anything else-------------------------> OPAQUE    a send, then a receive of "METHOD /"
 *       `--TLS--> ENCRYPTED
 *
 * Refused A malformed request keeps its place: it waits for the reply with which the server refuses it, 4xx or 5xx.  The
 *         bytes after it are not read.  After the reply the connection is strange, if the server does not close it.
 * Lenient As servers are, which then answer: empty lines before a request (RFC 9112, 2.2) and more than one blank
 *         between the words of its first line are skipped.
 * Trust   Clients may send any bytes.  Impossible ones make the connection strange or opaque, and have no other effect.
 */
#ifndef HEATSCOPE_HTTP_PARSE_H
#define HEATSCOPE_HTTP_PARSE_H

#include "collector/http/asked.h"
#include "collector/http/message.h"
#include "collector/http/method.h"
#include "collector/http/path.h"
#include "collector/server/name.h"
#include "collector/server/proxy.h"

enum conn_mode {
	CONN_STRANGE,		/* we do not know where the next request begins */
	CONN_PROBATION,		/* we believe that we know it */
	CONN_PLAIN,
	CONN_ENCRYPTED,		/* turns only */
	CONN_OPAQUE,		/* turns only */
	CONN_PROXY,		/* within a PROXY header */
	CONN_IGNORED,		/* it speaks another protocol now, or is about to end */
};

enum ask_flag {
	ASK_BEGIN = 1,		/* a request begins */
	ASK_PATH = 2,		/* path is complete */
	ASK_HOST = 4,		/* host is complete */
	ASK_HEAD = 8,		/* the ring has a new entry */
	ASK_LOST = 16,		/* it is not the protocol, or the ring has no free entry: request_refused() */
};

#define CONN_TRIES 16			/* a connection that becomes strange so often is opaque */
#define CONN_HEAD 16			/* bytes of a receive or send that are looked at before it is parsed */

struct conn {
	struct http_message in, out;
	struct asked_ring asked;
	__u64 word;		/* first letters of the method */
	__u64 path_code, host_code;	/* of the request that is being read */
	__u32 method;
	__u32 status;		/* of the reply that is being read */
	__u8 mode, tries;
	__u8 wants_path, wants_host;	/* an instrumentation decomposes by it */
	__u8 reads_path, reads_host;	/* the same when this request began */
	__u8 answered;		/* STRANGE, OPAQUE: the last thing seen was a send that may end a reply */
	__u8 proven;		/* PROBATION: a reply has ended exactly */
	__u8 parsed;		/* a request was understood before */
	__u8 opaque;		/* PROBATION: it was opaque before */
	__u8 refused;		/* the last request of the ring is malformed: the server has to refuse it */
	__u8 begins;		/* the next receive has the client's first bytes: a PROXY header came before */
	__u8 has_client;	/* proxy.address is the client's */
	__u8 pad[3];
	struct proxy proxy;
	struct path_pattern path;
	struct name host;
};

static inline int conn_turns(const struct conn *c)
{
	return c->mode == CONN_ENCRYPTED || c->mode == CONN_OPAQUE;
}

/* Are the bytes of this connection parsed? */
static inline int conn_reads(const struct conn *c)
{
	return c->mode == CONN_PLAIN || c->mode == CONN_PROBATION;
}

static inline void conn_becomes(struct conn *c, __u8 mode)
{
	c->mode = mode;
	c->in.state = AT_START;
	c->out.state = AT_START;
	c->asked.n = 0;
	c->status = STATUS_UNKNOWN;
	c->answered = c->proven = c->refused = 0;
}

/* Stops following the bytes.  A new connection whose first request we cannot follow speaks another protocol. */
static inline void conn_lost(struct conn *c)
{
	int strange = !c->opaque && (c->parsed || c->mode != CONN_PLAIN);

	c->tries += c->tries < CONN_TRIES && (strange || c->opaque);
	c->opaque = 0;
	conn_becomes(c, strange && c->tries < CONN_TRIES ? CONN_STRANGE : CONN_OPAQUE);
}

/* Are these the first n bytes of a TLS record? */
static inline int is_tls_record(const __u8 *head, __u32 n)
{
	return n >= 3 && head[0] >= 0x14 && head[0] <= 0x17 && head[1] == 3 && head[2] <= 4;
}

static inline int is_line_end(__u8 byte)
{
	return byte == '\r' || byte == '\n';
}

/* Returns how many of the first n of CONN_HEAD bytes are empty lines before a request. */
static inline __u32 head_empty(const __u8 *head, __u32 n)
{
	__u32 i;

	for (i = 0; i < CONN_HEAD && i < n; i++)
		if (!is_line_end(head[i]))
			break;
	return i;
}

/* Takes so many bytes from the first n. */
static inline __u32 head_strip(__u8 *head, __u32 n, __u32 empty)
{
	__u32 i;

	for (i = 0; i < CONN_HEAD; i++)
		head[i] = head[(i + empty) & (CONN_HEAD - 1)];
	return n - empty;
}

/* Do these first n of CONN_HEAD bytes, after head_strip(), begin a request?  The end of the receive may cut a method,
 * or come before it.  PRI begins HTTP/2.  Returns 0; 1; 2: and its target is a path. */
static inline int is_request(const __u8 *head, __u32 n)
{
	__u32 i;

	for (i = 0; i < CONN_HEAD && i < n; i++)
		if (!method_letter(head[i]))
			break;
	if (n >= 3 && head[0] == 'P' && head[1] == 'R' && head[2] == 'I')
		return 0;
	if (i >= n)
		return 1;
	if (!i || i >= CONN_HEAD || head[i] != ' ')
		return 0;
	return i + 1 < n && i + 1 < CONN_HEAD && head[i + 1] == '/' ? 2 : 1;
}

/* Do these first n of CONN_HEAD bytes begin a PROXY header?  A client's method may be PROXY, too.  Of fewer than 8 we do not know
 * it: then it is taken for a request.  (Proxies send it at once.) */
static inline int is_proxy_header(const __u8 *head, __u32 n)
{
	if (n < 8 || !proxy_begins(head))
		return 0;
	if (head[0] == 'P')
		return head[4] == 'Y' && head[5] == ' ' && (head[6] == 'T' || head[6] == 'U');
	return !head[4] && head[5] == '\r' && head[6] == '\n' && head[7] == 'Q';
}

#define PROXY_HEAD 4			/* bytes that conn_proxy_begin() takes */

static inline void conn_proxy_begin(struct conn *c, const __u8 *head)
{
	conn_becomes(c, CONN_PROXY);
	proxy_begin(&c->proxy, head);
}

/* Takes the next byte of a PROXY header, or skips some of the next `left` ones.  Returns how many.  After the header, the
 * connection begins. */
static inline __u32 conn_proxy_take(struct conn *c, __u8 byte, __u32 left)
{
	__u32 blind = proxy_blind(&c->proxy), n = blind < left ? blind : left;
	enum proxy_verdict verdict = blind ? proxy_skip(&c->proxy, n) : proxy_byte(&c->proxy, byte);

	if (verdict == PROXY_BAD)
		conn_becomes(c, CONN_OPAQUE);
	if (verdict == PROXY_NONE || verdict == PROXY_ADDRESS) {
		conn_becomes(c, CONN_STRANGE);
		c->begins = 1;
		c->has_client = verdict == PROXY_ADDRESS;
	}
	return blind ? n : 1;
}

/* Do these first bytes of a send begin an interim reply, after which the server waits for the rest of a request? */
static inline int is_interim(const __u8 *head, __u32 n)
{
	return n >= 10 && head[0] == 'H' && head[1] == 'T' && head[2] == 'T' && head[3] == 'P' && head[9] == '1';
}

/* Decides the mode at a receive, by its first bytes: is_tls_record() and is_request() of them, after head_strip().
 * is_new: they are the connection's first bytes, after a PROXY header if there is one. */
static inline void conn_receive(struct conn *c, int tls, int request, int is_new)
{
	int candidate = c->answered;

	c->answered = 0;
	if (c->mode == CONN_PROBATION && c->in.state == AT_START && c->asked.n) {
		conn_lost(c);				/* the client does not wait for replies */
	} else if (c->mode == CONN_PROBATION && c->proven) {
		c->mode = CONN_PLAIN;
		c->tries = c->opaque = 0;
	}
	if (c->mode == CONN_OPAQUE && candidate && c->tries < CONN_TRIES && request > 1) {
		conn_becomes(c, CONN_PROBATION);
		c->opaque = 1;
	}
	if (c->mode != CONN_STRANGE)
		return;
	if (tls)
		conn_becomes(c, CONN_ENCRYPTED);
	else if (is_new)
		conn_becomes(c, request ? CONN_PLAIN : CONN_OPAQUE);
	else if (candidate && request)
		conn_becomes(c, CONN_PROBATION);
	else if (candidate)
		conn_lost(c);
}

/* ---- the request line ---- */

#define VERSION_WORD WORD("HTTP/1.\0")

static inline __u32 request_begin(struct conn *c)
{
	message_begin(&c->in);
	c->in.state = AT_METHOD;
	c->word = 0;
	c->method = METHOD_NONE;
	c->reads_path = c->wants_path;
	c->reads_host = c->wants_host;
	c->path_code = c->reads_path ? PATH_NONE : PATH_UNKNOWN;
	c->host_code = c->reads_host ? NAME_NONE : NAME_UNKNOWN;
	return ASK_BEGIN;
}

static inline __u32 method_byte(struct conn *c, __u8 byte)
{
	struct http_message *m = &c->in;

	if (byte == ' ' && m->at) {
		c->method = method_of_word(c->word, m->at);
		m->state = AT_SCHEME;
		m->at = 0;
		return 0;
	}
	if (!method_letter(byte) || m->at >= METHOD_WORD_MAX)
		return ASK_LOST;
	if (m->at < 8)
		c->word |= (__u64)byte << (8 * m->at);
	m->at++;
	return 0;
}

static inline void request_path_begin(struct conn *c)
{
	c->in.state = AT_PATH;
	if (!c->reads_path)
		return;
	path_begin(&c->path);
	path_byte(&c->path, '/');
}

static inline __u32 request_path_end(struct conn *c, __u8 state)
{
	c->in.state = state;
	c->in.at = 0;
	if (!c->reads_path)
		return 0;
	c->path_code = path_code(&c->path);
	return ASK_PATH;
}

/* Takes a byte of a target: it begins with its path, or the path begins at the third slash.  `at`: 0 at first, then 1 +
 * the slashes. */
static inline __u32 scheme_byte(struct conn *c, __u8 byte)
{
	struct http_message *m = &c->in;
	int first = m->at == 0;

	if (byte == ' ' && first)
		return 0;
	if (byte == ' ') {
		m->state = AT_VERSION;
		m->at = 0;
		return 0;
	}
	if (byte == '/' && (first || m->at == 3))
		request_path_begin(c);
	else if (byte == '?')
		m->state = AT_QUERY;
	else
		m->at = (first ? 1 : m->at) + (byte == '/');
	return 0;
}

static inline __u32 path_target_byte(struct conn *c, __u8 byte)
{
	if (byte == ' ')
		return request_path_end(c, AT_VERSION);
	if (byte == '?')
		return request_path_end(c, AT_QUERY);
	if (c->reads_path)
		path_byte(&c->path, byte);
	return 0;
}

static inline __u32 version_byte(struct conn *c, __u8 byte)
{
	struct http_message *m = &c->in;

	if (byte == ' ' && !m->at)
		return 0;
	if (m->at < 7) {
		if (word_letter(VERSION_WORD, m->at) != byte)
			return ASK_LOST;
		m->at++;
		return 0;
	}
	if (m->at > 7 || (byte != '0' && byte != '1'))
		return ASK_LOST;
	m->minor = byte - '0';
	m->state = AT_FIRST_END;
	return 0;
}

static inline __u32 request_line_byte(struct conn *c, __u8 byte)
{
	struct http_message *m = &c->in;

	if (++m->head > HEAD_MAX || (m->state != AT_FIRST_END && is_line_end(byte)))
		return ASK_LOST;
	switch (m->state) {
	case AT_METHOD: return method_byte(c, byte);
	case AT_SCHEME: return scheme_byte(c, byte);
	case AT_PATH: return path_target_byte(c, byte);
	case AT_QUERY:
		if (byte == ' ') {
			m->state = AT_VERSION;
			m->at = 0;
		}
		return 0;
	case AT_VERSION: return version_byte(c, byte);
	}
	if (byte == '\n')
		m->state = AT_LINE;
	return is_line_end(byte) || byte == ' ' ? 0 : ASK_LOST;
}

/* ---- requests ---- */

/* Ends the head of a request.  After CONNECT, the reply decides what the client's next bytes are. */
static inline __u32 request_head(struct conn *c)
{
	if (asked_push(&c->asked, c->method, c->path_code, c->host_code))
		return ASK_LOST;
	c->parsed |= c->mode == CONN_PLAIN;
	if (message_body(&c->in, 0) || c->method == METHOD_CONNECT)
		c->in.state = AT_START;
	return ASK_HEAD;
}

static inline __u32 request_flags(struct conn *c, __u32 message)
{
	if (message & MESSAGE_BAD)
		return ASK_LOST;
	if (message & MESSAGE_END)
		c->in.state = AT_START;
	return message & MESSAGE_HEAD ? request_head(c) : 0;
}

/* Takes a byte of the Host header's value, which white space may surround. */
static inline __u32 host_byte(struct conn *c, __u8 byte)
{
	if (byte == '\n') {
		c->host_code = name_code(&c->host);
		return ASK_HOST;
	}
	if (byte != ' ' && byte != '\t' && byte != '\r')
		name_byte(&c->host, message_lower(byte));
	return 0;
}

/* Takes one byte of a request, when message_blind() is 0. */
static inline __u32 request_byte(struct conn *c, __u8 byte)
{
	struct http_message *m = &c->in;
	int names = m->state == AT_NAME;
	__u32 out = 0;

	if (m->state == AT_START) {
		if (is_line_end(byte))
			return 0;
		out = request_begin(c);
	}
	if (m->state >= AT_METHOD && m->state <= AT_FIRST_END)
		return out | request_line_byte(c, byte);
	if (c->reads_host && m->state == AT_VALUE && m->header == HEADER_HOST)
		out = host_byte(c, byte);
	out |= request_flags(c, message_byte(m, byte));
	if (names && m->state == AT_VALUE && m->header == HEADER_HOST)
		name_begin(&c->host);
	return out;
}

/* Takes a malformed request after ASK_LOST.  Returns 1: the ring has its entry; 0: we lose the position.  Its path and host
 * are known if its first line is complete. */
static inline int request_refused(struct conn *c)
{
	int in_head = c->in.state >= AT_METHOD && c->in.state <= AT_EMPTY, in_line = in_head && c->in.state <= AT_FIRST_END;

	if (c->mode != CONN_PLAIN || c->refused)
		return 0;
	if (!in_head && !c->asked.n)
		return 0;			/* it has its reply already */
	if (in_head && asked_push(&c->asked, c->method, in_line ? PATH_UNKNOWN : c->path_code,
				  in_line ? NAME_UNKNOWN : c->host_code))
		return 0;
	c->in.state = AT_NOTHING;
	c->refused = 1;
	return 1;
}

/* Skips n bytes, 1 .. message_blind(). */
static inline __u32 request_skip(struct conn *c, __u64 n)
{
	return request_flags(c, message_skip(&c->in, n));
}

#endif
