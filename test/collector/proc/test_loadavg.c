#include "collector/proc/loadavg.h"
#include "test/kit/check.h"

#include <errno.h>

TEST(a_load_is_read_in_hundredths)
{
	static const struct { const char *text; __u64 hundredths; } cases[] = {
		{ "1.03 1.25 1.32 1/128 9236\n", 103 }, { "0.00 0.00 0.00 1/1 1\n", 0 }, { "250.50 1 1\n", 25050 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		__u64 load = ~0ull;

		assert_int_equal(loadavg_parse(cases[i].text, strlen(cases[i].text), &load), 0);
		assert_int_equal(load, cases[i].hundredths);
	}
}

TEST(refuses_text_that_is_not_loadavg)
{
	static const char *const bad[] = { "", "\n", "1\n", "1.0\n", "1.000 1\n", "x.03\n", "-1.00\n", ".50\n", "1.5x 1\n",
					   "99999999999.00\n" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		__u64 load;

		assert_int_equal(loadavg_parse(bad[i], strlen(bad[i]), &load), -EBADMSG);
	}
}

TEST_MAIN()
