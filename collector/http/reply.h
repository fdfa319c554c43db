/* reply.h - parses the replies that a server sends, and finds the end of each; pure, for kernel and tests.
 *
 *      bytes -> reply_byte(), reply_skip() -> REPLY_* flags
 *
 *      HTTP/1.x SP status SP reason \r\n headers        1xx but 101: the final reply follows
 *
 * Body    None after HEAD, 204 and 304.  Otherwise as message.h finds it; without a length, up to the connection's end.
 * Order   A reply belongs to the oldest request without one.  A reply without a request shows that we have lost the
 *         position.
 * Trust   The bytes come from the server, or from a server that it asked.
 */
#ifndef HEATSCOPE_HTTP_REPLY_H
#define HEATSCOPE_HTTP_REPLY_H

#include "collector/http/parse.h"

enum reply_flag {
	REPLY_EARLY = 1,	/* the reply to a request whose head is not complete: the ring has a new entry */
	REPLY_END = 2,		/* the reply to the first request is complete */
	REPLY_CLOSES = 4,	/* it ends with the connection */
	REPLY_LOST = 8,		/* it is not the protocol */
};

/* Notes a send of a strange or an opaque connection; head: its first n <= CONN_HEAD bytes. */
static inline void conn_sent(struct conn *c, const __u8 *head, __u32 n)
{
	c->answered = !is_interim(head, n);
}

/* Begins a reply.  If no request waits, the server refuses one that is not complete, or we have lost the position. */
static inline __u32 reply_begin(struct conn *c)
{
	message_begin(&c->out);
	c->out.state = AT_STATUS;
	c->status = STATUS_UNKNOWN;
	if (c->asked.n)
		return 0;
	if (c->mode == CONN_PROBATION || c->in.state <= AT_START || c->in.state > AT_EMPTY)
		return REPLY_LOST;
	asked_push(&c->asked, c->method, PATH_UNKNOWN, NAME_UNKNOWN);
	c->in.state = AT_NOTHING;
	return REPLY_EARLY;
}

static inline __u32 status_byte(struct conn *c, __u8 byte)
{
	struct http_message *m = &c->out;
	__u32 at = m->at;

	m->at++;
	m->head++;
	if (at < 7)
		return word_letter(VERSION_WORD, at) == byte ? 0 : REPLY_LOST;
	if (at == 7)
		return byte == '0' || byte == '1' ? 0 : REPLY_LOST;
	if (at == 8)
		return byte == ' ' ? 0 : REPLY_LOST;
	if (byte < '0' || byte > '9')
		return REPLY_LOST;
	c->status = c->status * 10 + (byte - '0');
	if (at == 11)
		m->state = AT_SKIP;		/* the reason */
	return at == 9 && byte == '0' ? REPLY_LOST : 0;
}

static inline __u32 reply_end(struct conn *c)
{
	c->out.state = c->in.state == AT_NOTHING && c->asked.n <= 1 ? AT_NOTHING : AT_START;
	return REPLY_END;
}

/* Ends the parsing: from here on the connection speaks another protocol. */
static inline __u32 reply_switches(struct conn *c)
{
	c->in.state = AT_NOTHING;
	c->out.state = AT_NOTHING;
	return REPLY_END;
}

static inline __u32 reply_head(struct conn *c)
{
	__u32 method = asked_at(&c->asked, 0)->method;

	if (c->refused && c->asked.n == 1 && c->status >= 200 && c->status < 400)
		return REPLY_LOST;		/* the server understands the request, and we do not */
	if (c->status == 101 || (method == METHOD_CONNECT && c->status / 100 == 2))
		return reply_switches(c);
	if (c->status < 200) {
		c->out.state = AT_START;
		return 0;
	}
	if (method == METHOD_HEAD || c->status == 204 || c->status == 304)
		return reply_end(c);
	if (message_body(&c->out, 1))
		return reply_end(c);
	if (c->out.state != AT_CLOSE)
		return 0;
	c->in.state = AT_NOTHING;
	return REPLY_CLOSES;
}

static inline __u32 reply_flags(struct conn *c, __u32 message)
{
	if (message & MESSAGE_BAD)
		return REPLY_LOST;
	if (message & MESSAGE_END)
		return reply_end(c);
	return message & MESSAGE_HEAD ? reply_head(c) : 0;
}

/* Takes one byte of a reply, when message_blind() is 0. */
static inline __u32 reply_byte(struct conn *c, __u8 byte)
{
	__u32 out = 0;

	if (c->out.state == AT_START)
		out = reply_begin(c);
	if (out & REPLY_LOST)
		return out;
	if (c->out.state == AT_STATUS)
		return out | status_byte(c, byte);
	return out | reply_flags(c, message_byte(&c->out, byte));
}

/* Skips n bytes, 1 .. message_blind(). */
static inline __u32 reply_skip(struct conn *c, __u64 n)
{
	return reply_flags(c, message_skip(&c->out, n));
}

/* Removes the request after REPLY_END, when it is recorded. */
static inline void reply_over(struct conn *c)
{
	asked_pop(&c->asked);
	c->status = STATUS_UNKNOWN;
	if (c->out.state == AT_NOTHING && c->refused && !c->asked.n) {
		conn_becomes(c, CONN_STRANGE);
		c->answered = 1;
	} else if (c->out.state == AT_NOTHING) {
		conn_becomes(c, CONN_IGNORED);
	} else if (c->mode == CONN_PROBATION && !c->asked.n) {
		c->proven = 1;
	}
}

#endif
