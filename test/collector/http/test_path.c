/* A path becomes a pattern without its numbers and ids, and the pattern is its own pattern. */
#include "collector/http/path_text.h"
#include "collector/http/path.h"
#include "collector/core/slice.h"
#include "test/kit/check.h"
#include "test/kit/digest_text_kit.h"

#include <stdio.h>

static const struct {
	const char *path, *pattern;
} cases[] = {
	{ "/", "/" },
	{ "/index.html", "/index.html" },
	{ "/users/42", "/users/?" },
	{ "/users/42/orders/7/", "/users/?/orders/?/" },
	{ "/img/12345.jpg", "/img/?.jpg" },
	{ "/v1/items", "/v1/items" },
	{ "/api/v2.1/x", "/api/v2.?/x" },
	{ "/item_42", "/item_?" },
	{ "/order-123-456", "/order-?" },
	{ "/log/2024-01-02", "/log/?" },
	{ "/x/550e8400-e29b-41d4-a716-446655440000", "/x/?" },
	{ "/x/550E8400-E29B-41D4-A716-446655440000.json", "/x/?.json" },
	{ "/x/550e8400-e29b-41d4-aaaa-feedbeefcafe/y", "/x/?/y" },
	{ "/commit/da39a3ee5e6b4b0d3255bfef95601890afd80709", "/commit/?" },
	{ "/main.4f2a9c1b.js", "/main.?.js" },
	{ "/main-4f2a9c1b.js", "/main-?.js" },
	{ "/deadbeef", "/deadbeef" },
	{ "/deadbeefdeadbeef", "/?" },
	{ "/dead1", "/dead1" },
	{ "/42-report", "/?-report" },
	{ "/42-cafe", "/?-cafe" },
	{ "/a/eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9", "/a/?" },
	{ "/a/internationalization2", "/a/internationalization2" },
	{ "/foo%20bar", "/foo%20bar" },
	{ "/foo%20", "/foo%20" },
	{ "/a;jsessionid=0123456789ABCDEF0123456789ABCDEF", "/a;jsessionid=?" },
	{ "//0//", "//?//" },
	{ "/caf\xc3\xa9/9", "/caf\xc3\xa9/?" },
};

TEST(numbers_and_ids_become_marks)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char out[LABEL_MAX + 1], again[LABEL_MAX + 1];
		__u64 code = digest_text_by(http_path_read, cases[i].path, strlen(cases[i].path), 1, out), same;

		assert_string_equal(out, cases[i].pattern);
		same = digest_text_by(http_path_read, out, strlen(out), 1, again);
		assert_string_equal(again, out);
		assert_true(code == same);
	}
}

TEST(a_predicate_finds_the_code_of_a_pattern)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct digest_sample unused;
		__u64 code = 0;

		assert_int_equal(digest_codes_by(http_path_read, cases[i].pattern, &code, 1), 1);
		assert_true(code == http_path_read(cases[i].path, strlen(cases[i].path), 1, &unused));
	}
}

TEST(every_pattern_is_its_own_pattern)
{
	static const char letters[] = "/-.%_abcdef0123456789xyzXYZ?";

	for (int round = 0; round < 20000; round++) {
		char path[80], out[LABEL_MAX + 1], again[LABEL_MAX + 1];
		size_t n = 1 + check_below(sizeof(path) - 2);
		__u64 code;

		for (size_t i = 0; i < n; i++)
			path[i] = letters[check_below(sizeof(letters) - 1)];
		path[0] = '/';
		path[n] = 0;
		code = digest_text_by(http_path_read, path, n, 1, out);
		if (digest_text_by(http_path_read, out, strlen(out), 1, again) != code)
			fail_msg("%s -> %s -> %s", path, out, again);
	}
}

TEST(a_path_beyond_what_is_read_differs_from_the_path_that_ends_there)
{
	struct digest_sample tokens;
	char path[PATH_LOOK + 2];
	__u64 whole;

	memset(path, 'a', sizeof(path));
	path[0] = '/';
	whole = http_path_read(path, PATH_LOOK, 1, &tokens);
	assert_int_equal(tokens.cut, 0);
	assert_true(http_path_read(path, PATH_LOOK + 1, 1, &tokens) != whole);
	assert_int_equal(tokens.cut, 1);
	assert_true(http_path_read(path, PATH_LOOK, 0, &tokens) != whole);
}

TEST_MAIN()
