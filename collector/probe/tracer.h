/* tracer.h - the event programs of one metric: what kernel.c needs to know of a file like disk.c.
 *
 *      start -> programs run, events go down the chain ... look, look, ... -> stop
 *
 * A metric's kernel side is a triad: x.h (meaning of the fields, both sides), x.bpf.c (the events),
 * x.c (this table).  Everything else - instrumentations, rings, draining, clock, losses - is
 * kernel.c's and the same for all.
 *
 * Fields  an event's field[i] is the metric's i-th discrete field, `hostname` not counted (the
 *         aggregator's); measure[i] its i-th numeric one.
 * Errors  0 or -errno; `reason` (REASON_MAX bytes) gets a sentence for people: what, why, what to do.
 * Thread  one thread.
 */
#ifndef HEATSCOPE_TRACER_H
#define HEATSCOPE_TRACER_H

#include "collector/ring/event.h"
#include "collector/core/field_codes.h"
#include "collector/core/instrumentation.h"
#include <stdio.h>

/* The programs that run now: events.bpf.h's maps and variables, in a skeleton of the tracer's own. */
struct bpf_object_skeleton;

struct tracer_programs {
	int instead;			/* of the tracepoints; set by kernel.c */
	int detail, text_full;		/* as probe_conf's; so are these */
	int events_fd, chain_fd;
	int verbatims_fd;		/* of a metric that has_texts */
	__u64 *wall_offset;
	__u64 *wanted;
	__u32 *active;
	__u32 *every;
	__u64 *attached_ns;
	struct bpf_object_skeleton *skeleton;
	const int *event_fd;		/* perf events that programs run at, besides */
	size_t n_event_fds;
};

/* Of a skeleton whose programs include events.bpf.h. */
#define TRACER_PROGRAMS(bpf)                                                                                    \
	((struct tracer_programs){                                                                              \
		.events_fd = bpf_map__fd((bpf)->maps.events), .chain_fd = bpf_map__fd((bpf)->maps.chain),       \
		.wall_offset = &(bpf)->bss->wall_offset, .wanted = &(bpf)->bss->wanted,                         \
		.active = &(bpf)->bss->active, .every = &(bpf)->bss->every,                                    \
		.attached_ns = &(bpf)->bss->attached_ns, .skeleton = (bpf)->skeleton })

struct tracer_filing {			/* for events that are not counted in the kernel */
	void (*event)(void *arg, const struct event *e);
	void *arg;
};

struct tracer_running {			/* for what is under way, see reader_run(); wall-clock times */
	void (*run)(void *arg, const struct event *e, __u64 begin_ns, __u64 until_ns);
	void *arg;
	__s64 wall_offset, now_ns;
	__s64 next_ns;			/* the next end of a slot that is to be reported: what crosses it and ends before we ask again counts */
};

struct tracer {
	const struct metric *metric;

	/* Tracepoints it needs, NULL at the end; the record programs are attached as for the first, whose
	 * arguments are those of every program that ends events.  None: a perf event. */
	const char *const *tracepoints;

	const char *const *instead;	/* where the kernel lacks one of them; NULL: the metric is refused then */

	/* Loads and attaches the programs; they see events from here on.  ret_programs->instead says which. */
	int (*start)(void **ret_self, struct tracer_programs *ret_programs, char *reason);
	void (*stop)(void *self);

	/* Of each of an event's fields how its codes are shown, and the other way, for predicates: the codes that a text
	 * stands for, also of what is still to come. */
	const struct field_codes *const *codes;
	size_t n_codes;			/* fields that have a row */

	/* Capabilities beyond NEED_TRACING (need.h), which every tracer needs; in most none. */
	__u64 caps;

	/* For the budget: what the kernel takes to get into a program, measured; and whether its programs may be
	 * detached for a while: they then leave out events that began before attached_ns. */
	double dispatch_ns;
	int may_detach;

	/* On a CPU, none of its programs cuts into another that has events: they run in threads, or with interrupts
	 * off.  (That none is preempted holds for all, see nesting.bpf.h.) */
	int alone;

	int has_texts;			/* of its exemplars, as they were sent: where text_full asks for it */

	/* Also for the budget, ns per run: what the `dear` fields, WANTED_FIELD(), take, which are left out first;
	 * and what sampling saves, where that is not all (0: it is). */
	__u64 dear;
	double dear_ns;
	double spared_ns;

	/* The rest may be NULL. */

	/* Fields and measures that an instrumentation keeps or asks for, events.bpf.h's `wanted`; called with more before that is
	 * set, with less after. */
	void (*want)(void *self, __u64 wanted);

	/* Of these fields, WANTED_FIELD(), the codes of a text come and go (and are not 0): asked for again before
	 * each drain.  moved() says since when what they are now may have been so already. */
	__u64 moving;
	__s64 (*moved)(void *self);
	__u64 (*lost)(void *self);	/* events that the programs lost, so far */
	void (*look)(void *self, __s64 now_ns, const struct tracer_filing *filing);	/* before each drain */

	/* Of a metric with a measure of scope point: gives the events in flight, and those that ended after since_ns.  -errno:
	 * perhaps not all of them. */
	int (*running)(void *self, __u64 since_ns, const struct tracer_running *running);
	/* Returns which requested fields this host cannot measure, why, and what is reported instead; "" if none. */
	const char *(*lacking)(void *self, __u64 wanted);

	void (*doctor)(void *self, FILE *out);	/* self is NULL where it has not started */
};

/* A line on a program: its runs and what they cost, if the kernel counts them. */
void tracer_doctor_program(FILE *out, const char *name, int program_fd);

/* The most instructions that the kernel's verifier looked at for one program of a tracer that runs; it gives up at 1,000,000.
 * 0: the kernel does not say (before 5.16). */
__u32 tracer_verified(const struct tracer_programs *programs);

/* Runs that the kernel skipped, because one was under way on the CPU: an event each. */
__u64 tracer_missed(int program_fd);

#endif
