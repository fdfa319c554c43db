/* ring.h - counts events in a ring of slots, in memory that kernel and collector share.
 *
 *      entry[slot % n_slots]  -> { slot, free, row }          one word
 *      cells[row][shard][class][measure] -> n_cells x u32     one count per bucket
 *      totals[same index]                -> count, sum, min, max
 *      weighed[row][shard][class]        -> n_weight_cells x n_weights x u64    sums of the weights of its events
 *
 * Each instrumentation has a ring, of n_slots entries and n_slots + n_spares rows.  A row that no entry names is a
 * *spare*: with n spares the reader takes n slots in one grace period.  shard = cpu % n_shards; class = dense number of
 * a key, 0 is `other`.
 *
 * Writers (kernel, all CPUs) find the word of the event's own slot:
 *      word.slot == slot   add to word.row
 *      word.free           claim it for this slot by compare-and-swap, then add
 *      older slot, unread  overrun: count a loss with its slot; overwrite nothing
 * A slot may claim a word only if it is at most one older than the newest slot that was claimed.  Otherwise the word is
 * for a slot that is still to come, and the event goes to the `late` queue.
 *
 * The reader (one thread), for a slot that has ended:
 *      1. xchg(word, FREE | spare)    a program that starts from now on cannot find the old row
 *      2. membarrier(GLOBAL)          waits for an RCU grace period: every program that had read
 *                                     the old word has finished (they run inside rcu_read_lock)
 *      3. read the old row, zero it, and call it a spare
 * So each add happens before step 3, or to another row.  None is lost, and none lands in a slot that is not the event's
 * own, however late the reader is.  An event that arrives for the slot after step 1 claims a row again, or goes to the
 * queue.  It becomes an amendment.
 *
 * Zero    Every event is counted in the first measure.  In another measure it is counted only if its value is not 0,
 *         which saves most of the cost of a quick event.  The reader adds the missing zeros.
 * Weights An event adds all its weights to its bucket of the first measure.  count, sum, min and max of a weight's
 *         histogram are the first measure's.
 * Points  A measure of exchanges that still run at the end of a slot is not in the rows: the reader gets it together
 *         with the late events.
 * Range   A cell has 32 bits: a slot is at most one second long, and no machine ends 2^32 requests on one shard in
 *         that time.  Sums have 64 bits.
 * Both    The first half is compiled for the BPF target too.
 */
#ifndef HEATSCOPE_RING_H
#define HEATSCOPE_RING_H

#include "collector/ring/event.h"
#include "collector/core/exemplar.h"
#include "collector/ring/filter.h"
#include "collector/core/key.h"
#include "collector/core/quantize.h"

/*      63         16   15   14   0
 *     |    slot     | free | row  |        slot: from the epoch; at 1 us, 48 bits last for years  */
#define RING_FREE 0x8000ull
#define RING_ROW(word) ((__u32)(word) & 0x7fff)
#define RING_SLOT(word) ((word) >> 16)
#define RING_WORD(slot, row) ((__u64)(slot) << 16 | (row))
#define RING_ROWS_MAX 0x7fff

enum { RING_OVERRUN = -1, RING_LATE = -2 };	/* instead of a row */

struct ring_total {
	__u64 count, sum, min, max;	/* min is kept as its complement, so that zeroed memory is empty */
};

struct ring_loss {
	__u64 n, sum;
	__u64 first, last;		/* first is kept as its complement as well */
};

/* The state that kernel and reader share; the entries follow it in the map, ring_entries(). */
struct ring_state {
	__u64 newest;			/* highest slot that was claimed */
	__u64 recent;			/* ring_slot()'s: slot of the latest event and its entry, RING_WORD(slot,
					 * index) */
	__u64 first_slot;		/* events of earlier slots are not recorded */
	__u32 bank;			/* the bank that counts losses now; the reader takes the other one */
	__u32 forgotten;		/* how many keys the reader took the class from; wraps */
	struct ring_loss loss[2];
	__u64 shed;			/* fields that are left out to save time: WANTED_FIELD() */
	struct filter_lists lists;	/* the lists of the plan's filter */
};

static inline __u64 ring_state_len(__u32 n_slots) { return sizeof(struct ring_state) + n_slots * 8ull; }
static inline __u64 *ring_entries(struct ring_state *st) { return (__u64 *)(st + 1); }

#define RING_MEASURES 16		/* of one instrumentation, and weights; == MEASURES_MAX */

/* An event that the collector files. */
struct ring_late {
	__u64 slot;
	__u32 weight;			/* number of events that it stands for */
	__u32 running;			/* 1: it has only the measures of scope point; 0: it has all the others */
	struct key key;
	__u64 measure[EVENT_MEASURES];	/* those of the event */
};

#define RING_LATE_MAX 1024

struct exemplar {			/* an event that is kept as it was */
	__u64 weight;			/* number of events that it stands for */
	__u64 shed;			/* fields that it does not have: WANTED_FIELD() */
	struct event event;
};

/* The constants by which a record program is specialised. */
struct ring_plan {
	__u64 slot_ns;
	__u64 ruler[RING_MEASURES], weight_ruler;
	__u32 n_slots, n_shards, n_measures, n_classes;	/* n_classes: n_keys + 1 */
	__u32 n_cells;					/* of the longest ruler */
	__u32 n_weights, n_weight_cells;
	__u32 n_fields;
	__u32 n_spares;					/* 0 means 1 */
	__u32 n_idle;					/* for so many slots without an event a key keeps its class */
	__u32 points;					/* bits of measures of scope point: no event has them */
	__u32 alone;					/* a shard has one writer at a time: no atomic operations */
	__u32 n_exemplars, n_cpus;			/* worst events to keep per row and CPU; 0: no exemplars */
	__u32 n_exemplar_fields;			/* exemplars have the first so many fields of events */
	__u32 verbatim;					/* 1: exemplars have texts (statement_text.h) */
	__u8 field[KEY_CODES];				/* index in event.field[] per field of the key */
	__u8 measure[RING_MEASURES], weight[RING_MEASURES];	/* index in event.measure[] */
	struct filter filter;				/* the events that it counts */
};

#define RING_SPARES_MAX 8
static inline __u32 ring_spares(const struct ring_plan *p) { return p->n_spares ? p->n_spares : 1; }

/* Returns the code of an event in the i-th field of a key. */
static inline __u64 ring_code(const volatile struct ring_plan *p, __u64 shed, const struct event *event, __u32 i)
{
	__u32 field = p->field[i] & (EVENT_FIELDS - 1);

	return shed & WANTED_FIELD(field) ? KEY_SHED : event->field[field];
}

/* Returns the position in `weighed`. */
static inline __u32 ring_place(const volatile struct ring_plan *p, __u32 row, __u32 shard, __u32 class_)
{
	return (row * p->n_shards + shard) * p->n_classes + class_;
}

/* Returns the position in `cells` and `totals`.  All that one event adds to lies together, on as few pages as
 * possible. */
static inline __u32 ring_at(const volatile struct ring_plan *p, __u32 row, __u32 shard, __u32 measure,
			    __u32 class_)
{
	return ring_place(p, row, shard, class_) * p->n_measures + measure;
}

/* Returns the cell of an event's first weight in `weighed`; those of the other weights follow it. */
static inline __u32 ring_weight_cell(const volatile struct ring_plan *p, __u64 value)
{
	return ruler_cell(p->weight_ruler, value) * p->n_weights;
}

/* Positions of a row's and CPU's exemplars: of its box, and of the first exemplar. */
static inline __u32 ring_box(const volatile struct ring_plan *p, __u32 row, __u32 cpu) { return row * p->n_cpus + cpu; }
static inline __u32 ring_exemplar(const volatile struct ring_plan *p, __u32 box)
{
	return box * (p->n_exemplars + EXEMPLAR_DECADES);
}

static inline int ring_is_point(const volatile struct ring_plan *p, __u32 m) { return p->points >> m & 1; }

/* Is this value of the m-th measure written?  See Zero. */
static inline int ring_writes(const volatile struct ring_plan *p, __u32 m, __u64 value)
{
	return !ring_is_point(p, m) && (!m || value);
}

/* Returns the slot of a time, and its entry.  It needs two divisions, which take 10 ns, only if the slot differs from
 * the one of the last call. */
static inline __u64 ring_slot(const volatile struct ring_plan *p, __u64 *recent, __u64 end_ns, __u32 *ret_index)
{
	__u64 word = *(volatile __u64 *)recent, slot = RING_SLOT(word);

	if (end_ns - slot * p->slot_ns >= p->slot_ns) {
		slot = end_ns / p->slot_ns;
		word = RING_WORD(slot, slot % p->n_slots);
		*(volatile __u64 *)recent = word;
	}
	*ret_index = RING_ROW(word);
	return slot;
}

/* Returns the word that the hash of classes stores for a key.  Between a program's lookup and its read of the value,
 * the kernel may delete an element and use it again for another key: then the tag differs.  Tag 32 bits | class 32
 * bits; read and written as one word. */
static inline __u64 ring_class_word(const volatile struct ring_plan *p, const struct key *key, __u32 class_)
{
	__u64 hash = HASH_SEED;
	__u32 i;

	for (i = 0; i < KEY_CODES; i++)
		if (i < p->n_fields)
			hash = (hash ^ key->code[i]) * 0x9e3779b97f4a7c15ull;
	return (hash & 0xffffffff00000000ull) | class_;
}

#define RING_REMEMBERED 16		/* keys whose classes a CPU remembers, to save look-ups; a power of two */

/* A remembered class is valid as long as the reader has not forgotten a key since then.  The reader first waits for the
 * programs that may have found the class of a forgotten key, and then increments `forgotten`.  So these programs
 * remember the class with the old count, in any order in which their processor reads.  One program at a time writes
 * here, and programs that interrupt it read, so it writes the word last. */
struct ring_remembered {
	struct key key;
	__u64 word;			/* ring_class_word(); 0: empty */
	__u32 forgotten, pad;
};

/* Returns the place where a class is remembered. */
static inline __u32 ring_remembered_at(__u64 word) { return word >> 60 & (RING_REMEMBERED - 1); }

/* Returns the class of a key whose word without class is `word`; 0: it is not remembered. */
static inline __u32 ring_recall(const volatile struct ring_plan *p, const struct ring_remembered *r, const struct key *key,
				__u64 tag, __u32 forgotten)
{
	__u64 word = *(const volatile __u64 *)&r->word;
	__u32 i;

	if ((word & 0xffffffff00000000ull) != tag || r->forgotten != forgotten)
		return 0;
	for (i = 0; i < KEY_CODES; i++)
		if (i < p->n_fields && r->key.code[i] != key->code[i])
			return 0;
	return (__u32)word;
}

/* Remembers a class.  forgotten: its value when the class was looked up. */
static inline void ring_remember(struct ring_remembered *r, const struct key *key, __u64 word, __u32 forgotten)
{
	*(volatile __u64 *)&r->word = 0;
	__asm__ volatile("" ::: "memory");
	r->key = *key;
	r->forgotten = forgotten;
	__asm__ volatile("" ::: "memory");
	*(volatile __u64 *)&r->word = word;
}

/* Returns the row of a slot, and claims one if the slot has none; or RING_OVERRUN, RING_LATE. */
static inline int ring_row(__u64 *entry, __u64 *newest, __u64 slot)
{
	int tries;

	for (tries = 0; tries < 4; tries++) {
		__u64 word = *(volatile __u64 *)entry, seen = *(volatile __u64 *)newest, claimed;

		if (!(word & RING_FREE)) {
			if (RING_SLOT(word) == slot)
				return RING_ROW(word);
			return RING_SLOT(word) < slot ? RING_OVERRUN : RING_LATE;
		}
		if (slot + 1 < seen)
			return RING_LATE;
		claimed = RING_WORD(slot, RING_ROW(word));
		if (__sync_val_compare_and_swap(entry, word, claimed) != word)
			continue;
		if (slot > seen)	/* after a lost race it is a little low, so a few older slots may claim, too */
			__sync_val_compare_and_swap(newest, seen, slot);
		return RING_ROW(word);
	}
	return RING_OVERRUN;
}

static inline void ring_raise(__u64 *highest, __u64 value)
{
	int tries;

	if (value <= *(volatile __u64 *)highest)
		return;
	for (tries = 0; tries < 16; tries++) {
		__u64 seen = *(volatile __u64 *)highest;

		if (value <= seen || __sync_val_compare_and_swap(highest, seen, value) == seen)
			return;
	}
}

/* Adds an event that stands for `weight` events. */
static inline void ring_total_add(struct ring_total *total, __u64 value, __u32 weight)
{
	__sync_fetch_and_add(&total->count, weight);
	__sync_fetch_and_add(&total->sum, value * weight);
	ring_raise(&total->min, ~value);
	ring_raise(&total->max, value);
}

/* The same, if no other program adds at the same time: a locked operation takes 10 ns, and an event has three per
 * measure. */
static inline void ring_total_add_alone(struct ring_total *total, __u64 value, __u32 weight)
{
	total->count += weight;
	total->sum += value * weight;
	if (~value > total->min)
		total->min = ~value;
	if (value > total->max)
		total->max = value;
}

static inline void ring_weigh(__u64 *cell, __u64 value, __u32 alone)
{
	if (alone)
		*cell += value;
	else
		__sync_fetch_and_add(cell, value);
}

static inline void ring_loss_add(struct ring_state *state, __u64 slot, __u64 value, __u32 weight)
{
	struct ring_loss *loss = &state->loss[*(volatile __u32 *)&state->bank & 1];

	__sync_fetch_and_add(&loss->n, weight);
	__sync_fetch_and_add(&loss->sum, value * weight);
	ring_raise(&loss->first, ~slot);
	ring_raise(&loss->last, slot);
}

#endif
