/* message.h - finds the end of an HTTP/1 message, request or reply, byte by byte; pure, for kernel and tests.
 *
 *      first line (parse.h, reply.h) -> AT_LINE: headers -> AT_BODY, AT_CHUNK ... or nothing -> the next message
 *
 *      Content-Length: 5 \r\n                 the body has so many bytes
 *      Transfer-Encoding: chunked \r\n        5 \r\n hello \r\n 0 \r\n trailer \r\n       takes precedence
 *
 * Cut     A message may be cut anywhere: the struct is the whole state.
 * Line    ends with \n or \r\n, as nginx and Apache read it.
 * Names   of headers match in upper and lower case; only those of header_names matter.
 * Trust   The peer may send any bytes.  A length that is no number, or two that differ, are not the protocol.
 */
#ifndef HEATSCOPE_HTTP_MESSAGE_H
#define HEATSCOPE_HTTP_MESSAGE_H

#include <linux/types.h>

enum message_state {
	AT_START,		/* before the first line */
	AT_METHOD, AT_SCHEME, AT_PATH, AT_QUERY, AT_VERSION,	/* a request's */
	AT_STATUS,		/* a reply's */
	AT_FIRST_END,		/* the rest of the first line */
	AT_LINE,		/* a line of the head begins */
	AT_NAME,
	AT_VALUE,		/* of a header that matters */
	AT_SKIP,		/* to the end of a line of the head */
	AT_EMPTY,		/* after the \r that ends the head */
	AT_BODY,
	AT_CHUNK,		/* its length */
	AT_CHUNK_SKIP,		/* to the end of that line */
	AT_CHUNK_DATA,
	AT_CHUNK_END,		/* the line's end after the data */
	AT_TRAILER,		/* a line after the last chunk begins */
	AT_TRAILER_SKIP, AT_TRAILER_EMPTY,
	AT_CLOSE,		/* the body ends with the connection */
	AT_NOTHING,		/* this side sends no further message */
	N_MESSAGE_STATES
};

enum message_header { HEADER_LENGTH, HEADER_ENCODING, HEADER_HOST, N_HEADERS, HEADER_NONE = N_HEADERS };

enum message_flag {
	MESSAGE_HEAD = 1,	/* the head is complete: message_body() says how it goes on */
	MESSAGE_END = 2,	/* the message is complete */
	MESSAGE_BAD = 4,	/* it is not the protocol */
};

#define LENGTH_MAX (1ull << 60)
#define HEAD_MAX (1u << 20)		/* bytes of a head */
#define HEADER_NAME_MAX 32

struct http_message {
	__u64 left;		/* bytes of the body or chunk that are still to come */
	__u64 length;		/* the Content-Length; of a chunk: so far */
	__u64 number;		/* the value that is being read */
	__u32 head;		/* bytes of the head so far */
	__u8 state;
	__u8 at;		/* bytes of the name, the word or the number so far */
	__u8 header;		/* enum message_header of this line */
	__u8 has_length, chunked;
	__u8 digits;		/* 1: the number has digits; 2: and has ended */
	__u8 minor;		/* of a request's version HTTP/1.x */
	__u8 pad;
};

static inline void message_begin(struct http_message *m)
{
	m->head = 0;
	m->has_length = m->chunked = 0;
	m->length = m->left = 0;
	m->at = 0;
	m->header = HEADER_NONE;
}

static inline __u8 message_lower(__u8 byte)
{
	return byte >= 'A' && byte <= 'Z' ? byte + 32 : byte;
}

/* Returns how many bytes the caller may skip unread. */
static inline __u64 message_blind(const struct http_message *m)
{
	switch (m->state) {
	case AT_BODY: case AT_CHUNK_DATA: return m->left;
	case AT_CLOSE: case AT_NOTHING: return ~0ull;
	}
	return 0;
}

/* Does no byte matter before the next \n? */
static inline int message_skips(const struct http_message *m)
{
	return m->state == AT_SKIP || m->state == AT_CHUNK_SKIP || m->state == AT_TRAILER_SKIP;
}

/* Skips n bytes, 1 .. message_blind(). */
static inline __u32 message_skip(struct http_message *m, __u64 n)
{
	if (m->state != AT_BODY && m->state != AT_CHUNK_DATA)
		return 0;
	m->left -= n;
	if (m->left)
		return 0;
	if (m->state == AT_BODY)
		return MESSAGE_END;
	m->state = AT_CHUNK_END;
	return 0;
}

/* Begins the body after a complete head, if the headers say that there is one.  closes: without these headers, the body
 * goes up to the connection's end.  Returns MESSAGE_END if there is no body. */
static inline __u32 message_body(struct http_message *m, int closes)
{
	if (m->chunked) {
		m->state = AT_CHUNK;
		m->digits = 0;
		m->number = 0;
		return 0;
	}
	if (!m->has_length) {
		m->state = AT_CLOSE;
		return closes ? 0 : MESSAGE_END;
	}
	m->left = m->length;
	m->state = AT_BODY;
	return m->left ? 0 : MESSAGE_END;
}

/* ---- headers ---- */

static const __u8 header_names[N_HEADERS][HEADER_NAME_MAX] = {
	[HEADER_LENGTH] = "content-length:", [HEADER_ENCODING] = "transfer-encoding:", [HEADER_HOST] = "host:",
};

/* Eight characters as a word, the first in the lowest byte.  A small constant array would get a section of its own,
 * which libbpf does not load. */
#define LETTER(s, i) ((__u64)(__u8)(s)[i] << (8 * (i)))
#define WORD(s) (LETTER(s, 0) | LETTER(s, 1) | LETTER(s, 2) | LETTER(s, 3) | LETTER(s, 4) | LETTER(s, 5) | LETTER(s, 6) | LETTER(s, 7))

static inline __u8 word_letter(__u64 word, __u32 at)
{
	return word >> (8 * (at & 7));
}

static inline void value_begin(struct http_message *m)
{
	m->state = AT_VALUE;
	m->at = 0;
	m->digits = 0;
	m->number = 0;
}

static inline void name_next(struct http_message *m, __u8 lower)
{
	__u8 header = m->header, at = m->at & (HEADER_NAME_MAX - 1);

	if (header >= N_HEADERS || header_names[header][at] != lower) {
		m->state = AT_SKIP;
		m->header = HEADER_NONE;
		return;
	}
	m->at++;
	if (lower == ':')
		value_begin(m);
}

/* Takes the first byte of a line of the head, if it is not \n.  A line that begins with white space continues the one
 * before; in a header that matters that is MESSAGE_BAD. */
static inline __u32 line_first(struct http_message *m, __u8 byte)
{
	__u8 lower = message_lower(byte);

	if (byte == ' ' || byte == '\t') {
		m->state = AT_SKIP;
		return m->header == HEADER_LENGTH || m->header == HEADER_ENCODING ? MESSAGE_BAD : 0;
	}
	m->header = lower == 'c' ? HEADER_LENGTH : lower == 't' ? HEADER_ENCODING : lower == 'h' ? HEADER_HOST : HEADER_NONE;
	m->state = AT_NAME;
	m->at = 0;
	name_next(m, lower);
	return 0;
}

static inline __u32 number_byte(struct http_message *m, __u8 byte, __u32 base)
{
	__u8 lower = byte | 0x20;
	__u32 digit = byte >= '0' && byte <= '9' ? byte - '0' : base == 16 && lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : 16;

	if (digit >= base || m->digits > 1 || m->number >= LENGTH_MAX / 16)
		return MESSAGE_BAD;
	m->number = m->number * base + digit;
	m->digits = 1;
	return 0;
}

/* Takes a byte of a list of codings, of which the last one counts.  `at`: letters of "chunked" so far; 255: it is
 * another coding. */
static inline void coding_byte(struct http_message *m, __u8 byte)
{
	__u8 at = m->at;

	if (byte == ',')
		m->at = 0;
	else if (byte == ' ' || byte == '\t')
		m->at = at && at < 7 ? 255 : at;
	else
		m->at = at < 7 && word_letter(WORD("chunked\0"), at) == message_lower(byte) ? at + 1 : 255;
}

/* Takes a byte of a value that matters; not \r or \n. */
static inline __u32 value_byte(struct http_message *m, __u8 byte)
{
	if (m->header == HEADER_ENCODING)
		coding_byte(m, byte);
	if (m->header != HEADER_LENGTH)
		return 0;
	if (byte != ' ' && byte != '\t')
		return number_byte(m, byte, 10);
	m->digits = m->digits ? 2 : 0;
	return 0;
}

static inline __u32 value_end(struct http_message *m)
{
	m->state = AT_LINE;
	if (m->header == HEADER_ENCODING) {
		m->chunked = m->at == 7;
		return m->chunked ? 0 : MESSAGE_BAD;
	}
	if (m->header != HEADER_LENGTH)
		return 0;
	if (!m->digits || (m->has_length && m->length != m->number))
		return MESSAGE_BAD;
	m->has_length = 1;
	m->length = m->number;
	return 0;
}

/* Takes a byte of the head after the first line. */
static inline __u32 head_byte(struct http_message *m, __u8 byte)
{
	if (++m->head > HEAD_MAX)
		return MESSAGE_BAD;
	switch (m->state) {
	case AT_LINE:
		if (byte == '\r')
			m->state = AT_EMPTY;
		else if (byte != '\n')
			return line_first(m, byte);
		return byte == '\n' ? MESSAGE_HEAD : 0;
	case AT_EMPTY: return byte == '\n' ? MESSAGE_HEAD : MESSAGE_BAD;
	case AT_NAME:
		if (byte == '\n')
			m->state = AT_LINE;
		else
			name_next(m, message_lower(byte));
		return 0;
	case AT_VALUE:
		if (byte == '\n')
			return value_end(m);
		return byte == '\r' ? 0 : value_byte(m, byte);
	}
	if (byte == '\n')
		m->state = AT_LINE;
	return 0;
}

/* ---- bodies ---- */

static inline __u32 chunk_begin(struct http_message *m)
{
	m->left = m->number;
	m->state = m->left ? AT_CHUNK_DATA : AT_TRAILER;
	return m->digits ? 0 : MESSAGE_BAD;
}

static inline __u32 chunk_byte(struct http_message *m, __u8 byte)
{
	if (byte == '\n')
		return chunk_begin(m);
	if (byte == ';' || byte == ' ' || byte == '\t' || byte == '\r') {
		m->state = AT_CHUNK_SKIP;
		return 0;
	}
	return number_byte(m, byte, 16);
}

static inline __u32 trailer_byte(struct http_message *m, __u8 byte)
{
	if (byte == '\n' && m->state != AT_TRAILER_SKIP)
		return MESSAGE_END;
	if (byte == '\n') {
		m->state = AT_TRAILER;
		return 0;
	}
	if (m->state == AT_TRAILER_EMPTY)
		return MESSAGE_BAD;
	if (m->state == AT_TRAILER)
		m->state = byte == '\r' ? AT_TRAILER_EMPTY : AT_TRAILER_SKIP;
	return 0;
}

/* Takes a byte of the body, when message_blind() is 0. */
static inline __u32 body_byte(struct http_message *m, __u8 byte)
{
	switch (m->state) {
	case AT_CHUNK: return chunk_byte(m, byte);
	case AT_CHUNK_SKIP: return byte == '\n' ? chunk_begin(m) : 0;
	case AT_CHUNK_END:
		if (byte == '\r')
			return 0;
		m->state = AT_CHUNK;
		m->digits = 0;
		m->number = 0;
		return byte == '\n' ? 0 : MESSAGE_BAD;
	}
	return trailer_byte(m, byte);
}

/* Takes a byte after the first line, when message_blind() is 0. */
static inline __u32 message_byte(struct http_message *m, __u8 byte)
{
	return m->state < AT_BODY ? head_byte(m, byte) : body_byte(m, byte);
}

#endif
