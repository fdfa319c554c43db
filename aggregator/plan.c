#include "plan.h"

#include <string.h>

__u64 plan_slot_ns(const struct instrumentation *in, int tier)
{
	return (__u64)tier_slots(in->slot_ns, tier) * in->slot_ns;
}

static __u64 common_multiple(__u64 a, __u64 b)
{
	__u64 x = a, y = b;

	while (y) {
		__u64 rest = x % y;

		x = y;
		y = rest;
	}
	return a / x * b;
}

static __u64 unit_of(const struct instrumentation *in, int tier)
{
	return common_multiple(in->granularity_ns, plan_slot_ns(in, tier));
}

/* a < b - d, also where a is the least number. */
static bool less_by(__s64 a, __s64 b, __s64 d)
{
	return a < b && (__u64)b - (__u64)a > (__u64)d;
}

/* The finest tier that has the beginning, or else the one that goes back farthest. */
static int kept_tier(const struct plan_wish *w)
{
	__s64 first = w->from_ns / (__s64)w->in->slot_ns;
	int best = 0;

	for (int tier = 1; tier < TIERS; tier++) {
		__s64 per = tier_slots(w->in->slot_ns, tier);

		if (less_by(first, w->kept_from[best], per) && less_by(w->kept_from[tier], w->kept_from[best], per))
			best = tier;
	}
	return best;
}

static __s64 round_down(__s64 ns, __u64 unit) { return ns / (__s64)unit * (__s64)unit; }
static __s64 round_up(__s64 ns, __u64 unit) { return round_down(ns + (__s64)unit - 1, unit); }

static __u64 n_units(const struct plan_wish *w, __u64 unit)
{
	return (__u64)(round_up(w->to_ns, unit) - round_down(w->from_ns, unit)) / unit;
}

/* How many columns there will be, as in query_col_ns(). */
static __u64 n_cols(const struct plan_wish *w, int tier)
{
	__u64 n = n_units(w, unit_of(w->in, tier)), per = (n + w->n_cols - 1) / w->n_cols;

	return (n + per - 1) / per;
}

static __u64 n_slices(const struct plan_wish *w, int tier)
{
	return n_units(w, plan_slot_ns(w->in, tier)) * (w->n_series ? w->n_series : 1);
}

static bool fits(const struct plan_wish *w, int tier)
{
	__u64 unit = unit_of(w->in, tier);

	return !w->fixed || (!(w->from_ns % (__s64)unit) && !(w->to_ns % (__s64)unit));
}

/* Does it show as much, and not much more?  A second is not an hour, although both are one column. */
static bool shows_as_much(const struct plan_wish *w, int tier, int kept)
{
	__u64 unit = unit_of(w->in, tier);

	return 4 * n_cols(w, tier) >= 3 * n_cols(w, kept) &&
	       3 * (n_units(w, unit) * unit) <= 4 * (__u64)(w->to_ns - w->from_ns);
}

static int column_tier(const struct plan_wish *w, int kept)
{
	int best = kept;

	for (int tier = kept + 1; tier < TIERS; tier++)
		if (fits(w, tier) && (shows_as_much(w, tier, kept) || n_slices(w, best) > PLAN_SLICES))
			best = tier;
	return best;
}

static void add_part(struct plan *p, int tier, __s64 first, __s64 last)
{
	if (tier > p->tier)
		p->tier = tier;
	p->part[p->n_parts++] = (struct plan_part){ tier, first, last };
}

/* Whole slots of this tier as such, what is left at both ends as those of the finer ones. */
static void add_totals(struct plan *p, const struct instrumentation *in, int tier, __s64 first, __s64 last)
{
	__s64 per = tier_slots(in->slot_ns, tier), from = tier_down(first + per - 1, per), to = tier_down(last + 1, per);

	if (first > last)
		return;
	if (tier && from >= to) {
		add_totals(p, in, tier - 1, first, last);
		return;
	}
	if (tier)
		add_totals(p, in, tier - 1, first, from - 1);
	add_part(p, tier, from, to - 1);
	if (tier)
		add_totals(p, in, tier - 1, to, last);
}

void plan_make(const struct plan_wish *w, struct plan *ret_plan)
{
	struct plan p = { .kept = kept_tier(w) };
	int tier = w->n_cols ? column_tier(w, p.kept) : p.kept;
	__s64 slot_ns = (__s64)w->in->slot_ns;

	p.unit_ns = unit_of(w->in, tier);
	p.from_ns = round_down(w->from_ns, p.unit_ns);
	p.to_ns = round_up(w->to_ns, p.unit_ns);
	if (w->n_cols)
		add_part(&p, tier, p.from_ns / slot_ns, p.to_ns / slot_ns - 1);
	else
		add_totals(&p, w->in, TIERS - 1, p.from_ns / slot_ns, p.to_ns / slot_ns - 1);
	*ret_plan = p;
}
