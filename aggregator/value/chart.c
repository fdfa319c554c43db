/* chart: makes series over time: rates by key, active events, or percentiles. */
#include "aggregator/value/active.h"
#include "aggregator/value/kind.h"
#include "aggregator/value/layers.h"
#include "aggregator/value/picture.h"
#include "aggregator/value/rates.h"
#include "aggregator/value/reply.h"

struct chart_value {
	struct value v;
	struct layer_fold *counts;	/* for rates by key; NULL: it shows none */
	struct value_active active;
};

static struct chart_value *chart_of(struct value *v) { return (struct chart_value *)v; }

static bool shows_active(const struct value *v)
{
	return v->p.show == SHOW_ACTIVE;
}

static bool shows_percentiles(const struct value *v)
{
	return v->p.show == SHOW_AUTO ? v->numeric && !v->in.n_fields : v->p.show == SHOW_PERCENTILES;
}

/* ---- reading ---- */

static void chart_query(const struct value *v, struct query *q)
{
	q->row_bits = 0;
	value_layers_narrow(v, q);
}

static bool chart_reads_keys(const struct value *v)
{
	return !shows_active(v);
}

static int chart_folds(struct value *v, const struct catalog_inst *ci, int axis, char *reason)
{
	struct chart_value *c = chart_of(v);
	struct query q = value_query(v, axis);
	int err = value_fold_add(v, &q, shows_active(v));

	if (!err && !shows_active(v) && !shows_percentiles(v))
		err = value_counts_add(v, &c->counts);
	if (!err && shows_active(v))
		err = value_active_add(v, &c->active, ci, axis, false, reason);
	return err;
}

static int chart_record(struct value *v, __s64 first, __s64 last)
{
	return value_active_record(v, &chart_of(v)->active, first, last);
}

static int chart_read(struct value *v, struct store *store)
{
	const struct store_reader slices = value_slices(v);

	return value_active_read(v, &chart_of(v)->active, store, &slices);
}

/* ---- the reply ---- */

static int make_rates(struct value *v, struct rates *ret_rates)
{
	struct chart_value *c = chart_of(v);
	int err = value_grids(v);

	if (!err && c->active.active)
		err = value_active_put(v, &c->active);
	if (err)
		return err;
	if (c->active.active)
		return rates_make_active(v, v->grid[0], ret_rates);
	return shows_percentiles(v) ? rates_make_lines(v, ret_rates) : rates_make_stacked(v, c->counts, ret_rates);
}

static int draw_chart(struct value *v, const struct rates *rates)
{
	char subtitle[2 * VALUE_TITLE];
	struct picture_texts texts;
	struct picture_data p;

	picture_subtitle(v, rates->what, subtitle, sizeof(subtitle));
	picture_fill_data(v, "chart", subtitle, &texts, &p);
	p.report.chart = &rates->chart;
	return picture_take(v, &p);
}

static int chart_make(struct value *v)
{
	struct bytes out = { 0 };
	struct rates rates;
	int err = make_rates(v, &rates);

	if (err)
		return err;
	if (v->p.format == FORMAT_JSON) {
		reply_begin(v, &out);
		rates_put(&out, &rates);
		err = reply_end(v, &out);
	} else {
		err = draw_chart(v, &rates);
	}
	rates_fini(&rates);
	return err;
}

static void chart_free(struct value *v)
{
	layer_fold_free(chart_of(v)->counts);
	active_free(chart_of(v)->active.active);
}

const struct value_kind value_chart = {
	.name = "chart", .size = sizeof(struct chart_value), .class = ADMISSION_LARGE, .shows_times = true, .drawn_from = true,
	.columns = picture_columns, .query = chart_query, .reads_keys = chart_reads_keys, .folds = chart_folds,
	.record = chart_record, .read = chart_read, .make = chart_make, .free = chart_free,
};
