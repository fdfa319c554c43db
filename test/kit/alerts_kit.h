/* alerts_kit.h - runs alerts, store and cube without network and in simulated time: hours of load in a second.
 *
 *      alerts_bench_open -> alerts_bench_slot(one second's latencies) ... -> what the annotations and /ca say
 *
 * Load    a server of three modes and outliers.  Its mix, rate and speed wander from minute to minute, with bursts, and
 *         a test can change it.
 */
#ifndef HEATSCOPE_ALERTS_KIT_H
#define HEATSCOPE_ALERTS_KIT_H

#include "aggregator/notify/alerts.h"
#include "aggregator/base/services.h"

struct alerts_bench {
	uv_loop_t loop;
	struct store *store;
	struct cube *cube;
	struct store_queue *store_queue;
	struct catalog *catalog;
	struct annotations *annotations;
	struct alerts *alerts;
	__u32 seq;
};

/* Opens a bench with instrumentation 1, mysql.queries with latency in slots of 1 s. */
void alerts_bench_open(struct alerts_bench *b);
void alerts_bench_restart(struct alerts_bench *b, __s64 now_s);	/* restarts all but store and cube */
void alerts_bench_close(struct alerts_bench *b);

/* Gives the parts of the bench to a test. */
void alerts_bench_lend(struct alerts_bench *b, struct services *ret_services);

__u64 alerts_bench_add(struct alerts_bench *b, const char *rule, __s64 now_s);

/* Adds a second's events, then runs the tick at its end.  h NULL: no source reported. */
void alerts_bench_slot(struct alerts_bench *b, __s64 slot_s, const struct hist *h);
void alerts_bench_put(struct alerts_bench *b, __s64 slot_s, const struct hist *h);	/* without the tick */
const char *alerts_bench_state(struct alerts_bench *b);	/* of the first alert */

struct load {
	double mix[4];			/* how it wanders */
	double speed, burst;
};
enum change { STEADY, MAIN_SLOWER, NEW_MODE, MIDDLE_SLOWER, MORE_SLOW, CHANGES };
void load_second(struct load *l, __s64 at_s, enum change change, struct hist *h);

#endif
