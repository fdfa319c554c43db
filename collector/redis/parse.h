/* parse.h - parses the requests of RESP with a state machine; pure, for kernel and tests.
 *
 *      receive:  front_receive(), bytes -> front_byte(), front_blind(), front_skip() -> FRONT_* flags
 *      at FRONT_WORD: front_command() with the row of front.in.hash (commands.h) -> further flags
 *      at FRONT_ENDED: front_ask() -> further flags
 *
 *      *2 CR LF  $3 CR LF GET CR LF  $1 CR LF a CR LF        an array of arguments
 *      GET a CR LF                                           or an inline command; arguments may be quoted
 *
 * Cut     Requests may be cut anywhere and several may come at once: the parser takes single bytes where it must read,
 *         and skips arguments that it does not need.
 * Strict  The parser refuses bytes that no client sends, even if a server accepts them (another byte in place of LF).
 * Trust   Clients may send any bytes.  Impossible ones make the connection opaque and have no other effect.
 */
#ifndef HEATSCOPE_REDIS_PARSE_H
#define HEATSCOPE_REDIS_PARSE_H

#include "collector/redis/asked.h"
#include "collector/server/name.h"
#include "collector/server/statement.h"

enum front_mode {
	FRONT_STRANGE,		/* look for a receive of whole commands */
	FRONT_TRIAL,		/* such a receive has come: do its replies fit? */
	FRONT_PLAIN,
	FRONT_ENCRYPTED,	/* turns only */
	FRONT_IGNORED,		/* makes no events */
};

enum front_flag {
	FRONT_BEGIN = 1,	/* a command begins, and no other one waits for its reply */
	FRONT_ASKED = 2,	/* the ring was empty and has a command now */
	FRONT_WORD = 4,		/* the command's name is complete: front_command() */
	FRONT_PREFIX = 8,	/* front.name is the prefix of the command's key */
	FRONT_LOST = 16,	/* it is not the protocol, or we do not know which reply belongs to which command */
	FRONT_UNANSWERED = 32,	/* a command that gets no reply */
	FRONT_ENDED = 64,	/* a command is complete and will get one: front_ask() */
};

enum in_state {
	IN_START, IN_COUNT, IN_COUNT_LF, IN_DOLLAR, IN_LENGTH, IN_LENGTH_LF, IN_ARG, IN_ARG_CR, IN_ARG_LF, IN_LINE
};

enum arg_reading { ARG_SKIP, ARG_WORD, ARG_NUMBER, ARG_PREFIX };

#define FRONT_TRIES 8			/* receives of a strange connection before it becomes opaque */
#define FRONT_HEAD 16			/* bytes by which the protocol of a receive is recognized */
#define SENT_MAX 65536			/* bytes that the server sends to a connection before it serves others */
#define INLINE_MAX 65536		/* bytes of an inline command: the server's limit */
#define WORD_MAX 64			/* bytes of a word that is read; no command is that long */

struct number {				/* decimal digits that are read */
	__u32 value;			/* saturates at NUMBER_MAX + 1 */
	__u8 n, negative, pad[2];
};

#define NUMBER_MAX 0x7fffffff

struct command_in {			/* the command that is being read */
	__u64 hash;			/* of its name so far */
	__u64 word;			/* of a word: its first 8 bytes in lower case */
	__u64 prefix;
	struct number number;
	__u32 left;			/* bytes of this argument that are still to come */
	__u32 arg, n_args;		/* the argument that is read; their number (not known of an inline command) */
	__u32 length;			/* of the inline command so far */
	__u32 word_n;			/* bytes of the word so far */
	__u32 value;			/* SELECT's database */
	__u32 key_at;			/* argument that is its first key; 0: none that is known */
	__u16 code;
	__u8 state, reading;
	__u8 kind, waits;
	__u8 streams;			/* XREAD: the word STREAMS has come */
	__u8 reply;			/* CLIENT REPLY: first letters of its argument: enum request_reply */
	__u8 in_word, quote, escape, nul, ended;	/* of an inline command */
	__u8 pad;
};

enum request_reply { REPLY_NONE, REPLY_ON, REPLY_OFF, REPLY_SKIP };

enum out_state { OUT_TYPE, OUT_LINE, OUT_LINE_LF, OUT_NUMBER, OUT_NUMBER_LF, OUT_BULK, OUT_BULK_CR, OUT_BULK_LF };

struct reply {				/* the reply that is being read, see reply.h */
	__u64 hash;			/* of an error's first word */
	__u64 word;			/* the first 8 bytes of a status, or of an array's or push's first element */
	__u64 left;			/* elements that are still to come, the current one included */
	__u64 integer;			/* the last one */
	struct number number;
	__u32 word_n;			/* bytes of that word */
	__u32 bulk;			/* bytes of this text that are still to come */
	__u8 state, type;		/* of the current element */
	__u8 top;			/* type of the reply; 0: it has not begun */
	__u8 attribute;			/* an attribute comes before it */
	__u8 reading;			/* the current element is a word that is read: enum out_reading */
	__u8 first;			/* the next element is the first one of an array or a push */
	__u8 null;
	__u8 pad;
};

struct done {				/* a command that has its reply */
	__u64 prefix;
	__u32 database;			/* enum redis_database or a database */
	__u16 code, status;
	__u8 waits, pad[7];
};

struct front {
	struct command_in in;
	struct reply out;
	struct asked_ring asked;
	struct done done;
	struct name name;		/* the last key's prefix */
	__u64 channels, patterns, shards;	/* that it is subscribed to */
	__u32 n_confirmed;		/* channels of the first asked command that are confirmed */
	__u32 n_needed;			/* channels that an UNSUBSCRIBE without arguments will confirm; 0: not known
					 * yet */
	__u32 database;			/* enum redis_database or DATABASE_FIRST + its number */
	__u8 mode, tries;
	__u8 opaque;			/* turns are counted */
	__u8 wanted;			/* prefixes are read */
	__u8 sure;			/* it is known from its first byte on, and no state is in doubt */
	__u8 fresh;			/* nothing has been received */
	__u8 reply_off, reply_skip;	/* CLIENT REPLY OFF; SKIP: for the next command */
	__u8 doubt;			/* the last command should get no reply, but may get one; */
	__u8 forgets;			/* it, or one such before it, may have changed the connection's state */
	__u8 multi, multi_selects;	/* in a MULTI; a SELECT is queued in it */
	__u8 resp3;			/* pushes are marked */
	__u8 searching;			/* we have lost the place in the stream, and not found it again */
	__u8 stalled;			/* since the last receive, output may have been left in the server's memory */
	__u8 unused;			/* we have seen no byte of it: it is new, or idle */
	__u32 n_sent;			/* bytes since the last receive */
};

static inline int front_turns(const struct front *c)
{
	return c->mode == FRONT_ENCRYPTED || c->opaque;
}

static inline int front_reads(const struct front *c)
{
	return c->mode == FRONT_PLAIN || c->mode == FRONT_TRIAL;
}

static inline void number_begin(struct number *n)
{
	n->value = 0;
	n->n = n->negative = 0;
}

/* Returns 0; -1: the byte belongs to no number that the servers send or accept. */
static inline int number_byte(struct number *n, __u8 byte)
{
	if (byte == '-' && !n->n && !n->negative) {
		n->negative = 1;
		return 0;
	}
	if (byte < '0' || byte > '9' || n->n >= 10 || (n->n && !n->value))
		return -1;
	n->value = n->value > NUMBER_MAX / 10 ? NUMBER_MAX + 1u : 10 * n->value + (byte - '0');
	n->n++;
	return 0;
}

static inline int number_is_length(const struct number *n)
{
	return n->n && !n->negative && n->value <= NUMBER_MAX;
}

static inline __u8 lower(__u8 byte)
{
	return byte >= 'A' && byte <= 'Z' ? byte + 32 : byte;
}

/* ---- modes ---- */

static inline void reply_reset(struct reply *o)
{
	o->state = OUT_TYPE;
	o->left = 1;
	o->top = o->attribute = o->first = o->null = o->reading = 0;
	o->word = 0;
	o->word_n = 0;
}

static inline void front_becomes(struct front *c, __u8 mode)
{
	c->mode = mode;
	c->in.state = IN_START;
	reply_reset(&c->out);
	asked_clear(&c->asked);
	c->n_confirmed = c->n_needed = 0;
	c->reply_skip = c->doubt = c->forgets = 0;
}

/* Begins a connection with the next receive. */
static inline void front_open(struct front *c)
{
	front_becomes(c, FRONT_PLAIN);
	c->sure = c->fresh = 1;
	c->database = DATABASE_FIRST;
}

/* Makes the connection's state unknown: it may have changed without our seeing it. */
static inline void front_doubt(struct front *c)
{
	c->sure = 0;
	c->database = DATABASE_UNKNOWN;
	c->multi = c->multi_selects = 0;
	c->channels = c->patterns = c->shards = 0;
	c->resp3 = 0;
}

/* Gives up the place in the stream. */
static inline void front_lose(struct front *c)
{
	front_becomes(c, FRONT_STRANGE);
	front_doubt(c);
	c->reply_off = 0;
}

static inline __u32 front_bad(struct front *c)
{
	c->opaque = 1;
	return FRONT_LOST;
}

static inline int is_tls_record(const __u8 *head)
{
	return head[0] >= 0x14 && head[0] <= 0x17 && head[1] == 3 && head[2] <= 4;
}

static inline int is_cluster_bus(const __u8 *head)
{
	return head[0] == 'R' && head[1] == 'C' && head[2] == 'm' && head[3] == 'b';
}

/* Is it a REPLCONF?  A replica sends one a second, whether its master has sent anything or not. */
static inline int is_replica(const __u8 *head)
{
	__u64 length, word, is_length, is_word;

	__builtin_memcpy(&length, head + 2, 8);
	__builtin_memcpy(&word, head + 8, 8);
	__builtin_memcpy(&is_length, "\r\n$8\r\nRE", 8);
	__builtin_memcpy(&is_word, "REPLCONF", 8);
	return head[0] == '*' && length == is_length && word == is_word;
}

/* Notes that the server has sent n bytes; 0: the socket is full. */
static inline void front_sent(struct front *c, __u32 n)
{
	c->n_sent = n < SENT_MAX - c->n_sent ? c->n_sent + n : SENT_MAX;
	c->stalled |= !n || c->n_sent == SENT_MAX;
}

/* Decides the mode before the bytes of a receive are parsed.  head: its first FRONT_HEAD bytes, or all.  A trial begins
 * only if the server has answered all that it received: it sent bytes after the last receive, and all its output.  A
 * connection of which we have seen no byte needs no trial, if a command begins here. */
static inline void front_receive(struct front *c, const __u8 *head, __u32 total)
{
	int begins = c->fresh || c->mode == FRONT_STRANGE || c->mode == FRONT_TRIAL;
	int answered = c->n_sent && !c->stalled;
	int unused = c->unused && !c->n_sent;

	c->fresh = c->stalled = c->unused = 0;
	c->n_sent = 0;
	if (!begins)
		return;
	if (total >= 3 && is_tls_record(head)) {
		front_becomes(c, FRONT_ENCRYPTED);
		c->opaque = 0;
		return;
	}
	if (total >= 4 && (is_cluster_bus(head) || (total >= FRONT_HEAD && is_replica(head)))) {
		front_becomes(c, FRONT_IGNORED);
		return;
	}
	if (c->mode == FRONT_PLAIN)
		return;
	if (head[0] == '*' && unused) {
		front_becomes(c, FRONT_PLAIN);
		return;
	}
	if (c->tries < FRONT_TRIES)
		c->tries++;
	else
		c->opaque = 1;
	if (c->mode == FRONT_TRIAL)
		front_lose(c);
	if (head[0] == '*' && answered)
		front_becomes(c, FRONT_TRIAL);
}

/* Decides, after the bytes of a receive, whether a trial goes on: they must be whole commands with replies.  Returns
 * how many commands are lost. */
static inline __u32 front_received(struct front *c)
{
	__u32 left = c->asked.left;

	if (c->mode != FRONT_TRIAL && c->mode != FRONT_STRANGE)
		return 0;
	if (c->mode == FRONT_TRIAL && (c->in.state != IN_START || !left || c->doubt || c->reply_off))
		front_lose(c);
	return c->searching && !c->opaque ? left ? left : 1 : 0;
}

/* Decides, after a send in a trial, whether we follow the connection from now on: all commands must have their
 * replies. */
static inline void front_tried(struct front *c)
{
	if (c->mode != FRONT_TRIAL || c->asked.n || c->out.state != OUT_TYPE || c->out.top || c->out.left != 1)
		return;
	c->mode = FRONT_PLAIN;
	c->tries = c->opaque = c->searching = 0;
}

/* ---- arguments ---- */

static inline void command_begin(struct front *c)
{
	struct command_in *r = &c->in;

	r->hash = COMMAND_SEED;
	r->prefix = c->wanted ? NAME_NONE : NAME_UNKNOWN;
	r->arg = r->n_args = r->length = r->key_at = 0;
	r->value = DATABASE_MAX;
	r->code = COMMAND_MISC;
	r->kind = KIND_PLAIN;
	r->waits = r->streams = r->reply = 0;
	r->in_word = r->quote = r->escape = r->nul = r->ended = 0;
}

static inline __u8 arg_how(const struct front *c)
{
	const struct command_in *r = &c->in;

	if (!r->arg)
		return ARG_WORD;
	if (r->key_at == r->arg && c->wanted)
		return ARG_PREFIX;
	switch (r->kind) {
	case KIND_CONTAINER:
		return r->arg == 1 ? ARG_WORD : ARG_SKIP;
	case KIND_SELECT:
		return r->arg == 1 ? ARG_NUMBER : ARG_SKIP;
	case KIND_REPLY:
		return r->arg == 2 ? ARG_WORD : ARG_SKIP;
	case KIND_EVAL:
		return r->arg == 2 && c->wanted ? ARG_NUMBER : ARG_SKIP;
	case KIND_XREAD:
		return r->streams ? ARG_SKIP : ARG_WORD;
	case KIND_XREADGROUP:
		return r->streams || r->arg < 4 ? ARG_SKIP : ARG_WORD;
	}
	return ARG_SKIP;
}

static inline void arg_begin(struct front *c)
{
	struct command_in *r = &c->in;

	r->reading = arg_how(c);
	r->word = 0;
	r->word_n = 0;
	if (r->reading == ARG_NUMBER)
		number_begin(&r->number);
	if (r->reading == ARG_PREFIX)
		name_begin(&c->name);
	if (r->reading == ARG_WORD && r->arg == 1 && r->kind == KIND_CONTAINER)
		r->hash = hash_byte(r->hash, ' ');
}

static inline __u32 arg_prefix(struct front *c, __u8 byte)
{
	struct command_in *r = &c->in;

	if (byte != ':') {
		name_byte(&c->name, byte);
		if (c->name.n >= NAME_ROOM)
			r->reading = ARG_SKIP;		/* too long for a prefix */
		return 0;
	}
	r->reading = ARG_SKIP;
	r->prefix = name_code(&c->name);
	return FRONT_PREFIX;
}

static inline __u32 arg_byte(struct front *c, __u8 byte)
{
	struct command_in *r = &c->in;

	switch (r->reading) {
	case ARG_WORD:
		if (r->word_n >= WORD_MAX) {
			r->hash = 0;
			r->reading = ARG_SKIP;
			return 0;
		}
		byte = lower(byte);
		if (r->word_n < 8)
			r->word |= (__u64)byte << (8 * r->word_n);
		r->word_n++;
		if (r->arg < 2)
			r->hash = hash_byte(r->hash, byte);
		return 0;
	case ARG_NUMBER:
		if (number_byte(&r->number, byte))
			r->number.negative = 1;
		return 0;
	case ARG_PREFIX:
		return arg_prefix(c, byte);
	}
	return 0;
}

static inline int word_is(const struct command_in *r, __u64 code, __u32 n)
{
	return r->word == code && r->word_n == n;
}

static inline void arg_word(struct command_in *r)
{
	if (r->kind == KIND_REPLY) {
		r->reply = word_is(r, STATEMENT_CODE("on"), 2) ? REPLY_ON :
			   word_is(r, STATEMENT_CODE("off"), 3) ? REPLY_OFF :
			   word_is(r, STATEMENT_CODE("skip"), 4) ? REPLY_SKIP : REPLY_NONE;
	} else if (r->kind == KIND_XREAD || r->kind == KIND_XREADGROUP) {
		r->waits |= word_is(r, STATEMENT_CODE("block"), 5);
		if (word_is(r, STATEMENT_CODE("streams"), 7)) {
			r->streams = 1;
			r->key_at = r->arg + 1;
		}
	}
}

/* Ends an argument. */
static inline __u32 arg_end(struct front *c)
{
	struct command_in *r = &c->in;

	if (!r->arg || (r->arg == 1 && r->kind == KIND_CONTAINER))
		return FRONT_WORD;
	if (r->reading == ARG_NUMBER && r->kind == KIND_SELECT && number_is_length(&r->number) &&
	    r->number.value < DATABASE_MAX)
		r->value = r->number.value;
	if (r->reading == ARG_NUMBER && r->kind == KIND_EVAL &&
	    !(r->number.n && !r->number.negative && r->number.value))
		r->key_at = 0;
	if (r->reading == ARG_WORD)
		arg_word(r);
	return 0;
}

/* ---- commands ---- */

/* Takes a command that gets no reply: we do not see its effect.  After MULTI, the server may only queue CLIENT REPLY
 * ON. */
static inline __u32 front_silent(struct front *c)
{
	c->doubt = 1;
	if (c->in.kind >= KIND_SUBSCRIBE || c->in.kind == KIND_MULTI || c->in.kind == KIND_RESET)
		return FRONT_LOST;
	c->forgets |= !asked_is_simple(c->in.kind) && c->in.kind != KIND_REPLY;
	return FRONT_UNANSWERED;
}

/* Queues the command that has just ended. */
static inline __u32 front_ask(struct front *c)
{
	struct command_in *r = &c->in;
	struct asked a = { .prefix = r->prefix, .code = r->code, .kind = r->kind, .waits = r->waits,
			   .doubt = c->doubt, .forgets = c->forgets };
	int left = c->asked.left != 0;

	if (!asked_is_simple(r->kind))
		a.value = r->kind >= KIND_SUBSCRIBE ? r->n_args - 1 : r->value;
	if (asked_push(&c->asked, &a))
		return FRONT_LOST;
	c->doubt = c->forgets = 0;
	return left ? 0 : FRONT_ASKED;
}

/* Ends a command. */
static inline __u32 front_end(struct front *c)
{
	struct command_in *r = &c->in;
	int off = c->reply_off, skip = c->reply_skip;

	r->state = IN_START;
	c->reply_skip = 0;
	if (r->kind == KIND_REPLY && r->n_args == 3 && r->reply) {
		if (r->reply == REPLY_SKIP)
			c->reply_skip = !off;
		else
			c->reply_off = r->reply == REPLY_OFF;
		if (r->reply != REPLY_ON || skip)
			return front_silent(c);
		c->doubt = 1;
		return FRONT_ENDED;
	}
	r->reply = 0;
	if (r->kind == KIND_REPLY)
		r->kind = KIND_PLAIN;
	if (r->kind == KIND_RESET && off) {
		c->reply_off = off = 0;
		c->doubt = 1;
	}
	return off || skip ? front_silent(c) : FRONT_ENDED;
}

/* Takes the command's name when it is complete.  row: that of front.in.hash; NULL: the name is not in the table. */
static inline __u32 front_command(struct front *c, const struct command_row *row)
{
	struct command_in *r = &c->in;

	if (row) {
		r->code = row->code;
		r->kind = row->kind;
		r->key_at = row->key;
		r->waits = row->kind == KIND_WAITS;
	} else if (r->arg) {
		r->kind = KIND_PLAIN;		/* the container has no such command */
	}
	if (r->kind == KIND_HTTP)
		return front_bad(c);
	if (r->kind == KIND_REPLICA) {
		front_becomes(c, FRONT_IGNORED);
		return 0;
	}
	if (r->state == IN_LINE)
		r->arg++;
	return r->ended ? front_end(c) : 0;
}

/* ---- inline commands ---- */

static inline int is_space(__u8 byte)
{
	return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

/* Takes a byte that ends an argument, and at the end of the line also the command. */
static inline __u32 line_word_end(struct front *c)
{
	struct command_in *r = &c->in;
	__u32 out = arg_end(c);

	r->in_word = r->quote = r->escape = 0;
	r->n_args = r->arg + 1;
	if (!(out & FRONT_WORD))
		r->arg++;
	return out;
}

static inline __u32 line_end(struct front *c)
{
	struct command_in *r = &c->in;
	__u32 out = r->in_word ? line_word_end(c) : 0;

	r->state = IN_START;
	r->ended = 1;
	if (!r->n_args || (out & FRONT_WORD))
		return out;
	return out | front_end(c);
}

/* Takes a byte of an argument, without its quotes.  We do not read escapes: a word with one may be any word. */
static inline __u32 line_word(struct front *c, __u8 byte)
{
	struct command_in *r = &c->in;

	if (r->escape) {
		r->escape = 0;
		return 0;
	}
	if (byte == '\\' && r->quote) {
		r->escape = 1;
		if (r->reading == ARG_WORD)
			return front_bad(c);
		r->reading = ARG_SKIP;
		return 0;
	}
	if (r->quote ? byte == r->quote : byte == '"' || byte == '\'') {
		r->quote = r->quote ? 0 : byte;
		return 0;
	}
	return arg_byte(c, byte);
}

static inline __u32 line_byte(struct front *c, __u8 byte)
{
	struct command_in *r = &c->in;

	if (byte == '\n')
		return line_end(c);
	if (++r->length > INLINE_MAX)
		return front_bad(c);
	if (r->nul)
		return 0;
	if (!byte) {
		r->nul = 1;
		return r->in_word ? line_word_end(c) : 0;
	}
	if (is_space(byte) && !r->quote)
		return r->in_word ? line_word_end(c) : 0;
	if (!r->in_word) {
		r->in_word = 1;
		arg_begin(c);
	}
	return line_word(c, byte);
}

/* ---- receives ---- */

/* Returns how many bytes the caller may skip unread; 0: the parser needs the next one. */
static inline __u32 front_blind(const struct front *c)
{
	if (!front_reads(c))
		return ~0u;
	return c->in.state == IN_ARG && c->in.reading == ARG_SKIP ? c->in.left : 0;
}

static inline __u32 count_end(struct front *c)
{
	struct command_in *r = &c->in;

	if (!r->number.n || r->number.value > NUMBER_MAX)
		return front_bad(c);
	r->state = IN_START;
	if (r->number.negative || !r->number.value)
		return 0;			/* no command */
	command_begin(c);
	r->n_args = r->number.value;
	r->state = IN_DOLLAR;
	return 0;
}

static inline __u32 length_end(struct front *c)
{
	struct command_in *r = &c->in;

	if (!number_is_length(&r->number))
		return front_bad(c);
	r->left = r->number.value;
	r->state = IN_ARG;
	arg_begin(c);
	if (r->left)
		return 0;
	r->state = IN_ARG_CR;
	return arg_end(c);
}

static inline __u32 start_byte(struct front *c, __u8 byte)
{
	struct command_in *r = &c->in;
	__u32 out = c->asked.left ? 0 : FRONT_BEGIN;

	if (byte == '*') {
		r->state = IN_COUNT;
		number_begin(&r->number);
		return out;
	}
	command_begin(c);
	r->state = IN_LINE;
	return out | line_byte(c, byte);
}

/* Takes one byte, when front_blind() is 0. */
static inline __u32 front_byte(struct front *c, __u8 byte)
{
	struct command_in *r = &c->in;
	__u32 out;

	switch (r->state) {
	case IN_START:
		return start_byte(c, byte);
	case IN_LINE:
		return line_byte(c, byte);
	case IN_COUNT:
	case IN_LENGTH:
		if (byte == '\r')
			r->state++;
		else if (number_byte(&r->number, byte))
			return front_bad(c);
		return 0;
	case IN_COUNT_LF:
		return byte == '\n' ? count_end(c) : front_bad(c);
	case IN_DOLLAR:
		r->state = IN_LENGTH;
		number_begin(&r->number);
		return byte == '$' ? 0 : front_bad(c);
	case IN_LENGTH_LF:
		return byte == '\n' ? length_end(c) : front_bad(c);
	case IN_ARG:
		out = arg_byte(c, byte);
		if (!--r->left) {
			r->state = IN_ARG_CR;
			out |= arg_end(c);
		}
		return out;
	case IN_ARG_CR:
		r->state = IN_ARG_LF;
		return byte == '\r' ? 0 : front_bad(c);
	}
	if (byte != '\n')		/* IN_ARG_LF */
		return front_bad(c);
	if (++r->arg == r->n_args)
		return front_end(c);
	r->state = IN_DOLLAR;
	return 0;
}

/* Returns the number after the first of these bytes, if it has 1 or 2 digits and CR LF.  *ret_n: bytes; 0: none. */
static inline __u32 number_ahead(__u64 bytes, __u32 *ret_n)
{
	__u32 a = (__u8)(bytes >> 8) - '0', b = (__u8)(bytes >> 16) - '0';

	*ret_n = 0;
	if (a - 1 > 8)
		return 0;
	if ((bytes >> 16 & 0xffff) == '\r' + ('\n' << 8)) {
		*ret_n = 4;
		return a;
	}
	if (b <= 9 && (bytes >> 24 & 0xffff) == '\r' + ('\n' << 8)) {
		*ret_n = 5;
		return 10 * a + b;
	}
	return 0;
}

static inline __u32 front_number_ahead(struct front *c, __u64 bytes, __u32 *ret_n)
{
	struct command_in *r = &c->in;
	__u32 out = r->state == IN_START && !c->asked.left ? FRONT_BEGIN : 0;

	number_begin(&r->number);
	r->number.value = number_ahead(bytes, ret_n);
	r->number.n = 1;
	return *ret_n ? out | (r->state == IN_START ? count_end(c) : length_end(c)) : 0;
}

/* Takes several bytes at once in the usual cases, with the result of front_byte().  bytes: the next 8, the first one in
 * the lowest byte.  *ret_n: how many it took, perhaps 0. */
static inline __u32 front_ahead(struct front *c, __u64 bytes, __u32 *ret_n)
{
	__u8 byte = bytes;

	*ret_n = 0;
	if ((c->in.state == IN_START && byte == '*') || (c->in.state == IN_DOLLAR && byte == '$'))
		return front_number_ahead(c, bytes, ret_n);
	if (c->in.state != IN_ARG_CR || (bytes & 0xffff) != '\r' + ('\n' << 8))
		return 0;
	*ret_n = 2;
	c->in.state = IN_ARG_LF;
	return front_byte(c, '\n');
}

/* Skips n bytes, 1 .. front_blind(). */
static inline __u32 front_skip(struct front *c, __u32 n)
{
	struct command_in *r = &c->in;

	if (!front_reads(c))
		return 0;
	r->left -= n;
	if (r->left)
		return 0;
	r->state = IN_ARG_CR;
	return arg_end(c);
}

#endif
