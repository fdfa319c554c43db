#include "aggregator/ingest/bus_sources.h"
#include "collector/bus/subjects.h"
#include "test/kit/check.h"
#include "test/kit/wire_kit.h"

#include <errno.h>
#include <stdio.h>
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

static int say(struct bench *b, const char *hello)
{
	return bus_sources_hello(b->sources, "db1", hello, strlen(hello), 1000, b->reason);
}

static int take(struct bench *b, const char *presence)
{
	return bus_sources_take(b->sources, "db1", presence, strlen(presence), 1000, b->reason);
}

/* As collectors write it.  The caller frees it. */
static char *hello(const char *incarnation)
{
	json_t *json = wire_hello("db1", "ok", "");
	char *text;

	json_object_set_new(json, "incarnation", json_string(incarnation));
	text = json_dumps(json, JSON_COMPACT);
	json_decref(json);
	return text;
}

static char *presence(const char *of_hello, unsigned cpu)
{
	char *text;

	assert_true(asprintf(&text, "{\"hello\":\"%016llx\",\"state\":{\"instrumentations\":[]},"
			     "\"self\":{\"instrumentations\":[],\"self\":{\"started\":1,\"cpu\":%u}}}",
			     (unsigned long long)hello_hash(of_hello, strlen(of_hello)), cpu) > 0);
	return text;
}

static int say_presence(struct bench *b, const char *of_hello, unsigned cpu)
{
	char *text = presence(of_hello, cpu);
	int err = take(b, text);

	free(text);
	return err;
}

static const struct source *db1(const struct bench *b)
{
	return catalog_source_first(b->r.catalog);
}

static void count_changes(void *arg, bool wanted)
{
	++*(int *)arg;
}

TEST(a_hello_that_comes_again_changes_nothing_but_a_presence_does)
{
	struct bench b;
	char *first = hello("1");
	int n_changes = 0;
	struct catalog_observer watch = { .changed = count_changes, .arg = &n_changes };

	begin(&b);
	assert_int_equal(say(&b, first), 0);
	assert_int_equal(say_presence(&b, first, 7), 0);
	catalog_observe(b.r.catalog, &watch);
	assert_int_equal(say(&b, first), 0);
	assert_int_equal(say_presence(&b, first, 8), 0);
	assert_int_equal(say(&b, first), 0);
	assert_int_equal(say_presence(&b, first, 9), 0);
	catalog_unobserve(b.r.catalog, &watch);
	assert_int_equal(n_changes, 0);
	assert_int_equal(db1(&b)->n_links, 1);
	assert_int_equal(db1(&b)->self.cpu_ns, 9);
	free(first);
	end(&b);
}

/* The bus has lost the hello, or the source said it before we came. */
TEST(a_presence_with_an_unknown_hello_changes_nothing_until_that_comes)
{
	struct bench b;
	char *first = hello("1"), *second = hello("2");

	begin(&b);
	assert_int_equal(say_presence(&b, first, 7), 1);
	assert_null(db1(&b));
	assert_int_equal(say(&b, first), 0);
	assert_int_equal(say_presence(&b, first, 7), 0);
	assert_int_equal(say_presence(&b, second, 8), 1);
	assert_int_equal(db1(&b)->self.cpu_ns, 7);
	assert_int_equal(db1(&b)->incarnation, 1);
	assert_int_equal(say(&b, second), 0);
	assert_int_equal(db1(&b)->incarnation, 2);
	assert_int_equal(bus_sources_incarnation(b.sources, "db1"), 2);
	assert_int_equal(db1(&b)->n_links, 1);
	assert_int_equal(say_presence(&b, second, 8), 0);
	assert_int_equal(db1(&b)->self.cpu_ns, 8);
	assert_int_equal(say_presence(&b, first, 9), 1);
	free(first);
	free(second);
	end(&b);
}

TEST(a_source_that_is_gone_comes_back_by_its_hello)
{
	struct bench b;
	char *first = hello("1");

	begin(&b);
	assert_int_equal(say(&b, first), 0);
	assert_int_equal(take(&b, "{\"gone\": true}"), 0);
	assert_int_equal(db1(&b)->n_links, 0);
	assert_int_equal(bus_sources_incarnation(b.sources, "db1"), 0);
	assert_int_equal(say_presence(&b, first, 7), 1);
	assert_int_equal(db1(&b)->n_links, 0);
	assert_int_equal(say(&b, first), 0);
	assert_int_equal(db1(&b)->n_links, 1);
	bus_sources_expire(b.sources, 1000 + 60 * 1000);
	assert_int_equal(db1(&b)->n_links, 1);
	bus_sources_expire(b.sources, 1001 + 60 * 1000);
	assert_int_equal(db1(&b)->n_links, 0);
	assert_int_equal(say_presence(&b, first, 7), 1);	/* it was stopped for a while, and its connection lives */
	free(first);
	end(&b);
}

/* A source that lives keeps its place, also while its new hello is on its way. */
TEST(a_presence_with_an_unknown_hello_keeps_the_source_alive)
{
	struct bench b;
	char *first = hello("1"), *second = hello("2"), *text = presence(second, 7);

	begin(&b);
	assert_int_equal(say(&b, first), 0);
	assert_int_equal(bus_sources_take(b.sources, "db1", text, strlen(text), 50000, b.reason), 1);
	bus_sources_expire(b.sources, 100000);
	assert_int_equal(db1(&b)->n_links, 1);
	free(first);
	free(second);
	free(text);
	end(&b);
}

/* Its collector would publish the same one, 44 kB, every 15 s. */
TEST(a_hello_that_was_refused_is_not_asked_for_again_soon)
{
	static const char refused[] = "{\"source\":\"db1\"}";
	struct bench b;
	char *first = hello("1"), *text = presence(refused, 7);

	begin(&b);
	assert_int_equal(say_presence(&b, refused, 7), 1);
	assert_int_equal(say(&b, refused), -EINVAL);
	assert_int_equal(say_presence(&b, refused, 7), 0);
	assert_null(db1(&b));
	assert_int_equal(say_presence(&b, first, 7), 1);
	assert_int_equal(bus_sources_take(b.sources, "db1", text, strlen(text), 1000 + 599999, b.reason), 0);
	assert_int_equal(bus_sources_take(b.sources, "db1", text, strlen(text), 1000 + 600000, b.reason), 1);
	assert_int_equal(say(&b, first), 0);
	assert_int_equal(say_presence(&b, first, 7), 0);
	assert_int_equal(say_presence(&b, refused, 7), 1);
	free(first);
	free(text);
	end(&b);
}

TEST(values_that_are_none_are_refused_and_change_nothing)
{
	static const char *const bad_hello[] = { "", "{", "[]", "{}", "{\"source\":\"db2\"}", "{\"source\":\"db1\"}",
						 "{\"stream\":\"KV_heatscope_hellos\",\"seq\":7}" };
	static const char *const bad_presence[] = { "", "{", "[]", "{}", "{\"hello\":{}}", "{\"hello\":\"\"}", "{\"hello\":\"12\"}",
						    "{\"hello\":\"00000000000000zz\"}", "{\"gone\":false}",
						    "{\"stream\":\"KV_heatscope_sources\",\"seq\":7}" };
	struct bench b;
	char *first = hello("1"), *cut;

	begin(&b);
	for (int again = 0; again < 2; again++) {
		for (size_t i = 0; i < sizeof(bad_hello) / sizeof(*bad_hello); i++)
			assert_int_equal(say(&b, bad_hello[i]), -EINVAL);
		for (size_t i = 0; i < sizeof(bad_presence) / sizeof(*bad_presence); i++)
			assert_int_equal(take(&b, bad_presence[i]), -EINVAL);
		assert_int_equal(say(&b, first), 0);
		assert_int_equal(say_presence(&b, first, 7), 0);
	}
	cut = strndup(first, strlen(first) - 2);
	assert_int_equal(say(&b, cut), -EINVAL);
	assert_int_equal(db1(&b)->n_links, 1);
	assert_int_equal(db1(&b)->self.cpu_ns, 7);
	assert_int_equal(say_presence(&b, first, 8), 0);
	free(cut);
	free(first);
	end(&b);
}

TEST_MAIN()
