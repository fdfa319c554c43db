/* stream.h - live columns: the events of one view, or of several, as server-sent events of one connection.
 *
 *      views (view.h) --events--> connection       : (a comment) every 10 s of silence, which also finds out who has left
 *        event: gone     {"view": n, "code", "message"}: of several, one whose instrumentation was deleted, or never there
 *
 * One     connection is enough for a page of maps: a browser has six to a host.
 * Pace    what changes goes at once, every 50 ms at most.  A reader that does not keep up gets fewer events, each with
 *         the newest state: nothing is queued behind what it has not taken yet, but for STREAM_AHEAD bytes of first grids.
 * Resume  every event has an id, "N-V": the Nth, of view V.  A request with Last-Event-ID goes on with N + 1; it begins with whole
 *         grids, as every stream, so nothing is missing, and with that of the view after V, so a slow reader gets around to all.
 * Bounds  STREAM_VIEWS_MAX of all streams, further ones are answered 503 with Retry-After; http.h ends the slowest.
 * End     when the last view's instrumentation is deleted, or the server closes.
 * Thread  the loop thread only.
 */
#ifndef HEATSCOPE_STREAM_H
#define HEATSCOPE_STREAM_H

#include "aggregator/catalog/catalog.h"
#include "aggregator/http/http.h"
#include "aggregator/live/view.h"

#define STREAM_VIEWS_MAX 2048
#define STREAM_AHEAD (1u << 20)

struct stream;				/* its fields are in stream.c */

struct streams {			/* all of heatscoped */
	struct services *services;
	struct stream *first;
	size_t n_views;
	struct view_memory memory;
	struct store_queue_observer amended;
	struct catalog_observer changed;
};

void streams_init(struct streams *all, struct services *services);
void streams_fini(struct streams *all);

/* Both reply to the request with a stream, or that there are too many.  -EINVAL with the reason (PARAMS_REASON_MAX bytes), -ENOMEM: not replied. */
int stream_open(struct streams *all, struct http_request *r, const struct catalog_inst *ci, char *reason);
int stream_open_views(struct streams *all, struct http_request *r, char *reason);	/* of the parameter `views` */

#endif
