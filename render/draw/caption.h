/* caption.h - draws the texts around a map: head, colour legend, key, footer.
 *
 * It draws on a canvas; x, y is the top left in px.  Heights are CAPTION_*.
 */
#ifndef HEATSCOPE_CAPTION_H
#define HEATSCOPE_CAPTION_H

#include "render/draw/canvas.h"
#include "render/color/layer_ramp.h"

#define CAPTION_HEAD 74			/* title and subtitle, next to the legend */
#define CAPTION_LEGEND_WIDTH 280
#define CAPTION_KEY 20
#define CAPTION_FOOTER 40

void caption_head(struct canvas *c, const struct figure_options *o, double x, double width);

/* Draws the colour bar, with its title above and ticks below; its right end is `right`.  If there are layers (l), the
 * bar has a band for each of the first few. */
struct legend;
void caption_legend(struct canvas *c, const struct shade *s, const struct grid *g, const struct layer_ramps *t,
		    const struct legend *l, double right, double y);

/* Draws the key: p50, p99 and max if the map shows them; nothing happened, not observed, partly lost; each mark that
 * one of the n grids has. */
void caption_key(struct canvas *c, const struct figure_options *o, const struct grid *const *grid, size_t n,
		 double x, double y);

/* Draws the footer: time range, totals, losses; sources and their coverage; slot, column and, for maps, cell;
 * version. */
void caption_footer(struct canvas *c, const struct grid *g, const struct shade *s, const struct figure_options *o,
		    double x, double y);

#endif
