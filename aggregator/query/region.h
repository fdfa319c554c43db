/* region.h - compares a rectangle of time and value with the rest: which labels and which measures set it apart.
 *
 *      slices, marks --region_reader()--> per key and block: events inside, outside
 *         --region_contrast()--> ranked findings
 *
 * Inside   events of the slots from..to whose value of the axis lies in min..max.  A bucket that the rectangle cuts is
 *          inside as a whole; the findings report the resulting edges.
 * Outside  all other events of from..to, and of the baseline's slots, which lie elsewhere.
 * Labels   of every field, exact counts: the share of the events inside and outside.  Times (sums of the axis) are
 *          those of the middles of buckets.
 * Measures The other measures of the events in a bucket are unknown; only those of a key and of a block of time are
 *          known.  So each event gets the mean of its key (REGION_BY_KEY) or of its block (REGION_BY_TIME).  The first
 *          shows the effect of the mix of keys, the second shows what coincides in time.  If a rectangle of all values
 *          is compared with a baseline, the second is the means themselves.
 * Blocks   pieces of time, of `block` slots each, counted from the epoch: the units that vary (contrast.h).
 * Laws     the result does not depend on the order of slices and marks.
 * Errors   region_error(): -E2BIG: more than REGION_KEYS_MAX keys; -EBADMSG: a slice; -ENOMEM.
 * Memory   the query's arrays and instrumentation are borrowed until region_free(); the region owns the findings.
 * Pure     no loop, file or clock.  Thread: any, one at a time per region.
 */
#ifndef HEATSCOPE_REGION_H
#define HEATSCOPE_REGION_H

#include "aggregator/query/contrast.h"
#include "aggregator/query/query.h"

#define REGION_KEYS_MAX 4096
#define REGION_BLOCKS 64		/* about so many in the rectangle's time, and in the baseline's */
#define REGION_Q 0.05			/* of the differences called significant, at most this share is false, on
					 * average */

struct region_span {
	__s64 from, to;			/* slots, half-open; to <= from: none */
	__s64 block;			/* slots in one */
};

struct region_query {
	const struct query *query;	/* instrumentation, axis, selection */
	struct region_span time, baseline;	/* slots in both count as `time` */
	__u64 min, max;			/* values, half-open; max 0: no upper limit */
	__u32 points;			/* bits of measures that no event has, see metric.h: not compared */
};

enum region_by { REGION_BY_KEY, REGION_BY_TIME };

struct finding {
	unsigned field;			/* of a value: index of its field */
	char *value;			/* NULL: the finding is about a measure */
	bool other;			/* the keys beyond a cap */
	unsigned measure;
	enum region_by by;
	bool foreign;			/* a measure of another unit than the axis */
	struct contrast c;
	double time, time_excess;	/* of a value: sum of the axis inside, and its excess over mean.out's share */
	double q;
	bool significant;
};

/* A value inside, whether it differs from the outside or not. */
struct content {
	unsigned field;
	char *value;
	bool other;
	double events, time;		/* time: the sum of the axis, from the middles of buckets */
};

struct region_findings {
	size_t n_values, n_measures, n_contents;
	struct content *content;	/* field after field, its values, highest count first */
	struct finding *value;		/* significant ones first, by falling excess */
	struct finding *measure;	/* likewise, by the excess's size; measures of another unit than the axis
					 * follow, by p */
	size_t n_tests;
	struct pair events, time;
	size_t n_blocks;		/* with events */
	double least;			/* events that one stands for, at least on average; 1: no sampling */
	__u64 first, last;		/* values inside, inclusive: whole buckets; last ~0: no upper limit */
	bool lower_bound;		/* some keys are in `other` */
};

struct region;				/* its fields are in region.c */

int region_new(const struct region_query *q, struct region **ret_region);
void region_free(struct region *r);	/* NULL is fine */

const struct store_reader *region_reader(struct region *r);
int region_error(const struct region *r);

/* Call it after the last slice; the findings are valid until region_free().  -ENOMEM. */
int region_contrast(struct region *r, const struct region_findings **ret_findings);

#endif
