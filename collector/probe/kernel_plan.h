/* kernel_plan.h - turns an instrumentation into the plan of a ring and its record program.
 *
 *      metric, instrumentation, limit -> kernel_plan() -> ring_plan -> kernel_wanted(): what events must contain
 *
 * Errors  0 or -errno; `reason` (REASON_MAX bytes) gets a sentence.
 * Pure    no clock, no kernel.
 */
#ifndef HEATSCOPE_KERNEL_PLAN_H
#define HEATSCOPE_KERNEL_PLAN_H

#include "collector/core/instrumentation.h"
#include "collector/ring/ring.h"

/* Plans the ring.  limit: bytes of kernel memory; 0: no limit.  Weights become as coarse as it requires.  -ENOMEM: it
 * does not fit. */
int kernel_plan(const struct metric *m, const struct instrumentation *in, __u64 limit, int verbatim, struct ring_plan *ret_plan,
		char *reason);

/* Returns WANTED_FIELD() and WANTED_MEASURE() of all that the plan keeps or its filter needs. */
__u64 kernel_wanted(const struct ring_plan *plan);

#endif
