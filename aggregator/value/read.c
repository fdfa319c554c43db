#include "aggregator/value/value.h"
#include "aggregator/query/active.h"
#include "aggregator/query/in_flight.h"
#include "aggregator/value/active.h"
#include "aggregator/value/exemplars.h"
#include "aggregator/value/explain.h"
#include "aggregator/value/reply.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- giving slices to all folds ---- */

static void give_to_keys(void *arg, __s64 slot, const struct slice *s)
{
	struct value *v = arg;

	for (size_t i = 0; i < v->n_key_folds; i++)
		if (s->axis == v->key_axis[i])
			key_fold_reader(v->key_fold[i])->slice(v->key_fold[i], slot, s);
}

static void give_to_columns(void *arg, __s64 slot, const struct slice *s)
{
	struct value *v = arg;

	for (size_t i = 0; i < v->n_folds && !v->cover_only; i++)
		if (s->axis == v->fold_axis[i])
			fold_reader(v->fold[i])->slice(v->fold[i], slot, s);
	if (v->counts && s->axis == v->fold_axis[0])
		layer_fold_reader(v->counts)->slice(v->counts, slot, s);
	for (size_t i = 0; i < v->n_folds && v->layered; i++)
		if (v->layer_fold[i] && s->axis == v->fold_axis[i])
			layer_fold_reader(v->layer_fold[i])->slice(v->layer_fold[i], slot, s);
}

static void give_slice(void *arg, __s64 slot, const struct slice *s)
{
	struct value *v = arg;

	give_to_columns(arg, slot, s);
	give_to_keys(arg, slot, s);
	value_explain_slice(arg, slot, s);
	if (v->active && !v->active_apart)
		active_reader(v->active)->slice(v->active, slot, s);
	if (v->running && v->reads_cube)
		running_reader(v->running)->slice(v->running, slot, s);
}

static void give_cover(void *arg, const char *source, __s64 first, __s64 last)
{
	struct value *v = arg;

	for (size_t i = 0; i < v->n_folds; i++)
		fold_reader(v->fold[i])->cover(v->fold[i], source, first, last);
	if (v->active)
		active_reader(v->active)->cover(v->active, source, first, last);
	if (v->running)
		running_reader(v->running)->cover(v->running, source, first, last);
}

static void give_loss(void *arg, const char *source, const struct loss *loss)
{
	struct value *v = arg;

	for (size_t i = 0; i < v->n_folds; i++)
		fold_reader(v->fold[i])->loss(v->fold[i], source, loss);
}

static void give_damaged(void *arg, __s64 first, __s64 last)
{
	const struct loss loss = { .n = 1, .first = first, .last = last };

	give_loss(arg, "", &loss);
	value_explain_lose(arg, &loss);
}

static void give_mark(void *arg, const struct mark *mark)
{
	struct value *v = arg;

	for (size_t i = 0; i < v->n_folds; i++)
		fold_reader(v->fold[i])->mark(v->fold[i], mark);
	if (v->explain)
		region_reader(v->explain->region)->mark(v->explain->region, mark);
}

static void give_sparse(void *arg, const char *source, __s64 first, __s64 last, __u64 n)
{
	struct value *v = arg;

	for (size_t i = 0; i < v->n_folds; i++)
		fold_reader(v->fold[i])->sparse(v->fold[i], source, first, last, n);
}

static void give_dropped(void *arg, __s64 first, __s64 last)
{
	struct value *v = arg;

	v->head.dropped = true;
	for (size_t i = 0; i < v->n_folds; i++)
		fold_reader(v->fold[i])->dropped(v->fold[i], first, last);
}

static bool give_wants(void *arg, const struct labels *key)
{
	const struct value *v = arg;
	struct query q = value_query(v, 0);

	return query_selects(&q, key);
}

void value_reader(struct value *v)
{
	v->reader = (struct store_reader){ .arg = v, .slice = give_slice, .cover = give_cover, .loss = give_loss,
					   .mark = give_mark, .sparse = give_sparse, .dropped = give_dropped };
}

/* ---- reading and making ---- */

/* Do keys matter to nobody? */
static bool is_whole(const struct value *v)
{
	return !v->n_key_folds && !v->p.n_select && !v->layered && !v->counts && !v->explain;
}

static int fold_errors(struct value *v)
{
	int err = 0;

	for (size_t i = 0; i < v->n_folds && !err; i++)
		err = fold_error(v->fold[i]);
	for (size_t i = 0; i < v->n_key_folds && !err; i++)
		err = key_fold_error(v->key_fold[i]);
	for (size_t i = 0; i < v->n_folds && !err; i++)
		err = v->layer_fold[i] ? layer_fold_error(v->layer_fold[i]) : 0;
	if (!err && v->counts)
		err = layer_fold_error(v->counts);
	if (!err && v->running)
		err = running_error(v->running);
	if (!err && v->active)
		err = active_error(v->active);
	return err ? err : value_explain_error(v);
}

static void on_make(uv_work_t *work)
{
	struct value *v = work->data;
	int err;

	tape_play(&v->tape, &v->reader);
	tape_fini(&v->tape);
	err = v->status ? 0 : fold_errors(v);
	if (!err && !v->status)
		err = value_make(v);
	if (err)
		reply_fail(v, err);
	else if (!v->status)
		v->status = 200;
}

static void make_next(struct services *services);

static struct making *making_of(struct value *v)
{
	return &v->services->making[value_class(v->kind)];
}

static void on_made(uv_work_t *work, int status)
{
	struct value *v = work->data;

	making_of(v)->n--;
	make_next(v->services);
	v->done(v, v->arg);
}

/* The class that is next: of those that wait the one of which the fewest are being made, of equals the smallest values.  So a small
 * value waits for no other class but for what is being made already, and none waits for ever.  NULL: none. */
static struct making *next_making(struct services *services)
{
	struct making *next = NULL;
	unsigned n = 0;

	for (struct making *m = services->making; m < services->making + MADE_CLASSES; m++) {
		n += m->n;
		if (m->first && m->n < CLASS_MADE_MAX && (!next || m->n < next->n))
			next = m;
	}
	return n < VALUES_MADE_MAX ? next : NULL;
}

/* Workers may be free: within a class those that wait longest are next. */
static void make_next(struct services *services)
{
	struct making *m;

	while ((m = next_making(services))) {
		struct value *v = m->first;

		m->first = v->next_to_make;
		m->n++;
		v->work.data = v;
		uv_queue_work(services->loop, &v->work, on_make, on_made);
	}
}

static void make(struct value *v)
{
	struct making *m = making_of(v);

	v->next_to_make = NULL;
	*(m->first ? &m->last->next_to_make : &m->first) = v;
	m->last = v;
	make_next(v->services);
}

/* But for what runs. */
static int only_axis(const struct value *v)
{
	int axis = v->explain && v->in.n_measures > 1 ? -1 : v->fold_axis[0];

	for (size_t i = 1; i < v->n_folds - v->runs; i++)
		if (v->fold_axis[i] != axis)
			return -1;
	for (size_t i = 0; i < v->n_key_folds; i++)
		if (v->key_axis[i] != axis)
			return -1;
	return axis;
}

/* The one weight that is wanted along the first measure; -1: several. */
static int only_weight(const struct value *v)
{
	return v->composed || v->active ? -1 : v->weight;
}

static void slots_of(const struct value *v, __s64 *ret_first, __s64 *ret_last)
{
	struct query q = value_query(v, 0);

	query_slots(&q, ret_first, ret_last);
}

static int read_slices(struct value *v, struct store *store, const struct plan *plan, int axis, int weight, bool whole,
		       const struct store_reader *slices)
{
	bool columns = plan == &v->plan && !value_is_totals(v);
	int err = 0;

	for (size_t i = 0; i < plan->n_parts && !err; i++) {
		const struct plan_part *part = &plan->part[i];
		const struct store_range range = { part->first, part->last, axis, weight, part->tier, whole,
						   columns || part->tier == TIERS - 1 ? plan->grain : 1 };

		err = store->ops->read(store, v->in.id, &range, slices);
	}
	return err;
}

/* What runs, from single slots: of sums of several, one query would be there several times. */
static int read_running(struct value *v, struct store *store)
{
	struct store_reader slices = *running_reader(v->running);
	struct store_range range = { .axis = value_running_axis(v) };

	slices.cover = NULL;		/* the others tell that */
	slices.damaged = NULL;
	running_slots(v->running, &range.first, &range.last);
	return store->ops->read(store, v->in.id, &range, &slices);
}

/* Slices part by part; coverage, losses and marks of all at once: a loss that spans two parts is one. */
static int read_store(void *arg, struct store *store)
{
	struct value *v = arg;
	struct store_reader others = v->reader;
	int axis = only_axis(v), weight = only_weight(v);
	struct store_range range = { .axis = axis };
	bool both = value_is_both(v);
	const struct store_reader slices = { .arg = v, .slice = both ? give_to_columns : give_slice, .damaged = give_damaged,
					     .wants = v->p.n_select ? give_wants : NULL };
	const struct store_reader counts = { .arg = v->key_fold[0], .count = key_fold_count };	/* damage is told once, by the columns */
	const struct store_reader running = { .arg = v, .slice = give_slice, .damaged = give_damaged, .wants = slices.wants };
	bool active_only = v->active && !v->active_apart;
	int err = active_only ? value_active_read(v, store, &slices) : v->explain ? 0 :
		  read_slices(v, store, &v->plan, axis, weight, both || is_whole(v), &slices);

	for (size_t i = 0; v->explain && i < v->explain->n_pieces && !err; i++)
		err = read_slices(v, store, &v->explain->piece[i], axis, weight, false, &slices);
	if (!err && both)
		err = read_slices(v, store, &v->keys_plan, axis, weight, false, &counts);
	if (!err && v->runs && axis >= 0)	/* else all measures are read already */
		err = read_slices(v, store, &v->plan, v->fold_axis[v->n_folds - 1], 0, is_whole(v), &running);
	if (!err && v->active_apart)
		err = value_active_read(v, store, active_reader(v->active));
	if (!err && v->running)
		err = read_running(v, store);
	slots_of(v, &range.first, &range.last);
	range.tier = value_is_totals(v) ? v->plan.kept : v->plan.tier;
	others.slice = NULL;
	if (!err)
		err = store->ops->read(store, v->in.id, &range, &others);
	if (!err && v->explain)
		err = value_explain_read(v, store);
	if (!err)
		err = value_exemplars_read(v, store);
	if (err && *store->reason)
		snprintf(v->reason, sizeof(v->reason), "%s", store->reason);
	return err;
}

static void on_read(void *arg, int err)
{
	if (err)
		reply_fail(arg, err);
	make(arg);
}

/* Keys read one measure of all slots, and what runs of the last few. */
static int read_cube_running(struct value *v)
{
	struct store_reader slices = { .arg = &v->tape, .slice = tape_recorder(&v->tape)->slice };
	int axis = v->running && !v->explain ? value_running_axis(v) : -1;
	__s64 first, last;

	if (axis < 0)
		return 0;
	running_slots(v->running, &first, &last);
	v->tape.axes[axis] = true;
	return cube_read(v->services->cube, v->in.id, first, last, axis, 0, &slices);
}

static void read_cube(struct value *v, __s64 first, __s64 last)
{
	int err;

	v->reads_cube = true;
	for (size_t i = 0; i < v->n_folds; i++)
		v->tape.axes[v->fold_axis[i]] = true;
	for (size_t i = 0; i < v->n_key_folds; i++)
		v->tape.axes[v->key_axis[i]] = true;
	for (size_t i = 0; i < v->in.n_measures && v->explain; i++)
		v->tape.axes[i] = true;
	last = v->active ? value_active_last(v) : last;
	err = cube_read(v->services->cube, v->in.id, first, last, v->runs ? -1 : only_axis(v), only_weight(v), tape_recorder(&v->tape));
	if (!err)
		err = v->active ? value_active_record(v) : read_cube_running(v);
	on_read(v, err ? err : v->tape.bytes.err);
}

static void read_value(struct value *v)
{
	__s64 first, last, cube_first, cube_last;
	int err = cube_range(v->services->cube, v->in.id, &cube_first, &cube_last);

	slots_of(v, &first, &last);
	if (!err && first >= cube_first && (value_is_totals(v) || !v->plan.tier) && !value_explain_wants_store(v) && !v->exemplars && !v->active_apart) {
		v->head.tier_ns = v->in.slot_ns;
		read_cube(v, first, last);
		return;
	}
	err = flush_submit(v->services->flush, read_store, on_read, v);
	if (err)
		on_read(v, err);
}

/* B is there: now A. */
static void on_other(struct value *other, void *arg)
{
	struct value *v = arg;

	if (other->status == 200) {
		read_value(v);
		return;
	}
	v->status = other->status;
	v->code = other->code;
	snprintf(v->reason, sizeof(v->reason), "%s", other->reason);
	v->done(v, v->arg);
}

void value_run(struct value *v, void (*done)(struct value *v, void *arg), void *arg)
{
	v->done = done;
	v->arg = arg;
	if (v->other)
		value_run(v->other, on_other, v);
	else
		read_value(v);
}
