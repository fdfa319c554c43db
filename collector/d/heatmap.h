/* heatmap.h - offers the aggregations of a running script as metrics: each is a live heat map of heatscoped.
 *
 *      @slow[execname] = quantize(timestamp - self->t)  ->  metric dtrace.slow {execname; latency, ns}
 *
 * Values  Each value is sent with its keys and time.  The printed table and the map are both made from these records; a
 *         dropped record is in neither, and both report it.
 * Begin   The script starts at the first second for which every metric has an instrumentation, so each map has all its events.
 * Limits  d_program_make_metrics() says which aggregations are metrics; quantize() and its relatives come first.  A slot is one second.  A map has no values below 0:
 *         these are lost events of it.
 * Errors  0 or -errno.
 * Memory  d_heatmap_init() borrows all it gets; d_heatmap_fini() frees.
 * Thread  one: the collector's, which calls dtrace_probe.
 */
#ifndef HEATSCOPE_D_HEATMAP_H
#define HEATSCOPE_D_HEATMAP_H

#include "collector/core/metric.h"
#include "collector/d/run.h"
#include "collector/proc/words.h"

struct d_event;				/* its fields are in heatmap.c */
struct d_instrumentation;
struct d_viewer;

struct d_heatmap {
	struct d_run *run;
	struct d_viewer *viewer;	/* the process that creates the instrumentations; NULL: there is none */
	const char *source;		/* our name */
	__u64 incarnation;
	struct metric *metrics;
	const struct d_aggregation **aggregations;	/* of the metrics */
	size_t n_metrics;
	__s64 begin_ns;			/* wall-clock time at which the script begins; 0: not known yet */
	__s64 wall_offset;
	bool has_begun, has_ended, failed;
	struct d_instrumentation *instrumentations;
	struct d_event *events;		/* of slots that are not sent yet */
	size_t n_events, events_room;
	struct words words[2];		/* labels of this second's keys, and of the last one's */
	__s64 words_slot;
	__u64 drops;			/* of the session, as reported */
};

/* name: the name of the first metric that has none by itself, for @ = quantize(...).  -ENOENT: no aggregation of the script
 * can be a metric. */
int d_heatmap_init(struct d_heatmap *h, struct d_run *run, const char *name);
void d_heatmap_fini(struct d_heatmap *h);

#endif
