/* bus_sources.h - keeps what sources published of themselves on the bus, and has the catalog follow it.
 *
 *      hello, 44 kB, once for each connection         --bus_sources_hello()--> catalog_hello()
 *      presence {"hello": its hash, "state", "self"}  --bus_sources_take()---> catalog_state(); is the hello not known: 1
 *      {"gone": true}, or nothing for BUS_SOURCE_AGE_S                     --> catalog_bye()
 *
 * Law     the catalog has a source while its collector says that it is present, with the hello that it names then.  Where
 *         that hello is not known, because the bus lost it or we came later, the caller gets it: from the bucket of
 *         hellos, or the collector says it again.
 * Again   collectors publish the same values again and again: only a changed one reaches the catalog.
 * Memory  owns copies of the states; of a hello the hash.  catalog must outlive it.
 * Thread  the loop thread only; times are the loop's, in milliseconds.
 */
#ifndef HEATSCOPE_BUS_SOURCES_H
#define HEATSCOPE_BUS_SOURCES_H

#include "aggregator/catalog/catalog.h"

struct bus_sources;			/* its fields are in bus_sources.c */

struct bus_sources *bus_sources_new(struct catalog *catalog, bool verbose);
void bus_sources_free(struct bus_sources *all);		/* NULL is fine */

/* Takes a hello.  -EINVAL: it cannot be read, or names another source; the reason says so, and nothing has changed. */
int bus_sources_hello(struct bus_sources *all, const char *name, const char *text, size_t len, __u64 now_ms,
		      char reason[REASON_MAX]);

/* Takes a presence.  1: its hello is not known: take that, and then this again.  One that was refused is asked for again after
 * ten minutes, and one that does not come within a minute is logged.  -EINVAL: it cannot be read, and the reason says why;
 * nothing has changed. */
int bus_sources_take(struct bus_sources *all, const char *name, const char *text, size_t len, __u64 now_ms, char reason[REASON_MAX]);

void bus_sources_expire(struct bus_sources *all, __u64 now_ms);	/* those that say nothing any more are gone */
void bus_sources_renew(struct bus_sources *all, __u64 now_ms);	/* we did not see them: their age counts from now on */

/* Returns the incarnation that the source's hello names; 0: it is not connected. */
__u64 bus_sources_incarnation(const struct bus_sources *all, const char *name);

#endif
