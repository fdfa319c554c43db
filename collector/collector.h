/* collector.h - the collector on its loop: probes -> spool -> link, at every slot boundary.
 *
 *      clock --tick--> probes_drain --> spool_put --> link --> aggregator
 *                            |                          | ack
 *                        recorder                    spool_ack
 *
 * Ticks   a one-shot timer for the next slot boundary of the wall clock and 20 ms; counting ticks
 *         would drift.
 * Ends    by SIGTERM or SIGINT, or with `once` when a replay was acknowledged to the end: what is
 *         left stays in the spool, every handle is closed.
 */
#ifndef HEATSCOPE_COLLECTOR_H
#define HEATSCOPE_COLLECTOR_H

#include "collector/probe/probe.h"

struct collector_conf {
	const char *socket_path;	/* the aggregator's */
	const char *version;
	const char *record_path;	/* NULL: no recording */
	const char *spool_path;		/* NULL or "": in memory */
	int spool_optional;		/* go on in memory where the path cannot be used */
	__u64 spool_limit;		/* bytes */
	int once;
	int fixed;			/* without capabilities after the first set */
	struct probe_conf probe;
	const struct probe *const *probes;
	size_t n_probes;
};

/* 0: ended as asked; -errno: could not start, which was logged. */
int collector_run(const struct collector_conf *conf);

#endif
