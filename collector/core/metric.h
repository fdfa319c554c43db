/* metric.h - describes what can be measured: a metric, its fields and its measures.
 *
 * Shape   a field is discrete (part of a key) or numeric (a measure, which may be quantized).  The words and types are
 *         those of Cloud Analytics, and /ca shows them unchanged.
 * Memory  these are constant tables, which belong to the probe that offers the metric.
 */
#ifndef HEATSCOPE_METRIC_H
#define HEATSCOPE_METRIC_H

#include "collector/core/quantize.h"
#include <stddef.h>

#define NAME_MAX_LEN 32			/* bytes of a module, stat or field name, including NUL */
#define REASON_MAX 256			/* bytes of a sentence that gives the reason of a refusal, including NUL */

enum field_arity { FIELD_DISCRETE, FIELD_NUMERIC };

struct field {
	const char *name;
	const char *label;
	const char *type;		/* "string", "time", "size", "number": a type of /ca */
	enum field_arity arity;
	enum ruler_unit unit;		/* numeric fields: unit and range of the ruler */
	__u32 low, high;		/* powers of two; low 0: a ruler with a linear start, for small numbers */
};

/* interval: events during the slot, which add up over time.  point: states at the end of each slot; they add up over
 * sources and keys, and over time the mean of the slots is shown. */
enum metric_scope { SCOPE_INTERVAL, SCOPE_POINT };

struct metric {
	const char *module, *stat;	/* "mysql", "queries" */
	const char *label;
	const char *unit;		/* the counted things: "queries" */
	const struct field *field;
	size_t n_fields;
	enum metric_scope scope;
	const char *point;		/* in a metric of scope interval: its one measure of scope point; NULL: none */
	const char *parts;		/* measures, blanks between; their sum is the first measure; NULL: none */
	const char *text;		/* the discrete field that names a single event; NULL: no exemplars */
};

/* Returns "interval" or "point". */
const char *metric_scope_name(enum metric_scope scope);

/* Returns the scope of one of its measures. */
enum metric_scope metric_measure_scope(const struct metric *m, const char *measure);

/* Is this measure one of its parts? */
int metric_is_part(const struct metric *m, const char *measure);

/* Returns the first of its measures; NULL: it has none. */
const char *metric_first_measure(const struct metric *m);

/* Returns the field of that name, or NULL. */
const struct field *metric_field(const struct metric *m, const char *name);

/* Is the inverse of metric_index(); NULL: no field has that index. */
const struct field *metric_at(const struct metric *m, enum field_arity arity, int index);

/* Returns the index of the field among the fields of that arity, which is also its index in an event; -1: it has none.
 * Fields of the host (host_labels.h) do not count: the aggregator fills them in. */
int metric_index(const struct metric *m, const char *name, enum field_arity arity);

#endif
