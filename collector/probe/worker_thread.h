/* worker_thread.h - does work that takes seconds on a thread of its own, while the caller's thread does something else.
 *
 *      worker_thread_run(work) -> thread: work()      caller: every WORKER_PAUSE_MS meanwhile(), until work() has returned
 *
 * For the verifier: on a busy machine it checks the programs of a metric for many seconds, and the instrumentations that
 * are active must be drained meanwhile, or their rings overrun.
 *
 * Errors  what work() returned.  If no thread can be made, work() runs on the caller's thread.
 * Threads work() and meanwhile() run at the same time: the caller makes sure that neither uses data that the other one changes.
 */
#ifndef HEATSCOPE_WORKER_THREAD_H
#define HEATSCOPE_WORKER_THREAD_H

#include <asm/types.h>

#define WORKER_PAUSE_MS 50

/* meanwhile NULL: runs work() here.  *ret_cpu_ns: the CPU time that work() took. */
int worker_thread_run(int (*work)(void *arg), void *arg, void (*meanwhile)(void *arg), void *meanwhile_arg, __u64 *ret_cpu_ns);

#endif
