#include "value_composition.h"
#include "value_rates.h"
#include "value_reply.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- options ---- */

static int utc_offset(const struct value *v)
{
	time_t end = v->head.rounded.to / 1000000000;
	struct tm tm;

	if (v->p.has_utc_offset)
		return (int)v->p.utc_offset_s;
	return localtime_r(&end, &tm) ? (int)tm.tm_gmtoff : 0;
}

static void figure_options(const struct value *v, const char *subtitle, struct figure_options *ret_options)
{
	figure_defaults(ret_options);
	ret_options->width = (unsigned)v->p.width;
	ret_options->height = (unsigned)v->p.height;
	ret_options->scale = (unsigned)v->p.scale;
	ret_options->format = v->p.format == FORMAT_PDF ? FIGURE_PDF : v->p.format == FORMAT_SVG ? FIGURE_SVG : FIGURE_PNG;
	ret_options->theme = (enum palette_theme)v->p.theme;
	ret_options->transfer = (enum shade_transfer)v->p.transfer;
	ret_options->yscale = (enum axis_scale)v->p.yscale;
	ret_options->weighted = v->p.weighted;
	ret_options->percentiles = ret_options->percentiles && !v->weight;
	ret_options->ymin = (__u64)v->p.ymin;
	ret_options->ymax = (__u64)v->p.ymax;
	ret_options->utc_offset_s = utc_offset(v);
	ret_options->title = v->title;
	ret_options->subtitle = subtitle;
	ret_options->version = "heatscope " PACKAGE_VERSION;
}

static const char *measure_title(const char *measure)
{
	return !strcmp(measure, "cputime") ? "on-CPU" : !strcmp(measure, "offcpu") ? "off-CPU" : measure;
}

/* "latency; only select, update" */
static void describe(const struct value *v, const char *what, char *out, size_t room)
{
	size_t at = (size_t)snprintf(out, room, "%s", what), n = v->p.exclude || v->p.isolate ? v->p.n_select : 0;

	for (size_t i = 0; i < n && i < 4 && at < room; i++)
		at += (size_t)snprintf(out + at, room - at, "%s%s",
				       i ? ", " : v->p.exclude ? "; without " : "; only ", v->p.select[i]);
	if (n > 4 && at < room)
		snprintf(out + at, room - at, " and %zu more", v->p.n_select - 4);
}

static int take_picture(struct value *v, int err, __u8 *bytes, size_t len)
{
	if (err == -EINVAL)
		snprintf(v->reason, sizeof(v->reason), "a picture of this width, height, ymin and ymax cannot be drawn");
	if (err)
		return err;
	v->type = v->p.format == FORMAT_PDF ? "application/pdf" : v->p.format == FORMAT_SVG ? "image/svg+xml" : "image/png";
	v->data = bytes;
	v->len = len;
	return 0;
}

/* ---- figure, report, chart ---- */

int make_figure(struct value *v)
{
	struct figure_options options;
	char subtitle[VALUE_TITLE];
	__u8 *bytes = NULL;
	size_t len = 0;
	int err;

	describe(v, measure_title(reply_measure(v, v->fold_axis[0])), subtitle, sizeof(subtitle));
	figure_options(v, subtitle, &options);
	err = figure_render(v->grid[0], &options, &bytes, &len);
	return take_picture(v, err, bytes, len);
}

static int report_rows(const struct value *v, struct report_row **ret_row, size_t *ret_n, bool *ret_other)
{
	size_t n;
	const struct key_total *total = key_fold_totals(v->key_fold[0], &n);
	struct report_row *row = calloc(n + 1, sizeof(*row));

	if (!row)
		return -ENOMEM;
	*ret_other = false;
	for (size_t i = 0; i < n; i++) {
		const struct hist *h = &total[i].hist;

		*ret_other = *ret_other || total[i].other;
		row[i] = (struct report_row){
			.name = *total[i].text ? total[i].text : "all", .mean = hist_mean(h),
			.count = v->head.n_snapshots > 1 ? (double)h->count / (double)v->head.n_snapshots : (double)h->count,
			.p50 = hist_percentile(h, 500000), .p90 = hist_percentile(h, 900000),
			.p99 = hist_percentile(h, 990000), .p999 = hist_percentile(h, 999000), .max = h->max,
		};
	}
	*ret_row = row;
	*ret_n = n;
	return 0;
}

/* "latency by statement" */
static void table_title(const struct value *v, char *out, size_t room)
{
	const char *measure = reply_measure(v, v->key_axis[0]);
	size_t at = (size_t)snprintf(out, room, "%s", !strcmp(measure, "count") ? v->unit : measure_title(measure));
	const char *glue = " by ";

	for (size_t i = 0; i < v->in.n_fields && at < room; i++) {
		if (v->drop & 1u << i)
			continue;
		at += (size_t)snprintf(out + at, room - at, "%s%s", glue, v->in.field[i]);
		glue = ", ";
	}
}

/* Counts are all that a measure says whose values are all the same. */
static bool is_count(const struct value *v, size_t fold)
{
	return !strcmp(reply_measure(v, v->fold_axis[fold]), "count");
}

static int render_report(struct value *v, struct report *r, const struct rates *rates)
{
	struct report_panel panel[REPORT_PANELS_MAX];
	struct figure_options options;
	struct composed composed;
	char title[VALUE_TITLE];
	__u8 *bytes = NULL;
	size_t len = 0;
	int err;

	if (v->in.n_weights) {
		err = value_composition_bar(v, &composed);
		if (err)
			return err;
		r->bar = &composed.bar;
	}
	r->panel = panel;
	r->chart = v->p.chart ? &rates->chart : NULL;
	for (size_t i = 0; i < v->n_folds; i++)
		if (!is_count(v, i) || !r->chart)
			panel[r->n_panels++] = (struct report_panel){ measure_title(reply_measure(v, v->fold_axis[i])), v->grid[i] };
	table_title(v, title, sizeof(title));
	r->table_title = title;
	figure_options(v, NULL, &options);
	err = report_render(r, &options, &bytes, &len);
	return take_picture(v, err, bytes, len);
}

int make_report(struct value *v)
{
	struct report r = { .count_title = v->unit, .unit = v->grid[0]->unit, .counts_only = is_count(v, 0) };
	struct rates rates = { .series = NULL };
	struct report_row *row = NULL;
	int err = report_rows(v, &row, &r.n_rows, &r.lower_bound);

	if (!err && v->p.chart)
		err = rates_make(v, false, &rates);
	r.row = row;
	if (!err)
		err = render_report(v, &r, &rates);
	free(row);
	rates_fini(&rates);
	return err;
}

static int draw_chart(struct value *v, const struct rates *rates)
{
	struct figure_options options;
	char subtitle[2 * VALUE_TITLE];
	__u8 *bytes = NULL;
	size_t len = 0;
	int err;

	describe(v, rates->what, subtitle, sizeof(subtitle));
	figure_options(v, subtitle, &options);
	err = chart_render(&rates->chart, &options, &bytes, &len);
	return take_picture(v, err, bytes, len);
}

int make_chart(struct value *v)
{
	struct bytes out = { 0 };
	struct rates rates;
	int err = rates_make(v, rates_are_percentiles(v), &rates);

	if (err)
		return err;
	if (v->p.format == FORMAT_JSON) {
		reply_begin(v, &out);
		rates_put(&out, v, &rates);
		err = reply_end(v, &out);
	} else {
		err = draw_chart(v, &rates);
	}
	rates_fini(&rates);
	return err;
}
