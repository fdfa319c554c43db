/* drawn_kit.h - helps tools that fill a store with drawn events: random numbers, and the instrumentation.
 *
 * Draws   splitmix64: the same seed draws the same events.
 * Errors  drawn_die() ends the program.
 */
#ifndef HEATSCOPE_DRAWN_KIT_H
#define HEATSCOPE_DRAWN_KIT_H

#include "aggregator/store/store.h"
#include "collector/core/instrumentation.h"

#define DRAWN_HOUR 3600ll
#define DRAWN_DAY 86400ll
#define DRAWN_SLOT_NS 1000000000ull

struct drawn {
	__u64 seed;
};

__u64 drawn_next(struct drawn *d);
double drawn_uniform(struct drawn *d);	/* 0 to 1, neither of both */
double drawn_normal(struct drawn *d);	/* of mean 0 and deviation 1 */

void drawn_die(const char *what) __attribute__((noreturn));

/* Keeps an instrumentation of mysql.queries in the store, as the catalogue does: with id 1 and slots of a second, and
 * the rest as `in` has it.  Its first field is one of the metric's, whether it is kept apart or not; all measures are times. */
void drawn_inst_put(struct store *s, struct instrumentation in);

#endif
