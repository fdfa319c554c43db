/* store.h - slices, coverage, losses and instrumentations, kept across restarts.
 *
 *      batches --add (one transaction)--> tier 0 --adding up--> minutes --adding up--> hours
 *                                            \---------- read (one tier) ----------/--> slices
 *
 * Laws    (all in test/kit/store_laws*.c, which every store passes)
 *         A batch is added once, however often it is given, also after a restart.
 *         read() may give several pieces for the same (slot, key, axis, weight): the reader adds.
 *         What was given in one add() is there as a whole or not at all, in every tier.
 *         A range of a tier's whole slots holds the same in each tier that still has it.
 *         A batch that ends before what expire() dropped of tier 0 is not added (ret_new false):
 *         it could not be told from one that was.  It is in the coarser tiers, if it was added.
 *         What was dropped is told as dropped, never as nothing.
 * Tiers   see tier.h.  Slots are tier 0's everywhere; a slot of a coarser tier is named by the
 *         first of its slots.
 * Damage  What is stored carries checksums.  A damaged piece is never given out and never silent:
 *         read() goes on without it, returns 0, says so in store->reason and through loss(), with
 *         an empty source, n = 1 (at least one event) and sum = 0, for the slots it was filed
 *         under.  Damaged coverage is left out: those slots then count as not observed.  When the
 *         file itself can not be read any more, read() fails with -EBADMSG.
 * Users   sqlite/sqlite.c; memory.c, for tests and for private servers.
 * Thread  one call at a time; the aggregator calls from one worker at a time.
 * Errors  0 or -errno; store->reason (if not empty) says more.
 */
#ifndef HEATSCOPE_STORE_H
#define HEATSCOPE_STORE_H

#include "collector/core/batch.h"
#include "aggregator/store/tier.h"
#include <stdbool.h>

#define STORE_NAME_MAX 70

struct store_range {
	__s64 first, last;		/* slots, inclusive; widened to whole slots of the tier */
	int axis, weight;		/* < 0: every one */
	int tier;
	bool whole;			/* keys need not be told apart: slices of all of them may come as one,
					 * with an empty key, which is quicker */
	int grain;			/* so many of the tier's slots, from a multiple of it on, may come as one,
					 * filed under the first, if all of them are in the range; it divides
					 * CHUNK_SLOTS; 0, 1: each by itself */
};

struct store_reader {			/* NULL members are not asked for */
	void *arg;
	void (*slice)(void *arg, __s64 slot, const struct slice *s);
	/* Where slices are not asked for: how many events, of any slots of the range together.  s has no histogram. */
	void (*count)(void *arg, const struct slice *s, __u64 n);
	void (*cover)(void *arg, const char *source, __s64 first, __s64 last);	/* inclusive slots */
	void (*loss)(void *arg, const char *source, const struct loss *loss);
	void (*mark)(void *arg, const struct mark *mark);
	/* n of these slots were reported, and it is not known which: of coverage that is older than what
	 * tier 0 keeps, only the count per minute, or per hour, is kept. */
	void (*sparse)(void *arg, const char *source, __s64 first, __s64 last, __u64 n);
	void (*dropped)(void *arg, __s64 first, __s64 last);	/* of this tier: there was something */
	bool (*wants)(void *arg, const struct labels *key);	/* slices of other keys may be left out */
	/* As in a batch, slots ascending; of tier 0 only. */
	void (*exemplars)(void *arg, const char *source, __s64 slot, const __u8 *data, size_t len);
	/* Slices or losses are there, but damaged.  NULL: told through loss(), see Damage. */
	void (*damaged)(void *arg, __s64 first, __s64 last);
};

struct store_memory {			/* bytes that make the next call quicker */
	__u64 pages, sums;
};

struct store {
	const struct store_ops *ops;
	char reason[256];
	__u64 n_damaged;		/* damaged pieces met so far, each time again */
	__u64 n_dropped;		/* how often something was dropped because of the limit; */
	__u64 n_lost;			/* events of that which a coarser tier does not have either: losses in their slots */
	__s64 now_ns;			/* what is later is of a clock that was ahead, and the newest for nobody; 0: nothing is */
};

struct store_ops {
	void (*close)(struct store *s);

	/* One transaction.  ret_new[i]: batch i was not known before. */
	int (*add)(struct store *s, const struct batch *batch, size_t n, bool *ret_new);

	/* What is filed under the range's slots.  Coverage is cut to it; losses and marks are
	 * given where they touch it. */
	int (*read)(struct store *s, __u64 inst, const struct store_range *range,
		    const struct store_reader *reader);

	/* Instrumentations, as their JSON text. */
	int (*inst_put)(struct store *s, __u64 inst, const char *json);
	int (*inst_delete)(struct store *s, __u64 inst);	/* and all its data */
	int (*inst_each)(struct store *s, void (*each)(void *arg, __u64 inst, const char *json), void *arg);
	int (*next_id)(struct store *s, __u64 *ret_id);		/* never given twice */
	int (*identity)(struct store *s, char ret_uuid[40]);	/* of this store, made once */

	/* A text under a name (at most STORE_NAME_MAX bytes); "": nothing is kept under it. */
	int (*remember)(struct store *s, const char *name, const char *text);
	int (*recall)(struct store *s, const char *name, char *ret_text, size_t room);
	/* All whose names begin with `prefix`, by rising bytes of their names. */
	int (*recall_each)(struct store *s, const char *prefix, void (*each)(void *arg, const char *name, const char *text), void *arg);

	/* Drops each tier's slots before slot[tier] (for a coarser tier, whole slots of it; and it
	 * keeps at least what the finer one keeps).  Batch identities older than slot[0] go too;
	 * coverage, losses and marks stay as long as the last tier does, by minute, then by hour. */
	int (*expire)(struct store *s, __u64 inst, const __s64 slot[TIERS]);

	/* The first slot that add() still takes; INT64_MIN: any. */
	int (*oldest)(struct store *s, __u64 inst, __s64 *ret_slot);

	/* From now on it takes at most about so many bytes; 0: no limit.  shrink(), to be called now and
	 * then, and add(), where there is no room, drop the oldest of the finest tier first. */
	int (*limit)(struct store *s, __u64 bytes);
	int (*shrink)(struct store *s);

	void (*memory)(const struct store *s, struct store_memory *ret_memory);	/* NULL: nothing is kept so */

	/* Moves what ended before `slot` into its long-term layout, and adds it up to minutes and hours. */
	int (*compact)(struct store *s, __u64 inst, __s64 slot);
};

/* From which slot on each tier has what was in it; INT64_MIN: nothing was dropped. */
int store_kept(struct store *s, __u64 inst, __s64 ret_from[TIERS]);

/* For stores: may this batch be added?  -EBADMSG with a reason: a slice of it is none, or its slots
 * have a length that can not be kept. */
int store_check(struct store *s, const struct batch *b);

/* For stores: a new random identity. */
int store_uuid(char ret_uuid[40]);

/* Opens or makes the database at `path` (mode 0640).  The file is read and checked as a whole, about
 * a second per GB.  -EBADMSG: damaged, or not a database; -EPROTO: of a newer version; -EINVAL:
 * somebody else's.  The reason is one sentence. */
int store_sqlite_open(const char *path, struct store **ret_store, char *reason, size_t room);
int store_memory_open(struct store **ret_store);

#endif
