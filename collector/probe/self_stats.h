/* self_stats.h - keeps figures about the collector itself, for the metrics heatscope.* (self.c).
 *
 *      probes.c, collector.c --self_stats_put()--> the last SELF_STATS_TICKS --self_stats_next()--> self.c
 *
 * There is one per process, like the log.  New ticks overwrite the oldest.
 * Thread  one thread.
 */
#ifndef HEATSCOPE_SELF_STATS_H
#define HEATSCOPE_SELF_STATS_H

#include <linux/types.h>

#define SELF_STATS_TICKS 512

struct self_stats_tick {		/* one drain of one probe */
	const char *probe;		/* a constant */
	__s64 end_ns;			/* wall clock */
	__u64 drain_ns, late_ns;	/* how long it took; how long after its due time it began */
	__u64 n_batches, bytes;		/* handed over: keys and histograms */
};

struct self_stats_spool {
	__u64 waiting, in_flight;	/* bytes; batches */
	__u64 dropped;			/* batches, since the start */
};

void self_stats_put(const struct self_stats_tick *t);
void self_stats_late(__u64 late_ns);	/* sets late_ns of the following drains */
__u64 self_stats_lateness(void);

/* Takes the tick after *at and moves *at to it; 0: there is no newer tick.  Begin with self_stats_now(). */
int self_stats_next(__u64 *at, struct self_stats_tick *ret_tick);
__u64 self_stats_now(void);

void self_stats_spool_set(const struct self_stats_spool *s);
struct self_stats_spool self_stats_spool_get(void);

#endif
