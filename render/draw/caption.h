/* caption.h - the words around a map: head, colour legend, key, footer.
 *
 * Drawn on a canvas at x, y = top left in px; heights are EXPLAIN_*.
 */
#ifndef HEATSCOPE_CAPTION_H
#define HEATSCOPE_CAPTION_H

#include "render/draw/canvas.h"
#include "render/color/layer_ramp.h"

#define CAPTION_HEAD 74			/* title and subtitle, beside the legend */
#define CAPTION_LEGEND_WIDTH 280
#define CAPTION_KEY 20
#define CAPTION_FOOTER 40

void caption_head(struct canvas *c, const struct figure_options *o, double x, double width);

/* The colour bar, its title above, ticks below; it ends at `right`.  Of layers (l): a band for each of the
 * first few. */
struct legend;
void caption_legend(struct canvas *c, const struct shade *s, const struct grid *g, const struct layer_ramps *t,
		    const struct legend *l, double right, double y);

/* p50, p99, max as far as drawn; nothing happened, not observed, partly lost; marks that some of
 * the n grids have. */
void caption_key(struct canvas *c, const struct figure_options *o, const struct grid *const *grid, size_t n,
		 double x, double y);

/* Time range, totals, losses; sources and their coverage; slot, column and, of maps, cell; version. */
void caption_footer(struct canvas *c, const struct grid *g, const struct shade *s, const struct figure_options *o,
		    double x, double y);

#endif
