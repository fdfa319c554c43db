#include "render/draw/caption.h"
#include "render/draw/legend.h"
#include "render/draw/plot.h"
#include "render/draw/sentence.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define BAR_WIDTH 255			/* one colour per px */
#define BAR_HEIGHT 10
#define SWATCH 12

/* --- legend ----------------------------------------------------------------------------------- */

#define BANDS_MAX 4

static void draw_bar(struct canvas *c, const __u32 *ramp, double x, double y, double height)
{
	for (unsigned k = 1; k < PALETTE_COLOURS; k++) {
		canvas_colour(c, ramp[k]);
		cairo_set_antialias(c->cr, CAIRO_ANTIALIAS_NONE);
		canvas_box(c, x + k - 1, y, 1, height);
	}
	cairo_set_antialias(c->cr, CAIRO_ANTIALIAS_DEFAULT);
}

/* The place of a density's colour along the bar, in px. */
static double bar_at(const struct shade *s, double density)
{
	return shade_density_index(s->level, density) - 0.5;
}

static void draw_tick(struct canvas *c, const struct shade *s, enum axis_unit unit, double x, double y,
		      double density, double from, double *right)
{
	char text[AXIS_TEXT];
	double at = x + bar_at(s, density), half;

	axis_format(density, unit, text);
	half = canvas_text_width(c, text) / 2;
	if (at - half < *right + 8 || at + half > from)
		return;
	canvas_colour(c, c->palette.axis);
	canvas_line(c, floor(at) + 0.5, y, floor(at) + 0.5, y + 4);
	canvas_colour(c, c->palette.muted);
	canvas_text(c, CANVAS_CENTRE, at, y + 16, text);
	*right = at + half;
}

/* The highest density stands at the right end.  The others follow from the left if they fit: equal steps on a linear
 * scale, else 1, 2, 5 per decade. */
static void draw_ticks(struct canvas *c, const struct shade *s, enum axis_unit unit, double x, double y)
{
	struct tick tick[AXIS_TICKS_MAX];
	char text[AXIS_TEXT];
	double right = x - 40, end = x + BAR_WIDTH, max = s->max;

	canvas_font(c, CANVAS_TEXT, false);
	if (!(max > 0))
		return;
	axis_format(max >= 10 ? round(max) : max, unit, text);
	canvas_colour(c, c->palette.axis);
	canvas_line(c, end - 0.5, y, end - 0.5, y + 4);
	canvas_colour(c, c->palette.muted);
	canvas_text(c, CANVAS_RIGHT, end, y + 16, text);
	end -= canvas_text_width(c, text) + 8;
	if (s->transfer == SHADE_LINEAR || s->transfer == SHADE_PERCENT) {
		size_t n = max > 1 ? axis_value_ticks(AXIS_LINEAR, unit, 0, max, BAR_WIDTH, 50, tick) : 0;

		for (size_t i = 0; i < n; i++) {
			canvas_colour(c, c->palette.axis);
			canvas_line(c, floor(x + tick[i].at * BAR_WIDTH) + 0.5, y,
				    floor(x + tick[i].at * BAR_WIDTH) + 0.5, y + 4);
			canvas_colour(c, c->palette.muted);
			if (x + tick[i].at * BAR_WIDTH + canvas_text_width(c, tick[i].text) / 2 < end)
				canvas_text(c, CANVAS_CENTRE, x + tick[i].at * BAR_WIDTH, y + 16, tick[i].text);
		}
		return;
	}
	for (double power = s->weighted && s->min > 0 ? pow(10, floor(log10(s->min))) : 1; power < max; power *= 10)
		for (int i = 0; i < 3; i++) {
			static const int step[] = { 1, 2, 5 };

			if (step[i] * power < max && (!s->weighted || step[i] * power >= s->min))
				draw_tick(c, s, unit, x, y, step[i] * power, end, &right);
		}
}

/* "queries per cell, log scale"; "time spent per cell, ..."; "% of the column per cell, ..." */
static void put_legend_title(const struct shade *s, const struct grid *g, char *out, size_t room)
{
	const char *counted = g->weight_unit && *g->weight_unit ? g->weight_unit : "events";
	const char *what = g->weight ? g->weight : !s->weighted ? counted : axis_unit(g->unit) == AXIS_NS ? "time spent" : "sum of values";

	if (s->transfer == SHADE_PERCENT)
		snprintf(out, room, "%s of the column per cell, linear scale",
			 s->weighted ? axis_unit(g->unit) == AXIS_NS ? "% of the time" : "% of the sum" : "%");
	else
		snprintf(out, room, "%.60s per cell, %s scale", what,
			 s->transfer == SHADE_SQRT ? "square root" : shade_transfer_name(s->transfer));
}

static enum axis_unit legend_unit(const struct shade *s, const struct grid *g)
{
	return s->transfer == SHADE_PERCENT ? AXIS_PERCENT : axis_unit(s->weighted ? g->unit : g->weight_unit);
}

void caption_legend(struct canvas *c, const struct shade *s, const struct grid *g, const struct layer_ramps *t,
		    const struct legend *l, double right, double y)
{
	const __u32 *alone = t->ramp ? t->ramp[0] : c->palette.colour;
	unsigned n = l->n > BANDS_MAX ? BANDS_MAX : l->n ? (unsigned)l->n : 1;
	char title[128];
	double x = floor(right) - BAR_WIDTH;

	put_legend_title(s, g, title, sizeof(title));
	canvas_font(c, CANVAS_TEXT, false);
	canvas_colour(c, c->palette.text);
	canvas_text(c, CANVAS_RIGHT, right, y + 11, title);
	for (unsigned i = 0; i < n; i++)	/* each hue has the same lightness */
		draw_bar(c, l->n ? l->item[i].ramp : alone, x, y + 18 + (double)BAR_HEIGHT * i / n, (double)BAR_HEIGHT / n);
	draw_ticks(c, s, legend_unit(s, g), x, y + 18 + BAR_HEIGHT);
}

/* --- key -------------------------------------------------------------------------------------- */

static double key_text(struct canvas *c, double x, double y, const char *text)
{
	canvas_colour(c, c->palette.muted);
	canvas_text(c, CANVAS_LEFT, x + SWATCH + 7, y + 10, text);
	return x + SWATCH + 7 + canvas_text_width(c, text) + 20;
}

static double key_swatch(struct canvas *c, double x, double y, __u32 fill, __u32 line, const char *text)
{
	canvas_colour(c, fill);
	canvas_box(c, x, y, SWATCH, SWATCH);
	cairo_save(c->cr);
	cairo_rectangle(c->cr, x, y, SWATCH, SWATCH);
	cairo_clip(c->cr);
	canvas_colour(c, line);
	for (int i = 4; line != fill && i < 2 * SWATCH; i += 7)
		canvas_line(c, x + i, y, x + i - SWATCH, y + SWATCH);
	cairo_restore(c->cr);
	canvas_colour(c, c->palette.axis);
	cairo_rectangle(c->cr, x + 0.5, y + 0.5, SWATCH - 1, SWATCH - 1);
	cairo_set_line_width(c->cr, 1);
	cairo_stroke(c->cr);
	return key_text(c, x, y, text);
}

static double key_line(struct canvas *c, double x, double y, __u32 rgb, double width, const char *text)
{
	canvas_colour(c, rgb);
	cairo_set_line_width(c->cr, width);
	cairo_move_to(c->cr, x, y + SWATCH / 2.0);
	cairo_line_to(c->cr, x + SWATCH + 2, y + SWATCH / 2.0);
	cairo_stroke(c->cr);
	return key_text(c, x, y, text);
}

static double key_progress(struct canvas *c, double x, double y)
{
	double next = key_swatch(c, x, y, c->palette.zero, c->palette.zero, "in progress");

	canvas_colour(c, c->palette.accent);
	canvas_box(c, x + 1, y + SWATCH - 3, SWATCH - 2, 2);
	return next;
}

static double key_step(struct canvas *c, double x, double y)
{
	canvas_colour(c, c->palette.accent);
	cairo_move_to(c->cr, x + 2, y + 2);
	cairo_line_to(c->cr, x + 10, y + 2);
	cairo_line_to(c->cr, x + 6, y + 10);
	cairo_fill(c->cr);
	return key_text(c, x, y, "clock set");
}

static double key_sampled(struct canvas *c, double x, double y)
{
	canvas_colour(c, c->palette.accent);
	for (int dot = 0; dot < 3; dot++)
		canvas_box(c, x + 1 + 4 * dot, y + SWATCH / 2.0 - 1, 2, 2);
	return key_text(c, x, y, "sampled");
}

static bool any_marked(const struct grid *const *grid, size_t n, enum grid_mark mark)
{
	for (size_t i = 0; i < n; i++)
		if (plot_marked(grid[i]->column, grid[i]->n_cols, mark))
			return true;
	return false;
}

static bool any_running(const struct grid *const *grid, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (grid[i]->running && grid[i]->running->all.count)
			return true;
	return false;
}

void caption_key(struct canvas *c, const struct figure_options *o, const struct grid *const *grid, size_t n,
		 double x, double y)
{
	const struct palette *p = &c->palette;

	canvas_font(c, CANVAS_TEXT, false);
	if (o->percentiles) {
		x = key_line(c, x, y, p->p50, 2, "p50");
		x = key_line(c, x, y, p->p99, 2, "p99");
	}
	if (o->max_marks)
		x = key_line(c, x, y, p->max, 1.5, "max");
	x = key_swatch(c, x, y, p->zero, p->zero, "nothing happened");
	x = key_swatch(c, x, y, p->unobserved, p->unobserved_line, "not observed");
	x = key_swatch(c, x, y, p->colour[90], p->partial, "partly lost");
	if (any_running(grid, n))
		x = key_swatch(c, x, y, p->zero, p->running, "still runs");
	if (any_marked(grid, n, GRID_IN_PROGRESS))
		x = key_progress(c, x, y);
	if (any_marked(grid, n, GRID_SAMPLED))
		x = key_sampled(c, x, y);
	if (any_marked(grid, n, GRID_CLOCK_STEP))
		key_step(c, x, y);
}

/* --- footer ----------------------------------------------------------------------------------- */

static void put_cell(const struct grid *g, const struct shade *s, char *out, size_t room)
{
	char slot[AXIS_TEXT], column[AXIS_TEXT], height[AXIS_TEXT];

	axis_format_span(g->slot_ns, slot);
	axis_format_span(g->col_ns, column);
	if (!s) {
		snprintf(out, room, "slot %s, column %s", slot, column);
		return;
	}
	if (s->yscale == AXIS_LOG)
		snprintf(height, sizeof(height), "a factor of %.3g", exp2(s->cell_height));
	else
		axis_format(s->cell_height, axis_unit(g->unit), height);
	snprintf(out, room, "slot %s, column %s; colours are per cell of %s x %s", slot, column, column, height);
}

void caption_footer(struct canvas *c, const struct grid *g, const struct shade *s, const struct figure_options *o,
		    double x, double y)
{
	char line[512], rest[256];
	double right = c->width - 24, room = right - x;

	canvas_font(c, CANVAS_TEXT, false);
	canvas_colour(c, c->palette.muted);
	if (o->version) {
		canvas_text(c, CANVAS_RIGHT, right, y + 28, o->version);
		room -= canvas_text_width(c, o->version) + 16;
	}
	sentence_summary(g, o->zone, line, sizeof(line));
	canvas_text_within(c, x, y + 11, right - x, line);
	sentence_coverage(g, line, sizeof(line) / 2);
	put_cell(g, s, rest, sizeof(rest));
	strcat(line, "; ");
	strncat(line, rest, sizeof(line) - strlen(line) - 1);
	canvas_text_within(c, x, y + 28, room, line);
}

void caption_head(struct canvas *c, const struct figure_options *o, double x, double width)
{
	canvas_font(c, CANVAS_TITLE, true);
	canvas_colour(c, c->palette.text);
	if (o->title)
		canvas_text_within(c, x, 33, width, o->title);
	canvas_font(c, CANVAS_TEXT + 1, false);
	canvas_colour(c, c->palette.muted);
	if (o->subtitle)
		canvas_text_within(c, x, 54, width, o->subtitle);
}
