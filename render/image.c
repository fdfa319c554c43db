#include "image.h"
#include "png.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HATCH_PERIOD 6

/* The picture before it has pixels: n_rows x n_cols densities, row 0 at the bottom. */
struct raster {
	size_t n_cols, n_rows;
	double low, high;		/* along the axis: values, or their log2 */
	enum axis_scale yscale;
	double *density;
	double *sum;			/* of each column, rows outside the range included */
};

__u64 image_autoscale(__u64 max)
{
	__u64 round = 1, scaled;
	unsigned digits = 0;

	if (!max || max >= 10000000000000000000ull)
		return max;
	for (; round <= max; digits++)
		round *= 10;
	for (unsigned i = 0; i < 2 * digits && round; i++) {
		scaled = (max / round + 1) * round;
		if (scaled - max <= (max - 1) / 4)
			return scaled;
		round /= i % 2 ? 2 : 5;
	}
	return max;
}

__u64 image_ymax(const struct grid *g)
{
	for (size_t row = g->n_rows; row-- > 0;)
		for (size_t col = 0; col < g->n_cols; col++)
			if (g->cell[row * g->n_cols + col]) {
				__u64 last = grid_row_last(g, row);

				return image_autoscale(last + (last != GRID_NO_EDGE));
			}
	return 0;
}

/* The lowest edge in use that a log axis can begin at. */
static __u64 lowest_used(const struct grid *g)
{
	for (size_t row = 0; row < g->n_rows; row++)
		for (size_t col = 0; col < g->n_cols; col++)
			if (g->cell[row * g->n_cols + col])
				return g->edge[row] ? g->edge[row] : 1;
	return 1;
}

static double along(const struct raster *r, __u64 value)
{
	return r->yscale == AXIS_LINEAR ? (double)value : value ? log2((double)value) : 0;
}

/* Checks the options and sets the raster's range.  An empty grid that names no ymax has none:
 * its picture is blank whatever the axis. */
static int raster_range(const struct grid *g, const struct image_options *o, struct raster *ret)
{
	__u64 ymax = o->ymax ? o->ymax : image_ymax(g), ymin = o->ymin;

	if (o->width < IMAGE_SIDE_MIN || o->width > IMAGE_SIDE_MAX || o->height < IMAGE_SIDE_MIN ||
	    o->height > IMAGE_SIDE_MAX || !o->n_rows || o->n_rows > IMAGE_ROWS_MAX)
		return -EINVAL;
	if (!ymax && !ymin)
		ymax = o->n_rows;
	if (o->yscale == AXIS_LOG && !ymin)
		ymin = lowest_used(g) < ymax ? lowest_used(g) : 1;
	if (ymin >= ymax)
		return -EINVAL;
	ret->yscale = o->yscale;
	ret->n_rows = o->n_rows;
	ret->n_cols = g->n_cols < o->width ? g->n_cols : o->width;
	ret->low = along(ret, ymin);
	ret->high = along(ret, ymax);
	return 0;
}

/* Adds u times one row's columns to raster row `to`. */
static void raster_add(struct raster *r, size_t to, const double *column, double u)
{
	double *out = r->density + to * r->n_cols;

	for (size_t i = 0; i < r->n_cols; i++)
		out[i] += u * column[i];
}

/* Spreads a bucket over the rows it overlaps, evenly; what is outside is cut off. */
static void raster_spread(struct raster *r, const double *column, double from, double to)
{
	double size = (r->high - r->low) / r->n_rows;
	double low = (from - r->low) / size, high = (to - r->low) / size;
	size_t first, last;

	if (high <= 0 || low >= r->n_rows || high <= low)
		return;
	first = low > 0 ? (size_t)low : 0;
	last = high < r->n_rows ? (size_t)ceil(high) : r->n_rows;
	for (size_t row = first; row < last; row++) {
		double bottom = low > row ? low : row, top = high < row + 1 ? high : row + 1;

		if (top > bottom)
			raster_add(r, row, column, (top - bottom) / (high - low));
	}
}

/* One row of the grid as sums per raster column, weighted, for the time one grid column has; of a
 * point grid the mean of the slots observed.  Returns 0 if the row is empty. */
static int fold_columns(const struct grid *g, size_t row, double weight, double *out, size_t n_out)
{
	const __u64 *cell = g->cell + row * g->n_cols;
	int used = 0;

	for (size_t x = 0, col = 0; x < n_out; x++) {
		size_t end = (x + 1) * g->n_cols / n_out, from = col;
		__u64 sum = 0, n_snapshots = 0;

		for (; col < end; col++) {
			sum += cell[col];
			n_snapshots += g->column[col].n_snapshots;
		}
		out[x] = sum ? weight * (g->point ? grid_shown(g, n_snapshots, (double)sum) : (double)sum / (end - from)) : 0;
		used |= sum != 0;
	}
	return used;
}

static int raster_alloc(struct raster *r)
{
	r->density = calloc(r->n_rows * r->n_cols, sizeof(*r->density));
	r->sum = calloc(r->n_cols, sizeof(*r->sum));
	return r->density && r->sum ? 0 : -ENOMEM;
}

static void raster_fini(struct raster *r)
{
	free(r->density);
	free(r->sum);
}

static int raster_fill(const struct grid *g, int weighted, struct raster *r)
{
	double *column = malloc(r->n_cols * sizeof(*column));

	if (!column)
		return -ENOMEM;
	for (size_t row = 0; row < g->n_rows; row++) {
		__u64 last = grid_row_last(g, row);

		if (!fold_columns(g, row, weighted ? shade_middle(g, row) : 1, column, r->n_cols))
			continue;
		for (size_t i = 0; i < r->n_cols; i++)
			r->sum[i] += column[i];
		raster_spread(r, column, along(r, g->edge[row]), along(r, last + (last != GRID_NO_EDGE)));
	}
	free(column);
	return 0;
}

/* From densities to hundredths of their column. */
static void raster_percent(struct raster *r)
{
	for (size_t row = 0; row < r->n_rows; row++)
		for (size_t i = 0; i < r->n_cols; i++)
			if (r->sum[i] > 0)
				r->density[row * r->n_cols + i] *= 100 / r->sum[i];
}

/* --- pixels ----------------------------------------------------------------------------------- */

enum special { SPECIAL_UNOBSERVED, SPECIAL_UNOBSERVED_LINE, SPECIAL_PARTIAL, N_SPECIAL };

/* The hatches need palette entries too: those that no cell uses, or, where the picture uses all
 * 255, entries whose cells move to their neighbour, which no eye tells apart. */
static void give_entries(__u8 *index, size_t n, const struct palette *p, __u32 rgb[256],
			 __u8 entry[N_SPECIAL])
{
	const __u32 colour[N_SPECIAL] = { p->unobserved, p->unobserved_line, p->partial };
	unsigned used[256] = { 0 }, at = 2;

	for (size_t i = 0; i < n; i++)
		used[index[i]]++;
	for (unsigned k = 0; k < N_SPECIAL; k++, at++) {
		for (unsigned i = at; i < 256; i++)
			if (!used[i]) {
				at = i;
				break;
			}
		if (used[at])
			for (size_t i = 0; i < n; i++)
				if (index[i] == at)
					index[i]--;
		entry[k] = at;
		rgb[at] = colour[k];
	}
}

static enum grid_state raster_state(const struct grid *g, size_t x, size_t n_cols)
{
	size_t from = x * g->n_cols / n_cols, to = (x + 1) * g->n_cols / n_cols;
	size_t unobserved = 0, partial = 0;

	for (size_t col = from; col < to; col++) {
		enum grid_state state = grid_column_state(&g->column[col]);

		unobserved += state == GRID_UNOBSERVED;
		partial += state == GRID_PARTIAL;
	}
	if (unobserved == to - from)
		return GRID_UNOBSERVED;
	return unobserved || partial ? GRID_PARTIAL : GRID_OK;
}

/* pixel x -> raster column, the inverse of [i*width/n, (i+1)*width/n). */
static size_t column_of(size_t x, size_t width, size_t n)
{
	return ((x + 1) * n - 1) / width;
}

static void paint_row(const __u8 *index, size_t n_cols, unsigned width, __u8 *out)
{
	for (unsigned x = 0; x < width; x++)
		out[x] = index[column_of(x, width, n_cols)];
}

static void hatch(const struct grid *g, size_t n_cols, unsigned width, unsigned height,
		  const __u8 entry[N_SPECIAL], __u8 *pixel)
{
	for (unsigned x = 0; x < width; x++) {
		enum grid_state state = raster_state(g, column_of(x, width, n_cols), n_cols);

		if (state != GRID_UNOBSERVED && state != GRID_PARTIAL)
			continue;
		for (unsigned y = 0; y < height; y++) {
			int line = (x + y) % HATCH_PERIOD == 0;

			if (state == GRID_UNOBSERVED)
				pixel[(size_t)y * width + x] =
					entry[line ? SPECIAL_UNOBSERVED_LINE : SPECIAL_UNOBSERVED];
			else if (line)
				pixel[(size_t)y * width + x] = entry[SPECIAL_PARTIAL];
		}
	}
}

static int is_hatched(const struct grid *g)
{
	for (size_t col = 0; col < g->n_cols; col++) {
		enum grid_state state = grid_column_state(&g->column[col]);

		if (state == GRID_UNOBSERVED || state == GRID_PARTIAL)
			return 1;
	}
	return 0;
}

static int raster_index(const struct raster *r, enum shade_transfer transfer, __u8 *ret_index)
{
	size_t n = r->n_rows * r->n_cols;
	double level[SHADE_LEVELS];
	int err = shade_levels(transfer, r->density, n, level);

	for (size_t i = 0; !err && i < n; i++)
		ret_index[i] = shade_density_index(level, r->density[i]);
	return err;
}

static void raster_pixels(const struct raster *r, const struct grid *g, const struct image_options *o,
			  __u8 *index, struct palette *p, __u8 *ret_pixel)
{
	__u8 entry[N_SPECIAL];
	int hatched = is_hatched(g);

	if (hatched)
		give_entries(index, r->n_rows * r->n_cols, p, p->colour, entry);
	for (unsigned y = 0; y < o->height; y++) {
		size_t row = r->n_rows - 1 - column_of(y, o->height, r->n_rows);

		paint_row(index + row * r->n_cols, r->n_cols, o->width, ret_pixel + (size_t)y * o->width);
	}
	if (hatched)
		hatch(g, r->n_cols, o->width, o->height, entry, ret_pixel);
}

int image_png(const struct grid *g, const struct image_options *o, __u8 **ret_png, size_t *ret_len)
{
	static const char *const text[] = { "Software", "heatscope", NULL };
	struct raster r = { 0 };
	struct palette palette;
	__u8 *index = NULL, *pixel = NULL;
	int err = raster_range(g, o, &r);

	if (!err)
		err = raster_alloc(&r);
	if (!err)
		err = raster_fill(g, o->weighted, &r);
	if (!err && o->transfer == SHADE_PERCENT)
		raster_percent(&r);
	if (!err) {
		index = malloc(r.n_rows * r.n_cols);
		pixel = malloc((size_t)o->width * o->height);
		err = index && pixel ? raster_index(&r, o->transfer, index) : -ENOMEM;
	}
	if (!err) {
		palette_make(o->theme, &palette);
		raster_pixels(&r, g, o, index, &palette, pixel);
		err = png_palette(pixel, o->width, o->height, palette.colour, text, ret_png, ret_len);
	}
	free(index);
	free(pixel);
	raster_fini(&r);
	return err;
}

static __u64 back(const struct raster *r, double at)
{
	double value = r->low + (r->high - r->low) * at;

	return (__u64)llround(r->yscale == AXIS_LINEAR ? value : exp2(value));
}

int image_cell_at(const struct grid *g, const struct image_options *o, unsigned x, unsigned y,
		  struct image_cell *ret_cell)
{
	struct raster r = { 0 };
	int err = raster_range(g, o, &r);
	size_t row, col;

	if (!err && (x >= o->width || y >= o->height))
		err = -EINVAL;
	if (err)
		return err;
	col = column_of(x, o->width, r.n_cols);
	row = r.n_rows - 1 - column_of(y, o->height, r.n_rows);
	*ret_cell = (struct image_cell){
		.first_col = col * g->n_cols / r.n_cols,
		.last_col = (col + 1) * g->n_cols / r.n_cols - 1,
		.from = back(&r, (double)row / r.n_rows),
		.to = back(&r, (double)(row + 1) / r.n_rows),
	};
	return 0;
}
