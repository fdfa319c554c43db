/* collector.h - runs the collector on its loop: after every slot, data goes from probes to spool to link.
 *
 *      clock --tick--> probes_drain --> spool_put --> link --> aggregator
 *                            |                          | ack
 *                        recorder                    spool_ack
 *
 * Ticks   a one-shot timer, set to 20 ms after the next end of a slot by the wall clock.  Counted ticks would drift.
 * Ends    on SIGTERM or SIGINT, or, with `once`, when a probe has finished; of a replay the aggregator must have
 *         acknowledged everything.  Then every handle is closed; the rest of the data stays in the spool.
 */
#ifndef HEATSCOPE_COLLECTOR_H
#define HEATSCOPE_COLLECTOR_H

#include "collector/bus/bus.h"
#include "collector/probe/probe.h"

struct collector_conf {
	const char *socket_path;	/* the aggregator's */
	struct bus_conf bus;		/* instead of the socket, if it has a url */
	const char *version;
	const char *record_path;	/* NULL: no recording */
	const char *spool_path;		/* NULL or "": in memory */
	int spool_optional;		/* go on in memory if the path cannot be used */
	__u64 spool_limit;		/* bytes */
	int once;
	int fixed;			/* drop capabilities after the first set */
	struct probe_conf probe;
	const struct probe *const *probes;
	size_t n_probes;
};

/* Returns 0: ended as requested; -errno: could not start, which was logged. */
int collector_run(const struct collector_conf *conf);

#endif
