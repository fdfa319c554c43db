/* probe.h - declares a probe, a source of slices: every probe is a table of the same few functions.
 *
 *      open -> metrics, reason -> enable(instrumentation) ... drain, drain, ... -> disable -> close
 *
 * Probes  kernel.c   BPF programs; each metric is a tracer (tracer.h)
 *         proc.c     files of /proc and /sys; each metric is a meter (meter.h)
 *         replay.c   a recorded stream of batches
 *         heatmap.c  of ../d: a D script; each metric is an aggregation of it
 * Time    The collector calls drain() shortly after every slot's end, or later.  drain() gives each slot that ended
 *         before now_ns once, also empty ones.  Late events follow as an amendment.  now_ns is wall-clock time, ns from
 *         the epoch.
 * Errors  0 or -errno; `reason` (REASON_MAX bytes) gets a sentence for people: what failed, why, and how to mend it.
 * Thread  one thread.
 */
#ifndef HEATSCOPE_PROBE_H
#define HEATSCOPE_PROBE_H

#include "collector/core/batch.h"
#include "collector/core/host_labels.h"
#include "collector/core/instrumentation.h"
#include <stdio.h>

struct tracer;
struct d_heatmap;

struct probe_conf {
	const struct tracer *const *tracers;	/* kernel: metrics that it may offer, tracers.h; NULL at the end */
	const char *source;		/* our name in batches */
	const struct host_labels *labels;	/* of this host; NULL: none */
	__u64 incarnation;
	__u64 memory_limit;		/* bytes of kernel memory that one instrumentation may take; 0: no limit */
	__u64 memory_total;		/* that all of them together may take; 0: no limit */
	double budget;			/* share of all CPUs that measuring may take; 0: no limit; 0.01: 1 % */
	const char *pod_logs;		/* the folder of the kubelet's logs, see pod_names.h; NULL: its usual one */
	int text_full;			/* 1: exemplars keep statements with their literals, see statement_text.h */
	void (*meanwhile)(void *arg);	/* called from within enable() while it loads programs, which may take many seconds.
					 * It may call drain() of the same probe, nothing else.  NULL: nothing is called */
	void *meanwhile_arg;
	struct d_heatmap *script;	/* D: the script that runs, heatmap.h */
	const char *recording;		/* replay: the file */
	int follow_clock;		/* replay: 1 = shift the recording to now and keep its pace */
};

struct probe {
	const char *name;
	int filters;			/* 1: enable() applies predicates; otherwise it only gets {} */
	int (*open)(const struct probe_conf *conf, void **ret_self, char *reason);
	void (*close)(void *self);

	/* Lists the metrics that it knows; refusal() says why one of them is not available here (NULL: it is). */
	const struct metric *(*metrics)(void *self, size_t *ret_n);
	const char *(*refusal)(void *self, const struct metric *m);

	/* Counts from a slot boundary after now_ns on: the next one, or the next after its programs are attached. */
	int (*enable)(void *self, const struct instrumentation *in, __s64 now_ns, char *reason);
	void (*disable)(void *self, __u64 inst);

	/* NULL: not known.  Returns when the first slot that it counts begins, wall-clock time; 0: not known. */
	__s64 (*counts_from)(void *self, __u64 inst);

	int (*drain)(void *self, __s64 now_ns, const struct batch_sink *sink);

	/* NULL: never.  Says which part of an instrumentation is not measured now, or not available, and why; "":
	 * none. */
	const char *(*lacking)(void *self, __u64 inst);

	/* NULL: never.  Returns 1 when the probe will give no more data. */
	int (*finished)(const void *self);

	/* NULL: nothing to end.  Stops measuring; one drain follows, which also gives the slot that has not ended. */
	void (*end)(void *self);

	/* NULL: never.  Returns when to call wake(), wall-clock time; 0: do not.  Called after each drain and wake(). */
	__s64 (*wake_at)(void *self);
	void (*wake)(void *self, __s64 now_ns);

	/* NULL: nothing to try.  Starts the programs of each metric and stops them again; then refusal() says what the
	 * kernel refused. */
	void (*try)(void *self);

	/* Reports to people what it sees and costs (servers that it found, or why not; program run time, memory). */
	void (*doctor)(void *self, FILE *out);
};

extern const struct probe kernel_probe, proc_probe, replay_probe, dtrace_probe;

#endif
