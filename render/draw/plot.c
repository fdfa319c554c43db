#include "render/draw/plot.h"
#include <math.h>

#define VEIL 0.45			/* how much a veil hides */
#define BAR 2				/* px */
#define FLAG 4				/* px: half the head of the line for a step of the clock */

double plot_x(const struct plot *p, size_t col)
{
	return p->x + (double)(col * (size_t)p->width / p->n_cols);
}

void plot_outline(struct canvas *c, const struct plot *p)
{
	canvas_colour(c, c->palette.axis);
	cairo_set_line_width(c->cr, 1);
	cairo_rectangle(c->cr, p->x - 0.5, p->y - 0.5, p->width + 1, p->height + 1);
	cairo_stroke(c->cr);
}

void plot_time_axis(struct canvas *c, const struct plot *p, bool labels)
{
	struct tick tick[AXIS_TICKS_MAX];
	char zone[AXIS_ZONE];
	__s64 to_ns = p->from_ns + (__s64)(p->col_ns * p->n_cols);
	double y = p->y + p->height, end;
	size_t n;

	canvas_font(c, CANVAS_TEXT, false);
	axis_format_zone(p->zone, p->from_ns, to_ns, zone);
	end = p->x + p->width - canvas_text_width(c, zone);
	n = axis_time_ticks(p->from_ns, to_ns, p->zone, p->width, 8, tick);
	for (size_t i = 0; i < n; i++) {
		double x = p->x + round(tick[i].at * p->width);
		double half = canvas_text_width(c, tick[i].text) / 2;

		canvas_colour(c, c->palette.axis);
		canvas_line(c, x + 0.5, y + 1, x + 0.5, y + 6);
		canvas_colour(c, c->palette.text);
		if (!labels)
			continue;
		if (x + half <= p->x + p->width + PLOT_RIGHT - 2)
			canvas_text(c, CANVAS_CENTRE, x, y + 19, tick[i].text);
		canvas_colour(c, c->palette.muted);
		half = canvas_text_width(c, tick[i].date) / 2;
		if (x + half <= end - 12)
			canvas_text(c, CANVAS_CENTRE, x, y + 34, tick[i].date);
	}
	canvas_colour(c, c->palette.muted);
	if (labels)
		canvas_text(c, CANVAS_LEFT, end, y + 34, zone);
}

/* --- coverage --------------------------------------------------------------------------------- */

#define HATCH 7				/* px between lines */

/* Draws lines from the lower left to the upper right, at the same places for every run. */
static void hatch_run(struct canvas *c, const struct plot *p, size_t first, size_t end, __u32 rgb)
{
	double x = plot_x(p, first), width = plot_x(p, end) - x, at = floor(x / HATCH) * HATCH;

	cairo_save(c->cr);
	cairo_rectangle(c->cr, x, p->y, width, p->height);
	cairo_clip(c->cr);
	canvas_colour(c, rgb);
	cairo_set_line_width(c->cr, 1);
	for (; at < x + width + p->height; at += HATCH) {
		cairo_move_to(c->cr, at, p->y);
		cairo_line_to(c->cr, at - p->height, p->y + p->height);
	}
	cairo_stroke(c->cr);
	cairo_restore(c->cr);
}

/* Hatches every run of columns in this state, and fills it first unless both colours are equal. */
static void draw_runs(struct canvas *c, const struct plot *p, enum grid_state state, __u32 fill, __u32 line)
{
	for (size_t col = 0, end; col < p->n_cols; col = end) {
		end = col + 1;
		if (grid_column_state(&p->column[col]) != state)
			continue;
		while (end < p->n_cols && grid_column_state(&p->column[end]) == state)
			end++;
		if (fill != line) {
			canvas_colour(c, fill);
			canvas_box(c, plot_x(p, col), p->y, plot_x(p, end) - plot_x(p, col), p->height);
		}
		hatch_run(c, p, col, end, line);
	}
}

void plot_unobserved(struct canvas *c, const struct plot *p)
{
	draw_runs(c, p, GRID_UNOBSERVED, c->palette.unobserved, c->palette.unobserved_line);
}

void plot_partial(struct canvas *c, const struct plot *p)
{
	draw_runs(c, p, GRID_PARTIAL, c->palette.partial, c->palette.partial);
}

/* --- marks ------------------------------------------------------------------------------------ */

static void draw_veil(struct canvas *c, const struct plot *p, size_t col)
{
	double x = plot_x(p, col), width = plot_x(p, col + 1) - x;
	__u32 page = c->palette.page;

	cairo_set_source_rgba(c->cr, (page >> 16 & 255) / 255.0, (page >> 8 & 255) / 255.0, (page & 255) / 255.0, VEIL);
	canvas_box(c, x, p->y, width, p->height);
	canvas_colour(c, c->palette.accent);
	canvas_box(c, x, p->y + p->height - BAR, width, BAR);
}

/* Draws a row of dots along the top. */
static void draw_sampled(struct canvas *c, const struct plot *p, size_t col)
{
	double end = plot_x(p, col + 1), x;

	canvas_colour(c, c->palette.accent);
	for (x = ceil(plot_x(p, col) / 4) * 4; x < end; x += 4)
		canvas_box(c, x, p->y, BAR, BAR);
}

static void draw_step(struct canvas *c, const struct plot *p, size_t col)
{
	static const double dash[] = { 4, 3 };
	double x = floor(plot_x(p, col)) + 0.5;

	canvas_colour(c, c->palette.accent);
	cairo_set_dash(c->cr, dash, 2, 0);
	canvas_line(c, x, p->y, x, p->y + p->height);
	cairo_set_dash(c->cr, NULL, 0, 0);
	cairo_move_to(c->cr, x - FLAG, p->y);
	cairo_line_to(c->cr, x + FLAG, p->y);
	cairo_line_to(c->cr, x, p->y + 2 * FLAG);
	cairo_fill(c->cr);
}

void plot_marks(struct canvas *c, const struct plot *p)
{
	for (size_t col = 0; col < p->n_cols; col++)
		if (p->column[col].marks & GRID_IN_PROGRESS)
			draw_veil(c, p, col);
	for (size_t col = 0; col < p->n_cols; col++)
		if (p->column[col].marks & GRID_CLOCK_STEP)
			draw_step(c, p, col);
	for (size_t col = 0; col < p->n_cols; col++)
		if (p->column[col].marks & GRID_SAMPLED)
			draw_sampled(c, p, col);
}

bool plot_marked(const struct grid_column *column, size_t n, enum grid_mark mark)
{
	for (size_t col = 0; col < n; col++)
		if (column[col].marks & mark)
			return true;
	return false;
}
