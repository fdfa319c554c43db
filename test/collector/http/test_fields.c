#include "collector/http/http.h"
#include "collector/http/fields.h"
#include "collector/http/method.h"
#include "collector/core/slice.h"
#include "test/kit/check.h"

TEST(fields_are_in_the_events_order)
{
	static const char *const fields[HTTP_N_FIELDS] = {
		[HTTP_METHOD] = "method", [HTTP_PATH] = "path", [HTTP_STATUS] = "status", [HTTP_CLASS] = "class", [HTTP_HOST] = "host",
		[HTTP_CLIENT] = "client", [HTTP_INSTANCE] = "instance", [HTTP_PID] = "pid", [HTTP_EXECNAME] = "execname",
		[HTTP_BLOCKED_IN] = "blocked_in",
		[HTTP_CGROUP] = "cgroup", [HTTP_CONTAINER] = "container", [HTTP_POD] = "pod", [HTTP_CONTAINER_NAME] = "containername",
	};

	for (int i = 0; i < HTTP_N_FIELDS; i++)
		assert_int_equal(metric_index(&http_metric, fields[i], FIELD_DISCRETE), i);
	assert_int_equal(metric_index(&http_metric, "latency", FIELD_NUMERIC), TURN_LATENCY);
	assert_int_equal(metric_index(&http_metric, "n_fs", FIELD_NUMERIC), TURN_N_FS);
	assert_int_equal(http_metric.n_fields, HTTP_N_FIELDS + 1 + TURN_N_MEASURES);
}

TEST(labels_have_their_codes)
{
	static const struct {
		const struct field_codes *codes;
		__u64 code;
		const char *text;
	} cases[] = {
		{ &http_method_codes, METHOD_GET, "GET" }, { &http_method_codes, METHOD_PURGE, "PURGE" },
		{ &http_method_codes, METHOD_OPAQUE, "opaque" }, { &http_method_codes, METHOD_ENCRYPTED, "encrypted" },
		{ &http_status_codes, 200, "200" }, { &http_status_codes, 404, "404" }, { &http_status_codes, STATUS_UNKNOWN, "unknown" },
		{ &http_class_codes, 2, "2xx" }, { &http_class_codes, 5, "5xx" }, { &http_class_codes, STATUS_UNKNOWN, "unknown" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char out[LABEL_MAX + 1];
		__u64 code = 99999;

		codes_label(cases[i].codes, NULL, 0, cases[i].code, out);
		assert_string_equal(out, cases[i].text);
		assert_int_equal(codes_find(cases[i].codes, NULL, 0, cases[i].text, &code, 1), 1);
		assert_int_equal(code, cases[i].code);
	}
}

TEST(a_text_that_is_no_status_has_no_code)
{
	static const char *const texts[] = { "", "20", "2000", "2xx", "abc" };
	__u64 code;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_int_equal(codes_find(&http_status_codes, NULL, 0, texts[i], &code, 1), 0);
}

TEST(every_method_of_the_list_is_found_by_its_word)
{
#define CASE(name, letters) assert_int_equal(method_of_word(WORD(letters), strnlen(letters, 8)), METHOD_##name);
	METHOD_WORDS(CASE)
	assert_int_equal(method_of_word(WORD("BREW\0\0\0\0"), 4), METHOD_OTHER);
	assert_int_equal(method_of_word(WORD("PROPFIND"), 9), METHOD_OTHER);
}

TEST_MAIN()
