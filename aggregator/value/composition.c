#include "aggregator/value/composition.h"
#include "aggregator/query/composition.h"
#include "aggregator/value/kind.h"
#include "aggregator/value/reply.h"
#include "render/grid/axis.h"
#include "render/color/hue.h"

#include <errno.h>
#include <stdio.h>

/* ---- the request ---- */

static int composition_refuse(const struct value *v, const struct metric *m, int axis, char *reason)
{
	if (v->in.n_weights)
		snprintf(reason, PARAMS_REASON_MAX, "weights are kept along %s, not along %s", v->in.measure[0], v->in.measure[axis]);
	else
		snprintf(reason, PARAMS_REASON_MAX, "instrumentation %llu keeps no weights: create one that does, of "
			"%s%s%s",
			 (unsigned long long)v->in.id, v->in.measure[0], m->parts ? " and its parts " : "", m->parts ? m->parts : "");
	return -EINVAL;
}

int value_composition_folds(struct value *v, struct composed_folds *ret_folds)
{
	struct query q = value_query(v, 0);
	int err = 0;

	q.drop = ~0u;
	*ret_folds = (struct composed_folds){ true, v->n_key_folds };
	v->all_weights = true;
	for (q.weight = 0; q.weight <= (int)v->in.n_weights && !err; q.weight++)
		err = value_key_fold_add(v, &q);
	return err;
}

/* ---- the result ---- */

static int compose(struct value *v, const struct composed_folds *folds, __u64 min, __u64 max, struct composition *ret)
{
	const struct hist *by[MEASURES_MAX + 1] = { NULL };
	size_t n_by = v->in.n_weights + 1, n;

	for (size_t i = 0; i < n_by; i++) {
		const struct key_total *total = key_fold_totals(v->key_fold[folds->first + i], KEYS_BY_COUNT, &n);

		by[i] = n ? &total->hist : NULL;
	}
	return composition_make(by, n_by, v->in.weight_ruler, min, max, ret);
}

/* Writes "what the latency was", and for which events this is unknown. */
static void put_title(const struct value *v, const struct composition *c, char *out, size_t room)
{
	size_t at = (size_t)snprintf(out, room, "parts of the %s", v->in.measure[0]);
	char n[AXIS_TEXT];

	axis_format_count((double)c->unweighed, n);
	if (c->unweighed)
		snprintf(out + at, room - at, "; without %s %s that came without weights", n, v->unit);
}

int value_composition_bar(struct value *v, const struct composed_folds *folds, struct composed *ret)
{
	const char *name[MEASURES_MAX];
	double amount[MEASURES_MAX];
	int hue[MEASURES_MAX];
	struct composition c;
	size_t n = v->in.n_weights - 1;
	int err = compose(v, folds, (__u64)v->p.ymin, (__u64)v->p.ymax, &c);

	if (err)
		return err;
	for (size_t i = 0; i < n; i++) {
		name[i] = v->in.weight[i + 1];
		amount[i] = (double)c.part[i];
	}
	hue_choose(name, amount, n, hue);
	for (size_t i = 0; i < n; i++)
		ret->part[i] = (struct bar_part){ name[i], amount[i], hue[i] };
	ret->part[n] = (struct bar_part){ n ? "rest" : v->in.measure[0], (double)c.rest, BAR_GREY };
	put_title(v, &c, ret->title, sizeof(ret->title));
	ret->bar = (struct bar){ ret->title, query_unit(&v->in, 0), n + 1, ret->part };
	return 0;
}

/* ---- the reply ---- */

static void put_part(struct bytes *out, const char *weight, __u64 sum, __u64 whole)
{
	if (weight)
		writer_name_text(out, "weight", weight);
	writer_name_number(out, "sum", sum);
	writer_name_real(out, "share", whole ? (double)sum / (double)whole : 0);
	writer_raw(out, "}");
}

static void put_parts(struct bytes *out, const struct value *v, const struct composition *c)
{
	writer_name_number(out, "count", c->count);
	writer_name_number(out, "sum", c->sum);
	if (c->unweighed)
		writer_name_number(out, "unweighed", c->unweighed);
	writer_open(out, "parts", "[");
	for (size_t i = 1; i < v->in.n_weights; i++) {
		writer_open(out, NULL, "{");
		put_part(out, v->in.weight[i], c->part[i - 1], c->sum);
	}
	writer_raw(out, "]");
	writer_open(out, "rest", "{");
	put_part(out, NULL, c->rest, c->sum);
}

int value_composition_put(struct value *v, const struct composed_folds *folds, struct bytes *out)
{
	struct composition c;
	int err = folds->added ? compose(v, folds, (__u64)v->p.ymin, v->p.has_ymax ? (__u64)v->p.ymax : 0, &c) : 0;

	if (err || !folds->added)
		return err;
	writer_open(out, "composition", "{");
	writer_name_text(out, "measure", v->in.measure[0]);
	writer_name_text(out, "unit", query_unit(&v->in, 0));
	reply_edges(v, out, c.first, c.last);
	put_parts(out, v, &c);
	writer_raw(out, "}");
	return 0;
}

/* ---- a value of its own ---- */

struct composition_value {
	struct value v;
	struct composed_folds folds;
};

static struct composition_value *composition_of(struct value *v) { return (struct composition_value *)v; }

static int composition_folds(struct value *v, const struct catalog_inst *ci, int axis, char *reason)
{
	struct query q = value_query(v, axis);
	int err = value_fold_add(v, &q, true);

	if (!err && (axis || !v->in.n_weights))
		err = composition_refuse(v, ci->metric, axis, reason);
	return err ? err : value_composition_folds(v, &composition_of(v)->folds);
}

static int composition_value_make(struct value *v)
{
	struct bytes out = { 0 };
	struct composition c;
	bool dropped;
	int err = compose(v, &composition_of(v)->folds, (__u64)v->p.ymin, v->p.has_ymax ? (__u64)v->p.ymax : 0, &c);

	if (err)
		return err;
	reply_begin(v, &out);
	reply_edges(v, &out, c.first, c.last);
	err = reply_honesty(&out, v->fold[0], &dropped);	/* the head has that */
	put_parts(&out, v, &c);
	if (!err)
		return reply_end(v, &out);
	bytes_fini(&out);
	return err;
}

const struct value_kind value_composition = {
	.name = "composition", .size = sizeof(struct composition_value), .class = ADMISSION_MEDIUM, .totals = true,
	.folds = composition_folds, .make = composition_value_make,
};
