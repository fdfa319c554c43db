#include "render/grid/crop.h"
#include "render/grid/axis.h"
#include <math.h>
#include <stdio.h>

static __u64 row_total(const struct grid *g, size_t row)
{
	__u64 n = 0;

	for (size_t col = 0; col < g->n_cols; col++)
		n += g->cell[row * g->n_cols + col];
	return n;
}

struct crop_part crop_above(const struct grid *g, __u64 end)
{
	struct crop_part part = { 0 };

	for (size_t row = 0; row < g->n_rows; row++) {
		__u64 n = row_total(g, row);

		part.total += n;
		part.above += g->edge[row] >= end ? n : 0;
	}
	return part;
}

/* The end for one grid; 0: none, GRID_NO_EDGE: the grid has nothing to show. */
static __u64 end_of(const struct grid *g, __u32 millionths)
{
	struct crop_part part = crop_above(g, 0);
	double most = (double)part.total * millionths / 1e6;
	__u64 above = 0;

	for (size_t row = g->n_rows; row-- > 0;) {
		__u64 n = row_total(g, row);

		if ((double)(above + n) > most)
			return above ? g->edge[row + 1] : 0;
		above += n;
	}
	return GRID_NO_EDGE;
}

__u64 crop_end(const struct grid *const *grid, size_t n, __u32 millionths)
{
	__u64 end = 0;

	for (size_t i = 0; i < n; i++) {
		__u64 own = end_of(grid[i], millionths);

		if (!own)
			return 0;
		if (own != GRID_NO_EDGE && own > end)
			end = own;
	}
	return end;
}

/* "12 queries", "1.5 ms of cputime" */
static void put_amount(const struct grid *g, double n, char *out, size_t room)
{
	char text[AXIS_TEXT];

	if (g->weight) {
		axis_format(n, axis_unit(g->unit), text);
		snprintf(out, room, "%s of %.60s", text, g->weight);
		return;
	}
	axis_format_count(grid_shown(g, g->all.n_snapshots, n), text);
	snprintf(out, room, "%s %.60s", text, g->weight_unit && *g->weight_unit ? g->weight_unit : "events");
}

void crop_sentence(const struct grid *g, __u64 end, char *out, size_t room)
{
	struct crop_part part = crop_above(g, end);
	char amount[128], from[AXIS_TEXT];
	double percent = part.total ? 100.0 * (double)part.above / (double)part.total : 0;

	*out = 0;
	if (!part.above)
		return;
	put_amount(g, (double)part.above, amount, sizeof(amount));
	axis_format((double)end, axis_unit(g->unit), from);
	snprintf(out, room, "%s (%s%.2g %%) at %s or more %s above the axis", amount, percent < 0.001 ? "< " : "",
		 fmax(percent, 0.001), from, part.above == 1 || g->weight ? "is" : "are");
}
