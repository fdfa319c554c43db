/* compare.h - draws one page that compares A with B: maps, the distributions of their values, and their percentiles.
 *
 *      difference   one map of |A - B|: orange: more in A; blue: more in B; grey: may be chance
 *      side         A next to B, on one axis and one colour scale
 *      overlay      both in one map, each in its hue
 *
 *      below        shares or counts by value as lines of steps: A solid over an area, B dashed
 *                   at the right a table: events, mean, p50 ... of both
 *
 * Print   Frames show without colours where there is more: solid in A, dashed in B.  The lines below are solid and
 *         dashed, too.
 * Shape   All grids have the same columns and rows.  A and B may begin at different times; the axis is A's.  The map
 *         has two layers: more in A, more in B.
 * Options as for a figure.
 * Errors  -EINVAL: shapes that differ, a bad size, more columns than px; -ENOMEM.
 * Memory  the caller frees the bytes with free().  Equal input, equal bytes.
 * Thread  any.
 */
#ifndef HEATSCOPE_COMPARE_H
#define HEATSCOPE_COMPARE_H

#include "render/draw/figure.h"

enum compare_view { COMPARE_DIFFERENCE, COMPARE_SIDE, COMPARE_OVERLAY };

struct compare_mark {			/* columns from..to-1 of a row differ by more than chance */
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
	double cell_unit;		/* the value of a 1 in a cell: in percent, or 1 */
	bool share;			/* in percent */
	const double *distribution[2];	/* of each row: percent of all events, or events */
	size_t n_marks;
	const struct compare_mark *mark;
	double rate;			/* of false marks */
	size_t n_lines;
	const struct compare_line *line;
};

int compare_render(const struct compare *k, const struct figure_options *o, __u8 **ret_bytes, size_t *ret_len);

/* Returns the highest number of columns for a picture of this width. */
size_t compare_columns(enum compare_view view, unsigned width);

/* The lower part (compare_lower.c): distributions and a table next to them; in a narrow picture that is high enough, below
 * them.  compare_lower_height() returns its height in a picture that has at most `height` px for it. */
#define COMPARE_LOWER 236
struct canvas;
struct panel_range;
unsigned compare_lower_height(unsigned width, unsigned height);
void compare_draw_lower(struct canvas *c, const struct compare *k, const struct figure_options *o, const struct panel_range *range,
			double y, unsigned height);

/* Returns the colour of A's (0) or B's (1) lines and areas. */
__u32 compare_colour(enum palette_theme theme, int side);

#endif
