/* kernel_budget.h - keeps the kernel's probe within its share of the CPUs; see budget.h and shed.h.
 *
 *      after a drain: kernel_budget_keep()
 *      probe.h's wake_at and wake: kernel_wake_at(), kernel_wake()
 *
 * Unit    wall-clock ns.
 * Memory  a returned text belongs to the probe, and is valid until the next call.
 * Thread  the probe's.
 */
#ifndef HEATSCOPE_KERNEL_BUDGET_H
#define HEATSCOPE_KERNEL_BUDGET_H

#include <linux/types.h>

struct instrument;
struct kernel;
struct traced;

/* Decides and applies new plans.  All slots that are over must have been reported, so that a change affects only the
 * current slot. */
void kernel_budget_keep(struct kernel *k, __s64 now_ns);

/* Returns the tracer's costly fields that can be left out: kept by instrumentations, and needed by no predicate. */
__u64 kernel_costly(const struct kernel *k, const struct traced *on);

/* Says what is shed of an instrumentation now; "": nothing. */
const char *kernel_shedding(const struct instrument *it);

__s64 kernel_wake_at(void *self);
void kernel_wake(void *self, __s64 now_ns);

#endif
