/* canvas.h - draws a page on a Cairo surface, and makes its bytes: PNG, PDF or SVG.
 *
 * Units   px of 1/96 inch, at every scale and in every format.
 * Text    DejaVu Sans, at a baseline; CANVAS_TEXT px (9 pt) is the smallest size.  Texts may hold any bytes (utf8.h);
 *         it draws the first CANVAS_TEXT_MAX bytes of a text, and CANVAS_PARAGRAPH_MAX of a paragraph.
 * Pages   one; a PDF may have more: canvas_page().
 * Errors  -ENOMEM.  Functions that draw return no error: canvas_bytes() returns it.
 * Memory  canvas_bytes() gives the bytes to the caller; canvas_fini() frees the rest.
 * Thread  any, but one canvas belongs to one thread.
 */
#ifndef HEATSCOPE_CANVAS_H
#define HEATSCOPE_CANVAS_H

#include "render/draw/figure.h"
#include "render/draw/trace.h"
#include <cairo.h>

#define CANVAS_TEXT 12
#define CANVAS_TITLE 17
#define CANVAS_TEXT_MAX 512
#define CANVAS_PARAGRAPH_MAX 4096

enum canvas_align { CANVAS_LEFT, CANVAS_CENTRE, CANVAS_RIGHT };

struct canvas {
	cairo_t *cr;
	cairo_surface_t *surface;
	struct palette palette;
	unsigned width, height, scale;
	enum figure_format format;
	const char *title, *version;	/* the caller owns them */
	char description[512];
	struct {			/* PDF, SVG: the bytes written so far */
		__u8 *data;
		size_t len, room;
	} out;
	int err;
};

/* Makes a page and fills it with the theme's background.  A PDF has made_ns as its date; all formats have the title as
 * text. */
int canvas_init(struct canvas *c, const struct figure_options *o, unsigned height, __s64 made_ns);
void canvas_fini(struct canvas *c);
int canvas_bytes(struct canvas *c, __u8 **ret_bytes, size_t *ret_len);

/* Sets the text that SVG and PNG carry for people who cannot see them: the subtitle and a sentence. */
void canvas_describe(struct canvas *c, const char *subtitle, const char *sentence);

void canvas_colour(struct canvas *c, __u32 rgb);
void canvas_font(struct canvas *c, double size, bool bold);
double canvas_text_width(struct canvas *c, const char *text);
void canvas_text(struct canvas *c, enum canvas_align align, double x, double y, const char *text);

/* Draws text, cut with an ellipsis if it is wider than `width`. */
void canvas_text_within(struct canvas *c, double x, double y, double width, const char *text);

/* Draws text in as many lines as it needs, broken at spaces.  y is the baseline of the first line; returns the baseline
 * of the last. */
double canvas_paragraph(struct canvas *c, double x, double y, double width, double line, const char *text);
unsigned canvas_paragraph_lines(struct canvas *c, double width, const char *text);	/* in the current font */

/* Ends the page of a PDF and begins another, filled with the background. */
void canvas_page(struct canvas *c);

/* Adds an entry to a PDF's outline that leads to this page, counted from 1. */
void canvas_outline(struct canvas *c, unsigned page, const char *text);

void canvas_line(struct canvas *c, double x1, double y1, double x2, double y2);	/* 1 px, crisp */
void canvas_box(struct canvas *c, double x, double y, double width, double height);	/* filled */

/* Strokes the path as a thin line on a casing, so that it is visible on every background. */
void canvas_stroke_cased(struct canvas *c, __u32 rgb);

/* Strokes a line of steps in the same way, in px.  PNG: pixels, by areas (trace.h); PDF and SVG: a path. */
void canvas_steps_cased(struct canvas *c, const struct trace_step *step, size_t n, __u32 rgb);

/* Returns the pixels of the canvas from x, y on, as 0xffrrggbb: the caller writes to them, then calls canvas_wrote().
 * NULL: the canvas has no pixels there; use canvas_pixels(). */
__u32 *canvas_own(struct canvas *c, double x, double y, unsigned width, unsigned height, size_t *ret_stride);
void canvas_wrote(struct canvas *c);

/* Copies pixels into a rectangle, edge to edge and without smoothing. */
void canvas_pixels(struct canvas *c, __u32 *pixel, unsigned width, unsigned height, double x, double y);

#endif
