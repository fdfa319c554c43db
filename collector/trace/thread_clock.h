/* thread_clock.h - defines a stamp, a thread's clocks at one moment; two stamps divide the time between them.
 *
 *      off     time off the CPU; it counts from some moment of the thread's life, so only differences are used
 *      delay   the part of `off` that the thread waited in the run queue
 */
#ifndef HEATSCOPE_THREAD_CLOCK_H
#define HEATSCOPE_THREAD_CLOCK_H

#include <linux/types.h>

struct stamp {
	__u64 ns;			/* CLOCK_MONOTONIC */
	__u64 off, delay;
	__u32 thread;
	__u32 split;			/* off and delay are set */
};

#endif
