#include "aggregator/catalog/request.h"

#include "collector/core/host_labels.h"
#include "collector/core/refuse.h"
#include "collector/core/where.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int required_text(const json_t *request, const char *name, const char **ret, char *reason)
{
	const json_t *value = json_object_get(request, name);

	if (!value)
		return refuse(reason, "missing value for required field: \"%s\"", name);
	*ret = json_string_value(value);
	if (!*ret || !**ret || strlen(*ret) >= NAME_MAX_LEN)
		return refuse(reason, "value for field \"%s\" is invalid: must be a text of 1 to %d bytes", name,
			      NAME_MAX_LEN - 1);
	return 0;
}

int request_metric(const json_t *request, const char **ret_module, const char **ret_stat, char *reason)
{
	int err;

	if (!json_is_object(request))
		return refuse(reason, "an instrumentation must be given as a JSON object or as parameters");
	err = required_text(request, "module", ret_module, reason);
	return err ? err : required_text(request, "stat", ret_stat, reason);
}

const char *const request_lists[] = { "decomposition", "measures", "weights", "tiers", NULL };

static void add_names(json_t *list, const char *text)
{
	for (const char *at = text; *at; at += *at == ',') {
		size_t len = strcspn(at, ",");

		json_array_append_new(list, json_stringn(at, len));
		at += len;
	}
}

/* "a,b", ["a", "b"] and ["a,b"] are two names; absent or "" is []. */
static int names_of(const json_t *request, const char *name, json_t **ret_list, char *reason)
{
	const json_t *value = json_object_get(request, name), *entry;
	json_t *list = json_array();
	size_t i;

	if (json_is_string(value))
		add_names(list, json_string_value(value));
	else if (value && !json_is_array(value))
		goto no_list;
	json_array_foreach(value, i, entry) {
		if (!json_is_string(entry))
			goto no_text;
		add_names(list, json_string_value(entry));
	}
	*ret_list = list;
	return 0;
no_text:
	json_decref(list);
	return refuse(reason, "value for field \"%s\" is invalid: its entry %zu is not a text", name, i);
no_list:
	json_decref(list);
	return refuse(reason, "value for field \"%s\" is invalid: must be an array of names, or a text with commas", name);
}

static void field_names(const struct metric *m, char *out, size_t room)
{
	size_t at = 0;

	out[0] = 0;
	for (size_t i = 0; i < m->n_fields && at < room; i++)
		at += (size_t)snprintf(out + at, room - at, "%s%s", at ? ", " : "", m->field[i].name);
}

/* Splits the decomposition into the fields of the key and the numeric field. */
static int parse_decomposition(const json_t *list, const struct metric *m, json_t *fields, char *numeric, char *reason)
{
	const struct field *f;
	char have[160];

	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *name = json_string_value(json_array_get(list, i));

		f = metric_field(m, name);
		if (!f) {
			field_names(m, have, sizeof(have));
			return refuse(reason, "value \"%.32s\" for field \"decomposition\" is invalid: fields of %s.%s are %s",
				      name, m->module, m->stat, have);
		}
		if (f->arity == FIELD_DISCRETE)
			json_array_append(fields, json_array_get(list, i));
		else if (*numeric)
			return refuse(reason, "more than one numeric decomposition specified");
		else
			snprintf(numeric, NAME_MAX_LEN, "%s", name);
	}
	if (json_array_size(fields) > KEY_FIELDS_MAX)
		return refuse(reason, "more than %d discrete decompositions specified", KEY_FIELDS_MAX);
	return 0;
}

/* Returns the measure to use if the request names none. */
static const char *default_measure(const struct metric *m)
{
	const struct field *latency = metric_field(m, "latency");

	if (latency && latency->arity == FIELD_NUMERIC)
		return latency->name;
	for (size_t i = 0; i < m->n_fields; i++)
		if (m->field[i].arity == FIELD_NUMERIC)
			return m->field[i].name;
	return NULL;
}

/* The decomposition's numeric field is the default measure: it comes first, whether it is listed or not. */
static int measures_of(json_t *list, const struct metric *m, const char *numeric, char *reason)
{
	const char *first = *numeric ? numeric : NULL;

	if (!first && !json_array_size(list))
		first = default_measure(m);
	if (!first && !json_array_size(list))
		return refuse(reason, "%s.%s has no measure", m->module, m->stat);
	for (size_t i = 0; first && i < json_array_size(list); i++)
		if (!strcmp(json_string_value(json_array_get(list, i)), first)) {
			json_array_remove(list, i);
			break;
		}
	if (first)
		json_array_insert_new(list, 0, json_string(first));
	if (json_array_size(list) > MEASURES_MAX)
		return refuse(reason, "more than %d measures specified", MEASURES_MAX);
	return 0;
}

/* Reads a number, or a text of one.  Cuts decimals off, except for the granularity, which may be a part of a second. */
static int number_of(const json_t *request, const char *name, json_t *form, char *reason)
{
	json_t *value = json_object_get(request, name);
	const char *text = json_string_value(value);
	double number = json_number_value(value);
	char *end;

	if (!value)
		return 0;
	if (json_is_integer(value))
		return json_object_set(form, name, value) ? refuse(reason, "no memory") : 0;
	if (!text && !json_is_number(value))
		return refuse(reason, "value for field \"%s\" is invalid: not a number", name);
	if (text)
		number = strtod(text, &end);
	if ((text && (end == text || *end)) || !(number > -1e15 && number < 1e15))
		return refuse(reason, "value \"%.40s\" for field \"%s\" is invalid: not a number", text ? text : "", name);
	if (strcmp(name, "granularity"))
		number = trunc(number);
	json_object_set_new(form, name, number == (double)(json_int_t)number ? json_integer((json_int_t)number) :
									       json_real(number));
	return 0;
}

/* Reads two numbers: an array of numbers or texts, or one text with a comma. */
static int tiers_of(const json_t *request, json_t *form, char *reason)
{
	const json_t *value = json_object_get(request, "tiers");
	const char *text = json_string_value(value), *first = json_string_value(json_array_get(value, 0)),
		   *second = json_string_value(json_array_get(value, 1));
	char both[64];
	unsigned minutes, hours;
	int end = 0;

	if (first && second && json_array_size(value) == 2) {
		snprintf(both, sizeof(both), "%.24s,%.24s", first, second);
		text = both;
	}
	if (value && !text)
		json_object_set(form, "tiers", (json_t *)value);
	if (!text)
		return 0;
	if (sscanf(text, "%9u,%9u%n", &minutes, &hours, &end) != 2 || text[end] || strpbrk(text, "+- "))
		return refuse(reason, "value \"%.40s\" for field \"tiers\" is invalid: two whole numbers with a comma: for how many "
			      "seconds minutes and hours are kept", text);
	json_object_set_new(form, "tiers", json_pack("[I, I]", (json_int_t)minutes, (json_int_t)hours));
	return 0;
}

static const char *type_of(void *arg, const char *name)
{
	const struct field *f = metric_field(arg, name);

	return f ? f->type : NULL;
}

/* Reads a predicate as people write it; blank matches all. */
static int where_of(const json_t *value, const struct metric *m, json_t *form, char *reason)
{
	const struct where_fields fields = { type_of, (void *)m };
	const char *text = json_string_value(value);
	char why[WHERE_REASON];
	json_t *json;

	if (!text)
		return refuse(reason, "where: must be a text");
	if (!text[strspn(text, " \t\r\n")])
		return 0;
	if (where_parse(text, &fields, &json, why))
		return refuse(reason, "where: %s", why);
	return json_object_set_new(form, "predicate", json) ? refuse(reason, "no memory") : 0;
}

/* Reads a predicate as an object, or as its text; the form of instrumentation.h has the object. */
static int predicate_of(const json_t *request, const struct metric *m, json_t *form, char *reason)
{
	const json_t *value = json_object_get(request, "predicate"), *where = json_object_get(request, "where");
	struct predicate p;
	int err;

	if (value && where)
		return refuse(reason, "give either predicate or where");
	if (where)
		return where_of(where, m, form, reason);
	if (!value)
		return 0;
	err = json_is_string(value) ? predicate_from_text(json_string_value(value), &p, reason)
				    : predicate_from_json(value, &p, reason);
	if (!err)
		json_object_set_new(form, "predicate", predicate_to_json(&p));
	return err;
}

/* Reads true, false, or a text of one of them. */
static int switch_of(const json_t *request, const char *name, json_t *form, char *reason)
{
	const json_t *value = json_object_get(request, name);
	const char *text = json_string_value(value);

	if (!value)
		return 0;
	if (!json_is_boolean(value) && (!text || (strcmp(text, "true") && strcmp(text, "false"))))
		return refuse(reason, "value for field \"%s\" is invalid: must be true or false", name);
	json_object_set_new(form, name, json_boolean(text ? *text == 't' : json_is_true(value)));
	return 0;
}

/* The properties that can be set, and the others that an instrumentation reports: a request may contain these, too. */
static int known_names(const json_t *request, char *reason)
{
	static const char *const known[] = {
		"module", "stat", "predicate", "where", "decomposition", "measures", "weights", "granularity", "retention-time", "tiers",
		"idle-max", "ruler-bits", "keys", "exemplars", "enabled", "persist-data",
		"id", "uri", "uris", "value-dimension", "value-arity", "value-scope", "crtime", "nsources",
		"transformations", "sources", "state", "always", "units", "fields", "slots", "predicate-text", "profile",
	};
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)request, name, value) {
		size_t i = 0;

		while (i < sizeof(known) / sizeof(*known) && strcmp(name, known[i]))
			i++;
		if (i == sizeof(known) / sizeof(*known))
			return refuse(reason, "field \"%.64s\" is unknown: an instrumentation has module, stat, decomposition, "
				      "measures, weights, granularity, retention-time, tiers, idle-max, ruler-bits, keys, exemplars, predicate, where, enabled, persist-data",
				      name);
	}
	return 0;
}

static int numbers_of(const json_t *request, json_t *form, char *reason)
{
	static const char *const name[] = { "granularity", "retention-time", "idle-max", "ruler-bits", "keys", "exemplars" };
	int err = 0;

	for (size_t i = 0; i < sizeof(name) / sizeof(*name) && !err; i++)
		err = number_of(request, name[i], form, reason);
	return err;
}

/* Fills the JSON form of instrumentation.h, which checks ranges. */
static int form_fill(const json_t *request, const struct metric *m, json_t *form, char *numeric, char *reason)
{
	json_t *fields = json_array(), *measures = NULL, *weights = NULL, *list = NULL;
	int err = known_names(request, reason);

	if (!err)
		err = names_of(request, "decomposition", &list, reason);
	json_object_set_new(form, "module", json_string(m->module));
	json_object_set_new(form, "stat", json_string(m->stat));
	json_object_set_new(form, "fields", fields);
	if (!err)
		err = parse_decomposition(list, m, fields, numeric, reason);
	json_decref(list);
	if (!err)
		err = names_of(request, "measures", &measures, reason);
	if (measures)
		json_object_set_new(form, "measures", measures);
	if (!err)
		err = measures_of(measures, m, numeric, reason);
	if (!err)
		err = names_of(request, "weights", &weights, reason);
	if (weights)
		json_object_set_new(form, "weights", weights);
	if (!err)
		err = numbers_of(request, form, reason);
	if (!err)
		err = tiers_of(request, form, reason);
	if (!err)
		err = predicate_of(request, m, form, reason);
	if (!err)
		err = switch_of(request, "enabled", form, reason);
	return err ? err : switch_of(request, "persist-data", form, reason);
}

/* predicate_check() accepts every field of hosts, because a collector must evaluate labels that it lacks.  Here a label
 * that no host has is a mistake. */
static int check_labels(const struct predicate *p, const struct metric *m, char *reason)
{
	char have[160];

	for (__u32 i = 0; i < p->n_terms; i++)
		if (!metric_field(m, p->term[i].field)) {
			field_names(m, have, sizeof(have));
			return refuse(reason, "predicate: no host has the label \"%s\"; fields of %s.%s are %s",
				      p->term[i].field + strlen(HOST_LABEL_FIELD), m->module, m->stat, have);
		}
	return 0;
}

int request_parse(const json_t *request, const struct metric *m, struct instrumentation *ret_in,
		  char ret_numeric[NAME_MAX_LEN], char *reason)
{
	json_t *form = json_object();
	struct instrumentation in = { 0 };
	char numeric[NAME_MAX_LEN] = "";
	int err = form ? form_fill(request, m, form, numeric, reason) : refuse(reason, "no memory");

	if (!err)
		err = instrumentation_from_json(form, &in, reason);
	if (!err)
		err = instrumentation_bind(&in, m, reason);
	if (!err)
		err = check_labels(&in.predicate, m, reason);
	if (!err && in.granularity_ns / 1000000000 > in.retention_s)
		err = refuse(reason, "value \"%u\" for field \"retention-time\" is invalid: shorter than the granularity",
			     in.retention_s);
	json_decref(form);
	if (err)
		return err;
	*ret_in = in;
	memcpy(ret_numeric, numeric, sizeof(numeric));
	return 0;
}

json_t *request_of(const struct instrumentation *in, const char *numeric)
{
	json_t *request = instrumentation_to_json(in), *fields = json_object_get(request, "fields");

	if (!request)
		return NULL;
	if (*numeric)
		json_array_append_new(fields, json_string(numeric));
	json_object_set(request, "decomposition", fields);
	json_object_del(request, "fields");
	json_object_del(request, "slots");
	json_object_del(request, "id");
	json_object_del(request, "crtime");
	if (instrumentation_kept_s(in, 2) == in->retention_s)	/* tier 2 follows the retention, then */
		json_object_del(request, "tiers");
	return request;
}

int request_update(json_t *request, const json_t *changes)
{
	if (json_object_get(changes, "where"))
		json_object_del(request, "predicate");
	return json_object_update(request, (json_t *)changes);
}

/* Refuses to change properties that are set when an instrumentation is made. */
static int refuse_other(const json_t *now, const json_t *asked, char *reason)
{
	static const char *const changeable[] = { "retention-time", "tiers", "idle-max", "enabled" };
	const char *name;
	json_t *value, *other;
	size_t i;

	json_object_foreach((json_t *)now, name, value) {
		for (i = 0; i < 4 && strcmp(name, changeable[i]);)
			i++;
		other = json_object_get(asked, name);
		if (i == 4 && !json_equal(value, other))
			return refuse(reason, "field \"%s\" cannot be changed, only retention-time, tiers, idle-max, persist-data and "
				      "enabled can; clone the instrumentation to have another", name);
	}
	return 0;
}

int request_change(const json_t *changes, const struct instrumentation *in, const char *numeric,
		   const struct metric *m, struct instrumentation *ret_in, char *reason)
{
	json_t *now = request_of(in, numeric), *all = json_deep_copy(now), *asked = NULL;
	char asked_numeric[NAME_MAX_LEN];
	struct instrumentation next;
	const char *module, *stat;
	int err = now && all ? 0 : -ENOMEM;

	if (!err && request_update(all, changes))
		err = refuse(reason, "the changes must be given as a JSON object or as parameters");
	if (!err)
		err = request_metric(all, &module, &stat, reason);
	if (!err && (strcmp(module, in->module) || strcmp(stat, in->stat)))
		err = refuse(reason, "module and stat cannot be changed; create another instrumentation");
	if (!err)
		err = request_parse(all, m, &next, asked_numeric, reason);
	if (!err) {
		asked = request_of(&next, asked_numeric);
		err = asked ? refuse_other(now, asked, reason) : -ENOMEM;
	}
	json_decref(now);
	json_decref(all);
	json_decref(asked);
	if (err)
		return err;
	*ret_in = *in;
	ret_in->retention_s = next.retention_s;
	ret_in->minutes_s = next.minutes_s;
	ret_in->hours_s = next.hours_s;
	ret_in->idle_max_s = next.idle_max_s;
	ret_in->suspended = next.suspended;
	return 0;
}
