/* slot_keys.h - how many keys a source has in a slot, over all of its batches: no more than a bound.
 *
 *      batch --slot_keys_cut()--> the batch without slices of further keys; what was in those is its loss
 *
 * Why     A batch is bounded (incoming_batch.h), but a source may send any number of them for a slot, and each key costs memory in the cube
 *         and rows in the store.
 * Bound   INCOMING_BATCH_KEYS_MAX keys of each (instrumentation, slot, source).  Keys that it has had go on being taken, so late events do.
 *         Of keys, not of slices: measures and weights of one key, and amendments, count once.
 * Memory  hashes of keys, of the slots that were spoken of last: SLOT_KEYS_HASHES at most, and some 72 bytes for each slot, of which
 *         each has room for 16 hashes at least: 13 MB in all.  What is older is forgotten, and its count begins anew.
 * Errors  -ENOMEM: the batch is as it was.
 * Pure    no loop, file or clock.  Thread: one at a time.
 */
#ifndef HEATSCOPE_SLOT_KEYS_H
#define HEATSCOPE_SLOT_KEYS_H

#include "collector/core/batch.h"

#define SLOT_KEYS_HASHES (1u << 20)	/* of 8 bytes */

struct slot_keys;			/* its fields are in slot_keys.c */

/* most: keys of a source in a slot; hashes: as SLOT_KEYS_HASHES, less for tests. */
int slot_keys_new(size_t most, size_t hashes, struct slot_keys **ret_keys);
void slot_keys_free(struct slot_keys *k);	/* NULL is fine */

/* Adds the batch's keys, and takes the slices of those that are too many out of it.  ret_n_events: how many events that
 * were; they are in b->loss, which then has the batch's slot among its own. */
int slot_keys_cut(struct slot_keys *k, struct batch *b, __u64 *ret_n_events);

#endif
