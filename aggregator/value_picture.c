#include "parcel.h"
#include "value_composition.h"
#include "value_rates.h"
#include "value_reply.h"
#include "../render/sentence.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- what is drawn ---- */

int reply_utc_offset(const struct value *v)
{
	time_t end = v->head.rounded.to / 1000000000;
	struct tm tm;

	if (v->p.has_utc_offset)
		return (int)v->p.utc_offset_s;
	return localtime_r(&end, &tm) ? (int)tm.tm_gmtoff : 0;
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

/* What is drawn, and told with it: all of the value's maps. */
static void parcel_of(const struct value *v, const char *picture, const char *subtitle, char sentence[SENTENCE_MAX],
		      struct parcel *ret)
{
	*ret = (struct parcel){
		.picture = picture, .title = v->title, .subtitle = subtitle, .sentence = sentence, .made_ns = v->now_ns,
		.made_by = "heatscope " PACKAGE_VERSION, .instrumentation = v->about, .drawn = v->p, .n_maps = v->n_folds,
	};
	ret->drawn.utc_offset_s = reply_utc_offset(v);
	for (size_t i = 0; i < v->n_folds; i++) {
		const char *measure = reply_measure(v, v->fold_axis[i]);

		ret->map[i] = (struct parcel_map){ measure, reply_measure_title(measure), v->grid[i], true };
	}
	sentence_summary(v->grid[0], (int)ret->drawn.utc_offset_s, sentence, SENTENCE_MAX);
}

static int make(const struct parcel *p, __u8 **ret_bytes, size_t *ret_len)
{
	switch (p->drawn.format) {
	case FORMAT_HTML: return parcel_html(p, ret_bytes, ret_len);
	case FORMAT_CSV: return parcel_csv(p, CSV_KEYS, (char **)ret_bytes, ret_len);
	default: return parcel_draw(p, ret_bytes, ret_len);
	}
}

static int take_picture(struct value *v, struct parcel *p)
{
	__u8 *bytes = NULL;
	size_t len = 0;
	int err;

	parcel_join(p);
	err = make(p, &bytes, &len);
	if (err == -EINVAL)
		snprintf(v->reason, sizeof(v->reason), "a picture of this width, height, ymin and ymax cannot be drawn");
	if (!err && value_attaches(v))
		err = parcel_attach(p, &bytes, &len);
	if (err) {
		free(bytes);
		return err;
	}
	v->type = reply_type(v->p.format);
	v->data = bytes;
	v->len = len;
	return 0;
}

/* ---- figure, report, chart ---- */

int make_figure(struct value *v)
{
	char subtitle[VALUE_TITLE], sentence[SENTENCE_MAX];
	struct parcel p;

	describe(v, reply_measure_title(reply_measure(v, v->fold_axis[0])), subtitle, sizeof(subtitle));
	parcel_of(v, "figure", subtitle, sentence, &p);
	return take_picture(v, &p);
}

int attach_data(struct value *v, __u8 **png, size_t *len)
{
	char sentence[SENTENCE_MAX];
	struct parcel p;

	if (!value_attaches(v))
		return 0;
	parcel_of(v, "image", reply_measure_title(reply_measure(v, v->fold_axis[0])), sentence, &p);
	p.drawn.width = p.drawn.height = 0;	/* of bare cells: a figure's own */
	return parcel_attach(&p, png, len);
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
	size_t at = (size_t)snprintf(out, room, "%s", !strcmp(measure, "count") ? v->unit : reply_measure_title(measure));
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

static int draw_report(struct value *v, struct parcel *p, const struct rates *rates)
{
	char title[VALUE_TITLE], sentence[SENTENCE_MAX];
	const struct report r = p->report;
	struct composed composed;
	int err = v->in.n_weights ? value_composition_bar(v, &composed) : 0;

	if (err)
		return err;
	parcel_of(v, "report", NULL, sentence, p);
	p->report = r;
	p->report.chart = v->p.chart ? &rates->chart : NULL;
	p->report.bar = v->in.n_weights ? &composed.bar : NULL;
	for (size_t i = 0; i < v->n_folds; i++)
		p->map[i].drawn = !is_count(v, i) || !v->p.chart;
	table_title(v, title, sizeof(title));
	p->report.table_title = title;
	return take_picture(v, p);
}

int make_report(struct value *v)
{
	struct parcel p = { .report = { .count_title = v->unit, .unit = v->grid[0]->unit, .counts_only = is_count(v, 0) } };
	struct rates rates = { .series = NULL };
	struct report_row *row = NULL;
	int err = report_rows(v, &row, &p.report.n_rows, &p.report.lower_bound);

	if (!err && v->p.chart)
		err = rates_make(v, false, &rates);
	p.report.row = row;
	if (!err)
		err = draw_report(v, &p, &rates);
	free(row);
	rates_fini(&rates);
	return err;
}

static int draw_chart(struct value *v, const struct rates *rates)
{
	char subtitle[2 * VALUE_TITLE], sentence[SENTENCE_MAX];
	struct parcel p;

	describe(v, rates->what, subtitle, sizeof(subtitle));
	parcel_of(v, "chart", subtitle, sentence, &p);
	p.report.chart = &rates->chart;
	return take_picture(v, &p);
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
