#include "check.h"
#include "../aggregator/views.h"
#include "../collector/instrumentation.h"

static void each_entry_is_an_instrumentation_and_its_parameters(void **state)
{
	struct views v;
	char reason[REASON_MAX] = "";

	assert_int_equal(views_read("[{\"instrumentation\": \"17\", \"measure\": \"latency\", \"ncols\": 300, \"weight\": null},"
				    " {\"instrumentation\": 4}]", &v, reason), 0);
	assert_int_equal(v.n, 2);
	assert_int_equal(v.view[0].inst, 17);
	assert_int_equal(v.view[0].in.n, 2);
	assert_string_equal(v.view[0].in.param[0].name, "measure");
	assert_string_equal(v.view[0].in.param[1].value, "300");
	assert_int_equal(v.view[1].inst, 4);
	assert_int_equal(v.view[1].in.n, 0);
	views_fini(&v);
}

static void what_is_none_is_refused_with_a_sentence(void **state)
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

		if (views_read(wrong[i], &v, reason) != -EINVAL || !strstr(reason, "is invalid: "))
			fail_msg("%s: %s", wrong[i], reason);
	}
}

static void there_is_a_most(void **state)
{
	for (int n = VIEWS_MAX; n <= VIEWS_MAX + 1; n++) {
		char text[VIEWS_MAX * 32 + 64] = "[", reason[REASON_MAX] = "";
		struct views v;
		int err;

		for (int i = 0; i < n; i++)
			strcat(text, i ? ",{\"instrumentation\":1}" : "{\"instrumentation\":1}");
		strcat(text, "]");
		err = views_read(text, &v, reason);
		assert_int_equal(err, n > VIEWS_MAX ? -EINVAL : 0);
		if (!err)
			views_fini(&v);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(each_entry_is_an_instrumentation_and_its_parameters),
	cmocka_unit_test(what_is_none_is_refused_with_a_sentence),
	cmocka_unit_test(there_is_a_most),
};

CHECK_MAIN(tests)
