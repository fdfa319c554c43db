#include "render/document/multiples.h"
#include "render/draw/caption.h"
#include "render/draw/legend.h"
#include "render/draw/panel.h"
#include "render/draw/sentence.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define LEFT 24
#define NAME 22				/* px of the line over a map */
#define MAP 104				/* px of a map */
#define GAP 12
#define MORE 22
#define CELLS_MOST 150			/* columns of a map: more cannot be seen */

static size_t n_abreast(unsigned width)
{
	return width >= 1000 ? 3 : width >= 640 ? 2 : 1;
}

static double place_width(unsigned width)
{
	return floor(width / (double)n_abreast(width));
}

static double frame_width(unsigned width)
{
	return place_width(width) - PLOT_LEFT - PLOT_RIGHT;
}

size_t multiples_columns(unsigned width)
{
	double px = frame_width(width);

	return px < 1 ? 1 : px > CELLS_MOST ? CELLS_MOST : (size_t)px;
}

/* ---- the maps ---- */

struct maps {
	const struct grid **grid;
	struct shade *shade;
	size_t n_shades;
	struct panel_range range;
};

static void maps_fini(struct maps *m)
{
	for (size_t i = 0; i < m->n_shades; i++)
		shade_fini(&m->shade[i]);
	free(m->shade);
	free(m->grid);
}

static int maps_make(const struct multiples *all, const struct figure_options *o, struct maps *m)
{
	struct shade_options shading;
	int err = -ENOMEM;

	*m = (struct maps){ .grid = calloc(all->n, sizeof(*m->grid)), .shade = calloc(all->n, sizeof(*m->shade)) };
	figure_shading(o, &shading);
	if (m->grid && m->shade) {
		for (size_t i = 0; i < all->n; i++)
			m->grid[i] = all->one[i].grid;
		err = shade_make(m->grid, all->n, &shading, m->shade);
	}
	if (err) {
		maps_fini(m);
		return err;
	}
	m->n_shades = all->n;
	panel_range(m->grid, all->n, o, &m->range);
	return 0;
}

/* ---- page ---- */

static double row_y(size_t row)
{
	return CAPTION_HEAD + (double)row * (NAME + MAP + GAP);
}

static size_t n_rows(const struct multiples *all, unsigned width)
{
	return (all->n + n_abreast(width) - 1) / n_abreast(width);
}

static double lower_y(const struct multiples *all, unsigned width)
{
	return row_y(n_rows(all, width)) + PLOT_TIME;
}

static unsigned page_height(const struct multiples *all, unsigned width)
{
	return (unsigned)lower_y(all, width) + (*all->more ? MORE : 0) + CAPTION_KEY + 8 + CAPTION_FOOTER + 4;
}

static void draw_name(struct canvas *c, const struct multiple *one, double x, double y, double width)
{
	double about;

	canvas_font(c, CANVAS_TEXT, false);
	about = canvas_text_width(c, one->about);
	canvas_colour(c, c->palette.muted);
	canvas_text(c, CANVAS_RIGHT, x + width, y, one->about);
	canvas_font(c, CANVAS_TEXT + 1, true);
	canvas_colour(c, c->palette.text);
	canvas_text_within(c, x, y, width - about - 12, *one->name ? one->name : "(all)");
}

static void draw_one(struct canvas *c, const struct multiples *all, const struct maps *m, const struct figure_options *o, size_t i)
{
	static const struct layer_ramps none;
	size_t abreast = n_abreast(o->width);
	double x = (double)(i % abreast) * place_width(o->width) + PLOT_LEFT, y = row_y(i / abreast);
	struct panel p = { .grid = m->grid[i], .shade = &m->shade[i], .ramps = &none, .options = o, .range = m->range, .x = x, .y = y + NAME,
			   .width = frame_width(o->width), .height = MAP, .time_labels = i + abreast >= all->n };

	draw_name(c, &all->one[i], x, y + NAME - 7, frame_width(o->width));
	panel_draw(c, &p);
}

static void draw_page(struct canvas *c, const struct multiples *all, const struct maps *m, const struct figure_options *o)
{
	static const struct layer_ramps none;
	static const struct legend no_layers;
	double y = lower_y(all, o->width);
	char sentence[SENTENCE_MAX];

	sentence_summary(all->all, o->zone, sentence, sizeof(sentence));
	canvas_describe(c, o->subtitle, sentence);
	caption_head(c, o, LEFT, c->width - CAPTION_LEGEND_WIDTH - LEFT - 36);
	caption_legend(c, &m->shade[0], m->grid[0], &none, &no_layers, c->width - PLOT_RIGHT, 14);
	for (size_t i = 0; i < all->n; i++)
		draw_one(c, all, m, o, i);
	if (*all->more) {
		canvas_font(c, CANVAS_TEXT + 1, true);
		canvas_colour(c, c->palette.text);
		canvas_text_within(c, LEFT, y + 12, c->width - 2 * LEFT, all->more);
		y += MORE;
	}
	canvas_font(c, CANVAS_TEXT, false);
	caption_key(c, o, m->grid, all->n, LEFT, y);
	caption_footer(c, all->all, &m->shade[0], o, LEFT, y + CAPTION_KEY + 8);
}

static bool is_valid(const struct multiples *all, const struct figure_options *o)
{
	if (!all->n || all->n > MULTIPLES_MAX || all->all->n_cols > multiples_columns(o->width))
		return false;
	for (size_t i = 0; i < all->n; i++)
		if (all->one[i].grid->n_cols != all->all->n_cols || all->one[i].grid->n_rows != all->all->n_rows)
			return false;
	return true;
}

int multiples_render(const struct multiples *all, const struct figure_options *options, __u8 **ret_bytes, size_t *ret_len)
{
	struct figure_options o = *options;
	const struct grid *g = all->all;
	struct canvas c;
	struct maps m;
	int err;

	if (!is_valid(all, &o))
		return -EINVAL;
	o.height = page_height(all, o.width);
	if (!figure_size_valid(&o))
		return -EINVAL;
	err = maps_make(all, &o, &m);
	if (err)
		return err;
	err = canvas_init(&c, &o, o.height, g->from_ns + (__s64)(g->col_ns * g->n_cols));
	if (!err) {
		draw_page(&c, all, &m, &o);
		err = canvas_bytes(&c, ret_bytes, ret_len);
		canvas_fini(&c);
	}
	maps_fini(&m);
	return err;
}
