#include "collector/d/text/error.h"
#include "test/kit/check.h"

#include <errno.h>

static const struct d_script script = { NULL, "one\ntwo\n\nfour", 13 };

TEST(a_place_is_line_and_column)
{
	static const struct {
		__u32 at;
		unsigned line, column;
	} rows[] = { { 0, 1, 1 }, { 2, 1, 3 }, { 3, 1, 4 }, { 4, 2, 1 }, { 8, 3, 1 }, { 9, 4, 1 }, { 12, 4, 4 }, { 99, 4, 5 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct d_error e = { 0 };

		assert_int_equal(d_fail(&e, &script, rows[i].at, "D_SYNTAX", "at %u", rows[i].at), -EINVAL);
		assert_int_equal(e.line, rows[i].line);
		assert_int_equal(e.column, rows[i].column);
	}
}

TEST(the_first_error_stays)
{
	struct d_error e = { 0 };

	d_fail(&e, &script, 0, "D_SYNTAX", "first");
	d_fail(&e, &script, 9, "D_UNKNOWN", "second");
	assert_string_equal(e.text, "first");
	assert_string_equal(e.tag, "D_SYNTAX");
	assert_int_equal(e.line, 1);
}

TEST(suggests_the_nearest_name_or_none)
{
	static const char *const known[] = { "probefunc", "probename", "pid", "ppid", "printf", "printa", "execname" };
	static const struct {
		const char *unknown, *best;
	} rows[] = {
		{ "probfunc", "probefunc" }, { "probenme", "probename" }, { "exename", "execname" }, { "pritnf", "printf" },
		{ "pdi", NULL }, { "x", NULL }, { "elephant", NULL }, { "", NULL }, { "pidd", "pid" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct d_suggestion s = { .unknown = rows[i].unknown };

		for (size_t k = 0; k < sizeof(known) / sizeof(*known); k++)
			d_suggest(&s, known[k]);
		if (rows[i].best)
			assert_string_equal(s.best, rows[i].best);
		else
			assert_null(s.best);
	}
}

TEST(a_suggestion_ends_a_message)
{
	struct d_suggestion s = { .unknown = "cuont" };
	char out[D_SUGGESTION_LEN];

	assert_string_equal(d_suggestion_text(&s, "@", out), "");
	d_suggest(&s, "count");
	assert_string_equal(d_suggestion_text(&s, "", out), "; is count meant?");
	assert_string_equal(d_suggestion_text(&s, "@", out), "; is @count meant?");
}

TEST_MAIN()
