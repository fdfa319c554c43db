#include "test/kit/check.h"
#include "test/kit/server_kit.h"
#include "aggregator/query/in_flight.h"

#include <stdio.h>

#define SLOT 1000000000ll
#define SECOND 1000000000ull
#define VALUE "/ca/instrumentations/1/value/"

static struct instrumentation in = {
	.id = 1, .granularity_ns = SLOT, .slot_ns = SLOT, .n_fields = 2, .field = { "digest", "table" },
	.n_measures = 2, .measure = { "latency", "age" }, .ruler = { RULER(UNIT_NS, 5, 10, 39), RULER(UNIT_NS, 5, 10, 39) },
};
static const struct query query = { .inst = &in, .axis = 1, .from_ns = 100 * SLOT, .to_ns = 120 * SLOT };

/* Gives n queries of an age, at the end of a slot. */
static void give(struct in_flight *r, __s64 slot, int axis, const char *digest, const char *table, __u64 age_ns, __u64 n)
{
	struct bytes key = { 0 }, cells = { 0 };
	struct slice s = { .ruler = in.ruler[1], .axis = (__u16)axis };
	struct hist h;

	assert_int_equal(hist_init(&h, s.ruler), 0);
	hist_record_times(&h, age_ns, n);
	hist_encode(&h, &cells);
	labels_put(&key, digest);
	labels_put(&key, table);
	s.key = (struct labels){ key.data, (__u16)key.len };
	s.hist = cells.data;
	s.hist_len = (__u32)cells.len;
	in_flight_reader(r)->slice(r, slot, &s);
	assert_int_equal(in_flight_error(r), 0);
	hist_fini(&h);
	bytes_fini(&key);
	bytes_fini(&cells);
}

static struct in_flight *running_of(__s64 n_slots, __u64 min, __u64 max)
{
	struct in_flight *r;

	assert_int_equal(in_flight_new(&query, n_slots, min, max, &r), 0);
	return r;
}

static __u64 count_of(const struct in_flight *r, __s64 slot)
{
	struct in_flight_total *t;
	__u64 count = 0;
	size_t n;

	assert_int_equal(in_flight_totals(r, slot, 0, &t, &n), 0);
	for (size_t i = 0; i < n; i++)
		count += t[i].count;
	free(t);
	return count;
}

/* Eight updates and a select hang from slot 102 on: each counts once, although it is seen in many slots. */
TEST(an_event_that_runs_for_many_slots_is_counted_once)
{
	struct in_flight *r = running_of(20, 0, 0);
	struct in_flight_total *t;
	size_t n;

	for (__s64 slot = 102; slot < 112; slot++) {
		give(r, slot, 1, "update t", "t", (__u64)(slot - 101) * SECOND, 8);
		give(r, slot, 1, "select", "t", (__u64)(slot - 101) * SECOND / 2, 1);
		give(r, slot, 0, "select", "t", 1000000, 500);		/* these have ended: none of them runs */
	}
	in_flight_reader(r)->cover(r, "db1", 100, 111);
	assert_int_equal(in_flight_last(r), 111);
	assert_int_equal(in_flight_most(r), 111);
	assert_int_equal(in_flight_totals(r, 111, 0, &t, &n), 0);
	assert_int_equal(n, 2);
	assert_string_equal(t[0].text, "update t/t");
	assert_int_equal(t[0].count, 8);
	assert_int_equal(t[0].oldest, 10 * SECOND);
	assert_int_equal(t[1].count, 1);
	free(t);
	assert_int_equal(in_flight_totals(r, 111, 1, &t, &n), 0);	/* by table */
	assert_int_equal(n, 1);
	assert_string_equal(t[0].text, "t");
	assert_int_equal(t[0].count, 9);
	assert_int_equal(t[0].oldest, 10 * SECOND);
	free(t);
	in_flight_free(r);
}

/* In a busy second more queries run, but they are young: the result must name the hanging ones with their age. */
TEST(the_slot_is_the_one_with_most_time_in_it)
{
	struct in_flight *r = running_of(20, 0, 0);

	for (__s64 slot = 102; slot < 112; slot++) {
		give(r, slot, 1, "update t", "t", (__u64)(slot - 101) * SECOND, 8);
		give(r, slot, 1, "select", "t", 1000000, slot == 104 ? 50 : 0);
	}
	assert_int_equal(in_flight_most(r), 111);
	give(r, 112, 1, "update t", "t", 11 * SECOND, 1);		/* seven gave up */
	assert_int_equal(in_flight_most(r), 111);
	in_flight_free(r);
}

TEST(an_event_that_ended_before_the_last_slot_does_not_run)
{
	struct in_flight *r = running_of(20, 0, 0);

	give(r, 105, 1, "update t", "t", SECOND, 8);
	in_flight_reader(r)->cover(r, "db1", 100, 107);
	in_flight_reader(r)->cover(r, "db2", 100, 106);
	in_flight_reader(r)->cover(r, "db1", 130, 140);		/* not in the time */
	assert_int_equal(in_flight_last(r), 107);
	assert_int_equal(count_of(r, 107), 0);
	assert_int_equal(in_flight_most(r), 105);
	in_flight_free(r);
}

TEST(only_ages_of_the_range_and_slots_of_the_time_count)
{
	static const struct { __u64 min, max, count, oldest; } cases[] = {
		{ 0, 0, 6, 5 * SECOND }, { 2 * SECOND, 0, 3, 5 * SECOND }, { 0, SECOND / 2, 0, 0 }, { SECOND / 2, 2 * SECOND, 3, SECOND },
		{ 6 * SECOND, 0, 0, 0 }, { 4900000000, 5100000000, 3, 5 * SECOND },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct in_flight *r = running_of(20, cases[i].min, cases[i].max);
		struct in_flight_total *t;
		size_t n;

		give(r, 99, 1, "select", "t", SECOND, 100);
		give(r, 120, 1, "select", "t", SECOND, 100);
		give(r, 110, 1, "select", "t", SECOND, 3);
		give(r, 110, 1, "select", "t", 5 * SECOND, 3);
		assert_int_equal(in_flight_most(r), cases[i].count ? 110 : -1);
		assert_int_equal(in_flight_totals(r, 110, 0, &t, &n), 0);
		assert_int_equal(n, cases[i].count > 0);
		if (n && (t[0].count != cases[i].count || t[0].oldest < cases[i].oldest || t[0].oldest > cases[i].oldest * 33 / 32))
			fail_msg("%llu..%llu: %llu, oldest %llu", (unsigned long long)cases[i].min, (unsigned long long)cases[i].max,
				 (unsigned long long)t[0].count, (unsigned long long)t[0].oldest);
		free(t);
		in_flight_free(r);
	}
}

TEST(only_the_last_slots_are_looked_at)
{
	struct in_flight *r = running_of(5, 0, 0);
	__s64 first, last;

	in_flight_slots(r, &first, &last);
	assert_int_equal(first, 115);
	assert_int_equal(last, 119);
	give(r, 114, 1, "select", "t", SECOND, 1);
	assert_int_equal(in_flight_most(r), -1);
	give(r, 115, 1, "select", "t", SECOND, 1);
	assert_int_equal(in_flight_most(r), 115);
	assert_int_equal(in_flight_last(r), -1);
	in_flight_free(r);
}

/* ---- in a reply, from the cube ---- */

static struct server server;
static __s64 t0;

/* The second measure is treated as one of scope point: 0.5 s old at the end of each of four slots. */
static int start(void **state)
{
	server_start(&server, true);
	server_collector(&server, "db1");
	assert_int_equal(server_create(&server), 1);
	((struct metric *)catalog_find(server.a.services.catalog, 1)->metric)->point = strdup("cputime");
	t0 = now_ns() / SLOT - 30;
	for (__s64 i = 0; i < 20; i++) {
		if (i >= 6 && i < 10)
			server_batch(&server, "db1", 1, t0 + i, "update", 1000000000, 8);
		server_batch(&server, "db1", 1, t0 + i, "select", 2000000, i == 9 ? 1 : 0);
	}
	return 0;
}

static int stop(void **state)
{
	server_stop(&server);
	return 0;
}

static json_t *value(const char *what, int to, const char *more)
{
	char path[256];

	snprintf(path, sizeof(path), VALUE "%s?start_time=%lld&end_time=%lld%s", what, (long long)t0, (long long)t0 + to, more);
	return get_json(&server, path);
}

static double number(const json_t *json, const char *name) { return json_number_value(json_object_get(json, name)); }

TEST(keys_show_what_runs_at_the_end_of_the_time)
{
	json_t *v = value("keys", 10, ""), *keys = json_object_get(v, "keys"), *running = json_object_get(v, "running");

	assert_true(number(running, "count") == 9 && number(running, "oldest") == 500000000 && number(running, "time") == t0 + 10);
	assert_string_equal(json_string_value(json_object_get(json_array_get(keys, 0), "key")), "update");
	assert_true(number(json_array_get(keys, 0), "running") == 8 && number(json_array_get(keys, 0), "oldest") == 500000000);
	assert_true(number(json_array_get(keys, 1), "running") == 1 && number(json_array_get(keys, 1), "oldest") == 1000000);
	json_decref(v);
	v = value("keys", 20, "");
	keys = json_object_get(v, "keys");
	assert_true(number(json_object_get(v, "running"), "count") == 0 && number(json_array_get(keys, 0), "running") == 0);
	assert_null(json_object_get(json_array_get(keys, 0), "oldest"));
	json_decref(v);
	v = value("keys", 10, "&measure=cputime");
	assert_null(json_object_get(v, "running"));
	json_decref(v);
}

TEST(an_explanation_names_what_runs_inside)
{
	json_t *v = value("explain", 20, "&ymin=100000000&ymax=900000000"), *running = json_object_get(v, "running"), *first;

	assert_true(number(json_object_get(v, "inside"), "count") == 0);
	assert_true(number(running, "count") == 8 && number(running, "time") == t0 + 10);
	first = json_array_get(json_object_get(running, "values"), 0);
	assert_string_equal(json_string_value(json_object_get(first, "field")), "statement");
	assert_string_equal(json_string_value(json_object_get(first, "value")), "update");
	assert_true(number(first, "count") == 8 && number(first, "share") == 1);
	assert_non_null(strstr(json_string_value(json_object_get(v, "sentence")), "8 queries ran at once inside and had not ended, the oldest for 500 ms: "
			       "8 with statement = update; none ended inside"));
	json_decref(v);
	v = value("explain", 20, "&ymin=500000&ymax=2000000");
	assert_non_null(strstr(json_string_value(json_object_get(v, "sentence")), "1 of the queries ran inside and had not ended, for 1 ms: 1 with statement = "));
	json_decref(v);
	v = value("explain", 20, "&ymin=900000000");
	assert_true(number(json_object_get(v, "running"), "count") == 0);
	assert_true(number(json_object_get(v, "inside"), "count") == 32);
	first = json_array_get(json_object_get(v, "contents"), 0);
	assert_string_equal(json_string_value(json_object_get(first, "value")), "update");
	assert_true(number(first, "count") == 32 && number(first, "share") == 1 && number(first, "sum_share") == 1);
	json_decref(v);
}

TEST_MAIN_WITH(start, stop)
