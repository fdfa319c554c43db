#include "test/kit/check.h"
#include "test/kit/server_kit.h"

#include <stdio.h>

#define SLOT 1000000000ll
#define BASE "/ca/instrumentations/1/value/chart"

static struct server server;
static __s64 t0;

/* Ten slots of 1 s: 100 selects of 1 ms and 4 updates of 50 ms each, and in slot 2 one event each of a
 * to l; no source reports slot 5; slot 6 is empty. */
static int start(void **state)
{
	server_start(&server, true);
	server_collector(&server, "db1");
	assert_int_equal(server_create(&server), 1);
	t0 = now_ns() / SLOT - 30;
	for (__s64 i = 0; i < 10; i++) {
		if (i == 5)
			continue;
		server_batch(&server, "db1", 1, t0 + i, "select", 1000000, i == 6 ? 0 : 100);
		server_batch(&server, "db1", 1, t0 + i, "update", 50000000, i == 6 ? 0 : 4);
	}
	for (char key[] = "a"; *key <= 'l'; ++*key)
		server_batch(&server, "db1", 1, t0 + 2, key, 2000000, 1);
	return 0;
}

static int stop(void **state)
{
	server_stop(&server);
	return 0;
}

static json_t *chart(const char *parameters)
{
	char path[256];

	snprintf(path, sizeof(path), BASE "?format=json&start_time=%lld&duration=10%s", (long long)t0, parameters);
	return get_json(&server, path);
}

static const char *key(const json_t *c, size_t i)
{
	return json_string_value(json_object_get(json_array_get(json_object_get(c, "series"), i), "key")) ?: "";
}

static double total(const json_t *c, size_t i)
{
	return json_number_value(json_object_get(json_array_get(json_object_get(c, "series"), i), "total"));
}

static const json_t *value(const json_t *c, size_t i, size_t col)
{
	return json_array_get(json_object_get(json_array_get(json_object_get(c, "series"), i), "values"), col);
}

static size_t n_series(const json_t *c) { return json_array_size(json_object_get(c, "series")); }

TEST(the_greatest_keys_have_a_series_and_the_rest_is_one)
{
	json_t *c = chart("");
	double sum = 0;

	assert_string_equal(json_string_value(json_object_get(c, "show")), "rate");
	assert_string_equal(json_string_value(json_object_get(c, "what")), "queries per second by statement");
	assert_int_equal(n_series(c), 10);
	assert_string_equal(key(c, 0), "select");
	assert_string_equal(key(c, 1), "update");
	assert_string_equal(key(c, 2), "a");
	assert_string_equal(key(c, 9), "other (5 keys)");
	for (size_t i = 0; i < 10; i++)
		sum += total(c, i);
	assert_int_equal(sum, 8 * 104 + 12);
	assert_int_equal(json_number_value(value(c, 0, 0)), 100);
	assert_int_equal(json_number_value(value(c, 9, 2)), 5);
	assert_true(json_is_null(value(c, 0, 5)));			/* not observed */
	assert_true(json_is_number(value(c, 0, 6)) && json_number_value(value(c, 0, 6)) == 0);
	assert_string_equal(json_string_value(json_array_get(json_object_get(c, "states"), 5)), "unobserved");
	assert_string_equal(json_string_value(json_array_get(json_object_get(c, "states"), 6)), "zero");
	json_decref(c);
	c = chart("&top=1");
	assert_int_equal(n_series(c), 2);
	assert_string_equal(key(c, 1), "other (13 keys)");
	json_decref(c);
}

/* A source may send any number: here 2^63 selects in each of two seconds, and 2^63 events of two more keys. */
TEST(totals_that_are_too_large_saturate)
{
	static const char *const keys[] = { "select", "a", "b" };
	char path[256];
	json_t *c;

	for (size_t i = 0; i < 6; i++)
		server_batch(&server, "db1", 1, t0 - 100 + (__s64)(i % 2), keys[i / 2], 1000000, ~0ull / 2 + 1 - i / 2);
	server_batch(&server, "db1", 1, t0 - 100, "update", 1000000, 4);
	snprintf(path, sizeof(path), BASE "?format=json&start_time=%lld&duration=2&top=1", (long long)t0 - 100);
	c = get_json(&server, path);
	assert_int_equal(n_series(c), 2);
	assert_string_not_equal(key(c, 0), "update");
	assert_true(total(c, 0) > 1e18 && total(c, 1) > 1e18);
	json_decref(c);
}

/* Columns of several slots are rates per second, too, and so is a shorter last column. */
TEST(rates_are_per_second_whatever_the_columns)
{
	char path[256];
	json_t *c;

	snprintf(path, sizeof(path), BASE "?format=json&start_time=%lld&duration=10&width=400&top=1", (long long)t0);
	c = get_json(&server, path);
	assert_int_equal(json_integer_value(json_object_get(c, "ncols")), 10);
	json_decref(c);
	snprintf(path, sizeof(path), BASE "?format=json&start_time=%lld&duration=611&width=400&selected=select", (long long)t0 - 601);
	c = get_json(&server, path);					/* 304 px: columns of 3 s, the last of 2 */
	assert_int_equal(json_number_value(json_object_get(c, "column")), 3);
	assert_int_equal(json_integer_value(json_object_get(c, "ncols")), 204);
	assert_int_equal(json_number_value(value(c, 0, 203)), 100);
	json_decref(c);
}

TEST(selected_keys_are_the_series)
{
	static const struct { const char *parameters; size_t n; const char *key[3]; double total[3]; } cases[] = {
		{ "&selected=b,update", 3, { "update", "b", "other" }, { 32, 1, 811 } },
		{ "&selected=b,update&isolate=true", 2, { "update", "b" }, { 32, 1 } },
		{ "&selected=select&exclude=true&top=2", 3, { "update", "a", "other (11 keys)" }, { 32, 1, 11 } },
		{ "&selected=nothing", 2, { "other", "nothing" }, { 844, 0 } },
		{ "&by=statement&top=1", 2, { "select", "other (13 keys)" }, { 800, 44 } },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		json_t *c = chart(cases[i].parameters);

		assert_int_equal(n_series(c), cases[i].n);
		for (size_t k = 0; k < cases[i].n; k++) {
			bool found = false;

			for (size_t j = 0; j < cases[i].n; j++)
				found = found || (!strcmp(key(c, j), cases[i].key[k]) && total(c, j) == cases[i].total[k]);
			if (!found)
				fail_msg("%s: no %s of %g", cases[i].parameters, cases[i].key[k], cases[i].total[k]);
		}
		json_decref(c);
	}
}

TEST(percentiles_are_those_of_each_column)
{
	json_t *c = chart("&show=percentiles");

	assert_int_equal(n_series(c), 4);
	assert_string_equal(key(c, 0), "max");
	assert_string_equal(key(c, 3), "p50");
	assert_int_equal(json_number_value(value(c, 0, 0)), 50000000);
	assert_int_equal(total(c, 0), 50000000);
	/* p50: the selects' bucket */
	assert_in_range((unsigned long)json_number_value(value(c, 3, 0)), 1000000, 1032000);
	assert_in_range((unsigned long)json_number_value(value(c, 1, 0)), 48000000, 50000000);	/* p99 */
	assert_true(json_is_null(value(c, 0, 5)) && json_is_null(value(c, 3, 6)));
	assert_string_equal(json_string_value(json_object_get(c, "what")), "latency: p50, p90, p99 and max of every 1 s");
	json_decref(c);
}

TEST(pictures_come_in_every_format)
{
	static const struct { const char *path, *headers, *type, *magic; } cases[] = {
		{ "", NULL, "image/png", "\x89PNG" }, { "&format=svg", NULL, "image/svg+xml", "<?xml" },
		{ "&format=pdf", NULL, "application/pdf", "%PDF" }, { "", "Accept: image/svg+xml\r\n", "image/svg+xml", "<?xml" },
		{ "", "Accept: application/json\r\n", "application/json", "{\"st" }, { "", "Accept: */*\r\n", "image/png", "\x89PNG" },
		{ "&format=pdf", "Accept: image/svg+xml\r\n", "application/pdf", "%PDF" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char path[256], type[256];
		struct answer a;

		snprintf(path, sizeof(path), BASE "?start_time=%lld&duration=10%s", (long long)t0, cases[i].path);
		a = ask(&server, "GET", path, cases[i].headers, NULL);
		if (a.status != 200)
			fail_msg("%s: %d %s", path, a.status, a.body);
		assert_string_equal(answer_header(&a, "Content-Type", type), cases[i].type);
		assert_memory_equal(a.body, cases[i].magic, 4);
		answer_fini(&a);
	}
}

TEST(a_report_may_have_a_chart)
{
	static const struct { const char *parameters; unsigned height; } cases[] = {
		{ "", 0 }, { "&chart=true", 1 }, { "&chart=false", 0 }, { "&chart=true&selected=update&isolate=true", 1 },
	};
	unsigned plain = 0;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		unsigned height = 0;
		char path[256];
		struct answer a;

		snprintf(path, sizeof(path), "/ca/instrumentations/1/value/report?start_time=%lld&duration=10%s", (long long)t0,
			 cases[i].parameters);
		a = ask(&server, "GET", path, NULL, NULL);
		assert_int_equal(a.status, 200);
		for (int k = 20; k < 24; k++)
			height = height << 8 | (unsigned char)a.body[k];
		plain = plain ? plain : height;
		assert_true(i > 2 || (height > plain) == cases[i].height);
		answer_fini(&a);
	}
}

TEST(refusals_have_their_reason)
{
	static const struct { const char *path, *says; } cases[] = {
		{ "?show=mean", "rate active percentiles" }, { "?top=0", "minimum is 1" }, { "?top=21", "maximum is 20" },
		{ "?format=gif", "png pdf svg json" }, { "?isolate=true", "isolate needs selected" }, { "?width=100", "at least 400" },
		{ "?height=200", "at least 240" }, { "?by=nothing", "has statement" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char path[128];
		struct answer a;

		snprintf(path, sizeof(path), BASE "%s", cases[i].path);
		a = ask(&server, "GET", path, NULL, NULL);
		if (a.status != 409 || !strstr(a.body, cases[i].says))
			fail_msg("%s: %d %s", path, a.status, a.body);
		answer_fini(&a);
	}
}

TEST_MAIN_WITH(start, stop)
