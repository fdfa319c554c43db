#include "render/draw/cells.h"
#include "render/color/hue.h"
#include "render/color/shade.h"
#include "render/grid/stretch.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OPAQUE 0xff000000u

static double value_or_inf(__u64 edge)
{
	return edge == GRID_NO_EDGE ? INFINITY : (double)edge;
}

/* Under- and overflow rows have no height on the axis: they have strips of their own. */
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
	struct cells running = { .grid = g->running, .shade = c->shade, .low = c->low, .high = c->high };
	__u64 sum = g->running ? rows_count(&running, which) : 0;

	for (size_t row = 0; row < g->n_rows; row++)
		for (size_t col = 0; which(c, row) && col < g->n_cols; col++)
			sum += g->cell[row * g->n_cols + col];
	return sum;
}

__u64 cells_above(const struct cells *c) { return rows_count(c, row_above); }
__u64 cells_below(const struct cells *c) { return rows_count(c, row_below); }

/* --- colours of a band: rows first..last as one --------------------------------------------------- */

/* Memory for one value and one colour per column. */
struct scratch {
	double *sum;			/* weighted */
	struct hue_mix *mix;		/* NULL without layers */
	__u32 *rgb;
	struct shade_lookup lookup;
};

static void scratch_fini(struct scratch *s)
{
	free(s->sum);
	free(s->mix);
	free(s->rgb);
}

static int scratch_init(const struct cells *c, struct scratch *s)
{
	size_t n = c->grid->n_cols;

	s->sum = calloc(n, sizeof(*s->sum));
	s->rgb = calloc(n, sizeof(*s->rgb));
	s->mix = c->ramps && c->ramps->ramp ? calloc(n, sizeof(*s->mix)) : NULL;
	shade_lookup_make(&s->lookup, c->shade->level);
	if (s->sum && s->rgb && (s->mix || !c->ramps || !c->ramps->ramp))
		return 0;
	scratch_fini(s);
	return -ENOMEM;
}

static void add_rows(const struct cells *c, const __u64 *cell, size_t first, size_t last, double *sum)
{
	size_t n = c->grid->n_cols;

	memset(sum, 0, n * sizeof(*sum));
	for (size_t row = first; row <= last; row++)
		for (size_t col = 0; col < n; col++)
			sum[col] += (double)cell[row * n + col] * c->shade->weight[row];
}

static unsigned level_of(const struct cells *c, const struct scratch *s, size_t col, double scale)
{
	return shade_lookup_index(&s->lookup, s->sum[col] * scale * (c->shade->share ? c->shade->share[col] : 1));
}

/* Adds the sum of one layer to the mix and sets it to 0. */
static void mix_column(const struct cells *c, size_t col, double scale, const __u32 *ramp, struct scratch *s)
{
	unsigned level = level_of(c, s, col, scale);

	if (level)
		hue_mix_add(&s->mix[col], ramp[level], level / 255.0);
	s->sum[col] = 0;
}

static void mix_layers(const struct cells *c, size_t first, size_t last, double scale, struct scratch *s)
{
	const struct layers *l = c->grid->layers;
	size_t n = c->grid->n_cols;

	memset(s->mix, 0, n * sizeof(*s->mix));
	memset(s->sum, 0, n * sizeof(*s->sum));
	if (c->ramps->rest)
		add_rows(c, c->ramps->rest, first, last, s->sum);
	for (size_t col = 0; c->ramps->rest && col < n; col++)
		mix_column(c, col, scale, c->ramps->ramp[0], s);
	for (size_t i = 0; i < l->n && l->shown != LAYERS_EXCLUDED; i++) {
		const struct layer *layer = &l->layer[i];
		size_t from = layer->row[first], to = layer->row[last + 1];

		for (size_t k = from; k < to; k++)
			s->sum[layer->cell[k].col] += (double)layer->cell[k].count * c->shade->weight[layer->cell[k].row];
		for (size_t k = from; k < to; k++)
			if (s->sum[layer->cell[k].col] > 0)
				mix_column(c, layer->cell[k].col, scale, c->ramps->ramp[i + 1], s);
	}
	for (size_t col = 0; col < n; col++)
		s->rgb[col] = hue_mix_colour(&s->mix[col], c->palette->zero);
}

static void colour_band(const struct cells *c, size_t first, size_t last, double scale, struct scratch *s)
{
	if (s->mix) {
		mix_layers(c, first, last, scale, s);
		return;
	}
	add_rows(c, c->grid->cell, first, last, s->sum);
	for (size_t col = 0; col < c->grid->n_cols; col++)
		s->rgb[col] = c->palette->colour[level_of(c, s, col, scale)];
}

/* --- pixels ----------------------------------------------------------------------------------- */

/* Stretches the colours of one band over the width of the rectangle. */
static void paint_band(size_t n, const __u32 *rgb, __u32 *pixel, size_t stride, unsigned width, unsigned height)
{
	struct stretch s = stretch_begin(n, width);

	for (size_t col = 0, x = 0; col < n; col++)
		for (size_t end = stretch_next(&s); x < end; x++)
			pixel[x] = rgb[col] | OPAQUE;
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

static void hatch_area(const struct cells *c, __u32 *pixel, size_t stride, unsigned width, unsigned height)
{
	size_t n = c->grid->n_cols;

	for (size_t col = 0; col < n; col++) {
		enum grid_state state = grid_column_state(&c->grid->column[col]);

		if (state == GRID_UNOBSERVED || state == GRID_PARTIAL)
			hatch_pixels(c, state, col * width / n, (col + 1) * width / n, pixel, stride, height);
	}
}

static void fill_area(__u32 rgb, __u32 *pixel, size_t stride, unsigned width, unsigned height)
{
	for (unsigned y = 0; y < height; y++)
		for (unsigned x = 0; x < width; x++)
			pixel[y * stride + x] = rgb | OPAQUE;
}

/* Pixels from the bottom up to a value, rounded and clamped. */
static unsigned pixels_to(const struct cells *c, __u64 edge, unsigned height)
{
	double at = edge ? axis_at(c->shade->yscale, c->low, c->high, (double)edge) : 0;

	if (c->shade->yscale == AXIS_LINEAR)
		at = axis_at(AXIS_LINEAR, c->low, c->high, (double)edge);
	return at <= 0 ? 0 : at >= 1 ? height : (unsigned)lround(at * height);
}

/* --- running exchanges ------------------------------------------------------------------------ */

/* Pixels as wide as one cell, [at, end) from the bottom.  It has lines at its ends unless a neighbour joins it. */
struct run {
	size_t col;
	double n;
	unsigned at, end;
	int joined_below, joined_above;
};

/* The distance of hatch lines in pixels: the more queries, the denser, but the cells below stay visible. */
static unsigned hatch_every(const struct cells *c, double n)
{
	return n < 10 ? c->hatch : n < 100 ? c->hatch * 2 / 3 : c->hatch / 2;
}

static void paint_run(const struct cells *c, const struct run *r, __u32 *pixel, size_t stride, unsigned width, unsigned height)
{
	unsigned line = (c->hatch + 5) / 10, every = hatch_every(c, r->n);
	unsigned low = r->joined_below ? 0 : r->at + line, high = r->joined_above ? height : r->end - line;
	size_t n = c->grid->n_cols;

	for (unsigned y = r->at; y < r->end; y++)
		for (size_t x = r->col * width / n; x < (r->col + 1) * width / n; x++)
			if (y < low || y >= high || (x + y) % every < line)
				pixel[(height - 1 - y) * stride + x] = OPAQUE | c->palette->running;
}

static double runs_at(const struct grid *g, size_t row, size_t col)
{
	return row < g->n_rows ? grid_shown(g, g->column[col].n_snapshots, (double)g->cell[row * g->n_cols + col]) : 0;
}

/* The same for running exchanges, which have their own rows. */
static struct cells cells_of_running(const struct cells *c)
{
	struct cells r = *c;

	r.grid = c->grid->running;
	return r;
}

static void paint_running(const struct cells *c, __u32 *pixel, size_t stride, unsigned width, unsigned height)
{
	const struct grid *g = c->grid->running;
	struct cells own = cells_of_running(c);

	for (size_t row = 0; g && row < g->n_rows; row++) {
		unsigned at = pixels_to(c, g->edge[row], height), end = pixels_to(c, g->edge[row + 1], height);

		if (row_above(&own, row) || row_below(&own, row))
			continue;
		at -= at == height;
		for (size_t col = 0; col < g->n_cols; col++) {
			struct run r = { col, runs_at(g, row, col), at, end > at ? end : at + 1,
					 row && runs_at(g, row - 1, col) > 0, runs_at(g, row + 1, col) > 0 };

			if (r.n > 0)
				paint_run(c, &r, pixel, stride, width, height);
		}
	}
}

/* Beyond the range: the whole height of the strip. */
static void paint_running_strip(const struct cells *c, int (*which)(const struct cells *, size_t), __u32 *pixel,
				size_t stride, unsigned width, unsigned height)
{
	const struct grid *g = c->grid->running;
	struct cells own = cells_of_running(c);

	for (size_t col = 0; g && col < g->n_cols; col++) {
		struct run r = { .col = col, .end = height };

		for (size_t row = 0; row < g->n_rows; row++)
			r.n += which(&own, row) ? runs_at(g, row, col) : 0;
		if (r.n > 0)
			paint_run(c, &r, pixel, stride, width, height);
	}
}

static int paint_strip(const struct cells *c, int (*which)(const struct cells *, size_t), __u32 *pixel,
		       size_t stride, unsigned width, unsigned height)
{
	size_t n = c->grid->n_rows, first = 0, last = n;
	struct scratch s;

	while (first < n && !which(c, first))
		first++;
	while (last > first && !which(c, last - 1))
		last--;
	if (scratch_init(c, &s))
		return -ENOMEM;
	fill_area(c->palette->zero, pixel, stride, width, height);
	if (first < last) {		/* these rows are neighbours: the lowest, or the highest */
		colour_band(c, first, last - 1, 1, &s);
		paint_band(c->grid->n_cols, s.rgb, pixel, stride, width, height);
	}
	hatch_area(c, pixel, stride, width, height);
	paint_running_strip(c, which, pixel, stride, width, height);
	scratch_fini(&s);
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

/* Joins several rows into one: it adds their sums, and their heights. */
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
};

static void band_paint(const struct cells *c, const struct band *b, struct scratch *s, __u32 *pixel, size_t stride,
		       unsigned width, unsigned height)
{
	unsigned end = b->end > b->at ? b->end : b->at + 1;

	colour_band(c, b->first, b->last, band_scale(c, b->first, b->last), s);
	paint_band(c->grid->n_cols, s->rgb, pixel + (height - end) * stride, stride, width, end - b->at);
}

/* The band that begins with row `first`: rows join it until it is a pixel high; at the top, all remaining rows do. */
static struct band band_from(const struct cells *c, size_t first, size_t n, unsigned at, unsigned height)
{
	struct band b = { .first = first, .last = first, .at = at, .end = pixels_to(c, c->grid->edge[first + 1], height) };

	while (b.last + 1 < n && (b.end <= b.at || b.end >= height))
		b.end = pixels_to(c, c->grid->edge[++b.last + 1], height);
	return b;
}

int cells_paint(const struct cells *c, __u32 *pixel, size_t stride, unsigned width, unsigned height)
{
	size_t first = 0, n = c->grid->n_rows;
	struct scratch s;
	unsigned at;

	if (scratch_init(c, &s))
		return -ENOMEM;
	fill_area(c->palette->zero, pixel, stride, width, height);
	while (n && row_above(c, n - 1))
		n--;
	while (first < n && row_below(c, first))
		first++;
	at = first < n ? pixels_to(c, c->grid->edge[first], height) : 0;
	at -= at == height;
	while (first < n) {
		struct band b = band_from(c, first, n, at, height);

		band_paint(c, &b, &s, pixel, stride, width, height);
		first = b.last + 1;
		at = b.end;
	}
	hatch_area(c, pixel, stride, width, height);
	paint_running(c, pixel, stride, width, height);
	scratch_fini(&s);
	return 0;
}
