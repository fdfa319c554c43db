/* chart.h - draws numbers over time: rates stacked by key, or percentiles as lines.
 *
 *      1.5k |    ______                       queries per second, the greatest keys at the foot
 *        1k | __/######\___      ////         //// not observed: a gap, not a zero
 *       500 |/#############\     ////____
 *         0 |###############|    ////####
 *            14:00    14:05    14:10
 *      [#] select 1,234   [#] update 89   [#] other 12
 *
 * Shape   A series has one value per column of the grid; NAN: no value.  The grid gives time, coverage and totals.
 *         Stacked series add up, the first at the foot.  Lines are drawn one over the other.
 * Columns at most one per px of the frame: chart_columns().
 * Errors  -EINVAL: no series, a bad size, too many columns; -ENOMEM.
 * Memory  the caller frees the bytes with free().  Equal input, equal bytes.
 * Thread  any.
 */
#ifndef HEATSCOPE_CHART_H
#define HEATSCOPE_CHART_H

#include "render/draw/figure.h"
#include "render/grid/layer.h"

#define CHART_SERIES_MAX 24

enum chart_kind { CHART_STACKED, CHART_LINES };

enum chart_colour { CHART_HUE, CHART_P50, CHART_P90, CHART_P99, CHART_MAX };

struct chart_series {
	const char *name;
	const char *total;		/* after the name in the legend; NULL: none */
	const double *value;		/* n_cols of the grid */
	enum chart_colour colour;
	int hue;			/* CHART_HUE: 0..359, or LAYER_GREY */
};

struct chart {
	enum chart_kind kind;
	const struct grid *grid;
	const char *what;		/* "queries per second" */
	enum axis_unit unit;		/* of the values */
	size_t n_series;
	const struct chart_series *series;
};

int chart_render(const struct chart *ch, const struct figure_options *o, __u8 **ret_bytes, size_t *ret_len);

/* Returns the highest number of columns for a picture of this width. */
size_t chart_columns(unsigned width);

/* For a report: draws the chart in a frame of this height, with its legend and nothing else. */
struct canvas;
unsigned chart_legend_lines(const struct chart *ch, double width);
void chart_draw(struct canvas *c, const struct chart *ch, const struct figure_options *o, double y, double height,
		bool time_labels);
void chart_legend(struct canvas *c, const struct chart *ch, double y, double width);

/* Can it be drawn: has it series, and do its columns fit? */
bool chart_valid(const struct chart *ch, unsigned width);

#endif
