#include "test/kit/check.h"
#include "aggregator/live/views.h"
#include "collector/core/instrumentation.h"

static int read_text(const char *text, struct views *ret_views, char *reason)
{
	const struct http_param param[] = { { "theme", "dark" }, { "views", text }, { "ncols", "60" } };

	return views_read(param, 3, ret_views, reason);
}

static const char *value_of(const struct input *in, const char *name)
{
	for (size_t i = 0; i < in->n; i++)
		if (!strcmp(in->param[i].name, name))
			return in->param[i].value;
	return "";
}

TEST(each_entry_is_an_instrumentation_and_its_parameters)
{
	struct views v;
	char reason[REASON_MAX] = "";

	assert_int_equal(read_text("[{\"instrumentation\": \"17\", \"measure\": \"latency\", \"ncols\": 300, \"weight\": null},"
				    " {\"instrumentation\": 4}]", &v, reason), 0);
	assert_int_equal(v.n, 2);
	assert_int_equal(v.view[0].inst, 17);
	assert_string_equal(value_of(&v.view[0].in, "measure"), "latency");
	assert_string_equal(value_of(&v.view[0].in, "weight"), "");
	assert_string_equal(value_of(&v.view[0].in, "ncols"), "300");
	assert_string_equal(value_of(&v.view[0].in, "theme"), "dark");
	assert_int_equal(v.view[1].inst, 4);
	assert_string_equal(value_of(&v.view[1].in, "ncols"), "60");
	assert_string_equal(value_of(&v.view[1].in, "views"), "");
	views_fini(&v);
}

TEST(an_invalid_view_is_refused_with_a_sentence)
{
	static const char *const wrong[] = {
		"", "{", "{}", "null", "[]", "[1]", "[[]]", "[{}]", "[{\"instrumentation\": 0}]", "[{\"instrumentation\": -4}]",
		"[{\"instrumentation\": 1.5}]", "[{\"instrumentation\": \"\"}]", "[{\"instrumentation\": \"x\"}]",
		"[{\"instrumentation\": \"1234567890123456789\"}]", "[{\"instrumentation\": 1}, 2]",
		"[{\"instrumentation\": 1, \"instrumentation\": 2}]", "[{\"instrumentation\": 1, \"selected\": {}}]",
	};
	struct views v;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		char reason[REASON_MAX] = "";

		if (read_text(wrong[i], &v, reason) != -EINVAL || !strstr(reason, "is invalid: "))
			fail_msg("%s: %s", wrong[i], reason);
	}
}

TEST(a_request_without_views_is_refused)
{
	const struct http_param param = { "ncols", "60" };
	char reason[REASON_MAX] = "";
	struct views v;

	assert_int_equal(views_read(&param, 1, &v, reason), -EINVAL);
	assert_string_equal(reason, "it needs the parameter \"views\"");
}

TEST(the_number_of_views_is_limited)
{
	for (int n = VIEWS_MAX; n <= VIEWS_MAX + 1; n++) {
		char text[VIEWS_MAX * 32 + 64] = "[", reason[REASON_MAX] = "";
		struct views v;
		int err;

		for (int i = 0; i < n; i++)
			strcat(text, i ? ",{\"instrumentation\":1}" : "{\"instrumentation\":1}");
		strcat(text, "]");
		err = read_text(text, &v, reason);
		assert_int_equal(err, n > VIEWS_MAX ? -EINVAL : 0);
		if (!err)
			views_fini(&v);
	}
}

TEST_MAIN()
