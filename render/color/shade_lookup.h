/* shade_lookup.h - finds the level (shade.h) of very many densities with a table.
 *
 *      density  1 exponent . 6 bits  ->  a level at or below the right one; from there up one by one
 *
 * It returns what shade_density_index() returns, which halves: in noise the CPU guesses every second of its jumps
 * wrong.
 * Exact   for every density.  Fast from 2^-32 to 2^96: counts and times give densities in that range.
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
	double level[SHADE_LEVELS + 1];	/* and one that no density reaches */
	__u8 reached[SHADE_LOOKUP_BINS];	/* the level that all densities of a bin have reached */
};

void shade_lookup_make(struct shade_lookup *l, const double level[SHADE_LEVELS]);

static inline unsigned shade_lookup_index(const struct shade_lookup *l, double density)
{
	__s64 bits, bin;
	unsigned at;

	memcpy(&bits, &density, sizeof(bits));
	bin = (bits >> (52 - SHADE_LOOKUP_BITS)) - ((__s64)(1023 + SHADE_LOOKUP_LOW) << SHADE_LOOKUP_BITS);
	at = bin < 0 ? 0 : l->reached[bin < SHADE_LOOKUP_BINS ? bin : SHADE_LOOKUP_BINS - 1];
	at += l->level[at] <= density;		/* most times that is all, and there is no jump to guess */
	while (l->level[at] <= density)
		at++;
	return density > 0 ? at + !at : 0;
}

#endif
