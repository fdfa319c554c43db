#include "collector/core/instrumentation.h"
#include "test/kit/check.h"

#include <errno.h>

static const struct field fields[] = {
	{ "command", "command", "string", FIELD_DISCRETE, UNIT_NONE, 0, 0 },
	{ "statement", "statement", "string", FIELD_DISCRETE, UNIT_NONE, 0, 0 },
	{ "latency", "latency", "time", FIELD_NUMERIC, UNIT_NS, 10, 39 },
	{ "cputime", "on-CPU time", "time", FIELD_NUMERIC, UNIT_NS, 10, 39 },
};
static const struct metric queries = { "mysql", "queries", "queries", "queries", fields, 4, SCOPE_INTERVAL, NULL, NULL, NULL };

static const struct metric metric_beside = { "mysql", "queries", "queries", "queries", fields, 4, SCOPE_INTERVAL, "cputime", NULL, NULL };

static int parse(const char *text, struct instrumentation *ret, char *reason)
{
	json_t *json = json_loads(text, 0, NULL);
	int err;

	assert_non_null(json);
	reason[0] = 0;
	err = instrumentation_from_json(json, ret, reason);
	json_decref(json);
	return err;
}

static void defaults_are_filled_in(void **state)
{
	struct instrumentation in;
	char reason[REASON_MAX];

	assert_int_equal(parse("{\"module\":\"mysql\",\"stat\":\"queries\",\"measures\":[\"latency\"]}", &in, reason), 0);
	assert_int_equal(in.granularity_ns, 1000000000);
	assert_int_equal(in.slot_ns, 1000000000);
	assert_int_equal(in.retention_s, 86400);
	assert_int_equal(in.minutes_s, 1209600);
	assert_int_equal(in.hours_s, 31536000);
	assert_int_equal(in.ruler_bits, 5);
	assert_int_equal(in.n_keys, 64);
	assert_int_equal(in.n_slots, 12);
	assert_int_equal(instrumentation_bind(&in, &queries, reason), 0);
	assert_int_equal(in.ruler[0], RULER(UNIT_NS, 5, 10, 39));
	assert_int_equal(instrumentation_axis(&in, "latency"), 0);
	assert_int_equal(instrumentation_axis(&in, "cputime"), -ENOENT);
}

#define Q "{\"module\":\"mysql\",\"stat\":\"queries\",\"measures\":[\"latency\"]"

static void each_tier_is_kept_at_least_as_long_as_the_finer_one(void **state)
{
	static const struct { const char *text; __u32 kept[3]; const char *says; } cases[] = {
		{ Q ",\"retention-time\":60}", { 60, 60, 60 }, NULL },	/* nothing is kept longer than requested */
		{ Q ",\"retention-time\":60,\"tiers\":[600,7200]}", { 60, 600, 7200 }, NULL },
		{ Q ",\"tiers\":[86400,315360000]}", { 86400, 86400, 315360000 }, NULL },
		{ Q ",\"retention-time\":60,\"tiers\":[59,7200]}", { 0 }, "value \"59\" for field \"tiers\" is invalid: minimum is 60" },
		{ Q ",\"retention-time\":60,\"tiers\":[600,599]}", { 0 }, "minimum is 600, as long as minutes are kept" },
		{ Q ",\"tiers\":[86400,315360001]}", { 0 }, "maximum is 315360000" },
		{ Q ",\"tiers\":[86400]}", { 0 }, "two whole numbers" },
		{ Q ",\"tiers\":[86400,1e9]}", { 0 }, "two whole numbers" },
		{ Q ",\"tiers\":7}", { 0 }, "two whole numbers" },
	};
	struct instrumentation in;
	char reason[REASON_MAX];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(parse(cases[i].text, &in, reason), cases[i].says ? -EINVAL : 0);
		if (cases[i].says)
			assert_non_null(strstr(reason, cases[i].says));
		for (int tier = 0; tier < 3 && !cases[i].says; tier++)
			assert_int_equal(instrumentation_kept_s(&in, tier), cases[i].kept[tier]);
	}
}

static void json_comes_back_the_same(void **state)
{
	struct instrumentation in, back;
	char reason[REASON_MAX];
	json_t *json;

	assert_int_equal(parse("{\"id\":7,\"module\":\"mysql\",\"stat\":\"queries\",\"fields\":[\"statement\",\"command\"],"
			       "\"measures\":[\"latency\",\"cputime\"],\"weights\":[\"latency\",\"cputime\"],\"granularity\":0.25,\"retention-time\":60,"
			       "\"ruler-bits\":7,\"keys\":10,\"slots\":20,\"crtime\":1700000000000,"
			       "\"predicate\":{\"and\":[{\"eq\":[\"command\",\"query\"]},{\"ge\":[\"latency\",5000000]}]},"
			       "\"enabled\":false}",
			       &in, reason), 0);
	assert_int_equal(in.predicate.n_terms, 2);
	json = instrumentation_to_json(&in);
	assert_int_equal(instrumentation_from_json(json, &back, reason), 0);
	assert_memory_equal(&in, &back, sizeof(in));
	assert_int_equal(in.slot_ns, 250000000);
	json_decref(json);
}

static void longer_granularity_keeps_one_second_slots(void **state)
{
	struct instrumentation in;
	char reason[REASON_MAX];

	assert_int_equal(parse("{\"module\":\"mysql\",\"stat\":\"queries\",\"granularity\":60}", &in, reason), 0);
	assert_int_equal(in.granularity_ns, 60000000000);
	assert_int_equal(in.slot_ns, 1000000000);
}

static void refuses_with_the_reason(void **state)
{
	static const struct { const char *json, *reason; } bad[] = {
		{ "[]", "must be a JSON object" },
		{ "{\"stat\":\"queries\"}", "missing value for required field: \"module\"" },
		{ "{\"module\":\"mysql\"}", "missing value for required field: \"stat\"" },
		{ "{\"module\":\"mysql\",\"stat\":1}", "\"stat\" must be a text" },
		{ "{\"module\":\"m\",\"stat\":\"q\",\"retention-time\":5}",
		  "value \"5\" for field \"retention-time\" is invalid: minimum is 10" },
		{ "{\"module\":\"m\",\"stat\":\"q\",\"ruler-bits\":8}", "maximum is 7" },
		{ "{\"module\":\"m\",\"stat\":\"q\",\"ruler-bits\":\"5\"}", "\"ruler-bits\" must be a whole number" },
		{ "{\"module\":\"m\",\"stat\":\"q\",\"granularity\":0.3}", "a whole part of one" },
		{ "{\"module\":\"m\",\"stat\":\"q\",\"granularity\":1.5}", "whole seconds" },
		{ "{\"module\":\"m\",\"stat\":\"q\",\"granularity\":0}", "0.01 to 3600" },
		{ "{\"module\":\"m\",\"stat\":\"q\",\"fields\":[\"a\",\"a\"]}", "names \"a\" twice" },
		{ "{\"module\":\"m\",\"stat\":\"q\",\"fields\":[1]}", "not a name" },
		{ "{\"module\":\"m\",\"stat\":\"q\",\"weights\":\"io\"}", "field \"weights\" must be an array of names" },
		{ "{\"module\":\"m\",\"stat\":\"q\",\"weights\":[\"io\",\"io\"]}", "names \"io\" twice" },
		{ "{\"module\":\"m\",\"stat\":\"q\",\"measures\":[\"l\"],\"weights\":[\"a\",\"b\",\"c\",\"d\",\"e\",\"f\",\"g\",\"h\","
		  "\"i\",\"j\",\"k\",\"m\",\"n\",\"o\",\"p\",\"q\"]}", "has 16 names in addition to \"l\": maximum is 15" },
		{ "{\"module\":\"m\",\"stat\":\"q\",\"fields\":[\"a\",\"b\",\"c\",\"d\",\"e\"]}", "maximum is 4" },
		{ "{\"module\":\"m\",\"stat\":\"q\",\"predicate\":{\"is\":[\"a\",\"b\"]}}", "predicate: \"is\" is not an operator" },
	};
	struct instrumentation in;
	char reason[REASON_MAX];

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_equal(parse(bad[i].json, &in, reason), -EINVAL);
		if (!strstr(reason, bad[i].reason))
			fail_msg("%s: \"%s\" does not say \"%s\"", bad[i].json, reason, bad[i].reason);
	}
}

static void the_first_measure_is_the_first_weight(void **state)
{
	static const struct { const char *weights; size_t n; const char *weight[3]; } cases[] = {
		{ "[]", 0, { NULL } },
		{ "[\"latency\"]", 1, { "latency" } },
		{ "[\"io\",\"cputime\"]", 3, { "latency", "io", "cputime" } },
		{ "[\"io\",\"cputime\",\"latency\"]", 3, { "latency", "io", "cputime" } },
	};
	char text[256], reason[REASON_MAX];
	struct instrumentation in;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		snprintf(text, sizeof(text), Q ",\"weights\":%s}", cases[i].weights);
		assert_int_equal(parse(text, &in, reason), 0);
		assert_int_equal(in.n_weights, cases[i].n);
		for (size_t w = 0; w < in.n_weights; w++) {
			assert_string_equal(in.weight[w], cases[i].weight[w]);
			assert_int_equal(instrumentation_weight(&in, in.weight[w]), w + 1);
		}
		assert_int_equal(instrumentation_weight(&in, "net"), -ENOENT);
	}
}

static void weights_are_the_first_measure_and_its_parts(void **state)
{
	static const struct metric split = { "mysql", "queries", "queries", "queries", fields, 4, SCOPE_INTERVAL, NULL, "cputime", NULL };
	static const struct metric states = { "mysql", "queries", "queries", "queries", fields, 4, SCOPE_POINT, NULL, NULL, NULL };
	static const struct { const char *measure, *weight; const struct metric *metric; const char *says; } cases[] = {
		{ "latency", "cputime", &split, NULL },
		{ "latency", "latency", &split, NULL },
		{ "cputime", "cputime", &queries, NULL },
		{ "latency", "cputim", &split, "\"cputim\" is not a weight; the weights are latency and its parts: cputime" },
		{ "latency", "statement", &split, "\"statement\" is not a weight; the weights are latency and its parts: cputime" },
		{ "latency", "cputime", &queries, "\"cputime\" is not a weight; the weights are latency" },
		{ "cputime", "latency", &split, "\"latency\" is not a weight; the weights are cputime" },
		{ "latency", "latency", &states, "mysql.queries has no events, so it has no weights" },
	};
	char text[256], reason[REASON_MAX];
	struct instrumentation in;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		snprintf(text, sizeof(text), "{\"module\":\"mysql\",\"stat\":\"queries\",\"measures\":[\"%s\"],\"weights\":[\"%s\"]}",
			 cases[i].measure, cases[i].weight);
		assert_int_equal(parse(text, &in, reason), 0);
		assert_int_equal(instrumentation_bind(&in, cases[i].metric, reason), cases[i].says ? -EINVAL : 0);
		assert_string_equal(reason, cases[i].says ?: "");
		if (!cases[i].says)
			assert_int_equal(in.weight_ruler, RULER(UNIT_NS, 3, 10, 39));
	}
}

static void a_refused_binding_names_the_fields_of_the_metric(void **state)
{
	struct instrumentation in;
	char reason[REASON_MAX];

	parse("{\"module\":\"mysql\",\"stat\":\"queries\",\"fields\":[\"digest\"],\"measures\":[\"latency\"]}", &in, reason);
	assert_int_equal(instrumentation_bind(&in, &queries, reason), -EINVAL);
	assert_string_equal(reason, "\"digest\" is not a discrete field of mysql.queries; it has: command, statement");
	parse("{\"module\":\"mysql\",\"stat\":\"queries\",\"measures\":[\"statement\"]}", &in, reason);
	assert_int_equal(instrumentation_bind(&in, &queries, reason), -EINVAL);
	assert_string_equal(reason, "\"statement\" is not a measure of mysql.queries; it has: latency, cputime");
	parse("{\"module\":\"mysql\",\"stat\":\"queries\"}", &in, reason);
	assert_int_equal(instrumentation_bind(&in, &queries, reason), -EINVAL);
	parse("{\"module\":\"mysql\",\"stat\":\"queries\",\"measures\":[\"cputime\",\"latency\"]}", &in, reason);
	assert_int_equal(instrumentation_bind(&in, &metric_beside, reason), -EINVAL);
	assert_string_equal(reason, "cputime cannot be the first measure: it is reported in addition to the measures of events");
	parse("{\"module\":\"mysql\",\"stat\":\"queries\",\"measures\":[\"latency\"],"
	      "\"predicate\":{\"gt\":[\"command\",\"query\"]}}", &in, reason);
	assert_int_equal(instrumentation_bind(&in, &queries, reason), -EINVAL);
	assert_string_equal(reason, "predicate: field \"command\" is discrete: only eq and ne are possible, not gt");
}

static void exemplars_are_the_worst_by_a_time(void **state)
{
	static const struct field some[] = {
		{ "digest", "digest", "string", FIELD_DISCRETE, 0, 0, 0 },
		{ "latency", "latency", "time", FIELD_NUMERIC, UNIT_NS, 10, 39 },
		{ "rows", "rows", "number", FIELD_NUMERIC, UNIT_NONE, 0, 20 },
	};
	static const struct metric statements = { "mysql", "queries", "queries", "queries", some, 3, SCOPE_INTERVAL, NULL, NULL, "digest" };
	struct instrumentation in;
	char reason[REASON_MAX];

	parse("{\"module\":\"mysql\",\"stat\":\"queries\",\"measures\":[\"latency\"],\"exemplars\":100}", &in, reason);
	assert_int_equal(in.n_exemplars, 100);
	assert_int_equal(instrumentation_bind(&in, &statements, reason), 0);
	assert_int_equal(instrumentation_bind(&in, &queries, reason), -EINVAL);
	assert_string_equal(reason, "single events of mysql.queries are not kept: exemplars must be 0");
	parse("{\"module\":\"mysql\",\"stat\":\"queries\",\"measures\":[\"rows\",\"latency\"],\"exemplars\":1}", &in, reason);
	assert_int_equal(instrumentation_bind(&in, &statements, reason), -EINVAL);
	assert_string_equal(reason, "exemplars are the worst by the first measure, which must be a time: rows is not a time");
}

/* More steps than values would give cells that always stay empty. */
static void binding_gives_no_more_bits_than_the_range(void **state)
{
	static const struct field few[] = {
		{ "count", "events", "number", FIELD_NUMERIC, UNIT_NONE, 0, 1 },
		{ "share", "share", "percent", FIELD_NUMERIC, UNIT_PERCENT, 0, 4 },
	};
	static const struct metric forks = { "proc", "forks", "forks", "forks", few, 2, SCOPE_INTERVAL, NULL, NULL, NULL };
	struct instrumentation in;
	char reason[REASON_MAX];

	parse("{\"module\":\"proc\",\"stat\":\"forks\",\"measures\":[\"count\",\"share\"],\"ruler-bits\":7}", &in, reason);
	assert_int_equal(instrumentation_bind(&in, &forks, reason), 0);
	assert_int_equal(in.ruler[0], RULER_OF(RULER_LINEAR_START, UNIT_NONE, 0, 0, 1));
	assert_int_equal(ruler_cells(in.ruler[0]), 3);
	assert_int_equal(in.ruler[1], RULER_OF(RULER_LINEAR_START, UNIT_PERCENT, 3, 3, 4));
	assert_true(ruler_valid(in.ruler[0]) && ruler_valid(in.ruler[1]));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(defaults_are_filled_in),
	cmocka_unit_test(each_tier_is_kept_at_least_as_long_as_the_finer_one),
	cmocka_unit_test(json_comes_back_the_same),
	cmocka_unit_test(longer_granularity_keeps_one_second_slots),
	cmocka_unit_test(refuses_with_the_reason),
	cmocka_unit_test(the_first_measure_is_the_first_weight),
	cmocka_unit_test(weights_are_the_first_measure_and_its_parts),
	cmocka_unit_test(a_refused_binding_names_the_fields_of_the_metric),
	cmocka_unit_test(binding_gives_no_more_bits_than_the_range),
	cmocka_unit_test(exemplars_are_the_worst_by_a_time),
};

CHECK_MAIN(tests)
