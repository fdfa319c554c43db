/* panel.h - draws one heat map in its frame: cells, value axis, time axis, lines.
 *
 *      |    y labels | frame: cells, p50 and p99 |
 *                    | time labels, zone         |     only if time_labels
 *
 * Range   panel_range() finds one axis for several grids, panel_draw() draws each grid on it.
 * Errors  the canvas keeps them.
 */
#ifndef HEATSCOPE_PANEL_H
#define HEATSCOPE_PANEL_H

#include "render/draw/plot.h"
#include "render/color/layer_ramp.h"

struct panel_range {
	double low, high;		/* of the value axis */
	bool above, below;		/* draw strips for rows outside */
};

struct panel {
	const struct grid *grid;
	const struct shade *shade;
	const struct layer_ramps *ramps;	/* of the grid's layers */
	const struct figure_options *options;
	struct panel_range range;
	double x, y, width, height;	/* of the frame, strips included */
	bool time_labels;
};

void panel_range(const struct grid *const *grid, size_t n, const struct figure_options *o,
		 struct panel_range *ret_range);

void panel_draw(struct canvas *c, const struct panel *p);

/* Returns the place of a value in px, within the frame and between its strips. */
double panel_y(const struct panel *p, __u64 value);

/* Returns the k for grid_fold() with which a frame of `width` px has at most one column per px. */
size_t panel_fold(size_t n_cols, double width);

#endif
