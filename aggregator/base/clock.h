/* clock.h - reads the wall clock and the boot clock for heatscoped.
 *
 * No other file reads these two clocks.  A file that measures a duration may use libuv's clock.  Store, query, render
 * and pure modules get `now_ns` as an argument.  timekeeper.h decides whether the wall clock can be believed.
 * Thread  any.
 */
#ifndef HEATSCOPE_CLOCK_H
#define HEATSCOPE_CLOCK_H

#include <linux/types.h>

__s64 now_ns(void);			/* wall clock, ns from the epoch */
__s64 boot_ns(void);			/* ns since the machine started, including sleep; it cannot be set */

#endif
