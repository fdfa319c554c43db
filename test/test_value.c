#include "check.h"
#include "server.h"
#include "../aggregator/value.h"

#include <errno.h>

static struct server server;
static const struct catalog_inst *inst;

static void on_made(void *arg, int err, const struct catalog_inst *made)
{
	assert_int_equal(err, 0);
	inst = made;
}

static int start(void **state)
{
	json_t *hello = server_hello("db1"), *request;
	const char *name;
	char reason[REASON_MAX];

	server_open(&server, false);
	assert_int_equal(catalog_hello(server.a.catalog, hello, &name, reason), 0);
	request = json_pack("{s:s, s:s, s:[s, s, s], s:[s, s]}", "module", "mysql", "stat", "queries", "decomposition",
			    "statement", "command", "latency", "measures", "latency", "cputime");
	assert_int_equal(catalog_create(server.a.catalog, request, now_ns(), on_made, NULL, reason), 0);
	while (!inst)
		uv_run(&server.loop, UV_RUN_ONCE);
	json_decref(hello);
	json_decref(request);
	return 0;
}

static int stop(void **state)
{
	server_close(&server);
	return 0;
}

static struct value *value_of(enum value_kind kind, const char *name, const char *text)
{
	const struct http_param param[] = { { name, text } };
	char reason[PARAMS_REASON_MAX] = "";
	struct value *v;

	if (value_new(&server.a, inst, kind, param, name != NULL, &v, reason))
		fail_msg("%s", reason);
	return v;
}

static void each_kind_folds_what_it_needs(void **state)
{
	static const struct { enum value_kind kind; const char *name, *text; size_t n_folds, n_key_folds; } cases[] = {
		{ VALUE_RAW, NULL, NULL, 1, 1 }, { VALUE_RAW, "measure", "*", 1, 2 }, { VALUE_KEYS, NULL, NULL, 1, 1 },
		{ VALUE_IMAGE, NULL, NULL, 1, 1 }, { VALUE_IMAGE, "format", "png", 1, 0 }, { VALUE_FIGURE, NULL, NULL, 1, 0 },
		{ VALUE_GRID, NULL, NULL, 1, 0 }, { VALUE_STREAM, NULL, NULL, 1, 0 }, { VALUE_REPORT, NULL, NULL, 2, 1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct value *v = value_of(cases[i].kind, cases[i].name, cases[i].text);

		assert_int_equal(v->n_folds, cases[i].n_folds);
		assert_int_equal(v->n_key_folds, cases[i].n_key_folds);
		assert_string_equal(v->title, "queries by statement, command");
		value_free(v);
	}
}

static void a_title_tells_the_predicate(void **state)
{
	struct catalog_inst with = *inst;
	char reason[PARAMS_REASON_MAX] = "";
	struct value *v;

	assert_int_equal(predicate_from_text("{\"and\": [{\"eq\": [\"statement\", \"select\"]}, {\"gt\": [\"latency\", 10000000]}]}",
					     &with.in.predicate, reason), 0);
	assert_int_equal(value_new(&server.a, &with, VALUE_FIGURE, NULL, 0, &v, reason), 0);
	assert_string_equal(v->title, "queries by statement, command predicated on statement = select and latency > 10 ms");
	value_free(v);
}

static void names_are_looked_up_in_the_instrumentation(void **state)
{
	static const struct { enum value_kind kind; const char *name, *text, *says; } cases[] = {
		{ VALUE_GRID, "measure", "offcpu", "has latency, cputime" }, { VALUE_GRID, "measure", "*", "latency" },
		{ VALUE_KEYS, "by", "hostname", "has statement, command" }, { VALUE_KEYS, "by", "latency", "statement" },
	};
	struct value *v;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct http_param param[] = { { cases[i].name, cases[i].text } };
		char reason[PARAMS_REASON_MAX] = "";

		assert_int_equal(value_new(&server.a, inst, cases[i].kind, param, 1, &v, reason), -EINVAL);
		assert_non_null(strstr(reason, cases[i].says));
	}
	v = value_of(VALUE_GRID, "measure", "cputime");
	assert_int_equal(v->fold_axis[0], 1);
	value_free(v);
	v = value_of(VALUE_KEYS, "by", "command");
	assert_int_equal(v->drop & 3, 1);
	value_free(v);
}

static void a_stream_reaches_to_the_slot_that_is_going_on(void **state)
{
	struct value *v = value_of(VALUE_STREAM, "duration", "10");

	assert_true(v->head.rounded.to > v->now_ns);
	assert_true(v->head.rounded.to - v->now_ns <= 1000000000);
	assert_int_equal(v->head.rounded.to - v->head.rounded.from, 10000000000ll);
	value_free(v);
}

static void on_done(struct value *v, void *arg)
{
	*(struct value **)arg = v;
}

static void a_value_is_never_done_before_run_returns(void **state)
{
	static const enum value_kind kinds[] = { VALUE_RAW, VALUE_KEYS, VALUE_GRID };

	for (size_t i = 0; i < 3; i++) {
		struct value *done = NULL, *v = value_of(kinds[i], NULL, NULL);

		value_run(v, on_done, &done);
		assert_null(done);
		while (!done)
			uv_run(&server.loop, UV_RUN_ONCE);
		assert_ptr_equal(done, v);
		assert_int_equal(v->status, 200);
		assert_string_equal(v->type, "application/json");
		assert_int_equal(((char *)v->data)[v->len - 1], '\n');
		value_free(v);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_kind_folds_what_it_needs),
		cmocka_unit_test(a_title_tells_the_predicate),
	cmocka_unit_test(names_are_looked_up_in_the_instrumentation),
		cmocka_unit_test(a_stream_reaches_to_the_slot_that_is_going_on),
		cmocka_unit_test(a_value_is_never_done_before_run_returns),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, start, stop);
}
