#include "collector/d/text/error.h"
#include "test/kit/check.h"

#include <errno.h>
#include <string.h>

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

/* The C preprocessor says which line of which file is next. */
TEST(marks_of_lines_count)
{
	static const struct {
		const char *text;
		unsigned line;
		const char *file;
	} rows[] = {
		{ "# 7 \"<stdin>\"\nx", 7, "" }, { "a\n# 1 \"x.h\" 1\nb\nx", 2, "x.h" }, { "# 1 \"x.h\" 1\nb\n# 3 \"<stdin>\" 2\nx", 3, "" },
		{ "#line 9\nx", 9, "" }, { "#line 9 \"y\"\nx", 9, "y" }, { "# line 9\nx", 9, "" }, { "#pragma D option quiet\nx", 2, "" },
		{ " # 7\nx", 2, "" }, { "# -7\nx", 2, "" }, { "#\nx", 2, "" }, { "# 0 \"y\"\nx", 2, "" }, { "x # 7\nx", 2, "" }, { "# 7", 1, "" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct d_script s = { NULL, rows[i].text, strlen(rows[i].text) };
		struct d_error e = { 0 };

		d_fail(&e, &s, (__u32)s.len - 1, "D_SYNTAX", "x");
		assert_int_equal(e.line, rows[i].line);
		assert_string_equal(e.file, rows[i].file);
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
