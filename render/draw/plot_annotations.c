#include "render/draw/plot.h"
#include <math.h>
#include <stdbool.h>

#define BAR 3				/* px: height of a range's bar */
#define ROW 18				/* px: of texts */
#define ROWS 3
#define TEXT_WIDTH 220			/* px at most */
#define PAD 4

static __s64 end_of(const struct plot *p)
{
	return p->from_ns + (__s64)(p->col_ns * p->n_cols);
}

/* The place of a time, rounded to a pixel; a time outside lies at the edge. */
static double time_x(const struct plot *p, __s64 ns)
{
	double at = (double)(ns - p->from_ns) / (double)(p->col_ns * p->n_cols);

	return p->x + floor(fmin(fmax(at, 0), 1) * (p->width - 1));
}

static __u32 colour_of(const struct canvas *c, const struct annotation *a)
{
	return a->kind == ANNOTATION_ALERT ? c->palette.alert : c->palette.note;
}

static void draw_lines(struct canvas *c, const struct plot *p, const struct annotation *a)
{
	double from = time_x(p, a->from_ns), to = time_x(p, a->to_ns);

	canvas_colour(c, colour_of(c, a));
	if (a->from_ns >= p->from_ns)
		canvas_line(c, from + 0.5, p->y, from + 0.5, p->y + p->height);
	if (a->to_ns > a->from_ns && a->to_ns < end_of(p) && to > from + 2)
		canvas_line(c, to + 0.5, p->y, to + 0.5, p->y + p->height);
	canvas_box(c, from, p->y, fmax(to - from, BAR), BAR);
}

/* The end of the text in each row. */
struct rows {
	double end[ROWS];
};

static void draw_text(struct canvas *c, const struct plot *p, const struct annotation *a, struct rows *rows)
{
	double x = time_x(p, a->from_ns), room = p->x + p->width - x, width, y;
	bool flipped;
	size_t row = 0;

	canvas_font(c, CANVAS_TEXT, false);
	width = fmin(canvas_text_width(c, a->text), TEXT_WIDTH);
	flipped = room < width + 2 * PAD;	/* near the right edge: to the left of its line */
	if (flipped)
		x = fmax(p->x, fmin(x, p->x + p->width) - width - 2 * PAD);
	while (row < ROWS && (rows->end[row] > x || BAR + 2 + (double)(row + 1) * ROW > p->height))
		row++;
	if (row == ROWS)
		return;
	y = p->y + BAR + 2 + (double)row * ROW;
	canvas_colour(c, c->palette.page);
	canvas_box(c, x, y, width + 2 * PAD, ROW - 2);
	canvas_colour(c, colour_of(c, a));
	canvas_box(c, flipped ? x + width + 2 * PAD - 2 : x, y, 2, ROW - 2);
	canvas_colour(c, c->palette.text);
	canvas_text_within(c, x + PAD, y + 12, width + 1, a->text);
	rows->end[row] = x + width + 2 * PAD + 2;
}

void plot_annotations(struct canvas *c, const struct plot *p, const struct annotation_list *a)
{
	struct rows rows = { { p->x, p->x, p->x } };

	for (size_t i = 0; a && i < a->n; i++)
		if (annotation_touches(&a->item[i], p->from_ns, end_of(p)))
			draw_lines(c, p, &a->item[i]);
	for (size_t i = 0; a && i < a->n; i++)
		if (annotation_touches(&a->item[i], p->from_ns, end_of(p)))
			draw_text(c, p, &a->item[i], &rows);
}
