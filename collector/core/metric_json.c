#include "collector/core/metric_json.h"

#include "collector/core/refuse.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const unit_name[] = {
	[UNIT_NONE] = "none", [UNIT_NS] = "ns", [UNIT_BYTES] = "bytes", [UNIT_PERCENT] = "percent",
	[UNIT_PER_S] = "per-second", [UNIT_BYTES_PER_S] = "bytes-per-second",
};
#define N_UNITS (sizeof(unit_name) / sizeof(unit_name[0]))

static json_t *field_to_json(const struct field *f)
{
	json_t *json = json_pack("{s:s, s:s, s:s, s:s}", "name", f->name, "label", f->label, "type", f->type, "arity",
				 f->arity == FIELD_NUMERIC ? "numeric" : "discrete");

	if (f->arity == FIELD_NUMERIC) {
		json_object_set_new(json, "unit", json_string(unit_name[f->unit]));
		json_object_set_new(json, "low", json_integer(f->low));
		json_object_set_new(json, "high", json_integer(f->high));
	}
	return json;
}

static json_t *split_at_blanks(const char *text)
{
	json_t *list = json_array();

	for (; *text; text += strcspn(text, " "), text += *text == ' ')
		json_array_append_new(list, json_stringn(text, strcspn(text, " ")));
	return list;
}

json_t *metric_json_parts(const struct metric *m)
{
	return m->parts ? split_at_blanks(m->parts) : NULL;
}

json_t *metric_json_make(const struct metric *m, const char *refusal)
{
	json_t *fields = json_array();

	for (size_t i = 0; i < m->n_fields; i++)
		json_array_append_new(fields, field_to_json(&m->field[i]));
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s*, s:o*, s:s*, s:s, s:s, s:o}", "module", m->module, "stat", m->stat, "label",
			 m->label, "unit", m->unit, "scope", metric_scope_name(m->scope), "point", m->point,
			 "parts", metric_json_parts(m), "text", m->text, "state", refusal ? "refused" : "ok", "reason",
			 refusal ? refusal : "", "fields", fields);
}

void metric_json_fini(struct metric *m)
{
	for (size_t i = 0; i < m->n_fields; i++) {
		free((char *)m->field[i].name);
		free((char *)m->field[i].label);
		free((char *)m->field[i].type);
	}
	free((struct field *)m->field);
	free((char *)m->point);
	free((char *)m->parts);
	free((char *)m->text);
	free((char *)m->module);
	free((char *)m->stat);
	free((char *)m->label);
	free((char *)m->unit);
	memset(m, 0, sizeof(*m));
}

/* Copies a text member of 1 .. NAME_MAX_LEN - 1 bytes. */
static int get_text(const json_t *json, const char *name, const char **ret, char *reason)
{
	const char *text = json_string_value(json_object_get(json, name));

	if (!text || !*text || strlen(text) >= NAME_MAX_LEN)
		return refuse(reason, "a metric's \"%s\" must be a text of 1 to %d bytes", name, NAME_MAX_LEN - 1);
	*ret = strdup(text);
	return *ret ? 0 : -ENOMEM;
}

static int get_range(const json_t *json, struct field *f, char *reason)
{
	const char *unit = json_string_value(json_object_get(json, "unit"));
	json_int_t low = json_integer_value(json_object_get(json, "low"));
	json_int_t high = json_integer_value(json_object_get(json, "high"));
	size_t i = 0;

	while (i < N_UNITS && (!unit || strcmp(unit, unit_name[i])))
		i++;
	if (i == N_UNITS || low < 0 || low >= high || high > 63)
		return refuse(reason, "field \"%s\" of a metric has no usable unit, low and high", f->name);
	f->unit = (enum ruler_unit)i;
	f->low = (__u32)low;
	f->high = (__u32)high;
	return 0;
}

static int field_from_json(const json_t *json, struct field *f, char *reason)
{
	const char *arity = json_string_value(json_object_get(json, "arity"));
	int err = get_text(json, "name", &f->name, reason);

	if (!err)
		err = get_text(json, "label", &f->label, reason);
	if (!err)
		err = get_text(json, "type", &f->type, reason);
	if (err)
		return err;
	if (arity && !strcmp(arity, "discrete")) {
		f->arity = FIELD_DISCRETE;
		return 0;
	}
	if (arity && !strcmp(arity, "numeric")) {
		f->arity = FIELD_NUMERIC;
		return get_range(json, f, reason);
	}
	return refuse(reason, "field \"%s\" of a metric must be discrete or numeric", f->name);
}

static int fields_from_json(const json_t *list, struct metric *m, char *reason)
{
	size_t n = json_array_size(list);
	struct field *field;
	int err = 0;

	if (!json_is_array(list) || n > METRIC_FIELDS_MAX)
		return refuse(reason, "a metric's \"fields\" must be an array of at most %d", METRIC_FIELDS_MAX);
	m->field = field = calloc(n + 1, sizeof(*field));
	if (!field)
		return -ENOMEM;
	m->n_fields = n;
	for (size_t i = 0; i < n && !err; i++)
		err = field_from_json(json_array_get(list, i), &field[i], reason);
	return err;
}

/* Recordings and stores from before scopes existed have no scope. */
static int get_scope(const json_t *json, enum metric_scope *ret, char *reason)
{
	const json_t *value = json_object_get(json, "scope");
	const char *text = value ? json_string_value(value) : metric_scope_name(SCOPE_INTERVAL);

	*ret = text && !strcmp(text, metric_scope_name(SCOPE_POINT)) ? SCOPE_POINT : SCOPE_INTERVAL;
	if (text && !strcmp(text, metric_scope_name(*ret)))
		return 0;
	return refuse(reason, "a metric's \"scope\" must be \"interval\" or \"point\"");
}

/* Finds the field that a member names, if the member is present. */
static int get_field(const json_t *json, const char *name, enum field_arity arity, const struct metric *m, const char **ret,
		     char *reason)
{
	const json_t *value = json_object_get(json, name);
	const char *text = json_string_value(value);
	const struct field *f = text ? metric_field(m, text) : NULL;

	if (!value)
		return 0;
	if (!f || f->arity != arity)
		return refuse(reason, "a metric's \"%s\" must be one of its %s fields", name,
			 arity == FIELD_NUMERIC ? "numeric" : "discrete");
	*ret = strdup(text);
	return *ret ? 0 : -ENOMEM;
}

static int refuse_parts(char *reason)
{
	return refuse(reason, "a metric's \"parts\" must be a list of numeric fields of it, but not the first");
}

/* Reads a list of numeric fields, without the first one and each once. */
static int get_parts_listed(const json_t *list, struct metric *m, char *reason)
{
	size_t n = json_array_size(list), at = 0, room = n * NAME_MAX_LEN;
	char *parts;

	if (!n || n > m->n_fields)
		return refuse_parts(reason);
	m->parts = parts = calloc(1, room);
	if (!parts)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const char *name = json_string_value(json_array_get(list, i));
		const struct field *f = name ? metric_field(m, name) : NULL;

		if (!f || f->arity != FIELD_NUMERIC || f->name == metric_first_measure(m) || metric_is_part(m, name))
			return refuse_parts(reason);
		at += (size_t)snprintf(parts + at, room - at, "%s%s", i ? " " : "", name);
	}
	return 0;
}

/* Absent, or a list; older stores and recordings have the names in one text instead. */
static int get_parts(const json_t *json, struct metric *m, char *reason)
{
	json_t *value = json_object_get(json, "parts");
	json_t *list = json_is_string(value) ? split_at_blanks(json_string_value(value)) : json_incref(value);
	int err = value ? get_parts_listed(list, m, reason) : 0;

	json_decref(list);
	return err;
}

int metric_json_read(const json_t *json, struct metric *ret_metric, char reason[REASON_MAX])
{
	struct metric m = { 0 };
	int err = get_text(json, "module", &m.module, reason);

	if (!err)
		err = get_text(json, "stat", &m.stat, reason);
	if (!err)
		err = get_text(json, "label", &m.label, reason);
	if (!err)
		err = get_text(json, "unit", &m.unit, reason);
	if (!err)
		err = get_scope(json, &m.scope, reason);
	if (!err)
		err = fields_from_json(json_object_get(json, "fields"), &m, reason);
	if (!err)
		err = get_field(json, "point", FIELD_NUMERIC, &m, &m.point, reason);
	if (!err)
		err = get_field(json, "text", FIELD_DISCRETE, &m, &m.text, reason);
	if (!err)
		err = get_parts(json, &m, reason);
	if (err == -ENOMEM)
		snprintf(reason, REASON_MAX, "no memory for a metric");
	if (err)
		metric_json_fini(&m);
	else
		*ret_metric = m;
	return err;
}
