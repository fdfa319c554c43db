#include "test/kit/check.h"
#include "test/kit/server_kit.h"

#include <stdio.h>

#define SLOT 1000000000ll
#define BASE "/ca/instrumentations/1/value/explain"
#define SLOTS 20

static struct server server;
static __s64 t0;

/* Twenty slots: about 100 selects of 1 ms, some of 60 ms; 20 inserts of 1 ms, half of them of 60 ms in the last ten;
 * then nothing for a while. */
static int start(void **state)
{
	server_start(&server, true);
	server_collector(&server, "db1");
	assert_int_equal(server_create(&server), 1);
	t0 = now_ns() / SLOT - 60;
	for (__s64 i = 0; i < SLOTS; i++) {
		server_batch(&server, "db1", 1, t0 + i, "select", 1000000, 95 + (unsigned)(i * 7 % 11));
		server_batch(&server, "db1", 1, t0 + i, "select", 60000000, 1 + i % 2);
		server_batch(&server, "db1", 1, t0 + i, "insert", 1000000, i < 10 ? 20 : 10);
		if (i >= 10)
			server_batch(&server, "db1", 1, t0 + i, "insert", 60000000, 10);
	}
	server_batch(&server, "db1", 1, t0 + SLOTS, "select", 1000000, 0);
	return 0;
}

static int stop(void **state)
{
	server_stop(&server);
	return 0;
}

static json_t *explain(int from, int to, const char *more)
{
	char path[512];

	snprintf(path, sizeof(path), BASE "?start_time=%lld&end_time=%lld%s", (long long)t0 + from, (long long)t0 + to, more);
	return get_json(&server, path);
}

static const json_t *nth(const json_t *reply, const char *list, size_t i)
{
	return json_array_get(json_object_get(reply, list), i);
}

static double number(const json_t *json, const char *name) { return json_number_value(json_object_get(json, name)); }
static const char *text(const json_t *json, const char *name) { return json_string_value(json_object_get(json, name)) ?: ""; }

TEST(the_value_that_is_slow_comes_first)
{
	json_t *reply = explain(10, 20, "&ymin=10000000");
	const json_t *first = nth(reply, "values", 0), *second = nth(reply, "values", 1);

	assert_string_equal(text(first, "field"), "statement");
	assert_string_equal(text(first, "value"), "insert");
	assert_true(json_is_true(json_object_get(first, "significant")));
	assert_int_equal(number(first, "inside"), 100);
	assert_int_equal(number(first, "outside"), 100);
	assert_int_equal(number(json_object_get(reply, "inside"), "count"), 115);
	assert_true(number(first, "inside_share") > 0.86 && number(first, "outside_share") < 0.1);
	assert_true(number(first, "excess") > 85 && number(first, "sum_excess") > 85 * 55e6);
	assert_string_equal(text(second, "value"), "select");
	assert_true(number(second, "excess") + number(first, "excess") < 1e-6);
	assert_non_null(strstr(text(reply, "sentence"), "87 % of the 115 queries inside have statement = insert, of those outside 9"));
	assert_int_equal(number(reply, "blocks"), 10);
	assert_int_equal(number(reply, "tests"), 4);		/* two values; cputime by key and by time */
	assert_int_equal(number(reply, "lost"), 0);
	assert_int_equal(number(reply, "minreporting"), 1);
	assert_int_equal(number(reply, "tier"), 1);
	assert_null(json_object_get(reply, "sampled"));
	json_decref(reply);
}

TEST(measures_are_compared_by_key_and_by_time)
{
	json_t *reply = explain(10, 20, "&ymin=10000000");
	const json_t *measure;
	size_t i;

	assert_int_equal(json_array_size(json_object_get(reply, "measures")), 2);
	json_array_foreach(json_object_get(reply, "measures"), i, measure) {
		assert_string_equal(text(measure, "measure"), "cputime");
		assert_string_equal(text(measure, "unit"), "ns");
		if (!strcmp(text(measure, "by"), "key"))
			assert_true(number(measure, "inside_mean") > 2 * number(measure, "outside_mean"));
	}
	json_decref(reply);
}

TEST(edges_are_those_of_whole_buckets)
{
	json_t *reply = explain(0, 20, "&ymin=10000000&ymax=61000000");

	assert_true(number(reply, "ymin") <= 10000000 && number(reply, "ymin") > 9.6e6);
	assert_true(number(reply, "ymax") >= 61000000 && number(reply, "ymax") < 63e6);
	assert_int_equal(number(reply, "requested_ymin"), 10000000);
	assert_int_equal(number(reply, "requested_ymax"), 61000000);
	json_decref(reply);
	reply = explain(0, 20, "");
	assert_true(json_is_null(json_object_get(reply, "ymax")) && json_is_null(json_object_get(reply, "requested_ymax")));
	json_decref(reply);
}

TEST(a_baseline_is_read_and_reported)
{
	char more[128];
	json_t *reply;
	const json_t *baseline;

	snprintf(more, sizeof(more), "&ymin=10000000&baseline_start=%lld&baseline_end=%lld", (long long)t0, (long long)t0 + 15);
	reply = explain(10, 20, more);
	baseline = json_object_get(reply, "baseline");
	assert_int_equal(number(baseline, "start_time"), t0);
	assert_int_equal(number(baseline, "end_time"), t0 + 15);
	assert_int_equal(number(baseline, "minreporting"), 1);
	assert_int_equal(number(reply, "blocks"), 20);		/* slots in both count once */
	assert_int_equal(number(json_object_get(reply, "inside"), "count"), 115);
	assert_string_equal(text(nth(reply, "values", 0), "value"), "insert");
	json_decref(reply);
}

TEST(a_missing_result_is_explained_in_a_sentence)
{
	static const struct { int from, to; const char *more, *says; } cases[] = {
		{ 30, 40, "", "this time was not observed: no collector reported in it" },
		{ 20, 21, "", "there are no events in this time" },
		{ 0, 20, "&ymin=100000000000", "no event is inside the rectangle" },
		{ 0, 20, "", "every event is inside the rectangle" },
		{ 12, 13, "&ymin=10000000", "all events are in one block of time" },
		{ 0, 2, "&ymin=10000000", "no value of a field is more frequent" },
		{ 0, 10, "&ymin=10000000&selected=select", "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		json_t *reply = explain(cases[i].from, cases[i].to, cases[i].more);

		if (strncmp(text(reply, "sentence"), cases[i].says, strlen(cases[i].says)))
			fail_msg("%s instead of %s", text(reply, "sentence"), cases[i].says);
		assert_null(strstr(text(reply, "sentence"), "nan"));
		json_decref(reply);
	}
}

TEST(only_the_top_values_are_listed)
{
	json_t *reply = explain(10, 20, "&ymin=10000000&top=1");

	assert_int_equal(json_array_size(json_object_get(reply, "values")), 1);
	assert_int_equal(number(reply, "nvalues"), 2);
	json_decref(reply);
}

TEST(it_is_posted_as_a_body_or_asked_for)
{
	char body[512], query[256];
	struct answer by_json, by_form, asked;

	snprintf(body, sizeof(body), "{\"start_time\": %lld, \"end_time\": %lld, \"ymin\": 10000000}", (long long)t0 + 10, (long long)t0 + 20);
	by_json = ask(&server, "POST", BASE, "Content-Type: application/json\r\n", body);
	snprintf(query, sizeof(query), "start_time=%lld&end_time=%lld&ymin=10000000", (long long)t0 + 10, (long long)t0 + 20);
	by_form = ask(&server, "POST", BASE, "Content-Type: application/x-www-form-urlencoded\r\n", query);
	snprintf(body, sizeof(body), BASE "?%s", query);
	asked = ask(&server, "GET", body, NULL, NULL);
	assert_int_equal(by_json.status, 200);
	assert_string_equal(by_json.body, by_form.body);
	assert_string_equal(by_json.body, asked.body);
	answer_fini(&by_json);
	answer_fini(&by_form);
	answer_fini(&asked);
}

TEST(refusals_say_why)
{
	static const struct { const char *body; int status; const char *says; } cases[] = {
		{ "{\"ymin\": 5, \"ymax\": 5}", 409, "ymin must be less than ymax" },
		{ "{\"ymin\": -1}", 409, "minimum is 0" }, { "{\"ymin\": \"slow\"}", 409, "not a number" },
		{ "{\"measure\": \"length\"}", 409, "instrumentation 1 has" }, { "{\"top\": 0}", 409, "minimum is 1" },
		{ "{\"baseline_start\": 5}", 409, "baseline_start and baseline_end must both be given" },
		{ "{\"baseline_start\": 9, \"baseline_end\": 5}", 409, "baseline: end_time must be after start_time" },
		{ "{\"rectangle\": 1}", 409, "unknown" }, { "{", 409, "" }, { "[]", 409, "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct answer a = ask(&server, "POST", BASE, "Content-Type: application/json\r\n", cases[i].body);

		if (a.status != cases[i].status || !strstr(a.body, cases[i].says))
			fail_msg("%s: %d %s", cases[i].body, a.status, a.body);
		answer_fini(&a);
	}
}

TEST(a_baseline_within_the_time_is_refused)
{
	char path[256];
	struct answer a;

	snprintf(path, sizeof(path), BASE "?start_time=%lld&duration=20&baseline_start=%lld&baseline_end=%lld", (long long)t0,
		 (long long)t0 + 5, (long long)t0 + 10);
	a = ask(&server, "GET", path, NULL, NULL);
	assert_int_equal(a.status, 409);
	assert_non_null(strstr(a.body, "baseline: it lies within the time of the rectangle"));
	answer_fini(&a);
}

TEST_MAIN_WITH(start, stop)
