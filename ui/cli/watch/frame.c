#include "ui/cli/watch/frame.h"

#include <stdio.h>

/* --- title --- */

/* The axis writes these with units of its own, us or ms, KB or MB. */
static bool is_scaled(const char *unit)
{
	return axis_unit(unit) == AXIS_NS || axis_unit(unit) == AXIS_BYTES || axis_unit(unit) == AXIS_BYTES_PER_S;
}

static void draw_title(const struct frame *f, struct screen *s)
{
	const struct view *v = f->view;
	const struct style bold = { LOOK_DEFAULT, LOOK_DEFAULT, false, true };
	const char *measure = f->map ? f->map->measure : f->subject->measure[v->measure];
	const char *unit = f->map && !is_scaled(f->map->unit) ? f->map->unit : "";
	char left[2 * KEY_TEXT_MAX], right[160] = "", span[AXIS_TEXT], end[AXIS_TEXT], zone[AXIS_ZONE];

	snprintf(left, sizeof(left), *unit ? "%s (%s)%s%.*s: %s" : "%s%s%s%.*s: %s", measure, unit,
		 v->isolated ? ", only " : "", KEY_TEXT_MAX, v->isolated ? v->selected : "", f->subject->title);
	if (f->map) {
		axis_format_span((__u64)map_ns((double)f->map->n_cols * f->map->column_s), span);
		axis_format_time(map_ns(map_end_s(f->map)), f->zone, end);
		axis_format_zone(f->zone, map_ns(f->map->from_s), map_ns(map_end_s(f->map)), zone);
		snprintf(right, sizeof(right), "%s to %s %s", span, end, zone);
	}
	screen_text(s, 0, 0, s->n_cols - screen_width(right) - 2, left, bold);
	screen_text_right(s, 0, s->n_cols, right, STYLE_PLAIN);
}

/* --- the place of the cursor --- */

static void range_text(const struct map *m, double low, double high, char out[96])
{
	enum axis_unit unit = axis_unit(m->unit);
	char from[AXIS_TEXT], to[AXIS_TEXT];

	axis_format(low, unit, from);
	if (map_is_overflow(high)) {
		snprintf(out, 96, "≥ %s", from);
		return;
	}
	axis_format(high, unit, to);
	snprintf(out, 96, "%s – %s", from, to);
}

/* How much of a column was seen, in words. */
static void coverage_text(const struct map_column *c, char out[128])
{
	static const char *const word[] = {
		[MAP_OK] = "complete", [MAP_ZERO] = "nothing happened", [MAP_PARTIAL] = "partly lost",
		[MAP_UNOBSERVED] = "not observed", [MAP_DROPPED] = "no longer kept", [MAP_IN_PROGRESS] = "in progress",
	};
	char lost[AXIS_TEXT];
	int at = snprintf(out, 128, "%s", word[c->state]);

	axis_format_count(c->lost, lost);
	if (c->expected > c->reporting)
		at += snprintf(out + at, 128 - (size_t)at, ", %.0f of %.0f reported", c->reporting, c->expected);
	if (c->lost > 0)
		at += snprintf(out + at, 128 - (size_t)at, ", %s lost", lost);
	if (c->sampled > 0)
		at += snprintf(out + at, 128 - (size_t)at, ", sampled 1 in %.0f", c->sampled);
	if (c->clock_step)
		snprintf(out + at, 128 - (size_t)at, ", a clock was set");
}

static const char *counted_text(const struct map *m, double n)
{
	return m->point ? "on average" : n == 1 ? "event" : "events";
}

static void cursor_text(const struct frame *f, const struct layout *l, long col, char *out, size_t room)
{
	const struct map *m = f->map;
	const struct map_column *c = &m->column[col];
	struct plot p = view_plot(f->view, m, l->n_pixels);
	struct plot_cell cell = plot_cell(&p, (size_t)col, plot_pixel(&p, f->view->value));
	char time[AXIS_TEXT], range[96], n[AXIS_TEXT], share[32] = "";
	char running[AXIS_TEXT], still[64] = "", coverage[128];

	axis_format_time(map_ns(m->from_s + (double)col * m->column_s), f->zone, time);
	range_text(m, cell.low, cell.high, range);
	axis_format_count(cell.n, n);
	axis_format_count(cell.running, running);
	coverage_text(c, coverage);
	if (cell.n > 0 && c->count > 0)
		snprintf(share, sizeof(share), ", %.1f %% of its column", 100 * cell.n / c->count);
	if (cell.running > 0)
		snprintf(still, sizeof(still), ", %s still running", running);
	snprintf(out, room, "%s  %s  %s %s%s%s  (%s)", time + 11, range, n, counted_text(m, cell.n), share, still,
		 coverage);
}

static void axes_text(const struct frame *f, const struct layout *l, char *out, size_t room)
{
	const struct map *m = f->map;
	struct plot p = view_plot(f->view, m, l->n_pixels);
	double beyond = plot_beyond(&p);
	enum palette_ramp ramp = f->view->ramp;
	char span[AXIS_TEXT], n[AXIS_TEXT];
	int at;

	axis_format_span((__u64)map_ns(m->column_s), span);
	axis_format_count(beyond, n);
	at = snprintf(out, room, "%s per column, %s axis, %s colours%s%s", span, m->yscale == AXIS_LOG ? "log" : "linear",
		      m->transfer, ramp ? " of " : "", ramp ? palette_ramp_name(ramp) : "");
	if (beyond > 0)
		snprintf(out + at, room - (size_t)at, ", %s beyond the axis", n);
}

static void draw_reading(const struct frame *f, const struct layout *l, struct screen *s)
{
	static const char keys[] = "arrows point  k keys  ? help  q end";
	long col = f->view->pointing ? map_column_at(f->map, f->view->time_s) : -1;
	char text[512];

	if (col >= 0)
		cursor_text(f, l, col, text, sizeof(text));
	else
		axes_text(f, l, text, sizeof(text));
	if (*f->view->hint)
		snprintf(text, sizeof(text), "%s", f->view->hint);
	if (col < 0 && f->state != FRAME_ONCE && screen_width(text) + (long)sizeof(keys) < s->n_cols)
		screen_text_right(s, l->read_line, s->n_cols, keys, STYLE_PLAIN);
	screen_text(s, l->read_line, 0, s->n_cols, text, STYLE_PLAIN);
}

/* --- status --- */

static void sums_text(const struct frame *f, char out[192])
{
	const struct map_summary *all = f->summary;
	enum axis_unit unit = axis_unit(f->map->unit);
	double least = f->map->n_rows > 1 && f->map->edge[0] == 0 && unit != AXIS_PERCENT && f->map->edge[1] > 1 ? f->map->edge[1] : 0;
	char n[AXIS_TEXT], lost[AXIS_TEXT], p50[AXIS_TEXT], p99[AXIS_TEXT];

	if (!map_is_observed(f->map)) {
		snprintf(out, 192, "  not observed");
		return;
	}
	axis_format_count(all->count, n);
	axis_format_count(all->lost, lost);
	snprintf(p50, sizeof(p50), "-");
	snprintf(p99, sizeof(p99), "-");
	if (all->count > 0) {
		axis_format_percentile(all->p50, least, unit, p50);
		axis_format_percentile(all->p99, least, unit, p99);
	}
	snprintf(out, 192, "  %s %s  %s lost  p50 %s  p99 %s", n, counted_text(f->map, all->count), lost, p50, p99);
}

static void draw_status(const struct frame *f, const struct layout *l, struct screen *s)
{
	static const char *const word[] = {
		[FRAME_CONNECTING] = "connecting", [FRAME_LIVE] = "live", [FRAME_PAUSED] = "paused",
		[FRAME_ONCE] = "once", [FRAME_LOST] = "NO DAEMON", [FRAME_REFUSED] = "REFUSED",
	};
	const struct subject *subject = f->subject;
	const char *why = frame_is_broken(f->state) ? f->why : subject->trouble;
	char text[1024], sums[192] = "";

	if (f->map)
		sums_text(f, sums);
	snprintf(text, sizeof(text), " %s  %zu of %zu source%s%s  %.600s", word[f->state], subject->n_active, subject->n_sources,
		 subject->n_sources == 1 ? "" : "s", sums, why ?: "");
	for (long col = 0; col < s->n_cols; col++)
		screen_put(s, l->status_line, col, ' ', STYLE_REVERSE);
	screen_text(s, l->status_line, 0, s->n_cols, text, STYLE_REVERSE);
}

/* --- over the map --- */

static void draw_help(const struct layout *l, struct screen *s)
{
	static const char *const line[] = {
		"arrows, Home, End   point at a cell, Esc: hide   q, Ctrl-C  end",
		"Page Up, Page Down  earlier, later                space      pause, resume",
		"+ -                 zoom the time                 m M        next, last measure",
		"[ ]                 zoom the values; 0 all        l          log, linear axis",
		"k                   keys and counts; Enter: alone t p        count to colour, palette",
		"f                   field of the key list         Ctrl-L     draw again",
		"",
		"line under the map:  / not observed   . no longer kept   \\ partly lost",
		"                     > in progress    ~ sampled        ! a clock was set",
		"over the map:        / not observed   \\ partly lost",
		"                     o O & still running: few, tens, hundreds",
	};
	const long n = (long)(sizeof(line) / sizeof(*line));

	for (long i = 0; i < l->map_lines; i++)
		for (long col = 0; col < s->n_cols; col++)
			screen_put(s, l->map_line + i, col, ' ', STYLE_PLAIN);
	for (long i = 0; i < n && i < l->map_lines; i++)
		screen_text(s, l->map_line + i, 1, s->n_cols - 1, line[i], STYLE_PLAIN);
}

static void draw_list(const struct frame *f, const struct layout *l, struct screen *s)
{
	const struct list_place place = { l->map_line, 0, l->map_lines, s->n_cols };
	const struct subject *subject = f->subject;
	char heading[128] = "KEY";

	if (f->view->by && f->view->by <= subject->n_fields)
		snprintf(heading, sizeof(heading), "BY %s", subject->field[f->view->by - 1]);
	else if (subject->n_fields)
		snprintf(heading, sizeof(heading), "KEY (Enter: alone%s)", subject->n_fields > 1 ? "; f: by field" : "");
	list_draw(s, place, f->list, heading, f->view->row, f->view->isolated ? f->view->selected : NULL);
}

static void draw_too_small(struct screen *s)
{
	char text[96];

	snprintf(text, sizeof(text), "%ld x %ld is too small: %d x %d at least", s->n_cols, s->n_lines, LAYOUT_COLS_MIN,
		 LAYOUT_LINES_MIN);
	screen_text(s, 0, 0, s->n_cols, text, STYLE_PLAIN);
	screen_text(s, 1, 0, s->n_cols, "q ends", STYLE_PLAIN);
}

void frame_draw(const struct frame *f, struct screen *s)
{
	struct layout l = layout_of(s->n_cols, s->n_lines, f->look);

	screen_clear(s);
	if (!l.fits) {
		draw_too_small(s);
		return;
	}
	draw_title(f, s);
	draw_status(f, &l, s);
	if (f->map) {
		draw_map(f, &l, s);
		draw_reading(f, &l, s);
	} else {
		screen_text(s, l.map_line, 0, s->n_cols, frame_is_broken(f->state) ? f->why : "waiting for heatscoped",
			    STYLE_PLAIN);
	}
	if (f->view->overlay == OVERLAY_LIST)
		draw_list(f, &l, s);
	if (f->view->overlay == OVERLAY_HELP)
		draw_help(&l, s);
}
