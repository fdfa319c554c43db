#include "collector/core/predicate.h"
#include "test/kit/predicate_kit.h"

#include <errno.h>

static int read_text(const char *text, struct predicate *p, char *reason)
{
	int err;

	reason[0] = 0;
	err = predicate_from_text(text, p, reason);
	return err ? err : predicate_check(p, &kit_metric, reason);
}

static json_t *json_of(const char *text)
{
	json_t *json = json_loads(text, 0, NULL);

	assert_non_null(json);
	return json;
}

static void an_empty_predicate_accepts_everything(void **state)
{
	static const struct predicate zero;
	struct predicate p;
	char reason[REASON_MAX], title[80];
	json_t *json = predicate_to_json(&zero), *empty = json_object();

	assert_int_equal(read_text("{}", &p, reason), 0);
	assert_memory_equal(&p, &zero, sizeof(p));
	assert_int_equal(read_text("", &p, reason), 0);
	assert_memory_equal(&p, &zero, sizeof(p));
	assert_int_equal(predicate_decide(&zero, NULL, NULL), 1);
	assert_true(json_equal(json, empty));
	predicate_title(&p, &kit_metric, title, sizeof(title));
	assert_string_equal(title, "");
	json_decref(json);
	json_decref(empty);
}

#define E "{\"eq\":[\"statement\",\"select\"]}"
#define L "{\"gt\":[\"latency\",10000000]}"

/* The JSON of a predicate, and its title. */
static const char *const readable[][2] = {
	{ E, "statement = select" },
	{ "{\"and\":[" E "," L "]}", "statement = select and latency > 10 ms" },
	{ "{\"or\":[" E ",{\"and\":[" L "," E "]}]}", "statement = select or latency > 10 ms and statement = select" },
	{ "{\"and\":[{\"or\":[" E "," L "]}," E "]}", "(statement = select or latency > 10 ms) and statement = select" },
	{ "{\"and\":[{\"and\":[" E "," L "]}," E "]}", "(statement = select and latency > 10 ms) and statement = select" },
	{ "{\"and\":[{}," E "]}", "anything and statement = select" },
	{ "{\"ne\":[\"pid\",\"12\"]}", "pid != 12" },
	{ "{\"lt\":[\"latency\",1500]}", "latency < 1.5 us" },
	{ "{\"le\":[\"latency\",999]}", "latency <= 999 ns" },
	{ "{\"ge\":[\"latency\",2000000001]}", "latency >= 2.000000001 s" },
	{ "{\"ge\":[\"latency\",0]}", "latency >= 0" },
	{ "{\"lt\":[\"size\",8192]}", "size < 8 KiB" },
	{ "{\"lt\":[\"size\",8193]}", "size < 8193 B" },
	{ "{\"gt\":[\"load\",50]}", "load > 50" },
	{ "{\"eq\":[\"instance\",\"[::]:3306\"]}", "instance = \"[::]:3306\"" },
	{ "{\"eq\":[\"instance\",\"/run/mysqld.sock\"]}", "instance = /run/mysqld.sock" },
	{ "{\"eq\":[\"instance\",\"\"]}", "instance = \"\"" },
	{ "{\"eq\":[\"instance\",\"and\"]}", "instance = \"and\"" },
	{ "{\"eq\":[\"instance\",\"Or\"]}", "instance = \"Or\"" },
	{ "{\"eq\":[\"instance\",\"a \\\"b\\\"\"]}", "instance = \"a \\\"b\\\"\"" },
};

static void the_json_comes_back_as_it_was(void **state)
{
	for (size_t i = 0; i < sizeof(readable) / sizeof(*readable); i++) {
		json_t *json = json_of(readable[i][0]), *back;
		struct predicate p, again;
		char reason[REASON_MAX];

		assert_int_equal(predicate_from_json(json, &p, reason), 0);
		back = predicate_to_json(&p);
		assert_true(json_equal(json, back));
		assert_int_equal(predicate_from_json(back, &again, reason), 0);
		assert_memory_equal(&p, &again, sizeof(p));
		json_decref(json);
		json_decref(back);
	}
}

static void people_can_read_it(void **state)
{
	struct predicate p;
	char reason[REASON_MAX], title[200];

	for (size_t i = 0; i < sizeof(readable) / sizeof(*readable); i++) {
		assert_int_equal(read_text(readable[i][0], &p, reason), 0);
		predicate_title(&p, &kit_metric, title, sizeof(title));
		assert_string_equal(title, readable[i][1]);
	}
	assert_int_equal(read_text(L, &p, reason), 0);
	predicate_title(&p, NULL, title, sizeof(title));
	assert_string_equal(title, "latency > 10000000");
}

static void a_title_is_cut_to_its_buffer(void **state)
{
	struct predicate p;
	char reason[REASON_MAX], title[64];

	assert_int_equal(read_text("{\"eq\":[\"statement\",\"\\u00e4\\u00e4\\u00e4\\u00e4\\u00e4\\u00e4\\u00e4\\u00e4\"]}", &p, reason), 0);
	for (size_t room = 1; room < 40; room++) {
		memset(title, 'x', sizeof(title));
		predicate_title(&p, &kit_metric, title, room);
		assert_true(strlen(title) < room);
		assert_int_equal(title[room], 'x');
		json_decref(json_string(title));
		if (room >= 4 && room < 20)
			assert_string_equal(title + strlen(title) - 3, "…");
	}
	predicate_title(&p, &kit_metric, title, 20);
	assert_string_equal(title, "statement = \"ä…");
}

/* 5e6 is written as a whole number. */
static void whole_numbers_may_be_written_with_a_point(void **state)
{
	json_t *json = json_of("{\"ge\":[\"latency\",5e6]}"), *back;
	struct predicate p;
	char reason[REASON_MAX];

	assert_int_equal(predicate_from_json(json, &p, reason), 0);
	assert_true(p.term[0].number == 5000000);
	back = predicate_to_json(&p);
	assert_true(json_is_integer(json_array_get(json_object_get(back, "ge"), 1)));
	json_decref(json);
	json_decref(back);
}

static void refusals_name_the_error(void **state)
{
	static const char *const cases[][2] = {
		{ "{", "not JSON" },
		{ "{\"eq\":[\"statement\",\"a\"],\"eq\":[\"statement\",\"b\"]}", "not JSON: duplicate object key" },
		{ "[]", "must be a JSON object" },
		{ "{\"eq\":[\"statement\",\"a\"],\"ne\":[\"statement\",\"b\"]}", "exactly one key per object, but there are 2 (\"eq\", \"ne\")" },
		{ "{\"like\":[\"statement\",\"a\"]}", "\"like\" is not an operator; the operators are eq, ne, lt, le, gt, ge, and, or" },
		{ "{\"not\":" E "}", "\"not\" is not an operator" },
		{ "{\"eq\":{}}", "\"eq\" must be an array of a field name and a constant" },
		{ "{\"eq\":[\"statement\"]}", "\"eq\" must be an array of a field name and a constant" },
		{ "{\"eq\":[\"statement\",\"a\",\"b\"]}", "\"eq\" must be an array of a field name and a constant" },
		{ "{\"eq\":[1,\"a\"]}", "\"eq\" must have the name of a field first" },
		{ "{\"eq\":[\"\",\"a\"]}", "\"\" is not the name of a field" },
		{ "{\"eq\":[\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\",\"a\"]}", "is not the name of a field" },
		{ "{\"eq\":[\"statement\",null]}", "the constant for field \"statement\" must be a number or a string" },
		{ "{\"eq\":[\"statement\",[\"a\"]]}", "must be a number or a string" },
		{ "{\"eq\":[\"latency\",true]}", "must be a number or a string" },
		{ "{\"and\":[" E "]}", "\"and\" must be an array of at least two predicates" },
		{ "{\"or\":[]}", "\"or\" must be an array of at least two predicates" },
		{ "{\"and\":" E "}", "\"and\" must be an array of at least two predicates" },
		{ "{\"and\":[" E ",1]}", "must be a JSON object" },
		{ "{\"and\":[" E ",{\"xor\":[]}]}", "\"xor\" is not an operator" },
		{ "{\"eq\":[\"colour\",\"red\"]}", "\"colour\" is not a field of test.things; it has: statement, pid, hostname, latency" },
		{ "{\"lt\":[\"statement\",\"a\"]}", "field \"statement\" is discrete: only eq and ne are possible, not lt" },
		{ "{\"ge\":[\"pid\",\"7\"]}", "field \"pid\" is discrete: only eq and ne are possible, not ge" },
		{ "{\"eq\":[\"pid\",7]}", "field \"pid\" is discrete: its constant must be a string, not 7" },
		{ "{\"gt\":[\"latency\",\"7\"]}", "field \"latency\" is numeric: its constant must be a number, not \"7\"" },
		{ "{\"gt\":[\"latency\",-1]}", "value -1 for field \"latency\" is invalid: must be a whole number, at least 0" },
		{ "{\"gt\":[\"latency\",0.5]}", "value 0.5 for field \"latency\" is invalid: must be a whole number" },
		{ "{\"gt\":[\"calls\",1e300]}", "for field \"calls\" is invalid: must be a whole number" },
		{ "{\"gt\":[\"latency\",549755813889]}", "value 549755813889 for field \"latency\" is invalid: maximum is 549755813888" },
		{ "{\"gt\":[\"load\",129]}", "value 129 for field \"load\" is invalid: maximum is 128" },
	};
	struct predicate p;
	char reason[REASON_MAX];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		memset(&p, 0, sizeof(p));
		assert_int_equal(read_text(cases[i][0], &p, reason), -EINVAL);
		if (strncmp(reason, "predicate: ", 11) || !strstr(reason, cases[i][1]))
			fail_msg("%s says \"%s\", not \"%s\"", cases[i][0], reason, cases[i][1]);
	}
}

/* {"and": [T, T, ...]} with n members, the last one nested `depth` - 1 times in the same way. */
static json_t *tower(unsigned n, unsigned depth, int nested_first)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < n - (depth > 1); i++)
		json_array_append_new(list, json_of(E));
	if (depth > 1)
		json_array_insert_new(list, nested_first ? 0 : json_array_size(list), tower(n, depth - 1, nested_first));
	return json_pack("{s:o}", "and", list);
}

static int tower_is(unsigned n, unsigned depth, int nested_first, const char *sentence)
{
	json_t *json = tower(n, depth, nested_first);
	struct predicate p;
	char reason[REASON_MAX] = "";
	int err = predicate_from_json(json, &p, reason);

	json_decref(json);
	return err == (sentence ? -EINVAL : 0) && (!sentence || strstr(reason, sentence));
}

static void size_and_depth_are_bounded(void **state)
{
	char text[LABEL_MAX + 2], reason[REASON_MAX];
	struct predicate p;
	json_t *json;

	assert_true(tower_is(PREDICATE_TERMS, 1, 0, NULL));
	assert_true(tower_is(PREDICATE_TERMS + 1, 1, 0, "more than 32 comparisons"));
	assert_true(tower_is(1000, 1, 0, "more than 32 comparisons"));
	for (int first = 0; first < 2; first++) {
		assert_true(tower_is(2, PREDICATE_TERMS - 1, first, NULL));
		assert_true(tower_is(2, PREDICATE_TERMS, first, "predicate: "));
		assert_true(tower_is(2, 500, first, "predicate: "));
		assert_true(tower_is(31, 30, first, "more than 32 comparisons"));
	}
	memset(text, 'a', sizeof(text));
	text[LABEL_MAX] = 0;
	json = json_pack("{s:[s, s]}", "eq", "statement", text);
	assert_int_equal(predicate_from_json(json, &p, reason), 0);
	assert_string_equal(p.term[0].text, text);
	json_decref(json);
	text[LABEL_MAX] = 'a';
	json = json_pack("{s:[s, s%]}", "eq", "statement", text, sizeof(text));
	assert_int_equal(predicate_from_json(json, &p, reason), -EINVAL);
	assert_non_null(strstr(reason, "longer than 255 bytes"));
	json_decref(json);
	json = json_pack("{s:[s, s%]}", "eq", "statement", "a\0b", (size_t)3);
	assert_int_equal(predicate_from_json(json, &p, reason), -EINVAL);
	assert_non_null(strstr(reason, "zero byte"));
	json_decref(json);
}

/* A quotation in a sentence is cut between characters, because sentences travel in JSON. */
static void a_sentence_is_always_utf8(void **state)
{
	char text[400], reason[REASON_MAX];
	struct predicate p;

	for (size_t shift = 0; shift < 4; shift++) {
		json_t *json, *said;
		size_t len = shift;

		memset(text, 'x', shift);
		for (int i = 0; i < 60; i++, len += 3)
			memcpy(text + len, "\u20ac", 3);
		text[len] = 0;
		json = json_pack("{s:[s, s]}", text, "latency", text);
		assert_int_equal(predicate_from_json(json, &p, reason), -EINVAL);
		said = json_string(reason);
		assert_non_null(said);
		json_decref(said);
		json_decref(json);
	}
}

static int number_holds(const struct predicate_term *t, __u64 value)
{
	switch (t->op) {
	case PREDICATE_EQ: return value == t->number;
	case PREDICATE_NE: return value != t->number;
	case PREDICATE_LT: return value < t->number;
	case PREDICATE_LE: return value <= t->number;
	case PREDICATE_GT: return value > t->number;
	default: return value >= t->number;
	}
}

static int test_term(void *arg, const struct predicate_term *t)
{
	const struct event *e = arg;
	char label[64] = "db1";

	for (unsigned i = 0; i < KIT_NUMERIC; i++)
		if (!strcmp(t->field, kit_numeric[i]))
			return number_holds(t, e->measure[i]);
	for (unsigned i = 0; i < KIT_DISCRETE; i++)
		if (!strcmp(t->field, kit_discrete[i]))
			kit_label(i, e->field[i], label, sizeof(label));
	return predicate_holds_text(t, label);
}

static void the_decision_form_agrees_with_the_json(void **state)
{
	__u64 n_true = 0, n = 0;
	char reason[REASON_MAX];
	struct predicate p;
	struct event e;

	for (int i = 0; i < 10000; i++) {
		json_t *json = kit_predicate(1 + (unsigned)check_below(PREDICATE_TERMS), 1), *back;

		assert_int_equal(predicate_from_json(json, &p, reason), 0);
		assert_int_equal(predicate_check(&p, &kit_metric, reason), 0);
		back = predicate_to_json(&p);
		assert_true(json_equal(json, back));
		for (int j = 0; j < 10; j++) {
			int means;

			kit_event(&e);
			means = kit_means(json, &e);
			assert_int_equal(predicate_decide(&p, test_term, &e), means);
			n_true += means;
			n++;
		}
		json_decref(json);
		json_decref(back);
	}
	assert_in_range(n_true * 100 / n, 20, 80);	/* otherwise the test proves little */
}

static int refuse_term(void *arg, const struct predicate_term *t)
{
	return -ENODATA;
}

static void an_error_of_the_test_ends_the_decision(void **state)
{
	struct predicate p;
	char reason[REASON_MAX];

	assert_int_equal(read_text(E, &p, reason), 0);
	assert_int_equal(predicate_decide(&p, refuse_term, NULL), -ENODATA);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(an_empty_predicate_accepts_everything),
	cmocka_unit_test(the_json_comes_back_as_it_was),
	cmocka_unit_test(people_can_read_it),
	cmocka_unit_test(a_title_is_cut_to_its_buffer),
	cmocka_unit_test(whole_numbers_may_be_written_with_a_point),
	cmocka_unit_test(refusals_name_the_error),
	cmocka_unit_test(size_and_depth_are_bounded),
	cmocka_unit_test(a_sentence_is_always_utf8),
	cmocka_unit_test(the_decision_form_agrees_with_the_json),
	cmocka_unit_test(an_error_of_the_test_ends_the_decision),
};

CHECK_MAIN(tests)
