/* subject.h - the instrumentation that is watched: what it is called, what it has, how it fares.
 *
 * Errors  -EBADMSG: not an instrumentation; nothing has changed then.
 */
#ifndef HEATSCOPE_WATCH_SUBJECT_H
#define HEATSCOPE_WATCH_SUBJECT_H

#include "collector/core/metric.h"
#include "collector/core/slice.h"

#include <jansson.h>

struct subject {
	char id[32], title[256];	/* "mysql.queries by statement where latency > 10 ms" */
	size_t n_measures, n_fields;
	char measure[MEASURES_MAX][NAME_MAX_LEN];
	char field[KEY_FIELDS_MAX][NAME_MAX_LEN];	/* that make the keys */
	double slot_s;
	size_t n_sources, n_active;
	char trouble[256];		/* why nothing, or not everything, is measured; "" */
};

int subject_read(const json_t *json, struct subject *ret_subject);

/* The place of a measure; -1: it has none of this name. */
long subject_measure(const struct subject *s, const char *name);

#endif
