/* apart.h - does work that takes seconds on a thread of its own, while the caller goes on with other work.
 *
 *      apart(work) -> thread: work()        the caller: every APART_MS meanwhile(), until work() has returned
 *
 * For the verifier: on a busy machine it checks the programs of a metric for many seconds, and the instrumentations that
 * are active must be drained meanwhile, or their rings overrun.
 *
 * Threads work() and meanwhile() run at the same time: they share nothing that either of them writes.
 */
#ifndef HEATSCOPE_APART_H
#define HEATSCOPE_APART_H

#include <asm/types.h>

#define APART_MS 50

/* Returns what work() returned; adds the CPU time in ns that it took to *cpu_ns.  Without memory for a thread it runs here. */
int apart(int (*work)(void *arg), void *arg, void (*meanwhile)(void *arg), void *meanwhile_arg, __u64 *cpu_ns);

#endif
