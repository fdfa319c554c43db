#include "test/kit/check.h"
#include "test/kit/server_kit.h"

#include <stdio.h>

#define SLOT 1000000000ll
#define BASE "/ca/instrumentations/1/value/"

static struct server server;
static __s64 t0;

/* Ten slots: 100 selects of 1 ms, 3 of 60 ms; 20 inserts of 2 ms. */
static int start(void **state)
{
	server_start(&server, true);
	server_collector(&server, "db1");
	assert_int_equal(server_create(&server), 1);
	t0 = now_ns() / SLOT - 60;
	for (__s64 i = 0; i < 10; i++) {
		server_batch(&server, "db1", 1, t0 + i, "select", 1000000, 100);
		server_batch(&server, "db1", 1, t0 + i, "select", 60000000, 3);
		server_batch(&server, "db1", 1, t0 + i, "insert", 2000000, 20);
	}
	return 0;
}

static int stop(void **state)
{
	server_stop(&server);
	return 0;
}

static struct answer flame(const char *more, const char *headers)
{
	char path[512];

	snprintf(path, sizeof(path), BASE "flame?start_time=%lld&duration=10%s", (long long)t0, more);
	return ask(&server, "GET", path, headers, NULL);
}

/* Returns the amount of a line of folded output; 0: there is no such line. */
static unsigned long long amount_in(const char *folded, const char *stack)
{
	size_t len = strlen(stack);

	for (const char *at = folded; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
		if (!strncmp(at, stack, len) && at[len] == ' ')
			return strtoull(at + len, NULL, 10);
	return 0;
}

TEST(folded_counts_are_those_of_raw)
{
	char path[512];
	const char *key;
	json_t *raw, *value, *count;
	struct answer a = flame("&format=folded&weights=count", NULL);

	snprintf(path, sizeof(path), BASE "raw?start_time=%lld&duration=10&stats=true", (long long)t0);
	raw = get_json(&server, path);
	value = json_object_get(raw, "stats");
	assert_int_equal(json_object_size(value), 2);
	json_object_foreach(value, key, count)
		assert_int_equal(amount_in(a.body, key), json_integer_value(json_object_get(count, "count")));
	assert_string_equal(a.body, "insert 200\nselect 1030\n");
	json_decref(raw);
	answer_fini(&a);
}

TEST(a_time_weighs_as_long_as_it_was)
{
	struct answer a = flame("&format=folded", NULL);

	assert_string_equal(a.body, "insert 400000000\nselect 2800000000\n");
	answer_fini(&a);
}

TEST(of_a_range_of_values_its_buckets_count)
{
	struct answer a = flame("&format=folded&weights=count&ymin=10000000", NULL);
	unsigned long long time;

	assert_string_equal(a.body, "select 30\n");
	answer_fini(&a);
	a = flame("&format=folded&weights=count&ymin=1500000&ymax=10000000", NULL);
	assert_string_equal(a.body, "insert 200\n");
	answer_fini(&a);
	a = flame("&format=folded&ymin=10000000", NULL);
	time = amount_in(a.body, "select");
	assert_true(time > 1800000000ull * 97 / 100 && time < 1800000000ull * 103 / 100);
	answer_fini(&a);
}

TEST(the_picture_says_what_it_is_of)
{
	char type[256];
	struct answer a = flame("&ymin=1500000&theme=dark", NULL);

	assert_int_equal(a.status, 200);
	assert_string_equal(answer_header(&a, "Content-Type", type), "image/svg+xml");
	assert_non_null(strstr(a.body, "<title>insert: 400 ms"));
	assert_non_null(strstr(a.body, "latency of 230 queries by statement, latency from 1.5 ms: 2.2"));
	answer_fini(&a);
}

TEST(the_accept_header_chooses)
{
	char type[256];
	struct answer a = flame("", "Accept: text/plain\r\n");

	assert_string_equal(answer_header(&a, "Content-Type", type), "text/plain; charset=utf-8");
	answer_fini(&a);
	a = flame("", "Accept: */*\r\n");
	assert_string_equal(answer_header(&a, "Content-Type", type), "image/svg+xml");
	answer_fini(&a);
}

TEST(selected_keys_are_the_only_ones)
{
	struct answer a = flame("&format=folded&weights=count&selected=insert", NULL);

	assert_string_equal(a.body, "insert 200\n");
	answer_fini(&a);
	a = flame("&format=folded&weights=count&selected=insert&exclude=true", NULL);
	assert_string_equal(a.body, "select 1030\n");
	answer_fini(&a);
}

TEST(refuses_with_a_reason)
{
	static const struct { const char *more, *says; } cases[] = {
		{ "&format=png", "must be one of: svg folded" }, { "&by=stack", "instrumentation 1 has statement" },
		{ "&ymin=5&ymax=5", "ymin must be less than ymax" }, { "&width=399", "width must be at least 400" },
		{ "&measure=offcpu", "instrumentation 1 has latency" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct answer a = flame(cases[i].more, NULL);

		assert_int_equal(a.status, 409);
		if (!strstr(a.body, cases[i].says))
			fail_msg("%s: %s", cases[i].more, a.body);
		answer_fini(&a);
	}
}

TEST_MAIN_WITH(start, stop)
