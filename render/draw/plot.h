/* plot.h - draws the frame of a map or chart: the time axis, and the marks of columns.
 *
 *      14:00     14:05    14:10            time and, below, the day; the zone at the right
 *
 * Columns lie edge to edge: column i begins at x + floor(i * width / n_cols) px.
 * Errors  the canvas keeps them.
 */
#ifndef HEATSCOPE_PLOT_H
#define HEATSCOPE_PLOT_H

#include "render/draw/canvas.h"
#include "render/grid/grid.h"
#include "render/grid/zone.h"

#define PLOT_LEFT 72			/* px for labels of the value axis */
#define PLOT_RIGHT 24
#define PLOT_TIME 38			/* px for labels of the time axis: time and date */

struct plot {
	double x, y, width, height;
	__s64 from_ns;
	__u64 col_ns;
	size_t n_cols;
	const struct grid_column *column;
	const struct zone *zone;
};

/* Returns the place where a column begins, in px. */
double plot_x(const struct plot *p, size_t col);

void plot_outline(struct canvas *c, const struct plot *p);
void plot_time_axis(struct canvas *c, const struct plot *p, bool labels);

/* Draw coverage: not observed, below the cells; partly lost, above them. */
void plot_unobserved(struct canvas *c, const struct plot *p);
void plot_partial(struct canvas *c, const struct plot *p);

/* Draws marks.  In progress: a veil, and a bar at the foot.  A step of the clock: a dashed line from top to foot. */
void plot_marks(struct canvas *c, const struct plot *p);

/* Draws annotations: lines where they begin and end, a bar along the top, and the texts that fit in three rows
 * below. */
void plot_annotations(struct canvas *c, const struct plot *p, const struct annotation_list *a);

/* Does any column have this mark? */
bool plot_marked(const struct grid_column *column, size_t n, enum grid_mark mark);

#endif
