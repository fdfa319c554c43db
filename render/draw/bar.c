#include "render/draw/bar.h"
#include "render/grid/axis.h"
#include "render/draw/legend.h"

#include <stdio.h>

#define TITLE 24
#define HEIGHT 18
#define BELOW 8				/* between the bar and the names, and under them */
#define VALUE_TEXT (AXIS_TEXT + 16)

static double whole_of(const struct bar *b)
{
	double sum = 0;

	for (size_t i = 0; b && i < b->n; i++)
		sum += b->part[i].amount;
	return sum;
}

/* "1.2 s, 61 %" */
static void put_value(const struct bar *b, const struct bar_part *part, char out[VALUE_TEXT])
{
	char amount[AXIS_TEXT], share[AXIS_TEXT];

	axis_format(part->amount, axis_unit(b->unit), amount);
	axis_format(100 * part->amount / whole_of(b), AXIS_PERCENT, share);
	snprintf(out, VALUE_TEXT, "%s, %.12s", amount, share);
}

static size_t make_items(const struct bar *b, char value[][VALUE_TEXT], struct legend_item *item)
{
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++)
		if (b->part[i].amount > 0) {
			put_value(b, &b->part[i], value[n]);
			item[n] = (struct legend_item){ .name = b->part[i].name, .value = value[n] };
			n++;
		}
	return n;
}

unsigned bar_height(const struct bar *b, double width)
{
	struct legend_item item[BAR_PARTS_MAX];
	char value[BAR_PARTS_MAX][VALUE_TEXT];

	if (!(whole_of(b) > 0))
		return 0;
	return TITLE + HEIGHT + 2 * BELOW + LEGEND_LINE * legend_lines(item, make_items(b, value, item), width);
}

void bar_draw(struct canvas *c, const struct bar *b, double x, double y, double width)
{
	struct legend_item item[BAR_PARTS_MAX];
	char value[BAR_PARTS_MAX][VALUE_TEXT];
	double whole = whole_of(b), at = x;
	size_t n, k = 0;

	if (!(whole > 0))
		return;
	canvas_font(c, CANVAS_TEXT + 1, true);
	canvas_colour(c, c->palette.text);
	canvas_text(c, CANVAS_LEFT, x, y + 16, b->title ? b->title : "");
	n = make_items(b, value, item);
	for (size_t i = 0; i < b->n; i++) {
		double part = width * b->part[i].amount / whole;

		if (!(b->part[i].amount > 0))
			continue;
		item[k].colour = palette_area(c->palette.theme, b->part[i].hue);
		canvas_colour(c, item[k++].colour);
		canvas_box(c, at, y + TITLE, part, HEIGHT);
		at += part;
	}
	legend_draw(c, item, n, x, y + TITLE + HEIGHT + BELOW, width);
}
