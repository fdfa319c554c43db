#include "render/draw/canvas.h"
#include "render/encode/png.h"
#include "render/encode/svg.h"
#include "render/encode/utf8.h"
#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POINTS_PER_PX 0.75
#define PIXELS_PER_METRE 3780		/* 96 per inch */
#define CASING 3			/* px */
#define LINE 1.4

static int out_put(struct canvas *c, const void *data, size_t len)
{
	if (len > c->out.room - c->out.len) {
		size_t room = (c->out.room + len) * 2;
		__u8 *more = realloc(c->out.data, room);

		if (!more)
			return -ENOMEM;
		c->out.data = more;
		c->out.room = room;
	}
	memcpy(c->out.data + c->out.len, data, len);
	c->out.len += len;
	return 0;
}

static cairo_status_t out_write(void *arg, const unsigned char *data, unsigned len)
{
	return out_put(arg, data, len) ? CAIRO_STATUS_NO_MEMORY : CAIRO_STATUS_SUCCESS;
}

/* The date comes from the data, so that equal input gives equal bytes. */
static cairo_surface_t *pdf_surface(struct canvas *c, const struct figure_options *o, __s64 made_ns)
{
	cairo_surface_t *s = cairo_pdf_surface_create_for_stream(out_write, c, c->width * POINTS_PER_PX,
								 c->height * POINTS_PER_PX);
	char date[AXIS_TEXT + 1], title[CANVAS_TEXT_MAX];

	axis_format_time(made_ns - made_ns % 1000000000, NULL, date);
	date[10] = 'T';
	strcat(date, "Z");
	cairo_pdf_surface_set_metadata(s, CAIRO_PDF_METADATA_CREATE_DATE, date);
	utf8_clean(o->title ? o->title : "", title, sizeof(title));
	cairo_pdf_surface_set_metadata(s, CAIRO_PDF_METADATA_TITLE, title);
	cairo_pdf_surface_set_metadata(s, CAIRO_PDF_METADATA_CREATOR, o->version ? o->version : "heatscope");
	return s;
}

static cairo_surface_t *svg_surface(struct canvas *c)
{
	cairo_surface_t *s = cairo_svg_surface_create_for_stream(out_write, c, c->width, c->height);

	cairo_svg_surface_set_document_unit(s, CAIRO_SVG_UNIT_PX);
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
	c->title = o->title;
	c->version = o->version ? o->version : "heatscope";
	palette_make(o->theme, o->ramp, &c->palette);
	if (c->format == FIGURE_PDF)
		c->surface = pdf_surface(c, o, made_ns);
	else if (c->format == FIGURE_SVG)
		c->surface = svg_surface(c);
	else
		c->surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, c->width * c->scale, height * c->scale);
	c->cr = cairo_create(c->surface);
	if (cairo_status(c->cr)) {
		canvas_fini(c);
		return -ENOMEM;
	}
	if (c->format == FIGURE_PDF)
		cairo_scale(c->cr, POINTS_PER_PX, POINTS_PER_PX);
	else if (c->format == FIGURE_PNG)
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
	free(c->out.data);
	memset(c, 0, sizeof(*c));
}

static int out_finish(struct canvas *c)
{
	cairo_show_page(c->cr);
	cairo_surface_finish(c->surface);
	return cairo_surface_status(c->surface) ? -ENOMEM : 0;
}

static void take_out(struct canvas *c, __u8 **ret_bytes, size_t *ret_len)
{
	*ret_bytes = c->out.data;
	*ret_len = c->out.len;
	memset(&c->out, 0, sizeof(c->out));
}

int canvas_bytes(struct canvas *c, __u8 **ret_bytes, size_t *ret_len)
{
	const char *const text[] = { "Software", c->version, "Title", c->title ? c->title : "", "Description", c->description, NULL };
	int err = c->err ? c->err : cairo_status(c->cr) ? -ENOMEM : 0;

	if (err)
		return err;
	if (c->format == FIGURE_PNG) {
		cairo_surface_flush(c->surface);
		return png_rgb(cairo_image_surface_get_data(c->surface), cairo_image_surface_get_stride(c->surface),
			       c->width * c->scale, c->height * c->scale, PIXELS_PER_METRE * c->scale, text, ret_bytes,
			       ret_len);
	}
	err = out_finish(c);
	if (!err && c->format == FIGURE_SVG)
		return svg_finish(c->out.data, c->out.len, c->title, c->description, ret_bytes, ret_len);
	if (!err)
		take_out(c, ret_bytes, ret_len);
	return err;
}

void canvas_describe(struct canvas *c, const char *subtitle, const char *sentence)
{
	snprintf(c->description, sizeof(c->description), "%s%s%s", subtitle ? subtitle : "", subtitle && *subtitle ? ". " : "",
		 sentence);
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

static double clean_width(struct canvas *c, const char *text)
{
	cairo_text_extents_t extents;

	cairo_text_extents(c->cr, text, &extents);
	return extents.x_advance;
}

double canvas_text_width(struct canvas *c, const char *text)
{
	char clean[CANVAS_TEXT_MAX];

	utf8_clean(text, clean, sizeof(clean));
	return clean_width(c, clean);
}

void canvas_text(struct canvas *c, enum canvas_align align, double x, double y, const char *text)
{
	char clean[CANVAS_TEXT_MAX];

	utf8_clean(text, clean, sizeof(clean));
	if (align != CANVAS_LEFT)
		x -= clean_width(c, clean) / (align == CANVAS_CENTRE ? 2 : 1);
	cairo_move_to(c->cr, x, y);
	cairo_show_text(c->cr, clean);
}

void canvas_text_within(struct canvas *c, double x, double y, double width, const char *text)
{
	char clean[CANVAS_TEXT_MAX], cut[CANVAS_TEXT_MAX + 4];
	size_t len;

	utf8_clean(text, clean, sizeof(clean));
	len = strlen(clean);
	if (clean_width(c, clean) <= width) {
		canvas_text(c, CANVAS_LEFT, x, y, clean);
		return;
	}
	do {
		while (len && (clean[--len] & 0xc0) == 0x80)
			;		/* never within a character */
		memcpy(cut, clean, len);
		strcpy(cut + len, "…");
	} while (len && clean_width(c, cut) > width);
	canvas_text(c, CANVAS_LEFT, x, y, cut);
}

/* The number of bytes of the words that fit on a line; at least one word. */
static size_t line_length(struct canvas *c, const char *text, double width)
{
	char line[CANVAS_PARAGRAPH_MAX], *space;

	strcpy(line, text);
	while (clean_width(c, line) > width && (space = strrchr(line, ' ')))
		*space = 0;
	return strlen(line);
}

/* Splits text into lines, and draws them from y on if `draw` is set.  Returns their number. */
static unsigned each_line(struct canvas *c, double x, double y, double width, double line, const char *text, bool draw)
{
	char clean[CANVAS_PARAGRAPH_MAX], *at = clean;
	unsigned n = 0;

	utf8_clean(text, clean, sizeof(clean));
	for (; *at; n++) {
		char *end = at + line_length(c, at, width), kept = *end;

		*end = 0;
		if (draw)
			canvas_text_within(c, x, y + n * line, width, at);
		*end = kept;
		at = end + strspn(end, " ");
	}
	return n;
}

double canvas_paragraph(struct canvas *c, double x, double y, double width, double line, const char *text)
{
	unsigned n = each_line(c, x, y, width, line, text, true);

	return y + (n ? n - 1 : 0) * line;
}

unsigned canvas_paragraph_lines(struct canvas *c, double width, const char *text)
{
	return each_line(c, 0, 0, width, 0, text, false);
}

void canvas_page(struct canvas *c)
{
	cairo_show_page(c->cr);
	canvas_colour(c, c->palette.page);
	cairo_paint(c->cr);
}

void canvas_outline(struct canvas *c, unsigned page, const char *text)
{
	char clean[CANVAS_TEXT_MAX], where[64];

	utf8_clean(text, clean, sizeof(clean));
	snprintf(where, sizeof(where), "page=%u pos=[0 0]", page);
	cairo_pdf_surface_add_outline(c->surface, CAIRO_PDF_OUTLINE_ROOT, clean, where, (cairo_pdf_outline_flags_t)0);
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

void canvas_stroke_cased(struct canvas *c, __u32 rgb)
{
	cairo_set_line_join(c->cr, CAIRO_LINE_JOIN_MITER);	/* square corners, as in trace.h */
	canvas_colour(c, c->palette.casing);
	cairo_set_line_width(c->cr, CASING);
	cairo_stroke_preserve(c->cr);
	canvas_colour(c, rgb);
	cairo_set_line_width(c->cr, LINE);
	cairo_stroke(c->cr);
}

static void steps_path(struct canvas *c, const struct trace_step *step, size_t n)
{
	cairo_new_path(c->cr);
	for (size_t i = 0; i < n; i++) {
		if (!step[i].drawn)
			continue;
		if (i && step[i - 1].drawn)
			cairo_line_to(c->cr, step[i].from, step[i].y);
		else
			cairo_move_to(c->cr, step[i].from, step[i].y);
		cairo_line_to(c->cr, step[i].to, step[i].y);
	}
}

/* The pixels of the canvas that a cased line may touch. */
struct box {
	double left, top, right, bottom;
};

static struct box steps_box(const struct canvas *c, const struct trace_step *step, size_t n)
{
	double half = CASING / 2.0 * c->scale;
	struct box b = { .left = INFINITY, .top = INFINITY };

	for (size_t i = 0; i < n; i++) {
		if (!step[i].drawn)
			continue;
		b.left = fmin(b.left, step[i].from * c->scale - half);
		b.top = fmin(b.top, step[i].y * c->scale - half);
		b.right = fmax(b.right, step[i].to * c->scale + half);
		b.bottom = fmax(b.bottom, step[i].y * c->scale + half);
	}
	return (struct box){ fmax(floor(b.left), 0), fmax(floor(b.top), 0), fmin(ceil(b.right), c->width * c->scale),
			     fmin(ceil(b.bottom), c->height * c->scale) };
}

/* Colours the pixels that the line covers; steps are in pixels of the box. */
static void mask_steps(struct canvas *c, const struct box *b, const struct trace_step *step, size_t n, double thick,
		       __u32 rgb)
{
	cairo_surface_t *mask = cairo_image_surface_create(CAIRO_FORMAT_A8, (int)(b->right - b->left),
							   (int)(b->bottom - b->top));

	cairo_surface_flush(mask);
	if (cairo_surface_status(mask) ||
	    trace_cover(step, n, thick * c->scale, cairo_image_surface_get_data(mask),
			(size_t)cairo_image_surface_get_stride(mask), (unsigned)cairo_image_surface_get_width(mask),
			(unsigned)cairo_image_surface_get_height(mask))) {
		c->err = -ENOMEM;
	} else {
		cairo_surface_mark_dirty(mask);
		canvas_colour(c, rgb);
		cairo_save(c->cr);
		cairo_identity_matrix(c->cr);
		cairo_mask_surface(c->cr, mask, b->left, b->top);
		cairo_restore(c->cr);
	}
	cairo_surface_destroy(mask);
}

void canvas_steps_cased(struct canvas *c, const struct trace_step *step, size_t n, __u32 rgb)
{
	struct box b = steps_box(c, step, n);
	struct trace_step *at;

	if (!(b.left < b.right && b.top < b.bottom))
		return;
	if (c->format != FIGURE_PNG) {
		steps_path(c, step, n);
		canvas_stroke_cased(c, rgb);
		return;
	}
	at = malloc(n * sizeof(*at));
	for (size_t i = 0; at && i < n; i++)
		at[i] = (struct trace_step){ step[i].from * c->scale - b.left, step[i].to * c->scale - b.left,
					     step[i].y * c->scale - b.top, step[i].drawn };
	if (at) {
		mask_steps(c, &b, at, n, CASING, c->palette.casing);
		mask_steps(c, &b, at, n, LINE, rgb);
	} else {
		c->err = -ENOMEM;
	}
	free(at);
}

__u32 *canvas_own(struct canvas *c, double x, double y, unsigned width, unsigned height, size_t *ret_stride)
{
	double left = x * c->scale, top = y * c->scale;

	if (c->format != FIGURE_PNG || cairo_status(c->cr) || left < 0 || top < 0 || left != floor(left) || top != floor(top) ||
	    left + width > c->width * c->scale || top + height > c->height * c->scale)
		return NULL;
	cairo_surface_flush(c->surface);
	*ret_stride = (size_t)cairo_image_surface_get_stride(c->surface) / sizeof(__u32);
	return (__u32 *)cairo_image_surface_get_data(c->surface) + (size_t)top * *ret_stride + (size_t)left;
}

void canvas_wrote(struct canvas *c)
{
	cairo_surface_mark_dirty(c->surface);
}

/* Cairo would write an image of 32 bits with its slowest method; ours is a few times smaller and faster. */
static int attach_png(cairo_surface_t *s, const __u32 *pixel, unsigned width, unsigned height)
{
	__u8 *png;
	size_t len;
	int err = png_smallest(pixel, width, height, &png, &len);

	if (!err && cairo_surface_set_mime_data(s, CAIRO_MIME_TYPE_PNG, png, len, free, png)) {
		free(png);
		err = -ENOMEM;
	}
	return err;
}

void canvas_pixels(struct canvas *c, __u32 *pixel, unsigned width, unsigned height, double x, double y)
{
	cairo_surface_t *s = cairo_image_surface_create_for_data((__u8 *)pixel, CAIRO_FORMAT_RGB24, width,
								 height, width * 4);

	if (c->format == FIGURE_SVG && !c->err)
		c->err = attach_png(s, pixel, width, height);
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
