#include "test/kit/check.h"
#include "aggregator/http/input.h"
#include "collector/core/instrumentation.h"

#include <errno.h>

#define FORM "application/x-www-form-urlencoded"
#define JSON "application/json"

static const struct http_param query[] = { { "a", "1" }, { "b", "2" } };

static struct raw_input raw_of(const char *type, const char *body)
{
	return (struct raw_input){ query, 2, type, body, strlen(body) };
}

static const char *value_of(const struct input *in, const char *name)
{
	for (size_t i = 0; i < in->n; i++)
		if (!strcmp(in->param[i].name, name))
			return in->param[i].value;
	return NULL;
}

TEST(the_body_takes_precedence_over_the_query_string)
{
	static const struct { const char *type, *body, *a, *c; size_t n; } cases[] = {
		{ "", "", "1", NULL, 2 },
		{ FORM, "a=3&c=x+y%2C%41", "3", "x y,A", 3 },
		{ FORM "; charset=utf-8", "&&c&", "1", "", 3 },
		{ FORM, "c=100%&a==", "=", "100%", 3 },
		{ JSON, "{\"a\": 3, \"c\": \"x\"}", "3", "x", 3 },
		{ "", " {\"a\": 1.5, \"c\": true}", "1.5", "true", 3 },
		{ FORM, "{\"a\": 0.99, \"c\": null}", "0.99", NULL, 2 },
		{ "application/JSON;charset=utf-8", "{\"c\": [\"x\", \"y,z\", \"\\\\\", 7]}", "1", "x,y\\,z,\\\\,7", 3 },
	};
	char reason[REASON_MAX];
	struct input in;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct raw_input raw = raw_of(cases[i].type, cases[i].body);

		if (input_read(&raw, &in, reason))
			fail_msg("%s: %s", cases[i].body, reason);
		assert_int_equal(in.n, cases[i].n);
		assert_string_equal(value_of(&in, "a"), cases[i].a);
		assert_string_equal(value_of(&in, "b"), "2");
		if (cases[i].c)
			assert_string_equal(value_of(&in, "c"), cases[i].c);
		else
			assert_null(value_of(&in, "c"));
		input_fini(&in);
	}
}

TEST(an_object_keeps_what_json_says)
{
	const struct raw_input raw = raw_of(JSON, "{\"b\": [1, {}], \"c\": 0.25}"), form = raw_of(FORM, "b=x");
	char reason[REASON_MAX];
	json_t *json;

	assert_int_equal(input_object(&raw, NULL, &json, reason), 0);
	assert_string_equal(json_string_value(json_object_get(json, "a")), "1");
	assert_int_equal(json_array_size(json_object_get(json, "b")), 2);
	assert_true(json_real_value(json_object_get(json, "c")) == 0.25);
	json_decref(json);
	assert_int_equal(input_object(&form, NULL, &json, reason), 0);
	assert_string_equal(json_string_value(json_object_get(json, "b")), "x");
	json_decref(json);
}

TEST(a_list_may_be_given_in_pieces_and_nothing_else_twice)
{
	static const char *const lists[] = { "l", NULL };
	const struct http_param in_query[] = { { "l", "a" }, { "l", "b,c" }, { "l", "d" }, { "x", "1" } };
	const struct raw_input twice = { in_query, 4, "", "", 0 }, form = raw_of(FORM, "l=a&x=1&l=b"), bad = raw_of(FORM, "l=a&x=1&x=1");
	char reason[REASON_MAX];
	json_t *json;

	assert_int_equal(input_object(&twice, lists, &json, reason), 0);
	assert_int_equal(json_array_size(json_object_get(json, "l")), 3);
	assert_string_equal(json_string_value(json_array_get(json_object_get(json, "l"), 2)), "d");
	json_decref(json);
	assert_int_equal(input_object(&form, lists, &json, reason), 0);
	assert_int_equal(json_array_size(json_object_get(json, "l")), 2);
	json_decref(json);
	assert_int_equal(input_object(&form, NULL, &json, reason), -EINVAL);
	assert_int_equal(input_object(&bad, lists, &json, reason), -EINVAL);
	assert_non_null(strstr(reason, "\"x\" is given more than once"));
}

TEST(malformed_input_is_refused)
{
	static const struct { const char *type, *body; int err; const char *says; } cases[] = {
		{ JSON, "{", -EINVAL, "not JSON" }, { JSON, "[]", -EINVAL, "must be a JSON object" },
		{ JSON, "a=1", -EINVAL, "not JSON" }, { "", "a=1", -EINVAL, "not JSON" },
		{ JSON, "{\"a\": 1, \"a\": 2}", -EINVAL, "duplicate" },
		{ FORM, "a=%00", -EINVAL, "a byte 0" },
		{ "multipart/form-data; boundary=x", "{}", -EPROTONOSUPPORT, "multipart" },
		{ "text/plain", "a=1", -EPROTONOSUPPORT, "text/plain" },
		{ "application/jsonx", "5", -EPROTONOSUPPORT, "application/jsonx" },
	};
	char reason[REASON_MAX];
	struct input in;
	json_t *json;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct raw_input raw = raw_of(cases[i].type, cases[i].body);

		assert_int_equal(input_read(&raw, &in, reason), cases[i].err);
		assert_non_null(strstr(reason, cases[i].says));
		assert_int_equal(input_object(&raw, NULL, &json, reason), cases[i].err);
		assert_non_null(strstr(reason, cases[i].says));
	}
}

TEST(values_are_texts_numbers_words_or_lists_of_them)
{
	static const char *const bad[] = { "{\"a\": {}}", "{\"a\": [[]]}", "{\"a\": [\"x\", null]}" };
	char reason[REASON_MAX];
	struct input in;

	for (size_t i = 0; i < 3; i++) {
		const struct raw_input raw = raw_of(JSON, bad[i]);

		assert_int_equal(input_read(&raw, &in, reason), -EINVAL);
		assert_non_null(strstr(reason, "value for parameter \"a\" is invalid"));
	}
}

TEST(texts_of_a_form_must_be_utf8_to_become_an_object)
{
	const struct raw_input raw = raw_of(FORM, "x%ff=1");
	char reason[REASON_MAX];
	json_t *json;

	assert_int_equal(input_object(&raw, NULL, &json, reason), -EINVAL);
	assert_non_null(strstr(reason, "not UTF-8"));
}

TEST(the_number_of_parameters_is_limited)
{
	char body[2048] = "", reason[REASON_MAX];
	struct raw_input raw;
	struct input in;

	for (int i = 0; i < 200; i++)
		strcat(body, "x=1&");
	raw = raw_of(FORM, body);
	assert_int_equal(input_read(&raw, &in, reason), -EINVAL);
	assert_non_null(strstr(reason, "too many parameters"));
}

TEST_MAIN()
