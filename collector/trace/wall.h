/* wall.h - computes how far the wall clock is ahead of the monotonic clock, which the kernel uses for events.
 *
 * Unit    ns; CLOCK_REALTIME counts from the epoch.
 * Thread  any; no state.
 */
#ifndef HEATSCOPE_WALL_H
#define HEATSCOPE_WALL_H

#include <linux/types.h>
#include <time.h>

__s64 clock_ns(clockid_t clock);
__s64 wall_offset(void);		/* CLOCK_REALTIME - CLOCK_MONOTONIC */

#endif
