/* subject.h - reads the watched instrumentation: its title, measures, fields and state.
 *
 * Errors  -EBADMSG: not an instrumentation.  Then nothing has changed.
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
	char field[KEY_FIELDS_MAX][NAME_MAX_LEN];	/* the parts of a key */
	double slot_s;
	size_t n_sources, n_active;
	char trouble[256];		/* why nothing, or not everything, is measured; "": all is */
};

int subject_read(const json_t *json, struct subject *ret_subject);

/* Returns the index of a measure; -1: no measure has this name. */
long subject_measure(const struct subject *s, const char *name);

#endif
