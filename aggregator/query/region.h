/* region.h - a rectangle of time and value against the rest: which values of the fields, and which measures, set it apart.
 *
 *      slices, marks --region_reader()--> per key and block: events inside, outside --region_contrast()--> ranked findings
 *
 * Inside   events of the slots from..to whose value of the axis lies in min..max.  Buckets are whole: one that
 *          the rectangle cuts is inside; the edges that come out of it are told.
 * Outside  all other events of from..to, and of the baseline's slots, which lie elsewhere.
 * Values   of every field, exact counts: the share of the events inside and outside.  Values of time (sums of
 *          the axis) are those of the middles of buckets.
 * Measures of a bucket of the axis nobody knows what its events' other measures were, only of a key and of a
 *          block of time.  So each event is given the mean of its key (REGION_BY_KEY), or that of its block of time
 *          (REGION_BY_TIME): the first is what the mix of keys says, the second what coincides in time.  Of a rectangle
 *          of all values against a baseline the second is the means themselves.
 * Blocks   pieces of time, of `block` slots each, counted from the epoch: the units that vary (contrast.h).
 * Laws     the result does not depend on the order of slices and marks.
 * Errors   region_error(): -E2BIG: more than REGION_KEYS_MAX keys; -EBADMSG: a slice; -ENOMEM.
 * Memory   the query's arrays and instrumentation are borrowed until region_free(), findings are the region's.
 * Pure     no loop, file or clock.  Thread: any, one at a time per region.
 */
#ifndef HEATSCOPE_REGION_H
#define HEATSCOPE_REGION_H

#include "aggregator/query/contrast.h"
#include "aggregator/query/query.h"

#define REGION_KEYS_MAX 4096
#define REGION_BLOCKS 64		/* about so many of the rectangle's time, and of the baseline's */
#define REGION_Q 0.05			/* at most this share of what is called significant is false, on average */

struct region_span {
	__s64 from, to;			/* slots, half-open; to <= from: none */
	__s64 block;			/* slots in one */
};

struct region_query {
	const struct query *query;	/* instrumentation, axis, selection */
	struct region_span time, baseline;	/* what is in both is `time`'s */
	__u64 min, max;			/* values, half-open; max 0: no upper limit */
	__u32 points;			/* bits of measures that no event has, see metric.h: not looked at */
};

enum region_by { REGION_BY_KEY, REGION_BY_TIME };

struct finding {
	unsigned field;			/* of a value: index into the instrumentation's */
	char *value;			/* NULL: of a measure */
	bool other;			/* the rest beyond a cap */
	unsigned measure;
	enum region_by by;
	bool foreign;			/* a measure of another unit than the axis */
	struct contrast c;
	double time, time_excess;	/* of a value: sum of the axis inside, and what of it is beyond mean.out's share */
	double q;
	bool significant;
};

/* What is inside, whether it differs from the outside or not. */
struct content {
	unsigned field;
	char *value;
	bool other;
	double events, time;		/* time: the sum of the axis, from the middles of buckets */
};

struct region_findings {
	size_t n_values, n_measures, n_contents;
	struct content *content;	/* of every field in turn its values, most events first */
	struct finding *value;		/* significant ones first, by falling excess */
	struct finding *measure;	/* likewise, by its size; those of another unit than the axis after them, by p */
	size_t n_tests;
	struct pair events, time;
	size_t n_blocks;		/* with events */
	double least;			/* events that one stands for, at least the mean; 1: all were looked at */
	__u64 first, last;		/* values inside, inclusive: whole buckets; last ~0: no upper limit */
	bool lower_bound;		/* some keys are in `other` */
};

struct region;				/* its fields are in region.c */

int region_new(const struct region_query *q, struct region **ret_region);
void region_free(struct region *r);	/* NULL is fine */

const struct store_reader *region_reader(struct region *r);
int region_error(const struct region *r);

/* After the last slice; valid until region_free().  -ENOMEM. */
int region_contrast(struct region *r, const struct region_findings **ret_findings);

#endif
