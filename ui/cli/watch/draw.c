/* draw.c - draws the map: cells, marks over them, axes, cursor.
 *
 *      not observed   sparse / on a ground of its own, seen line /      dropped: the same with .
 *      partly lost    dense \ beside the cells, sparse over them, seen line \
 *      in progress    seen line >          sampled: seen line ~         a clock was set: seen line !
 *      still running  o O & over the cells: few, tens, hundreds
 */
#include "ui/cli/watch/frame.h"

#include <math.h>
#include <string.h>

#define LINE_H 0x2500
#define LINE_V 0x2502
#define TICK_LEFT 0x2524
#define TICK_DOWN 0x252c
#define CORNER 0x2514
#define MARK_RIGHT 0x25b6
#define MARK_UP 0x25b2

struct drawing {
	const struct frame *f;
	const struct layout *l;
	struct screen *s;
	struct plot plot;
};

struct strip {				/* one column, pixel by pixel */
	const struct map_column *column;
	unsigned char level[PLOT_PIXELS_MAX];
	double running[PLOT_PIXELS_MAX];
	long cursor;			/* its pixel; -1: elsewhere */
};

struct place {				/* of a character, and its pixels: the same where it has only one */
	long line, col, top, bottom;
};

/* --- characters --- */

static __u32 density_character(unsigned level)
{
	static const char ramp[] = ".:-=+*#%@";

	return level ? (__u32)ramp[(level - 1) * (sizeof(ramp) - 1) / (PALETTE_COLOURS - 1)] : ' ';
}

static __u32 running_character(double n) { return n < 10 ? 'o' : n < 100 ? 'O' : '&'; }

/* How much of a column was seen. */
static __u32 state_mark(const struct map_column *c)
{
	static const char mark[] = {
		[MAP_PARTIAL] = '\\', [MAP_UNOBSERVED] = '/', [MAP_DROPPED] = '.', [MAP_IN_PROGRESS] = '>',
	};

	return c->state == MAP_OK || c->state == MAP_ZERO ? LINE_H : (__u32)mark[c->state];
}

static void put_cell(const struct drawing *d, const struct place *at, __u32 character, __u32 front, __u32 back)
{
	struct style style = { front, look_has_cells(d->f->look) ? back : LOOK_DEFAULT, false, false };

	screen_put(d->s, at->line, at->col, character, style);
}

static void put_density(const struct drawing *d, const struct strip *c, const struct place *at)
{
	struct style style = STYLE_PLAIN;

	style.reverse = c->cursor == at->top;
	screen_put(d->s, at->line, at->col, density_character(c->level[at->top]), style);
}

/* The cursor is the terminal's own text colour, in its half. */
static void put_cursor(const struct drawing *d, const struct strip *c, const struct place *at)
{
	bool upper = c->cursor == at->top;
	unsigned other = c->level[upper ? at->bottom : at->top];

	put_cell(d, at, at->top == at->bottom ? '+' : upper ? HALF_UPPER : HALF_LOWER, LOOK_DEFAULT,
		 d->f->map->palette[other]);
}

static void put_cells(const struct drawing *d, const struct strip *c, const struct place *at)
{
	__u32 upper = d->f->map->palette[c->level[at->top]], lower = d->f->map->palette[c->level[at->bottom]];

	if (!look_has_cells(d->f->look))
		put_density(d, c, at);
	else if (upper == lower)
		put_cell(d, at, ' ', LOOK_DEFAULT, upper);
	else
		put_cell(d, at, HALF_UPPER, upper, lower);
}

/* Is there a stroke of a hatch here?  Without colours a stroke never hides a cell. */
static bool is_hatched(const struct drawing *d, const struct place *at, unsigned level)
{
	if (level && !look_has_cells(d->f->look))
		return false;
	return (at->line + at->col) % (level ? 4 : 2) == 1;
}

static void put_character(const struct drawing *d, const struct strip *c, const struct place *at)
{
	const struct map *m = d->f->map;
	enum map_state state = c->column->state;
	unsigned level = c->level[at->top] > c->level[at->bottom] ? c->level[at->top] : c->level[at->bottom];
	double running = fmax(c->running[at->top], c->running[at->bottom]);

	if (look_has_cells(d->f->look) && (c->cursor == at->top || c->cursor == at->bottom))
		put_cursor(d, c, at);
	else if (c->cursor == at->top)
		put_density(d, c, at);
	else if (d->f->pictured)
		screen_put(d->s, at->line, at->col, SCREEN_PICTURE, STYLE_PLAIN);
	else if (state == MAP_UNOBSERVED || state == MAP_DROPPED)
		put_cell(d, at, (at->line + at->col) % 3 ? ' ' : state_mark(c->column), LOOK_DEFAULT, m->unobserved);
	else if (running > 0)
		put_cell(d, at, running_character(running), m->running, m->palette[level]);
	else if (state == MAP_PARTIAL && is_hatched(d, at, level))
		put_cell(d, at, '\\', m->partial, m->palette[level]);
	else
		put_cells(d, c, at);
}

/* --- columns --- */

static __u32 seen_mark(const struct map_column *c)
{
	__u32 mark = state_mark(c);

	return c->clock_step ? '!' : c->sampled && mark == LINE_H ? '~' : mark;
}

static void draw_column(const struct drawing *d, size_t i, long col)
{
	const struct view *v = d->f->view;
	const struct layout *l = d->l;
	long pixels = look_pixels(d->f->look);
	struct strip c = { .column = &d->f->map->column[i], .cursor = -1 };

	if (v->pointing && map_column_at(d->f->map, v->time_s) == (long)i)
		c.cursor = plot_pixel(&d->plot, v->value);
	plot_levels(&d->plot, i, c.level);
	plot_running(&d->plot, i, c.running);
	for (long line = 0; line < l->map_lines; line++) {
		long top = l->n_pixels - 1 - line * pixels;
		const struct place at = { l->map_line + line, col, top, top - pixels + 1 };

		put_character(d, &c, &at);
	}
	screen_put(d->s, l->seen_line, col, c.cursor >= 0 ? MARK_UP : seen_mark(c.column), STYLE_PLAIN);
}

/* --- axes --- */

static long line_of(const struct drawing *d, long pixel)
{
	return d->l->map_line + (d->l->n_pixels - 1 - pixel) / look_pixels(d->f->look);
}

static void put_value(const struct drawing *d, long pixel, const char *text)
{
	long line = line_of(d, pixel);

	for (long col = 0; col < d->l->axis_col; col++)
		screen_put(d->s, line, col, ' ', STYLE_PLAIN);
	screen_text_right(d->s, line, d->l->axis_col, text, STYLE_PLAIN);
	screen_put(d->s, line, d->l->axis_col, TICK_LEFT, STYLE_PLAIN);
}

/* Labels the strips at the ends: "<1 us", ">10 s". */
static void put_strip(const struct drawing *d, long pixel, char sign, double value)
{
	char text[AXIS_TEXT + 1] = { sign };

	axis_format(value, axis_unit(d->f->map->unit), text + 1);
	put_value(d, pixel, text);
}

static void draw_values(const struct drawing *d)
{
	const struct domain *a = &d->plot.domain;
	const struct layout *l = d->l;
	struct tick tick[AXIS_TICKS_MAX];
	size_t n = axis_value_ticks(a->kind, axis_unit(d->f->map->unit), a->low, a->high, (double)l->n_pixels,
				    2.0 * (double)look_pixels(d->f->look), tick);

	for (long i = 0; i < l->map_lines; i++)
		screen_put(d->s, l->map_line + i, l->axis_col, LINE_V, STYLE_PLAIN);
	for (size_t i = 0; i < n; i++)
		if (*tick[i].text)
			put_value(d, plot_pixel_at(&d->plot, tick[i].at), tick[i].text);
	if (a->under)
		put_strip(d, 0, '<', a->low);
	if (a->over)
		put_strip(d, l->n_pixels - 1, '>', a->high);
	if (d->f->view->pointing) {
		long pixel = plot_pixel(&d->plot, d->f->view->value);

		screen_put(d->s, line_of(d, pixel), l->axis_col, MARK_RIGHT, STYLE_PLAIN);
	}
}

/* Its label stands in the middle below it, but within the line. */
static void put_time(const struct drawing *d, const struct tick *tick)
{
	const struct layout *l = d->l;
	long width = (long)strlen(tick->text), col = lround(tick->at * (double)l->map_cols), first = col - width / 2;

	if (col >= l->map_cols)
		return;
	if (d->s->cell[l->seen_line * d->s->n_cols + l->map_col + col].character == LINE_H)
		screen_put(d->s, l->seen_line, l->map_col + col, TICK_DOWN, STYLE_PLAIN);
	first = first < 0 ? 0 : first + width > l->map_cols ? l->map_cols - width : first;
	screen_text(d->s, l->time_line, l->map_col + first, width, tick->text, STYLE_PLAIN);
}

#define LABEL_GAP 1.2			/* label widths from label to label, at least */

static void draw_times(const struct drawing *d)
{
	struct tick tick[AXIS_TICKS_MAX];
	double to_s = map_end_s(d->f->map), from_s = to_s - (double)d->l->map_cols * d->f->map->column_s;
	size_t n = axis_time_ticks(map_ns(from_s), map_ns(to_s), d->f->zone, (double)d->l->map_cols, LABEL_GAP, tick);

	screen_put(d->s, d->l->seen_line, d->l->axis_col, CORNER, STYLE_PLAIN);
	for (size_t i = 0; i < n; i++)
		put_time(d, &tick[i]);
}

void draw_map(const struct frame *f, const struct layout *l, struct screen *s)
{
	const struct drawing d = { f, l, s, view_plot(f->view, f->map, l->n_pixels) };
	size_t n = f->map->n_cols, skip = n > (size_t)l->map_cols ? n - (size_t)l->map_cols : 0;

	draw_values(&d);
	for (size_t i = skip; i < n; i++)
		draw_column(&d, i, l->map_col + l->map_cols - (long)(n - i));
	draw_times(&d);
}
