/* session.h - keeps the watched data up to date: it sends the requests for the view and takes in the replies.
 *
 *      session_press(), session_resize() -> view -> what must be asked --> calls
 *      calls: stream or grid, sums of what is shown, keys, the instrumentation --> session -> session_frame()
 *
 * Live    a stream.  If it breaks, it is opened again; meanwhile the old map stays, marked as not live.
 * Time    comes as now_ms, from any clock that only goes forward.
 * End     `ended` with a sentence in `why`: the instrumentation is gone.
 */
#ifndef HEATSCOPE_WATCH_SESSION_H
#define HEATSCOPE_WATCH_SESSION_H

#include "ui/cli/watch/call.h"
#include "ui/cli/watch/event_stream.h"
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
	struct event_stream event_stream;
	bool want_map, want_list;
	long long retry_ms, sums_ms, keys_ms, inst_ms;	/* time of the next request */
	bool changed;			/* the frame must be drawn */
	bool ended;
};

/* Begins a session whose subject and view are set; theme stays the caller's.  -ENOMEM. */
int session_init(struct session *s, struct client *c);
void session_fini(struct session *s);

/* Sets the size.  n_fine: pixels that show the map's values, perhaps more than the cursor's steps. */
void session_resize(struct session *s, const struct layout *l, long n_fine);

/* Returns the effects that the caller performs: VIEW_QUIT, VIEW_SUSPEND, VIEW_REDRAW. */
unsigned session_press(struct session *s, int key);

/* Sends the requests that are due, then waits. */
void session_wait(struct session *s, long long now_ms, struct curl_waitfd *fd, unsigned n, int timeout_ms);

struct frame session_frame(struct session *s);

#endif
