/* palette.h - every colour of a picture, for light and dark backgrounds.
 *
 *      colour[0]   colour[1] .... colour[255]
 *      nothing     least          most             lightness is monotone, steps are equal
 *
 * Shape   0xrrggbb.  The ramp is one smooth curve in OKLab (Ottosson, 2020) cut into 254 steps of
 *         equal length; from pale yellow over teal to navy on light, the other way round on dark.
 *         Yellow-blue plus lightness: order survives red-green deficiency and grey print.
 * Ramps   that one is the usual; of fire (yellow over red to black, and back on dark) and grey the laws are the same.
 * Laws    (test_palette.c) luminance is monotone, neighbours differ, colour[1] is clearly not
 *         colour[0], text has a contrast of 4.5:1 or more on its background, marks 3:1.
 */
#ifndef HEATSCOPE_PALETTE_H
#define HEATSCOPE_PALETTE_H

#include <linux/types.h>

enum palette_theme { PALETTE_LIGHT, PALETTE_DARK };
enum palette_ramp { PALETTE_USUAL, PALETTE_FIRE, PALETTE_GREY, PALETTE_RAMPS };

#define PALETTE_COLOURS 256

struct palette {
	enum palette_theme theme;
	__u32 colour[PALETTE_COLOURS];	/* by shade_index(); [0] is the same as zero */
	__u32 page;			/* behind everything */
	__u32 zero;			/* nothing happened */
	__u32 unobserved, unobserved_line;	/* nobody looked: a plain of its own, hatched */
	__u32 partial;			/* partly lost: diagonal lines over the cells */
	__u32 running;			/* what runs: diagonal lines the other way, framed */
	__u32 text, muted;		/* on page; titles and the rest */
	__u32 axis, rule;		/* frames and ticks; table rules and grid lines */
	__u32 p50, p90, p99, max;		/* lines over cells, on a casing */
	__u32 casing;
	__u32 accent;			/* a column in progress, a clock that was set */
	__u32 note, alert;		/* annotations */
};

/* "ramp", "fire", "grey". */
const char *palette_ramp_name(enum palette_ramp ramp);

void palette_make(enum palette_theme theme, enum palette_ramp ramp, struct palette *ret_palette);

/* The ramp of one hue (0..359, as in HSV; below 0: grey), for layers: as many steps and as much
 * lightness for each, so that hue tells which and lightness tells how many.  [0] is zero. */
void palette_hue(enum palette_theme theme, int hue, __u32 ret_colour[PALETTE_COLOURS]);

/* The one colour of that hue in which areas are drawn. */
__u32 palette_area(enum palette_theme theme, int hue);

/* WCAG 2 relative luminance 0..1, and contrast ratio 1..21. */
double palette_luminance(__u32 rgb);
double palette_contrast(__u32 a, __u32 b);

#endif
