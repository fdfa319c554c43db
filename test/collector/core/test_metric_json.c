#include "collector/core/metric_json.h"
#include "test/kit/sample_kit.h"

#include <errno.h>

static void a_metric_comes_back_as_it_was(void **state)
{
	json_t *json = metric_json_make(&sample_metric, NULL);
	struct metric m;
	char reason[REASON_MAX] = "";

	assert_string_equal(json_string_value(json_object_get(json, "state")), "ok");
	if (metric_json_read(json, &m, reason))
		fail_msg("%s", reason);
	assert_string_equal(m.module, "mysql");
	assert_string_equal(m.stat, "queries");
	assert_string_equal(m.label, "queries");
	assert_string_equal(m.unit, "queries");
	assert_int_equal(m.scope, SCOPE_INTERVAL);
	assert_int_equal(m.n_fields, sample_metric.n_fields);
	for (size_t i = 0; i < m.n_fields; i++) {
		assert_string_equal(m.field[i].name, sample_fields[i].name);
		assert_string_equal(m.field[i].label, sample_fields[i].label);
		assert_string_equal(m.field[i].type, sample_fields[i].type);
		assert_int_equal(m.field[i].arity, sample_fields[i].arity);
		assert_int_equal(m.field[i].unit, sample_fields[i].unit);
		assert_int_equal(m.field[i].low, sample_fields[i].low);
		assert_int_equal(m.field[i].high, sample_fields[i].high);
	}
	metric_json_fini(&m);
	json_decref(json);
}

static void a_scope_comes_back_and_is_interval_by_default(void **state)
{
	struct metric point = sample_metric, m;
	char reason[REASON_MAX] = "";
	json_t *json;

	point.scope = SCOPE_POINT;
	json = metric_json_make(&point, NULL);
	assert_string_equal(json_string_value(json_object_get(json, "scope")), "point");
	assert_int_equal(metric_json_read(json, &m, reason), 0);
	assert_int_equal(m.scope, SCOPE_POINT);
	metric_json_fini(&m);
	json_object_del(json, "scope");
	assert_int_equal(metric_json_read(json, &m, reason), 0);
	assert_int_equal(m.scope, SCOPE_INTERVAL);
	metric_json_fini(&m);
	json_decref(json);
}

static void a_point_among_events_comes_back_and_must_be_numeric(void **state)
{
	struct metric events = sample_metric, m;
	char reason[REASON_MAX] = "";
	json_t *json;

	events.point = "latency";
	json = metric_json_make(&events, NULL);
	assert_int_equal(metric_json_read(json, &m, reason), 0);
	assert_int_equal(metric_measure_scope(&m, "latency"), SCOPE_POINT);
	assert_int_equal(metric_measure_scope(&m, "cputime"), SCOPE_INTERVAL);
	metric_json_fini(&m);
	json_object_set_new(json, "point", json_string("statement"));
	assert_int_equal(metric_json_read(json, &m, reason), -EINVAL);
	assert_string_equal(reason, "a metric's \"point\" must be one of its numeric fields");
	json_object_set_new(json, "point", json_integer(3));
	assert_int_equal(metric_json_read(json, &m, reason), -EINVAL);
	json_decref(json);
}

static void parts_come_back_and_must_be_measures_but_the_first(void **state)
{
	static const char *const bad[] = {
		"[\"latency\"]", "[\"statement\"]", "[\"cputime\", \"latency\"]", "[\"cputime\", \"cputime\"]", "[\"colour\"]", "[\"cputime\", 7]",
		"[\"cputime\", \"cputime\", \"cputime\", \"cputime\", \"cputime\", \"cputime\", \"cputime\"]", "[]", "{}", "\"latency\"", "\"\"",
	};
	struct metric events = sample_metric, m;
	char reason[REASON_MAX] = "";
	json_t *json;

	events.parts = "cputime";
	json = metric_json_make(&events, NULL);
	assert_int_equal(metric_json_read(json, &m, reason), 0);
	assert_string_equal(m.parts, "cputime");
	assert_true(metric_is_part(&m, "cputime") && !metric_is_part(&m, "cpu") && !metric_is_part(&m, "latency"));
	metric_json_fini(&m);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		json_object_set_new(json, "parts", json_loads(bad[i], JSON_DECODE_ANY, NULL));
		assert_int_equal(metric_json_read(json, &m, reason), -EINVAL);
		assert_string_equal(reason, "a metric's \"parts\" must be a list of numeric fields of it, but not the first");
	}
	json_decref(json);
}

static void parts_keep_the_order_of_the_metric_and_not_of_its_fields(void **state)
{
	struct field fields[7] = { [6] = { "runqwait", "run-queue wait", "time", FIELD_NUMERIC, UNIT_NS, 10, 39 } };
	struct metric events = sample_metric, m;
	char reason[REASON_MAX] = "";
	json_t *json;

	memcpy(fields, sample_fields, sizeof(sample_fields));
	events.field = fields;
	events.n_fields = 7;
	events.parts = "runqwait cputime";
	json = metric_json_make(&events, NULL);
	assert_int_equal(metric_json_read(json, &m, reason), 0);
	assert_string_equal(m.parts, "runqwait cputime");
	metric_json_fini(&m);
	json_decref(json);
}

static void parts_of_a_store_from_before_they_were_a_list_are_read(void **state)
{
	struct metric m;
	char reason[REASON_MAX] = "";
	json_t *json = metric_json_make(&sample_metric, NULL);

	json_object_set_new(json, "parts", json_string("cputime"));
	assert_int_equal(metric_json_read(json, &m, reason), 0);
	assert_string_equal(m.parts, "cputime");
	metric_json_fini(&m);
	json_decref(json);
}

static void the_field_of_single_events_comes_back_and_must_be_discrete(void **state)
{
	char reason[REASON_MAX] = "";
	json_t *json = metric_json_make(&sample_metric, NULL);
	struct metric m;

	assert_int_equal(metric_json_read(json, &m, reason), 0);
	assert_string_equal(m.text, "digest");
	metric_json_fini(&m);
	json_object_set_new(json, "text", json_string("latency"));
	assert_int_equal(metric_json_read(json, &m, reason), -EINVAL);
	assert_string_equal(reason, "a metric's \"text\" must be one of its discrete fields");
	json_object_del(json, "text");
	assert_int_equal(metric_json_read(json, &m, reason), 0);
	assert_null(m.text);
	metric_json_fini(&m);
	json_decref(json);
}

static void a_refused_metric_says_why(void **state)
{
	json_t *json = metric_json_make(&sample_metric, "CAP_BPF is missing");

	assert_string_equal(json_string_value(json_object_get(json, "state")), "refused");
	assert_string_equal(json_string_value(json_object_get(json, "reason")), "CAP_BPF is missing");
	json_decref(json);
}

#define HEAD "{\"module\":\"m\",\"stat\":\"s\",\"label\":\"l\",\"unit\":\"u\",\"fields\":"
#define FIELD "{\"name\":\"f\",\"label\":\"f\",\"type\":\"time\",\"arity\":"

static void refuses_json_that_is_not_a_metric(void **state)
{
	static const struct { const char *json, *why; } cases[] = {
		{ "[]", "module" },
		{ "{\"module\":7}", "module" },
		{ "{\"module\":\"a name longer than any metric's module may be\"}", "module" },
		{ "{\"module\":\"m\",\"stat\":\"s\",\"label\":\"\",\"unit\":\"u\"}", "label" },
		{ "{\"module\":\"m\",\"stat\":\"s\",\"label\":\"l\",\"unit\":\"u\",\"scope\":\"both\"}", "scope" },
		{ "{\"module\":\"m\",\"stat\":\"s\",\"label\":\"l\",\"unit\":\"u\",\"scope\":7}", "scope" },
		{ HEAD "7}", "fields" },
		{ HEAD "[7]}", "name" },
		{ HEAD "[" FIELD "\"both\"}]}", "discrete or numeric" },
		{ HEAD "[" FIELD "\"numeric\"}]}", "low and high" },
		{ HEAD "[" FIELD "\"numeric\",\"unit\":\"miles\",\"low\":1,\"high\":2}]}", "low and high" },
		{ HEAD "[" FIELD "\"numeric\",\"unit\":\"ns\",\"low\":2,\"high\":2}]}", "low and high" },
		{ HEAD "[" FIELD "\"numeric\",\"unit\":\"ns\",\"low\":-1,\"high\":2}]}", "low and high" },
		{ HEAD "[" FIELD "\"numeric\",\"unit\":\"ns\",\"low\":1,\"high\":64}]}", "low and high" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		json_t *json = json_loads(cases[i].json, 0, NULL);
		char reason[REASON_MAX] = "";
		struct metric m;

		assert_non_null(json);
		assert_int_equal(metric_json_read(json, &m, reason), -EINVAL);
		if (!strstr(reason, cases[i].why))
			fail_msg("case %zu: \"%s\" does not say \"%s\"", i, reason, cases[i].why);
		json_decref(json);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_metric_comes_back_as_it_was),
		cmocka_unit_test(a_scope_comes_back_and_is_interval_by_default),
		cmocka_unit_test(a_point_among_events_comes_back_and_must_be_numeric),
		cmocka_unit_test(parts_come_back_and_must_be_measures_but_the_first),
		cmocka_unit_test(parts_keep_the_order_of_the_metric_and_not_of_its_fields),
		cmocka_unit_test(parts_of_a_store_from_before_they_were_a_list_are_read),
		cmocka_unit_test(the_field_of_single_events_comes_back_and_must_be_discrete),
		cmocka_unit_test(a_refused_metric_says_why),
		cmocka_unit_test(refuses_json_that_is_not_a_metric),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	check_seed();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
