/* session.h - what is watched, kept up to date: the only place that asks heatscoped on the view's behalf.
 *
 *      session_press(), session_resize() -> view -> what must be asked --> calls
 *      calls: stream or grid, sums of what is shown, keys, the instrumentation --> session -> session_frame()
 *
 * Live    a stream; where it breaks it is tried again, and what is shown stays, as not live.
 * Time    comes as now_ms, of any clock that only goes forward.
 * End     ended, with a sentence in why: the instrumentation is gone.
 */
#ifndef HEATSCOPE_WATCH_SESSION_H
#define HEATSCOPE_WATCH_SESSION_H

#include "ui/cli/watch/call.h"
#include "ui/cli/watch/event.h"
#include "ui/cli/watch/frame.h"

struct session {
	struct calls calls;
	const char *theme;
	struct look look;

	struct subject subject;
	struct view view;
	struct map *map;
	struct list list;
	struct map_summary summary;
	struct zone zone;		/* of the map's time: this terminal's */
	enum frame_state state;
	char why[512];
	long n_cols, n_pixels, n_fine;

	struct call *stream, *grid, *sums, *keys, *inst;
	struct events events;
	bool want_map, want_list;
	long long retry_ms, sums_ms, keys_ms, inst_ms;	/* when next */
	bool changed;			/* something is to be drawn */
	bool ended;
};

/* The subject and the view are set; theme stays the caller's.  -ENOMEM. */
int session_init(struct session *s, struct client *c);
void session_fini(struct session *s);

/* n_fine: pixels in which the map's values are seen, perhaps more than the cursor's. */
void session_resize(struct session *s, const struct layout *l, long n_fine);

/* Effects that are not the session's own: VIEW_QUIT, VIEW_SUSPEND, VIEW_REDRAW. */
unsigned session_press(struct session *s, int key);

/* Asks what is due, then waits. */
void session_wait(struct session *s, long long now_ms, struct curl_waitfd *fd, unsigned n, int timeout_ms);

struct frame session_frame(struct session *s);

#endif
