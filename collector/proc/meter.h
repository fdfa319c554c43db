/* meter.h - states of this machine that are read from files: what proc.c needs to know of a file like cpus.c.
 *
 *      start -> read at the end of each slot: one event per thing that has a value -> ... -> stop
 *
 * Events  field[i] is words_code() of the label of the metric's i-th discrete field (`hostname` not
 *         counted), measure[i] the i-th numeric one.  end_ns is only set by metrics of scope interval.
 * Growth  what is a difference (a utilization, a rate) needs a snapshot at both ends of a slot: with
 *         since_ns = 0 there was none at its beginning, and read() only takes the one at its end.
 *         Rates are per second of since_ns, however late the snapshots were.
 * Parts   some fields tell parts of a thing apart (modes of a CPU): who counts by one of those gets
 *         the events of the parts, who does not those of whole things.
 * Errors  0 or -errno; `reason` (REASON_MAX bytes) gets a sentence for people: what, why, what to do.
 * Thread  one thread.
 */
#ifndef HEATSCOPE_METER_H
#define HEATSCOPE_METER_H

#include "collector/ring/event.h"
#include "collector/core/instrumentation.h"
#include "collector/proc/words.h"

struct meter_look {
	__u64 since_ns;			/* monotonic, since the snapshot at the slot's beginning; 0: none */
	__u64 wanted;			/* fields and measures that anyone keeps or asks for */
};

struct meter_out {			/* where the events go */
	void (*event)(void *arg, const struct event *e, int is_part);
	void *arg;
	struct words *words;
};

struct meter {
	const struct metric *metric;
	int grows;			/* its values are differences */
	__u64 parts;			/* WANTED_FIELD() of the fields that tell parts apart */

	/* Can it be had here?  -errno with the reason; NULL: always. */
	int (*check)(char *reason);
	int (*start)(void **ret_self, char *reason);
	void (*stop)(void *self);
	int (*read)(void *self, const struct meter_look *look, const struct meter_out *out);
};

/* Per second, rounded. */
static inline __u64 meter_rate(__u64 growth, __u64 since_ns)
{
	return (__u64)(((unsigned __int128)growth * 1000000000 + since_ns / 2) / since_ns);
}

/* Hundredths, rounded; whole must not be 0. */
static inline __u64 meter_percent(__u64 part, __u64 whole)
{
	return (__u64)(((unsigned __int128)part * 100 + whole / 2) / whole);
}

extern const struct meter cpus_meter, loadavg_meter, disks_meter, nics_meter, cgroup_memory_meter, cgroup_cpu_meter,
	ticks_meter, spool_meter, process_meter, programs_meter, maps_meter;

#endif
