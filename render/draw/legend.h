/* legend.h - draws names with their colours: the layers of a map, the series of a chart.
 *
 *      [##] select 1,234,567   [##] update 89,012   [##] commit 3,456   ...   and 12 more
 *
 * There are at most LEGEND_LINES lines, each LEGEND_LINE px high.  It counts the items that do not fit.
 */
#ifndef HEATSCOPE_LEGEND_H
#define HEATSCOPE_LEGEND_H

#include "render/draw/canvas.h"
#include "render/color/layer_ramp.h"

#define LEGEND_LINE 20
#define LEGEND_LINES 3

struct legend_item {
	const char *name, *value;	/* value: how much; NULL: none */
	const __u32 *ramp;		/* 256 colours; NULL: one */
	__u32 colour;
	bool line;			/* a line rather than an area */
};

/* Returns how many lines the items need at most, with any font. */
unsigned legend_lines(const struct legend_item *item, size_t n, double width);
void legend_draw(struct canvas *c, const struct legend_item *item, size_t n, double x, double y, double width);

/* The layers of a grid as items: the one with most events first, the rest last. */
struct legend {
	size_t n;
	struct legend_item *item;
	char (*value)[AXIS_TEXT];
};
int legend_make(const struct grid *g, const struct layer_ramps *t, struct legend *ret_legend);	/* -ENOMEM */
void legend_fini(struct legend *l);

#endif
