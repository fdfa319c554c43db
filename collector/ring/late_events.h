/* late_events.h - events of slots whose rows are gone: added up by slot and key until they are handed over.
 *
 *      late_add() ... -> late_sort() -> row[0], row[1] ... in the order of their slots -> late_drop()
 *
 * Keys    a slot has as many as there are classes for, the rest is `other`.
 * Errors  0 or -errno; -ENOMEM also beyond LATE_ROWS_MAX slots and keys at a time, half of them of what runs.
 * Memory  a zeroed one is empty; late_fini() frees.
 * Thread  one thread.
 */
#ifndef HEATSCOPE_LATE_H
#define HEATSCOPE_LATE_H

#include "collector/core/hist.h"
#include "collector/ring/ring.h"
#include <stddef.h>

#define LATE_ROWS_MAX 4096

struct late_row {
	__u64 slot;
	__u32 other;			/* its key has no class */
	struct key key;
	struct hist *hist;		/* one per measure of the plan, and per weight; without cells until something is in it */
};

struct late {
	size_t n;
	struct late_row *row;
	__u32 n_hists;			/* of a row */
};

void late_fini(struct late *l);

int late_add(struct late *l, const struct ring_plan *plan, const struct ring_late *event, __u32 other);
void late_sort(struct late *l);
void late_drop(struct late *l, size_t n);	/* the first n rows */

#endif
