/* view.h - keeps one client's grid up to date: it sends the grid, then columns that are new or changed.
 *
 *      view_mark(): slots first..last changed --view_tick()--> fold of those columns --> owner->event()
 *        event: grid     a whole grid: at first, and when rows or far too many columns changed: five at once, then
 *                        one a second
 *        event: column   {"from": s, "column": C}
 *        event: shade    {"levels": [...]}, when a cell outgrew the brightest
 *
 * Turn    A whole grid waits for a place (admission.h).  If the owner is full when its turn comes, the next view_tick()
 *         asks again.
 * Number  If a stream has several views, each has a number, and its events begin with it: {"view": 3, ...}.
 * Quiet   A column that no source reports is sent as unobserved, when its time is up.
 * Memory  view_close() frees the view, at once or when the grid in flight has arrived.  The owner gets no call after
 *         view_close(), and may call it in any of its own calls.
 * Thread  the loop thread only.
 */
#ifndef HEATSCOPE_VIEW_H
#define HEATSCOPE_VIEW_H

#include "aggregator/http/http.h"
#include "aggregator/base/services.h"

/* Bytes that all views of active events may keep together.  Such a view reads only new slots, and computes all columns
 * again.  Further views fail. */
#define VIEW_ACTIVE_MAX (96u << 20)

struct view_memory {			/* bytes that they keep together; zeroed: none */
	size_t n, bytes;
};

struct view;				/* its fields are in view.c */

struct view_owner {			/* its functions are called from view_tick(), and when a grid has arrived */
	void (*event)(void *arg, const char *text, size_t len);
	/* the first grid could not be made */
	void (*failed)(void *arg, unsigned status, const char *code, const char *reason);
	bool (*full)(void *arg);	/* the client has not taken the last events: no whole grid now */
	void (*changed)(void *arg);	/* call view_tick() soon */
};

struct view_asked {
	__u64 inst;
	long number;			/* < 0: the view is the only one */
	const struct http_param *param;	/* copied */
	size_t n_params;
};

/* -EINVAL with the reason (PARAMS_REASON_MAX bytes), -ENOENT: no such instrumentation, -ENOMEM. */
int view_new(struct services *services, struct view_memory *memory, const struct view_asked *asked, const struct view_owner *owner,
	     void *arg, struct view **ret_view, char *reason);
void view_close(struct view *v);	/* NULL is fine */

void view_mark(struct view *v, __s64 first, __s64 last);	/* slots first..last have changed */
void view_tick(struct view *v);

#endif
