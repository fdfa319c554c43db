/* trace.h - computes how much of each pixel a line of steps covers: exactly, and in one pass.
 *
 *          ___
 *         |   |        a level per column, upright lines between neighbours, square corners,
 *      ___|   |___     all `thick`; it ends where a column is missing
 *
 * Why     Cairo strokes any path, with 15 lines per pixel and round corners of many sides.  For a noisy line that took
 *         most of a figure's time.  This line has only upright and level edges, so areas of rectangles are enough.
 * Union   If parts of the line overlap, a pixel is covered once.
 * Errors  -ENOMEM.
 * Pure    writes to the caller's memory.
 */
#ifndef HEATSCOPE_TRACE_H
#define HEATSCOPE_TRACE_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

/* A column from..to at a level, in any unit.  Each step begins where the previous one ends. */
struct trace_step {
	double from, to, y;
	bool drawn;			/* false: it breaks the line */
};

/* Steps are in pixels from the upper left of the mask.  It writes every pixel of the mask: 0 outside the line, 255
 * inside it. */
int trace_cover(const struct trace_step *step, size_t n, double thick, __u8 *mask, size_t stride, unsigned width,
		unsigned height);

#endif
