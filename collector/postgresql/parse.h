/* parse.h - parses the frontend/backend protocol, version 3, with two state machines; pure, for kernel and tests.
 *
 *      receive:  front_receive(), bytes -> front_header(), front_blind(), front_byte(), front_skip() -> FRONT_* flags
 *      send:     bytes -> back_header(), back_blind(), back_byte(), back_skip() -> BACK_* flags; tail -> back_tail()
 *
 *        type   length (itself included)   body
 *      +------+----+----+----+----+------------------------
 *      | 'Q'  |      big endian   | text NUL                    the first packets of a connection have no type
 *      +------+----+----+----+----+------------------------
 *
 *      Q text | P name text ... | B portal name ... | E portal rows | C kind name | S | X ...
 *
 * Cut     A message may come in pieces, and several may come at once.  The parser takes single bytes where it must
 *         read, and skips the rest unread.
 * Text    If front_text() says so, the next bytes up to a NUL are a statement.  The caller reads it, sets `text` to its
 *         codes, calls front_text_end(), and skips it like the rest.
 * Fate    A Parse takes effect when the server answers ParseComplete, a Close when it answers CloseComplete.  Until
 *         then, and if the server refuses or skips it, the name keeps its former statement (struct named_statement).
 * Copy    While the server copies from its client it ignores every Sync.  A replication stream (CopyBoth) has no
 *         requests.
 * Loose   If a send has more messages than the parser reads, it looks only for a ReadyForQuery at the end of the send.
 * Trust   Clients may send any bytes.  Impossible ones only make the connection opaque.
 */
#ifndef HEATSCOPE_POSTGRESQL_PARSE_H
#define HEATSCOPE_POSTGRESQL_PARSE_H

#include "collector/server/name.h"
#include "collector/postgresql/asked.h"
#include "collector/postgresql/digest.h"

enum front_mode {
	FRONT_STRANGE,		/* older than the collector: look for the begin of a round */
	FRONT_STARTUP,		/* packets without a type */
	FRONT_PLAIN,
	FRONT_ENCRYPTED,	/* turns only */
	FRONT_OPAQUE,		/* turns only */
	FRONT_IGNORED,		/* makes no events: it cancels another connection's statement, or its client is gone */
};

enum front_flag {
	FRONT_BEGIN = 1,	/* a round begins, and no other one waits for its answer */
	FRONT_ASKED = 2,	/* the ring has a new entry */
	FRONT_TEXT = 4,		/* a text begins */
	FRONT_REMEMBER = 8,	/* `text` is the statement `name` from now on */
	FRONT_LOOKUP = 16,	/* the statement `name` is bound: portal needs its codes */
	FRONT_KEEP = 32,	/* portal has a name */
	FRONT_PORTAL = 64,	/* the portal `name` is executed: portal needs its codes */
	FRONT_FORGET = 128,	/* the portal `name` is closed */
	FRONT_USER = 256,	/* value is the user; */
	FRONT_DATABASE = 512,	/* or the database */
	FRONT_LOST = 1024,	/* it is not the protocol, or we do not know which answer belongs to which request */
	FRONT_CROWDED = 2048,	/* asked_ring has no free entry for a requested event */
};

enum back_flag {
	BACK_READY = 1,		/* the round is answered */
	BACK_LOST = 2,		/* it is not the protocol, or we do not know which answer belongs to which request */
	BACK_STREAMS = 4,	/* the server begins to replicate: the request is no event */
};

enum fate { FATE_OPEN, FATE_DONE, FATE_REFUSED, FATE_UNKNOWN };

#define FATES 64			/* the last Parse and Close messages whose fate is kept one by one */

#define STARTUP_MAX 10000		/* bytes of a startup packet: the server's limit */
#define STARTUP_CANCEL 80877102u
#define STARTUP_TLS 80877103u
#define STARTUP_GSS 80877104u
#define FRONT_TRIES 8			/* receives of a strange connection before it becomes opaque */
#define FRONT_HEADER 5
#define BACK_TAIL 6

#define NAME_STATEMENT 0ull
#define NAME_PORTAL 1ull

struct stream {
	__u64 hash;		/* of the string that is being read */
	__u32 left;		/* bytes of this message that are still to come */
	__u32 at;		/* of its body so far; saturates */
	__u8 type;
	__u8 have;		/* bytes in head */
	__u8 part;		/* complete strings of the body; of an error: enum error_part; of a tag: in a number */
	__u8 pad;
	__u32 pad2;
	__u8 head[8];
};

enum error_part { ERROR_FIELD, ERROR_OTHER, ERROR_STATE, ERROR_KNOWN };

/* The statement of a name while the fate of a Parse or a Close is open.  The server keeps `earlier` if it refuses
 * this message, and `before` if it refuses that one, too.  A serial counts these messages of a connection from 1; 0:
 * no doubt. */
struct named_statement {
	struct statement_codes codes, earlier, before;
	__u64 serial, earlier_serial;
};

struct front_portal {
	__u64 name;		/* hash; 0: none */
	struct statement_codes codes;
};

struct front {
	struct stream in, out;
	struct asked_ring asked;
	struct statement_codes text;	/* of the last text */
	struct named_statement unnamed;	/* the statement prepared without a name */
	struct front_portal portal;	/* the portal that was bound or looked up last */
	__u64 name;		/* hash of the name that was read */
	__u64 word;		/* first 8 bytes of a startup parameter's name; of a Close: NAME_STATEMENT or
				 * NAME_PORTAL */
	__u64 setting[2];	/* the same of a setting's name and value */
	__u64 error;		/* characters of an SQLSTATE so far */
	__u64 number;		/* the last number of a tag so far */
	__u64 tail;		/* the last bytes of a loose send */
	__u64 n_parses, n_answered;	/* Parse and Close messages so far; of these, answered or skipped ones */
	__u64 fates;		/* of the last FATES of them, the latest in bit 0; 1: done */
	__u64 refused_first, refused_last;	/* serials: all messages between them were refused or their answers
						 * were not seen; 0: none */
	struct name value;	/* of a startup parameter */
	__u8 mode, tries;
	__u8 wanted;		/* an instrumentation decomposes by what the text says */
	__u8 counts;		/* an instrumentation asks for rows */
	__u8 open;		/* messages of a round have come, but not its end */
	__u8 parsed;		/* with a Parse among them */
	__u8 answered;		/* and the server has sent something since */
	__u8 text_on;		/* the text of this message is read */
	__u8 loose;
	__u8 hides_backslash;	/* client_encoding: a backslash may be part of a character */
	__u8 escapes;		/* standard_conforming_strings is off */
	__u8 negotiates;	/* a startup packet asked for encryption, which is not answered */
	__u8 copies;		/* the server copies from its client */
	__u8 streams;		/* it replicates to its client */
	__u8 pad[2];
	__u32 round_parses;	/* Parse and Close messages of the open round */
	__u32 pad2;
};

static inline __u32 bytes_u32(const __u8 *b)
{
	return (__u32)b[0] << 24 | (__u32)b[1] << 16 | (__u32)b[2] << 8 | b[3];
}

static inline int front_turns(const struct front *c)
{
	return c->mode == FRONT_ENCRYPTED || c->mode == FRONT_OPAQUE;
}

static inline void stream_begin(struct stream *s, __u8 type, __u32 left)
{
	s->type = type;
	s->left = left;
	s->at = 0;
	s->have = 0;
	s->part = 0;
	s->hash = HASH_SEED;
}

static inline void stream_eat(struct stream *s, __u32 n)
{
	s->at = s->at + n < s->at ? ~0u : s->at + n;
	s->left -= n;
}

/* ---- the fate of Parse and Close messages ---- */

/* Notes the fate of the next n messages: the first n_done are done, the others refused or skipped. */
static inline void parses_end(struct front *c, __u64 n, __u64 n_done)
{
	__u64 n_refused = n > n_done ? n - n_done : 0;

	c->fates = n < FATES ? c->fates << n : 0;
	if (n_refused < FATES)
		c->fates |= (n < FATES ? (1ull << n) - 1 : ~0ull) & (~0ull << n_refused);
	c->n_answered += n;
	if (!n_refused)
		return;
	if (!c->refused_first)
		c->refused_first = c->n_answered - n_refused + 1;
	c->refused_last = c->n_answered;
}

/* Notes that the answers to the next n messages were not seen. */
static inline void parses_forget(struct front *c, __u64 n)
{
	if (!n)
		return;
	if (!c->refused_first)
		c->refused_first = c->n_answered + 1;
	c->n_answered += n;
	c->refused_last = c->n_answered;
	c->n_parses += FATES;		/* so that these are older than the messages whose fate is kept one by one */
	c->n_answered += FATES;
	c->fates = 0;
}

static inline enum fate parse_fate(const struct front *c, __u64 serial)
{
	__u64 age = c->n_answered - serial;

	if (!serial)
		return FATE_DONE;
	if (serial > c->n_answered)
		return FATE_OPEN;
	if (age < FATES)
		return c->fates >> age & 1 ? FATE_DONE : FATE_REFUSED;
	return !c->refused_last || serial > c->refused_last || serial < c->refused_first ? FATE_DONE : FATE_UNKNOWN;
}

/* Copies field by field: clang 14 leaves out the stores of structs that are copied from a constant one. */
static inline void codes_unknown(struct statement_codes *codes)
{
	codes->digest = DIGEST_UNKNOWN;
	codes->statement = STATEMENT_UNKNOWN;
	codes->table = NAME_UNKNOWN;
	codes->verbatim = 0;
}

/* Writes the codes that a Bind of this name gets. */
static inline void named_codes(const struct front *c, const struct named_statement *s, struct statement_codes *ret_codes)
{
	enum fate fate = parse_fate(c, s->serial);

	*ret_codes = s->codes;
	if (fate == FATE_REFUSED) {
		fate = parse_fate(c, s->earlier_serial);
		*ret_codes = fate == FATE_REFUSED ? s->before : s->earlier;
	}
	if (fate == FATE_UNKNOWN)
		codes_unknown(ret_codes);
}

/* Begins the Parse or Close that was read last, of a name with the earlier entry `was`; NULL: there is no entry. */
static inline void named_begin(const struct front *c, const struct named_statement *was, struct named_statement *s)
{
	if (c->in.type == 'C')
		codes_unknown(&s->codes);
	else
		s->codes = c->text;
	s->serial = c->n_parses;
	codes_unknown(&s->earlier);
	codes_unknown(&s->before);
	s->earlier_serial = 0;
	if (!was)
		return;
	if (parse_fate(c, was->serial) == FATE_OPEN) {
		s->earlier = was->codes;
		s->earlier_serial = was->serial;
		if (parse_fate(c, was->earlier_serial) == FATE_REFUSED)
			s->before = was->before;
		else if (parse_fate(c, was->earlier_serial) == FATE_DONE)
			s->before = was->earlier;	/* else three are in doubt: the one before them is not kept */
	} else {
		named_codes(c, was, &s->earlier);
	}
}

/* ---- modes and rounds ---- */

static inline void front_becomes(struct front *c, __u8 mode)
{
	c->mode = mode;
	stream_begin(&c->in, 0, 0);
	stream_begin(&c->out, 0, 0);
	c->asked.n = c->asked.lost_open = c->asked.lost_rounds = 0;
	asked_over(&c->asked);
	parses_forget(c, c->n_parses - c->n_answered);
	c->open = c->loose = c->tries = c->text_on = c->copies = c->streams = 0;
	c->round_parses = 0;
}

/* Ends the round that is answered first: the server has sent ReadyForQuery. */
static inline void front_round_over(struct front *c)
{
	struct asked_ring *r = &c->asked;
	__u32 n_done = r->n_parsed, n = 0, i;

	if (!r->n) {			/* a round whose events are lost */
		asked_over(r);
		r->n_parsed = n_done;
		if (r->lost_rounds)
			return;
		n = r->lost_parses;
		r->lost_parses = 0;
		if (n_done == n)
			parses_end(c, n, n);
		else
			parses_forget(c, n);
		r->n_parsed = 0;
		return;
	}
	for (i = 0; i < ASKED_MAX && i < r->n; i++)
		if (asked_at(r, i)->rounds) {
			n = asked_at(r, i)->n_parses;
			break;
		}
	if (r->skips && i + 1 >= r->n && !c->open)
		c->portal.name = ~0ull;		/* the portal that its Bind left, if any, is not known */
	asked_over(r);
	parses_end(c, n, n_done);
}

/* ---- receives ---- */

/* Does a connection begin with this receive?  head: its first n <= 8 bytes. */
static inline int front_startup(const __u8 *head, __u32 n)
{
	__u32 len, code;

	if (n < 8)
		return 0;
	len = bytes_u32(head);
	code = bytes_u32(head + 4);
	return len >= 8 && len <= STARTUP_MAX && (code >> 16 == 3 || code == STARTUP_TLS || code == STARTUP_GSS);
}

static inline int front_type_possible(__u8 type)
{
	switch (type) {
	case 'Q': case 'P': case 'B': case 'E': case 'D': case 'C': case 'S': case 'H': case 'F': case 'X':
	case 'd': case 'c': case 'f': case 'p':
		return 1;
	}
	return 0;
}

/* Is this whole receive a simple query, or messages up to a Sync?  tail: its last 5 bytes. */
static inline int front_in_step(const __u8 *head, const __u8 *tail, __u32 total)
{
	__u32 len;

	if (total < FRONT_HEADER)
		return 0;
	len = bytes_u32(head + 1);
	if (len < 4 || len >= total)
		return 0;
	if (head[0] == 'Q')
		return len + 1 == total;
	return front_type_possible(head[0]) && tail[0] == 'S' && bytes_u32(tail + 1) == 4;
}

static inline int is_tls_record(const __u8 *head)
{
	return head[0] >= 0x14 && head[0] <= 0x17 && head[1] == 3 && head[2] <= 4;
}

/* Before the bytes of a receive are parsed: finds the begin of a round in a connection that is older than the
 * collector, and recognizes one that becomes encrypted.  head: its first bytes, 5 or all; tail: its last ones. */
static inline void front_receive(struct front *c, const __u8 *head, const __u8 *tail, __u32 total)
{
	if (c->mode == FRONT_STARTUP && !c->in.have && !c->in.left && total >= FRONT_HEADER && is_tls_record(head))
		front_becomes(c, FRONT_ENCRYPTED);
	if (c->mode != FRONT_STRANGE && c->mode != FRONT_OPAQUE)
		return;
	if (total >= FRONT_HEADER && is_tls_record(head))
		front_becomes(c, FRONT_ENCRYPTED);
	else if (front_in_step(head, tail, total))
		front_becomes(c, FRONT_PLAIN);
	else if (c->mode == FRONT_STRANGE && ++c->tries >= FRONT_TRIES)
		front_becomes(c, FRONT_OPAQUE);
}

/* Returns how many bytes may be skipped unread; 0: the parser needs the next byte. */
static inline __u32 front_blind(const struct front *c)
{
	const struct stream *s = &c->in;

	if (c->mode != FRONT_PLAIN && c->mode != FRONT_STARTUP)
		return ~0u;
	if (!s->left)
		return 0;
	if (c->mode == FRONT_STARTUP)
		return 0;
	switch (s->type) {
	case 'P': case 'E': case 'C':
		return s->part < 1 ? 0 : s->left;
	case 'B': return s->part < 2 ? 0 : s->left;
	}
	return s->left;
}

/* Does the next byte belong to a text that is read? */
static inline int front_text(const struct front *c)
{
	return c->text_on && c->in.left && (c->in.type == 'Q' || c->in.part == 1);
}

static inline void front_text_end(struct front *c, __u64 digest, __u64 statement, __u64 table, __u64 verbatim)
{
	c->text_on = 0;
	c->text.verbatim = verbatim;
	c->text.digest = digest;
	c->text.statement = statement;
	c->text.table = table;
}

/* Takes a message that belongs to a round.  To a server that copies, the message is an error.  A server that streams
 * has ended the stream when it gets one. */
static inline __u32 round_message(struct front *c, __u8 type)
{
	int begins = asked_is_idle(&c->asked) && (!c->open || c->answered);

	if (c->copies && (type == 'Q' || type == 'F'))
		return FRONT_LOST;
	c->loose |= c->streams;
	c->copies = c->streams = 0;
	asked_more(&c->asked);
	if (!c->open)
		c->parsed = 0;
	c->open = 1;
	c->answered = 0;
	return begins ? FRONT_BEGIN : 0;
}

static inline __u32 front_ask(struct front *c, __u32 command, const struct statement_codes *codes)
{
	if (asked_push(&c->asked, command, codes))
		return command == COMMAND_NOTHING ? 0 : FRONT_CROWDED;
	return command == COMMAND_NOTHING ? 0 : FRONT_ASKED;
}

/* Ends a round after its last message: adds its request, if no other message asked for anything. */
static inline __u32 round_end(struct front *c, __u32 command)
{
	struct statement_codes none = { DIGEST_NONE, STATEMENT_NONE, NAME_NONE, 0 };
	__u32 out = 0;

	if ((!asked_is_open(&c->asked) && !c->asked.lost_open) || command == COMMAND_SIMPLE || command == COMMAND_FUNCTION)
		out = front_ask(c, command, command == COMMAND_SIMPLE || command == COMMAND_PREPARE ? &c->text : &none);
	asked_close(&c->asked, c->round_parses);
	c->round_parses = 0;
	c->open = 0;
	return out;
}

/* Takes a CopyDone or CopyFail. */
static inline __u32 copy_end(struct front *c)
{
	if (!c->copies && !c->streams)
		asked_copied(&c->asked);
	c->loose |= c->streams;
	c->copies = c->streams = 0;
	return 0;
}

/* Ends a message after its last byte. */
static inline __u32 message_end(struct front *c)
{
	switch (c->in.type) {
	case 'Q': return round_end(c, COMMAND_SIMPLE);
	case 'F': return round_end(c, COMMAND_FUNCTION);
	case 'S':
		return c->copies || c->streams ? 0 : round_end(c, c->open && c->parsed ? COMMAND_PREPARE : COMMAND_NOTHING);
	case 'E': return front_ask(c, COMMAND_EXECUTE, &c->portal.codes);
	case 'c': case 'f':
		return copy_end(c);
	case 'C':
		c->n_parses++;
		c->round_parses++;
		return c->word == NAME_PORTAL ? FRONT_FORGET : c->name ? FRONT_REMEMBER : 0;
	case 'P':
		c->parsed = 1;
		c->n_parses++;
		c->round_parses++;
		if (c->name)
			return FRONT_REMEMBER;
		named_begin(c, 0, &c->unnamed);		/* the server first forgets the statement before it */
	}
	return 0;
}

static inline __u32 startup_end(struct front *c)
{
	if (bytes_u32(c->in.head + 4) >> 16 == 3)
		front_becomes(c, FRONT_PLAIN);
	else
		stream_begin(&c->in, 0, 0);
	return 0;
}

/*      +----+----+----+----+----+----+----+----+
 *      |      length       |  version or code  |  name NUL value NUL ... NUL
 *      +----+----+----+----+----+----+----+----+ */
static inline __u32 startup_header(struct front *c)
{
	__u32 len = bytes_u32(c->in.head), code = bytes_u32(c->in.head + 4);

	if (len < 8 || len > STARTUP_MAX) {
		front_becomes(c, FRONT_OPAQUE);
		return FRONT_LOST;
	}
	if (code == STARTUP_CANCEL) {
		front_becomes(c, FRONT_IGNORED);
		return 0;
	}
	c->negotiates = code == STARTUP_TLS || code == STARTUP_GSS;
	stream_begin(&c->in, 0, len - 8);
	c->word = 0;
	return len == 8 ? startup_end(c) : 0;
}

#define WORD8(a, b, c, d, e, f, g, h)                                                                           \
	((__u64)(a) | (__u64)(b) << 8 | (__u64)(c) << 16 | (__u64)(d) << 24 | (__u64)(e) << 32 | (__u64)(f) << 40 | \
	 (__u64)(g) << 48 | (__u64)(h) << 56)
#define WORD_USER WORD8('u', 's', 'e', 'r', 0, 0, 0, 0)
#define WORD_DATABASE WORD8('d', 'a', 't', 'a', 'b', 'a', 's', 'e')

/* Ends a name or a value of a startup packet.  Without a database in the packet, it has the user's name. */
static inline __u32 startup_string_end(struct front *c)
{
	__u32 out = 0;

	if (c->in.part & 1) {
		out = c->word == WORD_USER ? FRONT_USER : c->word == WORD_DATABASE ? FRONT_DATABASE : 0;
		c->word = 0;
	}
	c->in.part ^= 1;
	c->in.at = 0;
	if (c->in.part)
		name_begin(&c->value);
	return out;
}

static inline __u32 startup_byte(struct front *c, __u8 byte)
{
	struct stream *s = &c->in;
	__u32 out = 0;

	if (!byte)
		out = startup_string_end(c);
	else if (s->part)
		name_byte(&c->value, byte);
	else if (s->at < 8)
		c->word |= (__u64)byte << (8 * s->at);
	else
		c->word = 0;			/* it is longer than every name that we know */
	s->at += byte != 0 && s->at < 255;
	if (!--s->left)
		out |= startup_end(c);
	return out;
}

static inline __u32 front_header(struct front *c, __u8 type, __u32 len)
{
	__u32 out = 0;

	stream_begin(&c->in, type, len - 4);
	if (!front_type_possible(type) || len < 4 || len > 0x7fffffff) {
		front_becomes(c, FRONT_OPAQUE);
		return FRONT_LOST;
	}
	if (type == 'Q' || type == 'P') {
		codes_unknown(&c->text);
		c->text_on = (type == 'P' || c->wanted) && !c->hides_backslash && !c->escapes;
		out = FRONT_TEXT;
	}
	if (type == 'Q' || type == 'P' || type == 'B' || type == 'E' || type == 'D' || type == 'C' || type == 'F')
		out |= round_message(c, type);
	return c->in.left ? out : out | message_end(c);
}

/* Takes a Bind without a statement name: its statement is known. */
static inline __u32 bind_statement(struct front *c)
{
	__u32 out = c->portal.name ? FRONT_KEEP : 0;

	if (c->name)
		return out | FRONT_LOOKUP;
	named_codes(c, &c->unnamed, &c->portal.codes);
	return out;
}

/* Ends the n-th string of a message, which is a name. */
static inline __u32 name_end(struct front *c, __u32 n)
{
	c->name = c->in.hash == HASH_SEED ? 0 : c->in.hash;
	c->in.hash = HASH_SEED;
	switch (c->in.type) {
	case 'P': c->text_on &= c->wanted || c->name; return 0;
	case 'B':
		if (n)
			return bind_statement(c);
		c->portal.name = c->name;
		return 0;
	case 'E':
		if (c->portal.name == c->name)
			return 0;
		c->portal.name = c->name;
		return FRONT_PORTAL;
	}
	return 0;
}

static inline __u32 message_byte(struct front *c, __u8 byte)
{
	struct stream *s = &c->in;
	__u32 out = 0;

	if (s->type == 'C' && !s->at)
		c->word = byte == 'P' ? NAME_PORTAL : NAME_STATEMENT;
	else if (byte)
		s->hash = hash_byte(s->hash, byte);
	else
		out = name_end(c, s->part++);
	stream_eat(s, 1);
	return s->left ? out : out | message_end(c);
}

/* Takes one byte, when front_blind() is 0. */
static inline __u32 front_byte(struct front *c, __u8 byte)
{
	struct stream *s = &c->in;

	if (s->left)
		return c->mode == FRONT_STARTUP ? startup_byte(c, byte) : message_byte(c, byte);
	s->head[s->have & 7] = byte;
	s->have++;
	if (c->mode == FRONT_STARTUP)
		return s->have >= 8 ? startup_header(c) : 0;
	return s->have >= FRONT_HEADER ? front_header(c, s->head[0], bytes_u32(s->head + 1)) : 0;
}

/* Skips n bytes, 1 .. front_blind(). */
static inline __u32 front_skip(struct front *c, __u32 n)
{
	if (c->mode != FRONT_PLAIN)
		return 0;
	stream_eat(&c->in, n);
	return c->in.left ? 0 : message_end(c);
}

/* ---- sends ---- */

static inline int back_type_possible(__u8 type)
{
	return (type >= '1' && type <= '3') || (type >= 'A' && type <= 'Z') || (type >= 'a' && type <= 'z');
}

static inline __u32 back_blind(const struct front *c)
{
	const struct stream *s = &c->out;

	if (!s->left)
		return 0;
	if (s->type == 'E')
		return s->part == ERROR_KNOWN ? s->left : 0;
	if (s->type == 'C')
		return c->counts ? 0 : s->left;
	return s->type == 'S' && s->part < 2 ? 0 : s->left;
}

/* Takes a setting that the server reports and that says how texts are read.  name, value: their first 8 bytes. */
static inline void setting_found(struct front *c, __u64 name, __u64 value)
{
	if (name == WORD8('s', 't', 'a', 'n', 'd', 'a', 'r', 'd'))	/* standard_conforming_strings */
		c->escapes = value == WORD8('o', 'f', 'f', 0, 0, 0, 0, 0);
	if (name != WORD8('c', 'l', 'i', 'e', 'n', 't', '_', 'e'))	/* client_encoding */
		return;
	c->hides_backslash = value == WORD8('S', 'J', 'I', 'S', 0, 0, 0, 0) || value == WORD8('S', 'H', 'I', 'F', 'T', '_', 'J', 'I') ||
			     value == WORD8('B', 'I', 'G', '5', 0, 0, 0, 0) || value == WORD8('G', 'B', 'K', 0, 0, 0, 0, 0) ||
			     value == WORD8('U', 'H', 'C', 0, 0, 0, 0, 0) || value == WORD8('G', 'B', '1', '8', '0', '3', '0', 0) ||
			     value == WORD8('J', 'O', 'H', 'A', 'B', 0, 0, 0);
}

static inline void setting_byte(struct front *c, __u8 byte)
{
	struct stream *s = &c->out;

	if (byte) {
		if (s->have < 8)
			c->setting[s->part & 1] |= (__u64)byte << (8 * s->have++);
		return;
	}
	if (s->part++)
		setting_found(c, c->setting[0], c->setting[1]);
	s->have = 0;
}

static inline int is_state_byte(__u8 byte)
{
	return (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z');
}

/* Takes a byte of an error: its fields have a letter and a text; `C` has the SQLSTATE, five characters. */
static inline void error_byte(struct front *c, __u8 byte)
{
	struct stream *s = &c->out;

	switch (s->part) {
	case ERROR_FIELD: s->part = byte == 'C' ? ERROR_STATE : byte ? ERROR_OTHER : ERROR_KNOWN; break;
	case ERROR_OTHER: s->part = byte ? ERROR_OTHER : ERROR_FIELD; break;
	case ERROR_STATE:
		if (is_state_byte(byte) && s->have < 5)
			c->error |= (__u64)byte << (8 * s->have++);
		else
			s->part = ERROR_KNOWN;
		break;
	}
}

/* Takes a byte of a tag, "INSERT 0 5", "SELECT 5", "CREATE TABLE": a number at the end is the number of rows. */
static inline void tag_byte(struct front *c, __u8 byte)
{
	struct stream *s = &c->out;

	if (byte == ' ') {
		c->number = 0;
		s->part = 1;
	} else if (s->part && byte >= '0' && byte <= '9') {
		c->number = 10 * c->number + (byte - '0');
	} else if (byte) {
		s->part = 0;
	}
}

/* Takes a CopyInResponse. */
static inline __u32 copy_begins(struct front *c)
{
	struct asked_ring *r = &c->asked;
	int next = c->open && !asked_is_open(r);	/* another round has begun, which is an error to the server */

	switch (asked_copy(r)) {
	case COPY_AWAITS_DATA:
		if (next)
			break;
		c->copies = 1;
		if (asked_is_open(r) && !c->open) {	/* the server ignores the Sync that closed it */
			c->open = c->answered = 1;
			c->round_parses = asked_at(r, r->n - 1)->n_parses;
		}
		return 0;
	case COPY_DATA_SENT: return 0;
	case COPY_LOST:
		break;
	}
	return BACK_LOST;
}

static inline __u32 back_end(struct front *c)
{
	struct asked_ring *r = &c->asked;
	int known = c->out.have == 5, counted = c->out.type == 'C' && c->out.part;

	c->out.have = 0;
	switch (c->out.type) {
	case 'C': case 'I': case 's':
		asked_answered(r, counted ? c->number : 0);
		break;
	case 'E':
		c->copies = 0;
		r->failed = r->n || c->open;
		r->error = known ? STATUS_ERROR(c->error) : STATUS_UNKNOWN;
		break;
	case '1': case '3':
		r->n_parsed++;
		break;
	case 'G': return copy_begins(c);
	case 'W':
		front_becomes(c, FRONT_PLAIN);
		c->streams = 1;
		return BACK_STREAMS;
	case 'Z': return BACK_READY;
	}
	return 0;
}

static inline __u32 back_header(struct front *c, __u8 type, __u32 len)
{
	stream_begin(&c->out, type, len - 4);
	if (!back_type_possible(type) || len < 4 || len > 0x7fffffff) {
		front_becomes(c, FRONT_OPAQUE);
		return BACK_LOST;
	}
	if (type == 'E')
		c->error = 0;
	if (type == 'S')
		c->setting[0] = c->setting[1] = 0;
	return c->out.left ? 0 : back_end(c);
}

/* Does the next byte belong to a tag that is read? */
static inline int back_tag(const struct front *c)
{
	return c->counts && c->out.type == 'C' && c->out.left;
}

/* Takes such a byte. */
static inline __u32 back_tag_byte(struct front *c, __u8 byte)
{
	tag_byte(c, byte);
	stream_eat(&c->out, 1);
	return c->out.left ? 0 : back_end(c);
}

/* Takes one byte, when back_blind() is 0. */
static inline __u32 back_byte(struct front *c, __u8 byte)
{
	struct stream *s = &c->out;

	if (!s->left) {
		s->head[s->have & 7] = byte;
		s->have++;
		return s->have >= FRONT_HEADER ? back_header(c, s->head[0], bytes_u32(s->head + 1)) : 0;
	}
	if (s->type == 'E')
		error_byte(c, byte);
	else if (s->type == 'C')
		return back_tag_byte(c, byte);
	else
		setting_byte(c, byte);
	stream_eat(s, 1);
	return s->left ? 0 : back_end(c);
}

/* Skips n bytes, 1 .. back_blind(). */
static inline __u32 back_skip(struct front *c, __u32 n)
{
	stream_eat(&c->out, n);
	return c->out.left ? 0 : back_end(c);
}

/* Takes the next byte of the end of a loose send.  Returns 1 if the send ends with a ReadyForQuery up to here: then
 * messages are read again. */
static inline int back_tail(struct front *c, __u8 byte)
{
	const __u64 but_status = 0x00ffffffffff0000ull;

	c->tail = c->tail >> 8 | (__u64)byte << 56;
	if ((c->tail & but_status) != WORD8(0, 0, 'Z', 0, 0, 0, 5, 0) || (byte != 'I' && byte != 'T' && byte != 'E'))
		return 0;
	c->loose = 0;
	c->tail = 0;
	stream_begin(&c->out, 0, 0);
	return 1;
}

/* Makes the send loose: it has more messages than are read. */
static inline void back_lets_go(struct front *c)
{
	c->loose = 1;
	c->tail = 0;
}

#endif
