#include "test/kit/wire_kit.h"

#include <errno.h>

static struct source *parsed(json_t *hello)
{
	struct source *s = NULL;
	char reason[REASON_MAX] = "";

	if (source_hello(hello, &s, reason))
		fail_msg("%s", reason);
	json_decref(hello);
	return s;
}

TEST(a_hello_says_who_it_is_and_what_it_can)
{
	struct source *s = parsed(wire_hello("db1", "ok", ""));
	const struct offer *o = source_offer(s, "mysql", "queries");

	assert_string_equal(s->name, "db1");
	assert_true(s->incarnation == ~(__u64)0);
	assert_int_equal(s->pid, 42);
	assert_non_null(o);
	assert_true(o->ok);
	assert_int_equal(metric_field(o->metric, "latency")->high, 39);
	assert_int_equal(metric_field(o->metric, HOSTNAME_FIELD)->arity, FIELD_DISCRETE);
	assert_null(source_offer(s, "mysql", "locks"));
	source_free(s);
}

TEST(a_refused_metric_keeps_its_reason)
{
	struct source *s = parsed(wire_hello("db1", "refused", "CAP_BPF is missing"));

	assert_false(source_offer(s, "mysql", "queries")->ok);
	assert_string_equal(source_offer(s, "mysql", "queries")->reason, "CAP_BPF is missing");
	source_free(s);
}

TEST(a_metric_and_its_json_are_the_same_thing)
{
	json_t *json = wire_metric("ok", ""), *again;
	struct metric *m, *copy;
	char reason[REASON_MAX];

	assert_int_equal(metric_parse(json, &m, reason), 0);
	copy = metric_copy(m);
	metric_free(m);
	again = metric_to_json(copy);
	assert_true(json_equal(json, again));
	metric_free(copy);
	json_decref(json);
	json_decref(again);
}

TEST(states_add_up_and_a_new_start_forgets_them)
{
	struct source *s = parsed(wire_hello("db1", "ok", "")), *news;
	json_t *hello;
	char reason[REASON_MAX];
	json_t *one = json_pack("{s:[{s:i, s:s}]}", "instrumentations", "id", 1, "state", "active");
	json_t *two = json_pack("{s:[{s:i, s:s, s:s}]}", "instrumentations", "id", 2, "state", "failed", "reason", "64 MB");

	assert_int_equal(source_state(s, one, reason), 0);
	assert_int_equal(source_state(s, two, reason), 0);
	assert_true(source_inst(s, 1)->active);
	assert_false(source_inst(s, 2)->active);
	assert_string_equal(source_inst(s, 2)->reason, "64 MB");
	assert_true(source_inst(s, 1)->from_ns == 0);
	json_object_set_new(json_array_get(json_object_get(one, "instrumentations"), 0), "counts_from", json_integer(1700000001000000000));
	assert_int_equal(source_state(s, one, reason), 0);
	assert_true(source_inst(s, 1)->from_ns == 1700000001000000000);
	json_object_set_new(json_array_get(json_object_get(one, "instrumentations"), 0), "counts_from", json_integer(-1));
	assert_int_equal(source_state(s, one, reason), -EINVAL);
	assert_string_equal(reason, "an instrumentation counts from before 1970");
	source_forget(s, 1);
	assert_null(source_inst(s, 1));
	assert_non_null(source_inst(s, 2));

	news = parsed(wire_hello("db1", "ok", ""));
	source_renew(s, news);
	source_free(news);
	assert_non_null(source_inst(s, 2));		/* the same incarnation, on another connection */
	hello = wire_hello("db1", "ok", "");
	json_object_set_new(hello, "incarnation", json_string("8"));
	news = parsed(hello);
	source_renew(s, news);
	source_free(news);
	assert_null(source_inst(s, 2));
	assert_non_null(source_offer(s, "mysql", "queries"));
	json_decref(one);
	json_decref(two);
	source_free(s);
}

static void refuses_a_hello(json_t *hello, const char *sentence)
{
	struct source *s = NULL;
	char reason[REASON_MAX] = "";

	assert_int_equal(source_hello(hello, &s, reason), -EINVAL);
	assert_null(s);
	if (!strstr(reason, sentence))
		fail_msg("it says \"%s\", not \"%s\"", reason, sentence);
	json_decref(hello);
}

static json_t *hello_with(const char *name, json_t *value)
{
	json_t *hello = wire_hello("db1", "ok", "");

	json_object_set_new(hello, name, value);
	return hello;
}

TEST(each_label_of_a_host_is_a_field_of_every_metric)
{
	struct source *s = parsed(hello_with("labels", json_pack("{s:s, s:s}", "zone", "a", "role", "db"))), *news;
	const struct metric *m = source_offer(s, "mysql", "queries")->metric;
	struct metric *copy;

	assert_string_equal(host_field_value("label.role", "db1", &s->labels), "db");
	assert_int_equal(metric_field(m, "label.role")->arity, FIELD_DISCRETE);
	assert_string_equal(m->field[m->n_fields - 2].name, "label.zone");
	assert_string_equal(m->field[m->n_fields - 1].name, "hostname");
	copy = metric_copy(m);			/* as the store keeps it */
	assert_non_null(copy);
	assert_non_null(metric_field(copy, "label.zone"));
	metric_free(copy);
	news = parsed(wire_hello("db1", "ok", ""));
	source_renew(s, news);
	source_free(news);
	assert_int_equal(s->labels.n, 0);
	assert_null(metric_field(source_offer(s, "mysql", "queries")->metric, "label.zone"));
	source_free(s);
}

TEST(a_metric_of_many_labels_stays_readable)
{
	struct source *s = parsed(wire_hello("db1", "ok", ""));
	struct metric *m = metric_copy(source_offer(s, "mysql", "queries")->metric), *copy;
	char name[NAME_MAX_LEN];
	const struct field field = { .name = name, .label = "x", .type = "string", .arity = FIELD_DISCRETE };
	const struct metric other = { .field = &field, .n_fields = 1 };

	for (int i = 0; i < 300; i++) {
		snprintf(name, sizeof(name), "label.l%d", i);
		assert_int_equal(metric_add_fields(m, &other), 0);
	}
	assert_string_equal(m->field[m->n_fields - 1].name, "hostname");
	copy = metric_copy(m);
	assert_non_null(copy);
	metric_free(copy);
	metric_free(m);
	source_free(s);
}

TEST(refuses_an_invalid_hello)
{
	json_t *bad_labels = json_pack("{s:s}", "my role", "db");
	json_t *metric = wire_metric("ok", ""), *twice = wire_metric("ok", "");
	char long_name[SOURCE_MAX + 1];

	memset(long_name, 'x', sizeof(long_name));
	long_name[SOURCE_MAX] = 0;
	refuses_a_hello(hello_with("labels", bad_labels), "the label's name \"my role\" is invalid");
	refuses_a_hello(json_array(), "format 0 is not supported");
	refuses_a_hello(hello_with("format", json_integer(2)), "format 2 is not supported");
	refuses_a_hello(hello_with("source", json_string("")), "the source's name");
	refuses_a_hello(hello_with("source", json_string("a/b")), "the source's name");
	refuses_a_hello(hello_with("source", json_string("a\nb")), "the source's name");
	refuses_a_hello(hello_with("source", json_string(long_name)), "the source's name");
	refuses_a_hello(hello_with("source", json_integer(1)), "the source's name");
	refuses_a_hello(hello_with("incarnation", json_integer(1)), "incarnation");
	refuses_a_hello(hello_with("incarnation", json_string("-1")), "incarnation");
	refuses_a_hello(hello_with("incarnation", json_string("18446744073709551616")), "incarnation");
	refuses_a_hello(hello_with("metrics", json_object()), "array");
	refuses_a_hello(hello_with("metrics", json_pack("[{}]")), "state");
	json_object_set_new(metric, "module", json_string("my/sql"));
	refuses_a_hello(hello_with("metrics", json_pack("[o]", metric)), "not a valid name");
	json_array_append(json_object_get(twice, "fields"), json_array_get(json_object_get(twice, "fields"), 0));
	refuses_a_hello(hello_with("metrics", json_pack("[o]", twice)), "twice");
}

TEST(refuses_an_invalid_state)
{
	static const char *const bad[] = {
		"{}", "{\"instrumentations\": 1}", "{\"instrumentations\": [1]}",
		"{\"instrumentations\": [{\"id\": 1, \"state\": \"active\"}, {\"id\": 2, \"state\": \"well\"}]}",
		"{\"instrumentations\": [{\"id\": -1, \"state\": \"active\"}]}",
	};
	struct source *s = parsed(wire_hello("db1", "ok", ""));
	char reason[REASON_MAX];

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		json_t *json = json_loads(bad[i], 0, NULL);

		assert_int_equal(source_state(s, json, reason), -EINVAL);
		assert_null(source_inst(s, 1));		/* nothing of it was stored */
		json_decref(json);
	}
	source_free(s);
}

static json_t *states_of_ids(unsigned first, unsigned n)
{
	json_t *list = json_array();

	for (unsigned id = first; id < first + n; id++)
		json_array_append_new(list, json_pack("{s:i, s:s}", "id", id, "state", "active"));
	return json_pack("{s:o}", "instrumentations", list);
}

TEST(a_state_says_what_the_collector_uses_itself)
{
	struct source *s = source_new("db1");
	json_t *said = json_pack("{s:[], s:{s:I, s:I, s:i, s:s, s:i}}", "instrumentations", "self", "started", (json_int_t)1700000000000000000,
				  "cpu", (json_int_t)5000000000, "spool", -3, "in_flight", "7", "programs", 12);
	json_t *without = json_pack("{s:[]}", "instrumentations"), *odd = json_pack("{s:[], s:i}", "instrumentations", "self", 3);
	char reason[REASON_MAX];

	assert_int_equal(s->self.started_ns, 0);
	assert_int_equal(source_state(s, said, reason), 0);
	assert_int_equal(source_state(s, without, reason), 0);
	assert_int_equal(source_state(s, odd, reason), 0);
	assert_int_equal(s->self.started_ns, 1700000000000000000);
	assert_int_equal(s->self.cpu_ns, 5000000000);
	assert_int_equal(s->self.n_programs, 12);
	assert_int_equal(s->self.spool_bytes, 0);
	assert_int_equal(s->self.in_flight, 0);
	json_decref(said);
	json_decref(without);
	json_decref(odd);
	source_free(s);
}

/* The known states of a full source can change; a message with a new one changes nothing, not even the known. */
TEST(refuses_more_states_than_it_keeps)
{
	struct source *s = parsed(wire_hello("db1", "ok", ""));
	json_t *first = states_of_ids(1, 4095), *two_more = states_of_ids(4096, 2), *last = states_of_ids(4095, 2);
	char reason[REASON_MAX];

	assert_int_equal(source_state(s, first, reason), 0);
	assert_int_equal(source_state(s, two_more, reason), -EINVAL);
	assert_non_null(strstr(reason, "4096"));
	assert_null(source_inst(s, 4096));
	assert_int_equal(source_state(s, last, reason), 0);
	assert_int_equal(source_state(s, first, reason), 0);
	assert_int_equal(s->n_states, 4096);
	json_decref(first);
	json_decref(two_more);
	json_decref(last);
	source_free(s);
}

TEST_MAIN()
