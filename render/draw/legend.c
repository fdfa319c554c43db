#include "render/draw/legend.h"
#include "render/draw/caption.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SWATCH_WIDTH 28
#define SWATCH_HEIGHT 11
#define GAP 22
#define CHAR_PX 8			/* a name with wider characters is cut */
#define NAME_PX 260
#define MORE_PX 110			/* "and 1000 more" */

static size_t count_characters(const char *text)
{
	size_t n = 0;

	for (; text && *text; text++)
		n += (*text & 0xc0) != 0x80;
	return n;
}

static double name_width(const struct legend_item *item)
{
	return fmin(CHAR_PX * count_characters(item->name) + 6, NAME_PX);
}

/* The greatest width of an item. */
static double item_width(const struct legend_item *item)
{
	double value = item->value ? 6 + CHAR_PX * count_characters(item->value) : 0;

	return SWATCH_WIDTH + 7 + name_width(item) + value + GAP;
}

/* The line of an item; -1: it does not fit, nor do the items after it. */
static long place_item(const struct legend_item *item, size_t n, size_t at, double width, double *x, unsigned *line)
{
	double need = item_width(&item[at]), keep = at + 1 < n && *line + 1 == LEGEND_LINES ? MORE_PX : 0;

	if (*x > 0 && *x + need > width - keep) {
		if (*line + 1 == LEGEND_LINES)
			return -1;
		*x = 0;
		++*line;
	}
	*x += need;
	return *line;
}

unsigned legend_lines(const struct legend_item *item, size_t n, double width)
{
	unsigned line = 0;
	double x = 0;

	for (size_t i = 0; i < n; i++)
		if (place_item(item, n, i, width, &x, &line) < 0)
			break;
	return n ? line + 1 : 0;
}

static void draw_swatch(struct canvas *c, const struct legend_item *item, double x, double y)
{
	cairo_set_antialias(c->cr, CAIRO_ANTIALIAS_NONE);
	for (int i = 0; i < SWATCH_WIDTH; i++) {
		canvas_colour(c, item->ramp ? item->ramp[1 + 254 * i / (SWATCH_WIDTH - 1)] : item->colour);
		if (item->ramp)
			canvas_box(c, x + i, y, 1, SWATCH_HEIGHT);
	}
	if (!item->ramp)
		canvas_box(c, x, item->line ? y + SWATCH_HEIGHT / 2 - 1 : y, SWATCH_WIDTH, item->line ? 2 : SWATCH_HEIGHT);
	cairo_set_antialias(c->cr, CAIRO_ANTIALIAS_DEFAULT);
}

static double draw_item(struct canvas *c, const struct legend_item *item, double x, double y)
{
	double width = fmin(canvas_text_width(c, item->name), name_width(item));

	draw_swatch(c, item, x, y);
	x += SWATCH_WIDTH + 7;
	canvas_colour(c, c->palette.text);
	canvas_text_within(c, x, y + 10, name_width(item), item->name);
	x += width;
	if (item->value) {
		canvas_colour(c, c->palette.muted);
		canvas_text(c, CANVAS_LEFT, x + 6, y + 10, item->value);
		x += 6 + canvas_text_width(c, item->value);
	}
	return x + GAP;
}

void legend_draw(struct canvas *c, const struct legend_item *item, size_t n, double x, double y, double width)
{
	unsigned line = 0, last = 0;
	double at = 0, right = x;
	char more[32];

	canvas_font(c, CANVAS_TEXT, false);
	for (size_t i = 0; i < n; i++) {
		if (place_item(item, n, i, width, &at, &line) < 0) {
			snprintf(more, sizeof(more), "and %zu more", n - i);
			canvas_colour(c, c->palette.muted);
			canvas_text(c, CANVAS_LEFT, right, y + last * LEGEND_LINE + 10, more);
			return;
		}
		if (line != last)
			right = x;
		last = line;
		right = draw_item(c, &item[i], right, y + line * LEGEND_LINE);
	}
}

/* --- of layers -------------------------------------------------------------------------------- */

struct entry {				/* an item before it is sorted */
	size_t layer;
	__u64 count;
};

static int by_count(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return (x->layer > y->layer) - (x->layer < y->layer);
}

static void put_item(struct legend *l, const struct grid *g, const char *name, __u64 count, const __u32 *ramp)
{
	axis_format_count(grid_shown(g, g->all.n_snapshots, (double)count), l->value[l->n]);
	l->item[l->n] = (struct legend_item){ .name = *name ? name : "(all)", .value = l->value[l->n], .ramp = ramp };
	l->n++;
}

static __u64 sum_of(const __u64 *cell, size_t n)
{
	__u64 sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += cell[i];
	return sum;
}

int legend_make(const struct grid *g, const struct layer_ramps *t, struct legend *ret_legend)
{
	const struct layers *layers = g->layers;
	size_t n = layers && layers->shown != LAYERS_EXCLUDED ? layers->n : 0;
	struct legend l = { .item = calloc(n + 1, sizeof(*l.item)), .value = calloc(n + 1, sizeof(*l.value)) };
	struct entry *entry = calloc(n + 1, sizeof(*entry));
	__u64 rest;

	if (!l.item || !l.value || !entry) {
		legend_fini(&l);
		free(entry);
		return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++)
		entry[i] = (struct entry){ i, layers->layer[i].count };
	qsort(entry, n, sizeof(*entry), by_count);
	for (size_t i = 0; i < n; i++)
		put_item(&l, g, layers->layer[entry[i].layer].name, entry[i].count, t->ramp[1 + entry[i].layer]);
	rest = n && t->rest ? sum_of(t->rest, g->n_rows * g->n_cols) : 0;
	if (rest)
		put_item(&l, g, "everything else", rest, t->ramp[0]);
	free(entry);
	*ret_legend = l;
	return 0;
}

void legend_fini(struct legend *l)
{
	free(l->item);
	free(l->value);
	*l = (struct legend){ 0 };
}
