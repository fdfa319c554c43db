#include "collector/core/instrumentation.h"

#include "collector/core/refuse.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int get_text(const json_t *json, const char *name, char *out, size_t room, char *reason)
{
	const json_t *value = json_object_get(json, name);
	const char *text = json_string_value(value);

	if (!value)
		return refuse(reason, "missing value for required field: \"%s\"", name);
	if (!text || !*text || strlen(text) >= room)
		return refuse(reason, "field \"%s\" must be a text of 1 to %zu bytes", name, room - 1);
	strcpy(out, text);
	return 0;
}

/* Reads a whole number, or its default if it is absent. */
static int get_number(const json_t *json, const char *name, __u64 min, __u64 max, __u64 otherwise, __u64 *ret,
		      char *reason)
{
	const json_t *value = json_object_get(json, name);
	json_int_t n = json_integer_value(value);

	*ret = otherwise;
	if (!value)
		return 0;
	if (!json_is_integer(value))
		return refuse(reason, "field \"%s\" must be a whole number", name);
	if (n < 0 || (__u64)n < min)
		return refuse(reason, "value \"%lld\" for field \"%s\" is invalid: minimum is %llu", (long long)n, name,
			      (unsigned long long)min);
	if ((__u64)n > max)
		return refuse(reason, "value \"%lld\" for field \"%s\" is invalid: maximum is %llu", (long long)n, name,
			      (unsigned long long)max);
	*ret = (__u64)n;
	return 0;
}

static int get_names(const json_t *json, const char *name, char (*out)[NAME_MAX_LEN], size_t most, size_t *ret_n,
		     char *reason)
{
	const json_t *list = json_object_get(json, name), *value;
	size_t i;

	*ret_n = 0;
	if (!list)
		return 0;
	if (!json_is_array(list))
		return refuse(reason, "field \"%s\" must be an array of names", name);
	if (json_array_size(list) > most)
		return refuse(reason, "field \"%s\" has %zu names: maximum is %zu", name, json_array_size(list), most);
	json_array_foreach(list, i, value) {
		const char *text = json_string_value(value);

		if (!text || !*text || strlen(text) >= NAME_MAX_LEN)
			return refuse(reason, "field \"%s\" has an entry that is not a name", name);
		for (size_t j = 0; j < i; j++)
			if (!strcmp(out[j], text))
				return refuse(reason, "field \"%s\" names \"%s\" twice", name, text);
		strcpy(out[i], text);
	}
	*ret_n = json_array_size(list);
	return 0;
}

/* Parts are parts of the first measure, so that measure is a weight, too. */
static int get_weights(const json_t *json, struct instrumentation *in, char *reason)
{
	int err = get_names(json, "weights", in->weight, MEASURES_MAX, &in->n_weights, reason);
	int first = instrumentation_weight(in, in->measure[0]) - 1;

	if (err || !in->n_weights || !first)
		return err;
	if (first < 0 && in->n_weights == MEASURES_MAX)
		return refuse(reason, "field \"weights\" has %zu names in addition to \"%s\": maximum is %d",
			in->n_weights, in->measure[0],
			      MEASURES_MAX - 1);
	in->n_weights += first < 0;
	memmove(in->weight[1], in->weight[0], (first < 0 ? in->n_weights - 1 : (size_t)first) * sizeof(*in->weight));
	strcpy(in->weight[0], in->measure[0]);
	return 0;
}

/* Reads seconds, with fractions down to 0.01.  A slot must divide the second or be whole seconds, so that
 * slots of every length share their boundaries. */
static int get_granularity(const json_t *json, struct instrumentation *in, char *reason)
{
	const json_t *value = json_object_get(json, "granularity");
	double s = value ? json_number_value(value) : 1;
	__u64 ns;

	if (value && !json_is_number(value))
		return refuse(reason, "field \"granularity\" must be a number of seconds");
	if (!(s >= 0.01 && s <= 3600))
		return refuse(reason, "value \"%g\" for field \"granularity\" is invalid: 0.01 to 3600 s", s);
	ns = (__u64)llround(s * 1e9);
	if (ns < 1000000000 ? 1000000000 % ns : ns % 1000000000)
		return refuse(reason,
			      "value \"%g\" for field \"granularity\" is invalid: whole seconds, or a whole part of one", s);
	in->granularity_ns = ns;
	in->slot_ns = ns < 1000000000 ? ns : 1000000000;
	return 0;
}

#define RETENTION_S 86400
#define MINUTES_S 1209600
#define HOURS_S 31536000
#define TIER_MAX_S 315360000		/* ten years */

/* Needs the retention-time, which is read first. */
static int get_tiers(const json_t *json, struct instrumentation *in, char *reason)
{
	const json_t *value = json_object_get(json, "tiers");
	json_int_t s[2] = { MINUTES_S, HOURS_S };

	if (!value && json_object_get(json, "retention-time"))
		s[0] = s[1] = in->retention_s;
	if (value && (json_array_size(value) != 2 || !json_is_integer(json_array_get(value, 0)) ||
		      !json_is_integer(json_array_get(value, 1))))
		return refuse(reason, "field \"tiers\" must be an array of two whole numbers: for how many seconds minutes "
			      "and hours are kept");
	for (size_t i = 0; i < 2 && value; i++) {
		s[i] = json_integer_value(json_array_get(value, i));
		if (s[i] < (i ? s[0] : (json_int_t)in->retention_s))
			return refuse(reason, "value \"%lld\" for field \"tiers\" is invalid: minimum is %lld, as long as %s are kept",
				      (long long)s[i], i ? (long long)s[0] : (long long)in->retention_s, i ? "minutes" : "slots");
		if (s[i] > TIER_MAX_S)
			return refuse(reason, "value \"%lld\" for field \"tiers\" is invalid: maximum is %d", (long long)s[i], TIER_MAX_S);
	}
	in->minutes_s = (__u32)s[0];
	in->hours_s = (__u32)s[1];
	return 0;
}

static int get_numbers(const json_t *json, struct instrumentation *in, char *reason)
{
	__u64 id, retention, idle, bits, keys, exemplars, slots, crtime;
	int err = get_number(json, "id", 0, INT64_MAX, 0, &id, reason);

	if (!err)
		err = get_number(json, "retention-time", 10, 31536000, RETENTION_S, &retention, reason);
	if (!err)
		err = get_number(json, "idle-max", 0, 604800, 0, &idle, reason);
	if (!err)
		err = get_number(json, "ruler-bits", 0, RULER_BITS_MAX, 5, &bits, reason);
	if (!err)
		err = get_number(json, "keys", 1, 1024, 64, &keys, reason);
	if (!err)
		err = get_number(json, "exemplars", 0, EXEMPLARS_MAX, 0, &exemplars, reason);
	if (!err)
		err = get_number(json, "slots", 2, 128, 12, &slots, reason);
	if (!err)
		err = get_number(json, "crtime", 0, INT64_MAX, 0, &crtime, reason);
	if (err)
		return err;
	in->id = id;
	in->retention_s = (__u32)retention;
	in->idle_max_s = (__u32)idle;
	in->ruler_bits = (__u32)bits;
	in->n_keys = (__u32)keys;
	in->n_exemplars = (__u32)exemplars;
	in->n_slots = (__u32)slots;
	in->crtime_ms = (__s64)crtime;
	return 0;
}

static int get_enabled(const json_t *json, struct instrumentation *in, char *reason)
{
	const json_t *value = json_object_get(json, "enabled");

	if (value && !json_is_boolean(value))
		return refuse(reason, "field \"enabled\" must be true or false");
	in->suspended = json_is_false(value);
	return 0;
}

int instrumentation_from_json(const json_t *json, struct instrumentation *ret, char reason[REASON_MAX])
{
	struct instrumentation in = { 0 };
	const json_t *predicate = json_object_get(json, "predicate");
	int err;

	if (!json_is_object(json))
		return refuse(reason, "an instrumentation must be a JSON object");
	err = get_text(json, "module", in.module, sizeof(in.module), reason);
	if (!err)
		err = get_text(json, "stat", in.stat, sizeof(in.stat), reason);
	if (!err)
		err = get_names(json, "fields", in.field, KEY_FIELDS_MAX, &in.n_fields, reason);
	if (!err)
		err = get_names(json, "measures", in.measure, MEASURES_MAX, &in.n_measures, reason);
	if (!err)
		err = get_weights(json, &in, reason);
	if (!err)
		err = get_granularity(json, &in, reason);
	if (!err)
		err = get_numbers(json, &in, reason);
	if (!err)
		err = get_tiers(json, &in, reason);
	if (!err)
		err = get_enabled(json, &in, reason);
	if (!err && predicate)
		err = predicate_from_json(predicate, &in.predicate, reason);
	if (!err)
		*ret = in;
	return err;
}

static json_t *names_to_json(const char (*name)[NAME_MAX_LEN], size_t n)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, json_string(name[i]));
	return list;
}

__u32 instrumentation_kept_s(const struct instrumentation *in, int tier)
{
	__u32 s = in->retention_s;

	if (tier > 0 && in->minutes_s > s)
		s = in->minutes_s;
	return tier > 1 && in->hours_s > s ? in->hours_s : s;
}

static json_t *seconds_to_json(__u64 ns)
{
	return ns % 1000000000 ? json_real((double)ns / 1e9) : json_integer((json_int_t)(ns / 1000000000));
}

json_t *instrumentation_to_json(const struct instrumentation *in)
{
	return json_pack("{s:I, s:s, s:s, s:o, s:o, s:o, s:o, s:i, s:[i, i], s:i, s:o, s:i, s:i, s:i, s:i, s:I, s:b}",
			 "id", (json_int_t)in->id, "module", in->module, "stat", in->stat,
			 "fields", names_to_json(in->field, in->n_fields),
			 "measures", names_to_json(in->measure, in->n_measures),
			 "weights", names_to_json(in->weight, in->n_weights),
			 "granularity", seconds_to_json(in->granularity_ns),
			 "retention-time", (int)in->retention_s, "tiers", (int)instrumentation_kept_s(in, 1),
			 (int)instrumentation_kept_s(in, 2), "idle-max", (int)in->idle_max_s,
			 "predicate", predicate_to_json(&in->predicate),
			 "ruler-bits", (int)in->ruler_bits, "keys", (int)in->n_keys, "exemplars", (int)in->n_exemplars, "slots", (int)in->n_slots,
			 "crtime", (json_int_t)in->crtime_ms, "enabled", !in->suspended);
}

/* Lists the fields of one arity, "command, statement, ...", for messages. */
static void list_fields(const struct metric *m, enum field_arity arity, char *out, size_t room)
{
	size_t at = 0;

	out[0] = 0;
	for (size_t i = 0; i < m->n_fields && at < room; i++)
		if (m->field[i].arity == arity)
			at += (size_t)snprintf(out + at, room - at, "%s%s", at ? ", " : "", m->field[i].name);
}

static int check_field(const struct metric *m, const char *name, enum field_arity arity, const struct field **ret,
		       char *reason)
{
	const struct field *f = metric_field(m, name);
	char have[160];

	if (f && f->arity == arity) {
		*ret = f;
		return 0;
	}
	list_fields(m, arity, have, sizeof(have));
	return refuse(reason, "\"%s\" is not a %s of %s.%s; it has: %s", name,
		      arity == FIELD_NUMERIC ? "measure" : "discrete field", m->module, m->stat, have);
}

/* The first measure ranks the worst events. */
static int check_exemplars(const struct instrumentation *in, const struct metric *m, char *reason)
{
	if (!m->text)
		return refuse(reason, "single events of %s.%s are not kept: exemplars must be 0", m->module, m->stat);
	if (ruler_unit(in->ruler[0]) != UNIT_NS)
		return refuse(reason, "exemplars are the worst by the first measure, which must be a time: %s is not "
			"a time", in->measure[0]);
	return 0;
}

#define WEIGHT_BITS 3			/* few, because a cell has 64 bits, and each weight has its own cells */

/* A weight is the first measure itself, or a part of it. */
static int bind_weights(struct instrumentation *in, const struct metric *m, char *reason)
{
	const char *first = in->measure[0], *parts = m->parts && !strcmp(first, metric_first_measure(m)) ? m->parts : "";

	in->weight_ruler = ruler_coarser(in->ruler[0], WEIGHT_BITS);
	for (size_t i = 0; i < in->n_weights; i++)
		if (strcmp(in->weight[i], first) && (!*parts || !metric_is_part(m, in->weight[i])))
			return refuse(reason, "\"%s\" is not a weight; the weights are %s%s%s",
				in->weight[i], first, *parts ? " and its parts: " : "",
				      parts);
	if (in->n_weights && metric_measure_scope(m, first) == SCOPE_POINT)
		return refuse(reason, "%s.%s has no events, so it has no weights", m->module, m->stat);
	return 0;
}

int instrumentation_bind(struct instrumentation *in, const struct metric *m, char reason[REASON_MAX])
{
	const struct field *f = NULL;
	__u32 bits, low;
	int err = 0;

	if (strcmp(in->module, m->module) || strcmp(in->stat, m->stat))
		return refuse(reason, "%s.%s is not %s.%s", in->module, in->stat, m->module, m->stat);
	if (!in->n_measures)
		return refuse(reason, "no measure given");
	for (size_t i = 0; i < in->n_fields && !err; i++)
		err = check_field(m, in->field[i], FIELD_DISCRETE, &f, reason);
	for (size_t i = 0; i < in->n_measures && !err; i++) {
		err = check_field(m, in->measure[i], FIELD_NUMERIC, &f, reason);
		if (err)
			break;
		bits = in->ruler_bits < f->high ? in->ruler_bits : f->high - 1;	/* more change nothing below 2^high */
		low = f->low > bits ? f->low : bits;
		in->ruler[i] = RULER_OF(f->low ? RULER_LOG_LINEAR : RULER_LINEAR_START, f->unit, bits, low, f->high);
	}
	if (!err && metric_measure_scope(m, in->measure[0]) != m->scope)
		err = refuse(reason, "%s cannot be the first measure: it is reported in addition to the measures of "
			"events", m->point);
	if (!err && in->n_exemplars)
		err = check_exemplars(in, m, reason);
	if (!err)
		err = bind_weights(in, m, reason);
	return err ? err : predicate_check(&in->predicate, m, reason);
}

int instrumentation_weight(const struct instrumentation *in, const char *name)
{
	for (size_t i = 0; i < in->n_weights; i++)
		if (!strcmp(in->weight[i], name))
			return (int)i + 1;
	return -ENOENT;
}

int instrumentation_axis(const struct instrumentation *in, const char *measure)
{
	for (size_t i = 0; i < in->n_measures; i++)
		if (!strcmp(in->measure[i], measure))
			return (int)i;
	return -ENOENT;
}
