#include "aggregator/value/explain.h"
#include "aggregator/value/reply.h"
#include "render/grid/axis.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct explain *explain_of(const struct value *v) { return (const struct explain *)v; }

/* ---- in words ---- */

#define FEW_BLOCKS 10			/* with fewer blocks only the largest differences are significant */

/* Returns why no difference can be reported; NULL: there may be one. */
static const char *nothing(const struct value *v, const struct region_findings *f)
{
	if (f->events.in + f->events.out <= 0 && !(v->head.observed > 0))
		return "this time was not observed: no collector reported in it";
	if (f->events.in + f->events.out <= 0)
		return "there are no events in this time";
	if (f->events.in <= 0)
		return "no event is inside the rectangle";
	if (f->events.out <= 0)
		return "every event is inside the rectangle: there is nothing to compare with; take fewer values, or give a baseline";
	if (!f->n_values && !f->n_measures)
		return v->in.n_fields ? "every event has the same values of all fields, so they do not distinguish "
			"inside and outside"
				      : "the instrumentation keeps no fields apart and has no other measure: there is nothing to compare";
	if (!f->n_tests)
		return "all events are in one block of time, so it is not known how much counts vary from one to the next: nothing is tested; "
		       "take a longer time, or give a baseline";
	return NULL;
}

static void percent(double share, char out[AXIS_TEXT])
{
	snprintf(out, AXIS_TEXT, share > 0 && share < 0.001 ? "<0.1 %%" : share > 0.999 && share < 1 ? ">99.9 %%" : "%.3g %%",
		 100 * share);
}

static void say_value(const struct value *v, const struct region_findings *f, char *out, size_t room)
{
	const struct finding *one = &f->value[0];
	char in[AXIS_TEXT], outside[AXIS_TEXT], events[AXIS_TEXT], excess[AXIS_TEXT], time[AXIS_TEXT];

	percent(one->c.mean.in, in);
	percent(one->c.mean.out, outside);
	axis_format_count(round(f->events.in), events);
	axis_format_count(round(one->c.excess), excess);
	axis_format(one->time_excess, axis_unit(query_unit(&v->in, explain_of(v)->query.axis)), time);
	snprintf(out, room, "%s of the %s %s inside have %s = %.300s, of those outside %s: %s more than expected, %s", in, events,
		 v->unit, v->in.field[one->field], one->value, outside, excess, time);
}

static void say_measure(const struct value *v, const struct region_findings *f, char *out, size_t room)
{
	const struct finding *one = &f->measure[0];
	enum axis_unit unit = axis_unit(query_unit(&v->in, (int)one->measure));
	char in[AXIS_TEXT], outside[AXIS_TEXT];

	axis_format(one->c.mean.in, unit, in);
	axis_format(one->c.mean.out, unit, outside);
	snprintf(out, room, "by %s, %s is %s on average inside and %s outside", one->by == REGION_BY_KEY ? "key" : "time",
		 reply_measure_title(v->in.measure[one->measure]), in, outside);
}

/* ---- what is inside ---- */

struct inside {				/* running events inside, in the slot with the largest sum of ages; slot -1:
					 * none */
	__s64 slot;
	struct in_flight_total *total[KEY_FIELDS_MAX], *all;	/* by each field, and by whole keys */
	size_t n[KEY_FIELDS_MAX], n_all;
	__u64 count, oldest;
};

static void inside_fini(struct inside *in)
{
	for (size_t i = 0; i < KEY_FIELDS_MAX; i++)
		free(in->total[i]);
	free(in->all);
}

static int inside_find(const struct value *v, struct inside *in)
{
	const struct in_flight *running = explain_of(v)->running;
	int err = 0;

	*in = (struct inside){ .slot = running ? in_flight_most(running) : -1 };
	if (in->slot < 0)
		return 0;
	for (unsigned field = 0; field < v->in.n_fields && !err; field++)
		err = in_flight_totals(running, in->slot, ~(1u << field), &in->total[field], &in->n[field]);
	if (!err)
		err = in_flight_totals(running, in->slot, 0, &in->all, &in->n_all);
	for (size_t i = 0; i < in->n_all && !err; i++) {
		in->count += in->all[i].count;
		in->oldest = in->all[i].oldest > in->oldest ? in->all[i].oldest : in->oldest;
	}
	return err;
}

/* Writes the most frequent value of each field: "8 with digest = update t set v = ?, 9 with table = t". */
static size_t say_most(const struct value *v, size_t at, char *out, size_t room, unsigned field, double n, const char *value)
{
	char count[AXIS_TEXT];

	axis_format_count(round(n), count);
	return at < room ? at + (size_t)snprintf(out + at, room - at, "%s %s with %s = %.300s", at ? "," : "", count, v->in.field[field], value)
			 : at;
}

static size_t say_running(const struct value *v, const struct inside *in, char *out, size_t room)
{
	char count[AXIS_TEXT], oldest[AXIS_TEXT], most[768] = "";
	size_t at = 0;

	axis_format_count((double)in->count, count);
	axis_format((double)in->oldest, axis_unit(query_unit(&v->in, explain_of(v)->query.axis)), oldest);
	for (unsigned field = 0; field < v->in.n_fields; field++)
		if (in->n[field])
			at = say_most(v, at, most, sizeof(most), field, (double)in->total[field][0].count, in->total[field][0].text);
	at = (size_t)snprintf(out, room, in->count == 1 ? "%s of the %s ran inside and had not ended, for %s%s%s"
			      : "%s %s ran at once inside and had not ended, the oldest for %s%s%s", count, v->unit, oldest, *most ? ":" : "", most);
	return at < room ? at : room - 1;
}

static void say_contents(const struct value *v, const struct region_findings *f, char *out, size_t room)
{
	char count[AXIS_TEXT], most[768] = "";
	size_t at = 0;

	axis_format_count(round(f->events.in), count);
	for (size_t i = 0; i < f->n_contents; i++)
		if (!i || f->content[i].field != f->content[i - 1].field)
			at = say_most(v, at, most, sizeof(most), f->content[i].field, f->content[i].events, f->content[i].value);
	if (*most)
		snprintf(out, room, ".  Of the %s %s inside:%s", count, v->unit, most);
}

/* Says what the tests found. */
static void say_tested(const struct value *v, const struct region_findings *f, char *out, size_t room)
{
	bool value = f->n_values && f->value[0].significant && f->value[0].c.excess > 0;
	bool measure = f->n_measures && f->measure[0].significant;
	const char *why = nothing(v, f);
	size_t at = 0;

	if (why) {
		snprintf(out, room, "%s", why);
		say_contents(v, f, out + strlen(out), room - strlen(out));
		return;
	}
	if (!value && !measure) {
		at = (size_t)snprintf(out, room, "no value of a field is more frequent inside than outside by more than chance: %zu "
				      "tests, false discovery rate %g", f->n_tests, REGION_Q);
		if (f->n_blocks < FEW_BLOCKS)
			at += (size_t)snprintf(out + at, room - at, "; %zu blocks of time say little about chance: "
				"take a longer time, or give a baseline", f->n_blocks);
		say_contents(v, f, out + at, room - at);
		return;
	}
	if (value)
		say_value(v, f, out, room);
	at = value ? strlen(out) : 0;
	if (measure && value)
		at += (size_t)snprintf(out + at, room - at, "; ");
	if (measure)
		say_measure(v, f, out + at, room - at);
}

/* Running exchanges come first: they still go on. */
static void say(const struct value *v, const struct region_findings *f, const struct inside *in, char *out, size_t room)
{
	size_t at = in->count ? say_running(v, in, out, room) : 0;

	if (in->count && f->events.in <= 0) {
		snprintf(out + at, room - at, "; none ended inside");
		return;
	}
	if (in->count)
		at += (size_t)snprintf(out + at, room - at, ".  Of those that ended: ");
	if (at < room)
		say_tested(v, f, out + at, room - at);
}

/* ---- the reply ---- */

static void put_test(struct bytes *out, const struct finding *one)
{
	writer_name_real(out, "dispersion", one->c.dispersion);
	writer_name(out, "p");
	if (one->c.df)
		writer_real(out, one->c.p);
	else
		writer_raw(out, "null");
	writer_name(out, "q");
	if (one->c.df)
		writer_real(out, one->q);
	else
		writer_raw(out, "null");
	writer_name_flag(out, "significant", one->significant);
}

static void put_value(struct bytes *out, const struct value *v, const struct finding *one)
{
	writer_open(out, NULL, "{");
	writer_name_text(out, "field", v->in.field[one->field]);
	writer_name_text(out, "value", one->value);
	if (one->other)
		writer_name_flag(out, "other", true);
	writer_name_real(out, "inside", one->c.sum.in);
	writer_name_real(out, "outside", one->c.sum.out);
	writer_name_real(out, "inside_share", one->c.mean.in);
	writer_name_real(out, "outside_share", one->c.mean.out);
	writer_name_real(out, "excess", one->c.excess);
	writer_name_real(out, "sum", one->time);
	writer_name_real(out, "sum_excess", one->time_excess);
	put_test(out, one);
	writer_raw(out, "}");
}

static void put_measure(struct bytes *out, const struct value *v, const struct finding *one)
{
	writer_open(out, NULL, "{");
	writer_name_text(out, "measure", v->in.measure[one->measure]);
	writer_name_text(out, "unit", query_unit(&v->in, (int)one->measure));
	writer_name_text(out, "by", one->by == REGION_BY_KEY ? "key" : "time");
	writer_name_real(out, "inside_mean", one->c.mean.in);
	writer_name_real(out, "outside_mean", one->c.mean.out);
	writer_name_real(out, "excess", one->c.excess);
	put_test(out, one);
	writer_raw(out, "}");
}

static void put_group(struct bytes *out, const char *name, double count, double sum)
{
	writer_open(out, name, "{");
	writer_name_real(out, "count", count);
	writer_name_real(out, "sum", sum);
	writer_raw(out, "}");
}

static int put_baseline(struct bytes *out, const struct explain *e)
{
	bool dropped;
	int err;

	if (!e->has_baseline)
		return 0;
	writer_open(out, "baseline", "{");
	writer_name_seconds(out, "start_time", e->baseline.from);
	writer_name_seconds(out, "end_time", e->baseline.to);
	writer_name_number(out, "minreporting", fold_min_reporting(e->baseline_fold));
	err = reply_honesty(out, e->baseline_fold, &dropped);
	if (!err && dropped)
		writer_name_flag(out, "dropped", true);
	writer_raw(out, "}");
	return err;
}

static void put_findings(struct bytes *out, const struct value *v, const struct region_findings *f)
{
	size_t top = (size_t)v->p.top;

	writer_open(out, "values", "[");
	for (size_t i = 0; i < f->n_values && i < top; i++)
		put_value(out, v, &f->value[i]);
	writer_raw(out, "]");
	writer_name_number(out, "nvalues", f->n_values);
	writer_open(out, "measures", "[");
	for (size_t i = 0; i < f->n_measures; i++)
		put_measure(out, v, &f->measure[i]);
	writer_raw(out, "]");
}

/* Writes field after field, at most `top` values each. */
static void put_contents(struct bytes *out, const struct value *v, const struct region_findings *f)
{
	size_t nth = 0;

	writer_open(out, "contents", "[");
	for (size_t i = 0; i < f->n_contents; i++) {
		const struct content *c = &f->content[i];

		nth = i && c->field == f->content[i - 1].field ? nth + 1 : 0;
		if (nth >= (size_t)v->p.top)
			continue;
		writer_open(out, NULL, "{");
		writer_name_text(out, "field", v->in.field[c->field]);
		writer_name_text(out, "value", c->value);
		if (c->other)
			writer_name_flag(out, "other", true);
		writer_name_real(out, "count", c->events);
		writer_name_real(out, "share", c->events / f->events.in);
		writer_name_real(out, "sum", c->time);
		writer_name_real(out, "sum_share", f->time.in > 0 ? c->time / f->time.in : 0);
		writer_raw(out, "}");
	}
	writer_raw(out, "]");
}

static void put_running_value(struct bytes *out, const struct value *v, unsigned field, const struct in_flight_total *t, __u64 all)
{
	writer_open(out, NULL, "{");
	writer_name_text(out, "field", v->in.field[field]);
	writer_name_text(out, "value", t->text);
	if (t->other)
		writer_name_flag(out, "other", true);
	writer_name_number(out, "count", t->count);
	writer_name_real(out, "share", (double)t->count / (double)all);
	writer_name_number(out, "oldest", t->oldest);
	writer_raw(out, "}");
}

/* If nothing runs inside, writes a count of 0, which shows that it was measured. */
static void put_inside(struct bytes *out, const struct value *v, const struct inside *in)
{
	const struct payload_running running = { (in->slot + 1) * (__s64)v->in.slot_ns, in->all, in->n_all };

	if (!explain_of(v)->running)
		return;
	if (in->slot < 0) {
		writer_name(out, "running");
		writer_raw(out, "{\"count\":0}");
		return;
	}
	payload_running(out, &running);
	writer_open(out, "values", "[");
	for (unsigned field = 0; field < v->in.n_fields; field++)
		for (size_t i = 0; i < in->n[field] && i < (size_t)v->p.top; i++)
			put_running_value(out, v, field, &in->total[field][i], in->count);
	writer_raw(out, "]}");
}

int explain_make(struct value *v)
{
	const struct region_findings *f;
	struct inside inside = { .slot = -1 };
	struct bytes out = { 0 };
	char sentence[2560] = "";
	struct explain *e = (struct explain *)v;
	bool dropped;
	int err = explain_error(e);

	if (!err)
		err = region_contrast(e->region, &f);
	if (!err)
		err = inside_find(v, &inside);
	if (err) {
		inside_fini(&inside);
		return err;
	}
	reply_begin(v, &out);
	reply_edges(v, &out, f->first, f->last);
	err = reply_honesty(&out, v->fold[0], &dropped);	/* the head has that */
	if (!err)
		err = put_baseline(&out, e);
	put_group(&out, "inside", f->events.in, f->time.in);
	put_group(&out, "outside", f->events.out, f->time.out);
	writer_name_number(&out, "blocks", f->n_blocks);
	writer_name_number(&out, "tests", f->n_tests);
	writer_name_real(&out, "rate", REGION_Q);
	if (f->lower_bound)
		writer_name_flag(&out, "lower_bound", true);
	put_findings(&out, v, f);
	put_contents(&out, v, f);
	put_inside(&out, v, &inside);
	if (!err)
		err = value_composition_put(v, &e->composed, &out);
	say(v, f, &inside, sentence, sizeof(sentence));
	writer_name_text(&out, "sentence", sentence);
	inside_fini(&inside);
	if (!err)
		return reply_end(v, &out);
	bytes_fini(&out);
	return err;
}
