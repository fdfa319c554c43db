#include "aggregator/promql/query_range.h"
#include "aggregator/promql/lexer.h"
#include "test/kit/check.h"

#include <errno.h>

static struct input input_of(struct http_param *param, const char *start, const char *end, const char *step)
{
	param[0] = (struct http_param){ "start", start };
	param[1] = (struct http_param){ "end", end };
	param[2] = (struct http_param){ "step", step };
	return (struct input){ param, 3 };
}

TEST(times_are_seconds_or_rfc_3339)
{
	static const struct { const char *text; __s64 ms; } cases[] = {
		{ "1700000000", 1700000000000 }, { "1700000000.1239", 1700000000124 }, { "2023-11-14T22:13:20Z", 1700000000000 },
		{ "2023-11-14T23:13:20.5+01:00", 1700000000500 }, { "2023-11-14T20:43:20-01:30", 1700000000000 }, { "1.7e9", 1700000000000 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct http_param param[3];
		struct input in = input_of(param, cases[i].text, "1700000001", "1");
		struct query_range r;
		char reason[REASON_MAX] = "";

		if (query_range_read(&in, &r, reason))
			fail_msg("%s: %s", cases[i].text, reason);
		assert_int_equal(r.start_ns, cases[i].ms * 1000000);
	}
}

TEST(ranges_have_at_most_11001_points)
{
	static const struct { const char *start, *end, *step; size_t n; const char *reason; } cases[] = {
		{ "0", "10", "5", 3, NULL }, { "0", "11", "5", 3, NULL }, { "7", "7", "1h", 1, NULL }, { "0", "1", "0.1", 11, NULL }, { "0", "660000", "1m", 11001, NULL },
		{ "0", "660060", "1m", 0, "exceeded maximum resolution of 11,000" }, { "2", "1", "1", 0, "must not be before" }, { "0", "1", "0", 0, "zero or negative" },
		{ "0", "1", "-1", 0, "zero or negative" }, { "0", "1", "x", 0, "\"step\": cannot parse \"x\"" }, { "y", "1", "1", 0, "\"start\": cannot parse \"y\"" },
		{ "0", "1e12", "1", 0, "between 1970 and 2200" }, { "-1", "1", "1", 0, "between 1970 and 2200" }, { "nan", "1", "1", 0, "cannot parse" },
		{ "0", "2023-11-14", "1", 0, "cannot parse" }, { "0", "2023-11-14T22:13:20", "1", 0, "cannot parse" }, { "0", "1", "1e-9", 0, "zero or negative" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct http_param param[3];
		struct input in = input_of(param, cases[i].start, cases[i].end, cases[i].step);
		struct query_range r = { 0 };
		char reason[REASON_MAX] = "";
		int err = query_range_read(&in, &r, reason);

		assert_int_equal(err, cases[i].reason ? -EINVAL : 0);
		assert_int_equal(r.n_points, cases[i].n);
		if (cases[i].reason && !strstr(reason, cases[i].reason))
			fail_msg("%s", reason);
	}
}

TEST(durations_are_read_and_written_alike)
{
	static const struct { const char *text; __s64 ns; const char *printed; } cases[] = {
		{ "1m0s", 60000000000, "1m" }, { "90s", 90000000000, "1m30s" }, { "1h30m", 5400000000000, "1h30m" }, { "100ms", 100000000, "100ms" }, { "0s", 0, "0s" },
		{ "1y1w1d", 32227200000000000, "1y1w1d" },
	};
	static const char *const wrong[] = { "", "1", "m", "1m1h", "1s1s", "1.5m", "-1m", "101y", "99999999999999999999s", "1mm" };
	__s64 ns;
	char text[64];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(duration_parse(cases[i].text, &ns), 0);
		assert_int_equal(ns, cases[i].ns);
		duration_print(ns, text, sizeof(text));
		assert_string_equal(text, cases[i].printed);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_int_equal(duration_parse(wrong[i], &ns), -EINVAL);
}

TEST_MAIN()
