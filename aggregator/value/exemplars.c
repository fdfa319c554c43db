/* exemplars: lists the single events that were kept of an interval, from the store: the cube has none. */
#include "aggregator/query/exemplar_fold.h"
#include "aggregator/value/kind.h"
#include "aggregator/value/reply.h"

#include <stdio.h>

struct exemplars_value {
	struct value v;
	struct exemplar_fold *fold;
};

static struct exemplars_value *exemplars_of(struct value *v) { return (struct exemplars_value *)v; }

/* ---- reading ---- */

static int exemplars_folds(struct value *v, const struct catalog_inst *ci, int axis, char *reason)
{
	static const __u8 why[] = { EXEMPLAR_WORST | EXEMPLAR_DRAWN, EXEMPLAR_WORST, EXEMPLAR_DRAWN };
	struct exemplar_wish w = {
		.slot_ns = v->in.slot_ns, .n_worst = v->in.n_exemplars, .min = (__u64)v->p.ymin,
		.max = v->p.has_ymax ? (__u64)v->p.ymax : 0, .why = why[v->p.kind], .n = (size_t)v->p.n,
	};
	struct query q = value_query(v, axis);
	int err = value_fold_add(v, &q, false);

	if (err || v->in.n_exemplars)
		return err ? err : exemplar_fold_new(&w, &exemplars_of(v)->fold);
	return params_refuse(reason, "instrumentation %llu keeps no exemplars: create one with exemplars, up to %d of "
		"a slot", (unsigned long long)v->in.id, EXEMPLARS_MAX);
}

struct reading {
	struct value *v;
	int err;
};

static void take(void *arg, const char *source, __s64 slot, const __u8 *data, size_t len)
{
	struct reading *r = arg;

	if (!r->err)
		r->err = exemplar_fold_add(exemplars_of(r->v)->fold, source, slot, data, len);
}

static void take_dropped(void *arg, __s64 first, __s64 last)
{
	((struct reading *)arg)->v->head.dropped = true;
}

static int exemplars_read(struct value *v, struct store *store)
{
	struct reading r = { .v = v };
	const struct store_reader reader = { .arg = &r, .exemplars = take, .dropped = take_dropped };
	struct query q = value_query(v, 0);
	struct store_range range = { .axis = 0 };
	int err = value_read_slices(v, store);

	if (err)
		return err;
	query_slots(&q, &range.first, &range.last);
	err = store->ops->read(store, v->in.id, &range, &reader);
	return err ? err : r.err;
}

/* ---- the reply ---- */

static void name_of(const struct labels *l, char out[LABEL_MAX + 1])
{
	snprintf(out, LABEL_MAX + 1, "%.*s", l->len, (const char *)l->bytes);
}

static void put_fields(struct bytes *out, const struct exemplar_listed *e)
{
	char name[LABEL_MAX + 1], text[LABEL_MAX + 1];

	writer_open(out, "fields", "{");
	for (size_t i = 0; i < e->of->head.n_fields; i++) {
		name_of(&e->of->head.field[i], name);
		name_of(&e->event.field[i], text);
		writer_name_text(out, name, text);
	}
	writer_raw(out, "}");
}

/* Writes the text as it was sent. */
static void put_text(struct bytes *out, const struct exemplar_event *event)
{
	char text[EXEMPLAR_TEXT_MAX + 1];

	if (!event->text)
		return;
	snprintf(text, sizeof(text), "%.*s", (int)event->text_len, (const char *)event->text);
	writer_name_text(out, "text", text);
}

static void put_measures(struct bytes *out, const struct value *v, const struct exemplar_listed *e)
{
	char name[LABEL_MAX + 1];

	writer_open(out, "measures", "{");
	for (size_t i = 0; i < e->of->head.n_measures; i++) {
		int axis;

		name_of(&e->of->head.measure[i], name);
		axis = instrumentation_axis(&v->in, name);
		if (axis < 0 || v->scope[axis] == v->scope[0])	/* a measure of another scope does not belong to an
								 * event */
			writer_name_number(out, name, e->event.measure[i]);
	}
	writer_raw(out, "}");
}

static void put_one(struct bytes *out, const struct value *v, const struct exemplar_listed *e)
{
	writer_open(out, NULL, "{");
	writer_name_seconds(out, "time", e->end_ns);
	writer_name_text(out, "source", e->of->source);
	writer_name(out, "connection");
	if (e->event.connection)
		writer_number(out, e->event.connection);
	else
		writer_raw(out, "null");
	writer_name_number(out, "weight", e->event.weight);
	writer_name(out, "worst");
	writer_raw(out, e->event.why & EXEMPLAR_WORST ? "true" : "false");
	writer_name(out, "drawn");
	writer_raw(out, e->event.why & EXEMPLAR_DRAWN ? "true" : "false");
	put_fields(out, e);
	put_text(out, &e->event);
	put_measures(out, v, e);
	writer_raw(out, "}");
}

/* Counts the events in rows that the rectangle cuts, as a whole: an upper bound. */
static __u64 count_of(const struct grid *g, const struct params *p)
{
	__u64 min = (__u64)p->ymin, max = p->has_ymax ? (__u64)p->ymax : GRID_NO_EDGE, count = 0;

	for (size_t row = 0; row < g->n_rows; row++)
		if (g->edge[row] < max && g->edge[row + 1] > min)
			for (size_t col = 0; col < g->n_cols; col++)
				count += g->cell[row * g->n_cols + col];
	return count;
}

static int exemplars_make(struct value *v)
{
	const struct exemplar_listed *list;
	struct bytes out = { 0 };
	__u64 missed;
	size_t n;
	int err = value_grids(v);

	if (!err)
		err = exemplar_fold_list(exemplars_of(v)->fold, &list, &n, &missed);
	if (err)
		return err;
	reply_begin(v, &out);
	writer_name_number(&out, "kept", v->in.n_exemplars);
	writer_name_number(&out, "missed", missed);
	reply_losses(&out, v->grid[0]);
	writer_name_number(&out, "count", count_of(v->grid[0], &v->p));
	writer_open(&out, "exemplars", "[");
	for (size_t i = 0; i < n; i++)
		put_one(&out, v, &list[i]);
	writer_raw(&out, "]");
	return reply_end(v, &out);
}

static void exemplars_free(struct value *v)
{
	exemplar_fold_free(exemplars_of(v)->fold);
}

const struct value_kind value_exemplars = {
	.name = "exemplars", .size = sizeof(struct exemplars_value), .class = ADMISSION_MEDIUM, .totals = true,
	.folds = exemplars_folds, .needs_store = value_always, .read = exemplars_read, .make = exemplars_make, .free = exemplars_free,
};
