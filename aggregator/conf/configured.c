/* Turns the instrumentations of a configuration file, as libcyaml read them, into requests. */
#include "aggregator/conf/private.h"

#include "collector/core/instrumentation.h"
#include "collector/core/refuse.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static json_t *names_json(char *const *name, unsigned n)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < n; i++)
		json_array_append_new(list, json_string(name[i]));
	return list;
}

static json_t *request_json(const struct said_inst *s)
{
	json_t *json = json_pack("{s:s, s:s, s:o, s:o}", "module", s->module, "stat", s->stat, "decomposition",
				 names_json(s->decomposition, s->n_decomposition), "measures",
				 names_json(s->measures, s->n_measures));

	if (s->n_weights)
		json_object_set_new(json, "weights", names_json(s->weights, s->n_weights));
	if (s->granularity)
		json_object_set_new(json, "granularity", *s->granularity == (double)(json_int_t)*s->granularity ?
				    json_integer((json_int_t)*s->granularity) : json_real(*s->granularity));
	if (s->retention)
		json_object_set_new(json, "retention-time", json_integer(*s->retention));
	if (s->tiers)
		json_object_set_new(json, "tiers", json_pack("[I, I]", (json_int_t)s->tiers[0], (json_int_t)s->tiers[1]));
	if (s->ruler_bits)
		json_object_set_new(json, "ruler-bits", json_integer(*s->ruler_bits));
	if (s->keys)
		json_object_set_new(json, "keys", json_integer(*s->keys));
	if (s->exemplars)
		json_object_set_new(json, "exemplars", json_integer(*s->exemplars));
	if (s->predicate)
		json_object_set_new(json, "predicate", json_string(s->predicate));
	return json;
}

/* Checks what does not depend on the metric: numbers, and the form of the predicate. */
static int check_request(const json_t *request, const struct said_inst *s, char *reason)
{
	json_t *form = json_deep_copy(request);
	struct instrumentation in;
	struct predicate p;
	int err = form ? 0 : -ENOMEM;

	json_object_del(form, "decomposition");
	json_object_del(form, "predicate");
	if (!err && s->predicate)
		err = predicate_from_text(s->predicate, &p, reason);
	if (!err)
		err = instrumentation_from_json(form, &in, reason);
	json_decref(form);
	return err;
}

/* Makes a name for one without a name: "mysql.queries by statement, command". */
static void make_name(const struct said_inst *s, char name[CONF_NAME_MAX])
{
	size_t at = (size_t)snprintf(name, CONF_NAME_MAX, "%s", s->name ? s->name : "");

	if (s->name)
		return;
	at = (size_t)snprintf(name, CONF_NAME_MAX, "%s.%s", s->module, s->stat);
	for (unsigned i = 0; i < s->n_decomposition && at < CONF_NAME_MAX; i++)
		at += (size_t)snprintf(name + at, CONF_NAME_MAX - at, "%s%s", i ? ", " : " by ", s->decomposition[i]);
}

static int take_one(const struct said_inst *s, struct conf_instrumentation *a, char *reason)
{
	json_t *request = request_json(s);
	char *text = request ? json_dumps(request, JSON_COMPACT) : NULL;
	int err = text ? check_request(request, s, reason) : -ENOMEM;

	if (!err && strlen(text) >= CONF_REQUEST_MAX)
		err = refuse(reason, "it is too long: at most %d bytes as JSON", CONF_REQUEST_MAX - 1);
	if (!err) {
		snprintf(a->request, sizeof(a->request), "%s", text);
		make_name(s, a->name);
	}
	free(text);
	json_decref(request);
	return err;
}

int conf_check_instrumentation(const struct conf *conf, const char *name, char *reason)
{
	for (size_t i = 0; i < conf->n_instrumentations; i++)
		if (!strcmp(conf->instrumentation[i].name, name))
			return 0;
	return refuse(reason, "there is no \"%s\" under `instrumentations`", name);
}

int conf_take_instrumentations(const struct said_inst *said, unsigned n, const char *path, struct conf *conf, char *reason)
{
	char why[REASON_MAX] = "no memory";
	unsigned line[CONF_INSTRUMENTATIONS_MAX];
	int err = 0;

	conf->n_instrumentations = n;
	conf_entry_lines(path, "instrumentations", n, line);
	for (unsigned i = 0; i < n && !err; i++) {
		conf->instrumentation[i].line = line[i];
		err = take_one(&said[i], &conf->instrumentation[i], why);
		if (!err)
			err = conf_check_new(conf->instrumentation[0].name, sizeof(conf->instrumentation[0]), i, line, why);
		if (err)
			snprintf(reason, CONF_REASON_MAX, "the instrumentation at line %u: %s", conf->instrumentation[i].line, why);
	}
	return err;
}
