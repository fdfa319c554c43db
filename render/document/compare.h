/* compare.h - one page: A and B as maps, how their values are distributed, and their percentiles.
 *
 *      difference   one map of |A - B|: orange where there is more in A, blue where there is more in B, grey what may be chance
 *      side         A beside B, on one axis and one colour scale
 *      overlay      both in one map, each in its hue
 *
 *      below        shares or counts by value as lines of steps, A's solid over an area, B's dashed   |  events, mean, p50 ... of both
 *
 * Without colour  What differs is framed: solid where there is more in A, dashed where there is more in B; so are the lines below.
 * Shape   All grids have the same columns and rows; A's and B's may begin at different times, and the axis is A's.
 *         The map has two layers: more in A, more in B.
 * Options As for a figure.
 * Errors  -EINVAL: other shapes, a bad size, more columns than px; -ENOMEM.
 * Memory  the bytes are the caller's, to be freed with free().  Equal input, equal bytes.
 * Thread  any.
 */
#ifndef HEATSCOPE_COMPARE_H
#define HEATSCOPE_COMPARE_H

#include "render/draw/figure.h"

enum compare_view { COMPARE_DIFFERENCE, COMPARE_SIDE, COMPARE_OVERLAY };

struct compare_mark {			/* columns from..to-1 of a row differ by more than they vary */
	size_t row, from, to;
	bool more_in_a;
};

struct compare_line {			/* of the table */
	const char *name;
	double a, b;
	enum axis_unit unit;
	bool tested, significant;
	double q;
};

struct compare {
	enum compare_view view;
	const char *name[2];		/* of A and of B */
	const struct grid *grid[2], *map;
	double cell_unit;		/* what a 1 in a cell stands for: per cent, or 1 */
	bool share;			/* in per cent */
	const double *distribution[2];	/* of each row: per cent of all events, or events */
	size_t n_marks;
	const struct compare_mark *mark;
	double rate;			/* of false marks */
	size_t n_lines;
	const struct compare_line *line;
};

int compare_render(const struct compare *k, const struct figure_options *o, __u8 **ret_bytes, size_t *ret_len);

/* How many columns a picture of this width has room for. */
size_t compare_columns(enum compare_view view, unsigned width);

/* The lower part, in compare_lower.c: from y on, COMPARE_LOWER px high. */
#define COMPARE_LOWER 236
struct canvas;
struct panel_range;
void compare_draw_lower(struct canvas *c, const struct compare *k, const struct figure_options *o, const struct panel_range *range,
			double y);

/* The colour in which A (0) or B (1) is drawn as a line or an area. */
__u32 compare_colour(enum palette_theme theme, int side);

#endif
