/* series.h - one value, or several consecutive ones, from the request to the reply.
 *
 *      parameters -> interval --wait--> first value -> second ... -> one object, or an array of them
 *                              |
 *                   until every source that is expected has reported the last slot, or the timeout
 *
 * Wait    nothing is polled: a report that is stored and a change of the sources wake who waits.
 *         Whom to expect is catalog_reported()'s to say.
 * Turns   at most SERIES_RUN_MAX are being made at a time, the others queue; the values of one are
 *         made one after the other.
 * Reply   exactly one; its size is bounded by SERIES_REPLY_MAX, beyond it 409 says so.
 * Thread  the loop thread only.
 */
#ifndef HEATSCOPE_SERIES_H
#define HEATSCOPE_SERIES_H

#include "aggregator.h"
#include "http.h"
#include "input.h"
#include "params.h"

#define SERIES_RUN_MAX 64		/* each holds a copy of what it reads, megabytes for an hour of many keys */
#define SERIES_REPLY_MAX (32u << 20)

struct series;				/* its fields are in series.c */

struct all_series {			/* of a server */
	struct aggregator *a;
	struct series *waiting, *ready, **ready_end;
	size_t n_running;
	bool closing;
	struct catalog_observer observer;
};

void all_series_init(struct all_series *all, struct aggregator *a);
void all_series_hurry(struct all_series *all);	/* nobody waits any more */
void all_series_fini(struct all_series *all);

/* Replies to the request, now or later.  -EINVAL with the reason (PARAMS_REASON_MAX bytes), -ENOMEM:
 * not replied.  Takes the input in any case. */
int series_open(struct all_series *all, struct http_request *r, const struct catalog_inst *ci, enum value_kind kind,
		struct input *in, char *reason);

#endif
