/* exchange_metric.h - defines the rows that all metrics of exchanges have in common in their tables of fields.
 *
 *      { the protocol's own discrete fields, TURN_FIELDS, then TURN_ROWS if its replies have rows }
 *
 * TURN_FIELDS has the other discrete fields, then the measures in the order of enum turn_measure (exchange.h).
 * TURN_ROWS is the measure `rows`, which only some protocols have.  The aggregator fills in `hostname`.
 */
#ifndef HEATSCOPE_EXCHANGE_METRIC_H
#define HEATSCOPE_EXCHANGE_METRIC_H

#include "collector/core/metric.h"
#include "collector/core/quantize.h"

#define TIME_FIELD(name, label) { name, label, "time", FIELD_NUMERIC, UNIT_NS, 10, 39 }
#define COUNT_FIELD(name, label) { name, label, "number", FIELD_NUMERIC, UNIT_NONE, 0, 20 }

/* The measures that add up to the latency. */
#define TURN_WEIGHTS "cputime runqwait io futex net sleep fault other unsplit"

#define TURN_DISCRETE(name, label) { name, label, "string", FIELD_DISCRETE, 0, 0, 0 }

#define TURN_FIELDS \
	TURN_DISCRETE("client", "client address"), \
	TURN_DISCRETE("instance", "server address"), \
	TURN_DISCRETE("pid", "process id"), \
	TURN_DISCRETE("execname", "process name"), \
	TURN_DISCRETE("blocked_in", "blocked in"), \
	TURN_DISCRETE("cgroup", "control group"), \
	TURN_DISCRETE("container", "container id"), \
	TURN_DISCRETE("pod", "pod"), \
	TURN_DISCRETE("containername", "container name"), \
	TURN_DISCRETE("hostname", "host"), \
	TIME_FIELD("latency", "latency"), \
	TIME_FIELD("cputime", "time on the CPU"), \
	TIME_FIELD("runqwait", "time in the run queue"), \
	TIME_FIELD("blocked", "time blocked"), \
	TIME_FIELD("unsplit", "unsplit time"), \
	TIME_FIELD("offcpu", "time off the CPU"), \
	TIME_FIELD("io", "time blocked in file I/O"), \
	TIME_FIELD("futex", "time blocked on a futex"), \
	TIME_FIELD("net", "time blocked on a socket"), \
	TIME_FIELD("sleep", "time asleep"), \
	TIME_FIELD("fault", "time blocked in a page fault"), \
	TIME_FIELD("other", "time blocked for other reasons"), \
	COUNT_FIELD("n_switches", "times blocked"), \
	COUNT_FIELD("n_io", "times blocked in file I/O"), \
	TIME_FIELD("age", "age of running requests"),     \
	TIME_FIELD("fs", "time in file operations"),      \
	{ "io_bytes", "bytes read or written", "size", FIELD_NUMERIC, UNIT_BYTES, 0, 33 }, \
	COUNT_FIELD("n_fs", "file operations"),                                            \
	TIME_FIELD("arrival", "waiting before the server reads"),      \
	TIME_FIELD("response", "waiting and latency together"),        \
	TIME_FIELD("first", "time to the first send"),                 \
	COUNT_FIELD("n_unseen", "arrivals not seen"),

#define TURN_ROWS { "rows", "rows affected or returned", "number", FIELD_NUMERIC, UNIT_NONE, 0, 32 },

#endif
