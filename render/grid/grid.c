#include "render/grid/grid.h"
#include "render/grid/layer.h"
#include "collector/core/saturating.h"
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct grid *grid_new(size_t n_cols, size_t n_rows)
{
	struct grid *g;

	if (!n_cols || !n_rows || n_rows > SIZE_MAX / sizeof(__u64) / 2 / n_cols)
		return NULL;
	g = calloc(1, sizeof(*g));
	if (!g)
		return NULL;
	g->n_cols = n_cols;
	g->n_rows = n_rows;
	g->unit = g->weight_unit = "";
	g->edge = calloc(n_rows + 1, sizeof(*g->edge));
	g->cell = calloc(n_cols * n_rows, sizeof(*g->cell));
	g->column = calloc(n_cols, sizeof(*g->column));
	if (!g->edge || !g->cell || !g->column) {
		grid_free(g);
		return NULL;
	}
	return g;
}

void grid_free(struct grid *g)
{
	if (!g)
		return;
	layers_free(g->layers);
	annotation_list_free(g->annotations);
	grid_free(g->running);
	free(g->edge);
	free(g->row_name);
	free(g->cell);
	free(g->column);
	free(g);
}

struct grid *grid_like(const struct grid *g)
{
	struct grid *to = grid_new(g->n_cols, g->n_rows);

	if (!to)
		return NULL;
	memcpy(to->edge, g->edge, (g->n_rows + 1) * sizeof(*to->edge));
	memcpy(to->column, g->column, g->n_cols * sizeof(*to->column));
	to->all = g->all;
	to->point = g->point;
	to->from_ns = g->from_ns;
	to->col_ns = g->col_ns;
	to->slot_ns = g->slot_ns;
	to->n_sources = g->n_sources;
	to->unit = g->unit;
	to->latency = g->latency;
	to->weight_unit = g->weight_unit;
	to->weight = g->weight;
	to->annotations = annotation_list_copy(g->annotations);
	if (g->annotations && !to->annotations) {
		grid_free(to);
		return NULL;
	}
	return to;
}

enum grid_state grid_column_state(const struct grid_column *c)
{
	bool any = c->count || c->sum;	/* running exchanges give a column a sum, too, if none ended in it */

	if (c->marks & GRID_IN_PROGRESS)
		return c->lost ? GRID_PARTIAL : any ? GRID_OK : GRID_ZERO;
	if (c->marks & GRID_DROPPED)
		return c->n_reporting ? GRID_PARTIAL : GRID_UNOBSERVED;
	if (c->n_expected && !c->n_reporting)
		return GRID_UNOBSERVED;
	if (c->n_reporting < c->n_expected || c->lost)
		return GRID_PARTIAL;
	if (!c->n_expected)
		return any ? GRID_OK : GRID_UNOBSERVED;
	return any ? GRID_OK : GRID_ZERO;
}

const char *grid_column_word(const struct grid_column *c)
{
	static const char *const name[] = {
		[GRID_OK] = "ok", [GRID_ZERO] = "zero", [GRID_PARTIAL] = "partial", [GRID_UNOBSERVED] = "unobserved",
	};

	if (c->marks & GRID_DROPPED && !c->n_reporting)
		return "dropped";
	return c->marks & GRID_IN_PROGRESS ? "in_progress" : name[grid_column_state(c)];
}

/* Returns which part of a column was reported; -1: it is in progress, and no slot of it is expected yet. */
static double observed_part(const struct grid_column *c)
{
	if (c->n_expected)
		return c->n_reporting < c->n_expected ? (double)c->n_reporting / c->n_expected : 1;
	if (c->marks & GRID_IN_PROGRESS && !c->count && !c->sum)
		return -1;
	return grid_column_state(c) != GRID_UNOBSERVED;
}

double grid_observed(const struct grid *g)
{
	double sum = 0;
	size_t n = 0;

	for (size_t col = 0; col < g->n_cols; col++) {
		double part = observed_part(&g->column[col]);

		sum += part > 0 ? part : 0;
		n += part >= 0;
	}
	return n ? sum / (double)n : 0;
}

__u64 grid_known_ns(const struct grid *g, size_t col)
{
	__s64 known_ns = g->known_to_ns - g->from_ns - (__s64)(col * g->col_ns);

	if (!g->known_to_ns || known_ns >= (__s64)g->col_ns)
		return g->col_ns;
	return known_ns > 0 ? (__u64)known_ns : 0;
}

__u64 grid_least(const struct grid *g)
{
	bool below = g->n_rows > 1 && !g->edge[0] && g->edge[1] > 1 && g->edge[1] != GRID_NO_EDGE;

	return below && !g->row_name && (!g->unit || strcmp(g->unit, "%")) ? g->edge[1] : 0;
}

__u64 grid_row_last(const struct grid *g, size_t row)
{
	__u64 last = g->edge[row + 1];

	if (last != GRID_NO_EDGE)
		return last ? last - 1 : 0;
	return g->all.max > g->edge[row] ? g->all.max : g->edge[row];
}

static void column_add(struct grid_column *to, const struct grid_column *c)
{
	if (c->count && (!to->count || c->min < to->min))
		to->min = c->min;
	if (c->max > to->max)
		to->max = c->max;
	to->count = saturating_add(to->count, c->count);
	to->sum = saturating_add(to->sum, c->sum);
	to->lost = saturating_add(to->lost, c->lost);
	to->n_reporting += c->n_reporting;
	to->n_expected += c->n_expected;
	to->n_snapshots += c->n_snapshots;
	to->marks |= c->marks;
	if (c->every > to->every)
		to->every = c->every;
}

/* The state of a walk up one column: how many events it has passed, and which event is the next percentile. */
struct walk {
	__u64 seen, rank;		/* rank: ceil(p n); larger than all counts if no percentile is left */
	unsigned at;
};

static const unsigned percent[] = { 50, 90, 99 };
#define N_PERCENT (sizeof(percent) / sizeof(*percent))

static __u64 rank_of(__u64 n, unsigned at)
{
	return n && at < N_PERCENT ? n / 100 * percent[at] + (n % 100 * percent[at] + 99) / 100 : GRID_NO_EDGE;
}

/* The row holds the next percentile, and perhaps the ones after it. */
static void walk_reach(const struct grid *g, struct grid_column *c, size_t row, struct walk *w)
{
	__u64 *const value[N_PERCENT] = { &c->p50, &c->p90, &c->p99 };
	__u64 last = grid_row_last(g, row);

	while (w->at < N_PERCENT && w->seen >= w->rank) {
		*value[w->at] = last < c->max ? last : c->max;
		w->rank = rank_of(c->count, ++w->at);
	}
}

/* Row by row, in the order of the cells in memory: column by column took several times as long. */
static int columns_rank(struct grid *g)
{
	struct walk *walk = calloc(g->n_cols, sizeof(*walk));

	if (!walk)
		return -ENOMEM;
	for (size_t col = 0; col < g->n_cols; col++)
		walk[col].rank = rank_of(g->column[col].count, 0);
	for (size_t row = 0; row < g->n_rows; row++)
		for (size_t col = 0; col < g->n_cols; col++) {
			walk[col].seen = saturating_add(walk[col].seen, g->cell[row * g->n_cols + col]);
			if (walk[col].seen >= walk[col].rank)
				walk_reach(g, &g->column[col], row, &walk[col]);
		}
	for (size_t col = 0; col < g->n_cols; col++)
		if (g->weight || walk[col].seen != g->column[col].count)	/* weights have no ranks */
			g->column[col].p50 = g->column[col].p90 = g->column[col].p99 = 0;
	free(walk);
	return 0;
}

/* Sums of k neighbours. */
static void row_fold(const __u64 *cell, size_t n, size_t k, __u64 *to)
{
	for (size_t col = 0, end = k; col < n; end += k) {
		__u64 sum = 0;

		for (; col < end && col < n; col++)
			sum = saturating_add(sum, cell[col]);
		*to++ = sum;
	}
}

int grid_fold(const struct grid *g, size_t k, struct grid **ret_grid)
{
	struct grid *to;
	int err;

	if (!k)
		return -EINVAL;
	to = grid_new((g->n_cols - 1) / k + 1, g->n_rows);
	if (!to)
		return -ENOMEM;
	for (size_t row = 0; row <= g->n_rows; row++)
		to->edge[row] = g->edge[row];
	for (size_t row = 0; row < g->n_rows; row++)
		row_fold(g->cell + row * g->n_cols, g->n_cols, k, to->cell + row * to->n_cols);
	to->all = g->all;
	to->point = g->point;
	to->from_ns = g->from_ns;
	to->col_ns = g->col_ns * k;
	to->slot_ns = g->slot_ns;
	to->n_sources = g->n_sources;
	to->unit = g->unit;
	to->latency = g->latency;
	to->weight_unit = g->weight_unit;
	to->weight = g->weight;
	for (size_t col = 0; col < g->n_cols; col++)
		column_add(&to->column[col / k], &g->column[col]);
	err = columns_rank(to);
	if (!err && g->layers) {
		to->layers = layers_fold(g->layers, to, k);
		err = to->layers ? 0 : -ENOMEM;
	}
	if (!err && g->running)
		err = grid_fold(g->running, k, &to->running);
	if (!err && g->annotations) {
		to->annotations = annotation_list_copy(g->annotations);
		err = to->annotations ? 0 : -ENOMEM;
	}
	if (err) {
		grid_free(to);
		return err;
	}
	*ret_grid = to;
	return 0;
}
