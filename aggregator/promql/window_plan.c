#include "aggregator/promql/window_plan.h"

#include "aggregator/query/plan.h"
#include "aggregator/store/chunk.h"

static __s64 common_divisor(__s64 a, __s64 b)
{
	while (b) {
		__s64 rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* Returns the most slots of which start, step and range are multiples. */
static __s64 common_slots(const struct window_wish *w)
{
	__s64 slot_ns = (__s64)w->in->slot_ns, n = w->start_ns / slot_ns;

	if (w->range_ns % slot_ns || (w->n_points > 1 && w->step_ns % slot_ns))
		return 1;
	n = common_divisor(w->range_ns / slot_ns, n);
	return w->n_points > 1 ? common_divisor(w->step_ns / slot_ns, n) : n;
}

/* The end of a point's window. */
static __s64 end_ns(const struct window_plan *p, size_t point)
{
	__s64 t = p->start_ns + (__s64)point * p->step_ns;

	return t > p->reported_ns && t - p->reported_ns <= WINDOW_LATE_NS ? p->reported_ns : t;
}

static __s64 first_of(const struct window_plan *p, size_t point) { return tier_divide(end_ns(p, point), p->unit_ns) - (__s64)p->window_units; }

/* The finest tier that still has the beginning. */
static int kept_tier(const struct window_wish *w)
{
	const struct plan_wish wish = { .in = w->in, .kept_from = w->kept_from, .from_ns = w->start_ns - w->range_ns, .to_ns = w->start_ns };
	struct plan plan;

	plan_make(&wish, &plan);
	return plan.kept;
}

/* Sets units of so many slots of the tier. */
static void set_units(const struct window_wish *w, int tier, __s64 slots, struct window_plan *p)
{
	p->tier = tier;
	p->grain = (int)common_divisor(slots, CHUNK_SLOTS);
	p->unit_ns = (__s64)plan_slot_ns(w->in, tier) * slots;
	p->window_units = (size_t)((w->range_ns + p->unit_ns - 1) / p->unit_ns);
	p->range_ns = (__s64)p->window_units * p->unit_ns;
	p->first_unit = first_of(p, 0);
	p->n_units = (size_t)(first_of(p, w->n_points - 1) - p->first_unit) + p->window_units;
}

static bool is_too_much(const struct window_wish *w, const struct window_plan *p)
{
	size_t slots = p->n_units * (size_t)(p->unit_ns / (__s64)plan_slot_ns(w->in, p->tier)) * (w->n_series ? w->n_series : 1);

	return slots / (size_t)p->grain > WINDOW_SLICES_MAX || (p->grain > 1 && slots > WINDOW_ONCE_MAX);
}

void window_plan_make(const struct window_wish *w, struct window_plan *ret_plan)
{
	struct window_plan p = { .start_ns = w->start_ns, .step_ns = w->step_ns, .asked_ns = w->range_ns, .reported_ns = w->reported_ns,
				 .slot_ns = (__s64)w->in->slot_ns };
	__s64 common = common_slots(w), per_unit;
	int kept = kept_tier(w), tier = TIERS - 1;

	while (tier > kept && common % tier_slots(w->in->slot_ns, tier))	/* the coarsest that is exact */
		tier--;
	per_unit = tier_slots(w->in->slot_ns, tier);
	p.is_exact = !(common % per_unit);
	set_units(w, tier, p.is_exact ? common / per_unit : 1, &p);
	while (is_too_much(w, &p) && tier < TIERS - 1) {
		p.is_exact = false;
		set_units(w, ++tier, 1, &p);
	}
	per_unit = p.unit_ns / p.slot_ns;
	p.first_slot = p.first_unit * per_unit;
	p.last_slot = (p.first_unit + (__s64)p.n_units) * per_unit - 1;
	*ret_plan = p;
}

size_t window_first(const struct window_plan *p, size_t point) { return (size_t)(first_of(p, point) - p->first_unit); }
