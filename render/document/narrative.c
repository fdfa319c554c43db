#include "render/document/narrative.h"
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BINS_MAX 272
#define PER_OCTAVE 4			/* bins, on a log axis */
#define LINEAR_BINS 48			/* from the least value to the greatest */
#define VALLEY 0.5			/* of the lower peak */
#define DEEPER 4			/* than so many standard deviations of the count at a peak */
#define SIGNIFICANT 5			/* standard errors: the choice is from some hundred cuts and some ten bins */
#define SEGMENT_MIN 6			/* columns with events */
#define MINUTE_NS 60000000000ull
#define N_PERCENTILES 3

static const int percentiles[N_PERCENTILES] = { 50, 90, 99 };

/* Bins of neighbouring rows, wide enough to hold enough events for a comparison. */
struct bins {
	size_t n;
	size_t end[BINS_MAX];		/* bin i has the rows end[i - 1] .. end[i] - 1 */
	double low[BINS_MAX], high[BINS_MAX], width[BINS_MAX];
	double count[BINS_MAX];
};

/* ---- bins ---- */

static double row_low(const struct grid *g, size_t row)
{
	return (double)g->edge[row];
}

static double row_high(const struct grid *g, size_t row)
{
	return (double)grid_row_last(g, row) + 1;
}

static double row_count(const struct grid *g, size_t row)
{
	double sum = 0;

	for (size_t col = 0; col < g->n_cols; col++)
		sum += (double)g->cell[row * g->n_cols + col];
	return sum;
}

static double width_of(enum axis_scale scale, double low, double high)
{
	if (scale == AXIS_LINEAR)
		return high - low;
	return log2(high / fmax(low, high / 2));	/* below the ruler: counts as an octave */
}

static double narrowest_row(const struct grid *g, enum axis_scale scale)
{
	return scale == AXIS_LINEAR ? fmax((double)(g->all.max - g->all.min) / LINEAR_BINS, 1) : 1.0 / PER_OCTAVE;
}

static void bins_make(const struct grid *g, enum axis_scale scale, struct bins *b)
{
	double least = narrowest_row(g, scale);

	memset(b, 0, sizeof(*b));
	for (size_t row = 0; row < g->n_rows; row++) {
		size_t i = b->n;

		if (!i || b->width[i - 1] >= least - 1e-9) {
			if (i == BINS_MAX)
				break;
			b->low[b->n++] = row_low(g, row);
		}
		i = b->n - 1;
		b->end[i] = row + 1;
		b->high[i] = fmax(row_high(g, row), b->low[i] + 1);
		b->width[i] = width_of(scale, b->low[i], b->high[i]);
		b->count[i] += row_count(g, row);
	}
	b->end[b->n - 1] = g->n_rows;
}

/* ---- modes ---- */

struct peak {
	size_t at, valley;		/* bins; the valley is below it, at 0 the first bin */
};

static void smooth_bins(const struct bins *b, double *ret)
{
	for (size_t i = 0; i < b->n; i++) {
		double here = b->count[i] / b->width[i];
		double left = i ? b->count[i - 1] / b->width[i - 1] : 0;
		double right = i + 1 < b->n ? b->count[i + 1] / b->width[i + 1] : 0;

		ret[i] = (left + 2 * here + right) / 4;
	}
}

static size_t least_of(const double *density, size_t from, size_t to)
{
	size_t at = from;

	for (size_t i = from; i <= to; i++)
		if (density[i] < density[at])
			at = i;
	return at;
}

/* Finds every bin that is higher than its left neighbour and not lower than its right one. */
static size_t all_peaks(const double *density, size_t n, struct peak *ret)
{
	size_t n_peaks = 0;

	for (size_t i = 0; i < n; i++) {
		size_t end = i;

		while (end + 1 < n && density[end + 1] == density[i])
			end++;
		if (density[i] > 0 && (!i || density[i - 1] < density[i]) && (end + 1 == n || density[end + 1] < density[i])) {
			ret[n_peaks] = (struct peak){ .at = i };
			if (n_peaks)
				ret[n_peaks].valley = least_of(density, ret[n_peaks - 1].at, i);
			n_peaks++;
		}
		i = end;
	}
	return n_peaks;
}

/* The depth of the valley below the lower of two peaks, 0 to 1; 0 if it may be chance. */
static double valley_depth(const struct bins *b, const double *density, const struct peak *low, const struct peak *high)
{
	size_t lower = density[low->at] < density[high->at] ? low->at : high->at;
	double peak = density[lower] * b->width[lower], valley = density[high->valley] * b->width[lower];

	return peak - valley > DEEPER * sqrt(peak) ? 1 - valley / peak : 0;
}

/* Removes the shallowest valley and the lower of its two peaks, again and again, until all valleys are deep. */
static size_t merge_peaks(const struct bins *b, const double *density, struct peak *peak, size_t n)
{
	while (n > 1) {
		size_t worst = 1, gone;
		double least = 2;

		for (size_t i = 1; i < n; i++) {
			double d = valley_depth(b, density, &peak[i - 1], &peak[i]);

			if (d < least) {
				least = d;
				worst = i;
			}
		}
		if (least >= 1 - VALLEY)
			break;
		gone = density[peak[worst].at] < density[peak[worst - 1].at] ? worst : worst - 1;
		memmove(&peak[gone], &peak[gone + 1], (--n - gone) * sizeof(*peak));
		if (gone && gone < n)
			peak[gone].valley = least_of(density, peak[gone - 1].at, peak[gone].at);
	}
	return n;
}

/* The middle of the events around a bin. */
static double middle_around(const struct grid *g, enum axis_scale scale, const struct bins *b, size_t bin)
{
	size_t from = bin > 1 ? b->end[bin - 2] : 0, end = b->end[bin + 1 < b->n ? bin + 1 : bin];
	double sum = 0, weighted = 0;

	for (size_t row = from; row < end; row++) {
		double low = row_low(g, row), high = row_high(g, row), n = row_count(g, row);

		sum += n;
		weighted += n * (scale == AXIS_LINEAR ? (low + high) / 2 : log2(fmax(low, high / 2)) + width_of(scale, low, high) / 2);
	}
	return scale == AXIS_LINEAR ? weighted / sum : exp2(weighted / sum);
}

static int by_share(const void *a, const void *b)
{
	const struct narrative_mode *x = a, *y = b;

	return x->share > y->share ? -1 : x->share < y->share;
}

static int by_value(const void *a, const void *b)
{
	const struct narrative_mode *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

static void find_modes(const struct grid *g, const struct bins *b, enum axis_scale scale, struct narrative *ret)
{
	double density[BINS_MAX], all = 0;
	struct peak peak[BINS_MAX];
	struct narrative_mode mode[BINS_MAX];
	size_t n;

	smooth_bins(b, density);
	n = merge_peaks(b, density, peak, all_peaks(density, b->n, peak));
	for (size_t i = 0; i < b->n; i++)
		all += b->count[i];
	for (size_t i = 0; i < n; i++) {
		size_t end = i + 1 < n ? peak[i + 1].valley : b->n;
		double sum = 0;

		for (size_t bin = i ? peak[i].valley : 0; bin < end; bin++)
			sum += b->count[bin];
		if (scale == AXIS_LOG && !b->low[peak[i].at])
			mode[i] = (struct narrative_mode){ b->high[peak[i].at], sum / all, 1 };
		else
			mode[i] = (struct narrative_mode){ middle_around(g, scale, b, peak[i].at), sum / all, 0 };
	}
	qsort(mode, n, sizeof(*mode), by_share);
	ret->n_modes = n < NARRATIVE_MODES_MAX ? n : NARRATIVE_MODES_MAX;
	memcpy(ret->mode, mode, ret->n_modes * sizeof(*mode));
	qsort(ret->mode, ret->n_modes, sizeof(*ret->mode), by_value);
}

/* ---- events of several columns ---- */

static void add_column(const struct grid *g, size_t col, int sign, __u64 *count, __u64 *n)
{
	for (size_t row = 0; row < g->n_rows; row++) {
		__u64 cell = g->cell[row * g->n_cols + col];

		count[row] += sign < 0 ? -cell : cell;
		*n += sign < 0 ? -cell : cell;
	}
}

/* The row of a percentile: so many percent of the events are not greater than an event in it. */
static size_t row_at(const __u64 *count, size_t n_rows, __u64 n, unsigned percentile)
{
	__u64 above = n - n / 100 * percentile - n % 100 * percentile / 100, sum = 0;
	size_t row = n_rows;

	while (row && sum <= above)
		sum += count[--row];
	return row;
}

static double value_at(const struct grid *g, size_t row)
{
	return fmin((double)grid_row_last(g, row), (double)g->all.max);
}

/* ---- shifts ---- */

/* Columns with events, in order.  For each bin it has the part of a column's events that lies below the bin, and the
 * square of that part, as sums over all earlier columns. */
struct course {
	size_t n, n_bins;
	size_t *col;
	double *below, *square;		/* (n + 1) x n_bins; row i sums the columns before i */
	double *events;			/* n + 1 */
};

static void course_fini(struct course *c)
{
	free(c->col);
	free(c->below);
	free(c->square);
	free(c->events);
}

static void course_add(struct course *c, const struct grid *g, const struct bins *b, size_t col)
{
	double *below = &c->below[c->n * b->n], *square = &c->square[c->n * b->n];	/* sums before this column */
	__u64 sum = 0, all = 0;
	size_t row = 0;

	for (size_t i = 0; i < g->n_rows; i++)
		all += g->cell[i * g->n_cols + col];
	if (!all)
		return;
	for (size_t i = 0; i < b->n; i++) {
		double part;

		for (; row < b->end[i]; row++)
			sum += g->cell[row * g->n_cols + col];
		part = (double)sum / (double)all;
		below[b->n + i] = below[i] + part;
		square[b->n + i] = square[i] + part * part;
	}
	c->events[c->n + 1] = c->events[c->n] + (double)all;
	c->col[c->n++] = col;
}

static int course_init(const struct grid *g, const struct bins *b, struct course *c)
{
	*c = (struct course){ .n_bins = b->n };
	c->col = calloc(g->n_cols, sizeof(*c->col));
	c->below = calloc((g->n_cols + 1) * b->n, sizeof(*c->below));
	c->square = calloc((g->n_cols + 1) * b->n, sizeof(*c->square));
	c->events = calloc(g->n_cols + 1, sizeof(*c->events));
	if (!c->col || !c->below || !c->square || !c->events) {
		course_fini(c);
		return -ENOMEM;
	}
	for (size_t col = 0; col < g->n_cols; col++)
		course_add(c, g, b, col);
	return 0;
}

/* The difference between from..cut and cut..to.  For each bin it takes the means of the parts below it, and divides
 * their difference by its standard error; the greatest result counts.  The variation of the parts is measured from
 * column to column, but is at least that of independent events. */
static double cut_distance(const struct course *c, size_t from, size_t cut, size_t to)
{
	const double *a = &c->below[from * c->n_bins], *m = &c->below[cut * c->n_bins], *z = &c->below[to * c->n_bins];
	const double *aa = &c->square[from * c->n_bins], *zz = &c->square[to * c->n_bins];
	double n = (double)(cut - from), k = (double)(to - cut), per_column = (c->events[to] - c->events[from]) / (n + k), most = 0;

	for (size_t i = 0; i < c->n_bins; i++) {
		double before = (m[i] - a[i]) / n, after = (z[i] - m[i]) / k, mean = (z[i] - a[i]) / (n + k);
		double vary = (zz[i] - aa[i] - n * before * before - k * after * after) / (n + k - 2);
		double t = (after - before) * (after - before) / (fmax(vary, fmax(mean * (1 - mean), 1e-9) / per_column) * (1 / n + 1 / k));

		most = fmax(most, t);
	}
	return sqrt(most);
}

/* The best cut of a segment; 0: none. */
static double best_cut(const struct course *c, size_t from, size_t to, size_t *ret_cut)
{
	double best = 0;

	for (size_t cut = from + SEGMENT_MIN; cut + SEGMENT_MIN <= to; cut++) {
		double d = cut_distance(c, from, cut, to);

		if (d > best) {
			best = d;
			*ret_cut = cut;
		}
	}
	return best;
}

/* cut[0] and cut[n + 1] are the ends. */
static size_t find_cuts(const struct course *c, size_t cut[NARRATIVE_SHIFTS_MAX + 2])
{
	size_t n = 0;

	cut[0] = 0;
	cut[1] = c->n;
	while (n < NARRATIVE_SHIFTS_MAX) {
		size_t at = 0, segment = 0;
		double best = SIGNIFICANT;

		for (size_t i = 0; i <= n; i++) {
			size_t here = 0;
			double d = best_cut(c, cut[i], cut[i + 1], &here);

			if (d > best) {
				best = d;
				at = here;
				segment = i;
			}
		}
		if (!at)
			break;
		memmove(&cut[segment + 2], &cut[segment + 1], (++n - segment) * sizeof(*cut));
		cut[segment + 1] = at;
	}
	return n;
}

/* Finds the rows of the percentiles of a segment; count is working memory for a column. */
static void percentile_rows(const struct grid *g, const struct course *c, const size_t *cut, __u64 *count,
			    size_t *ret_row)
{
	__u64 n = 0;

	memset(count, 0, g->n_rows * sizeof(*count));
	for (size_t i = cut[0]; i < cut[1]; i++)
		add_column(g, c->col[i], 1, count, &n);
	for (size_t i = 0; i < N_PERCENTILES; i++)
		ret_row[i] = row_at(count, g->n_rows, n, percentiles[i]);
}

/* The distance in widths of the narrowest row. */
static double moved_bins(const struct grid *g, enum axis_scale scale, double before, double after)
{
	if (scale == AXIS_LINEAR)
		return fabs(after - before) / narrowest_row(g, scale);
	return fabs(log2((after + 1) / (before + 1))) / narrowest_row(g, scale);
}

/* Adds a shift of the percentile that moved most; adds none if no percentile moved. */
static void add_shift(const struct grid *g, enum axis_scale scale, size_t col, const size_t *before, const size_t *after,
		      struct narrative *ret)
{
	double most = 0;

	for (size_t i = 0; i < N_PERCENTILES; i++) {
		double from = value_at(g, before[i]), to = value_at(g, after[i]), by = moved_bins(g, scale, from, to);

		if (by < 1 || by <= most)
			continue;
		most = by;
		ret->shift[ret->n_shifts] = (struct narrative_shift){ col, percentiles[i], from, to };
	}
	ret->n_shifts += ret->shift[ret->n_shifts].percentile != 0;
}

static int find_shifts(const struct grid *g, const struct bins *b, enum axis_scale scale, struct narrative *ret)
{
	size_t cut[NARRATIVE_SHIFTS_MAX + 2], row[NARRATIVE_SHIFTS_MAX + 1][N_PERCENTILES], n;
	__u64 *count = calloc(g->n_rows, sizeof(*count));
	struct course c;
	int err = count ? course_init(g, b, &c) : -ENOMEM;

	if (!err) {
		ret->sought = c.n >= 2 * SEGMENT_MIN;
		n = find_cuts(&c, cut);
		for (size_t i = 0; i <= n; i++)
			percentile_rows(g, &c, &cut[i], count, row[i]);
		for (size_t i = 1; i <= n; i++)
			add_shift(g, scale, c.col[cut[i]], row[i - 1], row[i], ret);
		course_fini(&c);
	}
	free(count);
	return err;
}

/* ---- the worst minute ---- */

static bool is_observed(const struct grid *g, size_t col)
{
	return grid_column_state(&g->column[col]) != GRID_UNOBSERVED;
}

/* Finds the worst minute.  If the p99 of several minutes lies in one row, it takes the minute with more events in that
 * row; if these are equal, the earliest. */
static int find_worst(const struct grid *g, struct narrative *ret)
{
	size_t wide = (size_t)((MINUTE_NS + g->col_ns - 1) / g->col_ns), most = 0;
	__u64 *count = calloc(g->n_rows, sizeof(*count)), n = 0, at_most = 0;

	if (!count)
		return -ENOMEM;
	for (size_t col = 0; wide * 2 <= g->n_cols && col < g->n_cols; col++) {
		size_t row;

		add_column(g, col, 1, count, &n);
		if (col >= wide)
			add_column(g, col - wide, -1, count, &n);
		if (col + 1 < wide || n < NARRATIVE_LEAST || !is_observed(g, col + 1 - wide) || !is_observed(g, col))
			continue;
		row = row_at(count, g->n_rows, n, 99);
		if (!ret->n_worst || row > most || (row == most && count[row] > at_most)) {
			most = row;
			at_most = count[row];
			ret->worst = col + 1 - wide;
			ret->n_worst = wide;
			ret->worst_p99 = value_at(g, row);
		}
	}
	free(count);
	if (ret->worst_p99 <= (double)g->all.p99)	/* as bad as all of the time */
		ret->n_worst = 0;
	return 0;
}

/* ---- the slowest ---- */

#define DECADE 10
#define SHARE_MOST 0.999			/* an estimate is never all of the sum */

static bool adds_up(const struct grid *g)
{
	return !g->point && axis_unit(g->unit) != AXIS_PERCENT && g->all.sum && g->all.sum != UINT64_MAX;
}

/* A part of the sum that is estimated, below all of it: the values of other events have a part, too. */
static double share_of(const struct grid *g, double sum, size_t lowest)
{
	double all = (double)g->all.sum, others = 0;

	for (size_t row = 0; row < lowest; row++)
		others += row_count(g, row) * row_low(g, row);
	return fmin(fmin(sum, all - others) / all, SHARE_MOST);
}

/* Values are taken from the middles of rows. */
static void find_slowest(const struct grid *g, struct narrative *ret)
{
	double n = 0, sum = 0, share;
	size_t row = adds_up(g) ? g->n_rows : 0, lowest = row, first = g->n_cols, last = 0;

	while (row && row_low(g, row - 1) * DECADE >= (double)g->all.max) {
		double here = row_count(g, --row);

		if (!here)
			continue;
		lowest = row;
		n += here;
		sum += here * (row_low(g, row) + fmin(row_high(g, row), (double)g->all.max)) / 2;
		for (size_t col = 0; col < g->n_cols; col++)
			if (g->cell[row * g->n_cols + col]) {
				first = col < first ? col : first;
				last = col > last ? col : last;
			}
	}
	if (!n || n > NARRATIVE_FEW * (double)g->all.count)
		return;
	share = share_of(g, sum, lowest);
	if (share < NARRATIVE_MUCH)
		return;
	ret->slowest.n = n;
	ret->slowest.least = row_low(g, lowest);
	ret->slowest.share = share;
	ret->slowest.first = first;
	ret->slowest.last = last;
}

int narrative_find(const struct grid *g, struct narrative *ret)
{
	enum axis_scale scale = axis_unit(g->unit) == AXIS_PERCENT ? AXIS_LINEAR : AXIS_LOG;
	struct bins b;
	int err;

	memset(ret, 0, sizeof(*ret));
	if (g->weight || !g->all.count)
		return 0;
	bins_make(g, scale, &b);
	find_modes(g, &b, scale, ret);
	find_slowest(g, ret);
	err = find_shifts(g, &b, scale, ret);
	return err ? err : find_worst(g, ret);
}
