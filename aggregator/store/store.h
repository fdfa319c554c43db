/* store.h - defines the interface of a store: it keeps slices, coverage, losses and instrumentations across restarts.
 *
 *      batches --add (one transaction)--> tier 0 --adding up--> minutes --adding up--> hours
 *                                            \---------- read (one tier) ----------/--> slices
 *
 * Laws    (all in test/kit/store_laws*.c, which every store passes)
 *         - A batch is added once, even if it is given several times, also after a restart.
 *         - read() may give several pieces for the same (slot, key, axis, weight): the caller adds them.
 *         - The batches of one add() are stored as a whole or not at all, in every tier.
 *         - A range of a tier's whole slots holds the same in each tier that still has it.
 *         - A batch that ends before the slots that expire() dropped from tier 0 is not added (ret_new false): the
 *           store could not know whether it had it before.  If it was added before, the coarser tiers have it.
 *         - Dropped data are reported as dropped, never as nothing.
 * Tiers   see tier.h.  Slots are tier 0's everywhere; the first slot of tier 0 in a coarser slot names it.
 * Damage  Stored data carry checksums.  The store never returns a damaged piece and never hides it.  read() goes on
 *         without it, returns 0, and reports it in store->reason and through loss(): for the slots under which it was
 *         filed, with an empty source, n = 1 (at least one event) and sum = 0.  Slots of damaged coverage count as not
 *         observed.  If the file itself can no longer be read, read() fails with -EBADMSG.
 * Users   sqlite/sqlite.c; clickhouse/clickhouse.c, for a fleet; shards.c, which makes one of several; memory.c, for tests and
 *         for private servers.
 * Thread  one call of a handle at a time, from any thread; a server may have several handles.
 * Errors  0 or -errno; store->reason (if not empty) says more.  -EAGAIN: the store is a server that is away or
 *         overloaded; nothing is wrong with the call, which may work later.
 */
#ifndef HEATSCOPE_STORE_H
#define HEATSCOPE_STORE_H

#include "collector/core/batch.h"
#include "aggregator/store/tier.h"
#include <stdbool.h>

#define STORE_NAME_MAX 70
#define STORE_AWAY "the server that keeps the data does not answer, or is overloaded: try again later"	/* for -EAGAIN */

struct store_range {
	__s64 first, last;		/* slots, inclusive; widened to whole slots of the tier */
	int axis, weight;		/* < 0: all */
	int tier;
	bool whole;			/* the caller does not need keys: slices of all keys may come as one,
					 * with an empty key, which is quicker */
	int grain;			/* so many of the tier's slots, from a multiple of it on, may come as one,
					 * filed under the first, if all of them are in the range; it divides
					 * CHUNK_SLOTS; 0, 1: each slot by itself */
};

struct store_reader {			/* NULL members are not read */
	void *arg;
	void (*slice)(void *arg, __s64 slot, const struct slice *s);
	/* Instead of slices: counts events, of any slots of the range together.  s has no histogram. */
	void (*count)(void *arg, const struct slice *s, __u64 n);
	void (*cover)(void *arg, const char *source, __s64 first, __s64 last);	/* inclusive slots */
	void (*loss)(void *arg, const char *source, const struct loss *loss);
	void (*mark)(void *arg, const struct mark *mark);
	/* n of these slots were reported, but it is not known which ones: for coverage older than
	 * tier 0, only the count per minute, or per hour, is kept. */
	void (*sparse)(void *arg, const char *source, __s64 first, __s64 last, __u64 n);
	void (*dropped)(void *arg, __s64 first, __s64 last);	/* slots of this tier that had data */
	bool (*wants)(void *arg, const struct labels *key);	/* slices of other keys may be left out */
	/* Exemplars as in a batch, slots ascending; of tier 0 only. */
	void (*exemplars)(void *arg, const char *source, __s64 slot, const __u8 *data, size_t len);
	/* Slices or losses exist but are damaged.  NULL: reported through loss(), see Damage. */
	void (*damaged)(void *arg, __s64 first, __s64 last);
};

struct store_memory {			/* memory that makes the next call quicker */
	__u64 pages, sums;
};

#define STORE_SHARDS_MAX 16

struct store_shard {			/* one store of several that are used as one, as the last call found it */
	char address[200];
	__u64 bytes;			/* on its disk; 0: not known yet */
	bool is_away;
};

struct store {
	const struct store_ops *ops;
	char reason[256];
	__u64 n_damaged;		/* damaged pieces met so far, counted each time */
	__u64 n_dropped;		/* how often data were dropped because of the limit */
	__u64 n_lost;			/* events of these that no coarser tier has: they are losses in their slots */
	__u64 n_texts;			/* how often store_remember() and the two after it were called */
	__s64 now_ns;			/* later slots come from a clock that was ahead, and never count as the newest;
					 * 0: unknown */
};

struct store_ops {
	void (*close)(struct store *s);

	/* Adds n batches in one transaction.  ret_new[i]: batch i was not known before. */
	int (*add)(struct store *s, const struct batch *batch, size_t n, bool *ret_new);

	/* Reads what is filed under the range's slots.  Cuts coverage to the range; gives losses and marks
	 * that touch it. */
	int (*read)(struct store *s, __u64 inst, const struct store_range *range,
		    const struct store_reader *reader);

	/* Instrumentations, as JSON text. */
	int (*inst_put)(struct store *s, __u64 inst, const char *json);
	int (*inst_delete)(struct store *s, __u64 inst);	/* and all its data */
	int (*inst_each)(struct store *s, void (*each)(void *arg, __u64 inst, const char *json), void *arg);
	int (*next_id)(struct store *s, __u64 *ret_id);		/* an id that was never given before */
	int (*identity)(struct store *s, char ret_uuid[40]);	/* of this store, made once */

	/* Keeps a text under a name (at most STORE_NAME_MAX bytes); "" removes it. */
	int (*remember)(struct store *s, const char *name, const char *text);
	int (*recall)(struct store *s, const char *name, char *ret_text, size_t room);
	/* Gives all texts whose names begin with `prefix`, in the order of the names' bytes. */
	int (*recall_each)(struct store *s, const char *prefix, void (*each)(void *arg, const char *name, const char *text), void *arg);

	/* Drops each tier's slots before slot[tier] (of a coarser tier, whole slots; it
	 * keeps at least as much as the finer one).  Batch identities older than slot[0] go, too;
	 * coverage, losses and marks stay as long as the last tier, by minute, then by hour. */
	int (*expire)(struct store *s, __u64 inst, const __s64 slot[TIERS]);

	/* Returns the first slot that add() still takes; INT64_MIN: any. */
	int (*oldest)(struct store *s, __u64 inst, __s64 *ret_slot);

	/* Limits the store to about so many bytes from now on; 0: no limit.  shrink(), to be called now and
	 * then, and add(), when space runs out, drop the oldest slots of the finest tier first. */
	int (*limit)(struct store *s, __u64 bytes);
	int (*shrink)(struct store *s);

	/* Measures the bytes on the disk.  NULL: the store cannot. */
	int (*size)(struct store *s, __u64 *ret_bytes);

	/* NULL: the store keeps no such memory */
	void (*memory)(const struct store *s, struct store_memory *ret_memory);

	/* Returns how many stores this one consists of.  NULL: it is not made of others. */
	size_t (*shards)(const struct store *s, struct store_shard ret_shard[STORE_SHARDS_MAX]);

	/* Moves data that ended before `slot` into the long-term layout, and adds them up to minutes and hours. */
	int (*compact)(struct store *s, __u64 inst, __s64 slot);
};

/* The same as the functions of store_ops; store_queue.h calls texts() after them. */
static inline int store_remember(struct store *s, const char *name, const char *text)
{
	s->n_texts++;
	return s->ops->remember(s, name, text);
}

static inline int store_inst_put(struct store *s, __u64 inst, const char *json)
{
	s->n_texts++;
	return s->ops->inst_put(s, inst, json);
}

static inline int store_inst_delete(struct store *s, __u64 inst)
{
	s->n_texts++;
	return s->ops->inst_delete(s, inst);
}

/* Returns from which slot on each tier is complete; INT64_MIN: nothing was dropped. */
int store_kept(struct store *s, __u64 inst, __s64 ret_from[TIERS]);

/* Copies the instrumentations and the texts, not the data, into a store in memory, which the caller closes. */
int store_copy_texts(struct store *from, struct store **ret_copy);

/* For stores: checks whether the batch may be added.  -EBADMSG with a reason: one of its slices is malformed, or its
 * slots have a length that can not be kept. */
int store_check(struct store *s, const struct batch *b);

/* For stores: makes a new random identity. */
int store_uuid(char ret_uuid[40]);

/* Opens or makes the database at `path` (mode 0640).  Reads and checks the whole file, about
 * a second per GB.  -EBADMSG: damaged, or not a database; -EPROTO: of a newer version; -EINVAL:
 * of another program.  The reason is one sentence. */
int store_sqlite_open(const char *path, struct store **ret_store, char *reason, size_t room);
int store_memory_open(struct store **ret_store);

struct store_clickhouse_conf {
	const char *url;		/* http://HOST:PORT or https://HOST:PORT; for several see shards.h */
	const char *database;		/* letters, digits and _ */
	const char *user, *password;	/* "": none is sent */
	const char *ca;			/* a PEM file for https; "": the system's certificates */
};

/* Opens the database in a ClickHouse server, from version 18.16 on, or makes it.  Several heatscoped may use it, and one of them
 * at a time calls what changes more than add() does, see clickhouse.h.
 * -EAGAIN: the server is away; -EACCES: it does not admit us; -EPROTO: of a newer version; -EINVAL: of another program.
 * The reason is one sentence. */
int store_clickhouse_open(const struct store_clickhouse_conf *conf, struct store **ret_store, char *reason, size_t room);

#endif
