/* upkeep.h - tidies the store of heatscoped, and follows the wall clock.
 *
 *      every 10 s   upkeep_run() -> a job of the store queue: keeps the time (once a minute), measures the store's size
 *                                -> a job of the upkeep queue: expires (once a minute), rolls up, keeps below the size
 *                                -> catalog_expired()
 *      every second upkeep_follow_clock() -> timekeeper: was the wall clock set?
 *
 * Time    Nothing expires by a clock that leapt: the time that is believed is kept in the store, and a leap is believed when
 *         the clock has run evenly for an hour (timekeeper.h).
 * Group   Only the leader expires and rolls up, and only until its lease ends.
 * Server  To roll up ten minutes of many keys takes ClickHouse and us half a minute.  Batches do not wait for it: the upkeep queue
 *         has a worker and a handle of its own.  For SQLite it is the store queue.
 * Errors  If it fails for one instrumentation, it still does the others.  An error is logged when it begins and ends.
 * Thread  The loop thread; each job runs on a worker.
 */
#ifndef HEATSCOPE_UPKEEP_H
#define HEATSCOPE_UPKEEP_H

#include "aggregator/aggregator.h"

/* Compares the wall clock with the time that the store keeps; once, when the catalog is loaded. */
void upkeep_begin_time(struct aggregator *a);

/* Checks whether the wall clock was set: once a second, and before anything expires. */
void upkeep_follow_clock(struct aggregator *a);

/* Begins the upkeep that is due, unless the former one has not ended. */
void upkeep_run(struct aggregator *a);

#endif
