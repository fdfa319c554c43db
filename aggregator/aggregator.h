/* aggregator.h - heatscoped as one value: every part, and the order in which they begin and end.
 *
 *      endpoint -> ingest -> catalog, flush -> store, cube;   http -> catalog, flush, cube
 *
 * Begin   aggregator_open(): lock, store, cube, flush, catalog, ingest, http.  Then run the loop.
 *         After an error, too, stop, run the loop and close.
 * End     aggregator_stop(): ingest stops reading, webhooks are told nothing more, flush drains (every job's done() has been
 *         called, every committed batch acknowledged), then http_close(), api_close(), ingest_close(), and the
 *         loop runs out of handles.  aggregator_close() frees the rest.
 * HTTP    http.c passes what is asked under /ca to api.c, which reads catalog and cube on the loop and submits
 *         what needs the store to `flush`.  http_close() finds no job of its own in flight.
 * Thread  the loop thread only.
 */
#ifndef HEATSCOPE_AGGREGATOR_H
#define HEATSCOPE_AGGREGATOR_H

#include "aggregator/catalog/catalog.h"
#include "aggregator/conf/conf.h"
#include "aggregator/base/endpoint.h"
#include "aggregator/http/http.h"
#include "aggregator/ingest/ingest.h"
#include "aggregator/base/services.h"
#include "aggregator/base/timekeeper.h"
#include "aggregator/http/tls.h"
#include "aggregator/http/token.h"

struct api;				/* api.c's */
struct configured;				/* catalog/configured.c's */
struct alerts;				/* alerts.c's */
struct worksheets;			/* worksheets.c's */
struct webhooks;			/* webhooks.c's */
struct alert_notifier;			/* alert_notifier.c's */
struct configured_alerts;		/* configured_alerts.c's */
struct reports;				/* reports.c's */

struct aggregator {
	struct conf conf;
	struct services services;	/* what most of the other parts need */
	struct store *store;		/* for workers only, see store_queue.h */
	struct configured *configured;
	struct alerts *alerts;
	struct configured_alerts *configured_alerts;
	struct webhooks *webhooks;
	struct alert_notifier *notifier;	/* alerts to webhooks */
	struct reports *reports;
	uv_timer_t alerts_timer;	/* has_timer, too */
	struct worksheets *worksheets;
	struct ingest *ingest;
	struct http_held held;		/* by readers of both servers */
	struct api *api;		/* what both servers serve under /ca */
	struct http *http[2];		/* at conf.listen and at conf.api_socket; NULL: none */
	struct endpoint http_at[2], ingest_at;
	struct token token;		/* if conf.token_file says so */
	struct tls *tls;		/* NULL: none */
	int lock_fd;			/* of the database; -1: none */
	bool has_timer, upkeep_busy;
	bool http_bound[2], ingest_bound;	/* the Unix sockets' files are ours to remove */
	uv_timer_t upkeep;		/* expires and compacts */
	struct timekeeper time;
	unsigned n_upkeeps;
	__u64 n_requests;		/* when memory was last looked at */
	bool is_trimmed;		/* and there was none since */
	__s64 start_ns;			/* by the boot clock */
};

/* reason: CONF_REASON_MAX bytes.  a is zeroed by it first. */
int aggregator_open(struct aggregator *a, uv_loop_t *loop, const struct conf *conf, char *reason);

/* Reads the files of the tokens again, those of the webhooks, too; after an error the old ones hold. */
int aggregator_reload(struct aggregator *a, char *reason);
void aggregator_stop(struct aggregator *a);
void aggregator_close(struct aggregator *a);

#endif
