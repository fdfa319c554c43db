#include "aggregator/base/json_get.h"

#include "test/kit/check.h"
#include "collector/core/instrumentation.h"

#include <errno.h>

static const char *const known[] = { "n", "text", "other", NULL };

TEST(a_number_may_be_a_text_and_null_is_absent)
{
	static const struct { const char *object; int got; double n; } cases[] = {
		{ "{\"n\": 5}", 1, 5 }, { "{\"n\": \"5e0\"}", 1, 5 }, { "{\"n\": 0}", 1, 0 }, { "{\"n\": 10}", 1, 10 },
		{ "{}", 0, -1 }, { "{\"n\": null}", 0, -1 },
		{ "{\"n\": \"\"}", -EINVAL, -1 }, { "{\"n\": \"5x\"}", -EINVAL, -1 }, { "{\"n\": \"nan\"}", -EINVAL, -1 },
		{ "{\"n\": true}", -EINVAL, -1 }, { "{\"n\": 10.1}", -EINVAL, -1 }, { "{\"n\": -1}", -EINVAL, -1 },
	};
	char reason[REASON_MAX];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		json_t *json = json_loads(cases[i].object, 0, NULL);
		double n = -1;

		if (json_get_number(json, "n", 0, 10, &n, reason) != cases[i].got || n != cases[i].n)
			fail_msg("%s: %g", cases[i].object, n);
		if (cases[i].got < 0)
			assert_string_equal(reason, "value for field \"n\" is invalid: it is a number from 0 to 10");
		json_decref(json);
	}
}

TEST(a_line_has_nothing_that_a_terminal_obeys)
{
	static const struct { const char *object; int got; } cases[] = {
		{ "{\"text\": \"1234\"}", 1 }, { "{\"text\": \"\"}", 1 }, { "{\"text\": \"\\u00a0\\u00df\"}", 1 }, { "{\"text\": null}", 0 },
		{ "{\"text\": \"12345\"}", -EINVAL }, { "{\"text\": 1}", -EINVAL }, { "{\"text\": \"\\n\"}", -EINVAL },
		{ "{\"text\": \"\\u001b\"}", -EINVAL }, { "{\"text\": \"\\u007f\"}", -EINVAL }, { "{\"text\": \"\\u0080\"}", -EINVAL },
		{ "{\"text\": \"a\\u009bb\"}", -EINVAL }, { "{\"text\": \"\\u009f\"}", -EINVAL },
	};
	char reason[REASON_MAX];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		json_t *json = json_loads(cases[i].object, 0, NULL);
		const char *text;

		if (json_get_line(json, "text", 4, &text, reason) != cases[i].got)
			fail_msg("%s", cases[i].object);
		if (cases[i].got > 0)
			assert_ptr_equal(text, json_string_value(json_object_get(json, "text")));
		json_decref(json);
	}
}

TEST(an_unknown_member_is_refused_with_the_known_ones)
{
	json_t *json = json_pack("{s:i, s:i}", "text", 1, "txet", 2);
	char reason[REASON_MAX];

	assert_int_equal(json_get_check(json, known, "a thing", reason), -EINVAL);
	assert_string_equal(reason, "a thing has no \"txet\"; it has n, text and other");
	json_object_del(json, "txet");
	assert_int_equal(json_get_check(json, known, "a thing", reason), 0);
	json_decref(json);
}

TEST_MAIN()
