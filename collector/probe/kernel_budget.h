/* kernel_budget.h - keeps the kernel's probe within its share of the CPUs; see budget.h and shed.h.
 *
 *      after a drain: kernel_budget_keep();   probe.h's wake_at and wake; what is shed, for its lacking()
 *
 * Unit    wall-clock ns.
 * Memory  a text that is given is the probe's, until the next call.
 * Thread  the probe's.
 */
#ifndef HEATSCOPE_KERNEL_BUDGET_H
#define HEATSCOPE_KERNEL_BUDGET_H

#include <linux/types.h>

struct instrument;
struct kernel;
struct traced;

/* All slots that are over have been told, so what changes now changes the one that goes on. */
void kernel_budget_keep(struct kernel *k, __s64 now_ns);

/* The tracer's dear fields that can be left out: instrumentations keep them, and no predicate asks for them. */
__u64 kernel_dear(const struct kernel *k, const struct traced *on);

/* What of an instrumentation is shed now; "": nothing. */
const char *kernel_shedding(const struct instrument *it);

__s64 kernel_wake_at(void *self);
void kernel_wake(void *self, __s64 now_ns);

#endif
