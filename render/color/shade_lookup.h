/* shade_lookup.h - which of the 255 levels a density has reached (shade.h), of very many densities.
 *
 *      density  1 exponent . 6 bits  ->  a level at or below the one reached; from there on one by one
 *
 * The same as shade_density_index(), which halves: of noise every jump is guessed wrong half of the time.
 * Exact   for every density.  Fast from 2^-32 to 2^96, where those are that come from counts and times.
 */
#ifndef HEATSCOPE_LOOKUP_H
#define HEATSCOPE_LOOKUP_H

#include "render/color/shade.h"
#include <string.h>

#define LOOKUP_BITS 6			/* of the mantissa */
#define LOOKUP_OCTAVES 128
#define LOOKUP_LOW (-32)		/* the first octave: 2^-32 */
#define LOOKUP_BINS (LOOKUP_OCTAVES << LOOKUP_BITS)

struct lookup {
	double level[SHADE_LEVELS + 1];	/* and one that nothing reaches */
	__u8 reached[LOOKUP_BINS];	/* by all densities of a bin, and of the bins above */
};

void lookup_make(struct lookup *l, const double level[SHADE_LEVELS]);

static inline unsigned lookup_index(const struct lookup *l, double density)
{
	__s64 bits, bin;
	unsigned at;

	memcpy(&bits, &density, sizeof(bits));
	bin = (bits >> (52 - LOOKUP_BITS)) - ((__s64)(1023 + LOOKUP_LOW) << LOOKUP_BITS);
	at = bin < 0 ? 0 : l->reached[bin < LOOKUP_BINS ? bin : LOOKUP_BINS - 1];
	at += l->level[at] <= density;		/* mostly all there is to do, and no jump to guess */
	while (l->level[at] <= density)
		at++;
	return density > 0 ? at + !at : 0;
}

#endif
