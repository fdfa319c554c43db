/* multiples: one small map per key of a field, such as one per host, those with the highest p99 first.
 *
 *      all keys --key_fold--> p99 of each --> the first `top`      --layer_fold--> their cells --> JSON, or a page of maps
 *
 * Cover   Keys that are hosts have the coverage and losses of their own source: a host that did not report has unobserved
 *         columns.  Other keys have those of all sources.
 * Bounds  MULTIPLES_MAX maps, and the layer fold's buckets.
 */
#include "aggregator/store/coverage.h"
#include "aggregator/value/kind.h"
#include "aggregator/value/layers.h"
#include "aggregator/value/reply.h"
#include "collector/core/array.h"
#include "render/document/multiples.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ABOUT_ROOM 128

struct source_loss {
	char source[SOURCE_MAX];
	struct loss loss;
};

struct multiples_value {
	struct value v;
	struct layer_fold *layers;
	struct store_reader taker;	/* coverage and losses by source */
	struct coverage coverage;
	struct source_loss *loss;
	size_t n_losses, losses_room;
	int err;			/* the first of the taker's */
};

static struct multiples_value *multiples_of(struct value *v) { return (struct multiples_value *)v; }

/* ---- reading ---- */

static size_t columns(const struct value *v)
{
	return multiples_columns((unsigned)v->p.width);
}

static void narrow(const struct value *v, struct query *q)
{
	q->row_bits = (__u32)v->p.row_bits;
	q->select_kept = true;
}

static void take_cover(void *arg, const char *source, __s64 first, __s64 last)
{
	struct multiples_value *m = arg;

	if (!m->err)
		m->err = coverage_add(&m->coverage, source, first, last);
}

static void take_sparse(void *arg, const char *source, __s64 first, __s64 last, __u64 n)
{
	struct multiples_value *m = arg;
	const struct run run = { .first = first, .last = last, .n = n };

	if (!m->err)
		m->err = coverage_add_sparse(&m->coverage, source, &run);
}

static void take_loss(void *arg, const char *source, const struct loss *loss)
{
	struct multiples_value *m = arg;

	if (m->err || !loss->n)
		return;
	m->err = array_grow(&m->loss, m->n_losses, &m->losses_room, sizeof(*m->loss));
	if (m->err)
		return;
	snprintf(m->loss[m->n_losses].source, SOURCE_MAX, "%s", source);
	m->loss[m->n_losses++].loss = *loss;
}

/* The only field that its keys have; NULL: they have several, or none. */
static const char *only_field(const struct value *v)
{
	const char *only = NULL;

	for (size_t i = 0; i < v->in.n_fields; i++) {
		if (v->drop & 1u << i)
			continue;
		if (only)
			return NULL;
		only = v->in.field[i];
	}
	return only;
}

static bool is_by_host(const struct value *v)
{
	const char *only = only_field(v);

	return only && !strcmp(only, HOSTNAME_FIELD);
}

static int multiples_folds(struct value *v, const struct catalog_inst *ci, int axis, char *reason)
{
	struct multiples_value *m = multiples_of(v);
	struct query q = value_query(v, axis);
	int err = value_fold_add(v, &q, false);

	if (!v->in.n_fields)
		return params_refuse(reason, "this instrumentation keeps no fields apart: there is one map only");
	if (!err)
		err = value_key_fold_add(v, &q);
	if (!err)
		err = layer_fold_new(&q, true, &m->layers);
	if (err)
		return err;
	value_take(v, axis, VALUE_BY_KEY, layer_fold_reader(m->layers));
	if (!is_by_host(v))
		return 0;
	m->taker = (struct store_reader){ .arg = m, .cover = take_cover, .sparse = take_sparse, .loss = take_loss };
	value_take(v, axis, VALUE_WHOLE, &m->taker);
	return 0;
}

/* ---- one map per key ---- */

struct mapped {
	const struct key_total *total;
	struct grid *grid;
	char about[ABOUT_ROOM];
};

struct all_mapped {
	struct mapped one[MULTIPLES_MAX];
	size_t n, n_keys;
};

static void mapped_fini(struct all_mapped *all)
{
	for (size_t i = 0; i < all->n; i++)
		grid_free(all->one[i].grid);
}

static __s64 last_before(const struct value *v, __s64 ns)
{
	return ns / (__s64)v->in.slot_ns - 1;
}

/* The coverage of one source in the columns of its map, as that of a map of all sources is made (query.c). */
static void cover_by_source(struct multiples_value *m, const char *source, struct grid *g)
{
	const struct value *v = &m->v;
	__s64 per = (__s64)(g->col_ns / v->in.slot_ns), from = g->from_ns / (__s64)v->in.slot_ns;
	__s64 settled = last_before(v, v->now_ns - SETTLE_NS);
	struct coverage one = { .n_sources = 0 };

	for (size_t i = 0; i < m->coverage.n_sources; i++)
		if (!strcmp(m->coverage.source[i].source, source))
			one = (struct coverage){ .n_sources = 1, .source = &m->coverage.source[i] };
	for (size_t col = 0; col < g->n_cols; col++) {
		__s64 first = from + (__s64)col * per;

		g->column[col].lost = 0;
		coverage_count(&one, first, first + per - 1, settled, &g->column[col].n_reporting, &g->column[col].n_expected);
	}
	g->all.lost = 0;
	for (size_t i = 0; i < m->n_losses; i++) {
		const struct loss *l = &m->loss[i].loss;

		if (strcmp(m->loss[i].source, source))
			continue;
		g->all.lost = events_add(g->all.lost, l->n);
		for (size_t col = 0; col < g->n_cols; col++)
			if (l->first < from + (__s64)(col + 1) * per && l->last >= from + (__s64)col * per)
				g->column[col].lost = events_add(g->column[col].lost, l->n);
	}
	g->n_sources = 1;
}

static void fill_cells(struct grid *g, const struct layer *layer)
{
	for (size_t i = 0; i < layer->n_cells; i++)
		g->cell[layer->cell[i].row * g->n_cols + layer->cell[i].col] = layer->cell[i].count;
}

static void fill_summary(struct grid *g, const struct hist *h)
{
	static const __u32 millionths[] = { 500000, 900000, 990000, 999000 };
	__u64 value[4] = { 0 };

	if (h->count)
		hist_percentiles(h, millionths, 4, value);
	g->all = (struct grid_summary){ .count = h->count, .sum = h->sum, .min = h->count ? h->min : 0, .max = h->max, .p50 = value[0],
					.p90 = value[1], .p99 = value[2], .p999 = value[3], .lost = g->all.lost, .n_snapshots = g->all.n_snapshots };
}

static void describe(const struct value *v, struct mapped *one)
{
	char p99[AXIS_TEXT], n[AXIS_TEXT];

	axis_format((double)one->grid->all.p99, axis_unit(one->grid->unit), p99);
	axis_format((double)one->grid->all.count, AXIS_COUNT, n);
	snprintf(one->about, sizeof(one->about), "p99 %s, %s %.40s", p99, n, v->unit);
}

static int map_key(struct multiples_value *m, const struct layers *layers, struct mapped *one)
{
	struct value *v = &m->v;
	size_t at = 0;

	while (at < layers->n && strcmp(layers->layer[at].name, one->total->text))
		at++;
	one->grid = grid_like(v->grid[0]);
	if (!one->grid)
		return -ENOMEM;
	annotation_list_free(one->grid->annotations);	/* they would hide a small map */
	one->grid->annotations = NULL;
	if (is_by_host(v))
		cover_by_source(m, one->total->text, one->grid);
	for (size_t col = 0; col < one->grid->n_cols; col++) {
		struct grid_column *c = &one->grid->column[col];

		c->count = at < layers->n ? layer_fold_count(m->layers, at, col) : 0;
		c->sum = at < layers->n ? layer_fold_sum(m->layers, at, col) : 0;
		c->min = c->max = c->p50 = c->p90 = c->p99 = 0;
	}
	if (at < layers->n)
		fill_cells(one->grid, &layers->layer[at]);
	fill_summary(one->grid, &one->total->hist);
	describe(v, one);
	return 0;
}

static int map_keys(struct multiples_value *m, struct all_mapped *all)
{
	struct value *v = &m->v;
	const struct key_total *total = key_fold_totals(v->key_fold[0], KEYS_BY_P99, &all->n_keys);
	size_t top = (size_t)v->p.top < all->n_keys ? (size_t)v->p.top : all->n_keys;
	struct layers *layers = NULL;
	int err = m->err ?: layer_fold_error(m->layers);

	if (!err && top)
		layer_fold_finish(m->layers);
	if (!err && top)
		err = layer_fold_layers(m->layers, v->grid[0], &layers);
	for (; all->n < top && !err; all->n += !err) {
		all->one[all->n].total = &total[all->n];
		err = map_key(m, layers, &all->one[all->n]);
		if (err)
			grid_free(all->one[all->n].grid);
	}
	layers_free(layers);
	return err;
}

/* ---- the reply ---- */

static void put_states(struct bytes *out, const struct grid *g)
{
	writer_open(out, "states", "[");
	for (size_t col = 0; col < g->n_cols; col++) {
		writer_comma(out);
		writer_text(out, grid_column_word(&g->column[col]));
	}
	writer_raw(out, "]");
}

static void put_key(struct bytes *out, const struct mapped *one)
{
	const struct grid *g = one->grid;

	writer_open(out, NULL, "{");
	writer_name_text(out, "key", one->total->text);
	writer_name_number(out, "count", g->all.count);
	writer_name_number(out, "p50", g->all.p50);
	writer_name_number(out, "p90", g->all.p90);
	writer_name_number(out, "p99", g->all.p99);
	writer_name_number(out, "max", g->all.max);
	writer_name_number(out, "lost", g->all.lost);
	writer_open(out, "columns", "[");
	for (size_t col = 0; col < g->n_cols; col++) {
		writer_comma(out);
		writer_number(out, g->column[col].count);
	}
	writer_raw(out, "]");
	put_states(out, g);
	writer_raw(out, "}");
}

static int reply_json(struct value *v, const struct all_mapped *all)
{
	struct bytes out = { 0 };

	reply_begin(v, &out);
	writer_name_number(&out, "lost", v->grid[0]->all.lost);
	writer_open(&out, "keys", "[");
	for (size_t i = 0; i < all->n; i++)
		put_key(&out, &all->one[i]);
	writer_raw(&out, "]");
	writer_name_number(&out, "more", all->n_keys - all->n);
	return reply_end(v, &out);
}

static int reply_page(struct value *v, const struct all_mapped *all)
{
	struct multiple one[MULTIPLES_MAX];
	char subtitle[VALUE_TITLE], more[80] = "";
	struct multiples page = { .n = all->n, .one = one, .all = v->grid[0], .more = more };
	struct figure_options o;
	int err;

	if (!all->n)
		return refuse_in(-EINVAL, v->reason, sizeof(v->reason), v->head.observed > 0 ? "there are no events in this time: "
				 "there is nothing to draw" : "this time was not observed: no collector reported in it");
	for (size_t i = 0; i < all->n; i++)
		one[i] = (struct multiple){ all->one[i].total->text, all->one[i].about, all->one[i].grid };
	if (all->n_keys > all->n)
		snprintf(more, sizeof(more), "and %zu more with a lower p99", all->n_keys - all->n);
	snprintf(subtitle, sizeof(subtitle), "%.200s by %s, the highest p99 first", reply_measure_title(reply_measure(v, v->fold_axis[0])),
		 only_field(v) ?: "key");
	params_drawing(&v->p, &o);
	o.percentiles = false;
	o.zone = &v->zone;
	o.title = v->title;
	o.subtitle = subtitle;
	o.version = "heatscope " PACKAGE_VERSION;
	v->type = reply_type(v->p.format);
	err = multiples_render(&page, &o, (__u8 **)&v->data, &v->len);
	if (err == -EINVAL)
		snprintf(v->reason, sizeof(v->reason), "a picture of this width, ymin, ymax and top cannot be drawn");
	return err;
}

static int multiples_make(struct value *v)
{
	struct all_mapped all = { .n = 0 };
	int err = value_grids(v);

	if (!err)
		err = map_keys(multiples_of(v), &all);
	if (!err)
		err = v->p.format == FORMAT_JSON ? reply_json(v, &all) : reply_page(v, &all);
	mapped_fini(&all);
	return err;
}

static void multiples_free(struct value *v)
{
	struct multiples_value *m = multiples_of(v);

	layer_fold_free(m->layers);
	coverage_fini(&m->coverage);
	free(m->loss);
}

const struct value_kind value_multiples = {
	.name = "multiples", .size = sizeof(struct multiples_value), .class = ADMISSION_LARGE, .shows_times = true, .columns = columns,
	.query = narrow, .folds = multiples_folds, .make = multiples_make, .free = multiples_free,
};
