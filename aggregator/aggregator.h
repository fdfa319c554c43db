/* aggregator.h - opens and closes all parts of heatscoped, in the right order.
 *
 *      endpoint -> ingest, bus_ingest -> intake -> catalog, store queue -> store, cube;   http -> catalog, store queue, cube
 *
 * Begin   aggregator_open() opens lock, store, cube, store queue, catalog, ingest, http.  Then the caller runs the
 *         loop.  Also after an error the caller calls stop, runs the loop and closes.
 * Waits   if the store is a server that is away, or that another heatscoped may use, aggregator_open() opens http alone, which
 *         replies 503 and why.  It tries again each second, and opens the rest when the store is there (store_wait.h).
 * Stop    aggregator_stop(): ingest stops reading, webhooks get no further messages, upkeep ends, and the store queue drains: it
 *         calls every job's done() and acknowledges every committed batch.  Then metrics are pushed a last time; then
 *         follow http_close(), api_close() and ingest_close(), and the loop runs out of handles.
 * Close   aggregator_close() frees the rest.
 * HTTP    http.c passes requests under /ca, and of /metrics, to api.c, which reads catalog and cube on the loop, and gives the store
 *         queue what needs the store.  When http_close() runs, none of its jobs is in flight.
 * Thread  the loop thread only.
 */
#ifndef HEATSCOPE_AGGREGATOR_H
#define HEATSCOPE_AGGREGATOR_H

#include "aggregator/catalog/catalog.h"
#include "aggregator/conf/conf.h"
#include "aggregator/base/endpoint.h"
#include "aggregator/http/http.h"
#include "aggregator/ingest/bus_module.h"
#include "aggregator/ingest/ingest.h"
#include "aggregator/base/services.h"
#include "aggregator/base/timekeeper.h"
#include "aggregator/store/owner.h"
#include "aggregator/store/store_wait.h"
#include "aggregator/http/tls.h"
#include "aggregator/http/token.h"

#include <stdatomic.h>

struct api;				/* in api.c */
struct configured;				/* in catalog/configured.c */
struct alerts;				/* in alerts.c */
struct worksheets;			/* in worksheets.c */
struct webhooks;			/* in webhooks.c */
struct alert_notifier;			/* in alert_notifier.c */
struct configured_alerts;		/* in configured_alerts.c */
struct reports;				/* in reports.c */
struct export;				/* in export.c */
struct otlp_push;			/* in otlp_push.c */
struct group;				/* in group.c */

struct aggregator {
	struct conf conf;
	struct services services;	/* the parts that most other parts need */
	struct store *store;		/* workers only, see store_queue.h */
	struct store *upkeep_store;	/* a second handle of a store that is a server; NULL: the store is a file */
	struct store_queue *upkeep_queue;	/* for upkeep: uses upkeep_store; services.store_queue if the store is a file */
	atomic_bool upkeep_ends;	/* we stop: it does no further instrumentation */
	struct store_wait *store_wait;	/* NULL: we do not wait for it */
	struct owner owner;		/* of a store that is a server; its beat: workers only */
	void (*changed)(void *arg, int err, const char *reason);	/* see aggregator_observe() */
	void *changed_arg;
	struct configured *configured;
	struct alerts *alerts;
	struct configured_alerts *configured_alerts;
	struct webhooks *webhooks;
	struct alert_notifier *notifier;	/* sends alerts to webhooks */
	struct reports *reports;
	uv_timer_t alerts_timer;	/* also valid only if has_timer */
	struct worksheets *worksheets;
	struct export *export;		/* counters for Prometheus */
	struct intake *intake;
	struct otlp_push *otlp;		/* sends them to a receiver of OpenTelemetry; NULL: the configuration names none */
	struct ingest *ingest;
	const struct bus_functions *bus;	/* of the module; NULL: no bus, as the next one */
	struct bus_ingest *bus_ingest;
	struct group *group;		/* NULL: other heatscoped cannot use our store */
	bool leads;			/* we run alerts and reports, and write instrumentations and texts */
	struct http_held held;		/* bytes that wait for the clients of both servers */
	struct api *api;		/* serves /ca for both servers */
	struct http *http[2];		/* at conf.listen and at conf.api_socket; NULL: none */
	struct endpoint http_at[2], ingest_at;
	struct token token;		/* valid if conf.token_file is set */
	struct tls *tls;		/* NULL: no TLS */
	int lock_fd;			/* lock next to the database; -1: none */
	bool has_timer, upkeep_busy, is_beating;
	bool is_claimed;		/* the store is ours alone until we release it; a group goes on */
	__s64 beat_ns;			/* the last beat of the owner, boot clock */
	int beat_err, size_err;
	char beat_reason[256];
	int upkeep_err;			/* of the last one; it is logged when it changes */
	__u64 store_bytes;		/* as the last upkeep measured them; 0: a file, or not yet */
	bool http_bound[2], ingest_bound;	/* we remove the files of these Unix sockets */
	uv_timer_t upkeep;		/* expires and compacts */
	struct timekeeper time;
	unsigned n_upkeeps;
	__u64 n_requests;		/* requests so far, when memory was last looked at */
	bool is_trimmed;		/* memory was trimmed after the last request */
	__s64 start_ns, started_ns;	/* boot clock; wall clock */
};

/* Is the store a server, which others may use, too? */
static inline bool aggregator_has_server(const struct aggregator *a)
{
	return a->conf.clickhouse.url[0];
}

/* Opens all parts.  a is zeroed first; `reason` takes CONF_REASON_MAX bytes.  Returns 0 also if it waits for the store:
 * aggregator_waits(). */
int aggregator_open(struct aggregator *a, uv_loop_t *loop, const struct conf *conf, char *reason);
bool aggregator_waits(const struct aggregator *a);

/* changed() is called when it has opened what waited (err 0), and when it cannot go on: the caller then calls stop. */
void aggregator_observe(struct aggregator *a, void (*changed)(void *arg, int err, const char *reason), void *arg);

/* Reads the files of the tokens again, also those of the webhooks; after an error the old tokens stay valid. */
int aggregator_reload(struct aggregator *a, char *reason);
void aggregator_stop(struct aggregator *a);
void aggregator_close(struct aggregator *a);

#endif
