/* tracers.h - lists all tracers, the metrics from events of the kernel, in one table.
 *
 *      main.c --probe_conf.tracers--> kernel.c: enables, drains ... each by its struct tracer
 *
 * A new metric or protocol is one more row in tracers.c.  No other file knows the tracers by name.
 *
 * Thread  any; constant.
 */
#ifndef HEATSCOPE_TRACERS_H
#define HEATSCOPE_TRACERS_H

#include "collector/probe/tracer.h"

extern const struct tracer *const tracers[];	/* NULL at the end */

#endif
