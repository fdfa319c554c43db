/* asked.h - keeps in order the commands of a connection that have no reply yet; pure.
 *
 *      asked_push() each ... asked_first() -> asked_pop() at its reply
 *
 *      kind[]  | - | GET user | SET user | SELECT 3 |      each with the number of its commands
 *      run[]   | 16 x 1 | 1 x 2 | 1 x 1 | 5 x 2 |          ring of ASKED_RUNS, `first` is answered next
 *
 * Shape   Equal commands have one kind, and those in a row one run.  A command in doubt always has a kind of its own.
 * Bounds  The first ASKED_SIMPLE kinds have their name.  A kind that comes while fewer than ASKED_KEYED wait has its
 *         prefix, too.  A command of a further kind, or beyond ASKED_RUNS - 1 runs, has neither: its kind is kind[0].
 *         It keeps its place, so it gets its own reply and is counted.  Commands in doubt, and those whose replies have
 *         an effect, may take ASKED_KINDS - 1 kinds; beyond these or ASKED_RUNS - 1 runs they are lost.
 */
#ifndef HEATSCOPE_REDIS_ASKED_H
#define HEATSCOPE_REDIS_ASKED_H

#include "collector/redis/redis.h"
#include "collector/server/name.h"

#define ASKED_RUNS 1024			/* a power of two; 4 kB of each connection */
#define ASKED_KINDS 64			/* a power of two; 1.5 kB */
#define ASKED_KEYED 32
#define ASKED_SIMPLE 48

#define RUN_SHIFT 24			/* a run: place in kind[] << RUN_SHIFT | its commands */
#define RUN_MAX ((1u << RUN_SHIFT) - 1)

struct asked {				/* a kind of commands */
	__u64 prefix;
	__u32 n;			/* commands of this kind without a reply; 0: the entry is free */
	__u32 value;			/* SUBSCRIBE ...: channels; SELECT: the database */
	__u16 code;
	__u8 kind;
	__u8 waits;			/* it may wait for data */
	__u8 doubt;			/* commands just before it should get no reply, but may get one */
	__u8 forgets;			/* one of those may have changed the connection's state */
	__u8 pad[2];
};

struct asked_ring {
	struct asked kind[ASKED_KINDS];	/* kind[0] is all zero but for n: COMMAND_UNKNOWN, NAME_UNKNOWN */
	__u32 run[ASKED_RUNS];
	__u32 first, n;			/* runs */
	__u32 left;			/* commands */
	__u32 n_kinds;			/* that are not free, without kind[0] */
	__u32 top;			/* the kinds from here on are free */
	__u32 pad;
};

static inline void asked_clear(struct asked_ring *r)
{
	__u32 i;

	for (i = 0; i < ASKED_KINDS; i++)
		r->kind[i].n = 0;
	r->n = r->left = r->n_kinds = r->top = 0;
}

static inline __u32 *asked_run(struct asked_ring *r, __u32 i)
{
	return &r->run[(r->first + i) & (ASKED_RUNS - 1)];
}

static inline struct asked *asked_kind(struct asked_ring *r, __u32 run)
{
	return &r->kind[(run >> RUN_SHIFT) & (ASKED_KINDS - 1)];
}

static inline int asked_is_simple(__u8 kind)
{
	return kind <= KIND_EVAL;
}

static inline int asked_same(const struct asked *a, const struct asked *b)
{
	return a->code == b->code && a->prefix == b->prefix && a->value == b->value && a->kind == b->kind &&
	       a->waits == b->waits && !a->doubt && !b->doubt && !a->forgets && !b->forgets;
}

/* Returns the place of a's kind; 0: no command of it waits.  No state goes from one step to the next, so the verifier
 * sees each step once. */
static inline __u32 asked_find(const struct asked_ring *r, const struct asked *a)
{
	__u32 i;

	for (i = 1; i < ASKED_KINDS; i++) {
		if (i >= r->top)
			break;
		if (r->kind[i].n && asked_same(&r->kind[i], a))
			return i;
	}
	return 0;
}

/* Returns the place of a's kind, perhaps a new one; 0: `most` are taken. */
static inline __u32 asked_place(struct asked_ring *r, const struct asked *a, __u32 most)
{
	__u32 i = r->n_kinds ? asked_find(r, a) : 0;

	if (i || r->n_kinds >= most)
		return i;
	for (i = 1; i < ASKED_KINDS; i++) {
		if (r->kind[i].n)
			continue;
		r->kind[i] = *a;
		r->kind[i].n = 0;
		return i;
	}
	return 0;
}

/* Adds a command to the last run or to a new one.  Returns 0; -1: `most` runs are taken. */
static inline int asked_add(struct asked_ring *r, __u32 place, __u32 most)
{
	struct asked *kind = &r->kind[place & (ASKED_KINDS - 1)];
	__u32 *last = asked_run(r, r->n - 1);

	if (r->n && *last >> RUN_SHIFT == place && (*last & RUN_MAX) != RUN_MAX) {
		++*last;
	} else {
		if (r->n >= most)
			return -1;
		*asked_run(r, r->n++) = place << RUN_SHIFT | 1;
	}
	r->n_kinds += place && !kind->n;
	if (place >= r->top)
		r->top = place + 1;
	kind->n++;
	r->left++;
	return 0;
}

/* Returns 0; -1: a has no place, and its reply would change what later replies mean. */
static inline int asked_push(struct asked_ring *r, const struct asked *a)
{
	int simple = asked_is_simple(a->kind) && !a->doubt, keyed = a->prefix > NAME_NONE;
	__u32 place = asked_place(r, a, !simple ? ASKED_KINDS - 1 : keyed ? ASKED_KEYED : ASKED_SIMPLE);

	if (!place && simple && keyed) {
		struct asked unknown = *a;

		unknown.prefix = NAME_UNKNOWN;
		place = asked_place(r, &unknown, ASKED_SIMPLE);
	}
	if (place && !asked_add(r, place, ASKED_RUNS - 1))
		return 0;
	return simple ? asked_add(r, 0, ASKED_RUNS) : -1;
}

/* Returns the command that is answered next; NULL: there is none. */
static inline struct asked *asked_first(struct asked_ring *r)
{
	return r->n ? asked_kind(r, *asked_run(r, 0)) : 0;
}

static inline void asked_pop(struct asked_ring *r)
{
	__u32 *run = asked_run(r, 0);
	struct asked *kind = asked_kind(r, *run);

	r->left--;
	if (!--kind->n && *run >> RUN_SHIFT)
		r->n_kinds--;
	if (--*run & RUN_MAX)
		return;
	r->first = (r->first + 1) & (ASKED_RUNS - 1);
	if (!--r->n)
		r->top = 0;
}

#endif
