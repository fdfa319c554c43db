#include "budget.h"

#include <math.h>

double budget_cost(const struct budget_load *load, const struct budget_plan *plan)
{
	double work = load->full_ns;

	if (plan->every > 1)
		work = BUDGET_SKIP_NS + load->full_ns / plan->every;
	return load->runs_per_s * (load->dispatch_ns + work) * plan->duty / BUDGET_DUTY_FULL / 1e9;
}

/* What each may cost, so that together they cost `allowed`: those that need less than an equal share
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

/* The mildest plan that costs at most `allowed`. */
static struct budget_plan plan_for(const struct budget_load *load, double allowed)
{
	struct budget_plan plan = BUDGET_PLAN_FULL;
	double rest;

	if (budget_cost(load, &plan) <= allowed)
		return plan;
	rest = allowed * 1e9 - load->runs_per_s * (load->dispatch_ns + BUDGET_SKIP_NS);
	plan.every = BUDGET_EVERY_MAX;
	if (rest > 0 && load->runs_per_s * load->full_ns / rest < BUDGET_EVERY_MAX) {
		plan.every = (__u32)ceil(load->runs_per_s * load->full_ns / rest);
		plan.every = plan.every > 1 ? plan.every : 2;
		return plan;
	}
	if (load->stays)
		return plan;
	plan.duty = (__u32)(BUDGET_DUTY_FULL * (allowed / budget_cost(load, &plan)));
	if (plan.duty < BUDGET_DUTY_MIN)
		plan.duty = BUDGET_DUTY_MIN;
	return plan;
}

static int is_looser(const struct budget_plan *a, const struct budget_plan *b)
{
	return a->duty > b->duty || (a->duty == b->duty && a->every < b->every);
}

void budget_decide(const struct budget_load *load, size_t n, double allowed, struct budget_plan *plan)
{
	double level = share_level(load, n, allowed);
	size_t i;

	for (i = 0; i < n; i++) {
		struct budget_plan next = plan_for(&load[i], level);

		if (is_looser(&next, &plan[i]) && ++plan[i].n_calm < BUDGET_CALM)
			continue;
		next.n_calm = 0;
		plan[i] = next;
	}
}
