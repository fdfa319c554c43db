#include "render/document/compare.h"
#include "render/draw/caption.h"
#include "render/color/hue.h"
#include "render/draw/panel.h"
#include "render/draw/sentence.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define LEFT 24
#define NAMES 26			/* px of the line with the names of A and B */
#define MAP_MIN 80
#define SWATCH 12
#define BAR 255
#define BAR_HEIGHT 10

__u32 compare_colour(enum palette_theme theme, int side)
{
	return palette_area(theme, side ? HUE_B : HUE_A);
}

/* ---- the maps ---- */

struct maps {
	size_t n;
	const struct grid *grid[2];
	struct grid *both;		/* overlay: we free it */
	struct shade shade[2];
	struct layer_ramps ramps[2];
};

static void maps_fini(struct maps *m)
{
	for (size_t i = 0; i < m->n; i++) {
		shade_fini(&m->shade[i]);
		layer_ramps_fini(&m->ramps[i]);
	}
	grid_free(m->both);
}

static int add_layer(struct grid *both, const struct grid *g, size_t i, const char *name)
{
	struct layer_cell *cell = calloc(g->n_rows * g->n_cols, sizeof(*cell));
	size_t n = 0;
	int err;

	for (size_t k = 0; cell && k < g->n_rows * g->n_cols; k++) {
		both->cell[k] += g->cell[k];
		if (g->cell[k])
			cell[n++] = (struct layer_cell){ (__u32)(k / g->n_cols), (__u32)(k % g->n_cols), g->cell[k] };
	}
	err = cell ? layer_fill(&both->layers->layer[i], both, name, cell, n) : -ENOMEM;
	both->layers->layer[i].hue = i ? HUE_B : HUE_A;
	free(cell);
	return err;
}

static int overlay_make(const struct compare *k, struct grid **ret_both)
{
	struct grid *both = grid_like(k->map);
	int err;

	if (!both)
		return -ENOMEM;
	both->layers = layers_new(2);
	err = both->layers ? add_layer(both, k->grid[0], 0, "A") : -ENOMEM;
	if (!err)
		err = add_layer(both, k->grid[1], 1, "B");
	if (err)
		grid_free(both);
	else
		*ret_both = both;
	return err;
}

static int maps_make(const struct compare *k, const struct figure_options *o, struct maps *m)
{
	struct shade_options shading;
	size_t n = k->view == COMPARE_SIDE ? 2 : 1;
	int err = 0;

	*m = (struct maps){ .grid = { k->view == COMPARE_SIDE ? k->grid[0] : k->map, k->grid[1] } };
	figure_shading(o, &shading);
	if (k->view == COMPARE_OVERLAY)
		err = overlay_make(k, &m->both);
	if (m->both)
		m->grid[0] = m->both;
	if (!err)
		err = shade_make(m->grid, n, &shading, m->shade);
	if (!err)
		m->n = n;
	for (size_t i = 0; i < m->n && !err; i++)
		err = layer_ramps_make(m->grid[i], o->theme, &m->ramps[i]);
	if (err)
		maps_fini(m);
	return err;
}

/* ---- legend ---- */

static void draw_ramp(struct canvas *c, const __u32 *ramp, bool turned, double x, double y, double width, double height)
{
	cairo_set_antialias(c->cr, CAIRO_ANTIALIAS_NONE);
	for (int i = 0; i < (int)width; i++) {
		int at = 1 + (int)((PALETTE_COLOURS - 2) * (turned ? width - 1 - i : i) / (width - 1));

		canvas_colour(c, ramp[at]);
		canvas_box(c, x + i, y, 1, height);
	}
	cairo_set_antialias(c->cr, CAIRO_ANTIALIAS_DEFAULT);
}

static void put_amount(const struct compare *k, double amount, char out[AXIS_TEXT])
{
	axis_format(amount >= 10 ? round(amount) : amount, k->share ? AXIS_PERCENT : AXIS_COUNT, out);
}

/* The density whose colour lies half-way along the bar. */
static double half_way(const struct shade *s)
{
	return s->level[SHADE_LEVELS / 2];
}

/* Draws one of the ticks at both ends and half-way; the bar of a difference runs from the middle outwards. */
static void draw_tick(struct canvas *c, enum canvas_align align, double x, double y, const char *text)
{
	canvas_colour(c, c->palette.axis);
	canvas_line(c, floor(x) + 0.5, y, floor(x) + 0.5, y + 4);
	canvas_colour(c, c->palette.muted);
	canvas_text(c, align, x, y + 16, text);
}

static void draw_diverging(struct canvas *c, const struct compare *k, const struct maps *m, double x, double y)
{
	double middle = x + floor(BAR / 2.0), wing = floor(BAR / 2.0) - 8;
	char text[AXIS_TEXT];

	draw_ramp(c, m->ramps[0].ramp[2], true, x, y, wing, BAR_HEIGHT);
	draw_ramp(c, m->ramps[0].ramp[1], false, x + BAR - wing, y, wing, BAR_HEIGHT);
	put_amount(k, m->shade[0].max * k->cell_unit, text);
	draw_tick(c, CANVAS_LEFT, x, y + BAR_HEIGHT, text);
	draw_tick(c, CANVAS_RIGHT, x + BAR - 1, y + BAR_HEIGHT, text);
	draw_tick(c, CANVAS_CENTRE, middle, y + BAR_HEIGHT, "0");
	canvas_colour(c, c->palette.text);
	canvas_text(c, CANVAS_RIGHT, middle - 14, y + BAR_HEIGHT + 16, "more in B");
	canvas_text(c, CANVAS_LEFT, middle + 14, y + BAR_HEIGHT + 16, "more in A");
}

static void draw_ramps(struct canvas *c, const struct compare *k, const struct maps *m, double x, double y)
{
	char text[AXIS_TEXT];

	if (k->view == COMPARE_SIDE)
		draw_ramp(c, c->palette.colour, false, x, y, BAR, BAR_HEIGHT);
	for (int i = 0; i < 2 && k->view == COMPARE_OVERLAY; i++)
		draw_ramp(c, m->ramps[0].ramp[i + 1], false, x, y + i * BAR_HEIGHT / 2.0, BAR, BAR_HEIGHT / 2.0);
	draw_tick(c, CANVAS_LEFT, x, y + BAR_HEIGHT, "0");
	put_amount(k, half_way(&m->shade[0]) * k->cell_unit, text);
	draw_tick(c, CANVAS_CENTRE, x + floor(BAR / 2.0), y + BAR_HEIGHT, text);
	put_amount(k, m->shade[0].max * k->cell_unit, text);
	draw_tick(c, CANVAS_RIGHT, x + BAR - 1, y + BAR_HEIGHT, text);
}

static void draw_legend(struct canvas *c, const struct compare *k, const struct maps *m, double right, double y)
{
	const struct shade *s = &m->shade[0];
	const char *counted = k->map->weight_unit && *k->map->weight_unit ? k->map->weight_unit : "events";
	char title[128];

	snprintf(title, sizeof(title), "%.40s%s per cell, %s scale", k->share ? k->view == COMPARE_DIFFERENCE ? "percentage points" : "% of the column"
		 : counted, k->view == COMPARE_DIFFERENCE && !k->share ? " more" : "",
		 s->transfer == SHADE_SQRT ? "square root" : shade_transfer_name(s->transfer));
	canvas_font(c, CANVAS_TEXT, false);
	canvas_colour(c, c->palette.text);
	canvas_text(c, CANVAS_RIGHT, right, y + 11, title);
	if (!(s->max > 0))
		return;
	if (k->view == COMPARE_DIFFERENCE)
		draw_diverging(c, k, m, right - BAR, y + 18);
	else
		draw_ramps(c, k, m, right - BAR, y + 18);
}

/* ---- marks ---- */

static double mark_x(const struct panel *p, size_t col)
{
	return p->x + floor((double)col * p->width / (double)p->grid->n_cols);
}

static int sign_at(const signed char *sign, const struct grid *g, size_t row, size_t col)
{
	return row < g->n_rows && col < g->n_cols ? sign[row * g->n_cols + col] : 0;
}

/* Traces the edges between cells that have this sign and cells that do not. */
static void trace_marks(struct canvas *c, const struct panel *p, const signed char *sign, int which)
{
	const struct grid *g = p->grid;

	for (size_t row = 0; row <= g->n_rows; row++)
		for (size_t col = 0, end; col < g->n_cols; col = end) {
			double y = round(panel_y(p, g->edge[row])) - 0.5;
			int edge = (sign_at(sign, g, row, col) == which) != (row && sign_at(sign, g, row - 1, col) == which);

			for (end = col + 1; end < g->n_cols && edge == ((sign_at(sign, g, row, end) == which) !=
									(row && sign_at(sign, g, row - 1, end) == which)); end++)
				;
			if (!edge)
				continue;
			cairo_move_to(c->cr, mark_x(p, col), y);
			cairo_line_to(c->cr, mark_x(p, end), y);
		}
	for (size_t col = 0; col <= g->n_cols; col++)
		for (size_t row = 0; row < g->n_rows; row++) {
			double x = mark_x(p, col) - (col ? 0.5 : -0.5);

			if ((sign_at(sign, g, row, col) == which) == (col && sign_at(sign, g, row, col - 1) == which))
				continue;
			cairo_move_to(c->cr, x, round(panel_y(p, g->edge[row])) - 0.5);
			cairo_line_to(c->cr, x, round(panel_y(p, g->edge[row + 1])) - 0.5);
		}
}

static void stroke_mark(struct canvas *c, bool in_a)
{
	static const double dash[] = { 3, 2 };

	canvas_colour(c, c->palette.text);
	cairo_set_line_width(c->cr, 1);
	if (!in_a)
		cairo_set_dash(c->cr, dash, 2, 0);
	cairo_stroke(c->cr);
	cairo_set_dash(c->cr, NULL, 0, 0);
}

/* Rows beyond the axis have a strip, and no height. */
static bool has_frame(const struct panel *p, size_t row)
{
	const struct grid *g = p->grid;

	return g->edge[row + 1] != GRID_NO_EDGE && (g->edge[row] || p->shade->yscale == AXIS_LINEAR) &&
	       panel_y(p, g->edge[row]) > panel_y(p, g->edge[row + 1]);
}

static void draw_marks(struct canvas *c, const struct compare *k, const struct panel *p)
{
	const struct grid *g = p->grid;
	signed char *sign = calloc(g->n_rows * g->n_cols, 1);

	if (!sign) {
		c->err = -ENOMEM;
		return;
	}
	for (size_t i = 0; i < k->n_marks; i++) {
		size_t row = k->mark[i].row;

		for (size_t col = k->mark[i].from; has_frame(p, row) && col < k->mark[i].to; col++)
			if (grid_column_state(&g->column[col]) != GRID_UNOBSERVED)
				sign[row * g->n_cols + col] = k->mark[i].more_in_a ? 1 : -1;
	}
	cairo_save(c->cr);
	cairo_rectangle(c->cr, p->x - 1, p->y - 1, p->width + 2, p->height + 2);
	cairo_clip(c->cr);
	for (int which = 1; which >= -1; which -= 2) {
		trace_marks(c, p, sign, which);
		stroke_mark(c, which > 0);
	}
	cairo_restore(c->cr);
	free(sign);
}

/* ---- page ---- */

/* The width and the place of the frame of map i of n. */
static double frame_width(size_t n, double width)
{
	return n == 1 ? width - PLOT_LEFT - PLOT_RIGHT : floor((width - 2 * (PLOT_LEFT + PLOT_RIGHT)) / 2);
}

static double frame_x(size_t n, size_t i, double width)
{
	return PLOT_LEFT + (double)i * (frame_width(n, width) + PLOT_LEFT + PLOT_RIGHT);
}

size_t compare_columns(enum compare_view view, unsigned width)
{
	double px = frame_width(view == COMPARE_SIDE ? 2 : 1, width);

	return px > 1 ? (size_t)px : 1;
}

/* Draws a name such as "A  latency of select": over its map, or one after the other. */
static void draw_name(struct canvas *c, const struct compare *k, int side, double x, double y, double width)
{
	canvas_colour(c, compare_colour(c->palette.theme, side));
	canvas_box(c, x, y, SWATCH, SWATCH);
	canvas_font(c, CANVAS_TEXT + 1, true);
	canvas_colour(c, c->palette.text);
	canvas_text(c, CANVAS_LEFT, x + SWATCH + 7, y + 11, side ? "B" : "A");
	canvas_font(c, CANVAS_TEXT + 1, false);
	canvas_text_within(c, x + SWATCH + 24, y + 11, width - SWATCH - 24, k->name[side]);
}

static void draw_names(struct canvas *c, const struct compare *k, double y)
{
	double width = floor((c->width - PLOT_LEFT - PLOT_RIGHT) / 2.0);

	for (int side = 0; side < 2; side++)
		draw_name(c, k, side, k->view == COMPARE_SIDE ? frame_x(2, (size_t)side, c->width) : PLOT_LEFT + side * width, y,
			  k->view == COMPARE_SIDE ? frame_width(2, c->width) : width - 16);
}

static void draw_maps(struct canvas *c, const struct compare *k, const struct maps *m, const struct figure_options *o,
		      const struct panel_range *range, double y, double height)
{
	for (size_t i = 0; i < m->n; i++) {
		struct panel p = { .grid = m->grid[i], .shade = &m->shade[i], .ramps = &m->ramps[i], .options = o,
				   .range = *range, .x = frame_x(m->n, i, c->width), .y = y,
				   .width = frame_width(m->n, c->width), .height = height, .time_labels = true };

		panel_draw(c, &p);
		if (k->view == COMPARE_DIFFERENCE)
			draw_marks(c, k, &p);
	}
}

static double key_frame(struct canvas *c, double x, double y, bool in_a, const char *text)
{
	canvas_colour(c, compare_colour(c->palette.theme, !in_a));
	canvas_box(c, x, y, SWATCH, SWATCH);
	cairo_rectangle(c->cr, x + 0.5, y + 0.5, SWATCH - 1, SWATCH - 1);
	stroke_mark(c, in_a);
	canvas_colour(c, c->palette.muted);
	canvas_text(c, CANVAS_LEFT, x + SWATCH + 7, y + 10, text);
	return x + SWATCH + 7 + canvas_text_width(c, text) + 20;
}

static double key_chance(struct canvas *c, double x, double y, const char *text)
{
	canvas_colour(c, palette_area(c->palette.theme, LAYER_GREY));
	canvas_box(c, x, y, SWATCH, SWATCH);
	canvas_colour(c, c->palette.muted);
	canvas_text(c, CANVAS_LEFT, x + SWATCH + 7, y + 10, text);
	return x + SWATCH + 7 + canvas_text_width(c, text) + 20;
}

static void draw_key(struct canvas *c, const struct compare *k, const struct maps *m, const struct figure_options *o, double y)
{
	char text[64];
	double x = LEFT;

	canvas_font(c, CANVAS_TEXT, false);
	if (k->view == COMPARE_DIFFERENCE) {
		x = key_frame(c, x, y, true, "more in A");
		x = key_frame(c, x, y, false, "more in B");
		snprintf(text, sizeof(text), "may be chance (false discovery rate %g)", k->rate);
		if (x + SWATCH + 7 + canvas_text_width(c, text) > c->width - PLOT_RIGHT)
			snprintf(text, sizeof(text), "may be chance");
		x = key_chance(c, x, y, text);
	}
	caption_key(c, o, m->grid, m->n, x, y);
}

static void draw_footer(struct canvas *c, const struct compare *k, const struct figure_options *o, double y)
{
	double room = c->width - LEFT - PLOT_RIGHT;

	canvas_font(c, CANVAS_TEXT, false);
	canvas_colour(c, c->palette.muted);
	for (int side = 0; side < 2; side++) {
		char total[256], coverage[128], line[400];

		sentence_summary(k->grid[side], o->zone, total, sizeof(total));
		sentence_coverage(k->grid[side], coverage, sizeof(coverage));
		snprintf(line, sizeof(line), "%c: %s; %s", side ? 'B' : 'A', total, coverage);
		if (side && o->version) {
			canvas_text(c, CANVAS_RIGHT, LEFT + room, y + 28, o->version);
			room -= canvas_text_width(c, o->version) + 16;
		}
		canvas_text_within(c, LEFT, y + 11 + 17 * side, room, line);
	}
}

static void draw_compare(struct canvas *c, const struct compare *k, const struct maps *m,
			 const struct figure_options *o)
{
	double top = CAPTION_HEAD + NAMES, footer = c->height - CAPTION_FOOTER - 4;
	double least = top + MAP_MIN + 4 + PLOT_TIME + 6 + CAPTION_KEY + 8;
	unsigned lower_height = compare_lower_height((unsigned)c->width, footer > least ? (unsigned)(footer - least) : 0);
	double lower = footer - lower_height;
	double key = lower - CAPTION_KEY - 8, height = key - 6 - PLOT_TIME - 4 - top;
	struct panel_range range;

	if (height < MAP_MIN) {
		c->err = -EINVAL;
		return;
	}
	canvas_describe(c, o->subtitle, k->view == COMPARE_DIFFERENCE ? "A less B, by time and value" : "A and B, by time and value");
	panel_range(k->grid, 2, o, &range);
	caption_head(c, o, LEFT, c->width - CAPTION_LEGEND_WIDTH - LEFT - 36);
	draw_legend(c, k, m, c->width - PLOT_RIGHT, 14);
	draw_names(c, k, CAPTION_HEAD);
	draw_maps(c, k, m, o, &range, top, height);
	draw_key(c, k, m, o, key);
	compare_draw_lower(c, k, o, &range, lower, lower_height);
	draw_footer(c, k, o, footer);
}

static bool is_valid(const struct compare *k, const struct figure_options *o)
{
	const struct grid *map = k->map;

	for (int side = 0; side < 2; side++)
		if (k->grid[side]->n_cols != map->n_cols || k->grid[side]->n_rows != map->n_rows)
			return false;
	for (size_t i = 0; i < k->n_marks; i++)
		if (k->mark[i].row >= map->n_rows || k->mark[i].to > map->n_cols)
			return false;
	return figure_size_valid(o) && map->layers && map->layers->n == 2 && map->n_cols <= compare_columns(k->view, o->width);
}

int compare_render(const struct compare *k, const struct figure_options *o, __u8 **ret_bytes, size_t *ret_len)
{
	const struct grid *a = k->grid[0];
	struct canvas c;
	struct maps m;
	int err;

	if (!is_valid(k, o))
		return -EINVAL;
	err = maps_make(k, o, &m);
	if (err)
		return err;
	err = canvas_init(&c, o, o->height, a->from_ns + (__s64)(a->col_ns * a->n_cols));
	if (!err) {
		draw_compare(&c, k, &m, o);
		err = canvas_bytes(&c, ret_bytes, ret_len);
		canvas_fini(&c);
	}
	maps_fini(&m);
	return err;
}
