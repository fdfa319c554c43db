#include "collector/probe/budget.h"

#include <math.h>

/* Splits the work of a run into the part that every run does and the part that sampling saves. */
static void work_split(const struct budget_load *load, int bare, double *ret_kept, double *ret_spared)
{
	double costly_ns = bare ? load->costly_ns : 0;

	*ret_kept = load->kept_ns > 0 ? load->kept_ns - costly_ns : 0;
	*ret_spared = load->full_ns - costly_ns - *ret_kept;
}

/* Returns seconds of CPU per second for the runs that pass. */
static double pass_cost(const struct budget_load *load)
{
	return load->passed_per_s * (load->dispatch_ns + BUDGET_PASS_NS) / 1e9;
}

double budget_cost(const struct budget_load *load, const struct budget_plan *plan)
{
	double kept, spared, work;

	work_split(load, plan->bare, &kept, &spared);
	work = kept + spared;
	if (plan->every > 1)
		work = BUDGET_SKIP_NS + kept + spared / plan->every;
	return (load->runs_per_s * (load->dispatch_ns + work) / 1e9 + pass_cost(load)) * plan->duty / BUDGET_DUTY_FULL;
}

/* Returns how much each may cost, so that together they cost `allowed`: tracers that need less than an equal share
 * leave the rest to the others. */
static double share_level(const struct budget_load *load, size_t n, double allowed)
{
	static const struct budget_plan full = BUDGET_PLAN_FULL;
	double level = n ? allowed / n : 0, used, over;
	size_t round, i, n_over;

	for (round = 0; round < n; round++) {
		used = over = 0;
		n_over = 0;
		for (i = 0; i < n; i++) {
			double cost = budget_cost(&load[i], &full);

			if (cost <= level)
				used += cost;
			else
				n_over++;
		}
		over = n_over ? (allowed - used) / n_over : level;
		if (over <= level)
			break;
		level = over;
	}
	return level;
}

/* Returns the largest useful `every`, at least 2: a tracer over the budget must show that it samples.  A tracer that
 * can be detached becomes cheap by that.  For one that stays attached, measuring even fewer events is not worth it once
 * they cost next to nothing, compared with its fixed cost. */
static __u32 every_most(const struct budget_load *load, int bare)
{
	double kept, spared, fixed, every;

	if (!load->stays)
		return BUDGET_EVERY_MAX;
	work_split(load, bare, &kept, &spared);
	fixed = load->runs_per_s * (load->dispatch_ns + BUDGET_SKIP_NS + kept) + pass_cost(load) * 1e9;
	every = fixed > 0 ? ceil(load->runs_per_s * spared / (fixed * BUDGET_WORTH)) : BUDGET_EVERY_MAX;
	return every < 2 ? 2 : every < BUDGET_EVERY_MAX ? (__u32)every : BUDGET_EVERY_MAX;
}

/* Returns the smallest `every` that fits; 0: not even every_most() fits. */
static __u32 every_for(const struct budget_load *load, int bare, double allowed)
{
	double kept, spared, rest, every;

	work_split(load, bare, &kept, &spared);
	rest = (allowed - pass_cost(load)) * 1e9 - load->runs_per_s * (load->dispatch_ns + BUDGET_SKIP_NS + kept);
	every = rest > 0 ? ceil(load->runs_per_s * spared / rest) : BUDGET_EVERY_MAX + 1;
	if (every > every_most(load, bare))
		return 0;
	return every > 2 ? (__u32)every : 2;
}

/* Returns the mildest plan that costs at most `allowed`. */
static struct budget_plan plan_for(const struct budget_load *load, double allowed)
{
	struct budget_plan plan = BUDGET_PLAN_FULL;
	__u32 can_bare = load->costly_ns > 0;

	for (plan.bare = 0; plan.bare <= can_bare; plan.bare++)
		if (budget_cost(load, &plan) <= allowed)
			return plan;
	for (plan.bare = 0; plan.bare <= can_bare; plan.bare++) {
		plan.every = every_for(load, plan.bare, allowed);
		if (plan.every)
			return plan;
	}
	plan.bare = can_bare && load->kept_ns > 0;	/* otherwise they cost almost nothing now */
	plan.every = every_most(load, plan.bare);
	if (load->stays)
		return plan;
	plan.duty = (__u32)(BUDGET_DUTY_FULL * (allowed / budget_cost(load, &plan)));
	if (plan.duty < BUDGET_DUTY_MIN)
		plan.duty = BUDGET_DUTY_MIN;
	return plan;
}

static int is_looser(const struct budget_plan *a, const struct budget_plan *b)
{
	if (a->duty != b->duty)
		return a->duty > b->duty;
	return a->every != b->every ? a->every < b->every : a->bare < b->bare;
}

/* Does the new plan fit, begin to sample, or save more than next to nothing?  Measured costs vary, and every change
 * puts a mark in the data. */
static int is_worth(const struct budget_load *load, const struct budget_plan *now, const struct budget_plan *next, double allowed)
{
	double cost = budget_cost(load, next);

	return cost <= allowed || now->every == 1 || budget_cost(load, now) > cost * (1 + BUDGET_WORTH);
}

void budget_decide(const struct budget_load *load, size_t n, double allowed, struct budget_plan *plan)
{
	double level = share_level(load, n, allowed);
	size_t i;

	for (i = 0; i < n; i++) {
		struct budget_plan next = plan_for(&load[i], level);

		if (is_looser(&next, &plan[i])) {
			if (++plan[i].n_calm < BUDGET_CALM)
				continue;
		} else if (!is_worth(&load[i], &plan[i], &next, level)) {
			next = plan[i];
		}
		next.n_calm = 0;
		plan[i] = next;
	}
}
