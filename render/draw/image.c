#include "render/draw/image.h"
#include "render/color/shade.h"
#include "render/color/blend.h"
#include "render/encode/png.h"
#include "render/grid/stretch.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HATCH_PERIOD 6

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

/* The lowest edge in use at which a log axis can begin. */
static __u64 lowest_used(const struct grid *g)
{
	for (size_t row = 0; row < g->n_rows; row++)
		for (size_t col = 0; col < g->n_cols; col++)
			if (g->cell[row * g->n_cols + col])
				return g->edge[row] ? g->edge[row] : 1;
	return 1;
}

/* Checks the options and sets the raster's range.  An empty grid without a ymax in the options gets any range: its
 * picture is blank on every axis. */
static int raster_range(const struct grid *g, const struct image_options *o, struct raster *ret)
{
	__u64 ymax = o->ymax ? o->ymax : image_ymax(g), ymin = o->ymin;

	if (o->width < IMAGE_SIDE_MIN || o->width > IMAGE_SIDE_MAX || o->height < IMAGE_SIDE_MIN ||
	    o->height > IMAGE_SIDE_MAX || !o->n_rows || o->n_rows > IMAGE_ROWS_MAX || !g->n_cols)
		return -EINVAL;
	if (!ymax && !ymin)
		ymax = o->n_rows;
	if (o->yscale == AXIS_LOG && !ymin)
		ymin = lowest_used(g) < ymax ? lowest_used(g) : 1;
	if (ymin >= ymax)
		return -EINVAL;
	ret->yscale = o->yscale;
	ret->weighted = o->weighted && !g->weight;
	ret->n_rows = o->n_rows;
	ret->n_cols = g->n_cols < o->width ? g->n_cols : o->width;
	ret->low = raster_along(ret, ymin);
	ret->high = raster_along(ret, ymax);
	return 0;
}

/* --- columns that were not seen --------------------------------------------------------------- */

enum special { SPECIAL_UNOBSERVED, SPECIAL_UNOBSERVED_LINE, SPECIAL_PARTIAL, N_SPECIAL };

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

static int has_hatch(enum grid_state state)
{
	return state == GRID_UNOBSERVED || state == GRID_PARTIAL;
}

static int is_hatched(const struct grid *g)
{
	for (size_t col = 0; col < g->n_cols; col++)
		if (has_hatch(grid_column_state(&g->column[col])))
			return 1;
	return 0;
}

/* The special colour of a pixel; N_SPECIAL: it has the colour of its cell. */
static enum special special_at(enum grid_state state, unsigned x, unsigned y)
{
	int line = (x + y) % HATCH_PERIOD == 0;

	if (state == GRID_UNOBSERVED)
		return line ? SPECIAL_UNOBSERVED_LINE : SPECIAL_UNOBSERVED;
	return state == GRID_PARTIAL && line ? SPECIAL_PARTIAL : N_SPECIAL;
}

static __u32 special_colour(const struct palette *p, enum special which)
{
	return which == SPECIAL_PARTIAL ? p->partial : which == SPECIAL_UNOBSERVED ? p->unobserved : p->unobserved_line;
}

/* --- pixels ----------------------------------------------------------------------------------- */

/* A picture that is being made: the colours of its raster, as indices into a palette or as they are. */
struct picture {
	const struct grid *grid;
	const struct image_options *options;
	struct raster raster;
	struct palette palette;		/* colour[]: of the indices */
	__u8 *index;			/* of each raster cell */
	__u32 *rgb;			/* the same if 256 colours are too few; else NULL */
};

/* pixel x -> raster column, the inverse of [i*width/n, (i+1)*width/n). */
static size_t column_of(size_t x, size_t width, size_t n)
{
	return ((x + 1) * n - 1) / width;
}

/* Finds palette entries for the hatches: entries that no cell uses.  If the cells use all 255, cells of some entries
 * move to the neighbour entry, which no eye can distinguish. */
static void give_entries(struct picture *p, __u8 entry[N_SPECIAL])
{
	size_t n = p->raster.n_rows * p->raster.n_cols;
	unsigned used[256] = { 0 }, at = 2;

	for (size_t i = 0; i < n; i++)
		used[p->index[i]]++;
	for (unsigned k = 0; k < N_SPECIAL; k++, at++) {
		for (unsigned i = at; i < 256; i++)
			if (!used[i]) {
				at = i;
				break;
			}
		if (used[at])
			for (size_t i = 0; i < n; i++)
				if (p->index[i] == at)
					p->index[i]--;
		entry[k] = at;
		p->palette.colour[at] = special_colour(&p->palette, k);
	}
}

/* The state that the pixels of a column show: the worst state of the columns that they stand for. */
static enum grid_state state_at(const struct picture *p, unsigned x)
{
	return raster_state(p->grid, column_of(x, p->options->width, p->raster.n_cols), p->raster.n_cols);
}

/* entry: the entries of the special colours, if pixels are indices. */
static void hatch_columns(const struct picture *p, const __u8 *entry, void *pixel)
{
	unsigned width = p->options->width;

	for (unsigned x = 0; x < width; x++) {
		enum grid_state state = state_at(p, x);

		for (unsigned y = 0; has_hatch(state) && y < p->options->height; y++) {
			enum special special = special_at(state, x, y);
			size_t at = (size_t)y * width + x;

			if (special == N_SPECIAL)
				continue;
			if (p->rgb)
				((__u32 *)pixel)[at] = special_colour(&p->palette, special);
			else
				((__u8 *)pixel)[at] = entry[special];
		}
	}
}

static void stretch_indices(const __u8 *index, size_t n, __u8 *pixel, unsigned width)
{
	struct stretch s = stretch_begin(n, width);

	for (size_t i = 0, x = 0; i < n; i++)
		for (size_t end = stretch_next(&s); x < end; x++)
			pixel[x] = index[i];
}

static void stretch_colours(const __u32 *rgb, size_t n, __u32 *pixel, unsigned width)
{
	struct stretch s = stretch_begin(n, width);

	for (size_t i = 0, x = 0; i < n; i++)
		for (size_t end = stretch_next(&s); x < end; x++)
			pixel[x] = rgb[i];
}

/* Draws the rows of the raster as rows of pixels, the first at the foot; equal rows of pixels are copied. */
static void draw_rows(const struct picture *p, void *pixel)
{
	size_t n = p->raster.n_cols, last = 0;
	unsigned width = p->options->width, height = p->options->height;
	size_t stride = width * (p->rgb ? sizeof(*p->rgb) : sizeof(*p->index));

	for (unsigned y = 0; y < height; y++) {
		size_t row = p->raster.n_rows - 1 - column_of(y, height, p->raster.n_rows);
		__u8 *to = (__u8 *)pixel + y * stride;

		if (y && row == last)
			memcpy(to, to - stride, stride);
		else if (p->rgb)
			stretch_colours(p->rgb + row * n, n, (__u32 *)to, width);
		else
			stretch_indices(p->index + row * n, n, to, width);
		last = row;
	}
}

static int png_of_indices(struct picture *p, __u8 **ret_png, size_t *ret_len)
{
	static const char *const text[] = { "Software", "heatscope", NULL };
	unsigned width = p->options->width, height = p->options->height;
	__u8 *pixel = malloc((size_t)width * height), entry[N_SPECIAL];
	int hatched = is_hatched(p->grid), err;

	if (!pixel)
		return -ENOMEM;
	if (hatched)
		give_entries(p, entry);
	draw_rows(p, pixel);
	if (hatched)
		hatch_columns(p, entry, pixel);
	err = png_palette(pixel, width, height, p->palette.colour, text, ret_png, ret_len);
	free(pixel);
	return err;
}

static int png_of_colours(const struct picture *p, __u8 **ret_png, size_t *ret_len)
{
	static const char *const text[] = { "Software", "heatscope", NULL };
	unsigned width = p->options->width, height = p->options->height;
	__u32 *pixel = malloc((size_t)width * height * sizeof(*pixel));
	int err;

	if (!pixel)
		return -ENOMEM;
	draw_rows(p, pixel);
	if (is_hatched(p->grid))
		hatch_columns(p, NULL, pixel);
	err = png_rgb((const __u8 *)pixel, (size_t)width * sizeof(*pixel), width, height, 0, text, ret_png, ret_len);
	free(pixel);
	return err;
}

/* --- ramp or hues ----------------------------------------------------------------------------- */

static int paint_ramp(struct picture *p)
{
	struct raster *r = &p->raster;
	size_t n = r->n_rows * r->n_cols;
	double level[SHADE_LEVELS];
	struct shade_lookup lookup;
	int err = blend_total(p->grid, r);

	if (!err && p->options->transfer == SHADE_PERCENT)
		raster_percent(r, r->sum);
	if (!err)
		err = shade_levels(p->options->transfer, r->density, n, level);
	if (!err)
		shade_lookup_make(&lookup, level);
	for (size_t i = 0; !err && i < n; i++)
		p->index[i] = shade_lookup_index(&lookup, r->density[i]);
	return err;
}

#define TABLE 1024			/* places for 256 colours, by hash */

/* Replaces colours by indices while there are few of them; leaves entries for the hatches. */
static int colours_to_indices(struct picture *p)
{
	size_t n = p->raster.n_rows * p->raster.n_cols;
	unsigned n_colours = 1, last = 0;
	struct { __u32 rgb, entry; } table[TABLE] = { 0 };

	for (size_t i = 0; i < n; i++) {
		unsigned at = (p->rgb[i] * 2654435761u >> 16) % TABLE;

		if (i && p->rgb[i] == p->rgb[i - 1]) {
			p->index[i] = last;
			continue;
		}
		while (table[at].entry && table[at].rgb != p->rgb[i])
			at = (at + 1) % TABLE;
		if (!table[at].entry && n_colours == PALETTE_COLOURS - N_SPECIAL)
			return 0;
		if (!table[at].entry) {
			table[at].rgb = p->rgb[i];
			table[at].entry = n_colours++;
			p->palette.colour[table[at].entry] = p->rgb[i];
		}
		p->index[i] = last = table[at].entry;
	}
	return 1;
}

static int paint_hues(struct picture *p)
{
	const struct blend_options o = { .transfer = p->options->transfer, .theme = p->options->theme,
				       .hue = p->options->hue, .nothing = p->palette.zero };
	int err;

	p->rgb = malloc(p->raster.n_rows * p->raster.n_cols * sizeof(*p->rgb));
	err = p->rgb ? blend_colours(p->grid, &o, &p->raster, p->rgb) : -ENOMEM;
	if (!err && colours_to_indices(p)) {
		free(p->rgb);
		p->rgb = NULL;
	}
	return err;
}

int image_png(const struct grid *g, const struct image_options *o, __u8 **ret_png, size_t *ret_len)
{
	struct picture p = { .grid = g, .options = o };
	int err = raster_range(g, o, &p.raster);

	if (!err)
		err = raster_init(&p.raster);
	if (!err) {
		p.index = malloc(p.raster.n_rows * p.raster.n_cols);
		err = p.index ? 0 : -ENOMEM;
	}
	if (!err) {
		palette_make(o->theme, o->ramp, &p.palette);
		err = o->hued || layers_drawn(g->layers) > 1 ? paint_hues(&p) : paint_ramp(&p);
	}
	raster_fini(&p.raster);		/* now: the pixels use its pages again, else the kernel maps new ones */
	if (!err)
		err = p.rgb ? png_of_colours(&p, ret_png, ret_len) : png_of_indices(&p, ret_png, ret_len);
	free(p.index);
	free(p.rgb);
	return err;
}

/* Moves an edge that rounding put very near a whole value onto that value. */
static double snap_value(const struct raster *r, double at)
{
	double along = r->low + (r->high - r->low) * at, value = r->yscale == AXIS_LINEAR ? along : exp2(along), whole = round(value);

	return fabs(value - whole) < 1e-9 * fmax(1, whole) ? whole : value;
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
		.row = row,
		.from = snap_value(&r, (double)row / r.n_rows),
		.to = snap_value(&r, (double)(row + 1) / r.n_rows),
	};
	return 0;
}

int image_cell_shares(const struct grid *g, const struct image_options *o, const struct image_cell *cell, double *ret_share)
{
	struct raster r = { 0 };
	int err = raster_range(g, o, &r);

	for (size_t row = 0; row < g->n_rows && !err; row++)
		ret_share[row] = raster_share(&r, g, row, cell->row);
	return err;
}
