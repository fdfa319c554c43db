#include "render/draw/flame.h"
#include "render/encode/markup.h"
#include "render/encode/utf8.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define TEXT_MAX 1024			/* bytes of a line, or of a name */
#define MARGIN 10
#define HEAD 62				/* title and subtitle */
#define FOOT 46
#define BOX 18				/* a frame's height, with the gap */
#define CHAR 7.3			/* px, at most, of a character of the font */
#define PAD 4
#define HUE_USER 28
#define HUE_KERNEL 205
#define SHADE_FIRST 34			/* of a hue's ramp: text is readable from here on */
#define SHADES 5
#define SHADE_STEP 12

struct drawing {
	const struct flame *f;
	const struct figure_options *o;
	struct flame_tree tree;
	struct palette palette;
	__u32 user[PALETTE_COLOURS], kernel[PALETTE_COLOURS];
	unsigned height;
	size_t n_narrow;
	__u64 narrow;			/* amount of those that lie on a box */
	FILE *out;
};

/* ---- boxes ---- */

static double x_at(const struct drawing *d, __u64 amount)
{
	__u64 total = d->tree.frame[0].amount;

	return MARGIN + (total ? (double)amount / (double)total : 0) * (d->o->width - 2 * MARGIN);
}

static double width_of(const struct drawing *d, const struct flame_frame *f)
{
	return f->depth ? x_at(d, f->from + f->amount) - x_at(d, f->from) : d->o->width - 2 * MARGIN;
}

static bool is_narrow(const struct drawing *d, const struct flame_frame *f)
{
	return f->depth && width_of(d, f) < FLAME_MIN;
}

static unsigned depth_of(const struct drawing *d)
{
	unsigned depth = 0;

	for (size_t i = 0; i < d->tree.n; i++)
		if (d->tree.frame[i].depth > depth && !is_narrow(d, &d->tree.frame[i]))
			depth = d->tree.frame[i].depth;
	return depth;
}

static double y_of(const struct drawing *d, const struct flame_frame *f)
{
	return d->height - FOOT - (f->depth + 1) * BOX;
}

/* A name has the same shade in every picture. */
static __u32 colour_of(const struct drawing *d, const struct flame_frame *f)
{
	__u32 hash = 2166136261u;

	for (size_t i = 0; i < f->len; i++)
		hash = (hash ^ (unsigned char)f->name[i]) * 16777619u;
	return (f->kernel ? d->kernel : d->user)[SHADE_FIRST + (hash >> 16) % SHADES * SHADE_STEP];
}

/* The part of the name that fits, in whole characters. */
static void short_name(const struct flame_frame *f, double width, char *out, size_t room)
{
	size_t fits = width > 2 * PAD ? (size_t)((width - 2 * PAD) / CHAR) : 0, at = 0, n = 0;
	char name[TEXT_MAX], whole[TEXT_MAX];

	snprintf(name, sizeof(name), "%.*s", (int)(f->len < sizeof(name) ? f->len : sizeof(name) - 1), f->name);
	utf8_clean(name, whole, sizeof(whole));
	while (whole[at] && n < fits) {
		size_t len = utf8_length((const unsigned char *)whole + at);

		at += len ? len : 1;
		n++;
	}
	if (!whole[at])
		snprintf(out, room, "%s", whole);
	else if (n < 3)
		out[0] = 0;
	else {
		while (--at && (whole[at] & 0xc0) == 0x80)
			;
		snprintf(out, room, "%.*s\xe2\x80\xa6", (int)at, whole);
	}
}

static void put_amount(const struct drawing *d, __u64 amount)
{
	char text[AXIS_TEXT];
	__u64 total = d->tree.frame[0].amount;

	if (d->f->unit == AXIS_COUNT)
		axis_format_count((double)amount, text);
	else
		axis_format((double)amount, d->f->unit, text);
	fprintf(d->out, "%s (%.3g %%)", text, total ? 100 * (double)amount / (double)total : 0);
}

static void draw_frame(const struct drawing *d, const struct flame_frame *f)
{
	double x = f->depth ? x_at(d, f->from) : MARGIN, width = width_of(d, f), y = y_of(d, f);
	char name[TEXT_MAX];

	fputs("<g><title>", d->out);
	snprintf(name, sizeof(name), "%.*s", (int)(f->len < sizeof(name) ? f->len : sizeof(name) - 1), f->name);
	markup_text(d->out, name);
	fprintf(d->out, "%s: ", f->kernel ? " (kernel)" : "");
	put_amount(d, f->amount);
	fprintf(d->out, "</title><rect x=\"%.2f\" y=\"%.0f\" width=\"%.2f\" height=\"%d\" fill=\"#%06x\"/>", x, y,
		round(100 * (x + width)) / 100 - round(100 * x) / 100, BOX - 1, f->depth ? colour_of(d, f) : d->palette.unobserved);
	short_name(f, width, name, sizeof(name));
	if (name[0]) {
		fprintf(d->out, "<text x=\"%.2f\" y=\"%.0f\">", x + PAD, y + BOX - 5);
		markup_text(d->out, name);
		fputs("</text>", d->out);
	}
	fputs("</g>\n", d->out);
}

static void draw_frames(struct drawing *d)
{
	for (size_t i = 0; i < d->tree.n; i++) {
		const struct flame_frame *f = &d->tree.frame[i];

		if (!is_narrow(d, f)) {
			draw_frame(d, f);
			continue;
		}
		d->n_narrow++;
		if (!is_narrow(d, &d->tree.frame[f->parent]))
			d->narrow += f->amount;
	}
}

/* ---- around them ---- */

static void put_line(const struct drawing *d, const char *class, double y, const char *text)
{
	fprintf(d->out, "<text class=\"%s\" x=\"%d\" y=\"%.0f\">", class, MARGIN, y);
	markup_text(d->out, text);
	fputs("</text>\n", d->out);
}

static void draw_head(const struct drawing *d)
{
	const struct palette *p = &d->palette;

	fprintf(d->out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\" role=\"img\">\n",
		d->o->width, d->height, d->o->width, d->height);
	fputs("<title>", d->out);
	markup_text(d->out, d->o->title ? d->o->title : "flame graph");
	fprintf(d->out, "</title>\n<style>text{font:12px 'DejaVu Sans Mono',monospace;fill:#%06x;white-space:pre}"
		".title{font:bold 17px 'DejaVu Sans',sans-serif}.words{font:12px 'DejaVu Sans',sans-serif;fill:#%06x}"
		"g rect{stroke:#%06x;stroke-width:.4}g:hover rect{stroke:#%06x}</style>\n", p->text, p->muted, p->page, p->text);
	fprintf(d->out, "<rect width=\"%u\" height=\"%u\" fill=\"#%06x\"/>\n", d->o->width, d->height, p->page);
	if (d->o->title)
		put_line(d, "title", 26, d->o->title);
}

static void draw_words(const struct drawing *d)
{
	char total[AXIS_TEXT], range[AXIS_RANGE], line[TEXT_MAX];

	axis_format_range(d->f->from_ns, d->f->to_ns, d->o->zone, range);
	if (d->f->unit == AXIS_COUNT)
		axis_format_count((double)d->tree.frame[0].amount, total);
	else
		axis_format((double)d->tree.frame[0].amount, d->f->unit, total);
	snprintf(line, sizeof(line), "%.600s: %s, %s", d->o->subtitle ? d->o->subtitle : "amount", total, range);
	put_line(d, "words", 48, line);
}

static void draw_foot(const struct drawing *d)
{
	char line[TEXT_MAX];
	__u64 total = d->tree.frame[0].amount;

	if (d->n_narrow)
		snprintf(line, sizeof(line), "%zu frame%s narrower than half a pixel %s not drawn: %.2g %% of the width", d->n_narrow,
			 d->n_narrow == 1 ? "" : "s", d->n_narrow == 1 ? "is" : "are", 100 * (double)d->narrow / (double)total);
	else
		snprintf(line, sizeof(line), "every frame is drawn");
	put_line(d, "words", d->height - 26, line);
	snprintf(line, sizeof(line), "%.600s%s%.100s", d->f->note ? d->f->note : "", d->f->note && *d->f->note ? "; " : "",
		 d->o->version ? d->o->version : "");
	put_line(d, "words", d->height - 10, line);
}

static int draw_flame(struct drawing *d, __u8 **ret_bytes, size_t *ret_len)
{
	char *text = NULL;
	size_t len = 0;
	int failed;

	d->out = open_memstream(&text, &len);
	if (!d->out)
		return -ENOMEM;
	draw_head(d);
	draw_words(d);
	draw_frames(d);
	draw_foot(d);
	fputs("</svg>\n", d->out);
	failed = ferror(d->out);
	if (fclose(d->out) || failed) {
		free(text);
		return -ENOMEM;
	}
	*ret_bytes = (__u8 *)text;
	*ret_len = len;
	return 0;
}

int flame_render(const struct flame *f, const struct figure_options *o, __u8 **ret_bytes, size_t *ret_len)
{
	struct drawing d = { .f = f, .o = o };
	int err;

	if (o->width < FIGURE_WIDTH_MIN || o->width > FIGURE_SIDE_MAX)
		return -EINVAL;
	err = flame_tree_make(f->stack, f->n, &d.tree);
	if (err)
		return err;
	palette_make(o->theme, PALETTE_USUAL, &d.palette);
	palette_hue(o->theme, HUE_USER, d.user);
	palette_hue(o->theme, HUE_KERNEL, d.kernel);
	d.height = HEAD + (depth_of(&d) + 1) * BOX + FOOT;
	err = draw_flame(&d, ret_bytes, ret_len);
	flame_tree_fini(&d.tree);
	return err;
}
