/* series.h - makes one value, or several consecutive ones, from the request to the reply.
 *
 *      parameters -> interval --wait--> first value -> second ... -> one object, or an array of them
 *                              |
 *                   until every source that is expected has reported the last slot, or the timeout
 *
 * Wait    A stored report, or a change of the sources, wakes the waiting requests.  catalog_reported() decides which
 *         sources are expected.
 * Turns   admission.h's: a few values are made at a time, others wait, and further ones get 503 with Retry-After.  The
 *         values of one series are made one after the other.  If its client has hung up, the series is dropped when its
 *         turn comes, or between its values.
 * Reply   exactly one, of at most SERIES_REPLY_MAX bytes; a larger one is refused with 409.
 * Thread  the loop thread only.
 */
#ifndef HEATSCOPE_SERIES_H
#define HEATSCOPE_SERIES_H

#include "aggregator/catalog/catalog.h"
#include "aggregator/http/http.h"
#include "aggregator/http/input.h"
#include "aggregator/params/params.h"
#include "aggregator/base/services.h"

#define SERIES_SMALL_MAX 8		/* points: a series with more is large, like pictures */
#define SERIES_REPLY_MAX (32u << 20)

struct series;				/* its fields are in series.c */

struct all_series {			/* all series of heatscoped */
	struct services *services;
	struct http_held *held;		/* bytes that clients have not taken */
	struct series *waiting;		/* those that wait for sources */
	bool closing;
	struct catalog_observer observer;
};

void all_series_init(struct all_series *all, struct services *services, struct http_held *held);
void all_series_hurry(struct all_series *all);	/* ends all waiting for sources */
void all_series_fini(struct all_series *all);

/* Replies to the request, now or later, even if too many wait.  -EINVAL with the reason (PARAMS_REASON_MAX bytes),
 * -ENOMEM: no reply was sent.  Takes the input in any case. */
int series_open(struct all_series *all, struct http_request *r, const struct catalog_inst *ci, enum value_kind_id kind,
		struct input *in, char *reason);

#endif
