/* guard.h - ends a script that costs the machine too much.
 *
 *      100 ms of each second: run time of the script's programs  ->  share of all CPUs
 *
 * Limit   a script is aborted that takes more than `limit` of all CPUs in D_GUARD_TIMES seconds, one after the other, or
 *         whose records are not read for D_GUARD_LATE_NS: this process was stopped, its output is blocked, or it gets no CPU.
 * Cost    The kernel counts run time only while it is asked to, which costs about 30 ns a run; so only a part of the time.
 *         The time of breakpoints in a process is not in it: the kernel does not say it, and it was 0.5 to 14 us, depending on
 *         the instruction.
 * Errors  A kernel that does not let us ask (it needs CAP_SYS_ADMIN) is no reason to abort; is_blind says so.
 * Memory  d_guard_fini() closes a descriptor.  It borrows the plan.
 */
#ifndef HEATSCOPE_D_GUARD_H
#define HEATSCOPE_D_GUARD_H

#include "collector/d/emit/plan.h"

#define D_GUARD_PERCENT 50		/* unless -x cpushare says another limit */
#define D_GUARD_TIMES 3
#define D_GUARD_LATE_NS 20000000000ull

struct d_guard {
	const struct d_plan *plan;	/* loaded */
	double limit;			/* share of all CPUs, 0 to 1 */
	unsigned n_cpus;
	int stats;			/* while it is open, the kernel counts; -1 */
	__u64 run_time_ns;		/* at the begin of the window */
	__u64 began_ns, looked_ns;	/* the window; the last look */
	double share;			/* in the last window */
	unsigned n_high;		/* windows with too much, one after the other */
	bool is_blind;			/* it cannot know the cost */
};

void d_guard_init(struct d_guard *g, const struct d_plan *plan, double limit);
void d_guard_fini(struct d_guard *g);

/* FINE: the script may go on.  COSTS: it takes too much.  LATE: its records were not read. */
enum d_guard_finding { GUARD_FINE, GUARD_COSTS, GUARD_LATE };

/* Looks; to be called often.  now_ns: monotonic. */
enum d_guard_finding d_guard_look(struct d_guard *g, __u64 now_ns);

#endif
