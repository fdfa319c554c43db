/* probe.h - where slices come from: a table of probes, each behind the same few functions.
 *
 *      open -> metrics, reason -> enable(instrumentation) ... drain, drain, ... -> disable -> close
 *
 * Users   kernel.c (BPF programs, each metric's a tracer.h), proc.c (files of /proc and /sys, each metric's a
 *         meter.h) and replay.c (a recorded stream of batches).
 * Time    drain() is called shortly after every slot boundary, and may be called late: what ended
 *         before now_ns is handed over, each slot once, empty slots too; what was recorded late
 *         follows as an amendment.  now_ns is wall-clock time, ns from the epoch.
 * Errors  0 or -errno; `reason` (REASON_MAX bytes) gets a sentence for people: what, why, what to do.
 * Thread  one thread.
 */
#ifndef HEATSCOPE_PROBE_H
#define HEATSCOPE_PROBE_H

#include "collector/core/batch.h"
#include "collector/core/instrumentation.h"
#include <stdio.h>

struct tracer;

struct probe_conf {
	const struct tracer *const *tracers;	/* kernel: the metrics it can have, see tracers.h; NULL at the end */
	const char *source;		/* our name in batches */
	__u64 incarnation;
	__u64 memory_limit;		/* bytes of kernel memory one instrumentation may take */
	double budget;			/* of all CPUs, for looking; 0: no limit.  0.01 is 1 % */
	int detail;			/* 1: also look into servers' processes, where a protocol hides what is asked */
	int text_full;			/* 1: exemplars keep statements with their literals, see statement_text.h */
	const char *recording;		/* replay: the file */
	int follow_clock;		/* replay: 1 = shift the recording to now and keep its pace */
};

struct probe {
	const char *name;
	int filters;			/* 1: enable() heeds predicates; else only {} is given to it */
	int (*open)(const struct probe_conf *conf, void **ret_self, char *reason);
	void (*close)(void *self);

	/* The metrics it knows, and why one of them cannot be had here (NULL: it can). */
	const struct metric *(*metrics)(void *self, size_t *ret_n);
	const char *(*refusal)(void *self, const struct metric *m);

	/* From the next slot boundary after now_ns on. */
	int (*enable)(void *self, const struct instrumentation *in, __s64 now_ns, char *reason);
	void (*disable)(void *self, __u64 inst);

	/* NULL: not known.  Where the first slot that it counts begins, wall-clock time; 0: not known. */
	__s64 (*counts_from)(void *self, __u64 inst);

	int (*drain)(void *self, __s64 now_ns, const struct batch_sink *sink);

	/* NULL: never.  What of an instrumentation is not looked at now or cannot be had, and why, in words; "": nothing. */
	const char *(*lacking)(void *self, __u64 inst);

	/* NULL: never.  When wake() is to be called, wall-clock time; 0: not.  Asked after each drain. */
	__s64 (*wake_at)(void *self);
	void (*wake)(void *self, __s64 now_ns);

	/* NULL: nothing is to be tried.  Starts what each metric takes and stops it again: refusal() says what the kernel refused. */
	void (*try)(void *self);

	/* For people: what it sees and costs now (servers found and why not, program run time, memory). */
	void (*doctor)(void *self, FILE *out);
};

extern const struct probe kernel_probe, proc_probe, replay_probe;

#endif
