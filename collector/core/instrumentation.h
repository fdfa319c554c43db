/* instrumentation.h - describes a metric that is switched on: its fields, measures, slots, rulers and retention.
 *
 * The aggregator makes an instrumentation from a request, keeps it, and sends it to every collector.  A recording
 * begins with one.  All of them use one JSON form:
 *
 *      {"id": 1, "module": "mysql", "stat": "queries",
 *       "fields": ["command", "statement"], "measures": ["latency", "cputime"], "weights": ["latency", "io"],
 *       "granularity": 1, "retention-time": 86400, "tiers": [1209600, 31536000], "idle-max": 0, "predicate": {},
 *       "ruler-bits": 5, "keys": 64, "exemplars": 0, "slots": 12, "crtime": 1700000000000, "enabled": true}
 *
 * Counts  the events that match the predicate (predicate.h); {} matches all.
 * Fields  are discrete; their order is that of the key.  Fields of the host (host_labels.h) may be among them:
 *         collectors leave them out of their keys, and the aggregator fills them in.
 * Measures are numeric; the first is the default one.
 * Weights are optional.  The first weight is the first measure; the others are measures that are parts of it
 *         (metric.h).  A weight need not be among the measures.
 * Kept    slots are kept for retention-time seconds, sums per minute and per hour for the seconds in `tiers`.
 *         Defaults: a day, two weeks, a year.  If only retention-time is given, nothing is kept longer.
 * Single  `exemplars`: how many of the worst events of a slot are kept whole.  If it is not 0, one event per decade is
 *         kept, too (exemplar.h).
 * Slot    kernel slots are min(granularity, 1 s); queries fold longer ones when they read.
 * Errors  the parser writes one sentence into `reason`: what is wrong, and where.
 * Memory  a plain value that may be copied.
 */
#ifndef HEATSCOPE_INSTRUMENTATION_H
#define HEATSCOPE_INSTRUMENTATION_H

#include "collector/core/exemplar.h"
#include "collector/core/metric.h"
#include "collector/core/predicate.h"
#include "collector/core/slice.h"
#include <jansson.h>

struct instrumentation {
	__u64 id;
	char module[NAME_MAX_LEN], stat[NAME_MAX_LEN];
	char field[KEY_FIELDS_MAX][NAME_MAX_LEN];
	size_t n_fields;
	char measure[MEASURES_MAX][NAME_MAX_LEN];
	size_t n_measures;
	__u64 ruler[MEASURES_MAX];	/* one per measure; not in the JSON: computed from the metric and ruler-bits */
	char weight[MEASURES_MAX][NAME_MAX_LEN];
	size_t n_weights;
	__u64 weight_ruler;		/* the first measure's, with fewer bits; a source may use even fewer */
	__u64 granularity_ns, slot_ns;
	__u32 retention_s, idle_max_s;
	__u32 minutes_s, hours_s;	/* how long sums per minute and per hour are kept; at least retention_s */
	__u32 ruler_bits;		/* 0..7, default 5 */
	__u32 n_keys;			/* limit of keys per source, default 64 */
	__u32 n_exemplars;		/* per slot, 0..EXEMPLARS_MAX, default 0 */
	__u32 n_slots;			/* slots in the kernel's ring, default 12 */
	__s64 crtime_ms;
	int suspended;			/* "enabled": false: kept, but no collector measures it */
	struct predicate predicate;
};

/* Reads the JSON form.  0, or -EINVAL with the reason.  It ignores unknown properties and gives absent
 * ones their defaults; absent ids and rulers stay 0. */
int instrumentation_from_json(const json_t *json, struct instrumentation *ret, char reason[REASON_MAX]);
json_t *instrumentation_to_json(const struct instrumentation *in);	/* NULL: no memory */

/* Checks the instrumentation against its metric and fills in the rulers.  0, or -EINVAL with the reason
 * ("field \"foo\" is not a field of mysql.queries; it has: command, statement, ..."). */
int instrumentation_bind(struct instrumentation *in, const struct metric *m, char reason[REASON_MAX]);

/* Returns how long slots (0), minutes (1) and hours (2) are kept: a coarser tier never shorter than a finer one. */
__u32 instrumentation_kept_s(const struct instrumentation *in, int tier);

/* Returns the axis of a measure, or -ENOENT. */
int instrumentation_axis(const struct instrumentation *in, const char *measure);

/* Returns the weight of that name, numbered from 1 as in a slice, or -ENOENT. */
int instrumentation_weight(const struct instrumentation *in, const char *name);

#endif
