/* budget.h - how much of what happens is looked at, so that looking stays within its share of the CPUs.
 *
 *      what each tracer's programs cost in the last interval  ->  what each does in the next:
 *
 *      everything  ->  without the dear fields  ->  1 event in `every`, counted `every` times
 *                  ->  that, in `duty` of the slots only
 *
 * Why     DTrace aborted on systemic unresponsiveness; a collector that stops when it gets interesting
 *         is of no use.  Sampling keeps every estimate unbiased.  Detaching is last, for even a program
 *         that does nothing on every system call can cost more than the budget.
 *         Without its dear fields a metric still counts every event, so that comes first - where it is enough.
 *         With sampling they are there again, if they fit: they are gathered of what is looked at only.
 * Model   a run costs `dispatch` (the kernel's way into the program, which no program can measure),
 *         and `full` where it does its work; a run that is not sampled costs BUDGET_SKIP_NS instead, and `kept`
 *         where work is done before it is known whether to look (a protocol has to be followed in any case).
 *         A run that passes, having nothing to do (run_pass(): another program's socket), costs `dispatch` and BUDGET_PASS_NS,
 *         sampled or not.
 * Share   tracers get equal shares of the budget; what one does not need goes to the others.
 * Pure    no clock, no randomness, no allocation; values in, values out.
 */
#ifndef HEATSCOPE_BUDGET_H
#define HEATSCOPE_BUDGET_H

#include <linux/types.h>
#include <stddef.h>

#define BUDGET_SKIP_NS 15.0		/* a run that only decides not to look: measured */
#define BUDGET_PASS_NS 10.0		/* a run that passes: measured */
#define BUDGET_EVERY_MAX 64
#define BUDGET_WORTH 0.02		/* events of what stays are given up until looking at the others costs this part of the rest; less is not worth a change */
#define BUDGET_DUTY_FULL 1000		/* duty is in thousandths of the slots */
#define BUDGET_DUTY_MIN 5
#define BUDGET_CALM 5			/* intervals with room before more is looked at again */

struct budget_load {			/* of one tracer, in one interval in which it was attached */
	double runs_per_s;		/* program runs, sampled or not, but not those that pass */
	double dispatch_ns, full_ns;	/* per run */
	int stays;			/* it cannot be detached for a while: what it sees hangs together */
	double dear_ns;			/* of full_ns: for the fields that can be left out; 0: there are none */
	double kept_ns;			/* of full_ns: what sampling does not save, the dear fields in it; 0: it saves all */
	double passed_per_s;		/* runs that pass */
};

struct budget_plan {
	__u32 every;			/* 1: every event */
	__u32 duty;			/* BUDGET_DUTY_FULL: all slots */
	__u32 n_calm;			/* budget.c's: intervals in which less shedding would have done */
	__u32 bare;			/* the dear fields are left out */
};

#define BUDGET_PLAN_FULL { 1, BUDGET_DUTY_FULL, 0, 0 }

/* Seconds of CPU per second that a load costs under a plan. */
double budget_cost(const struct budget_load *load, const struct budget_plan *plan);

/* The next interval's plans from the last one's loads; `allowed` is in seconds of CPU per second, of all CPUs
 * together.  A plan is made stricter at once and looser only after BUDGET_CALM intervals. */
void budget_decide(const struct budget_load *load, size_t n, double allowed, struct budget_plan *plan);

#endif
