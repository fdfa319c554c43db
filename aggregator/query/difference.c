#include "aggregator/query/difference.h"

#include "collector/core/saturating.h"
#include "render/color/hue.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SPANS_LEAST 6

/* ---- grids ---- */

static size_t row_within(const struct grid *rows, __u64 low, __u64 high)
{
	size_t row = 0;

	while (row < rows->n_rows && !(low >= rows->edge[row] && high <= rows->edge[row + 1]))
		row++;
	return row;
}

int difference_align(const struct grid *g, const struct grid *rows, struct grid **ret_grid)
{
	struct grid shape = *g, *to;
	int err = 0;

	shape.n_rows = rows->n_rows;
	shape.edge = rows->edge;
	to = grid_like(&shape);
	if (!to)
		return -ENOMEM;
	for (size_t row = 0; row < g->n_rows && !err; row++)
		for (size_t col = 0, at = row_within(rows, g->edge[row], g->edge[row + 1]); col < g->n_cols && !err; col++) {
			if (g->cell[row * g->n_cols + col] && at == rows->n_rows)
				err = -EINVAL;
			else if (at < rows->n_rows)
				to->cell[at * g->n_cols + col] += g->cell[row * g->n_cols + col];
		}
	if (err)
		grid_free(to);
	else
		*ret_grid = to;
	return err;
}

static bool comparable(const struct grid *a, const struct grid *b)
{
	return a->n_cols == b->n_cols && a->n_rows == b->n_rows && a->col_ns == b->col_ns && !a->point && !b->point && !a->weight &&
	       !b->weight && !memcmp(a->edge, b->edge, (a->n_rows + 1) * sizeof(*a->edge));
}

/* ---- cells ---- */

static double share_of(const struct grid *g, size_t row, size_t col)
{
	__u64 all = g->column[col].count;

	return all ? (double)g->cell[row * g->n_cols + col] * DIFFERENCE_WHOLE / (double)all : 0;
}

static double cell_of(const struct grid *g, enum difference_per per, size_t row, size_t col)
{
	return per == DIFFERENCE_SHARE ? share_of(g, row, col) : (double)g->cell[row * g->n_cols + col];
}

static struct grid *as_compared(const struct grid *g, enum difference_per per)
{
	struct grid *to = grid_like(g);

	for (size_t row = 0; to && row < g->n_rows; row++)
		for (size_t col = 0; col < g->n_cols; col++)
			to->cell[row * g->n_cols + col] = (__u64)llround(cell_of(g, per, row, col));
	return to;
}

static bool is_seen(const struct grid *g, size_t col)
{
	return grid_column_state(&g->column[col]) != GRID_UNOBSERVED;
}

/* Can the two be compared in this column? */
static bool is_compared(const struct grid *a, const struct grid *b, enum difference_per per, size_t col)
{
	return is_seen(a, col) && is_seen(b, col) && (per == DIFFERENCE_COUNT || (a->column[col].count && b->column[col].count));
}

/* Joins the data of both columns except their cells; a column that only one of both observed counts as not observed. */
static void join_column(const struct grid *a, const struct grid *b, size_t col, struct grid_column *to)
{
	const struct grid_column *x = &a->column[col], *y = &b->column[col];

	*to = (struct grid_column){
		.count = saturating_add(x->count, y->count), .sum = saturating_add(x->sum, y->sum),
		.lost = saturating_add(x->lost, y->lost),
		.n_reporting = x->n_reporting + y->n_reporting, .n_expected = x->n_expected + y->n_expected,
		.marks = x->marks | y->marks, .every = x->every > y->every ? x->every : y->every,
	};
	if (is_seen(a, col) && is_seen(b, col))
		return;
	*to = (struct grid_column){ .n_expected = to->n_expected ? to->n_expected : 1 };
}

static struct grid *map_of(const struct grid *a, const struct grid *b, enum difference_per per)
{
	struct grid *map = grid_like(a);

	if (!map)
		return NULL;
	for (size_t col = 0; col < a->n_cols; col++)
		join_column(a, b, col, &map->column[col]);
	for (size_t row = 0; row < a->n_rows; row++)
		for (size_t col = 0; col < a->n_cols; col++)
			if (is_compared(a, b, per, col))
				map->cell[row * a->n_cols + col] =
					(__u64)llround(fabs(cell_of(a, per, row, col) - cell_of(b, per, row, col)));
	map->all.count = a->all.count + b->all.count;
	map->all.lost = a->all.lost + b->all.lost;
	return map;
}

/* ---- the counts to test ---- */

struct counts {				/* per column */
	size_t n_cols, n_rows, n_across;
	struct pair *row;		/* row[r * n_cols + col] */
	struct pair *events;		/* of all rows */
	struct pair *known_ns;		/* of columns that are wholly known */
	struct pair *base;		/* the denominator of the rows' shares: one of the two above */
	struct pair every;		/* how many events one stands for, on average */
	struct pair least;		/* the rows' least dispersion */
};

static void counts_fini(struct counts *c)
{
	free(c->row);
	free(c->events);
	free(c->known_ns);
}

static bool is_known(const struct grid *g, size_t col)
{
	enum grid_state state = grid_column_state(&g->column[col]);

	return (state == GRID_OK || state == GRID_ZERO) && !(g->column[col].marks & GRID_IN_PROGRESS);
}

static double every_of(const struct grid *g)
{
	double n = 0, stands_for = 0;

	for (size_t col = 0; col < g->n_cols; col++) {
		n += (double)g->column[col].count;
		stands_for += (double)g->column[col].count * fmax(g->column[col].every, 1);
	}
	return n > 0 ? stands_for / n : 1;
}

static int counts_init(struct counts *c, const struct grid *a, const struct grid *b, enum difference_per per)
{
	size_t n = a->n_cols, across = n / DIFFERENCE_BLOCKS;

	*c = (struct counts){ .n_cols = n, .n_rows = a->n_rows, .row = calloc(n * a->n_rows, sizeof(*c->row)),
			      .n_across = across < 1 ? 1 : across > DIFFERENCE_ACROSS ? DIFFERENCE_ACROSS : across,
			      .events = calloc(n, sizeof(*c->events)), .known_ns = calloc(n, sizeof(*c->known_ns)) };
	if (!c->row || !c->events || !c->known_ns)
		return -ENOMEM;
	for (size_t i = 0; i < n * a->n_rows; i++)
		c->row[i] = (struct pair){ (double)a->cell[i], (double)b->cell[i] };
	for (size_t col = 0; col < n; col++) {
		c->events[col] = (struct pair){ (double)a->column[col].count, (double)b->column[col].count };
		c->known_ns[col] = (struct pair){ is_known(a, col) ? (double)a->col_ns : 0, is_known(b, col) ? (double)b->col_ns : 0 };
	}
	c->every = (struct pair){ every_of(a), every_of(b) };
	c->base = per == DIFFERENCE_SHARE ? c->events : c->known_ns;
	return 0;
}

/* In columns where the base is unknown, clears the counts. */
static void counts_clear_unknown(struct counts *c)
{
	for (size_t i = 0; i < c->n_rows * c->n_cols; i++) {
		const struct pair *base = &c->base[i % c->n_cols];

		c->row[i] = (struct pair){ base->in > 0 ? c->row[i].in : 0, base->out > 0 ? c->row[i].out : 0 };
	}
}

static size_t patch_from(const struct counts *c, size_t i)
{
	return i * c->n_cols / c->n_across;
}

static struct pair sum_of(const struct pair *p, size_t from, size_t to)
{
	struct pair sum = { 0, 0 };

	for (; from < to; from++) {
		sum.in += p[from].in;
		sum.out += p[from].out;
	}
	return sum;
}

/* Finds the dispersion over all rows together and all columns: a rare value has too few events for its own. */
static int find_least(struct counts *c)
{
	const struct pair **row = calloc(c->n_rows, sizeof(*row));
	struct pair spread;

	if (!row)
		return -ENOMEM;
	for (size_t r = 0; r < c->n_rows; r++)
		row[r] = c->row + r * c->n_cols;
	spread = contrast_spread(row, c->n_rows, c->base, c->n_cols);
	c->least = (struct pair){ fmax(spread.in, c->every.in), fmax(spread.out, c->every.out) };
	free(row);
	return 0;
}

/* ---- the test ---- */

static const struct pair of_shares = { -1, -1 };	/* instead of squared scores */

static void thin(struct pair *sum, struct pair *base, size_t n, struct pair factor)
{
	for (size_t i = 0; i < n; i++) {
		sum[i] = (struct pair){ sum[i].in * factor.in, sum[i].out * factor.out };
		base[i] = (struct pair){ base[i].in * factor.in, base[i].out * factor.out };
	}
}

/* Thins the larger of both to as many events as the smaller.  Otherwise both together, from which the effect of chance
 * is estimated, would be nearly the larger alone, and a plain difference of the smaller would pass as its own
 * variation.  Leaves the arrays thinned. */
static void test_evenly(struct pair *sum, struct pair *base, size_t n, struct pair square, struct pair least,
			struct contrast *ret)
{
	struct pair events = sum_of(base, 0, n), sums = sum_of(sum, 0, n), factor = { 1, 1 };

	if (events.in > 0 && events.out > 0)
		factor = (struct pair){ fmin(events.out / events.in, 1), fmin(events.in / events.out, 1) };
	thin(sum, base, n, factor);
	contrast_test(sum, base, n, square.in < 0 ? -1 : square.in * factor.in + square.out * factor.out, least, ret);
	ret->sum = sums;
	ret->events = events;
	ret->excess = sums.in - events.in * ret->mean.out;
}

/* ---- patches ---- */

/* room: scratch for two rows of columns. */
static void test_patch(const struct counts *c, size_t row, size_t i, struct pair *room, struct patch *p)
{
	size_t n;

	*p = (struct patch){ .row = row, .from = patch_from(c, i), .to = patch_from(c, i + 1), .q = 1 };
	n = p->to - p->from;
	memcpy(room, c->row + row * c->n_cols + p->from, n * sizeof(*room));
	memcpy(room + n, c->base + p->from, n * sizeof(*room));
	test_evenly(room, room + n, n, of_shares, c->least, &p->c);
}

/* A patch without events, or with only one block, is not tested. */
static bool is_test(const struct contrast *c)
{
	return c->df && c->events.in > 0 && c->events.out > 0 && c->sum.in + c->sum.out > 0;
}

static int adjust_patches(struct difference *d)
{
	double *p = calloc(2 * d->n_patches + 1, sizeof(*p)), *q = p + d->n_patches;
	int err = p ? 0 : -ENOMEM;

	for (size_t i = 0; i < d->n_patches && !err; i++)
		if (is_test(&d->patch[i].c))
			p[d->n_tests++] = d->patch[i].c.p;
	if (!err)
		err = contrast_adjust(p, d->n_tests, q);
	for (size_t i = 0, test = 0; i < d->n_patches && !err; i++) {
		if (is_test(&d->patch[i].c))
			d->patch[i].q = q[test++];
		d->patch[i].significant = d->patch[i].q <= DIFFERENCE_Q;
		d->n_significant += d->patch[i].significant;
	}
	free(p);
	return err;
}

static int test_patches(struct difference *d, const struct counts *c)
{
	struct pair *room = calloc(2 * c->n_cols, sizeof(*room));
	int err;

	d->n_across = c->n_across;
	d->n_patches = c->n_rows * c->n_across;
	d->patch = calloc(d->n_patches, sizeof(*d->patch));
	err = room && d->patch ? 0 : -ENOMEM;
	for (size_t row = 0; row < c->n_rows && !err; row++)
		for (size_t i = 0; i < c->n_across; i++)
			test_patch(c, row, i, room, &d->patch[row * c->n_across + i]);
	free(room);
	return err ? err : adjust_patches(d);
}

/* ---- layers ---- */

/* Collects the cells of significant patches that differ in this direction. */
static size_t collect(const struct difference *d, const struct grid *a, const struct grid *b, enum difference_layer which,
		      struct layer_cell *out)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n_patches; i++) {
		const struct patch *p = &d->patch[i];
		bool more_in_a = p->c.mean.in > p->c.mean.out;

		for (size_t col = p->from; p->significant && col < p->to; col++) {
			double x = cell_of(a, d->per, p->row, col), y = cell_of(b, d->per, p->row, col);
			__u64 size = d->map->cell[p->row * d->map->n_cols + col];

			if (size && more_in_a == (which == DIFFERENCE_MORE_IN_A) && more_in_a == (x > y))
				out[n++] = (struct layer_cell){ (__u32)p->row, (__u32)col, size };
		}
	}
	return n;
}

static int make_layers(struct difference *d, const struct grid *a, const struct grid *b)
{
	static const char *const name[] = { "more in A", "more in B" };
	struct layer_cell *cell = calloc(d->map->n_rows * d->map->n_cols, sizeof(*cell));
	struct layers *l = layers_new(DIFFERENCE_LAYERS);
	int err = cell && l ? 0 : -ENOMEM;

	for (int i = 0; i < DIFFERENCE_LAYERS && !err; i++) {
		size_t n = collect(d, a, b, (enum difference_layer)i, cell);

		err = layer_fill(&l->layer[i], d->map, name[i], cell, n);
		l->layer[i].hue = i == DIFFERENCE_MORE_IN_A ? HUE_A : HUE_B;
	}
	free(cell);
	if (err) {
		layers_free(l);
		return err;
	}
	l->rest_hue = LAYER_GREY;
	d->map->layers = l;
	return 0;
}

/* ---- lines ---- */

/* Of a sum that saturated there is no mean. */
static double mean_of(const struct grid_summary *all)
{
	return saturated((double)all->sum) ? NAN : all->count ? (double)all->sum / (double)all->count : 0;
}

static void settle_lines(struct difference *d, const struct grid *a, const struct grid *b)
{
	const struct grid_summary *x = &a->all, *y = &b->all;
	const __u64 of_a[] = { x->p50, x->p90, x->p99, x->p999 }, of_b[] = { y->p50, y->p90, y->p99, y->p999 };

	d->line[LINE_EVENTS].a = (double)x->count;
	d->line[LINE_EVENTS].b = (double)y->count;
	d->line[LINE_MEAN].a = mean_of(x);
	d->line[LINE_MEAN].b = mean_of(y);
	for (int i = 0; i < 4; i++) {
		d->line[LINE_P50 + i].a = (double)of_a[i];
		d->line[LINE_P50 + i].b = (double)of_b[i];
	}
}

/* Without events a side has neither a mean nor percentiles; if it was not observed its number of events is unknown. */
static void clear_unknown_lines(struct difference *d, const struct grid *a, const struct grid *b)
{
	for (int i = 0; i < DIFFERENCE_LINES; i++) {
		struct difference_line *line = &d->line[i];

		if (!a->all.count && (i != LINE_EVENTS || !(grid_observed(a) > 0)))
			line->a = NAN;
		if (!b->all.count && (i != LINE_EVENTS || !(grid_observed(b) > 0)))
			line->b = NAN;
		if (isnan(line->a) || isnan(line->b))
			line->c.df = 0;
	}
}

/* Columns added up to the blocks with which lines are tested: few enough that slow changes show between them, too. */
struct spans {
	size_t n;
	struct pair sum[DIFFERENCE_SPANS], base[DIFFERENCE_SPANS];
};

static void span_add(struct spans *s, size_t n_cols, size_t col, struct pair sum, struct pair base)
{
	size_t at = col * s->n / n_cols;

	s->sum[at].in += base.in > 0 ? sum.in : 0;
	s->sum[at].out += base.out > 0 ? sum.out : 0;
	s->base[at].in += base.in;
	s->base[at].out += base.out;
}

static struct spans spans_begin(const struct counts *c)
{
	return (struct spans){ .n = c->n_cols < DIFFERENCE_SPANS ? c->n_cols : DIFFERENCE_SPANS };
}

/* Joins neighbouring spans, if their number is even. */
static void spans_join(struct spans *s)
{
	s->n /= 2;
	for (size_t i = 0; i < s->n; i++) {
		s->sum[i] = sum_of(s->sum, 2 * i, 2 * i + 2);
		s->base[i] = sum_of(s->base, 2 * i, 2 * i + 2);
	}
}

/* Tests with longer and longer spans: slow changes show between the longer ones only. */
static void test_spans(struct spans *s, const struct counts *c, struct pair square, struct difference_line *line)
{
	struct spans even = *s;

	test_evenly(even.sum, even.base, even.n, square, c->every, &line->c);
	while (s->n % 2 == 0 && s->n / 2 >= SPANS_LEAST) {
		struct contrast longer;

		spans_join(s);
		even = *s;
		test_evenly(even.sum, even.base, even.n, square, c->every, &longer);
		if (longer.df && longer.p > line->c.p)
			line->c = longer;
	}
}

static void test_events(const struct counts *c, struct difference_line *line)
{
	struct spans s = spans_begin(c);

	for (size_t col = 0; col < c->n_cols; col++)
		span_add(&s, c->n_cols, col, c->events[col], c->known_ns[col]);
	test_spans(&s, c, of_shares, line);
}

static double middle_of(const struct grid *g, size_t row)
{
	return ((double)g->edge[row] + (double)grid_row_last(g, row)) / 2;
}

static void test_mean(const struct grid *a, const struct grid *b, const struct counts *c, struct difference_line *line)
{
	struct spans s = spans_begin(c);
	struct pair square = { 0, 0 };

	for (size_t col = 0; col < c->n_cols; col++)
		span_add(&s, c->n_cols, col, (struct pair){ (double)a->column[col].sum, (double)b->column[col].sum }, c->events[col]);
	for (size_t row = 0; row < c->n_rows; row++)
		for (size_t col = 0; col < c->n_cols; col++) {
			size_t at = row * c->n_cols + col;

			square.in += (double)a->cell[at] * middle_of(a, row) * middle_of(a, row);
			square.out += (double)b->cell[at] * middle_of(b, row) * middle_of(b, row);
		}
	test_spans(&s, c, square, line);
}

/* Finds the first row above the middle of A's and B's percentiles, at the nearest edge with events on either side:
 * if the percentiles differ, one of them has more events above it than the other. */
static size_t row_above(const struct grid *a, const struct grid *b, double middle)
{
	double all = (double)a->all.count + (double)b->all.count, below = 0, best = INFINITY;
	size_t found = 1;

	for (size_t row = 0; row + 1 < a->n_rows; row++) {
		double off = fabs(log((double)a->edge[row + 1] / middle));

		for (size_t col = 0; col < a->n_cols; col++)
			below += (double)a->cell[row * a->n_cols + col] + (double)b->cell[row * a->n_cols + col];
		if (below > 0 && below < all && off < best) {
			best = off;
			found = row + 1;
		}
	}
	return found;
}

static void test_percentile(const struct grid *a, const struct grid *b, const struct counts *c, struct difference_line *line)
{
	size_t first = row_above(a, b, sqrt(fmax(line->a, 1) * fmax(line->b, 1)));
	struct spans s = spans_begin(c);

	for (size_t col = 0; col < c->n_cols; col++) {
		struct pair above = { 0, 0 };

		for (size_t row = first; row < c->n_rows; row++) {
			above.in += (double)a->cell[row * c->n_cols + col];
			above.out += (double)b->cell[row * c->n_cols + col];
		}
		span_add(&s, c->n_cols, col, above, c->events[col]);
	}
	test_spans(&s, c, of_shares, line);
}

static int adjust_lines(struct difference_line line[DIFFERENCE_LINES])
{
	double p[DIFFERENCE_LINES], q[DIFFERENCE_LINES];
	size_t n = 0;
	int err;

	for (int i = 0; i < DIFFERENCE_LINES; i++)
		if (line[i].c.df)
			p[n++] = line[i].c.p;
	err = contrast_adjust(p, n, q);
	n = 0;
	for (int i = 0; i < DIFFERENCE_LINES && !err; i++) {
		line[i].q = line[i].c.df ? q[n++] : 1;
		line[i].significant = line[i].q <= DIFFERENCE_Q;
	}
	return err;
}

static int test_lines(struct difference *d, const struct grid *a, const struct grid *b, const struct counts *c)
{
	settle_lines(d, a, b);
	test_events(c, &d->line[LINE_EVENTS]);
	test_mean(a, b, c, &d->line[LINE_MEAN]);
	for (int i = LINE_P50; i <= LINE_P999; i++)
		test_percentile(a, b, c, &d->line[i]);
	clear_unknown_lines(d, a, b);
	return adjust_lines(d->line);
}

/* ---- making and freeing ---- */

static int test_all(struct difference *d, const struct grid *a, const struct grid *b)
{
	struct counts c;
	int err = counts_init(&c, a, b, d->per);

	if (!err) {
		counts_clear_unknown(&c);
		err = find_least(&c);
	}
	if (!err)
		err = test_patches(d, &c);
	if (!err)
		err = test_lines(d, a, b, &c);
	counts_fini(&c);
	return err;
}

int difference_make(const struct grid *a, const struct grid *b, enum difference_per per, struct difference *ret)
{
	struct difference d = { .per = per };
	int err = comparable(a, b) ? 0 : -EINVAL;

	if (err)
		return err;
	d.a = as_compared(a, per);
	d.b = as_compared(b, per);
	d.map = map_of(a, b, per);
	err = d.a && d.b && d.map ? test_all(&d, a, b) : -ENOMEM;
	if (!err)
		err = make_layers(&d, a, b);
	if (err)
		difference_fini(&d);
	else
		*ret = d;
	return err;
}

void difference_fini(struct difference *d)
{
	grid_free(d->a);
	grid_free(d->b);
	grid_free(d->map);
	free(d->patch);
	*d = (struct difference){ 0 };
}
