/* stream.h - live columns: a grid once, then every column that is new or amended.
 *
 *      flush: slots first..last changed --> marked --at once, every 50 ms at most--> fold of those columns
 *        event: grid     a whole grid: at first, and when rows or far too many columns changed: five at once, then
 *                        one a second
 *        event: column   {"from": s, "column": C}
 *        event: shade    {"levels": [...]}, when a cell outgrew the brightest
 *        : (a comment)   every 10 s of silence, which also finds out who has left
 *
 * Pace    a reader that does not keep up gets fewer events, each with the newest state: nothing is
 *         queued behind what it has not taken yet.
 * Quiet   a column that nobody reports is sent, too, when its time is up: as unobserved.
 * End     when the instrumentation is deleted, or the server closes.
 * Thread  the loop thread only.
 */
#ifndef HEATSCOPE_STREAM_H
#define HEATSCOPE_STREAM_H

#include "aggregator.h"
#include "http.h"

struct stream;				/* its fields are in stream.c */

struct streams {			/* all of a server */
	struct aggregator *a;
	struct stream *first;
	struct flush_observer amended;
	struct catalog_observer changed;
};

void streams_init(struct streams *all, struct aggregator *a);
void streams_fini(struct streams *all);

/* Replies to the request with a stream.  -EINVAL with the reason (PARAMS_REASON_MAX bytes),
 * -ENOMEM: not replied. */
int stream_open(struct streams *all, struct http_request *r, const struct catalog_inst *ci, char *reason);

#endif
