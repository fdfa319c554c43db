/* trace.h - a line of steps, as how much of each pixel it covers: exactly, and at once.
 *
 *          ___
 *         |   |        a level per column, upright lines between neighbours, square corners,
 *      ___|   |___     all `thick`; it ends where a column is missing
 *
 * Cairo strokes any path, in 15 lines per pixel and with round corners of many sides: of a noisy line, most of a
 * figure's time.  This one has upright and level edges only, so areas of rectangles are all there is to compute.
 * Union   Where parts of the line overlap, a pixel is covered once.
 * Errors  -ENOMEM.
 * Pure    writes to the caller's memory.
 */
#ifndef HEATSCOPE_TRACE_H
#define HEATSCOPE_TRACE_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

/* A column from..to at a level, in any unit.  Steps ascend, each begins where the one before ends. */
struct trace_step {
	double from, to, y;
	bool drawn;			/* false: it breaks the line */
};

/* Steps in pixels from the upper left of the mask, of which every pixel is written: 0 beside the line, 255 in it. */
int trace_cover(const struct trace_step *step, size_t n, double thick, __u8 *mask, size_t stride, unsigned width,
		unsigned height);

#endif
