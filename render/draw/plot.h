/* plot.h - the frame that maps and charts are drawn in: its time axis, and marks of its columns.
 *
 *      14:00     14:05    14:10            time and, below, the day; the zone at the right
 *
 * Columns lie edge to edge, column i from x + floor(i * width / n_cols) px on.
 * Errors  kept in the canvas.
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

/* Where a column begins. */
double plot_x(const struct plot *p, size_t col);

void plot_outline(struct canvas *c, const struct plot *p);
void plot_time_axis(struct canvas *c, const struct plot *p, bool labels);

/* Coverage of what has no cells of its own: nobody looked, below everything; partly lost, above it. */
void plot_unobserved(struct canvas *c, const struct plot *p);
void plot_partial(struct canvas *c, const struct plot *p);

/* In progress: a veil, and a bar at the foot.  The clock was set: a dashed line from top to foot. */
void plot_marks(struct canvas *c, const struct plot *p);

/* Lines where they begin and end, a bar along the top, and their texts, as far as three rows below it have room. */
void plot_annotations(struct canvas *c, const struct plot *p, const struct annotations *a);

/* Does any column have this mark? */
bool plot_marked(const struct grid_column *column, size_t n, enum grid_mark mark);

#endif
