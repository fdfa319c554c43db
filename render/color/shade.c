#include "render/color/shade.h"
#include "render/grid/layer.h"
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define LINEAR_CELLS 100		/* of a linear axis: the height of a row with scale 1 */
#define LINEAR_PIXELS 400		/* a thinner row counts as 1/400 of the axis */

/* A bin holds the densities that share sign, exponent and the first 8 bits of the mantissa of a float.  Positive floats
 * sort in the order of their bits, so ranks need no sorting. */
#define BIN_SHIFT 15
#define N_BINS (1u << (31 - BIN_SHIFT))

struct tally {
	double min, max;		/* min 0: none yet */
	double unit;			/* log: the density that stands for one event */
	__u64 n;
	__u64 *bin;			/* NULL unless the caller wants ranks */
};

static unsigned density_bin(float density)
{
	__u32 bits;

	memcpy(&bits, &density, sizeof(bits));
	return bits >> BIN_SHIFT;
}

static double bin_low(unsigned bin)
{
	__u32 bits = bin << BIN_SHIFT;
	float density;

	memcpy(&density, &bits, sizeof(density));
	return density;
}

static int tally_init(struct tally *t, enum shade_transfer transfer)
{
	memset(t, 0, sizeof(*t));
	t->unit = 1;
	if (transfer != SHADE_RANK)
		return 0;
	t->bin = calloc(N_BINS, sizeof(*t->bin));
	return t->bin ? 0 : -ENOMEM;
}

static void tally_add(struct tally *t, double density)
{
	if (density > t->max)
		t->max = density;
	if (density < t->min || !(t->min > 0))
		t->min = density;
	if (t->bin) {
		t->bin[density_bin((float)density)]++;
		t->n++;
	}
}

/* level[i] is the least density such that at least (i + 1) / 255 of all cells are at or below it. */
static void rank_levels(const struct tally *t, double level[SHADE_LEVELS])
{
	unsigned bin = 0;
	__u64 seen = t->bin[0];

	for (unsigned i = 0; i < SHADE_LEVELS; i++) {
		__u64 want = (t->n * (i + 1) + SHADE_LEVELS - 1) / SHADE_LEVELS;

		while (seen < want && bin + 1 < N_BINS)
			seen += t->bin[++bin];
		level[i] = bin_low(bin);
	}
}

static void tally_levels(const struct tally *t, enum shade_transfer transfer, double level[SHADE_LEVELS])
{
	double max = t->max > 0 ? t->max : 1;

	if (transfer == SHADE_RANK && t->n) {
		rank_levels(t, level);
		return;
	}
	for (unsigned i = 0; i < SHADE_LEVELS; i++) {
		double at = (double)i / SHADE_LEVELS;

		level[i] = transfer == SHADE_LOG ? t->unit * expm1(log1p(max / t->unit) * at)
						 : max * (transfer == SHADE_SQRT ? at * at : at);
	}
}

int shade_levels(enum shade_transfer transfer, const double *density, size_t n, double ret_level[SHADE_LEVELS])
{
	struct tally t;
	int err = tally_init(&t, transfer);

	if (err)
		return err;
	for (size_t i = 0; i < n; i++)
		if (density[i] > 0)
			tally_add(&t, density[i]);
	tally_levels(&t, transfer, ret_level);
	free(t.bin);
	return 0;
}

/* The upper end of the highest row that holds anything; a row without an upper edge ends at the max. */
static __u64 highest_used(const struct grid *g)
{
	for (size_t row = g->n_rows; row-- > 0;)
		for (size_t col = 0; col < g->n_cols; col++)
			if (g->cell[row * g->n_cols + col])
				return g->edge[row + 1] != GRID_NO_EDGE ? g->edge[row + 1]
									: grid_row_last(g, row);
	return 0;
}

static int has_height(const struct grid *g, size_t row, enum axis_scale yscale)
{
	return g->edge[row + 1] != GRID_NO_EDGE && g->edge[row + 1] > g->edge[row] &&
	       (yscale == AXIS_LINEAR || g->edge[row]);
}

static double row_height(const struct grid *g, size_t row, enum axis_scale yscale)
{
	return yscale == AXIS_LOG ? log2((double)g->edge[row + 1] / (double)g->edge[row])
				  : (double)(g->edge[row + 1] - g->edge[row]);
}

/* On a log axis it depends on the edges alone, so it does not change while data comes in. */
static double log_cell_height(const struct grid *g)
{
	double sum = 0;
	size_t n = 0;

	for (size_t row = 0; row < g->n_rows; row++)
		if (has_height(g, row, AXIS_LOG)) {
			sum += row_height(g, row, AXIS_LOG);
			n++;
		}
	return n ? sum / n : 1;
}

double shade_middle(const struct grid *g, size_t row)
{
	double first = (double)g->edge[row], last = (double)grid_row_last(g, row);

	return first + (last - first) / 2;
}

static void scale_make(const struct grid *g, bool by_middle, struct shade *s)
{
	double thinnest = s->yscale == AXIS_LINEAR ? s->cell_height * LINEAR_CELLS / LINEAR_PIXELS : 0;

	for (size_t row = 0; row < g->n_rows; row++) {
		double height = has_height(g, row, s->yscale) ? row_height(g, row, s->yscale) : s->cell_height;

		s->height[row] = (height > thinnest ? height : thinnest) / s->cell_height;
		s->weight[row] = by_middle ? shade_middle(g, row) : 1;
		s->scale[row] = s->weight[row] / s->height[row];
	}
}

/* Makes the factors for percent of each column, or in a point grid for the mean of its slots (grid_shown). */
static void share_make(const struct grid *g, struct shade *s)
{
	for (size_t col = 0; s->transfer != SHADE_PERCENT && col < g->n_cols; col++)
		s->share[col] = grid_shown(g, g->column[col].n_snapshots, 1);
	if (s->transfer != SHADE_PERCENT)
		return;
	for (size_t row = 0; row < g->n_rows; row++)
		for (size_t col = 0; col < g->n_cols; col++)
			s->share[col] += g->cell[row * g->n_cols + col] * s->weight[row];
	for (size_t col = 0; col < g->n_cols; col++)
		s->share[col] = s->share[col] > 0 ? 100 / s->share[col] : 0;
}

double shade_column(const struct shade *s, const struct grid *g, size_t col, long shift)
{
	double sum = 0;

	if (s->transfer != SHADE_PERCENT)
		return 1;
	for (size_t row = 0; row < g->n_rows; row++) {
		long at = (long)row + shift;
		double weight = at >= 0 && (size_t)at < s->n_rows ? s->weight[at] : 0;

		sum += grid_shown(g, g->column[col].n_snapshots, g->cell[row * g->n_cols + col]) * weight;
	}
	return sum > 0 ? 100 / sum : 0;
}

static int shade_fill(const struct grid *g, const struct shade_options *o, struct shade *s)
{
	bool shared = g->point || s->transfer == SHADE_PERCENT;

	s->n_rows = g->n_rows;
	s->scale = calloc(3 * g->n_rows, sizeof(*s->scale));
	if (shared)
		s->share = calloc(g->n_cols, sizeof(*s->share));
	if (!s->scale || (shared && !s->share))
		return -ENOMEM;
	s->height = s->scale + g->n_rows;
	s->weight = s->height + g->n_rows;
	scale_make(g, o->weighted && !g->weight, s);
	if (s->share)
		share_make(g, s);
	return 0;
}

static void cell_tally(const struct shade *s, size_t row, size_t col, __u64 count, struct tally *t)
{
	if (count)
		tally_add(t, count * s->scale[row] * (s->share ? s->share[col] : 1));
}

/* If all counts of a row have the same scale, the least and greatest counts give the least and greatest densities. */
static void row_tally(const struct shade *s, size_t row, const __u64 *cell, size_t n, struct tally *t)
{
	__u64 max = 0, less = ~(__u64)0;	/* less: the least that is not 0, less 1 */

	for (size_t col = 0; col < n; col++) {
		max = cell[col] > max ? cell[col] : max;
		less = cell[col] - 1 < less ? cell[col] - 1 : less;
	}
	cell_tally(s, row, 0, max, t);
	cell_tally(s, row, 0, less + 1, t);
}

static void cells_tally(const struct grid *g, const __u64 *cell, const struct shade *s, struct tally *t)
{
	for (size_t row = 0; !s->share && !t->bin && row < g->n_rows; row++)
		row_tally(s, row, cell + row * g->n_cols, g->n_cols, t);
	for (size_t row = 0; (s->share || t->bin) && row < g->n_rows; row++)
		for (size_t col = 0; col < g->n_cols; col++)
			cell_tally(s, row, col, cell[row * g->n_cols + col], t);
}

/* Counts the cells that the picture shows: all cells, or those of the layers and of the rest. */
static int grid_tally(const struct grid *g, const struct shade *s, struct tally *t)
{
	const struct layers *l = g->layers;
	__u64 *rest = l && l->shown != LAYERS_ISOLATED ? layers_rest(g) : NULL;

	if (!l)
		cells_tally(g, g->cell, s, t);
	else if (l->shown != LAYERS_ISOLATED && !rest)
		return -ENOMEM;
	if (rest)
		cells_tally(g, rest, s, t);
	for (size_t i = 0; l && i < l->n && l->shown != LAYERS_EXCLUDED; i++)
		for (size_t k = 0; k < l->layer[i].n_cells; k++)
			cell_tally(s, l->layer[i].cell[k].row, l->layer[i].cell[k].col, l->layer[i].cell[k].count, t);
	free(rest);
	return 0;
}

static double cell_height(const struct grid *const *grid, size_t n, enum axis_scale yscale, __u64 low, __u64 high)
{
	__u64 top = 0;

	if (yscale == AXIS_LOG)
		return log_cell_height(grid[0]);
	for (size_t i = 0; i < n && !high; i++)
		if (highest_used(grid[i]) > top)
			top = highest_used(grid[i]);
	top = high ? high - low : top;
	return top ? (double)top / LINEAR_CELLS : 1;
}

int shade_make(const struct grid *const *grid, size_t n, const struct shade_options *o, struct shade *ret_shade)
{
	struct tally t;
	double height;
	int err;

	if (!n || o->low > o->high)
		return -EINVAL;
	height = cell_height(grid, n, o->yscale, o->low, o->high);
	err = tally_init(&t, o->transfer);
	for (size_t i = 0; i < n; i++) {
		ret_shade[i] = (struct shade){ .transfer = o->transfer, .yscale = o->yscale, .cell_height = height,
					       .weighted = o->weighted || grid[i]->weight };
		err = err ? err : shade_fill(grid[i], o, &ret_shade[i]);
		err = err ? err : grid_tally(grid[i], &ret_shade[i], &t);
	}
	if (ret_shade[0].weighted && t.min > 0)
		t.unit = t.min;
	for (size_t i = 0; i < n; i++) {
		ret_shade[i].min = t.min;
		ret_shade[i].max = t.max;
		if (err)
			shade_fini(&ret_shade[i]);
		else
			tally_levels(&t, o->transfer, ret_shade[i].level);
	}
	free(t.bin);
	return err;
}

void shade_fini(struct shade *s)
{
	free(s->scale);
	free(s->share);
	s->scale = s->height = s->weight = s->share = NULL;
}

unsigned shade_density_index(const double level[SHADE_LEVELS], double density)
{
	unsigned at = 0;

	if (!(density > 0))
		return 0;
	for (unsigned step = 128; step; step /= 2)	/* levels <= density, by halving: 255 = 128 + 64 + ... */
		if (level[at + step - 1] <= density)
			at += step;
	return at ? at : 1;
}

void shade_lookup_make(struct shade_lookup *l, const double level[SHADE_LEVELS])
{
	unsigned at = 0;

	memcpy(l->level, level, SHADE_LEVELS * sizeof(*level));
	l->level[SHADE_LEVELS] = NAN;
	for (unsigned bin = 0; bin < SHADE_LOOKUP_BINS; bin++) {
		unsigned octave = bin >> SHADE_LOOKUP_BITS, part = bin & ((1u << SHADE_LOOKUP_BITS) - 1);
		double low = ldexp(1 + (double)part / (1u << SHADE_LOOKUP_BITS), (int)octave + SHADE_LOOKUP_LOW);

		while (l->level[at] <= low)
			at++;
		l->reached[bin] = (__u8)at;
	}
}

const char *shade_transfer_name(enum shade_transfer transfer)
{
	static const char *const name[] = {
		[SHADE_LINEAR] = "linear", [SHADE_LOG] = "log", [SHADE_RANK] = "rank", [SHADE_SQRT] = "sqrt",
		[SHADE_PERCENT] = "percent",
	};

	return name[transfer];
}
