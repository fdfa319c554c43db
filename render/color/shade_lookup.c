#include "render/color/shade_lookup.h"
#include <math.h>

void lookup_make(struct lookup *l, const double level[SHADE_LEVELS])
{
	unsigned at = 0;

	memcpy(l->level, level, SHADE_LEVELS * sizeof(*level));
	l->level[SHADE_LEVELS] = NAN;
	for (unsigned bin = 0; bin < LOOKUP_BINS; bin++) {
		unsigned octave = bin >> LOOKUP_BITS, part = bin & ((1u << LOOKUP_BITS) - 1);
		double low = ldexp(1 + (double)part / (1u << LOOKUP_BITS), (int)octave + LOOKUP_LOW);

		while (l->level[at] <= low)
			at++;
		l->reached[bin] = (__u8)at;
	}
}
