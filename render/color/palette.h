/* palette.h - makes every colour of a picture, for light and dark backgrounds.
 *
 *      colour[0]   colour[1] .... colour[255]
 *      nothing     least          most             lightness is monotone, steps are equal
 *
 * Shape   0xrrggbb.  The ramp is one smooth curve in OKLab (Ottosson, 2020), cut into 254 steps of equal length: from
 *         pale yellow over teal to navy on a light background, in the other direction on a dark one.  Its order is also
 *         visible in grey print and to people who cannot distinguish red from green.
 * Ramps   This is the usual ramp.  Two others obey the same laws: fire (yellow over red to black, reversed on dark) and
 *         grey.
 * Laws    (test_palette.c) luminance is monotone, neighbours differ, colour[1] is clearly not colour[0], text has a
 *         contrast of 4.5:1 or more on its background, marks 3:1.
 */
#ifndef HEATSCOPE_PALETTE_H
#define HEATSCOPE_PALETTE_H

#include <linux/types.h>

enum palette_theme { PALETTE_LIGHT, PALETTE_DARK };
enum palette_ramp { PALETTE_USUAL, PALETTE_FIRE, PALETTE_GREY, PALETTE_RAMPS };

#define PALETTE_COLOURS 256

struct palette {
	enum palette_theme theme;
	__u32 colour[PALETTE_COLOURS];	/* by shade_density_index(); [0] equals zero */
	__u32 page;			/* the background */
	__u32 zero;			/* nothing happened */
	__u32 unobserved, unobserved_line;	/* not observed: its own flat colour, hatched */
	__u32 partial;			/* partly lost: diagonal lines over the cells */
	__u32 running;			/* running exchanges: diagonal lines in the other direction, framed */
	__u32 text, muted;		/* on page; text: titles, muted: other texts */
	__u32 axis, rule;		/* frames and ticks; table rules and grid lines */
	__u32 p50, p90, p99, max;		/* lines over cells, on a casing */
	__u32 casing;
	__u32 accent;			/* a column in progress, a step of the clock */
	__u32 note, alert;		/* annotations */
};

/* Returns "ramp", "fire" or "grey". */
const char *palette_ramp_name(enum palette_ramp ramp);

void palette_make(enum palette_theme theme, enum palette_ramp ramp, struct palette *ret_palette);

/* Makes the ramp of one hue for a layer (0..359, as in HSV; below 0: grey).  All hues have the same number of steps and
 * the same lightness: the hue says which layer, the lightness says how many.  [0] is zero. */
void palette_hue(enum palette_theme theme, int hue, __u32 ret_colour[PALETTE_COLOURS]);

/* Returns the colour of an area of that hue. */
__u32 palette_area(enum palette_theme theme, int hue);

/* Returns the relative luminance of WCAG 2, 0..1. */
double palette_luminance(__u32 rgb);

#endif
