/* crop.h - where a value axis ends that leaves out the rarest of the highest values, and what it leaves out.
 *
 *      row n-1   1       |  at most the share of all
 *      row n-2   .     --+-- end
 *      row n-3   123
 *
 * Share   of what cells are: of events, or of a weight's sum.  What still runs is no event.
 * Laws    at and above the end lies at most the share; from one row lower on more.
 * Several grids on one axis end where none of them loses more than its share.
 * Pure    Thread: any.
 */
#ifndef HEATSCOPE_CROP_H
#define HEATSCOPE_CROP_H

#include "render/grid/grid.h"

#define CROP_MOST 50000			/* millionths: 5 % */

/* The lowest such end.  0: nothing can be left out. */
__u64 crop_end(const struct grid *const *grid, size_t n, __u32 millionths);

/* What lies in rows from `end` on, and in all. */
struct crop_part {
	__u64 above, total;
};
struct crop_part crop_above(const struct grid *g, __u64 end);

/* "12 queries (0.03 %) at 50 ms or more are above the axis"; "" where there are none. */
void crop_sentence(const struct grid *g, __u64 end, char *out, size_t room);

#endif
