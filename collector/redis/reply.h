/* reply.h - parses the replies of RESP2 and RESP3, and finds the command that each belongs to; pure, for kernel and
 * tests.
 *
 *      send:  bytes -> back_byte(), back_blind(), back_skip() -> BACK_REPLY -> back_reply() -> BACK_DONE: front.done
 *
 *      +OK CR LF   -ERR text CR LF   :1 CR LF   $1 CR LF a CR LF   *2 CR LF and two elements, which may be arrays
 *      RESP3: _ # , ( are lines; = ! are texts; % ~ > | have elements
 *
 * Depth   does not matter: an array adds its elements to the number of those that are to come.
 * Pushes  belong to no command.  RESP3 marks them (>).  In RESP2 they are arrays: those of a connection that subscribes
 *         or did so begin with a known word, such as "message".
 */
#ifndef HEATSCOPE_REDIS_REPLY_H
#define HEATSCOPE_REDIS_REPLY_H

#include "collector/redis/parse.h"
#include "collector/server/statement.h"

enum back_flag {
	BACK_REPLY = 1,		/* a reply is complete: back_reply() */
	BACK_DONE = 2,		/* front.done is a command with its reply */
	BACK_LOST = 4,		/* it is not the protocol, or we do not know which reply belongs to which command */
};

enum out_reading { READ_NOTHING, READ_ERROR, READ_WORD, READ_INTEGER };

#define READ_WORD_MAX 16		/* bytes of a text that is read: no word that we know is longer */
#define OUT_LEFT_MAX (1ull << 40)	/* elements */

/* Is the next element the reply itself?  Else it is a part of the reply, or of an attribute before it. */
static inline int out_is_top(const struct reply *o)
{
	return !o->top && o->left == 1;
}

static inline __u32 out_begin(struct reply *o, __u8 type, int is_top)
{
	o->type = type;
	o->reading = READ_NOTHING;
	if (is_top && type != '|')
		o->top = type;
	number_begin(&o->number);
	switch (type) {
	case '+':
		if (is_top || o->first)
			o->reading = READ_WORD;
		break;
	case '-':
		o->hash = ERROR_SEED;
		if (is_top)
			o->reading = READ_ERROR;
		break;
	case ':':
		o->reading = READ_INTEGER;
		break;
	case ',': case '#': case '_': case '(':
		break;
	case '$':
		if (o->first)
			o->reading = READ_WORD;
		o->state = OUT_NUMBER;
		return 0;
	case '=': case '!': case '*': case '%': case '~': case '>': case '|':
		o->state = OUT_NUMBER;
		return 0;
	default:
		return BACK_LOST;
	}
	o->state = OUT_LINE;
	return 0;
}

static inline void out_word(struct reply *o, __u8 byte)
{
	if (o->word_n < 8)
		o->word |= (__u64)byte << (8 * o->word_n);
	o->word_n++;
}

static inline void out_line(struct reply *o, __u8 byte)
{
	switch (o->reading) {
	case READ_ERROR:
		if (byte == ' ')
			o->reading = READ_NOTHING;
		else
			o->hash = hash_byte(o->hash, byte);
		break;
	case READ_WORD:
		out_word(o, byte);
		break;
	case READ_INTEGER:
		if (number_byte(&o->number, byte))
			o->number.negative = 1;
		break;
	}
}

/* Ends an element. */
static inline __u32 out_end(struct reply *o)
{
	o->state = OUT_TYPE;
	o->left--;
	return o->left ? 0 : BACK_REPLY;
}

static inline __u32 out_line_end(struct reply *o)
{
	if (o->type == ':')
		o->integer = o->number.negative ? 0 : o->number.value;
	return out_end(o);
}

/* Ends the number of elements or bytes. */
static inline __u32 out_number_end(struct reply *o)
{
	int is_text = o->type == '$' || o->type == '=' || o->type == '!';
	__u64 n = o->number.value;

	if (!o->number.n || n > NUMBER_MAX || (o->number.negative && n != 1))
		return BACK_LOST;
	if (o->number.negative)
		return o->type == '$' || o->type == '*' ? out_end(o) : BACK_LOST;
	if (is_text) {
		o->bulk = n;
		o->state = n ? OUT_BULK : OUT_BULK_CR;
		if (n > READ_WORD_MAX)
			o->reading = READ_NOTHING;
		return 0;
	}
	if (o->type == '%' || o->type == '|')
		n *= 2;
	o->left += n;
	if (o->left > OUT_LEFT_MAX)
		return BACK_LOST;
	if (o->type == '|') {
		o->state = OUT_TYPE;
		return 0;
	}
	return out_end(o);
}

/* Returns how many bytes may be skipped unread; 0: the parser needs the next byte. */
static inline __u32 back_blind(const struct front *c)
{
	return c->out.state == OUT_BULK && c->out.reading == READ_NOTHING ? c->out.bulk : 0;
}

static inline __u32 out_bulk(struct reply *o, __u32 n)
{
	o->bulk -= n;
	if (!o->bulk)
		o->state = OUT_BULK_CR;
	return 0;
}

static inline __u32 out_type(struct reply *o, __u8 byte)
{
	int is_top = out_is_top(o);
	__u32 out = out_begin(o, byte, is_top);

	o->first = is_top && (byte == '*' || byte == '>');
	return out;
}

/* Takes one byte, when back_blind() is 0. */
static inline __u32 back_byte(struct front *c, __u8 byte)
{
	struct reply *o = &c->out;

	switch (o->state) {
	case OUT_TYPE:
		return out_type(o, byte);
	case OUT_LINE:
		if (byte == '\r')
			o->state = OUT_LINE_LF;
		else
			out_line(o, byte);
		return byte == '\n' ? BACK_LOST : 0;
	case OUT_LINE_LF:
		return byte == '\n' ? out_line_end(o) : BACK_LOST;
	case OUT_NUMBER:
		if (byte == '\r') {
			o->state = OUT_NUMBER_LF;
			return 0;
		}
		return number_byte(&o->number, byte) ? BACK_LOST : 0;
	case OUT_NUMBER_LF:
		return byte == '\n' ? out_number_end(o) : BACK_LOST;
	case OUT_BULK:
		out_word(o, byte);
		return out_bulk(o, 1);
	case OUT_BULK_CR:
		o->state = OUT_BULK_LF;
		return byte == '\r' ? 0 : BACK_LOST;
	}
	return byte == '\n' ? out_end(o) : BACK_LOST;
}

/* As front_ahead(), for a send. */
static inline __u32 back_ahead(struct front *c, __u64 bytes, __u32 *ret_n)
{
	const __u64 ok = STATEMENT_CODE("+OK\r\n");
	struct reply *o = &c->out;
	__u32 out;

	*ret_n = 0;
	if (o->state == OUT_BULK_CR && (bytes & 0xffff) == '\r' + ('\n' << 8)) {
		*ret_n = 2;
		return out_end(o);
	}
	if (o->state != OUT_TYPE)
		return 0;
	if ((__u8)bytes == '$') {
		__u32 value = number_ahead(bytes, ret_n);

		if (!*ret_n)
			return 0;
		out_type(o, '$');
		o->number.value = value;
		o->number.n = 1;
		return out_number_end(o);
	}
	if ((bytes & 0xffffffffffull) != ok || !out_is_top(o))
		return 0;
	*ret_n = 5;
	out = out_type(o, '+');
	o->word = STATEMENT_CODE("OK");
	o->word_n = 2;
	return out | out_end(o);
}

/* Skips n bytes, 1 .. back_blind(). */
static inline __u32 back_skip(struct front *c, __u32 n)
{
	return out_bulk(&c->out, n);
}

/* ---- whose reply is it? ---- */

#define WORD_IS(o, text) ((o)->word == STATEMENT_CODE(text) && (o)->word_n == sizeof(text) - 1)

/* Returns the kind of command whose effect this push reports; 0: the push reports no subscription. */
static inline __u8 out_subscription(const struct reply *o)
{
	return WORD_IS(o, "subscribe") ? KIND_SUBSCRIBE : WORD_IS(o, "unsubscribe") ? KIND_UNSUBSCRIBE :
	       WORD_IS(o, "psubscribe") ? KIND_PSUBSCRIBE : WORD_IS(o, "punsubscribe") ? KIND_PUNSUBSCRIBE :
	       WORD_IS(o, "ssubscribe") ? KIND_SSUBSCRIBE : WORD_IS(o, "sunsubscribe") ? KIND_SUNSUBSCRIBE : 0;
}

static inline int out_is_message(const struct reply *o)
{
	return WORD_IS(o, "message") || WORD_IS(o, "pmessage") || WORD_IS(o, "smessage");
}

static inline __u32 back_done(struct front *c, const struct asked *a, __u16 status)
{
	c->done.prefix = a->prefix;
	c->done.database = c->database;
	c->done.code = a->code;
	c->done.status = status;
	c->done.waits = a->waits && status != STATUS_QUEUED;
	asked_pop(&c->asked);
	return BACK_DONE;
}

/* Returns how many channels of this kind there were before. */
static inline __u64 subscriptions_are(struct front *c, __u8 kind, __u64 total)
{
	__u64 was;

	if (kind == KIND_SSUBSCRIBE || kind == KIND_SUNSUBSCRIBE) {
		was = c->shards;
		c->shards = total;
	} else if (kind == KIND_PSUBSCRIBE || kind == KIND_PUNSUBSCRIBE) {
		was = c->patterns;
		c->patterns = total > c->channels ? total - c->channels : 0;
	} else {
		was = c->channels;
		c->channels = total > c->patterns ? total - c->patterns : 0;
	}
	return was;
}

/* Takes the server's report that the connection subscribes to a channel, or no longer does. */
static inline __u32 back_subscription(struct front *c, const struct asked *a, __u8 kind, __u64 total)
{
	__u64 was = subscriptions_are(c, kind, total);

	if (!a || a->kind != kind)
		return c->sure ? 0 : BACK_LOST;
	if (!c->n_confirmed)
		c->n_needed = a->value ? a->value : was ? was : 1;
	if (!a->value && !c->sure)
		return BACK_LOST;
	if (++c->n_confirmed < c->n_needed)
		return 0;
	c->n_confirmed = c->n_needed = 0;
	return back_done(c, a, STATUS_OK);
}

/* Takes the effects of a reply that is no error. */
static inline void back_effect(struct front *c, __u8 kind, __u32 value, __u8 type)
{
	switch (kind) {
	case KIND_SELECT:
		c->database = value < DATABASE_MAX ? DATABASE_FIRST + value : DATABASE_UNKNOWN;
		break;
	case KIND_MULTI:
		c->multi = 1;
		c->multi_selects = 0;
		break;
	case KIND_HELLO:
		c->resp3 = type == '%';
		break;
	case KIND_RESET:
		c->database = DATABASE_FIRST;
		c->resp3 = 0;
		c->multi = c->multi_selects = 0;
		c->channels = c->patterns = c->shards = 0;
		break;
	case KIND_MONITOR:
		c->mode = FRONT_IGNORED;
		break;
	}
}

/* Ends a transaction after EXEC or DISCARD, whatever the reply is. */
static inline void back_multi_ends(struct front *c, __u8 kind)
{
	if (kind == KIND_EXEC && c->multi_selects)
		c->database = DATABASE_UNKNOWN;
	c->multi = c->multi_selects = 0;
}

/* Takes a reply that is no push.  status: STATUS_OK, or the code of its error. */
static inline __u32 back_answer(struct front *c, const struct reply *o, const struct asked *a, __u16 status)
{
	int queued = o->top == '+' && WORD_IS(o, "QUEUED") && (c->multi || !c->sure);
	int error = o->top == '-' || o->top == '!';
	__u32 value = a->value, out;
	__u8 kind = a->kind;

	if (a->doubt && (error || queued))
		return BACK_LOST;
	if (kind == KIND_REPLY && !(o->top == '+' && WORD_IS(o, "OK")))
		return BACK_LOST;
	if (kind >= KIND_SUBSCRIBE && !error)
		return BACK_LOST;
	if (queued && kind == KIND_SELECT)
		c->multi_selects = 1;
	out = back_done(c, a, queued ? STATUS_QUEUED : status);
	if (kind == KIND_EXEC || kind == KIND_DISCARD)
		back_multi_ends(c, kind);
	if (!error && !queued)
		back_effect(c, kind, value, o->top);
	return out;
}

/* Takes a complete reply.  status: STATUS_OK, or the code of the error with the hash front.out.hash. */
static inline __u32 back_reply(struct front *c, __u16 status)
{
	struct asked *a = asked_first(&c->asked);
	int subscribes = a && a->kind >= KIND_SUBSCRIBE, subscribed;
	struct reply o = c->out;
	__u8 kind;

	reply_reset(&c->out);
	if (a && a->forgets) {
		a->forgets = 0;
		front_doubt(c);
	}
	subscribed = c->channels || c->patterns || c->shards;
	c->resp3 |= o.top == '>';
	if (o.top == '>' || (o.top == '*' && !c->resp3 && (subscribes || subscribed || !c->sure))) {
		kind = out_subscription(&o);
		if (kind)
			return back_subscription(c, a, kind, o.integer);
		if (o.top == '>')
			return 0;
		if (out_is_message(&o))
			return c->sure ? 0 : BACK_LOST;
	}
	return a ? back_answer(c, &o, a, status) : BACK_LOST;
}

#endif
