#include "aggregator/ingest/bus_sources.h"
#include "test/kit/check.h"
#include "test/kit/wire_kit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct bench {
	struct rig r;
	struct bus_sources *sources;
	char reason[REASON_MAX];
};

static void begin(struct bench *b)
{
	rig_begin(&b->r, NULL);
	b->sources = bus_sources_new(b->r.catalog, false);
	assert_non_null(b->sources);
}

static void end(struct bench *b)
{
	bus_sources_free(b->sources);
	rig_end(&b->r);
}

static int take(struct bench *b, const char *text)
{
	return bus_sources_take(b->sources, "db1", text, strlen(text), 1000, b->reason);
}

/* A value as collectors write it; braces and quotes in a text are no end of the hello. */
static char *value(const char *incarnation, unsigned cpu)
{
	json_t *hello = wire_hello("db1", "ok", ""), *value;
	char *text;

	json_object_set_new(hello, "incarnation", json_string(incarnation));
	json_object_set_new(hello, "kernel", json_string("}}\\\"}{ \"\\"));
	value = json_pack("{s:o, s:{s:[]}, s:{s:[], s:{s:i, s:i}}}", "hello", hello, "state", "instrumentations", "self", "instrumentations",
			  "self", "started", 1, "cpu", (int)cpu);
	text = json_dumps(value, JSON_COMPACT);
	json_decref(value);
	return text;
}

static void must_take(struct bench *b, char *text)
{
	assert_int_equal(take(b, text), 0);
	free(text);
}

static const struct source *db1(const struct bench *b)
{
	return catalog_source_first(b->r.catalog);
}

static void count_changes(void *arg, bool wanted)
{
	++*(int *)arg;
}

TEST(a_hello_that_comes_again_changes_nothing_but_the_rest_does)
{
	struct bench b;
	int n_changes = 0;
	struct catalog_observer watch = { .changed = count_changes, .arg = &n_changes };

	begin(&b);
	must_take(&b, value("1", 7));
	assert_string_equal(db1(&b)->kernel, "}}\\\"}{ \"\\");
	catalog_observe(b.r.catalog, &watch);
	must_take(&b, value("1", 7));
	must_take(&b, value("1", 8));
	must_take(&b, value("1", 9));
	catalog_unobserve(b.r.catalog, &watch);
	assert_int_equal(n_changes, 0);
	assert_int_equal(db1(&b)->n_links, 1);
	assert_int_equal(db1(&b)->self.cpu_ns, 9);
	end(&b);
}

/* The same length, so they differ by the hash alone. */
TEST(another_hello_is_taken)
{
	struct bench b;

	begin(&b);
	must_take(&b, value("1", 7));
	must_take(&b, value("2", 7));
	assert_int_equal(db1(&b)->incarnation, 2);
	assert_int_equal(db1(&b)->n_links, 1);
	assert_int_equal(bus_sources_incarnation(b.sources, "db1"), 2);
	must_take(&b, value("1", 8));
	assert_int_equal(db1(&b)->incarnation, 1);
	end(&b);
}

TEST(a_source_that_is_gone_says_hello_again)
{
	struct bench b;

	begin(&b);
	must_take(&b, value("1", 7));
	assert_int_equal(take(&b, "{\"gone\": true}"), 0);
	assert_int_equal(db1(&b)->n_links, 0);
	must_take(&b, value("1", 7));
	assert_int_equal(db1(&b)->n_links, 1);
	bus_sources_expire(b.sources, 1000 + 1000 * 1000);
	assert_int_equal(db1(&b)->n_links, 0);
	must_take(&b, value("1", 7));
	assert_int_equal(db1(&b)->n_links, 1);
	end(&b);
}

TEST(values_that_are_none_are_refused_also_after_a_good_one)
{
	static const char *const bad[] = { "", "{", "[]", "{\"state\": {}}", "{\"hello\":{", "{\"hello\":{}", "{\"hello\":{}}",
					   "{\"hello\":{\"source\":\"db2\"}}" };
	struct bench b;
	char *good = value("1", 7), *cut;

	begin(&b);
	for (int again = 0; again < 2; again++) {
		for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
			for (int twice = 0; twice < 2; twice++)
				assert_int_equal(take(&b, bad[i]), -EINVAL);
		assert_int_equal(take(&b, good), 0);
	}
	cut = strndup(good, strlen(good) - 2);	/* the hello is whole, and known */
	assert_int_equal(take(&b, cut), -EINVAL);
	assert_int_equal(db1(&b)->n_links, 1);
	assert_int_equal(db1(&b)->self.cpu_ns, 7);
	free(cut);
	free(good);
	end(&b);
}

TEST(members_in_another_order_are_taken_too)
{
	struct bench b;
	json_t *hello = wire_hello("db1", "ok", ""), *json;
	char *text;

	begin(&b);
	for (int cpu = 7; cpu < 9; cpu++) {
		json = json_pack("{s:{s:[], s:{s:i, s:i}}, s:O}", "self", "instrumentations", "self", "started", 1, "cpu", cpu, "hello", hello);
		text = json_dumps(json, JSON_COMPACT);
		must_take(&b, text);
		json_decref(json);
		assert_int_equal(db1(&b)->self.cpu_ns, cpu);
	}
	json_decref(hello);
	end(&b);
}

TEST_MAIN()
