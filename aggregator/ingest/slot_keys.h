/* slot_keys.h - bounds the number of keys that a source has in a slot, over all of its batches.
 *
 *      batch --slot_keys_cut()--> the batch without slices of further keys, whose events become its loss
 *
 * Why     One batch is bounded (incoming_batch.h), but a source may send any number of them for a slot.  Each key costs
 *         memory in the cube and rows in the store.
 * Bound   INCOMING_BATCH_KEYS_MAX keys of each (instrumentation, slot, source).  Later events of these keys are still
 *         taken.  The measures and weights of a key, and its amendments, count as one key.
 * Memory  13 MB in all, for the most recently used slots: at most SLOT_KEYS_HASHES hashes of keys, and 72 bytes for
 *         each slot (which has at least 16 of them).  For an older slot the count begins again at 0.
 * Errors  -ENOMEM: the batch is unchanged.
 * Pure    no loop, file or clock.  Thread: one at a time.
 */
#ifndef HEATSCOPE_SLOT_KEYS_H
#define HEATSCOPE_SLOT_KEYS_H

#include "collector/core/batch.h"

#define SLOT_KEYS_HASHES (1u << 20)	/* of 8 bytes */

struct slot_keys;			/* its fields are in slot_keys.c */

/* most: keys of a source in a slot; hashes: SLOT_KEYS_HASHES, or less in tests. */
int slot_keys_new(size_t most, size_t hashes, struct slot_keys **ret_keys);
void slot_keys_free(struct slot_keys *k);	/* NULL is fine */

/* Adds the batch's keys, and removes the slices of keys beyond the bound.  ret_n_events: how many events were
 * removed; they are in b->loss, which then includes the batch's slot. */
int slot_keys_cut(struct slot_keys *k, struct batch *b, __u64 *ret_n_events);

#endif
