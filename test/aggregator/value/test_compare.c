#include "test/kit/check.h"
#include "test/kit/server_kit.h"

#include <stdio.h>

#define SLOT 1000000000ll
#define BASE "/ca/instrumentations/1/value/compare"
#define SLOTS 40

static struct server server;
static __s64 t0;

static void create(const char *body)
{
	struct answer a = ask(&server, "POST", "/ca/instrumentations", NULL, body);

	if (a.status != 201)
		fail_msg("creating: %d %s", a.status, a.body);
	answer_fini(&a);
}

/* Forty slots of about 100 selects of 1 ms and 20 inserts of 4 ms; from the twentieth on selects are twice as slow. */
static int start(void **state)
{
	server_start(&server, true);
	server_collector(&server, "db1");
	assert_int_equal(server_create(&server), 1);
	t0 = now_ns() / SLOT - 90;
	for (__s64 i = 0; i < SLOTS; i++) {
		server_batch(&server, "db1", 1, t0 + i, "select", i < 20 ? 1000000 : 2000000, 95 + (unsigned)(i * 7 % 11));
		server_batch(&server, "db1", 1, t0 + i, "insert", 4000000, 18 + (unsigned)(i % 5));
	}
	server_batch(&server, "db1", 1, t0 + SLOTS, "select", 1000000, 0);
	create("{\"module\": \"mysql\", \"stat\": \"queries\", \"decomposition\": [\"statement\", \"latency\"],"
	       " \"measures\": [\"latency\", \"cputime\"], \"granularity\": 5}");
	create("{\"module\": \"mysql\", \"stat\": \"threads\", \"decomposition\": [\"statement\"], \"measures\": [\"latency\"]}");
	for (__s64 i = 0; i < SLOTS; i++)
		server_batch(&server, "db1", 2, t0 + i, "select", 3000000, 10);
	return 0;
}

static int stop(void **state)
{
	server_stop(&server);
	return 0;
}

static void path_of(int from, int to, const char *more, char out[512])
{
	snprintf(out, 512, BASE "?start_time=%lld&end_time=%lld%s", (long long)t0 + from, (long long)t0 + to, more);
}

static json_t *compare(int from, int to, const char *more)
{
	char path[512];

	path_of(from, to, more, path);
	return get_json(&server, path);
}

static json_t *with_time(int from, int to, int b_from, const char *more)
{
	char all[256];

	snprintf(all, sizeof(all), "&b_start_time=%lld%s", (long long)t0 + b_from, more);
	return compare(from, to, all);
}

static double number(const json_t *json, const char *name) { return json_number_value(json_object_get(json, name)); }
static const char *text(const json_t *json, const char *name) { return json_string_value(json_object_get(json, name)) ?: ""; }

static const json_t *line(const json_t *reply, const char *name)
{
	const json_t *one;
	size_t i;

	json_array_foreach(json_object_get(reply, "lines"), i, one)
		if (!strcmp(text(one, "name"), name))
			return one;
	fail_msg("no line %s", name);
	return NULL;
}

static bool is_true(const json_t *json, const char *name) { return json_is_true(json_object_get(json, name)); }

/* Counts the events of a side in all cells. */
static double in_cells(const json_t *reply, size_t side)
{
	const json_t *cell;
	double sum = 0;
	size_t i;

	json_array_foreach(json_object_get(reply, "cells"), i, cell)
		sum += json_number_value(json_array_get(cell, 2 + side));
	return sum;
}

TEST(two_times_are_aligned_by_their_offset)
{
	json_t *reply = with_time(20, 40, 0, "&selected=select");
	const json_t *a = json_object_get(reply, "a"), *b = json_object_get(reply, "b"), *p50 = line(reply, "p50");

	assert_int_equal(number(a, "start_time"), t0 + 20);
	assert_int_equal(number(b, "start_time"), t0);
	assert_int_equal(number(b, "end_time"), t0 + 20);
	assert_int_equal(number(reply, "ncols"), 20);
	assert_int_equal(number(reply, "column"), 1);
	assert_true(number(p50, "a") > 1.9e6 && number(p50, "b") < 1.1e6);
	assert_true(is_true(p50, "significant"));
	assert_false(is_true(line(reply, "events"), "significant"));
	assert_true(number(reply, "nsignificant") >= 2);
	assert_int_equal(in_cells(reply, 0), number(a, "count"));
	assert_int_equal(in_cells(reply, 1), number(b, "count"));
	assert_non_null(strstr(text(reply, "sentence"), "p50 is 2 ms in A and 1 ms in B"));
	assert_non_null(strstr(text(a, "name"), "latency of select, from "));
	json_decref(reply);
}

TEST(two_keys_are_compared)
{
	json_t *reply = compare(0, 20, "&selected=insert&b_selected=select");
	const json_t *p99 = line(reply, "p99"), *patch;
	size_t i, n_a = 0;

	assert_true(number(p99, "a") > 3.9e6 && number(p99, "b") < 1.1e6);
	assert_true(number(p99, "difference") > 2.8e6 && is_true(p99, "significant"));
	assert_true(is_true(line(reply, "events"), "significant"));
	json_array_foreach(json_object_get(reply, "patches"), i, patch)
		n_a += !strcmp(text(patch, "more"), "a");
	assert_true(n_a > 0 && n_a < i);
	assert_string_equal(text(json_object_get(reply, "a"), "name"), "latency of insert");
	json_decref(reply);
	reply = compare(0, 20, "&selected=insert&b_exclude=true&by=statement");
	assert_string_equal(text(json_object_get(reply, "b"), "name"), "latency without insert");
	assert_true(number(line(reply, "p99"), "b") < 1.1e6);
	json_decref(reply);
}

TEST(two_measures_are_compared)
{
	json_t *reply = compare(0, 20, "&b_measure=cputime");
	const json_t *mean = line(reply, "mean");

	assert_string_equal(text(json_object_get(reply, "b"), "measure"), "cputime");
	assert_string_equal(text(json_object_get(reply, "b"), "name"), "time on the CPU");
	assert_true(number(mean, "a") > 1.9 * number(mean, "b") && is_true(mean, "significant"));
	assert_int_equal(number(line(reply, "events"), "difference"), 0);
	assert_false(is_true(line(reply, "events"), "significant"));
	json_decref(reply);
}

TEST(against_itself_there_is_no_difference)
{
	static const char *const names[] = { "events", "mean", "p50", "p90", "p99", "p99.9" };
	json_t *reply = with_time(0, 20, 0, "");

	for (size_t i = 0; i < 6; i++) {
		assert_int_equal(number(line(reply, names[i]), "difference"), 0);
		assert_false(is_true(line(reply, names[i]), "significant"));
	}
	assert_int_equal(number(reply, "nsignificant"), 0);
	assert_true(number(reply, "tests") > 0);
	assert_non_null(strstr(text(reply, "sentence"), "neither mean nor percentiles differ"));
	json_decref(reply);
}

/* Counts show a difference of rates, shares do not: the selected key leaves out half of the columns' events. */
TEST(counts_are_compared_where_asked_for)
{
	json_t *share = compare(0, 20, "&b_selected=select"), *count = compare(0, 20, "&b_selected=select&per=count");

	assert_string_equal(text(share, "per"), "share");
	assert_string_equal(text(count, "per"), "count");
	assert_true(is_true(line(share, "events"), "significant"));
	/* A has the inserts in addition to the selects: as counts there is more in A, and nowhere more in B. */
	assert_true(number(count, "nsignificant") > 0);
	assert_true(number(share, "nsignificant") > number(count, "nsignificant"));
	json_decref(share);
	json_decref(count);
}

/* A side with slots of 1 s and one of 5 s are both read in columns of 5 s, from the beginning of such a column on. */
TEST(both_have_the_columns_of_the_coarser)
{
	json_t *reply = compare(8, 31, "&b_instrumentation=2");
	const json_t *a = json_object_get(reply, "a"), *b = json_object_get(reply, "b");

	assert_int_equal(number(reply, "column"), 5);
	assert_int_equal((__s64)number(a, "start_time") % 5, 0);
	assert_int_equal(number(a, "start_time"), number(b, "start_time"));
	assert_int_equal(number(a, "end_time") - number(a, "start_time"), 5 * number(reply, "ncols"));
	assert_int_equal(json_array_size(json_object_get(a, "columns")), json_array_size(json_object_get(b, "columns")));
	assert_int_equal(number(b, "count"), 10 * (number(b, "end_time") - number(b, "start_time")));
	assert_true(is_true(line(reply, "p50"), "significant"));
	json_decref(reply);
	reply = with_time(13, 33, 3, "&b_instrumentation=2");
	assert_int_equal((__s64)number(json_object_get(reply, "b"), "start_time") % 5, 0);
	assert_int_equal(json_array_size(json_object_get(json_object_get(reply, "b"), "columns")), number(reply, "ncols"));
	json_decref(reply);
}

TEST(rows_hold_both)
{
	json_t *reply = compare(0, 20, "&selected=insert&b_selected=select&b_measure=cputime&row_bits=5");
	size_t n = json_array_size(json_object_get(reply, "edge"));

	assert_int_equal(n, number(reply, "nrows") + 1);
	assert_int_equal(json_array_size(json_object_get(json_object_get(reply, "a"), "rows")), n - 1);
	assert_int_equal(in_cells(reply, 0), number(json_object_get(reply, "a"), "count"));
	assert_int_equal(in_cells(reply, 1), number(json_object_get(reply, "b"), "count"));
	json_decref(reply);
}

TEST(no_events_and_not_observed_differ)
{
	static const char *const lines[] = { "events", "mean", "p50", "p99.9" };
	json_t *reply = with_time(0, 10, 60, "");

	assert_string_equal(text(reply, "sentence"), "B was not observed: no collector reported in its time");
	assert_int_equal(number(reply, "tests"), 0);
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		assert_true(json_is_null(json_object_get(line(reply, lines[i]), "b")));
		assert_true(json_is_null(json_object_get(line(reply, lines[i]), "difference")));
		assert_true(json_is_null(json_object_get(line(reply, lines[i]), "q")));
		assert_true(number(line(reply, lines[i]), "a") > 0);
	}
	assert_true(number(json_object_get(reply, "b"), "observed") == 0 && number(json_object_get(reply, "a"), "observed") == 1);
	json_decref(reply);
	reply = compare(0, 10, "&selected=nothing&b_selected=nothing%20at%20all");
	assert_string_equal(text(reply, "sentence"), "there are no events in A; there are no events in B");
	assert_true(json_is_integer(json_object_get(line(reply, "events"), "a")) || json_is_real(json_object_get(line(reply, "events"), "a")));
	assert_true(json_is_null(json_object_get(line(reply, "mean"), "a")));
	json_decref(reply);
}

TEST(a_page_is_drawn_in_every_view_and_format)
{
	static const char *const views[] = { "difference", "side", "overlay" }, *const formats[] = { "png", "pdf", "svg" };
	static const char *const types[] = { "image/png", "application/pdf", "image/svg+xml" };

	for (size_t i = 0; i < 3; i++)
		for (size_t k = 0; k < 3; k++) {
			char more[128], path[512], type[256];
			struct answer a;

			snprintf(more, sizeof(more), "&b_measure=cputime&view=%s&format=%s&width=%d", views[i], formats[k], k ? 1200 : 400);
			path_of(0, 40, more, path);
			a = ask(&server, "GET", path, NULL, NULL);
			assert_int_equal(a.status, 200);
			assert_string_equal(answer_header(&a, "Content-Type", type), types[k]);
			answer_fini(&a);
		}
}

TEST(refusals_say_why)
{
	static const struct { const char *more, *says; } cases[] = {
		{ "", "there is nothing to compare with: give b_start_time" },
		{ "&b_measure=length", "B: value \\\"length\\\" for parameter \\\"b_measure\\\" is invalid: instrumentation 1 has" },
		{ "&measure=length&b_measure=latency", "\"value \\\"length\\\" for parameter \\\"measure\\\" is invalid: instrumentation 1 has" },
		{ "&measure=length&b_start_time=5", "for parameter \\\"measure\\\" is invalid: instrumentation 1 has" },
		{ "&b_instrumentation=3", "has no events to compare" },
		{ "&b_instrumentation=99", "B: there is no instrumentation 99" }, { "&b_instrumentation=0", "minimum is 1" },
		{ "&b_start_time=later", "not a number of seconds" }, { "&b_start_time=8999999999", "B: b_start_time is too far in the future" },
		{ "&b_measure=cputime&view=above", "must be one of: difference side overlay" },
		{ "&b_measure=cputime&per=second", "must be one of: share count" },
		{ "&b_measure=cputime&format=png&height=240", "cannot be drawn" },
		{ "&b_exclude=perhaps&b_selected=x", "\\\"perhaps\\\" for parameter \\\"b_exclude\\\" is invalid: must be true or false" },
		{ "&b_exclude=true", "b_exclude needs selected or b_selected" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char path[512];
		struct answer a;

		path_of(0, 20, cases[i].more, path);
		a = ask(&server, "GET", path, NULL, NULL);
		if (a.status != 409 || !strstr(a.body, cases[i].says))
			fail_msg("%s: %d %s", cases[i].more, a.status, a.body);
		answer_fini(&a);
	}
}

TEST_MAIN_WITH(start, stop)
