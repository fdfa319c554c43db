/* otlp_push.h - sends what /metrics has to a receiver of OpenTelemetry, regularly: OTLP over HTTP.
 *
 *      each interval: metrics_write() --> otlp_points.h --> gzip --POST--> 200: sent, or some points were rejected
 *                                            ^--- again, after a pause --- 429, 502, 503, 504, no answer
 *
 * One       push is on its way at a time; while it is sent again, no other begins.
 * Pauses    Retry-After, or else a second, doubled each time up to OTLP_PAUSE_MAX_S, and a quarter more or less by chance.
 * Given up  at once if the answer is another one; else after OTLP_TRIES, or if the next try would come later than OTLP_RETRY_S after
 *           the first one.  A Retry-After that is longer is kept by the pushes that follow.
 * Lost      Cumulative: a push that is given up costs resolution; the next one has all events.  Delta: the events of a push are
 *           subtracted from the next one if it was sent or refused, else the next one has them, too.  If a connection breaks before
 *           the answer comes, a receiver may have taken them already: OTLP cannot say so.
 * Bounds    A message has at most OTLP_BYTES before it is packed; a larger one is given up.
 * Reasons   are ASCII, and contain neither the URL nor its host.
 * End       otlp_push_finish() pushes once more, within OTLP_FINISH_MS.
 * Thread    the loop thread only.
 */
#ifndef HEATSCOPE_EXPORT_OTLP_PUSH_H
#define HEATSCOPE_EXPORT_OTLP_PUSH_H

#include "aggregator/base/conf_limits.h"
#include "aggregator/export/metrics.h"

#include <jansson.h>
#include <uv.h>

#define OTLP_INSTANCE_MAX 64
#define OTLP_TRIES 5
#define OTLP_RETRY_S 60
#define OTLP_PAUSE_MAX_S 30
#define OTLP_FINISH_MS 3000
#define OTLP_BYTES (20u << 20)		/* as the specification recommends */
#define OTLP_REASON_MAX 320

struct otlp_conf {
	char endpoint[CONF_URL_MAX];	/* URL; "": no push */
	char headers_file[PATH_MAX];	/* "": none */
	char instance[OTLP_INSTANCE_MAX];	/* service.instance.id; "": the name of this host */
	bool is_json, is_plain, is_delta;	/* else protobuf, gzip, cumulative */
	unsigned interval_s, timeout_s;
};

struct otlp_counters {			/* since our start */
	__u64 n_sent, n_rejected, n_dropped;	/* points: accepted; not accepted of a push that was; of those given up */
	__u64 n_pushes, n_requests, n_failed;	/* begun; sent; of these without success */
	__s64 sent_ns, failed_ns;	/* wall clock of the last success, and failure or rejection; 0: never */
	char reason[OTLP_REASON_MAX];	/* of that failure; "": none */
};

struct otlp_push;			/* its fields are in otlp_push.c */

/* conf and parts are borrowed; pause_ms: before the second try.  With the endpoint "" it gives NULL.  `reason` takes
 * CONF_REASON_MAX bytes. */
int otlp_push_new(uv_loop_t *loop, const struct otlp_conf *conf, const struct metrics_parts *parts, unsigned pause_ms,
		  struct otlp_push **ret_push, char *reason);
void otlp_push_start(struct otlp_push *p);		/* from now on a push begins each interval; NULL is fine */
void otlp_push_begin(struct otlp_push *p);		/* a push begins now, unless one is on its way */
int otlp_push_reload(struct otlp_push *p, char *reason);	/* reads the headers again; after an error the old ones stay.  NULL is fine */
const struct otlp_counters *otlp_push_counters(const struct otlp_push *p);	/* NULL if p is */
json_t *otlp_push_json(const struct otlp_push *p);	/* null if p is NULL */

/* Pushes a last time, then ends, and calls done(), once; at once if p is NULL. */
void otlp_push_finish(struct otlp_push *p, void (*done)(void *arg), void *arg);

/* Ends now; its memory is freed when its handles are closed.  NULL is fine. */
void otlp_push_close(struct otlp_push *p);

#endif
