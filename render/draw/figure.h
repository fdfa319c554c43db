/* figure.h - draws one heat map with its axes, legend and footer.
 *
 *      title                                            queries per cell, log scale
 *      subtitle                                         [ colour bar ]
 *      100 ms |
 *             |   cells, p50 and p99
 *        1 ms |____________________________
 *             14:00    14:05    14:10                              UTC+01:00
 *      [ ] nothing happened  [/] not observed ...
 *      totals, slot and column, sources, losses                    version
 *
 * Units   px at scale 1; 96 px are an inch, so 12 px are 9 pt, the smallest text.
 * Errors  -EINVAL: a size out of range, ymin > ymax, or an empty shape; -ENOMEM.
 * Memory  the caller frees the bytes with free().  Equal input, equal bytes.
 * SVG     Cairo writes text as outlines.  The SVG also has the title and the content as text.
 * Thread  any.
 */
#ifndef HEATSCOPE_FIGURE_H
#define HEATSCOPE_FIGURE_H

#include "render/color/palette.h"
#include "render/color/shade.h"
#include "render/grid/zone.h"
#include <stdbool.h>

#define FIGURE_WIDTH_MIN 400
#define FIGURE_HEIGHT_MIN 240
#define FIGURE_SIDE_MAX 4000

enum figure_format { FIGURE_PNG, FIGURE_PDF, FIGURE_SVG };

struct figure_options {
	unsigned width, height;
	unsigned scale;			/* 1 or 2: pixels per px */
	enum figure_format format;
	enum palette_theme theme;
	enum palette_ramp ramp;		/* of cells without a hue */
	enum shade_transfer transfer;
	enum axis_scale yscale;
	bool weighted;			/* colours show how much, not how many */
	__u64 ymin, ymax;		/* 0: chosen from the data */
	bool percentiles;		/* p50 and p99 as lines */
	bool max_marks;			/* the exact max of each column */
	const struct zone *zone;	/* zone of the times shown; NULL: UTC */
	const char *title, *subtitle;	/* UTF-8; NULL: none */
	const char *version;		/* "heatscope 0.1.0"; NULL: none */
};

int figure_render(const struct grid *g, const struct figure_options *o, __u8 **ret_bytes, size_t *ret_len);

/* Are width, height, scale, ymin and ymax within their limits? */
bool figure_size_valid(const struct figure_options *o);

/* Sets the shading for a figure with these options. */
void figure_shading(const struct figure_options *o, struct shade_options *ret_shading);

/* Sets the default options: 1200 x 500, PNG, light, log, log, with percentiles, UTC. */
void figure_defaults(struct figure_options *ret_options);

#endif
