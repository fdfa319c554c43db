#include "test/kit/check.h"
#include "aggregator/http/accept.h"

TEST(the_greatest_quality_wins_and_of_equals_the_first)
{
	static const struct { const char *accept, *formats, *is; } cases[] = {
		{ "image/svg+xml", "png pdf svg", "svg" }, { "application/pdf", "png pdf svg", "pdf" },
		{ "image/svg+xml, image/png;q=0.5", "png pdf svg", "svg" }, { "image/svg+xml;q=0.4,image/png;q=0.5", "png pdf svg", "png" },
		{ "*/*", "png pdf svg", "png" }, { "*/*", "json png", "json" }, { "image/*", "json png", "png" },
		/* a browser's img */
		{ "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8", "png pdf svg", "png" },
		{ "text/html,application/xhtml+xml,*/*;q=0.8", "json png", "json" }, { "IMAGE/SVG+XML", "png svg", "svg" },
		{ "image/svg+xml ; q=1 , image/png ; q=0.9", "png svg", "svg" }, { "image/png;q=0, image/*", "png svg", "svg" },
		{ "image/svg+xml;charset=utf-8;q=0.9, image/png;q=0.8", "png svg", "svg" },
		{ "", "png svg", NULL }, { "text/html", "png svg", NULL }, { "image/png;q=0", "png", NULL },
		{ ",,;q=;=", "png svg", NULL }, { "image/svg+xml;q=x", "png svg", NULL }, { "image/", "png", NULL }, { "*", "png", NULL },
		{ "text/csv", "json csv", "csv" }, { "text/csv", "png pdf svg html csv", "csv" },
		/* a browser's address line */
		{ "text/html,application/xhtml+xml,*/*;q=0.8", "png pdf svg html csv", "png" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char format[8] = "none";

		assert_int_equal(accept_choose(cases[i].accept, cases[i].formats, format, sizeof(format)), cases[i].is != NULL);
		assert_string_equal(format, cases[i].is ? cases[i].is : "none");
	}
}

TEST_MAIN()
