/* Reads the entries of `export` in a configuration file: the instrumentations that /metrics has. */
#include "aggregator/conf/private.h"

#include "collector/core/refuse.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const cyaml_schema_field_t fields[] = {
	CYAML_FIELD_STRING_PTR("instrumentation", CYAML_FLAG_POINTER, struct said_export, instrumentation, 1, CONF_NAME_MAX - 1),
	CYAML_FIELD_UINT_PTR("keys", MAY, struct said_export, keys), CYAML_FIELD_UINT_PTR("schema", MAY, struct said_export, schema),
	CYAML_FIELD_END,
};
const cyaml_schema_value_t conf_export_schema = { CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct said_export, fields) };

static int take_one(const struct said_export *s, const struct conf *conf, struct export_conf *e, char *reason)
{
	if (conf_check_instrumentation(conf, s->instrumentation, reason))
		return -EINVAL;
	if (s->keys && (*s->keys < 1 || *s->keys > EXPORT_KEYS_MAX))
		return refuse(reason, "value \"%u\" for \"keys\" is invalid: 1 to %d", *s->keys, EXPORT_KEYS_MAX);
	if (s->schema && *s->schema > BUCKETS_SCHEMA_MAX)
		return refuse(reason, "value \"%u\" for \"schema\" is invalid: 0 to %d", *s->schema, BUCKETS_SCHEMA_MAX);
	snprintf(e->instrumentation, sizeof(e->instrumentation), "%s", s->instrumentation);
	e->keys = s->keys ? *s->keys : EXPORT_KEYS;
	e->schema = s->schema ? *s->schema : EXPORT_SCHEMA;
	return 0;
}

int conf_take_export(const struct said_export *said, unsigned n, const char *path, struct conf *conf, char *reason)
{
	char why[REASON_MAX] = "";
	unsigned line[EXPORT_MAX];
	int err = 0;

	conf->n_export = n;
	conf_entry_lines(path, "export", n, line);
	for (unsigned i = 0; i < n && !err; i++) {
		err = take_one(&said[i], conf, &conf->export[i], why);
		if (!err)
			err = conf_check_new(conf->export[0].instrumentation, sizeof(conf->export[0]), i, line, why);
		if (err)
			snprintf(reason, CONF_REASON_MAX, "the export at line %u: %s", line[i], why);
	}
	return err;
}
