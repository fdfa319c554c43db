#include "test/kit/render_kit.h"
#include "render/color/hue.h"
#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct grid *kit_grid(size_t n_cols, size_t n_rows, const __u64 *edge)
{
	struct grid *g = grid_new(n_cols, n_rows);

	if (!g)
		abort();
	for (size_t i = 0; i <= n_rows; i++)
		g->edge[i] = edge[i];
	for (size_t col = 0; col < n_cols; col++)
		g->column[col].n_reporting = g->column[col].n_expected = 1;
	g->from_ns = 1795269600000000000;		/* 2026-11-21 14:00 UTC */
	g->col_ns = g->slot_ns = 1000000000;
	g->n_sources = 1;
	g->unit = "ns";
	g->weight_unit = "queries";
	return g;
}

void kit_add(struct grid *g, size_t col, size_t row, __u64 count)
{
	struct grid_column *c = &g->column[col];
	__u64 last = grid_row_last(g, row);

	if (!count)
		return;
	g->cell[row * g->n_cols + col] += count;
	c->min = c->count && c->min < g->edge[row] ? c->min : g->edge[row];
	c->max = c->max > last ? c->max : last;
	c->count += count;
	c->sum += count * g->edge[row];
	g->all.count += count;
	g->all.sum += count * g->edge[row];
	g->all.max = g->all.max > last ? g->all.max : last;
}

void kit_finish(struct grid *g)
{
	struct grid *same;

	if (grid_fold(g, 1, &same))
		abort();
	for (size_t col = 0; col < g->n_cols; col++) {
		g->column[col].p50 = same->column[col].p50;
		g->column[col].p90 = same->column[col].p90;
		g->column[col].p99 = same->column[col].p99;
	}
	grid_free(same);
}

static double uniform(unsigned long long *seed)
{
	*seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
	return (double)(*seed >> 11) / (1ull << 53);
}

static double normal(unsigned long long *seed)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += uniform(seed);
	return sum;
}

static size_t row_of(const struct grid *g, double value)
{
	size_t low = 0, high = g->n_rows;

	while (high - low > 1) {
		size_t middle = (low + high) / 2;

		if ((double)g->edge[middle] <= value)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static void kit_column(struct grid *g, size_t col, double slower, unsigned long long *seed)
{
	double t = (double)col / g->n_cols, busy = 0.6 + 0.4 * sin(t * 19);
	int pile_up = t > 0.35 && t < 0.5;

	for (int i = 0; i < 250 * busy; i++)
		kit_add(g, col, row_of(g, slower * 180e3 * exp(0.35 * normal(seed))), 1);
	for (int i = 0; i < 60 * busy; i++)
		kit_add(g, col, row_of(g, slower * (pile_up ? 9e6 * exp((t - 0.35) * 18) : 6e6) * exp(0.25 * normal(seed))), 1);
	for (int i = 0; pile_up && i < 25; i++)
		kit_add(g, col, row_of(g, slower * 1.2e9 * exp(0.1 * normal(seed)) * (0.3 + uniform(seed))), 1);
	if (uniform(seed) < 0.03)
		kit_add(g, col, row_of(g, 5e9 * exp(normal(seed))), 1);
}

struct grid *kit_hour(size_t n_cols, unsigned bits, double slower)
{
	__u64 edge[2 + (26 << 5) + 1] = { 0 };
	size_t n = 1;
	unsigned long long seed = 42;
	struct grid *g;

	for (unsigned octave = 10; octave < 36; octave++)
		for (unsigned step = 0; step < 1u << bits; step++)
			edge[n++] = (1ull << octave) + ((__u64)step << octave >> bits);
	edge[n++] = 1ull << 36;
	edge[n] = GRID_NO_EDGE;
	g = kit_grid(n_cols, n, edge);
	for (size_t col = 0; col < n_cols; col++) {
		double t = (double)col / n_cols;
		struct grid_column *c = &g->column[col];

		c->n_expected = 3;
		c->n_reporting = t > 0.62 && t < 0.68 ? 0 : t > 0.80 && t < 0.83 ? 2 : 3;
		if (t > 0.12 && t < 0.13)
			g->all.lost += c->lost = 17;
		if (c->n_reporting && !(t > 0.90 && t < 0.93))
			kit_column(g, col, slower, &seed);
	}
	g->n_sources = 3;
	kit_finish(g);
	return g;
}

/* Of 10 events 6 belong to the row's own key, 3 to the next one, 1 to no key. */
static __u64 share_of(__u64 count, size_t key, size_t own, size_t n)
{
	__u64 first = (count * 6 + 9) / 10, second = (count - first) * 3 / 4;

	return key == own ? first : key == (own + 1) % n ? second : 0;
}

void kit_split(struct grid *g, size_t n)
{
	struct layer_cell *cell = malloc(g->n_rows * g->n_cols * sizeof(*cell));

	g->layers = layers_new(n);
	for (size_t key = 0; key < n; key++) {
		size_t n_cells = 0;
		char name[32];

		for (size_t row = 0; row < g->n_rows; row++)
			for (size_t col = 0; col < g->n_cols; col++) {
				__u64 count = share_of(g->cell[row * g->n_cols + col], key, row * n / g->n_rows, n);

				if (count)
					cell[n_cells++] = (struct layer_cell){ row, col, count };
			}
		snprintf(name, sizeof(name), "key %zu", key);
		if (layer_fill(&g->layers->layer[key], g, name, cell, n_cells))
			abort();
	}
	hue_assign(g->layers);
	free(cell);
}

__u8 *kit_decode(const __u8 *png, size_t len, unsigned *ret_width, unsigned *ret_height)
{
	png_image image;
	__u8 *rgb;

	memset(&image, 0, sizeof(image));
	image.version = PNG_IMAGE_VERSION;
	if (!png_image_begin_read_from_memory(&image, png, len))
		abort();
	image.format = PNG_FORMAT_RGB;
	rgb = malloc(PNG_IMAGE_SIZE(image));
	if (!rgb || !png_image_finish_read(&image, NULL, rgb, 0, NULL))
		abort();
	*ret_width = image.width;
	*ret_height = image.height;
	return rgb;
}

__u32 kit_pixel(const __u8 *rgb, unsigned width, unsigned x, unsigned y)
{
	const __u8 *p = rgb + 3 * ((size_t)y * width + x);

	return (__u32)p[0] << 16 | (__u32)p[1] << 8 | p[2];
}
