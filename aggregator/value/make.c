#include "aggregator/value/active.h"
#include "aggregator/value/compare.h"
#include "aggregator/value/composition.h"
#include "aggregator/value/layers.h"
#include "aggregator/value/reply.h"
#include "render/encode/base64.h"
#include "render/grid/crop.h"
#include "render/document/csv.h"
#include "render/draw/image.h"
#include "render/document/narrative.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- raw, keys ---- */

static void put_all_stats(struct value *v, struct bytes *out)
{
	const struct key_total *total;
	size_t n;

	writer_raw(out, "{");
	for (size_t i = 0; i < v->n_key_folds; i++) {
		total = key_fold_totals(v->key_fold[i], KEYS_BY_COUNT, &n);
		writer_name(out, reply_measure(v, v->key_axis[i]));
		payload_stats(out, total, n, v->scope[v->key_axis[i]] == SCOPE_POINT ? v->n_snapshots : 0);
	}
	writer_raw(out, "}");
}

static int make_raw(struct value *v)
{
	struct bytes out = { 0 };
	size_t n;
	const struct key_total *total = key_fold_totals(v->key_fold[0], KEYS_BY_COUNT, &n);

	reply_begin(v, &out);
	writer_name(&out, "value");
	payload_raw(&out, total, n, v->in.n_fields, v->numeric, v->head.n_snapshots);
	writer_name(&out, "transformations");
	writer_raw(&out, "{}");
	if (v->p.stats || v->n_key_folds > 1) {
		writer_name(&out, "stats");
		if (v->p.measure && !strcmp(v->p.measure, "*"))
			put_all_stats(v, &out);
		else
			payload_stats(&out, total, n, v->head.n_snapshots);
	}
	return reply_end(v, &out);
}

static int make_keys(struct value *v)
{
	struct bytes out = { 0 };
	size_t n;
	const struct key_total *total = key_fold_totals(v->key_fold[0], (enum key_order)v->p.order, &n);
	struct running_total *runs = NULL;
	struct payload_running running = { .n = 0 };
	__s64 slot = v->running ? running_last(v->running) : -1;
	int err = slot < 0 ? 0 : running_totals(v->running, slot, v->drop, &runs, &running.n);

	if (err)
		return err;
	running.end_ns = (slot + 1) * (__s64)v->in.slot_ns;
	running.total = runs;
	reply_begin(v, &out);
	payload_order(&out, (enum key_order)v->p.order);
	payload_keys(&out, total, n, v->head.n_snapshots, slot < 0 ? NULL : &running);
	free(runs);
	return reply_end(v, &out);
}

/* ---- average, percentile ---- */

/* Of all events of the interval, whatever their key; null if there were none. */
static int make_one_number(struct value *v)
{
	struct bytes out = { 0 };
	size_t n;
	const struct key_total *total = key_fold_totals(v->key_fold[0], KEYS_BY_COUNT, &n);
	const struct hist *h = n && total->hist.count ? &total->hist : NULL;

	reply_begin(v, &out);
	writer_name(&out, v->kind == VALUE_AVERAGE ? "average" : "percentile");
	if (!h)
		writer_raw(&out, "null");
	else if (v->kind == VALUE_AVERAGE)
		writer_real(&out, (double)h->sum / (double)h->count);
	else
		writer_number(&out, hist_percentile(h, (__u32)v->p.millionths));
	return reply_end(v, &out);
}

/* ---- image, details ---- */

static void put_scale(struct bytes *out, const struct image_options *o, __u64 ymax)
{
	writer_name_number(out, "nbuckets", o->n_rows);
	writer_name_number(out, "width", o->width);
	writer_name_number(out, "height", o->height);
	writer_name_number(out, "ymin", o->ymin);
	writer_name_number(out, "ymax", ymax);
}

/* Where the axis ends: as given, by `crop`, or above all. */
static __u64 image_end(const struct value *v)
{
	const struct grid *g = v->grid[0];
	__u64 cropped = v->p.has_ymax ? 0 : crop_end(&g, 1, (__u32)v->p.crop);

	return v->p.has_ymax ? (__u64)v->p.ymax : cropped > (__u64)v->p.ymin ? cropped : image_ymax(g);
}

static void put_cropped(struct bytes *out, const struct value *v, __u64 ymax)
{
	if (v->p.crop)
		writer_name_number(out, "cropped", crop_above(v->grid[0], ymax).above);
}

static int make_image(struct value *v)
{
	struct bytes out = { 0 };
	struct image_options options;
	__u64 ymax = image_end(v);
	__u8 *png = NULL;
	char *text;
	size_t len = 0;
	int err;

	value_image_options(v, &options);
	options.ymax = ymax > options.ymin ? ymax : options.ymin + 1;	/* nothing to draw, but no error */
	err = image_png(v->grid[0], &options, &png, &len);
	if (err)
		return err;
	if (v->p.format == FORMAT_PNG) {
		v->type = "image/png";
		v->data = png;
		v->len = len;
		return attach_data(v, (__u8 **)&v->data, &v->len);
	}
	text = base64_text(png, len);
	free(png);
	reply_begin(v, &out);
	put_scale(&out, &options, ymax);
	put_cropped(&out, v, ymax);
	writer_name(&out, "present");
	writer_raw(&out, "[");
	if (v->n_key_folds) {
		size_t n;
		const struct key_total *total = key_fold_totals(v->key_fold[0], KEYS_BY_COUNT, &n);

		for (size_t i = 0; i < n; i++) {
			writer_comma(&out);
			writer_text(&out, total[i].text);
		}
	}
	writer_raw(&out, "]");
	writer_name(&out, "transformations");
	writer_raw(&out, "{}");
	writer_name_text(&out, "image", text ? text : "");
	free(text);
	return text ? reply_end(v, &out) : -ENOMEM;
}

/* Slots observed in the columns under a pixel; 0 of events. */
static __u64 snapshots_under(const struct grid *g, const struct image_cell *cell)
{
	__u64 n = 0;

	for (size_t col = cell->first_col; g->point && col <= cell->last_col; col++)
		n += g->column[col].n_snapshots;
	return n;
}

static int make_details(struct value *v)
{
	struct bytes out = { 0 };
	struct image_options options;
	struct image_cell cell;
	struct grid *g = v->grid[0];
	__u64 ymax = image_end(v);
	const struct key_total *total;
	double *share = calloc(g->n_rows + 1, sizeof(*share));
	size_t n;
	int err = share ? 0 : -ENOMEM;

	value_image_options(v, &options);
	options.ymax = ymax > options.ymin ? ymax : options.ymin + 1;
	if (!err)
		err = image_cell_at(g, &options, (unsigned)v->p.x, (unsigned)v->p.y, &cell);
	if (!err)
		err = image_cell_shares(g, &options, &cell, share);
	if (err) {
		free(share);
		return err;
	}
	total = key_fold_totals(v->key_fold[0], KEYS_BY_COUNT, &n);
	reply_begin(v, &out);
	put_scale(&out, &options, ymax);
	put_cropped(&out, v, ymax);
	writer_name_seconds(&out, "bucket_time", g->from_ns + (__s64)(cell.first_col * g->col_ns));
	writer_name_seconds(&out, "bucket_duration", (__s64)((cell.last_col - cell.first_col + 1) * g->col_ns));
	writer_name_real(&out, "bucket_ymin", cell.from);
	writer_name_real(&out, "bucket_ymax", cell.to);
	payload_present(&out, total, n, g, share, snapshots_under(g, &cell));
	free(share);
	return reply_end(v, &out);
}

/* ---- grid ---- */

static void put_narrative(struct value *v, struct bytes *out)
{
	char text[NARRATIVE_TEXT];

	narrative_text(v->grid[0], &v->zone, text);
	writer_name_text(out, "narrative", text);
}

static int make_csv(struct value *v)
{
	v->type = "text/csv; charset=utf-8; header=present";
	return csv_make((enum csv_table)v->p.table, v->grid[0], NULL, (char **)&v->data, &v->len);
}

static int make_grid(struct value *v)
{
	struct bytes out = { 0 };
	const struct grid *const grids[] = { v->grid[0] };
	const struct shade_options shading = { .yscale = (enum axis_scale)v->p.yscale, .weighted = v->p.weighted,
					       .transfer = (enum shade_transfer)v->p.transfer };
	int err = shade_make(grids, 1, &shading, &v->shade);

	if (err)
		return err;
	reply_begin(v, &out);
	if (v->grid[0]->running)
		writer_name_text(&out, "running", v->in.measure[value_running_axis(v)]);
	payload_grid(&out, v->grid[0], &v->shade);
	payload_annotations(&out, v->annotations);
	if (v->p.narrative)
		put_narrative(v, &out);
	writer_name(&out, "shade");
	writer_raw(&out, "{");
	payload_shade(&out, &v->shade, (enum palette_theme)v->p.theme, params_ramp(&v->p));
	writer_raw(&out, "}");
	return reply_end(v, &out);
}

/* What runs belongs to the first grid. */
static void join_running(struct value *v)
{
	if (!v->runs)
		return;
	v->n_folds--;
	v->grid[0]->running = v->grid[v->n_folds];
	v->grid[v->n_folds] = NULL;
}

int value_make(struct value *v)
{
	bool grids = !v->cover_only || v->active;
	int err;

	v->head.min_reporting = fold_min_reporting(v->fold[0]);
	v->n_snapshots = fold_snapshots(v->fold[0], v->head.rounded.from, v->head.rounded.to);
	v->head.n_snapshots = v->head.scope == SCOPE_POINT ? v->n_snapshots : 0;
	value_compare_reach(v);
	for (size_t i = 0; grids && i < v->n_folds; i++) {
		v->grid[i] = fold_grid(v->fold[i]);
		if (!v->grid[i])
			return -ENOMEM;
		v->grid[i]->weight_unit = v->unit;
		v->grid[i]->annotations = annotations_copy(v->annotations);
		if (v->annotations && !v->grid[i]->annotations)
			return -ENOMEM;
		err = value_layers_put(v, i);
		if (err)
			return err;
		fold_free(v->fold[i]);	/* a histogram per column: the grid has what is needed of them */
		v->fold[i] = NULL;
	}
	join_running(v);
	err = value_active_put(v);
	if (err)
		return err;
	switch (v->kind) {
	case VALUE_RAW: return make_raw(v);
	case VALUE_KEYS: return make_keys(v);
	case VALUE_AVERAGE:
	case VALUE_PERCENTILE: return make_one_number(v);
	case VALUE_IMAGE: return make_image(v);
	case VALUE_DETAILS: return make_details(v);
	case VALUE_GRID:
	case VALUE_STREAM: return v->p.format == FORMAT_CSV ? make_csv(v) : make_grid(v);
	case VALUE_FIGURE: return make_figure(v);
	case VALUE_REPORT: return make_report(v);
	case VALUE_CHART: return make_chart(v);
	case VALUE_EXPLAIN: return make_explain(v);
	case VALUE_EXEMPLARS: return make_exemplars(v);
	case VALUE_COMPOSITION: return make_composition(v);
	case VALUE_FLAME: return make_flame(v);
	case VALUE_COMPARE: return make_compare(v);
	case VALUE_SIDE: return 0;
	case VALUE_KINDS: break;
	}
	return -EINVAL;
}
