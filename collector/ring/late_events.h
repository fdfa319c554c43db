/* late_events.h - adds up late events by slot and key, until the reader sends them.
 *
 *      late_events_add() ... -> late_events_sort() -> row[0], row[1] ... in the order of their slots
 *      -> late_events_drop()
 *
 * Keys    A slot has at most as many keys as there are classes.  Events of further keys are added to `other`.
 * Errors  0 or -errno.  -ENOMEM: no memory, or LATE_EVENTS_MAX pairs of slot and key.  Running exchanges may take half
 *         of these.
 * Memory  a zeroed one is empty; late_events_fini() frees.
 * Thread  one thread.
 */
#ifndef HEATSCOPE_LATE_EVENTS_H
#define HEATSCOPE_LATE_EVENTS_H

#include "collector/core/hist.h"
#include "collector/ring/ring.h"
#include <stddef.h>

#define LATE_EVENTS_MAX 4096

struct late_events_row {
	__u64 slot;
	__u32 other;			/* its key has no class */
	struct key key;
	struct hist *hist;		/* one per measure and weight of the plan; without cells while it is empty */
};

struct late_events {
	size_t n;
	struct late_events_row *row;
	__u32 n_hists;			/* histograms of a row */
};

void late_events_fini(struct late_events *l);

int late_events_add(struct late_events *l, const struct ring_plan *plan, const struct ring_late *event, __u32 other);
void late_events_sort(struct late_events *l);
void late_events_drop(struct late_events *l, size_t n);	/* the first n rows */

#endif
