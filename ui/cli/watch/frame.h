/* frame.h - draws the whole screen from the state of a session; a pure function.
 *
 *      subject, view, map, list, summary, state of the feed -> screen
 *
 * frame.c draws the words, draw.c the map with its axes.
 */
#ifndef HEATSCOPE_WATCH_FRAME_H
#define HEATSCOPE_WATCH_FRAME_H

#include "ui/cli/watch/layout.h"
#include "ui/cli/watch/view.h"

enum frame_state {
	FRAME_CONNECTING, FRAME_LIVE, FRAME_PAUSED, FRAME_ONCE,
	FRAME_LOST, FRAME_REFUSED,		/* heatscoped does not answer; it does, but not with a map */
};

static inline bool frame_is_broken(enum frame_state state) { return state == FRAME_LOST || state == FRAME_REFUSED; }

struct frame {
	const struct subject *subject;
	const struct view *view;
	const struct map *map;			/* NULL: none yet */
	const struct list *list;
	const struct map_summary *summary;	/* of what is shown */
	enum frame_state state;
	const char *why;			/* of what is broken: a sentence */
	struct look look;
	const struct zone *zone;		/* in which times are shown */
	bool pictured;				/* the map is a picture, and seen where SCREEN_PICTURE is */
};

void frame_draw(const struct frame *f, struct screen *s);

/* Draws the map, its axes and the cursor; f->map is not NULL. */
void draw_map(const struct frame *f, const struct layout *l, struct screen *s);

#endif
