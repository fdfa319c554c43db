/* stretch.h - n columns over so many pixels, side by side: where each ends.
 *
 *      stretch_begin(n, width); then n times stretch_next(): column i covers [i * width / n, (i + 1) * width / n)
 *
 * One division in all, not one per column.
 * Unit    pixels.  n is at least 1.
 * Pure    no memory, no errors.
 */
#ifndef HEATSCOPE_STRETCH_H
#define HEATSCOPE_STRETCH_H

#include <stddef.h>

struct stretch {
	size_t n, whole, part;		/* width / n, width % n */
	size_t end, rest;		/* of the column before; what is left over of a pixel, in nths */
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
