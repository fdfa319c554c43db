/* shed.h - keeps the event programs of a tracer within the budget: it measures them and applies the plans of budget.h.
 *
 *      shed_measure() of every tracer -> budget_decide() -> shed_apply() of every tracer, and its fields
 *
 * Cost    The programs count their runs and time every 61st of those that do not pass (event.h).  The tracer states
 *         `dispatch_ns`, the time that the kernel takes to enter them, and the cost of the costly fields.
 *         shed_measure() corrects the cost of these fields by the difference that it saw without them.
 * Marks   reader_sampled() marks slots with `every`, reader_unobserved() marks detached slots.  So every picture can
 *         show them.
 * Pauses  Attached periods are SHED_ON_S long.  Pauses are random, so a rhythm of the machine does not always fall
 *         into them.
 * Thread  one thread.
 */
#ifndef HEATSCOPE_SHED_H
#define HEATSCOPE_SHED_H

#include "collector/probe/budget.h"
#include "collector/ring/reader.h"
#include "collector/probe/tracer.h"

#define SHED_EVERY_NS 900000000ll	/* at least this long from one decision to the next */
#define SHED_ON_S 1			/* length of an observed period, in seconds */
#define SHED_EARLY_NS 30000000ll	/* programs are attached this long before it begins */

struct shed {				/* of one tracer; begins zeroed, then shed_start() */
	struct budget_plan plan;
	struct budget_load load;	/* as last measured; full_ns always includes the costly fields */
	__u64 costly_fields;		/* those that can be left out: WANTED_FIELD() */
	double costly_ns;		/* time that they take, per run */
	__u32 was_bare, reported_bare;	/* `bare` when last measured, and when last reported */
	__u64 runs, passed, n_timed, timed_ns;	/* the programs' counters, as last read */
	__u64 handed;			/* number of events since the start */
	__u64 n_new, new_ns;		/* timed under this plan, and not yet in load.full_ns */
	__s64 looked_ns;
	int detached;
	__s64 turn_ns;			/* when to detach or attach next */
	__u64 random;
	char shed_text[160];		/* for people: what is shed, fields or events; "": nothing */
};

struct shed_reader {			/* a reader whose slots get the marks */
	struct reader *reader;
	__u64 slot_ns;
};

void shed_start(struct shed *s, const struct tracer_programs *programs, __s64 now_ns);

/* Measures the cost of the programs since the last call; keeps the last value while they are detached.
 * `costly_fields`: the fields that can be left out, which an instrumentation keeps and no predicate needs. */
void shed_measure(struct shed *s, const struct tracer *t, const struct tracer_programs *programs, __u64 costly_fields, __s64 now_ns);

/* Applies s->plan, except for the fields, which the caller applies. */
void shed_apply(struct shed *s, const struct tracer *t, const struct tracer_programs *programs,
		const struct shed_reader *readers, size_t n_readers, __s64 now_ns);

/* shed_turn() returns when to attach detached programs again, 0: do not; the next function attaches them. */
__s64 shed_turn(const struct shed *s);
void shed_attach(struct shed *s, const struct tracer_programs *programs, const struct shed_reader *readers, size_t n_readers);

/* Prints for people how many events there were, their cost, and what is shed. */
void shed_doctor(const struct shed *s, FILE *out);

#endif
