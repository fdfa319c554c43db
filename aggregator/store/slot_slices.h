/* slot_slices.h - keeps the merged slices of one slot: one entry per (axis, weight, key, ruler).
 *
 *      slices, any order  --slot_slices_add()-->  entries, sorted  --slot_slices_read()-->  slices
 *
 * Laws    adding commutes: any order gives the same entries with the same bytes, in the same order.  An entry of one
 *         slice keeps the bytes of that slice, so they should be hist_encode()'s.
 * Errors  0 or -errno; after an error nothing has changed.
 * Memory  copies; keys are shared with other slots through `keys`.  A zeroed one is empty.
 * Thread  any, one at a time.
 */
#ifndef HEATSCOPE_SLOT_SLICES_H
#define HEATSCOPE_SLOT_SLICES_H

#include "aggregator/store/keys.h"
#include "aggregator/store/store.h"
#include "aggregator/store/sum.h"

struct slot_slices_entry {
	struct kept_key *key;
	__u64 ruler;
	__u8 *hist;			/* sparse bytes, see hist_encode() */
	__u32 hist_len;
	__u8 axis, weight;
	__u8 fresh;			/* used by slot_slices.c while adding */
};

struct slot_slices {
	size_t n_entries;
	struct slot_slices_entry *entry;
};

void slot_slices_fini(struct slot_slices *p, struct keys *keys);

/* Adds n slices, all or none.  `scratch` may be any one, and is reused. */
int slot_slices_add(struct slot_slices *p, struct keys *keys, struct sum *scratch, const struct slice *slice, size_t n);

/* axis, weight < 0: all. */
void slot_slices_read(const struct slot_slices *p, __s64 slot, int axis, int weight, const struct store_reader *reader);

#endif
