#include "render/draw/panel.h"
#include "render/draw/cells.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define STRIP 8				/* px of the strip above or below */
#define STRIP_GAP 4
#define HATCH 7
#define P50_EVENTS 3			/* a percentile needs so many events in a column */
#define P99_EVENTS 100

/* --- range ------------------------------------------------------------------------------------ */

static int row_used(const struct grid *g, size_t row)
{
	for (size_t col = 0; col < g->n_cols; col++)
		if (g->cell[row * g->n_cols + col])
			return 1;
	return 0;
}

/* The used part of the rows that have a height. */
static void used_range(const struct grid *g, enum axis_scale yscale, double *low, double *high)
{
	for (size_t row = 0; row < g->n_rows; row++) {
		if (g->edge[row + 1] == GRID_NO_EDGE || (yscale == AXIS_LOG && !g->edge[row]) || !row_used(g, row))
			continue;
		if (g->edge[row] < *low)
			*low = g->edge[row];
		if (g->edge[row + 1] > *high)
			*high = g->edge[row + 1];
	}
}

/* Returns the lower edge of a row without an upper one, if it is used; else 0. */
static double overflow_edge(const struct grid *g)
{
	size_t last = g->n_rows - 1;

	return g->edge[g->n_rows] == GRID_NO_EDGE && row_used(g, last) ? (double)g->edge[last] : 0;
}

static void auto_range(const struct figure_options *o, double *low, double *high)
{
	if (*low > *high) {		/* an empty grid: any simple range */
		*low = o->yscale == AXIS_LOG ? 1000 : 0;
		*high = 1000000;
	}
	if (o->yscale == AXIS_LOG) {
		*low = axis_round_125(*low, 0);
		*high = axis_round_125(*high, 1);
		if (*high < *low * 10)
			*high = *low * 10;
	} else {
		double step = pow(10, floor(log10(*high))) / 10;

		*low = 0;
		*high = ceil(*high / step - 1e-9) * step;
	}
}

/* The axis of a percentage reaches 100, to show how much is left, and ends with the row that holds 100. */
static void percent_range(const struct grid *g, double *high)
{
	for (size_t row = 1; row <= g->n_rows; row++)
		if (g->edge[row] > 100 && g->edge[row] != GRID_NO_EDGE) {
			if (*high <= (double)g->edge[row] + 10)
				*high = (double)g->edge[row];
			return;
		}
}

void panel_range(const struct grid *const *grid, size_t n, const struct figure_options *o,
		 struct panel_range *ret_range)
{
	double low = INFINITY, high = -INFINITY, over = 0;

	for (size_t i = 0; i < n; i++) {
		used_range(grid[i], o->yscale, &low, &high);
		over = fmax(over, overflow_edge(grid[i]));
		if (grid[i]->running)
			used_range(grid[i]->running, o->yscale, &low, &high);
	}
	if (low > high && over > 0) {	/* all values are beyond the ruler: the axis ends where it does */
		low = over / 1000;
		high = over;
		auto_range(o, &low, &high);
		high = over;
	} else {
		auto_range(o, &low, &high);
	}
	if (o->yscale == AXIS_LINEAR && axis_unit(grid[0]->unit) == AXIS_PERCENT)
		percent_range(grid[0], &high);
	if (o->ymin)
		low = o->ymin;
	if (o->ymax)
		high = o->ymax;
	if (low >= high && o->ymax)
		low = o->yscale == AXIS_LOG ? fmax(1, high / 1000) : 0;
	else if (low >= high)
		high = low * 10;
	*ret_range = (struct panel_range){ .low = low, .high = high };
	for (size_t i = 0; i < n; i++) {
		struct shade s = { .yscale = o->yscale };
		struct cells c = { .grid = grid[i], .shade = &s, .low = low, .high = high };

		ret_range->above |= cells_above(&c) > 0;
		ret_range->below |= cells_below(&c) > 0;
	}
}

size_t panel_fold(size_t n_cols, double width)
{
	size_t px = width >= 1 ? (size_t)width : 1;

	return (n_cols + px - 1) / px;
}

/* --- cells and frame -------------------------------------------------------------------------- */

/* The part of the panel between the strips. */
static double middle_top(const struct panel *p)
{
	return p->y + (p->range.above ? STRIP + STRIP_GAP : 0);
}

static double middle_bottom(const struct panel *p)
{
	return p->y + p->height - (p->range.below ? STRIP + STRIP_GAP : 0);
}

typedef int (*cells_painter)(const struct cells *, __u32 *, size_t, unsigned, unsigned);

static void draw_cells(struct canvas *c, const struct panel *p, cells_painter paint, double y, double height)
{
	struct cells cells = { .grid = p->grid, .shade = p->shade, .palette = &c->palette, .ramps = p->ramps,
			       .low = p->range.low, .high = p->range.high, .hatch = HATCH * c->scale };
	unsigned width = (unsigned)p->width * c->scale, rows = (unsigned)height * c->scale;
	size_t stride;
	__u32 *own = canvas_own(c, p->x, y, width, rows, &stride), *pixel;

	if (own) {
		c->err = c->err ? c->err : paint(&cells, own, stride, width, rows);
		canvas_wrote(c);
		return;
	}
	pixel = malloc((size_t)width * rows * sizeof(*pixel));
	c->err = c->err ? c->err : pixel ? paint(&cells, pixel, width, width, rows) : -ENOMEM;
	if (!c->err)
		canvas_pixels(c, pixel, width, rows, p->x, y);
	free(pixel);
}

/* The frame of the panel, or of its part y..y+height. */
static struct plot panel_part(const struct panel *p, double y, double height)
{
	return (struct plot){
		.x = p->x, .y = y, .width = p->width, .height = height, .from_ns = p->grid->from_ns,
		.col_ns = p->grid->col_ns, .n_cols = p->grid->n_cols, .column = p->grid->column,
		.zone = p->options->zone,
	};
}

static void draw_part(struct canvas *c, const struct panel *p, cells_painter paint, double y, double height)
{
	struct plot plot = panel_part(p, y, height);

	draw_cells(c, p, paint, y, height);
	plot_outline(c, &plot);
}

/* --- axes ------------------------------------------------------------------------------------- */

static void draw_strip_label(struct canvas *c, const struct panel *p, const char *sign, double value, double y)
{
	char text[AXIS_TEXT], label[AXIS_TEXT + 8];

	axis_format(value, axis_unit(p->grid->unit), text);
	snprintf(label, sizeof(label), "%s\u2009%s", sign, text);
	canvas_text(c, CANVAS_RIGHT, p->x - 9, y + 4, label);
}

static void draw_value_axis(struct canvas *c, const struct panel *p)
{
	struct tick tick[AXIS_TICKS_MAX];
	double top = middle_top(p), bottom = middle_bottom(p);
	size_t n = axis_value_ticks(p->shade->yscale, axis_unit(p->grid->unit), p->range.low, p->range.high,
				    bottom - top, 24, tick);

	canvas_font(c, CANVAS_TEXT, false);
	for (size_t i = 0; i < n; i++) {
		double y = round(bottom - tick[i].at * (bottom - top));
		bool crowded = (p->range.above && y < top + 10) || (p->range.below && y > bottom - 10);

		canvas_colour(c, c->palette.axis);
		canvas_line(c, p->x - (tick[i].text[0] ? 6 : 4), y - 0.5, p->x - 1, y - 0.5);
		canvas_colour(c, c->palette.muted);
		if (!crowded)
			canvas_text(c, CANVAS_RIGHT, p->x - 9, y + 4, tick[i].text);
	}
	if (p->range.above)
		draw_strip_label(c, p, "≥", p->range.high, p->y + STRIP / 2.0);
	if (p->range.below)
		draw_strip_label(c, p, "<", p->range.low, p->y + p->height - STRIP / 2.0);
}

/* --- lines ------------------------------------------------------------------------------------ */

double panel_y(const struct panel *p, __u64 value)
{
	double at = axis_at(p->shade->yscale, p->range.low, p->range.high, value ? (double)value : 0);

	if (!(at > 0))
		at = 0;
	if (at > 1)
		at = 1;
	return middle_bottom(p) - at * (middle_bottom(p) - middle_top(p));
}

/* Draws steps; the line breaks at columns with too few events. */
static void draw_percentile(struct canvas *c, const struct panel *p, int is_p99)
{
	struct plot plot = panel_part(p, p->y, p->height);
	struct trace_step *step = malloc(plot.n_cols * sizeof(*step));

	for (size_t col = 0; step && col < plot.n_cols; col++) {
		const struct grid_column *k = &p->grid->column[col];
		__u64 value = is_p99 ? k->p99 : k->p50;

		step[col] = (struct trace_step){
			.from = plot_x(&plot, col), .to = plot_x(&plot, col + 1), .y = panel_y(p, value),
			.drawn = k->count >= (is_p99 ? P99_EVENTS : P50_EVENTS) && value && !(k->marks & GRID_IN_PROGRESS),
		};
	}
	if (step)
		canvas_steps_cased(c, step, plot.n_cols, is_p99 ? c->palette.p99 : c->palette.p50);
	else
		c->err = -ENOMEM;
	free(step);
}

static void draw_max_marks(struct canvas *c, const struct panel *p)
{
	struct plot plot = panel_part(p, p->y, p->height);
	double width = fmax(1, p->width / p->grid->n_cols);

	canvas_colour(c, c->palette.max);
	for (size_t col = 0; col < p->grid->n_cols; col++)
		if (p->grid->column[col].count)
			cairo_rectangle(c->cr, plot_x(&plot, col), panel_y(p, p->grid->column[col].max) - 1, width, 1.5);
	cairo_fill(c->cr);
}

void panel_draw(struct canvas *c, const struct panel *p)
{
	double top = middle_top(p), bottom = middle_bottom(p);
	struct plot plot = panel_part(p, p->y, p->height);

	draw_part(c, p, cells_paint, top, bottom - top);
	if (p->range.above)
		draw_part(c, p, cells_paint_above, p->y, STRIP);
	if (p->range.below)
		draw_part(c, p, cells_paint_below, p->y + p->height - STRIP, STRIP);
	draw_value_axis(c, p);
	plot_time_axis(c, &plot, p->time_labels);
	plot_marks(c, &plot);
	cairo_save(c->cr);
	cairo_rectangle(c->cr, p->x, top, p->width, bottom - top);
	cairo_clip(c->cr);
	if (p->options->max_marks)
		draw_max_marks(c, p);
	if (p->options->percentiles) {
		draw_percentile(c, p, 0);
		draw_percentile(c, p, 1);
	}
	cairo_restore(c->cr);
	plot_annotations(c, &plot, p->grid->annotations);
}
