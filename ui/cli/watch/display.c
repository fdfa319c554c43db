#include "ui/cli/watch/display.h"

#include "ui/cli/watch/sixel.h"
#include "ui/cli/terminal/terminal.h"

#include "render/color/palette.h"

#include <string.h>

#define CLEAR "\x1b[0m\x1b[2J"

#define IMAGE_FIRST 23181u		/* and the next, in turns: one is shown while the other is replaced */
#define IMAGE_CURSOR 23183u

int display_resize(struct display *d, long n_cols, long n_lines, struct graphics g)
{
	screen_fini(&d->shown);
	screen_fini(&d->next);
	d->graphics = g;
	display_forget(d);
	return screen_init(&d->shown, n_cols, n_lines) ?: screen_init(&d->next, n_cols, n_lines);
}

void display_fini(struct display *d)
{
	screen_fini(&d->shown);
	screen_fini(&d->next);
	picture_fini(&d->picture);
}

void display_forget(struct display *d)
{
	d->known = false;
	picture_fini(&d->picture);
	d->cursor = (struct kitty_cursor){ .upper = false };
}

/* --- the picture ---------------------------------------------------------------------------------- */

/* The map of a frame; none where it is covered, or cannot be painted. */
static struct picture picture_of(const struct display *d, const struct frame *f)
{
	struct layout l = layout_of(d->next.n_cols, d->next.n_lines, f->look);
	struct picture p = { .pixel = NULL };
	struct plot plot;

	if (d->graphics.kind == GRAPHICS_NONE || !l.fits || !f->map || f->view->overlay != OVERLAY_NONE)
		return p;
	plot = view_plot(f->view, f->map, l.n_pixels);
	picture_paint(&plot, &l, d->graphics, &p);
	return p;
}

static struct screen_cell *cell_in(struct screen *s, const struct picture *p, long i)
{
	return &s->cell[(p->line + i / p->n_cols) * s->n_cols + p->col + i % p->n_cols];
}

/* Does the picture show in place of a character that stood there? */
static bool comes_out(struct display *d, const struct picture *p)
{
	for (long i = 0; i < p->n_lines * p->n_cols; i++)
		if (cell_in(&d->next, p, i)->character == SCREEN_PICTURE && cell_in(&d->shown, p, i)->character != SCREEN_PICTURE)
			return true;
	return false;
}

static void show_sixels(struct display *d, struct bytes *out, const struct picture *p)
{
	if (picture_same(&d->picture, p) && !comes_out(d, p))
		return;
	sixel_show(out, p);
	for (long i = 0; i < p->n_lines * p->n_cols; i++)
		*cell_in(&d->shown, p, i) = (struct screen_cell){ SCREEN_PICTURE, STYLE_PLAIN };
}

static bool is_shown(const struct kitty_cursor *c) { return c->upper || c->lower; }

/* The character that stands in the picture. */
static struct kitty_cursor cursor_in(struct display *d, const struct picture *p, __u32 rgb)
{
	for (long i = 0; i < p->n_lines * p->n_cols; i++) {
		__u32 c = cell_in(&d->next, p, i)->character;

		if (c != SCREEN_PICTURE)
			return (struct kitty_cursor){ p->line + i / p->n_cols, p->col + i % p->n_cols, c != HALF_LOWER, c != HALF_UPPER, rgb };
	}
	return (struct kitty_cursor){ .upper = false };
}

static void show_cursor(struct display *d, struct bytes *out, struct kitty_cursor c)
{
	const struct kitty_cursor *was = &d->cursor;

	if (is_shown(&c) && (c.line != was->line || c.col != was->col || c.upper != was->upper || c.lower != was->lower || c.rgb != was->rgb))
		kitty_point(out, &c, d->graphics.cell_height, IMAGE_CURSOR);
	if (is_shown(was) && !is_shown(&c))
		kitty_forget(out, IMAGE_CURSOR);
	d->cursor = c;
}

static void forget_image(struct display *d, struct bytes *out)
{
	if (d->image)
		kitty_forget(out, d->image);
	d->image = 0;
	show_cursor(d, out, (struct kitty_cursor){ .upper = false });
}

static void show_image(struct display *d, struct bytes *out, const struct picture *p)
{
	unsigned next = d->image == IMAGE_FIRST ? IMAGE_FIRST + 1 : IMAGE_FIRST;

	if (d->image && picture_same(&d->picture, p))
		return;
	kitty_show(out, p, next);
	if (d->image)
		kitty_forget(out, d->image);
	d->image = next;
}

static void show_picture(struct display *d, struct bytes *out, struct picture *p, __u32 cursor_rgb)
{
	if (p->pixel && d->graphics.kind == GRAPHICS_KITTY) {
		show_image(d, out, p);
		show_cursor(d, out, cursor_in(d, p, cursor_rgb));
	} else {
		forget_image(d, out);
	}
	if (p->pixel && d->graphics.kind == GRAPHICS_SIXEL)
		show_sixels(d, out, p);
	picture_fini(&d->picture);
	d->picture = *p;
}

/* --- all of it ------------------------------------------------------------------------------------- */

void display_update(struct display *d, struct bytes *out, struct frame *f)
{
	struct picture p = picture_of(d, f);
	bool pictures = d->graphics.kind != GRAPHICS_NONE;
	struct screen was;

	f->pictured = p.pixel != NULL;
	frame_draw(f, &d->next);
	if (pictures)
		bytes_put(out, TERMINAL_FRAME_BEGIN, strlen(TERMINAL_FRAME_BEGIN));
	if (!d->known) {
		bytes_put(out, CLEAR, strlen(CLEAR));
		screen_clear(&d->shown);
	}
	show_picture(d, out, &p, f->map && palette_luminance(f->map->zero) < 0.5 ? 0xffffff : 0);
	screen_update(out, f->look, &d->shown, &d->next);
	if (pictures)
		bytes_put(out, TERMINAL_FRAME_END, strlen(TERMINAL_FRAME_END));
	was = d->shown;
	d->shown = d->next;
	d->next = was;
	d->known = true;
}
