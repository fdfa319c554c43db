/* view.h - holds the user's choices of what to see, and changes them by keys.
 *
 *      key -> view_press() -> a changed view, and the requests or actions that it needs
 *
 * Time    a character is column_s seconds wide.  A live view (end_s 0) ends in the column in progress; any other ends
 *         at end_s.
 * Values  The axis covers the values used so far (used), or a part of them (zoomed).
 * Pure    no terminal, no clock.
 */
#ifndef HEATSCOPE_WATCH_VIEW_H
#define HEATSCOPE_WATCH_VIEW_H

#include "ui/cli/terminal/key.h"
#include "ui/cli/watch/list.h"
#include "ui/cli/watch/plot.h"
#include "ui/cli/watch/subject.h"

enum view_overlay { OVERLAY_NONE, OVERLAY_LIST, OVERLAY_HELP };
enum view_yscale { YSCALE_AUTO, YSCALE_LOG, YSCALE_LINEAR };

enum view_effect { VIEW_ASK = 1, VIEW_LIST = 2, VIEW_REDRAW = 4, VIEW_SUSPEND = 8, VIEW_QUIT = 16 };

struct view {
	size_t measure;			/* of the subject's */
	double column_s, end_s;
	enum view_yscale yscale;
	enum shade_transfer transfer;
	enum palette_ramp ramp;
	size_t by;			/* 0: whole keys; else field by - 1 */
	bool isolated;			/* only `selected` is shown */
	char selected[KEY_TEXT_MAX];
	enum view_overlay overlay;
	size_t row;			/* of the list */
	struct domain used, zoomed;	/* high 0: not known, not zoomed */
	bool pointing;			/* there is a cursor: */
	double time_s, value;
	int row_bits;
	char hint[96];			/* why a key did nothing; "" */
};

/* The data that keys act on. */
struct scene {
	const struct subject *subject;
	const struct list *list;
	const struct map *map;		/* NULL: not received yet */
	long n_cols, n_pixels;		/* of the map on the screen */
};

/* Returns the shortest columns with which n_cols cover this length of time. */
double view_column_s(double duration_s, double slot_s, long n_cols);

/* Applies a key; returns its effects (enum view_effect). */
unsigned view_press(struct view *v, int key, const struct scene *scene);

/* Extends the axis to the values of a new map.  True: request its rows again, finer or coarser. */
bool view_see(struct view *v, const struct map *m, long n_pixels);

struct plot view_plot(const struct view *v, const struct map *m, long n_pixels);

#endif
