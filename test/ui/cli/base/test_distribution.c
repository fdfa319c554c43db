/* test_distribution - counts by powers of two, as D prints them. */
#include "ui/cli/base/distribution.h"
#include "test/kit/check.h"

#include <stdlib.h>

struct count {
	uint64_t value, n;
};

static char *print(const struct count *count, size_t n)
{
	struct distribution d = { { 0 } };
	char *text = NULL;
	size_t len, i;
	FILE *out = open_memstream(&text, &len);

	for (i = 0; i < n; i++)
		distribution_add(&d, count[i].value, count[i].n);
	distribution_print(&d, "read", out);
	fclose(out);
	return text;
}

#define HEAD                                                                                     \
	"\n  read                                              \n"                                \
	"           value  ------------- Distribution ------------- count    \n"

TEST(bars_are_ds)
{
	static const struct {
		size_t n;
		struct count count[4];
		const char *text;
	} cases[] = {
		{ 0, { { 0, 0 } }, HEAD },
		{ 2, { { 1024, 6 }, { 2048, 2 } }, HEAD
		  "             512 |                                         0        \n"
		  "            1024 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@           6        \n"
		  "            2048 |@@@@@@@@@@                               2        \n"
		  "            4096 |                                         0        \n" },
		{ 2, { { 5, 1 }, { 7, 2 } }, HEAD		/* one row, of what is not the power itself */
		  "               2 |                                         0        \n"
		  "               4 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 3        \n"
		  "               8 |                                         0        \n" },
		{ 2, { { 0, 1 }, { 3, 1000 } }, HEAD		/* nothing below 0; an empty row between; too few for a sign */
		  "               0 |                                         1        \n"
		  "               1 |                                         0        \n"
		  "               2 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 1000     \n"
		  "               4 |                                         0        \n" },
		{ 3, { { 1, 1 }, { 2, 1 }, { 4, 1 } }, HEAD	/* rounded one by one: 13 1/3 is 13 */
		  "               0 |                                         0        \n"
		  "               1 |@@@@@@@@@@@@@                            1        \n"
		  "               2 |@@@@@@@@@@@@@                            1        \n"
		  "               4 |@@@@@@@@@@@@@                            1        \n"
		  "               8 |                                         0        \n" },
		{ 2, { { 1ull << 63, 1 }, { 1ull << 62, 79 } }, HEAD	/* nothing above the last; half a sign is one */
		  "2305843009213693952 |                                         0        \n"
		  "4611686018427387904 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 79       \n"
		  "9223372036854775808 |@                                        1        \n" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *text = print(cases[i].count, cases[i].n);

		assert_string_equal(text, cases[i].text);
		free(text);
	}
}

/* For any counts, each row has its own count and no row is missing. */
TEST(no_count_is_lost)
{
	for (int round = 0; round < 200; round++) {
		struct distribution d = { { 0 } };
		uint64_t total = 0, printed = 0, n;
		char *text = NULL, *line;
		size_t len;
		FILE *out = open_memstream(&text, &len);

		for (int i = check_below(20); i >= 0; i--) {
			n = 1 + check_below(1000000);
			distribution_add(&d, 1ull << check_below(40), n);
			total += n;
		}
		distribution_print(&d, "write", out);
		fclose(out);
		for (line = strchr(text, '|'); line; line = strchr(line + 1, '|'))
			printed += strtoull(line + strcspn(line, "0123456789"), NULL, 10);
		assert_true(printed == total);
		free(text);
	}
}

TEST_MAIN()
