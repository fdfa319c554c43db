/* measure.h - measures this host without a running heatscoped: it starts a collector and a private heatscoped.
 *
 *      measure_start() -> measure_ready() -> measure_create() -> measure_active() -> measure_wait() -> measure_end()
 *              -> read from `client` -> measure_stop()
 *
 * Stop    Ctrl-C and SIGTERM end the waiting, not the program.
 * Data    older than the retention are removed, however long a measurement runs.
 * Errors  0 or -errno with a sentence in client.reason.  After an error, too, measure_stop() cleans up.
 * Thread  one measurement at a time.
 */
#ifndef HEATSCOPE_MEASURE_H
#define HEATSCOPE_MEASURE_H

#include "ui/cli/base/client.h"
#include "ui/cli/base/private.h"

struct measure {
	struct private private;
	struct client client;		/* of the private heatscoped */
	pid_t collector;		/* 0: it does not run */
};

/* Refuses a process that is not there, or is not named as one of these (NULL at the end; NULL: any name will do): there would
 * be no event.  In a container the number is not that of our own namespace, so it is not checked. */
int measure_check_process(long pid, const char *const *names, char *reason, size_t room);

/* Starts both.  option, NULL at the end: options of the collector, without those that say where its heatscoped is. */
int measure_start(struct measure *m, const char *const *option);

/* Waits until the collector reports that it can measure the metric.  ret_measures: all its measures, for
 * json_decref(). */
int measure_ready(struct measure *m, const char *metric, json_t **ret_measures);

/* Creates an instrumentation of the metric: body has all but module, stat and predicate.  ret_id (MEASURE_ID bytes) or
 * NULL. */
#define MEASURE_ID 32
int measure_create(struct measure *m, const char *metric, const char *where, json_t *body, char *ret_id);

/* Waits so many seconds (0: until Ctrl-C).  If stderr is a terminal, it prints the progress there once a second. */
void measure_wait(const char *what, long seconds);

/* Waits until the first slot of the instrumentation has begun, at most a minute.  Fails with the collector's reason if
 * it cannot measure.  *ret_from_s (NULL: not wanted) is the begin of that slot. */
int measure_active(struct measure *m, const char *id, double *ret_from_s);

/* Waits a second.  Returns 0 if Ctrl-C came. */
int measure_second(void);

/* Ends the collector, which first sends the data that it has. */
int measure_end(struct measure *m);
void measure_stop(struct measure *m);

#endif
