/* series.h - one value, or several consecutive ones, from the request to the reply.
 *
 *      parameters -> interval --wait--> first value -> second ... -> one object, or an array of them
 *                              |
 *                   until every source that is expected has reported the last slot, or the timeout
 *
 * Wait    nothing is polled: a report that is stored and a change of the sources wake who waits.
 *         Whom to expect is catalog_reported()'s to say.
 * Turns   admission.h's: a few are being made at a time, the others wait, and beyond that 503 with Retry-After; the values of
 *         one are made one after the other.  Whose reader has hung up is dropped when its turn comes, and between its values.
 * Reply   exactly one; its size is bounded by SERIES_REPLY_MAX, beyond it 409 says so.
 * Thread  the loop thread only.
 */
#ifndef HEATSCOPE_SERIES_H
#define HEATSCOPE_SERIES_H

#include "aggregator/catalog/catalog.h"
#include "aggregator/http/http.h"
#include "aggregator/http/input.h"
#include "aggregator/value/params.h"
#include "aggregator/base/services.h"

#define SERIES_SMALL_MAX 8		/* points: more are made with the pictures */
#define SERIES_REPLY_MAX (32u << 20)

struct series;				/* its fields are in series.c */

struct all_series {			/* of heatscoped */
	struct services *services;
	struct http_held *held;		/* what readers have not taken */
	struct series *waiting;		/* for sources */
	bool closing;
	struct catalog_observer observer;
};

void all_series_init(struct all_series *all, struct services *services, struct http_held *held);
void all_series_hurry(struct all_series *all);	/* nobody waits any more */
void all_series_fini(struct all_series *all);

/* Replies to the request, now or later, also that too many wait.  -EINVAL with the reason (PARAMS_REASON_MAX bytes), -ENOMEM:
 * not replied.  Takes the input in any case. */
int series_open(struct all_series *all, struct http_request *r, const struct catalog_inst *ci, enum value_kind_id kind,
		struct input *in, char *reason);

#endif
