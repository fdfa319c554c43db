#include "collector/probe/budget.h"
#include "test/kit/check.h"

#include <math.h>

#define N_RANDOM 20000

static const struct budget_plan full = BUDGET_PLAN_FULL;

static __u64 random_state = 88172645463325252ull;

static double random_below(double most)
{
	random_state ^= random_state << 13, random_state ^= random_state >> 7, random_state ^= random_state << 17;
	return most * (double)(random_state >> 11) / (double)(1ull << 53);
}

static double total(const struct budget_load *load, const struct budget_plan *plan, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += budget_cost(&load[i], &plan[i]);
	return sum;
}

TEST(a_load_within_the_budget_is_not_shed)
{
	struct budget_load load = { .runs_per_s = 10000, .dispatch_ns = 50, .full_ns = 1500 };
	struct budget_plan plan = BUDGET_PLAN_FULL;

	budget_decide(&load, 1, 0.02, &plan);
	assert_int_equal(plan.every, 1);
	assert_int_equal(plan.duty, BUDGET_DUTY_FULL);
}

TEST(sampling_comes_before_detaching)
{
	struct budget_load load = { .runs_per_s = 100000, .dispatch_ns = 10, .full_ns = 1000 };	/* costs 0.1; 0.0025 unmeasured */
	struct budget_plan plan = BUDGET_PLAN_FULL;

	budget_decide(&load, 1, 0.02, &plan);
	assert_true(plan.every > 1 && plan.every < BUDGET_EVERY_MAX);
	assert_int_equal(plan.duty, BUDGET_DUTY_FULL);
	assert_true(budget_cost(&load, &plan) <= 0.02);

	load.runs_per_s = 5e6;				/* the calls alone cost 0.05 */
	budget_decide(&load, 1, 0.02, &plan);
	assert_int_equal(plan.every, BUDGET_EVERY_MAX);
	assert_true(plan.duty < BUDGET_DUTY_FULL);
}

/* With any loads: together they stay within the budget, unless every plan is at its strictest. */
TEST(the_budget_holds)
{
	for (int round = 0; round < N_RANDOM; round++) {
		struct budget_load load[6];
		struct budget_plan plan[6];
		size_t n = 1 + (size_t)random_below(5.99), strictest = 0;
		double allowed = 0.001 + random_below(0.1);

		for (size_t i = 0; i < n; i++) {
			load[i] = (struct budget_load){ random_below(1) < 0.2 ? 0 : random_below(3e6), random_below(150),
							30 + random_below(3000), 0, 0, 0, 0 };
			load[i].costly_ns = random_below(1) < 0.5 ? 0 : random_below(load[i].full_ns / 2);
			load[i].passed_per_s = random_below(1) < 0.5 ? 0 : random_below(3e6);
			plan[i] = full;
		}
		budget_decide(load, n, allowed, plan);
		for (size_t i = 0; i < n; i++)
			strictest += plan[i].duty == BUDGET_DUTY_MIN;
		assert_true(strictest || total(load, plan, n) <= allowed * 1.000001);
	}
}

/* A tracer with a storm of events takes nothing from one with few. */
TEST(a_storm_sheds_itself)
{
	struct budget_load load[2] = { { .runs_per_s = 2e6, .dispatch_ns = 80, .full_ns = 500 },
				       { .runs_per_s = 10000, .dispatch_ns = 20, .full_ns = 500 } };
	struct budget_plan plan[2] = { BUDGET_PLAN_FULL, BUDGET_PLAN_FULL };

	budget_decide(load, 2, 0.02, plan);
	assert_true(plan[0].every > 1);
	assert_int_equal(plan[1].every, 1);
	assert_int_equal(plan[1].duty, BUDGET_DUTY_FULL);
}

TEST(it_recovers_slowly_and_sheds_at_once)
{
	struct budget_load storm = { .runs_per_s = 1e6, .dispatch_ns = 20, .full_ns = 800 };
	struct budget_load calm = { .runs_per_s = 1000, .dispatch_ns = 20, .full_ns = 800 };
	struct budget_plan plan = BUDGET_PLAN_FULL;
	int n = 0;

	budget_decide(&storm, 1, 0.02, &plan);
	assert_true(plan.every > 1 || plan.duty < BUDGET_DUTY_FULL);
	while (plan.every > 1 || plan.duty < BUDGET_DUTY_FULL) {
		budget_decide(&calm, 1, 0.02, &plan);
		n++;
	}
	assert_int_equal(n, BUDGET_CALM);
}

TEST(a_tracer_that_stays_is_never_detached)
{
	struct budget_load load = { .runs_per_s = 5e6, .dispatch_ns = 10, .full_ns = 1000, .stays = 1 };
	struct budget_plan plan = BUDGET_PLAN_FULL;

	budget_decide(&load, 1, 0.02, &plan);
	assert_int_equal(plan.every, BUDGET_EVERY_MAX);
	assert_int_equal(plan.duty, BUDGET_DUTY_FULL);
}

TEST(expensive_fields_go_first_if_that_is_enough)
{
	struct budget_load load = { 100000, 10, 230, 0, .costly_ns = 60 };	/* 0.024, 0.018 without them */
	struct budget_plan plan = BUDGET_PLAN_FULL;
	int n;

	budget_decide(&load, 1, 0.02, &plan);
	assert_int_equal(plan.bare, 1);
	assert_int_equal(plan.every, 1);
	assert_true(budget_cost(&load, &plan) <= 0.02);

	load.runs_per_s = 50000;
	for (n = 0; plan.bare; n++)
		budget_decide(&load, 1, 0.02, &plan);
	assert_int_equal(n, BUDGET_CALM);
}

/* Only measured events gather them, so leaving them out would save nothing more. */
TEST(with_sampling_the_expensive_fields_are_back)
{
	struct budget_load load = { 200000, 10, 230, 0, .costly_ns = 60 };
	struct budget_plan plan = BUDGET_PLAN_FULL;

	budget_decide(&load, 1, 0.02, &plan);
	assert_int_equal(plan.bare, 0);
	assert_true(plan.every > 1);
}

/* The program follows a protocol before it can decide to measure: then sampling and bare fields go together. */
TEST(sampling_saves_only_its_part_of_the_cost)
{
	struct budget_load load = { 100000, 10, 330, 1, .costly_ns = 80, .kept_ns = 300 };
	struct budget_plan plan = BUDGET_PLAN_FULL;

	budget_decide(&load, 1, 0.027, &plan);
	assert_true(plan.bare && plan.every == 1);
	plan = full;
	budget_decide(&load, 1, 0.025, &plan);
	assert_true(plan.bare && plan.every > 1 && plan.every < BUDGET_EVERY_MAX);
	assert_true(budget_cost(&load, &plan) <= 0.025);
	plan = full;
	budget_decide(&load, 1, 0.01, &plan);		/* cannot be reached */
	assert_true(plan.bare && plan.every > 1 && plan.duty == BUDGET_DUTY_FULL);
}

/* A tracer that stays attached does not give up rare events if that saves next to nothing, with any budget. */
TEST(sampling_is_no_stricter_than_it_is_worth)
{
	for (int round = 0; round < N_RANDOM; round++) {
		struct budget_load load = { 1 + random_below(1e6), random_below(50), 30 + random_below(1000), .stays = 1 };
		struct budget_plan plan = BUDGET_PLAN_FULL, strictest, milder;

		load.kept_ns = random_below(1) < 0.5 ? 0 : random_below(load.full_ns);
		load.passed_per_s = random_below(1) < 0.5 ? 0 : random_below(3e6);
		budget_decide(&load, 1, random_below(0.2), &plan);
		if (plan.every <= 2)
			continue;
		strictest = milder = plan;
		strictest.every = 1 << 30;
		milder.every--;
		assert_true(budget_cost(&load, &milder) > (1 + BUDGET_WORTH) * budget_cost(&load, &strictest));
	}
}

/* Nor is it milder: then more would fit, or be saved.  Factor two, because a change must be worth it, too. */
TEST(a_tracer_that_stays_costs_little_more_than_it_must)
{
	for (int round = 0; round < N_RANDOM; round++) {
		struct budget_load load = { 1 + random_below(1e6), random_below(50), 30 + random_below(1000), .stays = 1 };
		struct budget_plan plan = BUDGET_PLAN_FULL, strictest;
		double allowed = random_below(0.2);

		load.kept_ns = random_below(1) < 0.5 ? 0 : random_below(load.full_ns);
		load.passed_per_s = random_below(1) < 0.5 ? 0 : random_below(3e6);
		budget_decide(&load, 1, allowed, &plan);
		strictest = plan;
		strictest.every = BUDGET_EVERY_MAX;
		assert_true(budget_cost(&load, &plan) <= fmax(allowed * 1.000001, pow(1 + BUDGET_WORTH, 2) * budget_cost(&load, &strictest)));
	}
}

/* Measured costs vary: a tracer that cannot fit must not change between more and less sampling because of that. */
TEST(a_small_variation_changes_no_plan)
{
	struct budget_load load = { 100000, 10, .stays = 1, .kept_ns = 700 };
	struct budget_plan plan = BUDGET_PLAN_FULL;
	int n_changes = 0;

	for (int round = 0; round < N_RANDOM; round++) {
		__u32 before = plan.every;

		load.full_ns = 745 + random_below(20);	/* 1 event in 4, or in 5 */
		budget_decide(&load, 1, 0.01, &plan);
		n_changes += plan.every != before;
	}
	assert_in_range(n_changes, 1, 2);
}

/* Runs for other programs' sockets: if they alone cost too much, the budget sees it, although no event is ours. */
TEST(runs_that_pass_cost_too)
{
	struct budget_load load = { 1000, 20, 800, .passed_per_s = 500000 };
	struct budget_plan plan = BUDGET_PLAN_FULL;
	double busy = budget_cost(&load, &plan);

	load.passed_per_s = 0;
	assert_true(fabs(busy - budget_cost(&load, &plan) - 500000 * (20 + BUDGET_PASS_NS) / 1e9) < 1e-12);
	budget_decide(&load, 1, 0.01, &plan);
	assert_int_equal(plan.every, 1);
	load.passed_per_s = 500000;
	budget_decide(&load, 1, 0.01, &plan);
	assert_true(plan.duty < BUDGET_DUTY_FULL && budget_cost(&load, &plan) <= 0.01 * 1.000001);

	plan = full;
	load.stays = 1;					/* must not claim to fit, nor give up few events for nothing */
	budget_decide(&load, 1, 0.01, &plan);
	assert_true(plan.every == 3 && plan.duty == BUDGET_DUTY_FULL && budget_cost(&load, &plan) > 0.01);
}

TEST_MAIN()
