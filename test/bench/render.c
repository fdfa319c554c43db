/* bench_render - how long a heat map takes: reads a matrix, draws it N times, prints ms per picture.
 *
 *      bench_render MATRIX WIDTH HEIGHT N [PNG-PREFIX]
 *
 * MATRIX: u64 n_cols, n_rows, then n_rows + 1 edges in ns, then the counts, row after row.
 * Prints "bare MS" and "figure MS" lines, N of each, and leaves PREFIX-bare.png and PREFIX-figure.png.
 */
#include "render/draw/figure.h"
#include "render/draw/image.h"
#include "render/draw/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SLOT_NS 1000000000ull

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static void columns_sum(struct grid *g)
{
	size_t row, col;

	for (row = 0; row < g->n_rows; row++)
		for (col = 0; col < g->n_cols; col++)
			g->column[col].count += g->cell[row * g->n_cols + col];
	for (col = 0; col < g->n_cols; col++) {
		struct grid_column *c = &g->column[col];

		c->n_reporting = c->n_expected = 1;
		c->max = g->edge[g->n_rows];
		c->p50 = c->p99 = g->edge[g->n_rows / 2];
		g->all.count += c->count;
	}
	g->all.max = g->edge[g->n_rows];
}

static struct grid *grid_read(const char *path)
{
	FILE *f = fopen(path, "rb");
	__u64 shape[2] = { 0, 0 };
	struct grid *g = NULL;
	size_t n;

	if (!f)
		return NULL;
	if (fread(shape, sizeof(shape), 1, f) == 1)
		g = grid_new(shape[0], shape[1]);
	n = shape[0] * shape[1];
	if (g && (fread(g->edge, sizeof(*g->edge), g->n_rows + 1, f) != g->n_rows + 1 ||
		  fread(g->cell, sizeof(*g->cell), n, f) != n)) {
		grid_free(g);
		g = NULL;
	}
	fclose(f);
	if (!g)
		return NULL;
	g->col_ns = g->slot_ns = SLOT_NS;
	g->n_sources = 1;
	g->unit = "ns";
	g->weight_unit = "queries";
	columns_sum(g);
	return g;
}

static int keep(const char *prefix, const char *kind, const __u8 *data, size_t len)
{
	char path[512];
	FILE *f;
	int err;

	snprintf(path, sizeof(path), "%s-%s.png", prefix, kind);
	f = fopen(path, "wb");
	err = !f || fwrite(data, 1, len, f) != len ? -EIO : 0;
	if (f && fclose(f))
		err = -EIO;
	return err;
}

static int draw(const struct grid *g, unsigned width, unsigned height, int bare, __u8 **ret_png, size_t *ret_len)
{
	struct image_options image = { .width = width, .height = height, .n_rows = 100, .ymin = g->edge[0],
				       .ymax = g->edge[g->n_rows], .yscale = AXIS_LOG, .transfer = SHADE_LOG };
	struct figure_options figure;

	if (bare)
		return image_png(g, &image, ret_png, ret_len);
	figure_defaults(&figure);
	figure.width = width;
	figure.height = height + 100;
	figure.title = "MySQL queries";
	return figure_render(g, &figure, ret_png, ret_len);
}

static int bench(const struct grid *g, unsigned width, unsigned height, int n, int bare, const char *prefix)
{
	const char *kind = bare ? "bare" : "figure";
	int i, err = 0;

	for (i = 0; !err && i <= n; i++) {
		double start = now_ms();
		size_t len = 0;
		__u8 *png = NULL;

		err = draw(g, width, height, bare, &png, &len);
		if (!err && i)			/* the first is warming up */
			printf("%s %.4f\n", kind, now_ms() - start);
		if (!err && i == n && prefix)
			err = keep(prefix, kind, png, len);
		free(png);
	}
	return err;
}

int main(int argc, char **argv)
{
	struct grid *g;
	int err;

	memory_keep();			/* as heatscoped does */
	g = argc >= 5 ? grid_read(argv[1]) : NULL;
	if (argc < 5) {
		fprintf(stderr, "usage: bench_render MATRIX WIDTH HEIGHT N [PNG-PREFIX]\n");
		return 2;
	}
	if (!g) {
		fprintf(stderr, "bench_render: %s: no matrix\n", argv[1]);
		return 1;
	}
	err = bench(g, atoi(argv[2]), atoi(argv[3]), atoi(argv[4]), 1, argv[5]);
	if (!err)
		err = bench(g, atoi(argv[2]), atoi(argv[3]), atoi(argv[4]), 0, argv[5]);
	if (err)
		fprintf(stderr, "bench_render: %s\n", strerror(-err));
	grid_free(g);
	return err ? 1 : 0;
}
