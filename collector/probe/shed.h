/* shed.h - keeps the event programs of a tracer within the budget: measures, and does what budget.h decides.
 *
 *      shed_measure() of every tracer -> budget_decide() -> shed_apply() of every tracer, and its fields
 *
 * Cost    The programs count their runs and time every 61st of those that do not pass (event.h); what the kernel takes to get into
 *         them is `dispatch_ns`, the tracer's word for it.
 *         What the dear fields take is the tracer's word too, and what was seen when they were left out.
 * Told    every through reader_sampled(), detached slots through reader_unobserved(): nobody is misled.
 *         Attached runs are SHED_ON_S long, pauses are random: a rhythm of the machine does not fall
 *         always between them.
 * Thread  one thread.
 */
#ifndef HEATSCOPE_SHED_H
#define HEATSCOPE_SHED_H

#include "collector/probe/budget.h"
#include "collector/ring/reader.h"
#include "collector/probe/tracer.h"

#define SHED_EVERY_NS 900000000ll	/* from one decision to the next, at least */
#define SHED_ON_S 1			/* seconds that are observed in a run */
#define SHED_EARLY_NS 30000000ll	/* programs are attached so long before the first of them */

struct shed {				/* one tracer's; zeroed: shed_start() */
	struct budget_plan plan;
	struct budget_load load;	/* as last measured; full_ns with the dear fields, whether they are there or not */
	__u64 dear;			/* fields that can be left out: WANTED_FIELD() */
	double dear_ns;			/* that they take */
	__u32 was_bare, told_bare;	/* when last measured, and told */
	__u64 runs, passed, n_timed, timed_ns;	/* of the programs, when last looked at */
	__u64 handed;			/* events, all in all */
	__u64 n_new, new_ns;		/* timed under this plan, and not yet in load.full_ns */
	__s64 looked_ns;
	int detached;
	__s64 turn_ns;			/* when to detach or attach next */
	__u64 random;
	char told[160];			/* for people, what is shed; "": nothing */
};

struct shed_reader {			/* whose slots are told of */
	struct reader *reader;
	__u64 slot_ns;
};

void shed_start(struct shed *s, const struct tracer_programs *programs, __s64 now_ns);

/* What the programs have cost since the last call; keeps the last figure while detached.  dear: the fields that
 * can be left out, somebody keeps them and no predicate asks for them. */
void shed_measure(struct shed *s, const struct tracer *t, const struct tracer_programs *programs, __u64 dear, __s64 now_ns);

/* Puts s->plan into effect, but for the fields, which are the caller's. */
void shed_apply(struct shed *s, const struct tracer *t, const struct tracer_programs *programs,
		const struct shed_reader *readers, size_t n_readers, __s64 now_ns);

/* When a detached one is to be attached again, 0: not; and its being attached. */
__s64 shed_turn(const struct shed *s);
void shed_attach(struct shed *s, const struct tracer_programs *programs, const struct shed_reader *readers, size_t n_readers);

/* For people: how many events there were, what they cost, and what is shed. */
void shed_doctor(const struct shed *s, FILE *out);

#endif
