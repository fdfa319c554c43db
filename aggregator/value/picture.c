#include "aggregator/value/picture_data.h"
#include "aggregator/value/composition.h"
#include "aggregator/value/rates.h"
#include "aggregator/value/reply.h"
#include "render/draw/sentence.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

/* ---- what is drawn ---- */

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

/* The texts of a parcel that are made for it. */
struct told {
	char sentence[SENTENCE_MAX], host[192];
};

/* "db1, Linux 6.1.0 x86_64" */
static const char *put_host(char *out, size_t room)
{
	struct utsname u;

	if (uname(&u))
		return NULL;
	snprintf(out, room, "%.64s, %.15s %.60s %.15s", u.nodename, u.sysname, u.release, u.machine);
	return out;
}

/* What is drawn, and told with it: all of the value's maps. */
static void parcel_of(const struct value *v, const char *picture, const char *subtitle, struct told *told, struct parcel *ret)
{
	*ret = (struct parcel){
		.picture = picture, .title = v->title, .subtitle = subtitle, .sentence = told->sentence, .made_ns = v->now_ns,
		.made_by = "heatscope " PACKAGE_VERSION, .made_on = put_host(told->host, sizeof(told->host)),
		.author = v->p.author && *v->p.author ? v->p.author : NULL, .instrumentation = v->about, .drawn = v->p, .n_maps = v->n_folds,
	};
	ret->zone = v->zone;
	for (size_t i = 0; i < v->n_folds; i++) {
		const char *measure = reply_measure(v, v->fold_axis[i]);

		ret->map[i] = (struct parcel_map){ .measure = measure, .title = reply_measure_title(measure), .grid = v->grid[i], .drawn = true };
	}
	sentence_summary(v->grid[0], &ret->zone, told->sentence, SENTENCE_MAX);
}

static int take_picture(struct value *v, struct parcel *p)
{
	__u8 *bytes = NULL;
	size_t len = 0;
	int err;

	parcel_join(p);
	err = p->drawn.format == FORMAT_CSV ? parcel_csv(p, CSV_KEYS, (char **)&bytes, &len) : parcel_draw(p, &bytes, &len);
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
	char subtitle[VALUE_TITLE];
	struct told told;
	struct parcel p;

	describe(v, reply_measure_title(reply_measure(v, v->fold_axis[0])), subtitle, sizeof(subtitle));
	parcel_of(v, "figure", subtitle, &told, &p);
	return take_picture(v, &p);
}

int attach_data(struct value *v, __u8 **png, size_t *len)
{
	struct told told;
	struct parcel p;

	if (!value_attaches(v))
		return 0;
	parcel_of(v, "image", reply_measure_title(reply_measure(v, v->fold_axis[0])), &told, &p);
	p.drawn.width = p.drawn.height = 0;	/* of bare cells: a figure's own */
	return parcel_attach(&p, png, len);
}

/* ---- a report's tables ---- */

static int table_rows(const struct value *v, const struct key_fold *f, struct report_table *t)
{
	size_t n;
	const struct key_total *total = key_fold_totals((struct key_fold *)f, KEYS_BY_SUM, &n);
	struct report_row *row = calloc(n + 1, sizeof(*row));
	__u64 n_snapshots = v->head.n_snapshots > 1 ? v->head.n_snapshots : 1;

	if (!row)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct hist *h = &total[i].hist;

		t->lower_bound = t->lower_bound || total[i].other;
		row[i] = (struct report_row){
			.name = *total[i].text ? total[i].text : "all", .mean = hist_mean(h),
			.count = (double)h->count / (double)n_snapshots, .sum = (double)h->sum / (double)n_snapshots,
			.p50 = hist_percentile(h, 500000), .p90 = hist_percentile(h, 900000),
			.p99 = hist_percentile(h, 990000), .p999 = hist_percentile(h, 999000), .max = h->max,
		};
	}
	t->row = row;
	t->n_rows = n;
	return 0;
}

/* "latency by statement" */
static void table_title(const struct value *v, size_t fold, char *out, size_t room)
{
	const char *measure = reply_measure(v, v->key_axis[fold]);
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

static int make_table(const struct value *v, size_t fold, char title[VALUE_TITLE], struct report_table *ret)
{
	table_title(v, fold, title, VALUE_TITLE);
	*ret = (struct report_table){ .title = title, .counted = v->unit, .unit = v->grid[fold]->unit, .counts_only = is_count(v, fold) };
	return table_rows(v, v->key_fold[fold], ret);
}

int make_report(struct value *v)
{
	char title[REPORT_PANELS_MAX][VALUE_TITLE];
	struct told told;
	struct rates rates = { .series = NULL };
	struct composed composed;
	struct parcel p;
	int err = v->in.n_weights ? value_composition_bar(v, &composed) : 0;

	if (!err && v->p.chart)
		err = rates_make(v, false, &rates);
	parcel_of(v, "report", NULL, &told, &p);
	p.report.chart = v->p.chart ? &rates.chart : NULL;
	p.report.bar = v->in.n_weights ? &composed.bar : NULL;
	for (size_t i = 0; i < v->n_folds && !err; i++) {
		p.map[i].drawn = !is_count(v, i) || !v->p.chart;
		err = make_table(v, i, title[i], &p.map[i].table);
	}
	if (!err)
		err = take_picture(v, &p);
	for (size_t i = 0; i < v->n_folds; i++)
		free((struct report_row *)p.map[i].table.row);
	rates_fini(&rates);
	return err;
}

/* ---- a chart ---- */

static int draw_chart(struct value *v, const struct rates *rates)
{
	char subtitle[2 * VALUE_TITLE];
	struct told told;
	struct parcel p;

	describe(v, rates->what, subtitle, sizeof(subtitle));
	parcel_of(v, "chart", subtitle, &told, &p);
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
