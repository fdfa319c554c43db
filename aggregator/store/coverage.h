/* coverage.h - who reported which slots: intervals per source, counted per column.
 *
 *      (source, first, last) in any order, overlapping  ->  source-slots reported and expected
 *
 * Expected   a source should have reported each slot from its first one on, as far as `due`.
 * Sparse     of what is old only the number of slots per minute or hour is known (coverage_compact.h): that many
 *            were reported, and none of them is known to be.  Slots that any of several sources
 *            reported are then taken to be as many as those of the one that reported most.
 * Memory     coverage_fini() frees; a zeroed one is empty, and fine.
 * Thread     any, one at a time.
 */
#ifndef HEATSCOPE_COVERAGE_H
#define HEATSCOPE_COVERAGE_H

#include "collector/core/batch.h"
#include "aggregator/store/coverage_compact.h"
#include <stdbool.h>

struct interval {
	__s64 first, last;		/* slots, inclusive */
};

struct covered {			/* one source's */
	char source[SOURCE_MAX];
	__s64 since;			/* expected from here on, if that is before its first interval */
	size_t n_intervals, room;
	struct interval *interval;
	bool sorted;			/* ascending, merged, disjoint */
	size_t n_sparse, sparse_room;
	struct run *sparse;
};

struct coverage {
	size_t n_sources;
	struct covered *source;
};

void coverage_fini(struct coverage *c);
int coverage_add(struct coverage *c, const char *source, __s64 first, __s64 last);	/* -ENOMEM */
int coverage_add_sparse(struct coverage *c, const char *source, const struct run *run);	/* -ENOMEM */
int coverage_expect(struct coverage *c, const char *source, __s64 first);		/* -ENOMEM */

/* Source-slots within first..last: reported, and expected where the slot is <= due or reported. */
void coverage_count(struct coverage *c, __s64 first, __s64 last, __s64 due, __u32 *ret_reported,
		    __u32 *ret_expected);

/* The fewest sources that reported, over the slots first..min(last, due); 0 if there is no such slot. */
__u32 coverage_fewest(struct coverage *c, __s64 first, __s64 last, __s64 due);

/* Slots within first..last that any source reported. */
__u64 coverage_seen(struct coverage *c, __s64 first, __s64 last);

#endif
