/* view.h - one grid as a reader knows it, and the events that keep it true: a grid, then columns that are new or amended.
 *
 *      view_mark(): slots first..last changed --view_tick()--> fold of those columns --> owner->event()
 *        event: grid     a whole grid: at first, and when rows or far too many columns changed: five at once, then
 *                        one a second
 *        event: column   {"from": s, "column": C}
 *        event: shade    {"levels": [...]}, when a cell outgrew the brightest
 *
 * Turn    a whole grid waits for a place (admission.h); when its turn comes and the owner is full, the next view_tick() asks again.
 * Number  of several views each has one, which its events begin with: {"view": 3, ...}.
 * Quiet   a column that nobody reports is sent, too, when its time is up: as unobserved.
 * Memory  view_close() frees it, at once or when the grid that is on its way is there; the owner hears nothing after it,
 *         and may close it in any of its calls.
 * Thread  the loop thread only.
 */
#ifndef HEATSCOPE_VIEW_H
#define HEATSCOPE_VIEW_H

#include "aggregator/http/http.h"
#include "aggregator/base/services.h"

/* Bytes that views of what was under way at once keep, in all: they read few slots, and spread all again.  Further ones fail. */
#define VIEW_ACTIVE_MAX (96u << 20)

struct view_memory {			/* what they keep, all together; zeroed: nothing */
	size_t n, bytes;
};

struct view;				/* its fields are in view.c */

struct view_owner {			/* called from view_tick(), and whenever a grid is there */
	void (*event)(void *arg, const char *text, size_t len);
	void (*failed)(void *arg, unsigned status, const char *code, const char *reason);	/* there is no first grid */
	bool (*full)(void *arg);	/* the reader has not taken what was sent: no whole grid now */
	void (*changed)(void *arg);	/* view_tick() soon */
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

void view_mark(struct view *v, __s64 first, __s64 last);	/* those slots have changed */
void view_tick(struct view *v);

#endif
