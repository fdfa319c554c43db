/* stretch.h - divides a number of pixels among n columns, side by side.
 *
 *      stretch_begin(n, width); then n times stretch_next(): column i covers [i * width / n, (i + 1) * width / n)
 *
 * It divides once for all columns, not once per column.
 * Unit    pixels.  n is at least 1.
 * Pure    no memory, no errors.
 */
#ifndef HEATSCOPE_STRETCH_H
#define HEATSCOPE_STRETCH_H

#include <stddef.h>

struct stretch {
	size_t n, whole, part;		/* width / n, width % n */
	size_t end, rest;		/* of the previous column; the rest of a pixel, in nths */
};

static inline struct stretch stretch_begin(size_t n, size_t width)
{
	return (struct stretch){ n, width / n, width % n, 0, 0 };
}

static inline size_t stretch_next(struct stretch *s)
{
	s->rest += s->part;
	s->end += s->whole + (s->rest >= s->n);
	s->rest -= s->rest >= s->n ? s->n : 0;
	return s->end;
}

#endif
