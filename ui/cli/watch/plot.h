/* plot.h - computes the value axis of a map in characters, and the values of each of its pixels.
 *
 *      pixel n - 1   overflow, if used
 *            ...     low .. high, in equal steps of the value or of its logarithm
 *      pixel 0       underflow, if used
 *
 * Shape   A pixel is half a character if the terminal can show that, else a whole one.  A row covers whole pixels, at
 *         least one.  If rows share a pixel, it shows the brightest, and the read-out gives all of them.
 * Pure    no terminal; only arithmetic of pixels: the rows and their colours come with the map.
 */
#ifndef HEATSCOPE_WATCH_PLOT_H
#define HEATSCOPE_WATCH_PLOT_H

#include "ui/cli/watch/map.h"

#define PLOT_PIXELS_MAX 1024

struct domain {
	enum axis_scale kind;
	double low, high;		/* log: low >= 1 */
	bool under, over;
};

/* Returns the range of values that a map uses, to round numbers.  A percentage always includes 100. */
struct domain domain_of(const struct map *m);

/* Returns the union of both, so that a live map does not move; if the kinds differ, the new one. */
struct domain domain_widen(struct domain before, struct domain now);

/* Returns a range `factor` times as long, around a value; at least two of the finest buckets, at most `used`. */
struct domain domain_zoom(struct domain now, struct domain used, double factor, double at);

struct plot {
	const struct map *map;
	struct domain domain;
	long n_pixels;			/* at least 4, at most PLOT_PIXELS_MAX */
};

/* Finds the pixels of the values low .. high, inclusive.  Returns false if the axis does not reach them. */
bool plot_span(const struct plot *p, double low, double high, long *ret_first, long *ret_last);

/* Returns the resolution of rows that is worth requesting (row_bits): about one pixel each where rows are highest. */
int plot_row_bits(const struct plot *p);

/* Writes the colours of a column's pixels, as indices into the palette; 0: no cell. */
void plot_levels(const struct plot *p, size_t col, unsigned char ret_level[PLOT_PIXELS_MAX]);

/* Writes how many exchanges of a column still ran, per pixel. */
void plot_running(const struct plot *p, size_t col, double ret_n[PLOT_PIXELS_MAX]);

struct plot_cell {			/* what a pixel of a column stands for */
	double low, high, n, running;
};
struct plot_cell plot_cell(const struct plot *p, size_t col, long pixel);

/* Return the pixel of a value, and of a place 0..1 along the axis; within the plot. */
long plot_pixel(const struct plot *p, double value);
long plot_pixel_at(const struct plot *p, double at);

/* Returns the next pixel up (1) or down (-1) that stands for other values; the same pixel if there is no other. */
long plot_step(const struct plot *p, long pixel, int direction);

/* Returns the middle of a pixel's values. */
double plot_value(const struct plot *p, long pixel);

/* Returns how many events lie beyond the axis. */
double plot_beyond(const struct plot *p);

#endif
