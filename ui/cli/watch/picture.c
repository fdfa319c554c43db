#include "ui/cli/watch/picture.h"

#include "render/draw/cells.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SIDE_MAX 8192u			/* pixels */
#define CELLS_MAX (1u << 24)
#define RUNNING_MAX 65536u		/* cells of what runs, in all columns */
#define EDGE_MAX 0x1p63
#define PARTS 1024			/* of one, in a mean that is not whole */

/* The columns of a map that are shown, as the renderer wants them. */
struct model {
	const struct map *map;
	size_t first, n_cols;
	struct grid *grid;
	struct shade shade;		/* its arrays are one */
	struct palette palette;
};

static void model_fini(struct model *m)
{
	grid_free(m->grid);
	free(m->shade.scale);
}

/* --- grid ---------------------------------------------------------------------------------------- */

static __u64 edge_of(double value) { return value < EDGE_MAX ? (__u64)llround(value) : GRID_NO_EDGE; }

static __u64 whole_parts(double n, double parts) { return (__u64)fmax(0, fmin(round(n * parts), 0x1p53)); }

/* Converts a column so that the renderer finds the same state for it (grid_column_state). */
static struct grid_column column_of(const struct map_column *c)
{
	struct grid_column column = { .n_reporting = 1, .n_expected = 1, .n_snapshots = 1, .count = c->state != MAP_ZERO };

	column.n_reporting = c->state != MAP_UNOBSERVED && c->state != MAP_DROPPED;
	column.lost = c->state == MAP_PARTIAL;
	column.marks = c->state == MAP_IN_PROGRESS ? GRID_IN_PROGRESS : 0;
	return column;
}

static void fill_columns(const struct model *m, struct grid *g)
{
	for (size_t i = 0; i < g->n_cols; i++)
		g->column[i] = column_of(&m->map->column[m->first + i]);
}

static int make_grid(struct model *m)
{
	const struct map *map = m->map;
	struct grid *g = map->n_rows <= CELLS_MAX / m->n_cols ? grid_new(m->n_cols, map->n_rows) : NULL;

	if (!g)
		return map->n_rows <= CELLS_MAX / m->n_cols ? -ENOMEM : -E2BIG;
	m->grid = g;
	for (size_t i = 0; i <= g->n_rows; i++)
		g->edge[i] = edge_of(map->edge[i]);
	fill_columns(m, g);
	for (size_t i = 0; i < g->n_cols; i++) {
		const struct map_column *c = &map->column[m->first + i];

		for (size_t j = 0; j < c->n_cells; j++)
			g->cell[c->cell[j].row * g->n_cols + i] += whole_parts(c->cell[j].n, map->point ? PARTS : 1);
	}
	return 0;
}

/* --- running events, in their own rows ------------------------------------------------------------------ */

static int compare_edges(const void *a, const void *b)
{
	const __u64 *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* All edges, each once. */
static size_t collect_edges(const struct model *m, __u64 *edge)
{
	size_t n = 0, kept = 0;

	for (size_t i = m->first; i < m->map->n_cols; i++)
		for (size_t j = 0; j < m->map->column[i].n_running; j++) {
			edge[n++] = edge_of(m->map->column[i].running[j].low);
			edge[n++] = edge_of(m->map->column[i].running[j].high);
		}
	qsort(edge, n, sizeof(*edge), compare_edges);
	for (size_t i = 0; i < n; i++)
		if (!i || edge[i] != edge[kept - 1])
			edge[kept++] = edge[i];
	return kept;
}

static void put_running(struct grid *g, size_t col, const struct map_running *r)
{
	__u64 low = edge_of(r->low), high = edge_of(r->high);
	const __u64 *first = bsearch(&low, g->edge, g->n_rows + 1, sizeof(low), compare_edges);

	for (size_t row = (size_t)(first - g->edge); row < g->n_rows && g->edge[row + 1] <= high; row++)
		g->cell[row * g->n_cols + col] += whole_parts(fmax(r->n, 1), 1);
}

static int fill_running(struct model *m, const __u64 *edge, size_t n_edges)
{
	struct grid *g = n_edges - 1 <= CELLS_MAX / m->n_cols ? grid_new(m->n_cols, n_edges - 1) : NULL;

	if (!g)
		return n_edges - 1 <= CELLS_MAX / m->n_cols ? -ENOMEM : -E2BIG;
	m->grid->running = g;
	g->point = 1;
	memcpy(g->edge, edge, n_edges * sizeof(*edge));
	fill_columns(m, g);
	for (size_t i = 0; i < g->n_cols; i++)
		for (size_t j = 0; j < m->map->column[m->first + i].n_running; j++)
			put_running(g, i, &m->map->column[m->first + i].running[j]);
	return 0;
}

static int make_running(struct model *m)
{
	size_t n = 0, n_edges;
	__u64 *edge;
	int err = 0;

	for (size_t i = m->first; i < m->map->n_cols; i++)
		n += m->map->column[i].n_running;
	if (n > RUNNING_MAX)
		return -E2BIG;
	edge = calloc(2 * n + 1, sizeof(*edge));
	if (!edge)
		return -ENOMEM;
	n_edges = collect_edges(m, edge);
	if (n_edges > 1)
		err = fill_running(m, edge, n_edges);
	free(edge);
	return err;
}

/* --- colours ------------------------------------------------------------------------------------ */

/* heatscoped sends only weight / height of a row; here its weight is 1. */
static int make_shade(struct model *m)
{
	const struct map *map = m->map;
	size_t n = map->n_rows;
	struct shade *s = &m->shade;

	s->scale = calloc(3 * n + m->n_cols, sizeof(*s->scale));
	if (!s->scale)
		return -ENOMEM;
	s->height = s->scale + n;
	s->weight = s->height + n;
	s->share = s->weight + n;
	s->n_rows = n;
	s->yscale = map->yscale;
	memcpy(s->level, map->level, sizeof(s->level));
	for (size_t i = 0; i < n; i++) {
		s->scale[i] = map->scale[i];
		s->height[i] = 1 / map->scale[i];
		s->weight[i] = map->point ? 1.0 / PARTS : 1;
	}
	for (size_t i = 0; i < m->n_cols; i++)
		s->share[i] = map->column[m->first + i].share;
	return 0;
}

/* Takes so few steps that the colours, with those of the hatches, are at most n_colours. */
static void thin_palette(__u32 colour[PALETTE_COLOURS], unsigned n_colours)
{
	enum { BESIDES = 6, STEPS = PALETTE_COLOURS - 1 };
	unsigned n = n_colours - BESIDES;
	__u32 all[PALETTE_COLOURS];

	if (n >= STEPS)
		return;
	memcpy(all, colour, sizeof(all));
	for (unsigned i = 0; i < STEPS; i++)
		colour[1 + i] = all[1 + i * n / STEPS * (STEPS - 1) / (n - 1)];
}

/* The palette of the map, and a colour for hatch lines, which heatscoped does not send. */
static void make_palette(struct model *m, unsigned n_colours)
{
	const struct map *map = m->map;
	struct palette *p = &m->palette;

	palette_make(palette_luminance(map->zero) < 0.5 ? PALETTE_DARK : PALETTE_LIGHT, PALETTE_USUAL, p);
	memcpy(p->colour, map->palette, sizeof(p->colour));
	p->zero = map->zero;
	p->unobserved = map->unobserved;
	p->partial = map->partial;
	p->running = map->running;
	thin_palette(p->colour, n_colours);
}

static int model_init(struct model *m, unsigned n_colours)
{
	make_palette(m, n_colours);
	return make_grid(m) ?: make_running(m) ?: make_shade(m);
}

/* --- pixels -------------------------------------------------------------------------------------- */

static int paint_cells(const struct model *m, const struct plot *plot, struct graphics g, struct picture *p)
{
	const struct domain *d = &plot->domain;
	const struct cells c = { .grid = m->grid, .shade = &m->shade, .palette = &m->palette, .low = d->low, .high = d->high,
				 .hatch = g.cell_height / 2 + 2 };
	unsigned strip = p->height / (unsigned)plot->n_pixels, over = d->over ? strip : 0, under = d->under ? strip : 0;
	unsigned body = p->height - over - under;
	size_t width = p->width;
	int err = cells_paint(&c, p->pixel + over * width, width, p->width, body);

	if (!err && over)
		err = cells_paint_above(&c, p->pixel, width, p->width, over);
	if (!err && under)
		err = cells_paint_below(&c, p->pixel + (over + body) * width, width, p->width, under);
	return err;
}

int picture_paint(const struct plot *plot, const struct layout *l, struct graphics g, struct picture *ret_picture)
{
	struct model m = { .map = plot->map };
	struct picture p = { .line = l->map_line, .n_lines = l->map_lines };
	int err;

	m.n_cols = m.map->n_cols < (size_t)l->map_cols ? m.map->n_cols : (size_t)l->map_cols;
	m.first = m.map->n_cols - m.n_cols;
	p.n_cols = (long)m.n_cols;
	p.col = l->map_col + l->map_cols - p.n_cols;
	p.width = (unsigned)p.n_cols * g.cell_width;
	p.height = (unsigned)p.n_lines * g.cell_height;
	if (p.width > SIDE_MAX || p.height > SIDE_MAX)
		return -E2BIG;
	p.pixel = malloc(sizeof(*p.pixel) * p.width * p.height);
	err = p.pixel ? model_init(&m, g.n_colours) : -ENOMEM;
	if (!err)
		err = paint_cells(&m, plot, g, &p);
	model_fini(&m);
	if (err)
		picture_fini(&p);
	else
		*ret_picture = p;
	return err;
}

void picture_fini(struct picture *p)
{
	free(p->pixel);
	*p = (struct picture){ .pixel = NULL };
}

bool picture_same(const struct picture *a, const struct picture *b)
{
	return a->pixel && b->pixel && a->line == b->line && a->col == b->col && a->n_lines == b->n_lines && a->n_cols == b->n_cols &&
	       a->width == b->width && a->height == b->height && !memcmp(a->pixel, b->pixel, sizeof(*a->pixel) * a->width * a->height);
}
