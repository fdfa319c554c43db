/* budget.h - decides how many events the programs measure, so that measuring stays within its share of the CPUs.
 *
 *      the cost of each tracer's programs in the last interval  ->  their plan for the next one:
 *
 *      every event  ->  without the costly fields  ->  1 event in `every`, counted `every` times
 *                   ->  the same, in `duty` of the slots only
 *
 * Why     A collector that stops when the machine is busy is of no use.  Sampling keeps every estimate unbiased.  The
 *         costly fields go first, if that is enough, because the metric still counts every event.  They come back with
 *         sampling if they fit, because only measured events gather them.  Detaching comes last: it alone helps where a
 *         program that does nothing, at every system call, costs more than the budget.
 * Model   Each run costs dispatch_ns, the kernel's way into the program, which no program can measure.  A run that does
 *         its work costs full_ns in addition.  A run that is not sampled costs BUDGET_SKIP_NS; and kept_ns, if the
 *         program must work before it can skip because it follows a protocol.  A run that passes, because it has
 *         nothing to do (run_pass()), costs BUDGET_PASS_NS, sampled or not.
 * Share   Tracers get equal shares of the budget.  The unused part of a share goes to the others.
 * Pure    no clock, no randomness, no allocation; values in, values out.
 */
#ifndef HEATSCOPE_BUDGET_H
#define HEATSCOPE_BUDGET_H

#include <linux/types.h>
#include <stddef.h>

#define BUDGET_SKIP_NS 15.0		/* a run that only decides not to measure; a measured value */
#define BUDGET_PASS_NS 10.0		/* a run that passes; a measured value */
#define BUDGET_EVERY_MAX 64
#define BUDGET_WORTH 0.02		/* sampling beyond this part of the fixed cost is not worth it */
#define BUDGET_DUTY_FULL 1000		/* duty is in thousandths of the slots */
#define BUDGET_DUTY_MIN 5
#define BUDGET_CALM 5			/* intervals within the budget before a plan becomes looser */

struct budget_load {			/* of one tracer, in one interval in which it was attached */
	double runs_per_s;		/* program runs, sampled or not, without those that pass */
	double dispatch_ns, full_ns;	/* per run */
	int stays;			/* it cannot be detached for a while, because its events depend on each other */
	double costly_ns;		/* part of full_ns for the fields that can be left out; 0: no such fields */
	double kept_ns;		/* of full_ns: what sampling does not save, incl. costly_ns; 0: it saves all */
	double passed_per_s;		/* runs that pass */
};

struct budget_plan {
	__u32 every;			/* 1: every event */
	__u32 duty;			/* BUDGET_DUTY_FULL: all slots */
	__u32 n_calm;			/* for budget.c: intervals in which a looser plan was enough */
	__u32 bare;			/* the costly fields are left out */
};

#define BUDGET_PLAN_FULL { 1, BUDGET_DUTY_FULL, 0, 0 }

/* Returns the cost of a load under a plan, in seconds of CPU per second. */
double budget_cost(const struct budget_load *load, const struct budget_plan *plan);

/* Makes the next interval's plans from the last one's loads; `allowed` is in seconds of CPU per second, for all CPUs
 * together.  A plan becomes stricter at once, and looser only after BUDGET_CALM intervals. */
void budget_decide(const struct budget_load *load, size_t n, double allowed, struct budget_plan *plan);

#endif
