#include "collector/core/where.h"
#include "test/kit/predicate_kit.h"

#include <errno.h>

static const char *type_of(void *arg, const char *name)
{
	const struct field *f = metric_field(&kit_metric, name);

	return f ? f->type : NULL;
}

static const struct where_fields fields = { type_of, NULL };

static void an_expression_becomes_a_predicate(void **state)
{
	static const char *const cases[][2] = {
		{ "statement = select", "{\"eq\":[\"statement\",\"select\"]}" },
		{ "statement=select", "{\"eq\":[\"statement\",\"select\"]}" },
		{ "  statement  ==  'select' ", "{\"eq\":[\"statement\",\"select\"]}" },
		{ "statement != \"a \\\"b\\\" \\u20ac\"", "{\"ne\":[\"statement\",\"a \\\"b\\\" \\u20ac\"]}" },
		{ "statement <> ''", "{\"ne\":[\"statement\",\"\"]}" },
		{ "pid = 77", "{\"eq\":[\"pid\",\"77\"]}" },
		{ "instance = [::]:3306", "{\"eq\":[\"instance\",\"[::]:3306\"]}" },
		{ "statement = 'and' and pid = \"or\"", "{\"and\":[{\"eq\":[\"statement\",\"and\"]},{\"eq\":[\"pid\",\"or\"]}]}" },
		{ "latency > 10ms", "{\"gt\":[\"latency\",10000000]}" },
		{ "latency > 10 ms", "{\"gt\":[\"latency\",10000000]}" },
		{ "latency>=1.5us", "{\"ge\":[\"latency\",1500]}" },
		{ "latency >= 1.5 µs", "{\"ge\":[\"latency\",1500]}" },
		{ "latency < 0.000000001s", "{\"lt\":[\"latency\",1]}" },
		{ "latency < 2.50000000000000 s", "{\"lt\":[\"latency\",2500000000]}" },
		{ "latency <= 7ns", "{\"le\":[\"latency\",7]}" },
		{ "latency > 0", "{\"gt\":[\"latency\",0]}" },
		{ "size > 4KiB", "{\"gt\":[\"size\",4096]}" },
		{ "size = 1.5 MiB", "{\"eq\":[\"size\",1572864]}" },
		{ "size != 12 B", "{\"ne\":[\"size\",12]}" },
		{ "size >= 5MB and size < 1 GB and size != 2kB", "{\"and\":[{\"ge\":[\"size\",5000000]},{\"lt\":[\"size\",1000000000]},{\"ne\":[\"size\",2000]}]}" },
		{ "load > 50", "{\"gt\":[\"load\",50]}" },
		{ "load > 50 %", "{\"gt\":[\"load\",50]}" },
		{ "calls = 9223372036854775807", "{\"eq\":[\"calls\",9223372036854775807]}" },
		{ " pid\t=\r\n1\r\n", "{\"eq\":[\"pid\",\"1\"]}" },
		{ "pid=1 and pid=2 and pid=3", "{\"and\":[{\"eq\":[\"pid\",\"1\"]},{\"eq\":[\"pid\",\"2\"]},{\"eq\":[\"pid\",\"3\"]}]}" },
		{ "pid=1 or pid=2 AND pid=3", "{\"or\":[{\"eq\":[\"pid\",\"1\"]},{\"and\":[{\"eq\":[\"pid\",\"2\"]},{\"eq\":[\"pid\",\"3\"]}]}]}" },
		{ "(pid=1 OR pid=2) and pid=3", "{\"and\":[{\"or\":[{\"eq\":[\"pid\",\"1\"]},{\"eq\":[\"pid\",\"2\"]}]},{\"eq\":[\"pid\",\"3\"]}]}" },
		{ "((pid=1))", "{\"eq\":[\"pid\",\"1\"]}" },
		{ "(latency>1ms)or(size<1KiB)", "{\"or\":[{\"gt\":[\"latency\",1000000]},{\"lt\":[\"size\",1024]}]}" },
		{ "hostname = db1", "{\"eq\":[\"hostname\",\"db1\"]}" },
	};
	char reason[WHERE_REASON] = "";

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		json_t *is = NULL, *should = json_loads(cases[i][1], 0, NULL);

		if (where_parse(cases[i][0], &fields, &is, reason))
			fail_msg("%s: %s", cases[i][0], reason);
		if (!json_equal(is, should))
			fail_msg("%s is %s, not %s", cases[i][0], json_dumps(is, 0), cases[i][1]);
		json_decref(is);
		json_decref(should);
	}
}

static void an_error_names_its_place(void **state)
{
	static const char *const cases[][2] = {
		{ "", "character 1: a field is missing before the end" },
		{ "statement", "character 10: one of = != < <= > >= is missing before the end" },
		{ "statement select", "character 11: one of = != < <= > >= is missing before \"select\"" },
		{ "statement =", "character 12: a value is missing before the end" },
		{ "statement = and pid = 1", "character 13: a value is missing before \"and\"" },
		{ "statement = (a)", "character 13: a value is missing before \"(\"" },
		{ "statement = a b", "character 15: `and` or `or` is missing before \"b\"" },
		{ "statement = a and", "character 18: a field is missing before the end" },
		{ "statement = a or and", "character 18: a field is missing before \"and\"" },
		{ "statement = a)", "character 14: `and` or `or` is missing before \")\"" },
		{ "pid = 1 and (statement = a", "character 13: this parenthesis is not closed" },
		{ "colour = red", "character 1: \"colour\" is not a field of this metric" },
		{ "pid = 1 and größe = 2", "character 13: \"größe\" is not a field of this metric" },
		{ "statement = 'größe' and colour = 2", "character 25: \"colour\" is not a field" },
		{ "statement > a", "character 11: texts are compared by = and != only" },
		{ "statement =! a", "character 11: \"=!\" is not one of = != < <= > >=" },
		{ "statement = 'a", "character 13: this quotation mark is not closed" },
		{ "statement = \"\\x\"", "character 13: this text cannot be read" },
		{ "latency > 10", "character 11: latency needs a unit: one of ns, us, ms, s" },
		{ "latency > 10 and pid = 1", "character 11: latency needs a unit: one of ns, us, ms, s" },
		{ "latency > 10 KiB", "character 14: \"KiB\" is not a unit of latency (units: ns, us, ms, s)" },
		{ "latency > 10min", "character 13: \"min\" is not a unit of latency (units: ns, us, ms, s)" },
		{ "latency > 1e6", "character 12: \"e6\" is not a unit of latency" },
		{ "latency > slow", "character 11: latency is a number and cannot be compared with a text" },
		{ "latency > '10ms'", "character 11: latency is a number and cannot be compared with a text" },
		{ "latency > -1ms", "character 11: latency is a number and cannot be compared with a text" },
		{ "latency > 1.5ns", "character 11: this is not a whole number of ns" },
		{ "latency > 1.0000000001s", "character 11: this is not a whole number of ns" },
		{ "size > 0.3KiB", "character 8: this is not a whole number of B" },
		{ "calls > 0.5", "character 9: this is not a whole number" },
		{ "calls > 5s", "character 10: \"s\" is not a unit of calls (units: none)" },
		{ "calls > 9223372036854775808", "character 9: this number is too large" },
		{ "calls > 99999999999999999999999999", "character 9: this number is too large" },
		{ "latency > 9999999999999999 s", "character 11: this number is too large" },
		{ "latency > 9223372036.9 s", "character 11: this number is too large" },
	};
	char reason[WHERE_REASON];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		json_t *is = NULL;

		assert_int_equal(where_parse(cases[i][0], &fields, &is, reason), -EINVAL);
		assert_null(is);
		if (strncmp(reason, cases[i][1], strlen(cases[i][1])))
			fail_msg("%s: \"%s\", not \"%s\"", cases[i][0], reason, cases[i][1]);
	}
}

static void depth_is_bounded(void **state)
{
	char text[3000], reason[WHERE_REASON];
	json_t *is = NULL;

	memset(text, '(', sizeof(text));
	strcpy(text + 1000, "pid=1");
	assert_int_equal(where_parse(text, &fields, &is, reason), -EINVAL);
	assert_string_equal(reason, "character 33: parentheses are nested more than 32 deep");
}

/* Pieces of expressions in any order: the parser ends, and says where the error is. */
static void any_bytes_are_refused_or_read(void **state)
{
	static const char *const piece[] = { "pid", "latency", "=", "<=", "!", "(", ")", "and", "or", " ", "'", "\"", "\\", "10", "ms", ".", "\xe2\x82", "x" };

	for (int i = 0; i < 50000; i++) {
		char text[256] = "", reason[WHERE_REASON];
		json_t *is = NULL;

		for (__u64 n = check_below(24); n; n--)
			strcat(text, piece[check_below(sizeof(piece) / sizeof(*piece))]);
		if (where_parse(text, &fields, &is, reason))
			assert_memory_equal(reason, "character ", 10);
		else
			json_decref(is);
	}
}

static int has_any(const json_t *json)
{
	const char *op = json_object_iter_key(json_object_iter((json_t *)json));
	const json_t *member;
	size_t i;

	if (!op)
		return 1;
	if (!strcmp(op, "and") || !strcmp(op, "or"))
		json_array_foreach(json_object_get(json, op), i, member)
			if (has_any(member))
				return 1;
	return 0;
}

static void a_title_is_read_back_as_its_predicate(void **state)
{
	int n = 0;

	for (int i = 0; i < 3000; i++) {
		json_t *json = kit_predicate(1 + (unsigned)check_below(PREDICATE_TERMS), 1), *back = NULL;
		char title[8192], reason[WHERE_REASON];
		struct predicate p;

		assert_int_equal(predicate_from_json(json, &p, reason), 0);
		if (!has_any(json)) {
			predicate_title(&p, &kit_metric, title, sizeof(title));
			if (where_parse(title, &fields, &back, reason))
				fail_msg("%s: %s", title, reason);
			assert_true(json_equal(json, back));
			json_decref(back);
			n++;
		}
		json_decref(json);
	}
	assert_in_range(n, 1000, 3000);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(an_expression_becomes_a_predicate),
	cmocka_unit_test(an_error_names_its_place),
	cmocka_unit_test(depth_is_bounded),
	cmocka_unit_test(any_bytes_are_refused_or_read),
	cmocka_unit_test(a_title_is_read_back_as_its_predicate),
};

CHECK_MAIN(tests)
