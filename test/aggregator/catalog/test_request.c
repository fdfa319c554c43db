#include "test/kit/wire_kit.h"

#include "aggregator/catalog/request.h"

#include <errno.h>

static struct metric *metric(void)
{
	json_t *json = wire_metric("ok", "");
	struct metric *m;
	char reason[REASON_MAX];

	assert_int_equal(metric_parse(json, &m, reason), 0);
	json_decref(json);
	return m;
}

/* Returns 0, or an error with the sentence in `reason`. */
static int ask(const char *text, struct instrumentation *in, char *numeric, char *reason)
{
	json_t *request = json_loads(text, JSON_DECODE_ANY, NULL);
	struct metric *m = metric();
	const char *module, *stat;
	int err;

	assert_non_null(request);
	reason[0] = 0;
	err = request_metric(request, &module, &stat, reason);
	if (!err)
		err = request_parse(request, m, in, numeric, reason);
	metric_free(m);
	json_decref(request);
	return err;
}

#define Q "{\"module\": \"mysql\", \"stat\": \"queries\""

TEST(absent_properties_have_their_defaults)
{
	struct instrumentation in;
	char numeric[NAME_MAX_LEN], reason[REASON_MAX];

	assert_int_equal(ask(Q "}", &in, numeric, reason), 0);
	assert_int_equal(in.n_fields, 0);
	assert_int_equal(in.n_measures, 1);
	assert_string_equal(in.measure[0], "latency");
	assert_string_equal(numeric, "");
	assert_true(in.granularity_ns == 1000000000);
	assert_int_equal(in.retention_s, 86400);
	assert_int_equal(instrumentation_kept_s(&in, 2), 31536000);
	assert_int_equal(in.ruler_bits, 5);
	assert_int_equal(in.n_keys, 64);
}

TEST(lists_and_numbers_may_be_texts)
{
	struct instrumentation in;
	char numeric[NAME_MAX_LEN], reason[REASON_MAX];

	assert_int_equal(ask(Q ", \"decomposition\": \"statement,cputime\", \"measures\": \"latency,cputime\", "
			     "\"granularity\": \"0.5\", \"retention-time\": \"60\", \"tiers\": \"600,6000\", \"keys\": \"10\", \"predicate\": \"{}\", "
			     "\"enabled\": \"true\"}", &in, numeric, reason), 0);
	assert_string_equal(in.field[0], "statement");
	assert_string_equal(numeric, "cputime");
	assert_int_equal(in.n_measures, 2);
	assert_string_equal(in.measure[0], "cputime");	/* the measure of the decomposition comes first */
	assert_string_equal(in.measure[1], "latency");
	assert_true(in.slot_ns == 500000000);
	assert_int_equal(in.retention_s, 60);
	assert_int_equal(instrumentation_kept_s(&in, 1), 600);
	assert_int_equal(in.n_keys, 10);
}

/* A predicate may be an object, or the text of one: a query string can hold only texts. */
TEST(a_predicate_may_be_a_text)
{
	struct instrumentation object, text;
	char numeric[NAME_MAX_LEN], reason[REASON_MAX];

	assert_int_equal(ask(Q ", \"predicate\": {\"and\": [{\"eq\": [\"command\", \"query\"]}, {\"ge\": [\"latency\", 5]}]}}",
			     &object, numeric, reason), 0);
	assert_int_equal(object.predicate.n_terms, 2);
	assert_int_equal(ask(Q ", \"predicate\": \"{\\\"and\\\": [{\\\"eq\\\": [\\\"command\\\", \\\"query\\\"]}, "
			     "{\\\"ge\\\": [\\\"latency\\\", 5]}]}\"}", &text, numeric, reason), 0);
	assert_memory_equal(&object.predicate, &text.predicate, sizeof(text.predicate));
	assert_int_equal(ask(Q ", \"predicate\": \"\"}", &text, numeric, reason), 0);
	assert_int_equal(text.predicate.n_nodes, 0);
}

TEST(read_only_properties_are_ignored_and_unknown_ones_refused)
{
	struct instrumentation in;
	char numeric[NAME_MAX_LEN], reason[REASON_MAX];

	assert_int_equal(ask(Q ", \"id\": 77, \"crtime\": 5, \"nsources\": 9, \"slots\": 100000}", &in, numeric, reason), 0);
	assert_int_equal(in.id, 0);
	assert_int_equal(in.crtime_ms, 0);
	assert_int_equal(in.n_slots, 12);
	assert_int_equal(ask(Q ", \"granularty\": 5}", &in, numeric, reason), -EINVAL);
	assert_non_null(strstr(reason, "\"granularty\" is unknown"));
	assert_non_null(strstr(reason, "persist-data"));
}

TEST(an_instrumentation_gives_the_request_that_makes_it)
{
	struct instrumentation in, again;
	char numeric[NAME_MAX_LEN], reason[REASON_MAX], *text;
	json_t *request;

	assert_int_equal(ask(Q ", \"decomposition\": \"statement,cputime,command\", \"measures\": \"latency\", \"enabled\": false,"
			     "\"granularity\": 0.05, \"retention-time\": 60, \"keys\": 10, \"ruler-bits\": 2, \"idle-max\": 9}", &in,
			     numeric, reason), 0);
	request = request_of(&in, numeric);
	text = json_dumps(request, 0);
	assert_int_equal(ask(text, &again, numeric, reason), 0);
	assert_memory_equal(&in, &again, sizeof(in));
	assert_string_equal(numeric, "cputime");
	free(text);
	json_decref(request);
}

TEST(refusals_say_what_is_wrong)
{
	static const char *const cases[][2] = {
		{ "[]", "must be given as a JSON object" },
		{ "{\"stat\": \"queries\"}", "missing value for required field: \"module\"" },
		{ "{\"module\": \"mysql\"}", "missing value for required field: \"stat\"" },
		{ "{\"module\": 1, \"stat\": \"queries\"}", "value for field \"module\" is invalid" },
		{ Q ", \"retention-time\": 5}", "value \"5\" for field \"retention-time\" is invalid: minimum is 10" },
		{ Q ", \"retention-time\": \"5\"}", "value \"5\" for field \"retention-time\" is invalid: minimum is 10" },
		{ Q ", \"retention-time\": 31536001}", "maximum is 31536000" },
		{ Q ", \"retention-time\": 60, \"granularity\": 3600}", "shorter than the granularity" },
		{ Q ", \"tiers\": \"60\"}", "value \"60\" for field \"tiers\" is invalid: two whole numbers" },
		{ Q ", \"tiers\": \"60,-60\"}", "two whole numbers" },
		{ Q ", \"tiers\": [60, 60]}", "minimum is 86400, as long as slots are kept" },
		{ Q ", \"granularity\": 0}", "\"granularity\" is invalid" },
		{ Q ", \"granularity\": 0.3}", "\"granularity\" is invalid" },
		{ Q ", \"granularity\": \"fast\"}", "value \"fast\" for field \"granularity\" is invalid: not a number" },
		{ Q ", \"granularity\": true}", "\"granularity\" is invalid: not a number" },
		{ Q ", \"ruler-bits\": 8}", "value \"8\" for field \"ruler-bits\" is invalid: maximum is 7" },
		{ Q ", \"exemplars\": 101}", "value \"101\" for field \"exemplars\" is invalid: maximum is 100" },
		{ Q ", \"keys\": 0}", "value \"0\" for field \"keys\" is invalid: minimum is 1" },
		{ Q ", \"keys\": \"1e300\"}", "\"keys\" is invalid: not a number" },
		{ Q ", \"decomposition\": [\"nonsense\"]}", "fields of mysql.queries are command, statement, latency, cputime" },
		{ Q ", \"decomposition\": [1]}", "entry 0 is not a text" },
		{ Q ", \"decomposition\": {}}", "must be an array of names" },
		{ Q ", \"decomposition\": \"latency,cputime\"}", "more than one numeric decomposition" },
		{ Q ", \"decomposition\": \"command,command\"}", "twice" },
		{ Q ", \"measures\": [\"command\"]}", "not a measure" },
		{ Q ", \"measures\": [\"latency\", \"latency\"]}", "twice" },
		{ Q ", \"predicate\": {\"lt\": [\"command\", \"query\"]}}", "predicate: field \"command\" is discrete" },
		{ Q ", \"predicate\": {\"eq\": [\"colour\", \"red\"]}}", "predicate: \"colour\" is not a field of mysql.queries" },
		{ Q ", \"predicate\": \"{\"}", "predicate: not JSON" },
		{ Q ", \"predicate\": 7}", "predicate: must be a JSON object" },
		{ Q ", \"enabled\": 1}", "\"enabled\" is invalid: must be true or false" },
		{ Q ", \"persist-data\": \"maybe\"}", "\"persist-data\" is invalid: must be true or false" },
	};
	struct instrumentation in;
	char numeric[NAME_MAX_LEN], reason[REASON_MAX];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(ask(cases[i][0], &in, numeric, reason), -EINVAL);
		if (!strstr(reason, cases[i][1]))
			fail_msg("%s says \"%s\", not \"%s\"", cases[i][0], reason, cases[i][1]);
	}
}

TEST_MAIN()
