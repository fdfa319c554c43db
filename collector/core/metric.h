/* metric.h - what can be measured: a metric, its fields and its measures.
 *
 * Shape   A field is discrete (a key may be decomposed by it) or numeric (a measure: it may be
 *         quantized).  The words and types are Cloud Analytics'; /ca shows exactly these.
 * Memory  constant tables of the probe that offers the metric.
 */
#ifndef HEATSCOPE_METRIC_H
#define HEATSCOPE_METRIC_H

#include "collector/core/quantize.h"
#include <stddef.h>

#define NAME_MAX_LEN 32			/* bytes of a module, stat or field name, NUL included */
#define REASON_MAX 256			/* bytes of a sentence that says why not, NUL included */

enum field_arity { FIELD_DISCRETE, FIELD_NUMERIC };

struct field {
	const char *name;
	const char *label;
	const char *type;		/* "string", "time", "size", "number": a type of /ca */
	enum field_arity arity;
	enum ruler_unit unit;		/* numeric fields: unit and range of the ruler */
	__u32 low, high;		/* of two; low 0: a ruler with a linear start, for small numbers */
};

/* interval: events over the time, added along it.  point: states at the end of each slot; they add
 * along source and key, and along time the mean of the slots is what is shown. */
enum metric_scope { SCOPE_INTERVAL, SCOPE_POINT };

struct metric {
	const char *module, *stat;	/* "mysql", "queries" */
	const char *label;
	const char *unit;		/* what is counted: "queries" */
	const struct field *field;
	size_t n_fields;
	enum metric_scope scope;
	const char *point;		/* of scope interval: the one measure that is a point among events; NULL: none */
	const char *parts;		/* measures with blanks between, which add up to the first one in every event; NULL: none do */
	const char *text;		/* the discrete field that says what a single event was; NULL: single ones cannot be kept */
};

/* "interval", "point". */
const char *metric_scope_name(enum metric_scope scope);

/* Of one of its measures. */
enum metric_scope metric_measure_scope(const struct metric *m, const char *measure);

/* Is this measure one of its parts? */
int metric_is_part(const struct metric *m, const char *measure);

/* The first of its measures; NULL: it has none. */
const char *metric_first_measure(const struct metric *m);

/* The field of that name, or NULL. */
const struct field *metric_field(const struct metric *m, const char *name);

/* metric_index()'s inverse; NULL: it has no such place. */
const struct field *metric_at(const struct metric *m, enum field_arity arity, int index);

/* Its place among the fields of that arity, which is its place in an event; -1: it has none.
 * `hostname` is not counted: the aggregator fills it in. */
int metric_index(const struct metric *m, const char *name, enum field_arity arity);

#endif
