/* maps.h - folds the maps of a report to a width, and gives them one colour scale and one value axis.
 *
 * Errors  -ENOMEM.
 * Memory  the grids of the panels are borrowed; maps_fini() frees the results of maps_init().
 */
#ifndef HEATSCOPE_MAPS_H
#define HEATSCOPE_MAPS_H

#include "render/draw/legend.h"
#include "render/draw/panel.h"
#include "render/document/report.h"

struct maps {
	size_t n;
	const struct grid *grid[REPORT_PANELS_MAX];
	struct grid *folded[REPORT_PANELS_MAX];	/* grids that we made; NULL: the caller's */
	struct shade shade[REPORT_PANELS_MAX];
	struct layer_ramps ramps[REPORT_PANELS_MAX];
	struct panel_range range;
	struct legend legend;		/* of the first grid's layers */
};

int maps_init(struct maps *m, const struct report *r, const struct figure_options *o);
void maps_fini(struct maps *m);

/* Draws map i in a frame of this height in px. */
void maps_draw(struct canvas *c, const struct maps *m, size_t i, const struct figure_options *o, double y, double height,
	       bool time_labels);

#endif
