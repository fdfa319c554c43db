/* events.bpf.h - begins and ends a run of an event program, and hands its events to the record programs; see event.h.
 *
 *      run_begin(&run) ... is there an event?
 *      e = run_events(&run); fill e->event[e->n++] ... tail_call_run(ctx, &run, e)
 *      run_pass() if the run has nothing to do
 *
 * Every x.bpf.c includes it once. x.c finds its maps and variables in the skeleton (tracer.h).
 */
#ifndef HEATSCOPE_EVENTS_BPF_H
#define HEATSCOPE_EVENTS_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "collector/ring/chain.bpf.h"

__u64 wall_offset = 0;			/* CLOCK_REALTIME - CLOCK_MONOTONIC */
__u64 wanted = 0;			/* what some instrumentation needs: WANTED_FIELD(), WANTED_MEASURE() */
__u32 active = 0;			/* the record programs to call, one bit each */
__u32 every = 0;			/* takes one event in so many; 0 means 1 */
__u64 attached_ns = 0;			/* CLOCK_MONOTONIC; of an exchange that began before, a part may be missing */

#define RUN_TIMED 61			/* one run in so many is timed; see event.h */

struct run {				/* of an event program, on its stack */
	struct events_cpu *cpu;
	__u64 began_ns;			/* 0: not timed */
};

/* Begins a run of an event program that does not pass.  The run ends with tail_call_run() or, if it never has events,
 * run_end(). */
static __always_inline int run_begin(struct run *r)
{
	__u32 untimed;

	r->cpu = nesting_cpu();
	if (!r->cpu)
		return -1;
	r->cpu->runs++;
	untimed = *(volatile __u32 *)&r->cpu->untimed;	/* read once: an interrupting program changes it, too */
	r->cpu->untimed = untimed ? untimed - 1 : RUN_TIMED - 1;
	r->began_ns = untimed ? 0 : bpf_ktime_get_ns();
	return 0;
}

/* Counts a run that has nothing to do, instead of run_begin() and the rest.  Returns the program's result. */
static __always_inline int run_pass(void)
{
	struct events_cpu *cpu = nesting_cpu();

	if (cpu)
		cpu->passed++;
	return 0;
}

static __always_inline void run_end(const struct run *r)
{
	nesting_time(r->cpu, r->began_ns);
}

/* Returns the events to fill; from then on tail_call_run() is the only way out.  NULL: too many programs are
 * interrupted. */
static __always_inline struct events *run_events(const struct run *r)
{
	struct events *e = nesting_enter(r->cpu);

	if (e) {
		e->n = 0;
		e->weight = 0;
		__builtin_memset(e->more, 0, sizeof(e->more));
		e->began_ns = r->began_ns;
	}
	return e;
}

/* run_begin() and run_events() at once, where most runs have an event. */
static __always_inline struct events *events_here(struct run *r)
{
	return run_begin(r) ? 0 : run_events(r);
}

/* Adds an event to e, which ends now. */
static __always_inline struct event *event_now(struct events *e, __u64 now_ns)
{
	struct event *event = &e->event[e->n & (EVENTS_MAX - 1)];

	e->n++;
	event->end_ns = now_ns + wall_offset;
	return event;
}

/* Sets a measure to the position of the event's end in its second of the wall clock; a division, so only where it is
 * wanted. */
static __always_inline void event_subsecond(struct event *event, __u32 measure)
{
	if (wanted & WANTED_MEASURE(measure))
		event->measure[measure] = event->end_ns % 1000000000;
}

/* Returns how many events this one stands for; 0: it is not counted.  A metric whose events have a begin and an end
 * decides at the begin, keeps the weight there and sets e->weight from it. */
static __always_inline __u32 sample_weight(struct events_cpu *cpu)
{
	__u32 n = every;

	if (n <= 1)
		return 1;
	if (!cpu)
		return 0;
	if (++cpu->at >= n) {
		cpu->at = 0;
		cpu->pick = bpf_get_prandom_u32() % n;
	}
	return cpu->at == cpu->pick ? n : 0;
}

/* Ends an event program; e NULL: it has no events.  Returns only where nothing is to be recorded. */
static __always_inline void tail_call_run(void *ctx, const struct run *r, struct events *e)
{
	__u32 bits = active;

	if (!e) {
		run_end(r);
		return;
	}
	r->cpu->handed += e->n;
	if (e->n && bits && !e->weight)
		e->weight = sample_weight(r->cpu);
	if (e->n && bits && e->weight) {
		e->active = bits;
		tail_call_jump(ctx, bits);
	}
	nesting_leave(r->cpu, e);
}

#endif
