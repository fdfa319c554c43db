/* bus_sources.h - keeps what sources published of themselves on the bus, and has the catalog follow it.
 *
 *      value of a source {"hello", "state", "self"} --bus_sources_take()--> catalog_hello(), catalog_state()
 *      {"gone": true}, or nothing for BUS_SOURCE_AGE_S                 --> catalog_bye()
 *
 * Again   collectors publish the same value again and again: only a changed one reaches the catalog.
 * Memory  owns copies.  catalog must outlive it.
 * Thread  the loop thread only; times are the loop's, in milliseconds.
 */
#ifndef HEATSCOPE_BUS_SOURCES_H
#define HEATSCOPE_BUS_SOURCES_H

#include "aggregator/catalog/catalog.h"

struct bus_sources;			/* its fields are in bus_sources.c */

struct bus_sources *bus_sources_new(struct catalog *catalog, bool verbose);
void bus_sources_free(struct bus_sources *all);		/* NULL is fine */

/* Takes a value.  -EINVAL: it is not one, and the reason says why; nothing has changed. */
int bus_sources_take(struct bus_sources *all, const char *name, const char *text, size_t len, __u64 now_ms, char reason[REASON_MAX]);

void bus_sources_expire(struct bus_sources *all, __u64 now_ms);	/* those that say nothing any more are gone */
void bus_sources_renew(struct bus_sources *all, __u64 now_ms);	/* we did not see them: their age counts from now on */

/* Returns the incarnation that the source's hello names; 0: it is not connected. */
__u64 bus_sources_incarnation(const struct bus_sources *all, const char *name);

#endif
