/* bar.h - draws a whole and its parts, side by side in one bar, with their names below.
 *
 *      |######## futex ########|### cputime ###|# io #|
 *      [#] futex 1.2 s, 61 %   [#] cputime 0.6 s, 31 %   [#] io 160 ms, 8 %
 *
 * It draws on a canvas; x, y is the top left in px.  It leaves out parts of 0.
 */
#ifndef HEATSCOPE_BAR_H
#define HEATSCOPE_BAR_H

#include <stddef.h>

#define BAR_PARTS_MAX 16
#define BAR_GREY (-1)			/* instead of a hue */

struct bar_part {
	const char *name;
	double amount;
	int hue;			/* of its colour: 0..359 or BAR_GREY */
};

struct bar {
	const char *title;
	const char *unit;		/* of amounts: "ns" */
	size_t n;			/* at most BAR_PARTS_MAX */
	const struct bar_part *part;
};

struct canvas;

/* Returns the height with the title, in px; 0: b is NULL or empty. */
unsigned bar_height(const struct bar *b, double width);
void bar_draw(struct canvas *c, const struct bar *b, double x, double y, double width);

#endif
