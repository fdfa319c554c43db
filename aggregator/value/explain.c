#include "aggregator/value/explain.h"
#include "aggregator/value/kind.h"

#include <errno.h>
#include <stdio.h>

static struct explain *explain_of(struct value *v) { return (struct explain *)v; }
static const struct explain *const_explain_of(const struct value *v) { return (const struct explain *)v; }

/* ---- the request ---- */

/* Checks the baseline like every interval. */
static int choose_baseline(struct value *v, const struct catalog_inst *ci, struct explain *e, char *reason)
{
	struct params p = { .start_ns = v->p.baseline_start_ns, .end_ns = v->p.baseline_end_ns, .n_points = 1,
			    .has_start = v->p.has_baseline_start, .has_end = v->p.has_baseline_end };
	struct instrumentation in = ci->in;
	struct interval_ns asked;
	char why[PARAMS_REASON_MAX];

	if (!p.has_start && !p.has_end)
		return 0;
	if (!p.has_start || !p.has_end)
		return params_refuse(reason, "baseline_start and baseline_end must both be given");
	in.retention_s = v->in.retention_s;
	e->has_baseline = true;
	if (!params_interval(&p, &in, v->now_ns, &asked, &e->baseline, why))
		return 0;
	return params_refuse(reason, "baseline: %.*s", PARAMS_REASON_MAX - 16, why);
}

/* ---- which slots of which tier ---- */

/* Returns the coarsest tier that has enough slots in the time, but not a finer one than what is kept. */
static int coarsest_tier(const struct instrumentation *in, int kept, __s64 n_slots)
{
	int tier = TIERS - 1;

	while (tier > kept && n_slots / tier_slots(in->slot_ns, tier) < EXPLAIN_BLOCKS)
		tier--;
	return tier;
}

static __s64 block_of(const struct instrumentation *in, int tier, __s64 n_slots)
{
	__s64 per = tier_slots(in->slot_ns, tier), n = (n_slots + per - 1) / per;

	return (n + REGION_BLOCKS - 1) / REGION_BLOCKS * per;
}

static void add_part(struct plan *p, int tier, __s64 from, __s64 to)
{
	if (from < to)
		p->part[p->n_parts++] = (struct plan_part){ tier, from, to - 1 };
}

/* Splits the time: whole slots of the tier, and the remainders at both ends as slots of the finer tiers that are
 * kept. */
static void split(struct plan *p, __u64 slot_ns, int tier, __s64 from, __s64 to)
{
	__s64 per = tier_slots(slot_ns, tier), first = tier_down(from + per - 1, per), last = tier_down(to, per);

	if (from >= to || (first >= last && tier == p->kept))
		return;
	if (first >= last) {
		split(p, slot_ns, tier - 1, from, to);
		return;
	}
	if (tier > p->kept)
		split(p, slot_ns, tier - 1, from, first);
	add_part(p, tier, first, last);
	if (tier > p->kept)
		split(p, slot_ns, tier - 1, last, to);
}

static void add_piece(struct explain *e, const struct instrumentation *in, int kept, int tier, __s64 from, __s64 to)
{
	struct plan *p = &e->piece[e->n_pieces];

	*p = (struct plan){ .kept = kept, .tier = tier, .grain = 1 };
	split(p, in->slot_ns, tier, from, to);
	e->n_pieces += p->n_parts > 0;
}

static void plan_baseline(struct value *v, const struct catalog_inst *ci, struct explain *e, struct region_query *q)
{
	struct instrumentation in = ci->in;
	const struct plan_wish w = { .in = &in, .kept_from = ci->kept_from, .from_ns = e->baseline.from, .to_ns = e->baseline.to,
				     .fixed = true };
	__s64 slot_ns = (__s64)in.slot_ns, from, to;
	struct plan plan;
	int tier;

	plan_make(&w, &plan);
	e->baseline_kept = plan.kept;
	e->baseline = (struct interval_ns){ plan.from_ns, plan.to_ns };
	from = plan.from_ns / slot_ns;
	to = plan.to_ns / slot_ns;
	tier = coarsest_tier(&in, plan.kept, to - from);
	q->baseline = (struct region_span){ from, to, block_of(&in, tier, to - from) };
	add_piece(e, &in, plan.kept, tier, from, to < q->time.from ? to : q->time.from);
	add_piece(e, &in, plan.kept, tier, from > q->time.to ? from : q->time.to, to);
}

/* ---- the baseline's coverage ---- */

static void baseline_mark(void *arg, const struct mark *mark)
{
	struct explain *e = arg;

	fold_reader(e->baseline_fold)->mark(e->baseline_fold, mark);
	region_reader(e->region)->mark(e->region, mark);
}

/* Damaged slots may be the baseline's: they count as a loss there, too. */
static void baseline_damaged(void *arg, __s64 first, __s64 last)
{
	const struct loss loss = { .n = 1, .first = first, .last = last };
	struct explain *e = arg;

	fold_reader(e->baseline_fold)->loss(e->baseline_fold, "", &loss);
}

static int watch_baseline(struct value *v, const struct catalog_inst *ci, struct explain *e)
{
	const struct store_reader to = { .arg = e, .damaged = baseline_damaged };
	int err;

	e->baseline_query = e->query;
	e->baseline_query.from_ns = e->baseline.from;
	e->baseline_query.to_ns = e->baseline.to;
	err = fold_new(&e->baseline_query, &e->baseline_fold);
	if (err)
		return err;
	value_take(v, -1, VALUE_WHOLE, &to);
	return value_expect(v->services, ci, v->now_ns, e->baseline_fold);
}

/* Reads the baseline's coverage, losses and marks. */
static int read_baseline(struct explain *e, struct store *store)
{
	const struct store_reader marks = { .arg = e, .mark = baseline_mark };
	struct store_range range = { .axis = e->query.axis, .tier = e->baseline_kept };
	struct store_reader reader;
	int err;

	if (!e->has_baseline)
		return 0;
	query_slots(&e->baseline_query, &range.first, &range.last);
	reader = *fold_reader(e->baseline_fold);
	reader.slice = NULL;
	reader.mark = NULL;
	err = store->ops->read(store, e->v.in.id, &range, &reader);
	return err ? err : store->ops->read(store, e->v.in.id, &range, &marks);
}

/* ---- folds ---- */

static int add_region(struct value *v, const struct catalog_inst *ci, int axis, char *reason)
{
	struct region_query q = { .min = (__u64)v->p.ymin, .max = v->p.has_ymax ? (__u64)v->p.ymax : 0 };
	struct explain *e = explain_of(v);
	__s64 first, last;
	int tier, err;

	for (size_t i = 0; i < v->in.n_measures; i++)
		q.points |= (__u32)(v->scope[i] == SCOPE_POINT) << i;
	if (q.points >> axis & 1)
		return params_refuse(reason, "a measure of states at the end of each slot has no events to compare");
	e->query = value_query(v, axis);
	query_slots(&e->query, &first, &last);
	tier = coarsest_tier(&v->in, v->plan.kept, last + 1 - first);
	q.query = &e->query;
	q.time = (struct region_span){ first, last + 1, block_of(&v->in, tier, last + 1 - first) };
	add_piece(e, &v->in, v->plan.kept, tier, first, last + 1);
	v->head.tier_ns = plan_slot_ns(&v->in, tier);
	err = choose_baseline(v, ci, e, reason);
	if (!err && e->has_baseline)
		plan_baseline(v, ci, e, &q);
	if (!err && e->has_baseline && e->n_pieces < 2)
		err = params_refuse(reason, "baseline: it lies within the time of the rectangle");
	if (!err)
		err = region_new(&q, &e->region);
	return !err && e->has_baseline ? watch_baseline(v, ci, e) : err;
}

static int explain_folds(struct value *v, const struct catalog_inst *ci, int axis, char *reason)
{
	struct explain *e = explain_of(v);
	struct query q = value_query(v, axis);
	int err = value_fold_add(v, &q, true);

	if (!err)
		err = add_region(v, ci, axis, reason);
	if (err)
		return err;
	v->all_axes = v->in.n_measures > 1;
	value_take(v, -1, VALUE_BY_KEY, region_reader(e->region));
	err = value_in_flight_add(v, IN_FLIGHT_SLOTS_MAX, (__u64)v->p.ymin, v->p.has_ymax ? (__u64)v->p.ymax : 0, &e->running);
	if (!err && v->in.n_weights && !axis)
		err = value_composition_folds(v, &e->composed);
	return err;
}

/* ---- reading ---- */

/* Long times are read as minutes, which the cube does not have; a baseline may be older than it. */
static bool explain_needs_store(const struct value *v)
{
	return const_explain_of(v)->has_baseline || const_explain_of(v)->piece[0].tier;
}

static int explain_record(struct value *v, __s64 first, __s64 last)
{
	if (explain_of(v)->running)
		value_in_flight_take(v, explain_of(v)->running);
	return value_record_slices(v, first, last);
}

static int explain_read(struct value *v, struct store *store)
{
	const struct store_range of = { .axis = value_only_axis(v), .weight = value_only_weight(v) };
	const struct store_reader slices = value_slices(v);
	struct explain *e = explain_of(v);
	int err = 0;

	for (size_t i = 0; i < e->n_pieces && !err; i++)
		err = value_read_plan(v, store, &e->piece[i], true, &of, &slices);
	if (!err && e->running)
		err = value_in_flight_read(v, e->running, store);
	return err ? err : read_baseline(e, store);
}

int explain_error(struct explain *e)
{
	int err = e->running ? in_flight_error(e->running) : 0;

	if (err)
		return err;
	err = region_error(e->region);
	if (err == -E2BIG)
		snprintf(e->v.reason, sizeof(e->v.reason), "there are more than %d keys in this time: take a shorter one, or select some",
			 REGION_KEYS_MAX);
	return err ? err : e->baseline_fold ? fold_error(e->baseline_fold) : 0;
}

static void explain_free(struct value *v)
{
	struct explain *e = explain_of(v);

	fold_free(e->baseline_fold);
	region_free(e->region);
	in_flight_free(e->running);
}

const struct value_kind value_explain = {
	.name = "explain", .size = sizeof(struct explain), .class = ADMISSION_MEDIUM, .totals = true, .folds = explain_folds,
	.needs_store = explain_needs_store, .record = explain_record, .read = explain_read, .make = explain_make, .free = explain_free,
};
