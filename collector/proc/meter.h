/* meter.h - declares a meter, which reads states of this machine from files: the table that a file like cpus.c gives to
 * proc.c.
 *
 *      start -> read at the end of each slot: one event per thing that has a value -> ... -> stop
 *
 * Events  field[i] is words_code() of the label of the metric's i-th discrete field (`hostname` does not count),
 *         measure[i] the i-th numeric one.  Only metrics of scope interval set end_ns.
 * Growth  a difference (a utilization, a rate) needs a snapshot at both ends of a slot.  since_ns = 0: there was none
 *         at the begin, so read() only takes the one at the end.  Rates are per second of since_ns, however late the
 *         snapshots were.
 * Parts   some fields distinguish parts of a thing (modes of a CPU).  An instrumentation with such a field gets the
 *         events of the parts; any other gets those of whole things.
 * Errors  0 or -errno; `reason` (REASON_MAX bytes) gets a sentence for people: what failed, why, and how to mend it.
 * Thread  one thread.
 */
#ifndef HEATSCOPE_METER_H
#define HEATSCOPE_METER_H

#include "collector/ring/event.h"
#include "collector/core/instrumentation.h"
#include "collector/trace/pod_names.h"
#include "collector/proc/words.h"

struct meter_request {
	__u64 since_ns;			/* monotonic, since the snapshot at the slot's beginning; 0: there was none */
	__u64 wanted;			/* fields and measures that any instrumentation keeps or filters by */
	struct pod_names *pod_names;	/* NULL: no pod has a name */
};

struct meter_out {			/* receives the events */
	void (*event)(void *arg, const struct event *e, int is_part);
	void *arg;
	struct words *words;
};

struct meter {
	const struct metric *metric;
	int grows;			/* its values are differences */
	__u64 parts;			/* WANTED_FIELD() of the fields that distinguish parts */

	/* Is it available on this host?  -errno with the reason; NULL: always. */
	int (*check)(char *reason);
	int (*start)(void **ret_self, char *reason);
	void (*stop)(void *self);
	int (*read)(void *self, const struct meter_request *request, const struct meter_out *out);
};

/* Returns the growth per second, rounded. */
static inline __u64 meter_rate(__u64 growth, __u64 since_ns)
{
	return (__u64)(((unsigned __int128)growth * 1000000000 + since_ns / 2) / since_ns);
}

/* Returns the part in hundredths of the whole, rounded; whole must not be 0. */
static inline __u64 meter_percent(__u64 part, __u64 whole)
{
	return (__u64)(((unsigned __int128)part * 100 + whole / 2) / whole);
}

extern const struct meter cpus_meter, loadavg_meter, disks_meter, nics_meter, cgroup_memory_meter, cgroup_cpu_meter,
	ticks_meter, spool_meter, process_meter, programs_meter, maps_meter;

#endif
