/* stream.h - sends live columns to a client: the events of one view, or of several, on one connection.
 *
 *      views (view.h) --server-sent events--> connection       : (a comment) every 10 s of silence, finds closed ones
 *        event: gone     {"view": n, "code", "message"}: one of several views whose instrumentation does not exist
 *
 * One     connection serves all maps of a page: a browser opens only six connections to a host.
 * Pace    The stream sends a change at once, but it sends at most every 50 ms.  It queues no event until the client has
 *         taken the last ones.  So a slow client gets fewer events, each with the newest state.  Only first grids are
 *         queued before that, up to STREAM_AHEAD bytes.
 * Resume  Every event has an id, "N-V": the Nth, of view V.  A request with Last-Event-ID goes on with N + 1.  It
 *         begins with whole grids, as every stream does, so no change is missing.  The first grid is that of the view
 *         after V, so a slow client gets the grids of all views in turn.
 * Bounds  STREAM_VIEWS_MAX views of all streams.  Further ones get 503 with Retry-After; http.h ends the slowest.
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

struct streams {			/* all streams of heatscoped */
	struct services *services;
	struct stream *first;
	size_t n_views;
	struct view_memory memory;
	struct store_queue_observer amended;
	struct catalog_observer changed;
};

void streams_init(struct streams *all, struct services *services);
void streams_fini(struct streams *all);

/* Both reply to the request with a stream, or with an error if there are too many.  -EINVAL with the reason
 * (PARAMS_REASON_MAX bytes), -ENOMEM: no reply was sent. */
int stream_open(struct streams *all, struct http_request *r, const struct catalog_inst *ci, char *reason);
/* of the views of the parameter `views` */
int stream_open_views(struct streams *all, struct http_request *r, char *reason);

#endif
