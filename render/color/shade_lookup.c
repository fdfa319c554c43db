#include "render/color/shade_lookup.h"
#include <math.h>

void shade_lookup_make(struct shade_lookup *l, const double level[SHADE_LEVELS])
{
	unsigned at = 0;

	memcpy(l->level, level, SHADE_LEVELS * sizeof(*level));
	l->level[SHADE_LEVELS] = NAN;
	for (unsigned bin = 0; bin < SHADE_LOOKUP_BINS; bin++) {
		unsigned octave = bin >> SHADE_LOOKUP_BITS, part = bin & ((1u << SHADE_LOOKUP_BITS) - 1);
		double low = ldexp(1 + (double)part / (1u << SHADE_LOOKUP_BITS), (int)octave + SHADE_LOOKUP_LOW);

		while (l->level[at] <= low)
			at++;
		l->reached[bin] = (__u8)at;
	}
}
