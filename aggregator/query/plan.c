#include "aggregator/query/plan.h"


__u64 plan_slot_ns(const struct instrumentation *in, int tier)
{
	return (__u64)tier_slots(in->slot_ns, tier) * in->slot_ns;
}

__u64 plan_common_unit(__u64 a, __u64 b)
{
	__u64 x = a, y = b;

	while (y) {
		__u64 rest = x % y;

		x = y;
		y = rest;
	}
	return a / x * b;
}

/* The unit of columns. */
struct choice {
	int tier, grain;
};

/* Each divides the next, so that sums of one grain add up to the next, and it divides the slots of a chunk. */
static const int grains[] = { 1, 4, 12, 60, 300 };
#define GRAINS (int)(sizeof(grains) / sizeof(*grains))

static __u64 unit_of(const struct instrumentation *in, struct choice c)
{
	return plan_common_unit(in->granularity_ns, plan_slot_ns(in, c.tier) * (__u64)c.grain);
}

/* a < b - d, also if a is the least number. */
static bool less_by(__s64 a, __s64 b, __s64 d)
{
	return a < b && (__u64)b - (__u64)a > (__u64)d;
}

/* Returns the finest tier that has the beginning, or else the tier that goes back farthest. */
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

/* Returns how many columns there will be, as in query_col_ns(). */
static __u64 n_cols(const struct plan_wish *w, struct choice c)
{
	__u64 n = n_units(w, unit_of(w->in, c)), per = (n + w->n_cols - 1) / w->n_cols;

	return (n + per - 1) / per;
}

static __u64 n_slices(const struct plan_wish *w, struct choice c)
{
	return n_units(w, plan_slot_ns(w->in, c.tier)) * (w->n_series ? w->n_series : 1) / (__u64)c.grain;
}

static bool too_many(const struct plan_wish *w, struct choice c)
{
	return n_slices(w, c) > PLAN_SLICES || (c.grain > 1 && n_slices(w, (struct choice){ c.tier, 1 }) > PLAN_ONCE);
}

static bool fits(const struct plan_wish *w, struct choice c)
{
	__u64 unit = unit_of(w->in, c);

	return !w->fixed || (!(w->from_ns % (__s64)unit) && !(w->to_ns % (__s64)unit));
}

/* Does it show as much, and not much more?  A second is not an hour, although both are one column. */
static bool shows_as_much(const struct plan_wish *w, struct choice c, int kept)
{
	__u64 unit = unit_of(w->in, c);

	return 4 * n_cols(w, c) >= 3 * n_cols(w, (struct choice){ kept, 1 }) &&
	       3 * (n_units(w, unit) * unit) <= 4 * (__u64)(w->to_ns - w->from_ns);
}

/* Chooses the grain that leaves most columns while few slices are read, among those that leave nearly as many and add
 * at most a hundredth of the time. */
static struct choice with_grain(const struct plan_wish *w, int tier)
{
	const struct choice single = { tier, 1 };
	struct choice best = single;

	for (int i = 1; i < GRAINS && n_slices(w, single) > PLAN_WORTH; i++) {
		const struct choice c = { tier, grains[i] };
		__u64 unit = unit_of(w->in, c), ns = (__u64)(w->to_ns - w->from_ns);

		if (fits(w, c) && n_units(w, unit) * unit <= ns / 100 * 101 && 4 * n_cols(w, c) >= 3 * n_cols(w, single) &&
		    (n_slices(w, best) > PLAN_FEW || n_cols(w, c) >= n_cols(w, best)))
			best = c;
	}
	return best;
}

static struct choice column_choice(const struct plan_wish *w, int kept)
{
	struct choice best = with_grain(w, kept);

	for (int tier = kept + 1; tier < TIERS; tier++) {
		const struct choice c = { tier, 1 };

		if (fits(w, c) && (shows_as_much(w, c, kept) || too_many(w, best)))
			best = with_grain(w, tier);
	}
	return best;
}

static void add_part(struct plan *p, int tier, __s64 first, __s64 last)
{
	if (tier > p->tier)
		p->tier = tier;
	p->part[p->n_parts++] = (struct plan_part){ tier, first, last };
}

/* Adds whole slots of this tier, and the remainders at both ends as slots of the finer tiers. */
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
	const struct choice c = w->n_cols ? column_choice(w, p.kept) : (struct choice){ p.kept, 1 };
	__s64 slot_ns = (__s64)w->in->slot_ns;

	p.unit_ns = unit_of(w->in, c);
	p.grain = w->n_cols ? c.grain : PLAN_TOTAL_GRAIN;
	p.from_ns = round_down(w->from_ns, p.unit_ns);
	p.to_ns = round_up(w->to_ns, p.unit_ns);
	if (w->n_cols)
		add_part(&p, c.tier, p.from_ns / slot_ns, p.to_ns / slot_ns - 1);
	else
		add_totals(&p, w->in, TIERS - 1, p.from_ns / slot_ns, p.to_ns / slot_ns - 1);
	*ret_plan = p;
}
