/* canvas_kit.h - gives tests a canvas to draw on, and reads its pixels. */
#ifndef HEATSCOPE_CANVAS_KIT_H
#define HEATSCOPE_CANVAS_KIT_H

#include "render/draw/canvas.h"

static inline void kit_canvas(struct canvas *c, unsigned width, unsigned height, enum palette_theme theme, unsigned scale)
{
	struct figure_options o;

	figure_defaults(&o);
	o.width = width;
	o.theme = theme;
	o.scale = scale;
	assert_int_equal(canvas_init(c, &o, height, 0), 0);
}

static inline __u32 kit_canvas_pixel(struct canvas *c, unsigned x, unsigned y)
{
	const __u8 *row;

	cairo_surface_flush(c->surface);
	row = cairo_image_surface_get_data(c->surface) + y * (size_t)cairo_image_surface_get_stride(c->surface);
	return ((const __u32 *)row)[x] & 0xffffff;
}

/* The box around all pixels that are not of the page's colour; 0 wide: there are none. */
struct ink {
	unsigned left, top, right, bottom, n;	/* right and bottom are past the last */
};

static inline struct ink kit_ink(struct canvas *c, unsigned left, unsigned top, unsigned right, unsigned bottom)
{
	struct ink ink = { .left = right, .top = bottom };

	for (unsigned y = top; y < bottom; y++)
		for (unsigned x = left; x < right; x++) {
			if (kit_canvas_pixel(c, x, y) == c->palette.page)
				continue;
			ink.left = x < ink.left ? x : ink.left;
			ink.top = y < ink.top ? y : ink.top;
			ink.right = x + 1 > ink.right ? x + 1 : ink.right;
			ink.bottom = y + 1 > ink.bottom ? y + 1 : ink.bottom;
			ink.n++;
		}
	return ink;
}

#endif
