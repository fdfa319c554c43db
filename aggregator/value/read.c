#include "aggregator/value/kind.h"
#include "aggregator/value/reply.h"

#include <stddef.h>
#include <stdio.h>

/* ---- giving data to all takers ---- */

static bool takes(const struct value_taker *t, const struct slice *s)
{
	return t->to.slice && (t->axis < 0 || t->axis == s->axis);
}

static void give_slice(void *arg, __s64 slot, const struct slice *s)
{
	struct value *v = arg;

	for (struct value_taker *t = v->taker; t < v->taker + v->n_takers; t++)
		if (takes(t, s))
			t->to.slice(t->to.arg, slot, s);
}

static void give_to(struct value *v, enum value_keys keys, __s64 slot, const struct slice *s)
{
	for (struct value_taker *t = v->taker; t < v->taker + v->n_takers; t++)
		if (takes(t, s) && t->keys == keys)
			t->to.slice(t->to.arg, slot, s);
}

static void give_to_columns(void *arg, __s64 slot, const struct slice *s) { give_to(arg, VALUE_WHOLE, slot, s); }
static void give_to_layers(void *arg, __s64 slot, const struct slice *s) { give_to(arg, VALUE_SELECTED, slot, s); }

static void give_cover(void *arg, const char *source, __s64 first, __s64 last)
{
	struct value *v = arg;

	for (struct value_taker *t = v->taker; t < v->taker + v->n_takers; t++)
		if (t->to.cover)
			t->to.cover(t->to.arg, source, first, last);
}

static void give_loss(void *arg, const char *source, const struct loss *loss)
{
	struct value *v = arg;

	for (struct value_taker *t = v->taker; t < v->taker + v->n_takers; t++)
		if (t->to.loss)
			t->to.loss(t->to.arg, source, loss);
}

/* A taker without damaged() gets it as a loss of one event. */
static void give_damaged(void *arg, __s64 first, __s64 last)
{
	const struct loss loss = { .n = 1, .first = first, .last = last };
	struct value *v = arg;

	for (struct value_taker *t = v->taker; t < v->taker + v->n_takers; t++)
		if (t->to.damaged)
			t->to.damaged(t->to.arg, first, last);
	give_loss(v, "", &loss);
}

static void give_mark(void *arg, const struct mark *mark)
{
	struct value *v = arg;

	for (struct value_taker *t = v->taker; t < v->taker + v->n_takers; t++)
		if (t->to.mark)
			t->to.mark(t->to.arg, mark);
}

static void give_sparse(void *arg, const char *source, __s64 first, __s64 last, __u64 n)
{
	struct value *v = arg;

	for (struct value_taker *t = v->taker; t < v->taker + v->n_takers; t++)
		if (t->to.sparse)
			t->to.sparse(t->to.arg, source, first, last, n);
}

static void give_dropped(void *arg, __s64 first, __s64 last)
{
	struct value *v = arg;

	v->head.dropped = true;
	for (struct value_taker *t = v->taker; t < v->taker + v->n_takers; t++)
		if (t->to.dropped)
			t->to.dropped(t->to.arg, first, last);
}

static bool give_wants(void *arg, const struct labels *key)
{
	const struct value *v = arg;
	struct query q = value_query(v, 0);

	return query_selects(&q, key);
}

/* The columns may have more keys. */
static bool layers_want(void *arg, const struct labels *key)
{
	const struct value *v = arg;
	struct query q = value_query(v, 0);

	q.n_select = v->p.n_select;
	q.exclude = false;
	return query_selects(&q, key);
}

/* Reads a whole interval: slices, coverage, losses and marks. */
static struct store_reader reader_of(struct value *v)
{
	return (struct store_reader){ .arg = v, .slice = give_slice, .cover = give_cover, .loss = give_loss, .mark = give_mark,
				      .sparse = give_sparse, .dropped = give_dropped };
}

struct store_reader value_slices(struct value *v)
{
	return (struct store_reader){ .arg = v, .slice = give_slice, .damaged = give_damaged,
				      .wants = v->p.n_select ? give_wants : NULL };
}

/* ---- a worker's turn ---- */

static int fold_errors(struct value *v)
{
	int err = 0;

	for (size_t i = 0; i < v->n_folds && !err; i++)
		err = fold_error(v->fold[i]);
	for (size_t i = 0; i < v->n_key_folds && !err; i++)
		err = key_fold_error(v->key_fold[i]);
	return err;
}

/* The kind's make() checks the errors of its own takers. */
static int make_value(struct value *v)
{
	int err = fold_errors(v);

	if (err)
		return err;
	v->head.min_reporting = fold_min_reporting(v->fold[0]);
	v->head.observed = fold_observed(v->fold[0]);
	v->n_snapshots = fold_snapshots(v->fold[0], v->head.rounded.from, v->head.rounded.to);
	v->head.n_snapshots = v->head.scope == SCOPE_POINT ? v->n_snapshots : 0;
	return v->kind->make(v);
}

static struct value *value_of_job(struct making_job *job) { return (struct value *)((char *)job - offsetof(struct value, job)); }

static void on_make(struct making_job *job)
{
	struct value *v = value_of_job(job);
	struct store_reader reader = reader_of(v);
	int err;

	slice_buffer_play(&v->slice_buffer, &reader);
	slice_buffer_fini(&v->slice_buffer);
	err = v->status ? 0 : make_value(v);
	if (err)
		reply_fail(v, err);
	else if (!v->status)
		v->status = 200;
}

static void on_made(struct making_job *job)
{
	struct value *v = value_of_job(job);

	v->done(v, v->arg);
}

static void queue_making(struct value *v)
{
	v->job = (struct making_job){ .class = v->kind->class, .make = on_make, .made = on_made };
	making_add(v->services->making, v->services->loop, &v->job);
}

/* ---- from the store ---- */

int value_only_axis(const struct value *v)
{
	int axis = v->all_axes ? -1 : v->fold_axis[0];

	for (size_t i = 1; i < v->n_folds - v->runs; i++)
		if (v->fold_axis[i] != axis)
			return -1;
	for (size_t i = 0; i < v->n_key_folds; i++)
		if (v->key_axis[i] != axis)
			return -1;
	return axis;
}

int value_only_weight(const struct value *v)
{
	return v->all_weights ? -1 : v->weight;
}

bool value_is_whole(const struct value *v)
{
	return v->keys == VALUE_WHOLE && !v->p.n_select;
}

int value_read_plan(const struct value *v, struct store *store, const struct plan *plan, bool totals, const struct store_range *of,
		    const struct store_reader *slices)
{
	int err = 0;

	for (size_t i = 0; i < plan->n_parts && !err; i++) {
		const struct plan_part *part = &plan->part[i];
		const struct store_range range = { part->first, part->last, of->axis, of->weight, part->tier, of->whole,
						   !totals || part->tier == TIERS - 1 ? plan->grain : 1 };

		err = store->ops->read(store, v->in.id, &range, slices);
	}
	return err;
}

/* Only the columns report damage, so that it is counted once. */
int value_read_columns(struct value *v, struct store *store)
{
	struct store_range of = { .axis = value_only_axis(v), .weight = value_only_weight(v), .whole = true };
	const struct store_reader columns = { .arg = v, .slice = give_to_columns, .damaged = give_damaged };
	const struct store_reader layers = { .arg = v, .slice = give_to_layers, .wants = layers_want };
	int err = value_read_plan(v, store, &v->plan, false, &of, &columns);

	of.whole = false;
	return err || !v->p.n_select ? err : value_read_plan(v, store, &v->plan, false, &of, &layers);
}

int value_read_slices(struct value *v, struct store *store)
{
	struct store_range of = { .axis = value_only_axis(v), .weight = value_only_weight(v), .whole = value_is_whole(v) };
	const struct store_reader slices = value_slices(v);
	bool layered = v->keys == VALUE_SELECTED && !value_query(v, 0).n_select;
	int err = layered ? value_read_columns(v, store) : value_read_plan(v, store, &v->plan, v->kind->totals, &of, &slices);

	if (err || !v->runs || of.axis < 0)	/* otherwise all measures are read already */
		return err;
	of.axis = v->fold_axis[v->n_folds - 1];
	of.weight = 0;
	return value_read_plan(v, store, &v->plan, v->kind->totals, &of, &slices);
}

static void slots_of(const struct value *v, __s64 *ret_first, __s64 *ret_last)
{
	struct query q = value_query(v, 0);

	query_slots(&q, ret_first, ret_last);
}

/* Reads slices part by part; coverage, losses and marks all at once: a loss that spans two parts is one loss.  Coverage
 * first: other heatscoped may add to the store meanwhile, and a reported slot must have its events. */
static int read_store(void *arg, struct store *store)
{
	struct value *v = arg;
	struct store_reader others = reader_of(v);
	struct store_range range = { .axis = value_only_axis(v), .tier = v->kind->totals ? v->plan.kept : v->plan.tier };
	int err;

	slots_of(v, &range.first, &range.last);
	others.slice = NULL;
	err = store->ops->read(store, v->in.id, &range, &others);
	if (!err)
		err = v->kind->read ? v->kind->read(v, store) : value_read_slices(v, store);
	if (err && *store->reason)
		snprintf(v->reason, sizeof(v->reason), "%s", store->reason);
	return err;
}

static void on_read(void *arg, int err)
{
	if (err)
		reply_fail(arg, err);
	queue_making(arg);
}

/* ---- from the cube ---- */

int value_record_slices(struct value *v, __s64 first, __s64 last)
{
	return cube_read(v->services->cube, v->in.id, first, last, v->runs ? -1 : value_only_axis(v), value_only_weight(v), slice_buffer_recorder(&v->slice_buffer));
}

static void read_cube(struct value *v, __s64 first, __s64 last)
{
	int err;

	for (size_t i = 0; i < v->n_folds; i++)
		v->slice_buffer.axes[v->fold_axis[i]] = true;
	for (size_t i = 0; i < v->n_key_folds; i++)
		v->slice_buffer.axes[v->key_axis[i]] = true;
	for (size_t i = 0; i < v->in.n_measures && v->all_axes; i++)
		v->slice_buffer.axes[i] = true;
	err = v->kind->record ? v->kind->record(v, first, last) : value_record_slices(v, first, last);
	on_read(v, err ? err : v->slice_buffer.bytes.err);
}

void value_read(struct value *v)
{
	bool needs_store = v->kind->needs_store && v->kind->needs_store(v);
	__s64 first, last, cube_first, cube_last;
	int err = cube_range(v->services->cube, v->in.id, &cube_first, &cube_last);

	slots_of(v, &first, &last);
	if (!err && first >= cube_first && (v->kind->totals || !v->plan.tier) && !needs_store) {
		v->head.tier_ns = v->in.slot_ns;
		read_cube(v, first, last);
		return;
	}
	err = store_queue_submit(v->services->store_queue, read_store, on_read, v);
	if (err)
		on_read(v, err);
}

void value_run(struct value *v, void (*done)(struct value *v, void *arg), void *arg)
{
	v->done = done;
	v->arg = arg;
	if (v->kind->run)
		v->kind->run(v);
	else
		value_read(v);
}
