#include "cells.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OPAQUE 0xff000000u

static double value_or_inf(__u64 edge)
{
	return edge == GRID_NO_EDGE ? INFINITY : (double)edge;
}

/* Under- and overflow rows have no height on the axis: they are drawn apart. */
static int row_above(const struct cells *c, size_t row)
{
	return c->grid->edge[row + 1] == GRID_NO_EDGE || (double)c->grid->edge[row] >= c->high;
}

static int row_below(const struct cells *c, size_t row)
{
	return value_or_inf(c->grid->edge[row + 1]) <= c->low ||
	       (c->shade->yscale == AXIS_LOG && !c->grid->edge[row]);
}

static __u64 rows_count(const struct cells *c, int (*which)(const struct cells *, size_t))
{
	const struct grid *g = c->grid;
	__u64 sum = 0;

	for (size_t row = 0; row < g->n_rows; row++)
		for (size_t col = 0; which(c, row) && col < g->n_cols; col++)
			sum += g->cell[row * g->n_cols + col];
	return sum;
}

__u64 cells_above(const struct cells *c) { return rows_count(c, row_above); }
__u64 cells_below(const struct cells *c) { return rows_count(c, row_below); }

/* Colours of one band's columns, stretched over the rectangle's width. */
static void paint_band(const struct cells *c, const double *sum, double scale, __u32 *pixel, size_t stride,
		       unsigned width, unsigned height)
{
	size_t n = c->grid->n_cols;
	const double *share = c->shade->share;

	for (size_t col = 0; col < n; col++) {
		double shown = share ? sum[col] * share[col] : grid_shown(c->grid, c->grid->column[col].n_snapshots, sum[col]);
		__u32 rgb = c->palette->colour[shade_density_index(c->shade->level, shown * scale)] | OPAQUE;

		for (size_t x = col * width / n; x < (col + 1) * width / n; x++)
			pixel[x] = rgb;
	}
	for (unsigned y = 1; y < height; y++)
		memcpy(pixel + y * stride, pixel, width * sizeof(*pixel));
}

static void hatch_pixels(const struct cells *c, enum grid_state state, size_t first_x, size_t end_x,
			 __u32 *pixel, size_t stride, unsigned height)
{
	for (unsigned y = 0; y < height; y++)
		for (size_t x = first_x; x < end_x; x++) {
			int line = (x + y) % c->hatch < (c->hatch + 5) / 10;

			if (state == GRID_UNOBSERVED)
				pixel[y * stride + x] = OPAQUE | (line ? c->palette->unobserved_line
								       : c->palette->unobserved);
			else if (line)
				pixel[y * stride + x] = OPAQUE | c->palette->partial;
		}
}

static void hatch(const struct cells *c, __u32 *pixel, size_t stride, unsigned width, unsigned height)
{
	size_t n = c->grid->n_cols;

	for (size_t col = 0; col < n; col++) {
		enum grid_state state = grid_column_state(&c->grid->column[col]);

		if (state == GRID_UNOBSERVED || state == GRID_PARTIAL)
			hatch_pixels(c, state, col * width / n, (col + 1) * width / n, pixel, stride, height);
	}
}

static void fill(__u32 rgb, __u32 *pixel, size_t stride, unsigned width, unsigned height)
{
	for (unsigned y = 0; y < height; y++)
		for (unsigned x = 0; x < width; x++)
			pixel[y * stride + x] = rgb | OPAQUE;
}

static void add_row(const struct cells *c, size_t row, double *sum)
{
	const __u64 *cell = c->grid->cell + row * c->grid->n_cols;

	for (size_t col = 0; col < c->grid->n_cols; col++)
		if (cell[col])
			sum[col] += (double)cell[col] * c->shade->weight[row];
}

static int paint_strip(const struct cells *c, int (*which)(const struct cells *, size_t), __u32 *pixel,
		       size_t stride, unsigned width, unsigned height)
{
	double *sum = calloc(c->grid->n_cols, sizeof(*sum));

	if (!sum)
		return -ENOMEM;
	for (size_t row = 0; row < c->grid->n_rows; row++)
		if (which(c, row))
			add_row(c, row, sum);
	paint_band(c, sum, 1, pixel, stride, width, height);
	hatch(c, pixel, stride, width, height);
	free(sum);
	return 0;
}

int cells_paint_above(const struct cells *c, __u32 *pixel, size_t stride, unsigned width, unsigned height)
{
	return paint_strip(c, row_above, pixel, stride, width, height);
}

int cells_paint_below(const struct cells *c, __u32 *pixel, size_t stride, unsigned width, unsigned height)
{
	return paint_strip(c, row_below, pixel, stride, width, height);
}

/* Pixels from the bottom up to a value, rounded and clamped. */
static unsigned pixels_to(const struct cells *c, __u64 edge, unsigned height)
{
	double at = edge ? axis_at(c->shade->yscale, c->low, c->high, (double)edge) : 0;

	if (c->shade->yscale == AXIS_LINEAR)
		at = axis_at(AXIS_LINEAR, c->low, c->high, (double)edge);
	return at <= 0 ? 0 : at >= 1 ? height : (unsigned)lround(at * height);
}

/* Several rows as one: their sums add, and their heights. */
static double band_scale(const struct cells *c, size_t first, size_t last)
{
	double heights = 0;

	for (size_t row = first; row <= last; row++)
		heights += c->shade->height[row];
	return 1 / heights;
}

/* A run of rows that shares pixels [at, end) from the bottom. */
struct band {
	size_t first, last;
	unsigned at, end;
	double *sum;			/* of each column, weighted */
};

static void band_paint(const struct cells *c, const struct band *b, __u32 *pixel, size_t stride,
		       unsigned width, unsigned height)
{
	unsigned end = b->end > b->at ? b->end : b->at + 1;

	paint_band(c, b->sum, band_scale(c, b->first, b->last), pixel + (height - end) * stride, stride, width,
		   end - b->at);
}

/* Takes one more row.  A band that has its pixel makes way for a new one, unless the top is reached. */
static void band_add(const struct cells *c, struct band *b, size_t row, unsigned height)
{
	if (b->end > b->at && b->end < height) {
		memset(b->sum, 0, c->grid->n_cols * sizeof(*b->sum));
		b->first = row;
		b->at = b->end;
	}
	add_row(c, row, b->sum);
	b->last = row;
	b->end = pixels_to(c, c->grid->edge[row + 1], height);
}

int cells_paint(const struct cells *c, __u32 *pixel, size_t stride, unsigned width, unsigned height)
{
	const struct grid *g = c->grid;
	struct band band = { .sum = calloc(g->n_cols, sizeof(*band.sum)) };
	int open = 0;

	if (!band.sum)
		return -ENOMEM;
	fill(c->palette->zero, pixel, stride, width, height);
	for (size_t row = 0; row < g->n_rows; row++) {
		if (row_above(c, row) || row_below(c, row))
			continue;
		if (!open) {
			band.first = row;
			band.at = band.end = pixels_to(c, g->edge[row], height);
			if (band.at == height)
				band.at--;
			open = 1;
		}
		band_add(c, &band, row, height);
		if (band.end > band.at)
			band_paint(c, &band, pixel, stride, width, height);
	}
	if (open && band.end == band.at)
		band_paint(c, &band, pixel, stride, width, height);
	hatch(c, pixel, stride, width, height);
	free(band.sum);
	return 0;
}
