#include "aggregator/notify/alert_payload.h"
#include "test/kit/check.h"
#include "render/grid/annotation.h"

#include <math.h>

static const struct alert_rule rule = { .name = "slow", .inst = 3, .key = "select", .webhook = "ops" };

static struct alert_payload firing(void)
{
	return (struct alert_payload){ .rule = &rule, .id = 7, .annotation = 9, .metric = "mysql.queries", .measure = "latency", .unit = "ns",
				.sentence = "p99 of latency is 120 ms, above 100 ms", .state = "firing", .value = 1.2e8, .limit = 1e8,
				.from_ns = 1700000000250000000, .to_ns = ANNOTATION_OPEN, .page_url = "https://heat.example" };
}

static void assert_says(json_t *payload, const char *expected)
{
	json_t *json = json_loads(expected, 0, NULL);

	assert_non_null(json);
	if (!json_equal(payload, json))
		fail_msg("it says %s", json_dumps(payload, 0));
	json_decref(json);
	json_decref(payload);
}

TEST(one_that_fires_has_no_end)
{
	struct alert_payload n = firing();

	assert_says(alert_payload_json(&n),
		    "{\"version\": 1, \"status\": \"firing\", \"text\": \"slow: p99 of latency is 120 ms, above 100 ms\", \"alert\": \"7\", \"name\": \"slow\","
		    " \"state\": \"firing\", \"sentence\": \"p99 of latency is 120 ms, above 100 ms\", \"instrumentation\": \"3\", \"metric\": \"mysql.queries\","
		    " \"measure\": \"latency\", \"unit\": \"ns\", \"key\": \"select\", \"value\": 120000000.0, \"limit\": 100000000.0,"
		    " \"from\": \"2023-11-14T22:13:20.250Z\", \"to\": null, \"from_ns\": 1700000000250000000, \"to_ns\": null, \"annotation\": \"9\","
		    " \"link\": \"https://heat.example/#inst=3&duration=900&end=1700000300\"}");
}

TEST(an_ended_one_says_from_when_to_when)
{
	static const struct { const char *state, *text; } cases[] = {
		{ "ok", "slow is over: p99 of latency is 120 ms, above 100 ms" },
		{ "no_data", "slow is not observed any more: p99 of latency is 120 ms, above 100 ms" },
		{ "removed", "slow is removed: p99 of latency is 120 ms, above 100 ms" },
	};

	for (size_t i = 0; i < 3; i++) {
		struct alert_payload n = firing();
		json_t *json;

		n.state = cases[i].state;
		n.to_ns = n.from_ns + 60000000000;
		n.page_url = "";
		n.annotation = 0;
		n.value = NAN;
		json = alert_payload_json(&n);
		assert_string_equal(json_string_value(json_object_get(json, "status")), "resolved");
		assert_string_equal(json_string_value(json_object_get(json, "text")), cases[i].text);
		assert_string_equal(json_string_value(json_object_get(json, "to")), "2023-11-14T22:14:20.250Z");
		assert_true(json_integer_value(json_object_get(json, "to_ns")) == 1700000060250000000);
		assert_true(json_is_null(json_object_get(json, "link")) && json_is_null(json_object_get(json, "annotation")) &&
			    json_is_null(json_object_get(json, "value")));
		json_decref(json);
	}
}

TEST(the_picture_is_base64_or_says_why_there_is_none)
{
	struct alert_payload n = firing();
	json_t *json = alert_payload_json(&n), *picture;

	assert_int_equal(alert_payload_picture(json, "\x89PNG", 4, n.from_ns, n.from_ns + 1000000000, NULL), 0);
	picture = json_incref(json_object_get(json, "picture"));
	assert_says(picture, "{\"type\": \"image/png\", \"from\": \"2023-11-14T22:13:20.250Z\", \"to\": \"2023-11-14T22:13:21.250Z\", \"base64\": \"iVBORw==\"}");
	assert_int_equal(alert_payload_picture(json, NULL, 0, 0, 0, "out of memory"), 0);
	picture = json_incref(json_object_get(json, "picture"));
	assert_says(picture, "{\"reason\": \"out of memory\"}");
	json_decref(json);
}

TEST(a_report_is_sent_as_a_document)
{
	const struct report_payload n = { .report = "nightly", .instrumentation = "queries", .inst = 3, .module = "mysql", .stat = "queries",
					 .from_ns = 1700000000000000000, .to_ns = 1700086400000000000, .page_url = "https://heat.example/",
					 .type = "application/pdf", .data = "%PDF", .len = 4 };

	assert_says(report_payload_json(&n),
		    "{\"version\": 1, \"status\": \"report\", \"text\": \"nightly: queries, 2023-11-14T22:13:20.000Z to 2023-11-15T22:13:20.000Z\","
		    " \"report\": \"nightly\", \"name\": \"queries\", \"instrumentation\": \"3\", \"metric\": \"mysql.queries\","
		    " \"from\": \"2023-11-14T22:13:20.000Z\", \"to\": \"2023-11-15T22:13:20.000Z\", \"from_ns\": 1700000000000000000,"
		    " \"to_ns\": 1700086400000000000, \"link\": \"https://heat.example/#inst=3&duration=86400&end=1700086400\","
		    " \"document\": {\"type\": \"application/pdf\", \"base64\": \"JVBERg==\"}}");
}

TEST_MAIN()
