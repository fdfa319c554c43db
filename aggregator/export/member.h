/* member.h - gives the names and labels under which others know the measures and weights of an instrumentation.
 *
 *      mysql.queries, latency, statement = select
 *              --> heatscope.mysql.queries.latency in seconds {instrumentation="statements",statement="select"}
 *
 * Names   heatscope.MODULE.STAT.MEASURE, which Prometheus has as heatscope_mysql_queries_latency_seconds: OpenTelemetry's
 *         conventions name only what clients measure (db.client.operation.duration), not servers.  A weight is a counter:
 *         heatscope_mysql_queries_cputime_seconds_total.  Labels are `instrumentation` and the decomposed fields.
 * Memory  what they return points to their arguments.
 * Thread  any; the catalog's objects are the loop's.
 */
#ifndef HEATSCOPE_MEMBER_H
#define HEATSCOPE_MEMBER_H

#include "aggregator/export/exposition.h"

#define MEMBER_HELP_MAX 256

/* An instrumentation's member of a family of metrics: the histograms of a measure, or the sums of a weight. */
struct member {
	const struct exported *x;
	const struct catalog_inst *ci;
	unsigned axis, weight;			/* weight 0: the histograms */
	double divisor;				/* of a value (buckets_unit()) */
	const char *unit;
	char name[EXPOSITION_NAME_MAX], prometheus[EXPOSITION_NAME_MAX];	/* OpenTelemetry's name; Prometheus' name */
};

/* Returns the member at an index, from 0 on; false: past the last. */
bool member_at(const struct exported *x, const struct catalog_inst *ci, unsigned at, struct member *ret_member);

/* Is it a weight that is also a measure, as it is the sum of that histogram, or a state, which does not add up over time? */
bool member_is_left_out(const struct member *m);

struct exposition_family member_family(const struct member *m, const char *help);
void member_help(const struct member *m, char help[MEMBER_HELP_MAX]);

struct key_labels {
	struct exposition_series all;
	char name[KEY_FIELDS_MAX][NAME_MAX_LEN], value[KEY_FIELDS_MAX][LABEL_MAX + 1];
};

/* Makes the labels of a key; key NULL: only the instrumentation's, by its name in the configuration file. */
void member_labels(const char *instrumentation, const struct instrumentation *in, const struct labels *key, struct key_labels *ret_labels);

/* The names of the labels of its fields; the values are "". */
void member_field_labels(const struct instrumentation *in, struct key_labels *ret_labels);

/* Is this the name of the field's label? */
bool member_label_is(const char *field, const char *label);

#endif
