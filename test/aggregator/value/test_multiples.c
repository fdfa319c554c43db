#include "test/kit/check.h"
#include "test/kit/server_kit.h"

#include <stdio.h>

#define SLOT 1000000000ll
#define BASE "/ca/instrumentations/%llu/value/"
#define N_HOSTS 5

static struct server server;
static __u64 by_host, by_nothing;
static __s64 t0;

static __u64 create(const char *decomposition)
{
	return server_make(&server, json_pack("{s:s, s:s, s:s, s:[s, s]}", "module", "mysql", "stat", "queries", "decomposition", decomposition,
					      "measures", "latency", "cputime"))->in.id;
}

/* Ten slots of five hosts: host i has 10 events of (i + 1) ms in each slot; h4 is there in the first five only. */
static int start(void **state)
{
	char host[8];

	server_start(&server, true);
	server_collector(&server, "h0");
	by_host = create("hostname,latency");
	by_nothing = create("latency");
	t0 = now_ns() / SLOT - 60;
	for (__s64 slot = 0; slot < 10; slot++)
		for (int i = 0; i < N_HOSTS && (i < 4 || slot < 5); i++) {
			snprintf(host, sizeof(host), "h%d", i);
			server_batch(&server, host, by_host, t0 + slot, NULL, (__u64)(i + 1) * 1000000, 10);
		}
	return 0;
}

static int stop(void **state)
{
	server_stop(&server);
	return 0;
}

static struct answer multiples(__u64 inst, const char *more)
{
	char path[512];

	snprintf(path, sizeof(path), BASE "multiples?start_time=%lld&duration=10%s", (unsigned long long)inst, (long long)t0, more);
	return ask(&server, "GET", path, NULL, NULL);
}

static json_t *multiples_json(const char *more)
{
	char path[512];

	snprintf(path, sizeof(path), BASE "multiples?start_time=%lld&duration=10&by=hostname%s", (unsigned long long)by_host, (long long)t0, more);
	return get_json(&server, path);
}

static json_int_t number(const json_t *json, const char *name)
{
	return json_integer_value(json_object_get(json, name));
}

TEST(the_highest_p99_comes_first_and_the_others_are_counted)
{
	json_t *reply = multiples_json("&top=3"), *keys = json_object_get(reply, "keys");
	static const char *const want[] = { "h4", "h3", "h2" };

	assert_int_equal(json_array_size(keys), 3);
	assert_int_equal(number(reply, "more"), 2);
	for (size_t i = 0; i < 3; i++)
		assert_string_equal(json_string_value(json_object_get(json_array_get(keys, i), "key")), want[i]);
	assert_true(number(json_array_get(keys, 0), "p99") > number(json_array_get(keys, 1), "p99"));
	json_decref(reply);
}

TEST(the_columns_of_a_key_add_up_to_its_events)
{
	json_t *reply = multiples_json(""), *one, *n;
	size_t i, j;

	assert_int_equal(json_array_size(json_object_get(reply, "keys")), N_HOSTS);
	assert_int_equal(number(reply, "more"), 0);
	json_array_foreach(json_object_get(reply, "keys"), i, one) {
		json_int_t sum = 0;

		json_array_foreach(json_object_get(one, "columns"), j, n)
			sum += json_integer_value(n);
		assert_int_equal(sum, number(one, "count"));
		assert_int_equal(sum, i ? 100 : 50);
	}
	json_decref(reply);
}

TEST(a_host_that_did_not_report_has_unobserved_columns_in_its_own_map)
{
	json_t *reply = multiples_json(""), *keys = json_object_get(reply, "keys");

	for (size_t col = 0; col < 10; col++) {
		const json_t *gone = json_object_get(json_array_get(keys, 0), "states"), *there = json_object_get(json_array_get(keys, 1), "states");

		assert_int_equal(json_array_size(gone), 10);
		assert_string_equal(json_string_value(json_array_get(gone, col)), col < 5 ? "ok" : "unobserved");
		assert_string_equal(json_string_value(json_array_get(there, col)), "ok");
	}
	json_decref(reply);
}

TEST(selected_hosts_alone_have_maps)
{
	json_t *reply = multiples_json("&selected=h1,h2");

	assert_int_equal(json_array_size(json_object_get(reply, "keys")), 2);
	json_decref(reply);
	reply = multiples_json("&selected=h1,h2&exclude=true");
	assert_int_equal(json_array_size(json_object_get(reply, "keys")), 3);
	json_decref(reply);
}

TEST(a_page_has_a_name_for_each_map)
{
	static const char *const formats[] = { "png", "pdf", "svg" }, *const begins[] = { "\x89PNG", "%PDF", "<?xml" };
	char more[64];

	for (size_t i = 0; i < 3; i++) {
		struct answer a;

		snprintf(more, sizeof(more), "&by=hostname&top=2&format=%s", formats[i]);
		a = multiples(by_host, more);
		assert_int_equal(a.status, 200);
		assert_memory_equal(a.body, begins[i], strlen(begins[i]));
		if (i == 2)
			assert_non_null(strstr(a.body, "latency by hostname, the highest p99 first"));
		answer_fini(&a);
	}
}

static void refused(__u64 inst, const char *more, const char *sentence)
{
	struct answer a = multiples(inst, more);

	assert_int_equal(a.status, 409);
	if (!strstr(a.body, sentence))
		fail_msg("it says %s", a.body);
	answer_fini(&a);
}

TEST(requests_that_make_no_sense_are_refused)
{
	char before[96];

	refused(by_nothing, "", "keeps no fields apart");
	refused(by_host, "&by=statement", "statement");
	refused(by_host, "&top=49", "maximum is 48");
	refused(by_host, "&height=500&exclude=true", "exclude needs selected");
	snprintf(before, sizeof(before), "&by=hostname&format=png&selected=nobody");
	refused(by_host, before, "nothing to draw");
}

TEST_MAIN_WITH(start, stop)
