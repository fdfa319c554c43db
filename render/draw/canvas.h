/* canvas.h - a Cairo surface to draw a page on, and the page's bytes as PNG, PDF or SVG.
 *
 * Units   px of 1/96 inch, whatever the scale or format.
 * Text    DejaVu Sans, at a baseline; CANVAS_TEXT px (9 pt) is the smallest.  Any bytes (utf8.h), the
 *         first CANVAS_TEXT_MAX of them, of a paragraph CANVAS_PARAGRAPH_MAX.
 * Pages   one, but for a PDF, which may have more: canvas_page().
 * Errors  -ENOMEM.  What draws returns nothing: canvas_bytes() tells that it failed.
 * Memory  canvas_bytes() hands the bytes to the caller; canvas_fini() frees the rest.
 * Thread  any, one canvas each.
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
	const char *title, *version;	/* the caller's */
	char description[512];
	struct {			/* PDF, SVG: as far as they are written */
		__u8 *data;
		size_t len, room;
	} out;
	int err;
};

/* A page filled with the theme's background.  made_ns goes into a PDF as its date, the title into all
 * formats as text. */
int canvas_init(struct canvas *c, const struct figure_options *o, unsigned height, __s64 made_ns);
void canvas_fini(struct canvas *c);
int canvas_bytes(struct canvas *c, __u8 **ret_bytes, size_t *ret_len);

/* What SVG and PNG say to those who cannot see them: the subtitle and a sentence. */
void canvas_describe(struct canvas *c, const char *subtitle, const char *sentence);

void canvas_colour(struct canvas *c, __u32 rgb);
void canvas_font(struct canvas *c, double size, bool bold);
double canvas_text_width(struct canvas *c, const char *text);
void canvas_text(struct canvas *c, enum canvas_align align, double x, double y, const char *text);

/* Text that ends in an ellipsis where it does not fit. */
void canvas_text_within(struct canvas *c, double x, double y, double width, const char *text);

/* Text in as many lines as it needs, broken at spaces; y is the first one's baseline.  Returns the last one's. */
double canvas_paragraph(struct canvas *c, double x, double y, double width, double line, const char *text);
unsigned canvas_paragraph_lines(struct canvas *c, double width, const char *text);	/* in the font that is set */

/* Ends the page of a PDF and begins another, filled with the background. */
void canvas_page(struct canvas *c);

/* An entry of a PDF's outline that leads to this page, counted from 1. */
void canvas_outline(struct canvas *c, unsigned page, const char *text);

void canvas_line(struct canvas *c, double x1, double y1, double x2, double y2);	/* 1 px, crisp */
void canvas_box(struct canvas *c, double x, double y, double width, double height);	/* filled */

/* Strokes the path as a thin line on a casing, so that it stands off whatever is below it. */
void canvas_stroke_cased(struct canvas *c, __u32 rgb);

/* The same of a line of steps, in px: in pixels by areas (trace.h), in PDF and SVG as a path. */
void canvas_steps_cased(struct canvas *c, const struct trace_step *step, size_t n, __u32 rgb);

/* The canvas' own pixels from x, y on, to be written to, as 0xffrrggbb; canvas_wrote() says when that is done.  NULL: it
 * has none there, and canvas_pixels() serves. */
__u32 *canvas_own(struct canvas *c, double x, double y, unsigned width, unsigned height, size_t *ret_stride);
void canvas_wrote(struct canvas *c);

/* Pixels into a rectangle, edge to edge and unsmoothed. */
void canvas_pixels(struct canvas *c, __u32 *pixel, unsigned width, unsigned height, double x, double y);

#endif
