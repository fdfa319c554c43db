/* Reads `otlp` in a configuration file: the receiver of OpenTelemetry that metrics are pushed to. */
#include "aggregator/conf/private.h"

#include "collector/core/refuse.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define INTERVAL_MAX_S 3600
#define INTERVAL_S 15
#define TIMEOUT_MAX_S 60
#define TIMEOUT_S 10

#define TEXT(key, name, flags, most) CYAML_FIELD_STRING_PTR(key, CYAML_FLAG_POINTER | (flags), struct said_otlp, name, 1, most)
#define MAY_TEXT(key, name, most) TEXT(key, name, CYAML_FLAG_OPTIONAL, most)

const cyaml_schema_field_t conf_otlp_fields[] = {
	TEXT("endpoint", endpoint, 0, CONF_URL_MAX - 1), MAY_TEXT("headers-file", headers_file, PATH_MAX - 1),
	MAY_TEXT("encoding", encoding, 20), MAY_TEXT("compression", compression, 20), MAY_TEXT("temporality", temporality, 20),
	MAY_TEXT("instance", instance, OTLP_INSTANCE_MAX - 1), CYAML_FIELD_UINT_PTR("interval", MAY, struct said_otlp, interval),
	CYAML_FIELD_UINT_PTR("timeout", MAY, struct said_otlp, timeout), CYAML_FIELD_END,
};

/* Is it the second of two words?  The first one is the default. */
static int take_word(const char *said, const char *key, const char *first, const char *second, bool *ret_is_second, char *reason)
{
	*ret_is_second = said && !strcmp(said, second);
	if (!said || *ret_is_second || !strcmp(said, first))
		return 0;
	return refuse(reason, "value \"%.20s\" for \"%s\" is invalid: %s or %s", said, key, first, second);
}

static int take_seconds(const unsigned *said, const char *key, unsigned usual, unsigned most, unsigned *ret, char *reason)
{
	*ret = said ? *said : usual;
	if (*ret >= 1 && *ret <= most)
		return 0;
	return refuse(reason, "value \"%u\" for \"%s\" is invalid: 1 to %u seconds", *ret, key, most);
}

/* It becomes a label. */
static int check_instance(const char *said, char *reason)
{
	for (const char *at = said; at && *at; at++)
		if (*at <= ' ' || *at > '~')
			return refuse(reason, "the value for \"instance\" is invalid: printable ASCII without spaces");
	return 0;
}

static int take_all(const struct said_otlp *s, struct otlp_conf *o, char *reason)
{
	int err = conf_check_url(s->endpoint, reason);

	if (!err)
		err = take_word(s->encoding, "encoding", "protobuf", "json", &o->is_json, reason);
	if (!err)
		err = take_word(s->compression, "compression", "gzip", "none", &o->is_plain, reason);
	if (!err)
		err = take_word(s->temporality, "temporality", "cumulative", "delta", &o->is_delta, reason);
	if (!err)
		err = take_seconds(s->interval, "interval", INTERVAL_S, INTERVAL_MAX_S, &o->interval_s, reason);
	if (!err)
		err = take_seconds(s->timeout, "timeout", TIMEOUT_S, TIMEOUT_MAX_S, &o->timeout_s, reason);
	if (!err)
		err = check_instance(s->instance, reason);
	snprintf(o->endpoint, sizeof(o->endpoint), "%s", s->endpoint);
	snprintf(o->headers_file, sizeof(o->headers_file), "%s", s->headers_file ? s->headers_file : "");
	snprintf(o->instance, sizeof(o->instance), "%s", s->instance ? s->instance : "");
	return err;
}

int conf_take_otlp(const struct said_otlp *said, const char *path, struct conf *conf, char *reason)
{
	char why[REASON_MAX] = "";
	int err = said ? take_all(said, &conf->otlp, why) : 0;

	if (err)
		snprintf(reason, CONF_REASON_MAX, "otlp at line %u: %s", conf_line_of(path, "otlp"), why);
	return err;
}
