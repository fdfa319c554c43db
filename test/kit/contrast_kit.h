/* contrast_kit.h - computes the contrast of two colours as WCAG defines it: 1 (equal) to 21 (black on white). */
#ifndef HEATSCOPE_CONTRAST_KIT_H
#define HEATSCOPE_CONTRAST_KIT_H

#include "render/color/palette.h"

static inline double contrast(__u32 a, __u32 b)
{
	double la = palette_luminance(a), lb = palette_luminance(b);

	return la > lb ? (la + 0.05) / (lb + 0.05) : (lb + 0.05) / (la + 0.05);
}

#endif
