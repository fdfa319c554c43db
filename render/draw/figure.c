#include "render/draw/figure.h"
#include "render/grid/crop.h"
#include "render/draw/caption.h"
#include "render/draw/legend.h"
#include "render/draw/panel.h"
#include "render/draw/sentence.h"
#include <errno.h>
#include <stdio.h>

#define PLOT_MIN 50			/* px: the lowest height of a map */

void figure_defaults(struct figure_options *ret_options)
{
	*ret_options = (struct figure_options){
		.width = 1200, .height = 500, .scale = 1, .format = FIGURE_PNG, .theme = PALETTE_LIGHT,
		.transfer = SHADE_LOG, .yscale = AXIS_LOG, .percentiles = true,
	};
}

void figure_shading(const struct figure_options *o, struct shade_options *ret)
{
	*ret = (struct shade_options){ .yscale = o->yscale, .transfer = o->transfer, .weighted = o->weighted,
				       .low = o->ymax ? o->ymin : 0, .high = o->ymax };
}

bool figure_size_valid(const struct figure_options *o)
{
	return o->width >= FIGURE_WIDTH_MIN && o->width <= FIGURE_SIDE_MAX && o->height >= FIGURE_HEIGHT_MIN &&
	       o->height <= FIGURE_SIDE_MAX && (o->scale == 1 || o->scale == 2) &&
	       (!o->ymax || o->ymin < o->ymax);
}

/* Writes the subtitle, and what lies beyond the axis. */
static void put_subtitle(const struct grid *g, const struct figure_options *o, char *out, size_t room)
{
	char cropped[SENTENCE_MAX] = "";

	if (o->ymax)
		crop_sentence(g, o->ymax, cropped, sizeof(cropped));
	snprintf(out, room, "%s%s%s", o->subtitle ? o->subtitle : "", o->subtitle && *cropped ? "; " : "", cropped);
}

static void draw_figure(struct canvas *c, const struct grid *g, const struct shade *s, const struct layer_ramps *t,
			const struct legend *l, const struct figure_options *o)
{
	char summary[SENTENCE_MAX], subtitle[2 * SENTENCE_MAX];
	struct figure_options head = *o;
	double bottom = c->height - CAPTION_FOOTER - 4, width = c->width - 24 - PLOT_RIGHT;
	double layers = legend_lines(l->item, l->n, width) * LEGEND_LINE;
	struct panel p = {
		.grid = g, .shade = s, .ramps = t, .options = o, .time_labels = true,
		.x = PLOT_LEFT, .y = CAPTION_HEAD, .width = c->width - PLOT_LEFT - PLOT_RIGHT,
		.height = bottom - layers - CAPTION_KEY - 6 - PLOT_TIME - 4 - CAPTION_HEAD,
	};

	if (p.height < PLOT_MIN) {
		c->err = -EINVAL;
		return;
	}
	sentence_summary(g, o->zone, summary, sizeof(summary));
	put_subtitle(g, o, subtitle, sizeof(subtitle));
	head.subtitle = subtitle;
	canvas_describe(c, subtitle, summary);
	panel_range(&g, 1, o, &p.range);
	caption_head(c, &head, 24, c->width - CAPTION_LEGEND_WIDTH - 24 - 36);
	caption_legend(c, s, g, t, l, c->width - PLOT_RIGHT, 14);
	panel_draw(c, &p);
	legend_draw(c, l->item, l->n, 24, bottom - layers - CAPTION_KEY - 2, width);
	caption_key(c, o, &g, 1, 24, bottom - CAPTION_KEY - 2);
	caption_footer(c, g, s, o, 24, bottom - 2);
}

static int draw_folded(const struct grid *g, const struct figure_options *o, __u8 **ret_bytes, size_t *ret_len)
{
	struct canvas c;
	struct legend l = { 0 };
	struct layer_ramps t = { 0 };
	struct shade s;
	__s64 to_ns = g->from_ns + (__s64)(g->col_ns * g->n_cols);
	struct shade_options shading;
	int err;

	figure_shading(o, &shading);
	err = shade_make(&g, 1, &shading, &s);

	if (err)
		return err;
	err = layer_ramps_make(g, o->theme, &t);
	if (!err)
		err = legend_make(g, &t, &l);
	if (!err)
		err = canvas_init(&c, o, o->height, to_ns);
	if (!err) {
		draw_figure(&c, g, &s, &t, &l, o);
		err = canvas_bytes(&c, ret_bytes, ret_len);
		canvas_fini(&c);
	}
	legend_fini(&l);
	layer_ramps_fini(&t);
	shade_fini(&s);
	return err;
}

int figure_render(const struct grid *g, const struct figure_options *o, __u8 **ret_bytes, size_t *ret_len)
{
	struct grid *folded;
	int err;

	if (!g->n_cols || !g->n_rows || !figure_size_valid(o))
		return -EINVAL;
	if (g->n_cols <= o->width - PLOT_LEFT - PLOT_RIGHT)
		return draw_folded(g, o, ret_bytes, ret_len);
	err = grid_fold(g, panel_fold(g->n_cols, o->width - PLOT_LEFT - PLOT_RIGHT), &folded);
	if (err)
		return err;
	err = draw_folded(folded, o, ret_bytes, ret_len);
	grid_free(folded);
	return err;
}
