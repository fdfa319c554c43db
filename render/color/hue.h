/* hue.h - gives layers Cloud Analytics' hues, mixes them, and chooses the hue of each key.
 *
 *      v = 0 white .. 1 full:  HSV (hue, 0.9 v, 0.95), each channel rounded to a byte
 *      cell: sum of colour(v) * v over its layers / sum of v, truncated to bytes
 *
 * Dark    On a dark page the colour is HSV (hue, 0.9, 0.3 + 0.65 v), and v = 0 is the page.
 * Pure    test_hue.c compares with the figures of the original program.
 */
#ifndef HEATSCOPE_HUE_H
#define HEATSCOPE_HUE_H

#include "render/grid/layer.h"
#include "render/color/palette.h"

/* The two sides of a comparison: nearly everyone can distinguish orange from blue, on both backgrounds. */
#define HUE_A 28
#define HUE_B 215

/* Returns the colour of one layer's cell, v in 0..1. */
__u32 hue_colour(enum palette_theme theme, int hue, double v);

/* Returns the i-th of Cloud Analytics' default hues: 21, 112, 203, 294, 25, ... */
int hue_generated(size_t i);

struct hue_mix {
	double r, g, b, v;		/* 0s: nothing yet */
	unsigned n;
	__u32 last;
};
void hue_mix_add(struct hue_mix *m, __u32 rgb, double v);	/* v > 0 */
__u32 hue_mix_colour(const struct hue_mix *m, __u32 nothing);

/* Assigns hues for figures.  The layers with most events get the nine hues that are easiest to distinguish.  A key has
 * the same hue in every picture, unless a greater key of the picture has that hue. */
void hue_assign(struct layers *l);

/* As hue_assign(), for any names with their totals. */
void hue_choose(const char *const *name, const double *total, size_t n, int *ret_hue);

#endif
