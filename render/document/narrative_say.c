/* Writes a narrative in words. */
#include "render/document/narrative.h"
#include "collector/core/utf8_length.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MINUTE_NS 60000000000ull
#define KEY_NAMED 160			/* bytes of a key's text */

struct words {
	char *out;
	size_t at, room;
	const struct grid *g;
	const struct zone *zone;
};

static void append_words(struct words *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void append_words(struct words *w, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (w->at < w->room)
		w->at += (size_t)vsnprintf(w->out + w->at, w->room - w->at, format, args);
	va_end(args);
}

/* Two digits: a row is not more precise. */
static void say_about(struct words *w, double value)
{
	double unit = value > 0 ? pow(10, floor(log10(value)) - 1) : 1;
	char text[AXIS_TEXT];

	axis_format(round(value / unit) * unit, axis_unit(w->g->unit), text);
	append_words(w, "%s", text);
}

/* Of a percentile in the first row only its upper edge is known. */
static void say_percentile(struct words *w, double value)
{
	__u64 least = grid_least(w->g);

	if (value > 0 && value < (double)least)
		append_words(w, "below ");
	say_about(w, value > 0 && value < (double)least ? (double)least : value);
}

/* Says the day only if the map has several. */
static void say_time_at(struct words *w, __s64 at_ns)
{
	char from[AXIS_TEXT], to[AXIS_TEXT], text[AXIS_TEXT];

	axis_format_time(w->g->from_ns, w->zone, from);
	axis_format_time(w->g->from_ns + (__s64)(w->g->col_ns * w->g->n_cols) - 1, w->zone, to);
	axis_format_time(at_ns, w->zone, text);
	append_words(w, "%s", strncmp(from, to, 10) ? text : text + 11);
}

static void say_time(struct words *w, size_t col)
{
	say_time_at(w, w->g->from_ns + (__s64)(w->g->col_ns * col));
}

static void say_share(struct words *w, double share)
{
	if (share > 0.999 && share < 1)
		append_words(w, "more than 99.9 %%");
	else if (share < 0.001)
		append_words(w, "less than 0.1 %%");
	else
		append_words(w, share < 0.1 || share > 0.9 ? "%.1f %%" : "%.0f %%", 100 * share);
}

/* Returns how many bytes of a text are at most KEY_NAMED and end with a character. */
static int named_bytes(const char *text)
{
	size_t at = 0, len;

	while (text[at] && (len = utf8_length((const unsigned char *)text + at)) > 0 && at + len <= KEY_NAMED)
		at += len;
	return (int)at;
}

static void say_modes(struct words *w, const struct narrative *n, const char *events)
{
	static const char *const number[] = { "", "One mode", "Two modes", "Three modes", "Four modes" };

	if (!n->n_modes)
		return;
	append_words(w, "%s", n->n_modes < 5 ? number[n->n_modes] : "Modes");
	for (size_t i = 0; i < n->n_modes; i++) {
		append_words(w, "%s%s", !i ? n->n_modes > 1 ? ": " : ", " : i + 1 < n->n_modes ? ", " : " and ",
			     n->mode[i].below ? "below " : !i || n->mode[i - 1].below ? "around " : "");
		say_about(w, n->mode[i].at);
		if (n->n_modes == 1)
			continue;
		append_words(w, " (");
		say_share(w, n->mode[i].share);
		append_words(w, "%s%.40s)", i ? "" : " of the ", i ? "" : events);
	}
	append_words(w, ".");
}

/* Returns how many events of a key are at least among the slowest: those from its median on, if that is slow. */
static double known_slow(const struct report_row *row, double least)
{
	return (double)row->p50 >= least ? row->count - ceil(row->count / 2) + 1 : 0;
}

/* Finds the key with the largest sum, half of whose events or more are among the slowest.  NULL: none is known. */
static const struct report_row *slow_key(const struct report_table *keys, const struct narrative *n)
{
	for (size_t i = 0; keys && !keys->counts_only && i < keys->n_rows; i++) {
		const struct report_row *row = &keys->row[i];

		if (row->count > 0 && row->count <= n->slowest.n && known_slow(row, n->slowest.least) > 0)
			return row;
	}
	return NULL;
}

/* Writes no count: how many of a key's events are among the slowest is not known. */
static void say_slow_key(struct words *w, const struct narrative *n, const struct report_row *row)
{
	int len = named_bytes(row->name);

	if (n->slowest.n <= 1)
		append_words(w, ": ");
	else
		append_words(w, 2 * known_slow(row, n->slowest.least) > n->slowest.n ? "; most of them: " : "; among them ");
	append_words(w, "%.*s%s", len, row->name, row->name[len] ? "…" : "");
	if (n->slowest.n <= 1)
		return;
	append_words(w, " (p50 ");
	say_about(w, (double)row->p50);
	append_words(w, ")");
}

static void say_slowest(struct words *w, const struct narrative *n, const struct report_table *keys)
{
	bool time = axis_unit(w->g->unit) == AXIS_NS, latency = w->g->latency;
	const struct report_row *key = slow_key(keys, n);
	char count[AXIS_TEXT];

	if (!(n->slowest.n > 0))
		return;
	axis_format_count(n->slowest.n, count);
	append_words(w, n->slowest.n > 1 ? " The %s %s (" : " The %s (", latency ? "slowest" : "highest", count);
	say_share(w, n->slowest.n / (double)w->g->all.count);
	append_words(w, latency ? ") took " : n->slowest.n > 1 ? ") are " : ") is ");
	if (n->slowest.n > 1) {
		say_about(w, n->slowest.least);
		append_words(w, " to ");
	}
	say_about(w, (double)w->g->all.max);
	append_words(w, ": ");
	say_share(w, n->slowest.share);
	append_words(w, time ? " of the total time, " : " of the sum, ");
	append_words(w, n->slowest.first < n->slowest.last ? "from " : "at ");
	say_time(w, n->slowest.first);
	if (n->slowest.first < n->slowest.last) {
		append_words(w, " to ");
		say_time(w, n->slowest.last + 1);
	}
	if (key)
		say_slow_key(w, n, key);
	append_words(w, ".");
}

static void say_shifts(struct words *w, const struct narrative *n)
{
	for (size_t i = 0; i < n->n_shifts; i++) {
		const struct narrative_shift *s = &n->shift[i];

		append_words(w, " At ");
		say_time(w, s->col);
		if (s->percentile == 50)
			append_words(w, " the median");
		else
			append_words(w, " p%d", s->percentile);
		append_words(w, " %s from ", s->after > s->before ? "rises" : "falls");
		say_percentile(w, s->before);
		append_words(w, " to ");
		say_percentile(w, s->after);
		append_words(w, ".");
	}
	if (n->sought && !n->n_shifts)
		append_words(w, " No lasting shift.");
}

static void say_worst(struct words *w, const struct narrative *n)
{
	char span[AXIS_TEXT];

	if (!n->n_worst)
		return;
	axis_format_span(n->n_worst * w->g->col_ns, span);
	append_words(w, " The worst %s ", n->n_worst * w->g->col_ns == MINUTE_NS ? "minute" : span);
	append_words(w, "begins at ");
	say_time(w, n->worst);
	append_words(w, ": p99 ");
	say_percentile(w, n->worst_p99);
	append_words(w, ", over the whole time ");
	say_percentile(w, (double)w->g->all.p99);
	append_words(w, ".");
}

/* ---- what still runs ---- */

struct still {
	double n;			/* 0: nothing, or it is not known */
	__u64 oldest;			/* its age */
	__s64 at_ns;
	bool mean;			/* of the slots of a column */
	const struct report_row *most;	/* NULL: not known */
};

static struct still still_by_key(const struct report_table *keys)
{
	struct still s = { .at_ns = keys->running_ns };

	for (size_t i = 0; i < keys->n_rows; i++) {
		const struct report_row *row = &keys->row[i];

		s.n += (double)row->running;
		s.oldest = row->oldest > s.oldest ? row->oldest : s.oldest;
		if (row->running && (!s.most || row->running > s.most->running))
			s.most = row;
	}
	return s;
}

/* Of the last column that was observed. */
static struct still still_by_column(const struct grid *running)
{
	size_t col = running ? running->n_cols : 0;
	struct still s = { 0 };
	double sum = 0;

	while (col && !running->column[col - 1].n_snapshots)
		col--;
	if (!col--)
		return s;
	for (size_t row = 0; row < running->n_rows; row++)
		sum += (double)running->cell[row * running->n_cols + col];
	s.n = grid_shown(running, running->column[col].n_snapshots, sum);
	s.oldest = running->column[col].max;
	s.at_ns = running->from_ns + (__s64)(running->col_ns * (col + 1));
	s.mean = running->column[col].n_snapshots > 1;
	return s;
}

static void say_most(struct words *w, const struct still *s)
{
	const char *name = s->most->name;
	int len = named_bytes(name);
	char count[AXIS_TEXT];

	axis_format_count((double)s->most->running, count);
	append_words(w, s->n > 1 ? "; most of them: %.*s%s (%s)" : ": %.*s%s", len, name, name[len] ? "…" : "", count);
}

static void say_running(struct words *w, const struct report_table *keys, const char *events)
{
	struct still s = keys && keys->runs ? still_by_key(keys) : still_by_column(w->g->running);
	char count[AXIS_TEXT], oldest[AXIS_TEXT];

	if (!(s.n > 0) || s.oldest < NARRATIVE_LONG_NS)
		return;
	axis_format_count(s.n, count);
	axis_format((double)s.oldest, AXIS_NS, oldest);
	append_words(w, s.n == 1 ? "%s of the %.60s still ran" : "%s %.60s still ran", count, events);
	append_words(w, s.mean ? " on average in the column up to " : " at ");
	say_time_at(w, s.at_ns);
	append_words(w, s.n == 1 && !s.mean ? ", for %s" : ", the oldest for %s", oldest);
	if (s.most)
		say_most(w, &s);
	append_words(w, ". ");
}

/* ---- all ---- */

/* In a time without any collector, no events say nothing. */
static void say_no_events(struct words *w, const char *events)
{
	double observed = grid_observed(w->g);

	if (!(observed > 0)) {
		append_words(w, "Not observed: no collector reported in this time.");
		return;
	}
	append_words(w, w->at ? "No %.60s ended" : "No %.60s", events);
	if (observed < 0.9995) {
		append_words(w, " in the part of the time that was observed (");
		say_share(w, observed);
		append_words(w, ")");
	}
	append_words(w, ".");
}

void narrative_say(const struct grid *g, const struct narrative *n, const struct report_table *keys, const struct zone *zone,
		   char out[NARRATIVE_TEXT])
{
	struct words w = { .out = out, .room = NARRATIVE_TEXT, .g = g, .zone = zone };
	const char *events = g->weight_unit && *g->weight_unit ? g->weight_unit : "events";

	size_t before;

	*out = 0;
	if (g->weight)
		return;
	say_running(&w, keys, events);
	before = w.at;
	if (!g->all.count) {
		say_no_events(&w, events);
		return;
	}
	say_modes(&w, n, events);
	say_slowest(&w, n, keys);
	say_shifts(&w, n);
	say_worst(&w, n);
	if (w.at == before)
		append_words(&w, "Too few %.60s to say more.", events);
}

void narrative_text(const struct grid *g, const struct report_table *keys, const struct zone *zone, char out[NARRATIVE_TEXT])
{
	struct narrative n;

	*out = 0;
	if (!narrative_find(g, &n))
		narrative_say(g, &n, keys, zone, out);
}
