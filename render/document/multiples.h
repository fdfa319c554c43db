/* multiples.h - draws one page of small maps, such as one per host: one colour scale, one time axis, one value axis.
 *
 *      name  p99 ...        name  p99 ...        name  p99 ...
 *      [ map ]              [ map ]              [ map ]
 *      ...                                       and 40 more
 *
 * Shape   All grids have the same columns and rows, and at most multiples_columns() columns.
 * Options as for a figure; the height follows from the number of maps.
 * Errors  -EINVAL: no maps, shapes that differ, a bad size, more columns than px; -ENOMEM.
 * Memory  the caller frees the bytes with free().  Equal input, equal bytes.
 * Thread  any.
 */
#ifndef HEATSCOPE_MULTIPLES_H
#define HEATSCOPE_MULTIPLES_H

#include "render/draw/figure.h"

#define MULTIPLES_MAX 48

struct multiple {
	const char *name, *about;
	const struct grid *grid;
};

struct multiples {
	size_t n;
	const struct multiple *one;
	const struct grid *all;		/* the sum of everything, also of what is not shown: for the footer */
	const char *more;		/* "and 40 more"; "": everything is shown */
};

int multiples_render(const struct multiples *m, const struct figure_options *o, __u8 **ret_bytes, size_t *ret_len);

/* Returns the highest number of columns for a page of this width. */
size_t multiples_columns(unsigned width);

#endif
