/* predicate_kit.h - makes a metric with every kind of field and random predicates over it, and evaluates them plainly.
 *
 * It evaluates a predicate's JSON by recursion.  Tests compare the decision form, the filter and the kernel with it.
 */
#ifndef HEATSCOPE_PREDICATE_KIT_H
#define HEATSCOPE_PREDICATE_KIT_H

#include "test/kit/check.h"
#include "collector/ring/event.h"
#include "collector/core/predicate.h"

#include <stdio.h>

#define KIT_DISCRETE 3
#define KIT_NUMERIC 4

static const struct field kit_fields[] = {
	{ "statement", "statement", "string", FIELD_DISCRETE, UNIT_NONE, 0, 0 },
	{ "pid", "process id", "string", FIELD_DISCRETE, UNIT_NONE, 0, 0 },
	{ "hostname", "host", "string", FIELD_DISCRETE, UNIT_NONE, 0, 0 },
	{ "latency", "latency", "time", FIELD_NUMERIC, UNIT_NS, 10, 39 },
	{ "instance", "instance", "string", FIELD_DISCRETE, UNIT_NONE, 0, 0 },
	{ "size", "size", "size", FIELD_NUMERIC, UNIT_BYTES, 0, 40 },
	{ "load", "load", "percent", FIELD_NUMERIC, UNIT_PERCENT, 0, 7 },
	{ "calls", "calls", "number", FIELD_NUMERIC, UNIT_NONE, 0, 63 },
};
static const struct metric kit_metric = { "test", "things", "things", "things", kit_fields, 8, SCOPE_INTERVAL, NULL, NULL, NULL };

static const char *const kit_discrete[KIT_DISCRETE] = { "statement", "pid", "instance" };
static const char *const kit_numeric[KIT_NUMERIC] = { "latency", "size", "load", "calls" };
static const __u64 kit_most[KIT_NUMERIC] = { 1ull << 39, 1ull << 40, 128, ~0ull >> 1 };

/* Writes the text of a code.  Several codes of `instance` have one text; odd texts have no code. */
static inline void kit_label(unsigned field, __u64 code, char *out, size_t room)
{
	snprintf(out, room, "%s %llu", kit_discrete[field], (unsigned long long)(field == 2 ? code / 3 : code) * 2);
}

static inline int kit_codes(void *arg, unsigned field, const char *text, __u64 *ret_code, size_t max)
{
	char label[64];
	int n = 0;

	for (__u64 code = 1; code <= 8; code++) {
		kit_label(field, code, label, sizeof(label));
		if (!strcmp(label, text))
			ret_code[n++] = code;
	}
	return n;
}

/* Returns one of a few values, so that values often equal the constants or lie next to them. */
static inline __u64 kit_value(unsigned numeric)
{
	__u64 near = kit_most[numeric] >> check_below(numeric == 2 ? 7 : 39);

	return near - (near && check_below(2)) + check_below(2);
}

static inline void kit_event(struct event *e)
{
	memset(e, 0, sizeof(*e));
	e->end_ns = 1700000000000000000ull;
	for (unsigned i = 0; i < KIT_DISCRETE; i++)
		e->field[i] = 1 + check_below(8);
	for (unsigned i = 0; i < KIT_NUMERIC; i++)
		e->measure[i] = kit_value(i);
}

static inline json_t *kit_term(void)
{
	static const char *const op[] = { "eq", "ne", "lt", "le", "gt", "ge" };
	unsigned kind = (unsigned)check_below(10), i;
	__u64 value;
	char text[64];

	if (kind == 9)
		return json_pack("{s:[s, s]}", op[check_below(2)], "hostname", check_below(2) ? "db1" : "db2");
	if (kind >= 5) {
		i = (unsigned)check_below(KIT_DISCRETE);
		snprintf(text, sizeof(text), "%s %llu", kit_discrete[i], (unsigned long long)check_below(10));
		return json_pack("{s:[s, s]}", op[check_below(2)], kit_discrete[i], text);
	}
	i = (unsigned)check_below(KIT_NUMERIC);
	value = kit_value(i);
	if (value > kit_most[i])
		value = kit_most[i];
	return json_pack("{s:[s, I]}", op[check_below(6)], kit_numeric[i], (json_int_t)value);
}

/* Makes a predicate of at most `most` leaves. */
static inline json_t *kit_predicate(unsigned most, unsigned depth)
{
	json_t *list;
	unsigned n;

	if (most < 2 || depth == PREDICATE_DEPTH - 1 || !check_below(8))
		return check_below(20) ? kit_term() : json_object();
	n = 2 + (unsigned)check_below(most - 1 < 6 ? most - 1 : 6);
	list = json_array();
	for (unsigned i = 0; i < n; i++) {
		unsigned share = most - (n - 1 - i);	/* one for each of the others */

		share = 1 + (unsigned)check_below(share);
		json_array_append_new(list, kit_predicate(share, depth + 1));
		most -= share;
	}
	return json_pack("{s:o}", check_below(2) ? "and" : "or", list);
}

static inline int kit_number_holds(const char *op, __u64 value, __u64 constant)
{
	return !strcmp(op, "eq") ? value == constant : !strcmp(op, "ne") ? value != constant :
	       !strcmp(op, "lt") ? value < constant : !strcmp(op, "le") ? value <= constant :
	       !strcmp(op, "gt") ? value > constant : value >= constant;
}

static inline int kit_text_holds(const char *op, const char *field, const char *text, const struct event *e)
{
	char label[64] = "db1";

	for (unsigned i = 0; i < KIT_DISCRETE; i++)
		if (!strcmp(field, kit_discrete[i]))
			kit_label(i, e->field[i], label, sizeof(label));
	return !strcmp(label, text) == !strcmp(op, "eq");
}

static inline int kit_means(const json_t *json, const struct event *e)
{
	const char *op = json_object_iter_key(json_object_iter((json_t *)json));
	const json_t *list = op ? json_object_get(json, op) : NULL;
	const char *field = json_string_value(json_array_get(list, 0));
	const json_t *constant = json_array_get(list, 1);
	int holds = op && !strcmp(op, "and");

	if (!op)
		return 1;
	if (!strcmp(op, "and") || !strcmp(op, "or")) {
		for (size_t i = 0; i < json_array_size(list); i++)
			holds = *op == 'a' ? holds & kit_means(json_array_get(list, i), e) : holds | kit_means(json_array_get(list, i), e);
		return holds;
	}
	if (json_is_string(constant))
		return kit_text_holds(op, field, json_string_value(constant), e);
	for (unsigned i = 0; i < KIT_NUMERIC; i++)
		if (!strcmp(field, kit_numeric[i]))
			holds = kit_number_holds(op, e->measure[i], (__u64)json_integer_value(constant));
	return holds;
}

#endif
