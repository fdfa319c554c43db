/* caption.h - the words around a map: head, colour legend, key, footer.
 *
 * Drawn on a canvas at x, y = top left in px; heights are EXPLAIN_*.
 */
#ifndef HEATSCOPE_EXPLAIN_H
#define HEATSCOPE_EXPLAIN_H

#include "render/draw/canvas.h"
#include "render/color/layer_ramp.h"

#define EXPLAIN_HEAD 74			/* title and subtitle, beside the legend */
#define EXPLAIN_LEGEND_WIDTH 280
#define EXPLAIN_KEY 20
#define EXPLAIN_FOOTER 40

void explain_head(struct canvas *c, const struct figure_options *o, double x, double width);

/* The colour bar, its title above, ticks below; it ends at `right`.  Of layers (l): a band for each of the
 * first few. */
struct legend;
void explain_legend(struct canvas *c, const struct shade *s, const struct grid *g, const struct tints *t,
		    const struct legend *l, double right, double y);

/* p50, p99, max as far as drawn; nothing happened, not observed, partly lost; marks that some of
 * the n grids have. */
void explain_key(struct canvas *c, const struct figure_options *o, const struct grid *const *grid, size_t n,
		 double x, double y);

/* Time range, totals, losses; sources and their coverage; slot, column and, of maps, cell; version. */
void explain_footer(struct canvas *c, const struct grid *g, const struct shade *s, const struct figure_options *o,
		    double x, double y);

#endif
