/* Tests values of a point metric in replies: means over the slots that were observed. */
#include "test/kit/check.h"
#include "test/kit/server_kit.h"

#include <stdio.h>

#define SLOT 1000000000ll
#define VALUE "/ca/instrumentations/1/value/"

static struct server server;
static __s64 t0;

/* Slots 0..9 of `a`: two threads of 1 ms in each; of `b`: one of 4 ms, in slots 0..3 only.  No source reports slots 5
 * and 6, so there are eight snapshots. */
static int start(void **state)
{
	struct answer a;

	server_start(&server, true);
	server_collector(&server, "db1");
	a = ask(&server, "POST", "/ca/instrumentations", NULL,
		"{\"module\": \"mysql\", \"stat\": \"threads\", \"decomposition\": [\"statement\"], \"measures\": [\"latency\", \"cputime\"]}");
	assert_int_equal(a.status, 201);
	answer_fini(&a);
	t0 = now_ns() / SLOT - 30;
	for (__s64 i = 0; i < 10; i++) {
		if (i == 5 || i == 6)
			continue;
		server_batch(&server, "db1", 1, t0 + i, "a", 1000000, 2);
		server_batch(&server, "db1", 1, t0 + i, "b", 4000000, i < 4);
	}
	return 0;
}

static int stop(void **state)
{
	server_stop(&server);
	return 0;
}

static json_t *value(const char *what, const char *parameters)
{
	char path[256];

	snprintf(path, sizeof(path), VALUE "%s?start_time=%lld&duration=10%s", what, (long long)t0, parameters);
	return get_json(&server, path);
}

static double number(const json_t *json, const char *name)
{
	assert_non_null(json_object_get(json, name));
	return json_number_value(json_object_get(json, name));
}

TEST(every_reply_names_the_scope)
{
	json_t *in = get_json(&server, "/ca/instrumentations/1"), *v = value("raw", "");

	assert_string_equal(json_string_value(json_object_get(in, "value-scope")), "point");
	assert_string_equal(json_string_value(json_object_get(v, "scope")), "point");
	assert_string_equal(json_string_value(json_object_get(v, "unit")), "ns");
	assert_int_equal(number(v, "snapshots"), 8);
	json_decref(in);
	json_decref(v);
}

TEST(raw_is_how_many_there_were)
{
	json_t *v = value("raw", "&stats=true"), *stats = json_object_get(v, "stats"), *b;

	assert_true(number(json_object_get(v, "value"), "a") == 2);
	assert_true(number(json_object_get(v, "value"), "b") == 0.5);
	b = json_object_get(stats, "b");
	assert_true(number(b, "count") == 0.5);
	assert_true(number(b, "sum") == 2000000);
	assert_true(number(b, "mean") == 4000000);
	assert_true(number(b, "max") == 4000000);
	assert_true(number(json_object_get(stats, "a"), "sum") == 2000000);
	json_decref(v);
}

TEST(columns_are_means_whatever_their_length)
{
	json_t *fine = value("grid", "&ncols=10"), *coarse = value("grid", "&ncols=1"), *c;

	assert_int_equal(json_array_size(json_object_get(fine, "columns")), 10);
	c = json_array_get(json_object_get(fine, "columns"), 0);
	assert_true(number(c, "count") == 3 && number(c, "sum") == 6000000 && number(c, "snapshots") == 1);
	c = json_array_get(json_object_get(fine, "columns"), 5);
	assert_true(number(c, "count") == 0 && number(c, "snapshots") == 0);
	assert_string_equal(json_string_value(json_object_get(c, "state")), "unobserved");
	c = json_array_get(json_object_get(coarse, "columns"), 0);
	assert_true(number(c, "count") == 2.5 && number(c, "sum") == 4000000 && number(c, "snapshots") == 8);
	assert_true(number(json_object_get(coarse, "summary"), "count") == 2.5);
	assert_true(number(json_object_get(fine, "summary"), "count") == 2.5);
	json_decref(fine);
	json_decref(coarse);
}

TEST(a_cells_keys_add_up_to_it)
{
	json_t *v = value("heatmap/details", "&ymin=0&ymax=10000000&nbuckets=1&width=10&height=10&x=5&y=5"), *present;

	present = json_object_get(v, "present");
	assert_int_equal(number(v, "bucket_duration"), 1);		/* one slot: the sixth */
	assert_int_equal(json_object_size(present), 0);
	json_decref(v);
	v = value("heatmap/details", "&ymin=0&ymax=10000000&nbuckets=1&width=10&height=10&x=0&y=5");
	present = json_object_get(v, "present");
	assert_true(number(present, "a") == 2 && number(present, "b") == 1 && number(v, "total") == 3);
	json_decref(v);
}

TEST(keys_have_their_share)
{
	json_t *v = value("keys", ""), *keys = json_object_get(v, "keys");

	assert_int_equal(json_array_size(keys), 2);
	assert_string_equal(json_string_value(json_object_get(json_array_get(keys, 0), "key")), "a");
	assert_true(number(json_array_get(keys, 0), "share") == 0.8);
	assert_true(number(json_array_get(keys, 1), "count") == 0.5);
	json_decref(v);
}

/* It stacks the measure: memory by control group, or throughput by interface. */
TEST(a_chart_stacks_the_measure)
{
	json_t *v = value("chart", "&format=json"), *series = json_object_get(v, "series"), *a, *b;

	assert_string_equal(json_string_value(json_object_get(v, "what")), "latency by statement");
	assert_int_equal(json_array_size(series), 2);
	a = json_array_get(series, 0);
	b = json_array_get(series, 1);
	if (strcmp(json_string_value(json_object_get(a, "key")), "a")) {
		json_t *swap = a;

		a = b;
		b = swap;
	}
	assert_true(number(a, "total") == 2000000 && number(b, "total") == 2000000);
	assert_true(json_number_value(json_array_get(json_object_get(a, "values"), 0)) == 2000000);
	assert_true(json_number_value(json_array_get(json_object_get(b, "values"), 0)) == 4000000);
	assert_true(json_number_value(json_array_get(json_object_get(b, "values"), 9)) == 0);
	assert_true(json_is_null(json_array_get(json_object_get(b, "values"), 5)));
	json_decref(v);
}

TEST(pictures_can_be_drawn)
{
	static const char *const paths[] = { "heatmap/figure?duration=30", "report?duration=30", "chart?duration=30&format=png",
					     "heatmap/image?duration=30&format=png", "heatmap/figure?duration=30&selected=a,b" };

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		char path[256];
		struct answer a;

		snprintf(path, sizeof(path), VALUE "%s", paths[i]);
		a = ask(&server, "GET", path, NULL, NULL);
		assert_int_equal(a.status, 200);
		assert_memory_equal(a.body, "\x89PNG", 4);
		answer_fini(&a);
	}
}

TEST_MAIN_WITH(start, stop)
