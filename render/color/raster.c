#include "render/color/raster.h"
#include "render/color/shade.h"
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

int raster_init(struct raster *r)
{
	r->density = calloc(r->n_rows * r->n_cols, sizeof(*r->density));
	r->sum = calloc(r->n_cols, sizeof(*r->sum));
	return r->density && r->sum ? 0 : -ENOMEM;
}

void raster_fini(struct raster *r)
{
	free(r->density);
	free(r->sum);
	r->density = r->sum = NULL;
}

void raster_clear(struct raster *r)
{
	memset(r->density, 0, r->n_rows * r->n_cols * sizeof(*r->density));
	memset(r->sum, 0, r->n_cols * sizeof(*r->sum));
}

double raster_along(const struct raster *r, __u64 value)
{
	return r->yscale == AXIS_LINEAR ? (double)value : value ? log2((double)value) : 0;
}

/* --- rows ------------------------------------------------------------------------------------- */

/* The part of a bucket in one row. */
struct part {
	size_t row;
	double share;			/* of the bucket */
};

/* Walks through the rows that a bucket overlaps, from the foot up. */
struct spread {
	double low, high;		/* in rows */
	size_t next, end;
};

/* Moves an edge that rounding put very near the edge of a row onto that edge: then no part of a bucket is in the next
 * row. */
static double snap_to_edge(double rows)
{
	double whole = round(rows);

	return fabs(rows - whole) < 1e-9 ? whole : rows;
}

static struct spread spread_of(const struct raster *r, const struct grid *g, size_t row)
{
	__u64 last = grid_row_last(g, row);
	double size = (r->high - r->low) / r->n_rows;
	struct spread s = {
		.low = (raster_along(r, g->edge[row]) - r->low) / size,
		.high = (raster_along(r, last + (last != GRID_NO_EDGE)) - r->low) / size,
	};

	if (snap_to_edge(s.high) > snap_to_edge(s.low)) {
		s.low = snap_to_edge(s.low);
		s.high = snap_to_edge(s.high);
	}
	if (s.high <= 0 || s.low >= r->n_rows || s.high <= s.low)
		return s;
	s.next = s.low > 0 ? (size_t)s.low : 0;
	s.end = s.high < r->n_rows ? (size_t)ceil(s.high) : r->n_rows;
	return s;
}

static int spread_next(struct spread *s, struct part *ret)
{
	while (s->next < s->end) {
		size_t row = s->next++;
		double bottom = s->low > row ? s->low : row, top = s->high < row + 1 ? s->high : row + 1;

		if (top > bottom) {
			*ret = (struct part){ row, (top - bottom) / (s->high - s->low) };
			return 1;
		}
	}
	return 0;
}

double raster_share(const struct raster *r, const struct grid *g, size_t row, size_t at)
{
	struct spread s = spread_of(r, g, row);
	struct part part;

	if (at < s.next || at >= s.end)
		return 0;
	s.next = at;
	s.end = at + 1;
	return spread_next(&s, &part) ? part.share : 0;
}

static double row_weight(const struct raster *r, const struct grid *g, size_t row)
{
	return r->weighted ? shade_middle(g, row) : 1;
}

/* --- cells ------------------------------------------------------------------------------------ */

/* The divisor for the sum of columns from..end: their number, or in a point grid the number of slots that were observed
 * in them. */
static double column_divisor(const struct grid *g, size_t from, size_t end)
{
	__u64 n = 0;

	for (size_t col = from; g->point && col < end; col++)
		n += g->column[col].n_snapshots;
	return g->point ? n ? (double)n : 1 : (double)(end - from);
}

/* The columns of the grid that each raster column stands for, and the divisor for their sum. */
struct folding {
	size_t *end;			/* one after its last; its first is the end of the previous one */
	double *per;
	bool alone;			/* each stands for one column: divide nothing */
};

static void folding_fini(struct folding *f)
{
	free(f->end);
	free(f->per);
}

static int folding_init(struct folding *f, const struct grid *g, size_t n_out)
{
	size_t from = 0;

	f->end = malloc(n_out * sizeof(*f->end));
	f->per = malloc(n_out * sizeof(*f->per));
	if (!f->end || !f->per) {
		folding_fini(f);
		return -ENOMEM;
	}
	f->alone = g->n_cols == n_out && !g->point;
	for (size_t x = 0; x < n_out; x++) {
		f->end[x] = (x + 1) * g->n_cols / n_out;
		f->per[x] = column_divisor(g, from, f->end[x]);
		from = f->end[x];
	}
	return 0;
}

static bool is_empty(const __u64 *cell, size_t n)
{
	__u64 used = 0;

	for (size_t i = 0; i < n; i++)
		used |= cell[i];
	return !used;
}

/* Computes one row of the grid as weighted means per raster column, and adds them to the sums of the columns. */
static void mean_columns(const struct folding *f, const __u64 *cell, double weight, double *out, double *sums, size_t n_out)
{
	for (size_t x = 0, col = 0; x < n_out; x++) {
		__u64 sum = cell[col++];

		while (col < f->end[x])
			sum += cell[col++];
		out[x] = (double)sum * weight / f->per[x];
		sums[x] += out[x];
	}
}

/* The same if each raster column stands for one column: there is nothing to divide. */
static void weigh_columns(const __u64 *cell, double weight, double *out, double *sums, size_t n)
{
	for (size_t x = 0; x < n; x++) {
		out[x] = (double)cell[x] * weight;
		sums[x] += out[x];
	}
}

static void add_dense(struct raster *r, struct spread s, const double *column)
{
	struct part part;

	while (spread_next(&s, &part)) {
		double *out = r->density + part.row * r->n_cols;

		for (size_t i = 0; i < r->n_cols; i++)
			out[i] += part.share * column[i];
	}
}

int raster_add_cells(struct raster *r, const struct grid *g, const __u64 *cell)
{
	double *column = malloc(r->n_cols * sizeof(*column));
	struct folding f;
	int err = column ? folding_init(&f, g, r->n_cols) : -ENOMEM;

	for (size_t row = 0; !err && row < g->n_rows; row++, cell += g->n_cols) {
		if (is_empty(cell, g->n_cols))
			continue;
		if (f.alone)
			weigh_columns(cell, row_weight(r, g, row), column, r->sum, r->n_cols);
		else
			mean_columns(&f, cell, row_weight(r, g, row), column, r->sum, r->n_cols);
		add_dense(r, spread_of(r, g, row), column);
	}
	if (!err)
		folding_fini(&f);
	free(column);
	return err;
}

/* --- layers ----------------------------------------------------------------------------------- */

/* A few columns of one row. */
struct sparse {
	size_t n;
	size_t *at;
	double *value;
};

/* The raster column of a grid's column: the inverse of [x * n / n_out, (x + 1) * n / n_out). */
static size_t raster_column(size_t col, size_t n, size_t n_out)
{
	return ((col + 1) * n_out - 1) / n;
}

static void fold_layer_row(const struct raster *r, const struct grid *g, const struct layer *l, size_t row,
			   struct sparse *out)
{
	double weight = row_weight(r, g, row);

	out->n = 0;
	for (size_t i = l->row[row]; i < l->row[row + 1]; i++) {
		size_t x = raster_column(l->cell[i].col, g->n_cols, r->n_cols);
		size_t from = x * g->n_cols / r->n_cols, end = (x + 1) * g->n_cols / r->n_cols;

		if (!out->n || out->at[out->n - 1] != x) {
			out->at[out->n] = x;
			out->value[out->n++] = 0;
		}
		out->value[out->n - 1] += (double)l->cell[i].count * weight / column_divisor(g, from, end);
	}
}

static void add_sparse(struct raster *r, struct spread s, const struct sparse *row)
{
	struct part part;

	for (size_t i = 0; i < row->n; i++)
		r->sum[row->at[i]] += row->value[i];
	while (spread_next(&s, &part))
		for (size_t i = 0; i < row->n; i++)
			r->density[part.row * r->n_cols + row->at[i]] += part.share * row->value[i];
}

int raster_add_layer(struct raster *r, const struct grid *g, const struct layer *l)
{
	struct sparse row = { .at = malloc(r->n_cols * sizeof(*row.at)), .value = malloc(r->n_cols * sizeof(*row.value)) };
	int err = row.at && row.value ? 0 : -ENOMEM;

	for (size_t i = 0; i < g->n_rows && !err; i++) {
		if (l->row[i] == l->row[i + 1])
			continue;
		fold_layer_row(r, g, l, i, &row);
		add_sparse(r, spread_of(r, g, i), &row);
	}
	free(row.at);
	free(row.value);
	return err;
}

void raster_percent(struct raster *r, const double *sum)
{
	for (size_t row = 0; row < r->n_rows; row++)
		for (size_t i = 0; i < r->n_cols; i++)
			if (sum[i] > 0)
				r->density[row * r->n_cols + i] *= 100 / sum[i];
}
