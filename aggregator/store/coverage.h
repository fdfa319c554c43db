/* coverage.h - collects for one query which source reported which slots, and counts the slots per column.
 *
 *      (source, first, last) in any order, overlapping  ->  source-slots reported and expected
 *
 * Origin     observation.h keeps the slots in memory, sqlite.c in the file.  This module keeps nothing after the query.
 * Expected   a source should have reported each slot from its first one on, up to `due`.
 * Sparse     Of an old minute or hour only the number of reported slots is known, not which ones (coverage_compact.h).
 *            The number of slots that any source reported is then taken from the source that reported most.
 * Memory     coverage_fini() frees.  A zeroed one is empty and may be passed to it.
 * Thread     any, one at a time.
 */
#ifndef HEATSCOPE_COVERAGE_H
#define HEATSCOPE_COVERAGE_H

#include "aggregator/base/name_index.h"
#include "collector/core/batch.h"
#include "aggregator/store/coverage_compact.h"
#include <stdbool.h>

struct interval {
	__s64 first, last;		/* slots, inclusive */
};

struct covered {			/* the intervals of one source */
	char source[SOURCE_MAX];
	__s64 since;			/* expected from here on, if this is before its first interval */
	size_t n_intervals, room;
	struct interval *interval;
	bool sorted;			/* ascending, merged, disjoint */
	size_t n_sparse, sparse_room;
	struct run *sparse;
};

struct coverage {
	size_t n_sources;
	size_t sources_room;
	struct covered *source;
	struct name_index source_of;	/* a source's place among them */
};

void coverage_fini(struct coverage *c);
int coverage_add(struct coverage *c, const char *source, __s64 first, __s64 last);	/* -ENOMEM */
int coverage_add_sparse(struct coverage *c, const char *source, const struct run *run);	/* -ENOMEM */
int coverage_expect(struct coverage *c, const char *source, __s64 first);		/* -ENOMEM */

/* Counts the source-slots within first..last: those reported, and those expected, where the slot is <= due or
 * reported. */
void coverage_count(struct coverage *c, __s64 first, __s64 last, __s64 due, __u32 *ret_reported,
		    __u32 *ret_expected);

/* Returns the smallest number of sources that reported a slot of first..min(last, due); 0 if there is no such slot. */
__u32 coverage_fewest(struct coverage *c, __s64 first, __s64 last, __s64 due);

/* Counts the slots within first..last that any source reported. */
__u64 coverage_seen(struct coverage *c, __s64 first, __s64 last);

#endif
