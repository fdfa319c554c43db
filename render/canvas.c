#include "canvas.h"
#include "png.h"
#include <cairo-pdf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define POINTS_PER_PX 0.75
#define PIXELS_PER_METRE 3780		/* 96 per inch */

static cairo_status_t pdf_write(void *arg, const unsigned char *data, unsigned len)
{
	struct canvas *c = arg;

	if (len > c->pdf_room - c->pdf_len) {
		size_t room = (c->pdf_room + len) * 2;
		__u8 *more = realloc(c->pdf, room);

		if (!more)
			return CAIRO_STATUS_NO_MEMORY;
		c->pdf = more;
		c->pdf_room = room;
	}
	memcpy(c->pdf + c->pdf_len, data, len);
	c->pdf_len += len;
	return CAIRO_STATUS_SUCCESS;
}

/* The date is the data's, so that equal input gives equal bytes. */
static cairo_surface_t *pdf_surface(struct canvas *c, const struct figure_options *o, __s64 made_ns)
{
	cairo_surface_t *s = cairo_pdf_surface_create_for_stream(pdf_write, c, c->width * POINTS_PER_PX,
								 c->height * POINTS_PER_PX);
	char date[AXIS_TEXT + 1];

	axis_format_time(made_ns - made_ns % 1000000000, 0, date);
	date[10] = 'T';
	strcat(date, "Z");
	cairo_pdf_surface_set_metadata(s, CAIRO_PDF_METADATA_CREATE_DATE, date);
	cairo_pdf_surface_set_metadata(s, CAIRO_PDF_METADATA_TITLE, o->title ? o->title : "");
	cairo_pdf_surface_set_metadata(s, CAIRO_PDF_METADATA_CREATOR, o->version ? o->version : "heatscope");
	return s;
}

static void set_fonts(struct canvas *c)
{
	cairo_font_options_t *options = cairo_font_options_create();

	cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
	cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_SLIGHT);
	cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
	cairo_set_font_options(c->cr, options);
	cairo_font_options_destroy(options);
}

int canvas_init(struct canvas *c, const struct figure_options *o, unsigned height, __s64 made_ns)
{
	memset(c, 0, sizeof(*c));
	c->width = o->width;
	c->height = height;
	c->format = o->format;
	c->scale = o->scale;
	palette_make(o->theme, &c->palette);
	if (c->format == FIGURE_PDF)
		c->surface = pdf_surface(c, o, made_ns);
	else
		c->surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, c->width * c->scale, height * c->scale);
	c->cr = cairo_create(c->surface);
	if (cairo_status(c->cr)) {
		canvas_fini(c);
		return -ENOMEM;
	}
	if (c->format == FIGURE_PDF)
		cairo_scale(c->cr, POINTS_PER_PX, POINTS_PER_PX);
	else
		cairo_scale(c->cr, c->scale, c->scale);
	set_fonts(c);
	canvas_colour(c, c->palette.page);
	cairo_paint(c->cr);
	return 0;
}

void canvas_fini(struct canvas *c)
{
	if (c->cr)
		cairo_destroy(c->cr);
	if (c->surface)
		cairo_surface_destroy(c->surface);
	free(c->pdf);
	memset(c, 0, sizeof(*c));
}

static int pdf_bytes(struct canvas *c, __u8 **ret_bytes, size_t *ret_len)
{
	cairo_show_page(c->cr);
	cairo_surface_finish(c->surface);
	if (cairo_surface_status(c->surface))
		return -ENOMEM;
	*ret_bytes = c->pdf;
	*ret_len = c->pdf_len;
	c->pdf = NULL;
	return 0;
}

int canvas_bytes(struct canvas *c, const char *const *text, __u8 **ret_bytes, size_t *ret_len)
{
	if (c->err || cairo_status(c->cr))
		return c->err ? c->err : -ENOMEM;
	if (c->format == FIGURE_PDF)
		return pdf_bytes(c, ret_bytes, ret_len);
	cairo_surface_flush(c->surface);
	return png_rgb(cairo_image_surface_get_data(c->surface), cairo_image_surface_get_stride(c->surface),
		       c->width * c->scale, c->height * c->scale, PIXELS_PER_METRE * c->scale, text,
		       ret_bytes, ret_len);
}

void canvas_colour(struct canvas *c, __u32 rgb)
{
	cairo_set_source_rgb(c->cr, (rgb >> 16 & 255) / 255.0, (rgb >> 8 & 255) / 255.0, (rgb & 255) / 255.0);
}

void canvas_font(struct canvas *c, double size, bool bold)
{
	cairo_select_font_face(c->cr, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
			       bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
	cairo_set_font_size(c->cr, size);
}

double canvas_text_width(struct canvas *c, const char *text)
{
	cairo_text_extents_t extents;

	cairo_text_extents(c->cr, text, &extents);
	return extents.x_advance;
}

void canvas_text(struct canvas *c, enum canvas_align align, double x, double y, const char *text)
{
	if (align != CANVAS_LEFT)
		x -= canvas_text_width(c, text) / (align == CANVAS_CENTRE ? 2 : 1);
	cairo_move_to(c->cr, x, y);
	cairo_show_text(c->cr, text);
}

void canvas_text_within(struct canvas *c, double x, double y, double width, const char *text)
{
	char cut[512];
	size_t len = strlen(text);

	if (canvas_text_width(c, text) <= width) {
		canvas_text(c, CANVAS_LEFT, x, y, text);
		return;
	}
	if (len > sizeof(cut) - 4)
		len = sizeof(cut) - 4;
	do {
		while (len && (text[--len] & 0xc0) == 0x80)
			;		/* never within a character */
		memcpy(cut, text, len);
		strcpy(cut + len, "…");
	} while (len && canvas_text_width(c, cut) > width);
	canvas_text(c, CANVAS_LEFT, x, y, cut);
}

void canvas_line(struct canvas *c, double x1, double y1, double x2, double y2)
{
	cairo_set_line_width(c->cr, 1);
	cairo_move_to(c->cr, x1, y1);
	cairo_line_to(c->cr, x2, y2);
	cairo_stroke(c->cr);
}

void canvas_box(struct canvas *c, double x, double y, double width, double height)
{
	cairo_rectangle(c->cr, x, y, width, height);
	cairo_fill(c->cr);
}

void canvas_pixels(struct canvas *c, __u32 *pixel, unsigned width, unsigned height, double x, double y)
{
	cairo_surface_t *s = cairo_image_surface_create_for_data((__u8 *)pixel, CAIRO_FORMAT_RGB24, width,
								 height, width * 4);

	cairo_save(c->cr);
	cairo_translate(c->cr, x, y);
	cairo_scale(c->cr, 1.0 / c->scale, 1.0 / c->scale);
	cairo_set_source_surface(c->cr, s, 0, 0);
	cairo_pattern_set_filter(cairo_get_source(c->cr), CAIRO_FILTER_NEAREST);
	cairo_rectangle(c->cr, 0, 0, width, height);
	cairo_fill(c->cr);
	cairo_restore(c->cr);
	cairo_surface_destroy(s);
}
