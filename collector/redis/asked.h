/* asked.h - keeps in order the commands of a connection that have no reply yet; pure.
 *
 *      asked_push() each ... asked_first() -> asked_pop() at its reply
 *
 *      | GET x 16 | SET | SUBSCRIBE, 3 channels | lost x 5 |      ring of ASKED_MAX, `first` is answered next
 *
 * Shape   Equal commands in a row are one entry.
 * Bound   A command that finds no free entry is lost: the caller counts it.  It keeps its place in the last entry, so
 *         later replies still belong to their commands.
 */
#ifndef HEATSCOPE_REDIS_ASKED_H
#define HEATSCOPE_REDIS_ASKED_H

#include "collector/redis/redis.h"

#define ASKED_MAX 256			/* a power of two; 6 kB of each connection */

struct asked {
	__u64 prefix;
	__u32 n;			/* commands in a row */
	__u32 value;			/* SUBSCRIBE ...: channels; SELECT: the database */
	__u16 code;
	__u8 kind;
	__u8 waits;			/* it may wait for data */
	__u8 doubt;			/* commands just before it should get no reply, but may get one */
	__u8 forgets;			/* one of those may have changed the connection's state */
	__u8 lost;			/* no entry was free for these */
	__u8 pad;
};

struct asked_ring {
	struct asked entry[ASKED_MAX];
	__u32 first, n;			/* entries */
	__u32 left;			/* commands */
	__u32 pad;
};

static inline struct asked *asked_at(struct asked_ring *r, __u32 i)
{
	return &r->entry[(r->first + i) & (ASKED_MAX - 1)];
}

static inline int asked_is_simple(__u8 kind)
{
	return kind <= KIND_EVAL;
}

static inline int asked_same(const struct asked *a, const struct asked *b)
{
	return a->code == b->code && a->prefix == b->prefix && a->waits == b->waits && !a->doubt && !b->doubt && !a->lost &&
	       asked_is_simple(a->kind) && asked_is_simple(b->kind);
}

/* Returns 0; 1: the command is lost, no entry is free; -1: also, its reply would change what later replies mean. */
static inline int asked_push(struct asked_ring *r, const struct asked *a)
{
	struct asked *last = asked_at(r, r->n - 1);

	if (r->n && asked_same(last, a)) {
		last->n++;
		r->left++;
		return 0;
	}
	if (r->n < ASKED_MAX - 1) {
		*asked_at(r, r->n++) = *a;
		r->left++;
		return 0;
	}
	if (!asked_is_simple(a->kind) || a->doubt)
		return -1;
	if (r->n < ASKED_MAX) {
		*asked_at(r, r->n++) = *a;
		asked_at(r, r->n - 1)->lost = 1;
	} else {
		last->n++;
	}
	return 1;
}

/* Returns the command that is answered next; NULL: there is none. */
static inline struct asked *asked_first(struct asked_ring *r)
{
	return r->n ? asked_at(r, 0) : 0;
}

static inline void asked_pop(struct asked_ring *r)
{
	struct asked *a = asked_at(r, 0);

	r->left -= !a->lost;
	if (--a->n)
		return;
	r->first = (r->first + 1) & (ASKED_MAX - 1);
	r->n--;
}

#endif
