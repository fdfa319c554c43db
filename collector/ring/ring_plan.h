/* ring_plan.h - computes the size of an instrumentation's ring.
 *
 * Errors  0 or -errno; `reason` (REASON_MAX bytes) gets a sentence.
 */
#ifndef HEATSCOPE_RING_PLAN_H
#define HEATSCOPE_RING_PLAN_H

#include "collector/core/instrumentation.h"
#include "collector/ring/ring.h"

/* Return the number of rows, of places in `weighed`, and of indices in `cells` and `totals`. */
static inline __u32 ring_rows(const struct ring_plan *p) { return p->n_slots + ring_spares(p); }
static inline __u64 ring_places(const struct ring_plan *p) { return (__u64)ring_rows(p) * p->n_shards * p->n_classes; }
static inline __u64 ring_indices(const struct ring_plan *p) { return ring_places(p) * p->n_measures; }

/* Plans a ring: shards for n_cpus, at least 12 s of slots; of short slots, a spare row for each that
 * may end in 70 ms.  The caller gives the fields' and measures' event indices and the filter.  -EINVAL
 * with the reason: no size is possible. */
int ring_plan_make(const struct instrumentation *in, unsigned n_cpus, struct ring_plan *ret_plan, char *reason);

/* Gives weights cells with half as many steps per octave; -ENOENT: they have the fewest steps already. */
int ring_plan_coarsen(struct ring_plan *plan);

/* Returns the smallest number of slots that may still be enough: one second of them, but not fewer than twelve. */
__u32 ring_plan_least(const struct ring_plan *plan);

#endif
