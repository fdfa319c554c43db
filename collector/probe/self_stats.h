/* self_stats.h - keeps the collector's own ticks and stocks, for the metrics heatscope.* (self.c).
 *
 *      probes.c, collector.c --pulse_put()--> the last PULSE_TICKS --pulse_next()--> self.c
 *
 * One per process, like the log; new ticks overwrite the oldest.
 * Thread  one thread.
 */
#ifndef HEATSCOPE_PULSE_H
#define HEATSCOPE_PULSE_H

#include <linux/types.h>

#define PULSE_TICKS 512

struct pulse_tick {			/* one drain of one probe */
	const char *probe;		/* a constant */
	__s64 end_ns;			/* wall clock */
	__u64 drain_ns, late_ns;	/* how long it took; how long after its due time it began */
	__u64 n_batches, bytes;		/* handed over: keys and histograms */
};

struct pulse_spool {
	__u64 waiting, in_flight;	/* bytes; batches */
	__u64 dropped;			/* batches, since the start */
};

void pulse_put(const struct pulse_tick *t);
void pulse_late(__u64 late_ns);		/* sets late_ns of the following drains */
__u64 pulse_lateness(void);

/* Takes the tick after *at and moves *at to it; 0: there is no newer tick.  Begin with pulse_now(). */
int pulse_next(__u64 *at, struct pulse_tick *ret_tick);
__u64 pulse_now(void);

void pulse_spool_set(const struct pulse_spool *s);
struct pulse_spool pulse_spool_get(void);

#endif
