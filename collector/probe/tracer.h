/* tracer.h - declares a tracer, the event programs of one metric: the table that a file like disk.c gives to kernel.c.
 *
 *      start -> programs run, events go down the chain ... refresh, refresh, ... -> stop
 *
 * A metric's kernel side is a triad: x.h (meaning of the fields, both sides), x.bpf.c (the events), x.c (this table).
 * kernel.c does everything else for all metrics: instrumentations, rings, draining, clock, losses.
 *
 * Fields  field[i] of an event is the metric's i-th discrete field, measure[i] its i-th numeric one.  `hostname` does
 *         not count: the aggregator fills it in.
 * Errors  0 or -errno; `reason` (REASON_MAX bytes) gets a sentence for people: what failed, why, and how to mend it.
 * Thread  one thread.
 */
#ifndef HEATSCOPE_TRACER_H
#define HEATSCOPE_TRACER_H

#include "collector/ring/event.h"
#include "collector/core/field_codes.h"
#include "collector/core/instrumentation.h"
#include <stdio.h>

/* The running programs: events.bpf.h's maps and variables, in the tracer's own skeleton. */
struct bpf_object_skeleton;

struct tracer_programs {
	int instead;			/* which tracepoints it uses; set by kernel.c */
	int text_full;		/* as in probe_conf; also set by kernel.c */
	int events_fd, chain_fd;
	int verbatims_fd;		/* if the metric has_texts */
	__u64 *wall_offset;
	__u64 *wanted;
	__u32 *active;
	__u32 *every;
	__u64 *attached_ns;
	struct bpf_object_skeleton *skeleton;
	const int *event_fd;		/* perf events that also run programs */
	size_t n_event_fds;
};

/* For a skeleton whose programs include events.bpf.h. */
#define TRACER_PROGRAMS(bpf)                                                                                    \
	((struct tracer_programs){                                                                              \
		.events_fd = bpf_map__fd((bpf)->maps.events), .chain_fd = bpf_map__fd((bpf)->maps.chain),       \
		.wall_offset = &(bpf)->bss->wall_offset, .wanted = &(bpf)->bss->wanted,                         \
		.active = &(bpf)->bss->active, .every = &(bpf)->bss->every,                                    \
		.attached_ns = &(bpf)->bss->attached_ns, .skeleton = (bpf)->skeleton })

struct tracer_filing {			/* takes events that are not counted in the kernel */
	void (*event)(void *arg, const struct event *e);
	void *arg;
};

struct tracer_running {			/* takes running exchanges, see reader_run(); wall-clock times */
	void (*run)(void *arg, const struct event *e, __u64 begin_ns, __u64 until_ns);
	void *arg;
	__s64 wall_offset, now_ns;
	__s64 next_ns;			/* next slot end to report, also events that cross it and end before we ask */
};

struct tracer {
	const struct metric *metric;

	/* Tracepoints that it needs, NULL at the end; the record programs attach as for the first one, so all programs
	 * that end events must have its arguments.  No tracepoint: a perf event. */
	const char *const *tracepoints;

	const char *function;		/* of a kernel whose tracepoints see enough; NULL: that of every kernel that has
					 * them */

	const char *const *instead;	/* used if the kernel lacks one of them; NULL: then the metric is refused */

	/* Loads and attaches the programs, which see events from then on.  ret_programs->instead selects the
	 * tracepoints. */
	int (*start)(void **ret_self, struct tracer_programs *ret_programs, char *reason);
	void (*stop)(void *self);

	/* For each field of an event: how its codes are shown, and, for predicates, which codes a text stands for, also
	 * for things that do not exist yet. */
	const struct field_codes *const *codes;
	size_t n_codes;			/* fields that have a row */

	/* Capabilities in addition to NEED_TRACING (need.h), which every tracer needs; most tracers need no others. */
	__u64 caps;

	/* For the budget: the measured time that the kernel takes to enter a program, and whether its programs may be
	 * detached for a while: then they leave out events that began before attached_ns. */
	double dispatch_ns;
	int may_detach;

	/* On a CPU, none of its programs interrupts another one that has events: they run in threads, or with
	 * interrupts off.  (No program of any tracer is preempted, see chain.bpf.h.) */
	int alone;

	int has_texts;			/* its exemplars have the texts as they were sent, if text_full is set */

	/* Also for the budget: the costly fields (WANTED_FIELD()), which are left out first, and their cost in ns
	 * per run; spared_ns: what sampling saves per run, if it does not save all (0: it does). */
	__u64 costly;
	double costly_ns;
	double spared_ns;

	/* All following members may be NULL. */

	/* Gets the fields and measures that instrumentations keep or filter by, events.bpf.h's `wanted`; called with
	 * more before `wanted` is set, with fewer after. */
	void (*want)(void *self, __u64 wanted);

	/* Fields (WANTED_FIELD()) for which the codes of a text come and go (and are not 0): kernel.c asks for them
	 * again before each drain.  moved() returns since when the current codes may have been valid. */
	__u64 moving;
	__s64 (*moved)(void *self);
	__u64 (*lost)(void *self);	/* number of events that the programs lost so far */
	void (*refresh)(void *self, __s64 now_ns, const struct tracer_filing *filing);	/* before each drain */

	/* For a metric with a measure of scope point: gives the running exchanges, and those that ended after since_ns.
	 * -errno: perhaps not all of them. */
	int (*running)(void *self, __u64 since_ns, const struct tracer_running *running);
	/* Returns which requested fields this host cannot measure, why, and what is reported instead; "" if none. */
	const char *(*lacking)(void *self, __u64 wanted);

	void (*doctor)(void *self, FILE *out);	/* self is NULL if it has not started */
};

/* Prints a line about a program: its runs and their cost, if the kernel counts them. */
void tracer_doctor_program(FILE *out, const char *name, int program_fd);

/* Returns the most instructions that the kernel's verifier visited for one program of a running tracer; the verifier
 * gives up at 1,000,000.  0: the kernel does not say (before 5.16). */
__u32 tracer_verified(const struct tracer_programs *programs);

/* Returns how many runs the kernel skipped because the program was running on the CPU: each is a lost event. */
__u64 tracer_missed(int program_fd);

#endif
