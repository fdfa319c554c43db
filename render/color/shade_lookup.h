/* shade_lookup.h - which of the 255 levels a density has reached (shade.h), of very many densities.
 *
 *      density  1 exponent . 6 bits  ->  a level at or below the one reached; from there on one by one
 *
 * The same as shade_density_index(), which halves: of noise every jump is guessed wrong half of the time.
 * Exact   for every density.  Fast from 2^-32 to 2^96, where those are that come from counts and times.
 */
#ifndef HEATSCOPE_SHADE_LOOKUP_H
#define HEATSCOPE_SHADE_LOOKUP_H

#include "render/color/shade.h"
#include <string.h>

#define SHADE_LOOKUP_BITS 6		/* of the mantissa */
#define SHADE_LOOKUP_OCTAVES 128
#define SHADE_LOOKUP_LOW (-32)		/* the first octave: 2^-32 */
#define SHADE_LOOKUP_BINS (SHADE_LOOKUP_OCTAVES << SHADE_LOOKUP_BITS)

struct shade_lookup {
	double level[SHADE_LEVELS + 1];	/* and one that nothing reaches */
	__u8 reached[SHADE_LOOKUP_BINS];	/* by all densities of a bin, and of the bins above */
};

void shade_lookup_make(struct shade_lookup *l, const double level[SHADE_LEVELS]);

static inline unsigned shade_lookup_index(const struct shade_lookup *l, double density)
{
	__s64 bits, bin;
	unsigned at;

	memcpy(&bits, &density, sizeof(bits));
	bin = (bits >> (52 - SHADE_LOOKUP_BITS)) - ((__s64)(1023 + SHADE_LOOKUP_LOW) << SHADE_LOOKUP_BITS);
	at = bin < 0 ? 0 : l->reached[bin < SHADE_LOOKUP_BINS ? bin : SHADE_LOOKUP_BINS - 1];
	at += l->level[at] <= density;		/* mostly all there is to do, and no jump to guess */
	while (l->level[at] <= density)
		at++;
	return density > 0 ? at + !at : 0;
}

#endif
