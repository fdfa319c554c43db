/* crop.h - finds an end of a value axis that leaves out the rarest of the highest values.
 *
 *      row n-1   1       |  at most the share of all
 *      row n-2   .     --+-- end
 *      row n-3   123
 *
 * Share   a share of the sum of all cells: events, or the sum of a weight.  Running exchanges do not count.
 * Laws    At and above the end lies at most the share; an end one row lower would leave out more.
 * Several grids on one axis have one end: none of them loses more than the share.
 * Pure    Thread: any.
 */
#ifndef HEATSCOPE_CROP_H
#define HEATSCOPE_CROP_H

#include "render/grid/grid.h"

#define CROP_MOST 50000			/* millionths: 5 % */

/* Returns the lowest such end; 0: the axis cannot leave out any row. */
__u64 crop_end(const struct grid *const *grid, size_t n, __u32 millionths);

/* The contents of the rows at and above `end`, and of all rows. */
struct crop_part {
	__u64 above, total;
};
struct crop_part crop_above(const struct grid *g, __u64 end);

/* Writes "12 queries (0.03 %) at 50 ms or more are above the axis"; "" if there are none. */
void crop_sentence(const struct grid *g, __u64 end, char *out, size_t room);

#endif
