/* Turns the alerts of a configuration file, as libcyaml read them, into requests. */
#include "aggregator/conf/private.h"

#include "aggregator/notify/alert.h"
#include "collector/core/refuse.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT(key, flags, most) CYAML_FIELD_STRING_PTR(#key, CYAML_FLAG_POINTER | (flags), struct said_alert, key, 1, most)
#define NUMBER(key) CYAML_FIELD_FLOAT_PTR(#key, MAY, struct said_alert, key)

static const cyaml_schema_field_t fields[] = {
	TEXT(name, 0, ALERT_NAME_MAX - 1), TEXT(instrumentation, 0, CONF_NAME_MAX - 1), TEXT(measure, CYAML_FLAG_OPTIONAL, NAME_MAX_LEN - 1),
	TEXT(key, CYAML_FLAG_OPTIONAL, LABEL_MAX), TEXT(webhook, CYAML_FLAG_OPTIONAL, CONF_NAME_MAX - 1),
	NUMBER(percentile), NUMBER(share), TEXT(above, CYAML_FLAG_OPTIONAL, ALERT_ABOVE - 1),
	CYAML_FIELD_UINT_PTR("window", MAY, struct said_alert, window), CYAML_FIELD_UINT_PTR("for", MAY, struct said_alert, hold),
	CYAML_FIELD_ENUM_PTR("shape", MAY | CYAML_FLAG_STRICT | CYAML_FLAG_CASE_INSENSITIVE, struct said_alert, shape, conf_flags, CONF_FLAGS),
	CYAML_FIELD_END,
};
const cyaml_schema_value_t conf_alert_schema = { CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct said_alert, fields) };

static void put_text(json_t *json, const char *name, const char *text)
{
	if (text)
		json_object_set_new(json, name, json_string(text));
}

static void put_number(json_t *json, const char *name, const double *number)
{
	if (number)
		json_object_set_new(json, name, json_real(*number));
}

static void put_count(json_t *json, const char *name, const unsigned *count)
{
	if (count)
		json_object_set_new(json, name, json_integer(*count));
}

static json_t *request_json(const struct said_alert *s)
{
	json_t *json = json_pack("{s:s}", "name", s->name);

	put_text(json, "measure", s->measure);
	put_text(json, "key", s->key);
	put_text(json, "webhook", s->webhook);
	put_number(json, "percentile", s->percentile);
	put_number(json, "share", s->share);
	put_text(json, "above", s->above);
	put_count(json, "window", s->window);
	put_count(json, "for", s->hold);
	if (s->shape && *s->shape)
		json_object_set_new(json, "shape", json_true());
	return json;
}

/* Checks that it is a unit.  Which measure it belongs to is not known here. */
static int check_above(const struct alert_rule *rule, char *reason)
{
	struct alert_rule r;
	char why[REASON_MAX];

	for (enum ruler_unit unit = UNIT_NONE; unit <= UNIT_BYTES_PER_S; unit++) {
		r = *rule;
		if (!alert_rule_unit(&r, unit, why))
			return 0;
	}
	r = *rule;
	return alert_rule_unit(&r, UNIT_NS, reason);
}

/* Checks what does not depend on the instrumentation. */
static int check_request(const json_t *request, char *reason)
{
	json_t *whole = json_deep_copy(request);
	struct alert_rule rule;
	int err = whole ? json_object_set_new(whole, "instrumentation", json_integer(1)) : -1;

	err = err ? -ENOMEM : alert_rule_parse(whole, &rule, reason) ?: check_above(&rule, reason);
	json_decref(whole);
	return err;
}

static int take_one(const struct said_alert *s, const struct conf *conf, struct conf_alert *a, char *reason)
{
	json_t *request = request_json(s);
	char *text = request ? json_dumps(request, JSON_COMPACT) : NULL;
	int err = text ? conf_check_instrumentation(conf, s->instrumentation, reason) : -ENOMEM;

	if (!err)
		err = conf_check_webhook(conf, s->webhook, reason);
	if (!err)
		err = check_request(request, reason);
	if (!err && strlen(text) >= sizeof(a->request))
		err = refuse(reason, "it is too long: at most %zu bytes as JSON", sizeof(a->request) - 1);
	if (!err) {
		snprintf(a->name, sizeof(a->name), "%s", s->name);
		snprintf(a->instrumentation, sizeof(a->instrumentation), "%s", s->instrumentation);
		snprintf(a->request, sizeof(a->request), "%s", text);
	}
	free(text);
	json_decref(request);
	return err;
}

int conf_take_alerts(const struct said_alert *said, unsigned n, const char *path, struct conf *conf, char *reason)
{
	char why[REASON_MAX] = "no memory, or not UTF-8";
	unsigned line[CONF_ALERTS_MAX];
	int err = 0;

	conf->n_alerts = n;
	conf_entry_lines(path, "alerts", n, line);
	for (unsigned i = 0; i < n && !err; i++) {
		conf->alert[i].line = line[i];
		err = take_one(&said[i], conf, &conf->alert[i], why);
		if (!err)
			err = conf_check_new(conf->alert[0].name, sizeof(conf->alert[0]), i, line, why);
		if (err)
			snprintf(reason, CONF_REASON_MAX, "the alert at line %u: %s", line[i], why);
	}
	return err;
}
