#include "render/document/compare.h"
#include "render/draw/panel.h"

#include <math.h>
#include <stdio.h>

#define TITLE 26
#define AXIS 34				/* px for labels of the value axis */
#define PART 0.56			/* of the width, for the distributions */
#define LINE 23
#define STACKED_BELOW 640		/* px: in a narrower picture the table is below the distributions */
#define LEFT_STACKED 24
#define TABLE_WIDE 320			/* px: room for differences and q */
#define AREA 0.22			/* opacity under A's line */

/* ---- distributions ---- */

struct curve {
	const struct compare *k;
	const struct panel_range *range;
	enum axis_scale yscale;
	double x, y, width, height;
	double top;			/* the highest density */
	double cell;			/* height of the mean row along the axis */
};

static bool has_height(const struct grid *g, size_t row, enum axis_scale scale)
{
	return g->edge[row + 1] != GRID_NO_EDGE && (scale == AXIS_LINEAR || g->edge[row]);
}

static double row_height(const struct grid *g, size_t row, enum axis_scale scale)
{
	return scale == AXIS_LOG ? log2((double)g->edge[row + 1] / (double)g->edge[row]) : (double)(g->edge[row + 1] - g->edge[row]);
}

/* The count of a row as if it had the mean height, because rows differ in height. */
static double row_density(const struct curve *v, int side, size_t row)
{
	return v->k->distribution[side][row] * v->cell / row_height(v->k->map, row, v->yscale);
}

static double curve_x(const struct curve *v, __u64 value)
{
	double at = axis_at(v->yscale, v->range->low, v->range->high, (double)value);

	return v->x + v->width * fmin(fmax(at, 0), 1);
}

static double curve_y(const struct curve *v, double value)
{
	return v->y + v->height * (1 - value / v->top);
}

static void find_top(struct curve *v)
{
	const struct grid *g = v->k->map;
	double sum = 0, n = 0, step;

	for (size_t row = 0; row < g->n_rows; row++)
		if (has_height(g, row, v->yscale)) {
			sum += row_height(g, row, v->yscale);
			n++;
		}
	v->cell = n > 0 ? sum / n : 1;
	for (int side = 0; side < 2; side++)
		for (size_t row = 0; row < g->n_rows; row++)
			if (has_height(g, row, v->yscale))
				v->top = fmax(v->top, row_density(v, side, row));
	if (!(v->top > 0))
		v->top = 1;
	step = pow(10, floor(log10(v->top))) / 2;
	v->top = ceil(v->top / step) * step;
}

/* Traces the steps; the line begins and ends at the foot. */
static void trace_steps(struct canvas *c, const struct curve *v, int side)
{
	const struct grid *g = v->k->map;
	double foot = v->y + v->height;

	cairo_new_path(c->cr);
	cairo_move_to(c->cr, v->x, foot);
	for (size_t row = 0; row < g->n_rows; row++) {
		double y;

		if (!has_height(g, row, v->yscale))
			continue;
		y = curve_y(v, row_density(v, side, row));
		cairo_line_to(c->cr, curve_x(v, g->edge[row]), y);
		cairo_line_to(c->cr, curve_x(v, g->edge[row + 1]), y);
	}
	cairo_line_to(c->cr, v->x + v->width, foot);
}

static void draw_curve(struct canvas *c, const struct curve *v, int side)
{
	static const double dash[] = { 6, 3 };
	__u32 rgb = compare_colour(c->palette.theme, side);

	if (!side) {
		cairo_set_source_rgba(c->cr, (rgb >> 16 & 255) / 255.0, (rgb >> 8 & 255) / 255.0, (rgb & 255) / 255.0, AREA);
		trace_steps(c, v, side);
		cairo_fill(c->cr);
	}
	trace_steps(c, v, side);
	cairo_set_line_join(c->cr, CAIRO_LINE_JOIN_MITER);
	cairo_set_line_width(c->cr, 2);
	if (side)
		cairo_set_dash(c->cr, dash, 2, 0);
	canvas_colour(c, rgb);
	cairo_stroke(c->cr);
	cairo_set_dash(c->cr, NULL, 0, 0);
}

static void draw_axes(struct canvas *c, const struct curve *v)
{
	struct tick tick[AXIS_TICKS_MAX];
	size_t n = axis_value_ticks(AXIS_LINEAR, v->k->share ? AXIS_PERCENT : AXIS_COUNT, 0, v->top, v->height, 24, tick);

	canvas_font(c, CANVAS_TEXT, false);
	for (size_t i = 0; i < n; i++) {
		double y = round(v->y + v->height * (1 - tick[i].at));

		canvas_colour(c, c->palette.rule);
		if (tick[i].text[0] && tick[i].at > 0)
			canvas_line(c, v->x, y - 0.5, v->x + v->width, y - 0.5);
		canvas_colour(c, c->palette.muted);
		canvas_text(c, CANVAS_RIGHT, v->x - 9, y + 4, tick[i].text);
	}
	n = axis_value_ticks(v->yscale, axis_unit(v->k->map->unit), v->range->low, v->range->high, v->width, 64, tick);
	for (size_t i = 0; i < n; i++) {
		double x = v->x + round(v->width * tick[i].at);

		canvas_colour(c, c->palette.axis);
		canvas_line(c, x + 0.5, v->y + v->height, x + 0.5, v->y + v->height + (tick[i].text[0] ? 6 : 4));
		canvas_colour(c, c->palette.muted);
		canvas_text(c, CANVAS_CENTRE, x, v->y + v->height + 19, tick[i].text);
	}
}

static void draw_title(struct canvas *c, double x, double y, double right, const char *text)
{
	canvas_font(c, CANVAS_TEXT + 1, true);
	canvas_colour(c, c->palette.text);
	canvas_text_within(c, x, y + 14, right - x, text);
}

/* Writes how much of A and B lies beyond the axis: "< 5 µs: 0 % of A, 49 % of B". */
static size_t put_beyond(const struct curve *v, bool above, char *out, size_t room)
{
	const struct grid *g = v->k->map;
	enum axis_unit unit = v->k->share ? AXIS_PERCENT : AXIS_COUNT;
	char value[AXIS_TEXT], amount[2][AXIS_TEXT];
	double sum[2] = { 0, 0 };

	for (size_t row = 0; row < g->n_rows; row++) {
		bool is_above = g->edge[row + 1] == GRID_NO_EDGE || (double)g->edge[row] >= v->range->high;
		bool is_below = !is_above && (!has_height(g, row, v->yscale) || (double)g->edge[row + 1] <= v->range->low);

		for (int side = 0; side < 2 && (above ? is_above : is_below); side++)
			sum[side] += v->k->distribution[side][row];
	}
	if (!(sum[0] > 0 || sum[1] > 0))
		return 0;
	axis_format(above ? v->range->high : v->range->low, axis_unit(g->unit), value);
	for (int side = 0; side < 2; side++)
		axis_format(sum[side], unit, amount[side]);
	return (size_t)snprintf(out, room, "%s %s: %s of A, %s of B", above ? "≥" : "<", value, amount[0], amount[1]);
}

static void draw_beyond(struct canvas *c, const struct curve *v, double y)
{
	char text[2 * 4 * AXIS_TEXT] = "";
	size_t at = put_beyond(v, false, text, sizeof(text));

	if (at)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "; ");
	if (!put_beyond(v, true, text + at, sizeof(text) - at) && at)
		text[at - 2] = 0;
	canvas_font(c, CANVAS_TEXT, false);
	canvas_colour(c, c->palette.muted);
	canvas_text(c, CANVAS_RIGHT, v->x + v->width, y + 14, text);
}

static void draw_curves(struct canvas *c, const struct compare *k, const struct figure_options *o, const struct panel_range *range,
			double right, double y)
{
	struct curve v = { .k = k, .range = range, .yscale = o->yscale, .x = PLOT_LEFT, .y = y + TITLE,
			   .width = right - PLOT_LEFT, .height = COMPARE_LOWER - TITLE - AXIS };

	find_top(&v);
	draw_title(c, PLOT_LEFT, y, right, k->share ? "Distribution: % of the events by value" : "Distribution: events by value");
	draw_beyond(c, &v, y);
	draw_axes(c, &v);
	cairo_save(c->cr);
	cairo_rectangle(c->cr, v.x, v.y - 2, v.width, v.height + 2);
	cairo_clip(c->cr);
	draw_curve(c, &v, 0);
	draw_curve(c, &v, 1);
	cairo_restore(c->cr);
	canvas_colour(c, c->palette.axis);
	canvas_line(c, v.x, v.y + v.height + 0.5, v.x + v.width, v.y + v.height + 0.5);
}

/* ---- table ---- */

enum { COLUMN_A, COLUMN_B, COLUMN_DIFFERENCE, COLUMN_CHANCE, COLUMNS };

/* NAN: a side has no events, or was not observed. */
static void put_amount(double value, enum axis_unit unit, char out[AXIS_TEXT])
{
	if (isnan(value))
		snprintf(out, AXIS_TEXT, "–");
	else
		axis_format(value, unit, out);
}

static void put_difference(const struct compare_line *line, char out[AXIS_TEXT + 4])
{
	char size[AXIS_TEXT];

	put_amount(fabs(line->a - line->b), line->unit, size);
	snprintf(out, AXIS_TEXT + 4, "%s%s", line->a > line->b ? "+" : line->a < line->b ? "−" : "", size);
}

static void put_chance(const struct compare_line *line, char out[AXIS_TEXT])
{
	if (!line->tested)
		snprintf(out, AXIS_TEXT, "–");
	else if (line->q < 0.001)
		snprintf(out, AXIS_TEXT, "< 0.001");
	else
		snprintf(out, AXIS_TEXT, "%.2g", line->q);
}

/* A narrow table has A and B only. */
static int n_columns(double left, double right)
{
	return right - left < TABLE_WIDE ? (int)COLUMN_DIFFERENCE : (int)COLUMNS;
}

static double column_right(int column, double left, double right)
{
	int n = n_columns(left, right);

	return right - (n - 1 - column) * floor((right - left) * 0.86 / n);
}

static void draw_row(struct canvas *c, const struct compare_line *line, double left, double right, double y)
{
	char text[COLUMNS][AXIS_TEXT + 4];

	put_amount(line->a, line->unit, text[COLUMN_A]);
	put_amount(line->b, line->unit, text[COLUMN_B]);
	put_difference(line, text[COLUMN_DIFFERENCE]);
	put_chance(line, text[COLUMN_CHANCE]);
	canvas_font(c, CANVAS_TEXT, line->significant);
	canvas_colour(c, line->significant ? c->palette.text : c->palette.muted);
	canvas_text_within(c, left, y, (right - left) * 0.16, line->name);
	for (int i = 0; i < n_columns(left, right); i++)
		canvas_text(c, CANVAS_RIGHT, column_right(i, left, right), y, text[i]);
	canvas_colour(c, c->palette.rule);
	canvas_line(c, left, y + 7.5, right, y + 7.5);
}

static void draw_table(struct canvas *c, const struct compare *k, double left, double right, double y)
{
	static const char *const head[COLUMNS] = { "A", "B", "A − B", "q" };

	draw_title(c, left, y, right, "Events, mean and percentiles; bold: beyond chance");
	y += TITLE + 14;
	canvas_font(c, CANVAS_TEXT, false);
	for (int i = 0; i < n_columns(left, right); i++) {
		double x = column_right(i, left, right);

		if (i < 2) {
			canvas_colour(c, compare_colour(c->palette.theme, i));
			canvas_box(c, x - 24, y - 9, 9, 9);
		}
		canvas_colour(c, c->palette.muted);
		canvas_text(c, CANVAS_RIGHT, x, y, head[i]);
	}
	canvas_colour(c, c->palette.axis);
	canvas_line(c, left, y + 7.5, right, y + 7.5);
	for (size_t i = 0; i < k->n_lines; i++)
		draw_row(c, &k->line[i], left, right, y += LINE);
}

unsigned compare_lower_height(unsigned width, unsigned height)
{
	return width < STACKED_BELOW && height >= 2 * COMPARE_LOWER ? 2 * COMPARE_LOWER : COMPARE_LOWER;
}

void compare_draw_lower(struct canvas *c, const struct compare *k, const struct figure_options *o, const struct panel_range *range,
			double y, unsigned height)
{
	double left = floor(c->width * PART), right = c->width - PLOT_RIGHT;

	if (height > COMPARE_LOWER) {
		draw_curves(c, k, o, range, right, y);
		draw_table(c, k, LEFT_STACKED, right, y + COMPARE_LOWER);
	} else {
		draw_curves(c, k, o, range, left - 12, y);
		draw_table(c, k, left + 24, right, y);
	}
}
