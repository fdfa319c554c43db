#include "collector/probe/kernel_budget.h"
#include "collector/probe/kernel.h"
#include "collector/trace/wall.h"

#include <unistd.h>

static size_t readers_of(struct kernel *k, const struct traced *on, struct shed_reader ret_reader[TAIL_CALL_MAX])
{
	struct instrument *it;
	size_t n = 0;

	for (it = k->instrument; it; it = it->next)
		if (it->on == on)
			ret_reader[n++] = (struct shed_reader){ it->reader, it->slot_ns };
	return n;
}

__u64 kernel_costly(const struct kernel *k, const struct traced *on)
{
	const struct instrument *it;
	__u64 kept = 0, asked = 0;

	for (it = k->instrument; it; it = it->next) {
		if (it->on != on)
			continue;
		kept |= it->kept;
		asked |= filter_wanted(&it->filter);
	}
	return on->tracer->costly & kept & ~asked;
}

static void traced_shed(struct kernel *k, struct traced *on, __s64 now_ns)
{
	struct shed_reader reader[TAIL_CALL_MAX];
	size_t n = readers_of(k, on, reader);

	shed_apply(&on->shed, on->tracer, &on->programs, reader, n, now_ns);
	if (on->shed_fields != (on->shed.plan.bare ? kernel_costly(k, on) : 0))
		traced_refresh(k, on);
}

static int is_bare_only(const struct budget_plan *plan)
{
	return plan->every == 1 && plan->duty == BUDGET_DUTY_FULL;
}

const char *kernel_shedding(const struct instrument *it)
{
	return is_bare_only(&it->on->shed.plan) && !(it->kept & it->on->shed_fields) ? "" : it->on->shed.shed_text;
}

__s64 kernel_wake_at(void *self)
{
	const struct kernel *k = self;
	__s64 first = 0, at;
	size_t i;

	for (i = 0; i < k->n_traced; i++) {
		at = k->traced[i].runs ? shed_turn(&k->traced[i].shed) : 0;
		if (at && (!first || at < first))
			first = at;
	}
	return first;
}

void kernel_wake(void *self, __s64 now_ns)
{
	struct kernel *k = self;
	size_t i;

	for (i = 0; i < k->n_traced; i++) {
		struct traced *on = &k->traced[i];
		struct shed_reader reader[TAIL_CALL_MAX];

		if (on->runs && shed_turn(&on->shed) && shed_turn(&on->shed) <= now_ns)
			shed_attach(&on->shed, &on->programs, reader, readers_of(k, on, reader));
	}
}

/* Returns seconds of CPU per second for the event programs: the budget, less the collector's own time. */
static double budget_allowed(struct kernel *k, double elapsed_s)
{
	double own_s = (double)clock_ns(CLOCK_PROCESS_CPUTIME_ID) / 1e9, own = (own_s - k->own_s) / elapsed_s;
	double allowed = k->conf.budget * (double)sysconf(_SC_NPROCESSORS_ONLN);

	k->own_s = own_s;
	return own < allowed / 2 ? allowed - own : allowed / 2;
}

void kernel_budget_keep(struct kernel *k, __s64 now_ns)
{
	struct budget_load load[TRACERS_MAX];
	struct budget_plan plan[TRACERS_MAX];
	double elapsed_s = (double)(now_ns - k->shed_ns) / 1e9, allowed;
	size_t i, n;

	if (k->conf.budget <= 0 || (elapsed_s >= 0 && now_ns - k->shed_ns < SHED_EVERY_NS))
		return;
	k->shed_ns = now_ns;
	allowed = budget_allowed(k, elapsed_s > 0 ? elapsed_s : 1);
	for (i = n = 0; i < k->n_traced; i++) {
		if (!k->traced[i].runs)
			continue;
		shed_measure(&k->traced[i].shed, k->traced[i].tracer, &k->traced[i].programs,
			     kernel_costly(k, &k->traced[i]), now_ns);
		load[n] = k->traced[i].shed.load;
		plan[n++] = k->traced[i].shed.plan;
	}
	budget_decide(load, n, allowed, plan);
	for (i = n = 0; i < k->n_traced; i++) {
		if (!k->traced[i].runs)
			continue;
		k->traced[i].shed.plan = plan[n++];
		traced_shed(k, &k->traced[i], now_ns);
	}
}
