#include "ui/cli/base/output.h"
#include "test/kit/check.h"

TEST(the_ending_chooses_among_the_formats_of_the_command)
{
	assert_string_equal(output_format(OUTPUT_FIGURE, "a.svg"), "svg");
	assert_string_equal(output_format(OUTPUT_FIGURE, "/x.d/A.PDF"), "pdf");
	assert_null(output_format(OUTPUT_FIGURE, "a.html"));
	assert_null(output_format(OUTPUT_FIGURE, "a.xyz"));
	assert_null(output_format(OUTPUT_FIGURE, "a."));
	assert_null(output_format(OUTPUT_REPORT, "a.or"));
	assert_string_equal(output_format(OUTPUT_REPORT, "a.html"), "html");
	assert_string_equal(output_format(OUTPUT_REPORT, "a.json"), "json");
	assert_null(output_format(OUTPUT_CHART, "a.csv"));
}

TEST(without_an_ending_or_a_file_it_is_the_first)
{
	assert_string_equal(output_format(OUTPUT_REPORT, "/x.d/a"), "png");
	assert_string_equal(output_format(OUTPUT_CHART, NULL), "png");
	assert_string_equal(output_format(OUTPUT_FLAME, "-"), "svg");
}

TEST(a_list_has_its_formats_alone)
{
	assert_true(output_has(OUTPUT_FIGURE, "svg"));
	assert_false(output_has(OUTPUT_FIGURE, "or"));
	assert_false(output_has(OUTPUT_FIGURE, ""));
	assert_false(output_has(OUTPUT_FIGURE, "sv"));
	assert_false(output_has(OUTPUT_FIGURE, "json"));
	assert_true(output_has(OUTPUT_REPORT, "json"));
}

TEST(a_name_of_no_format_is_not_that_of_another_one)
{
	assert_true(output_is_other(OUTPUT_FLAME, "a.png"));
	assert_true(output_is_other("folded", "a.svg"));
	assert_false(output_is_other(OUTPUT_FLAME, "a.svg"));
	assert_false(output_is_other(OUTPUT_EXPORT, "a.txt"));
	assert_false(output_is_other(OUTPUT_EXPORT, "-"));
	assert_false(output_is_other(OUTPUT_EXPORT, NULL));
}

TEST(endings_are_the_list_with_dots)
{
	char out[OUTPUT_ENDINGS_MAX];

	assert_string_equal(output_endings(OUTPUT_BARE, out), ".png");
	assert_string_equal(output_endings(OUTPUT_FIGURE, out), ".png, .pdf or .svg");
	assert_string_equal(output_endings(OUTPUT_REPORT, out), ".png, .pdf, .svg, .html, .csv or .json");
}

TEST_MAIN()
