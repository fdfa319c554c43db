#include "render/grid/axis.h"
#include "test/kit/check.h"

TEST(values_have_three_digits_and_a_unit)
{
	static const struct { double value; enum axis_unit unit; const char *text; } row[] = {
		{ 0, AXIS_NS, "0" }, { 999, AXIS_NS, "999 ns" }, { 1000, AXIS_NS, "1 µs" },
		{ 1234567, AXIS_NS, "1.23 ms" }, { 999999, AXIS_NS, "1 ms" }, { 2e9, AXIS_NS, "2 s" },
		{ 12e10, AXIS_NS, "120 s" }, { 64000, AXIS_BYTES, "64 kB" }, { 1200, AXIS_COUNT, "1.2k" },
		{ 118, AXIS_COUNT, "118" }, { 50, AXIS_PERCENT, "50 %" }, { 0, AXIS_PERCENT, "0 %" }, { 0.0049, AXIS_PERCENT, "< 0.01 %" }, { 0.005, AXIS_PERCENT, "0.01 %" },
		{ 1234, AXIS_PER_S, "1.23k/s" }, { 7, AXIS_PER_S, "7/s" }, { 125e6, AXIS_BYTES_PER_S, "125 MB/s" },
		{ 0.0065, AXIS_COUNT, "0.0065" }, { 0.0994, AXIS_PER_S, "0.099/s" }, { 0.0996, AXIS_COUNT, "0.1" }, { 0.02, AXIS_COUNT, "0.02" },
		{ 0.00012345, AXIS_PER_S, "0.00012/s" }, { 0.00009, AXIS_COUNT, "< 0.0001" }, { 0.5, AXIS_COUNT, "0.5" },
		{ 86399e9, AXIS_NS, "86399 s" }, { 86400e9, AXIS_NS, "1 d" }, { 140400e9, AXIS_NS, "1 d 15 h" }, { 86400e9 + 3599e9, AXIS_NS, "1 d 1 h" },
		{ 140400000e9, AXIS_NS, "1625 d" }, { 2 * 86400e9 - 1, AXIS_NS, "2 d" },
	};
	char text[AXIS_TEXT];

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		axis_format(row[i].value, row[i].unit, text);
		assert_string_equal(text, row[i].text);
	}
}

TEST(times_name_zone_and_length)
{
	const struct zone cet = zone_fixed(3600), west = zone_fixed(-3600);
	char text[AXIS_TEXT];

	(void)state;
	axis_format_offset(3600, text);
	assert_string_equal(text, "UTC+01:00");
	axis_format_offset(-12600, text);
	assert_string_equal(text, "UTC-03:30");
	axis_format_offset(0, text);
	assert_string_equal(text, "UTC");
	axis_format_span(100000000, text);
	assert_string_equal(text, "100 ms");
	axis_format_span(300000000000ull, text);
	assert_string_equal(text, "5 min");
	axis_format_time(1795269600500000000ll, &cet, text);
	assert_string_equal(text, "2026-11-21 15:00:00.5");
	axis_format_time(-1000000000ll, NULL, text);
	assert_string_equal(text, "1969-12-31 23:59:59");
	axis_format_time(INT64_MIN, &west, text);
	assert_string_equal(text, "1677-09-20 23:12:43.145");
	axis_format_time(INT64_MAX, &cet, text);
	assert_string_equal(text, "2262-04-12 00:47:16.854");
}

TEST(a_percentile_in_the_first_bucket_is_below_its_edge)
{
	static const struct { double value, least; const char *text; } cases[] = {
		{ 1023, 1024, "< 1.02 µs" }, { 1024, 1024, "1.02 µs" }, { 0, 1024, "0" }, { 1023, 0, "1.02 µs" }, { 5, 1024, "< 1.02 µs" },
	};
	char text[AXIS_TEXT];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		axis_format_percentile(cases[i].value, cases[i].least, AXIS_NS, text);
		assert_string_equal(text, cases[i].text);
	}
}

TEST(small_linear_ticks_have_the_digits_of_the_step)
{
	static const struct { double high; const char *text[4]; } cases[] = {
		{ 0.01, { "0", "0.002", "0.004", "0.006" } }, { 0.0012, { "0", "0.0002", "0.0004", "0.0006" } }, { 0.3, { "0", "0.05", "0.1", "0.15" } },
		{ 2.5, { "0", "1", "2", NULL } },
	};
	struct tick tick[AXIS_TICKS_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		size_t n = axis_value_ticks(AXIS_LINEAR, AXIS_COUNT, 0, cases[i].high, 160, 26, tick);

		for (size_t k = 0; k < 4 && cases[i].text[k]; k++) {
			assert_true(k < n);
			assert_string_equal(tick[k].text, cases[i].text[k]);
		}
		for (size_t k = 1; k < n; k++)
			assert_string_not_equal(tick[k].text, tick[k - 1].text);
	}
}

TEST(log_ticks_are_1_2_5)
{
	static const char *const want[] = { "1 µs", "2 µs", "5 µs", "10 µs", "20 µs", "50 µs", "100 µs" };
	struct tick tick[AXIS_TICKS_MAX];

	(void)state;
	assert_int_equal(axis_value_ticks(AXIS_LOG, AXIS_NS, 1e3, 1e5, 400, 24, tick), 7);
	for (int i = 0; i < 7; i++)
		assert_string_equal(tick[i].text, want[i]);
	assert_true(tick[0].at < 1e-9 && tick[6].at > 1 - 1e-9);
	assert_int_equal(axis_value_ticks(AXIS_LOG, AXIS_NS, 0, 10, 100, 10, tick), 0);
	assert_int_equal(axis_value_ticks(AXIS_LINEAR, AXIS_NS, 10, 10, 100, 10, tick), 0);
}

TEST(value_labels_keep_their_distance)
{
	struct tick tick[AXIS_TICKS_MAX];

	(void)state;
	for (int round = 0; round < 5000; round++) {
		enum axis_scale scale = check_below(2);
		double low = 1 + check_value() % 1000000, high = low * 1.5 + check_value() % 1000000000000;
		double px = 60 + check_below(1000), last = -1000;
		size_t n = axis_value_ticks(scale, AXIS_NS, low, high, px, 24, tick);

		for (size_t i = 0; i < n; i++) {
			assert_true(tick[i].at > -1e-6 && tick[i].at < 1 + 1e-6);
			if (!tick[i].text[0])
				continue;
			assert_true(tick[i].at * px - last > 23.9);
			last = tick[i].at * px;
		}
	}
}

TEST(time_labels_do_not_overlap)
{
	struct tick tick[AXIS_TICKS_MAX];

	(void)state;
	for (int round = 0; round < 5000; round++) {
		__s64 from = (__s64)(check_random() % 4000000000ull) * 1000000000ll - 1000000000000000000ll;
		__s64 length = 1000000000ll + (__s64)(check_value() % 100000000000000000ull);
		double px = 300 + check_below(2000), end = -1e9, date_end = -1e9;
		struct zone zone = { .n = 2, .shift = { { 0, (int)check_below(27) * 1800 - 43200 },
							{ (from + length / 3) / 1000000000, (int)check_below(27) * 1800 - 43200 } } };
		size_t n = axis_time_ticks(from, from + length, &zone, px, 8, tick);

		for (size_t i = 0; i < n; i++) {
			double x = tick[i].at * px, half = strlen(tick[i].text) * 4.0;

			assert_true(tick[i].at >= 0 && tick[i].at <= 1);
			if (*tick[i].text) {
				assert_true(x - half > end);
				end = x + half;
			}
			if (tick[i].date[0]) {
				assert_true(x - 40 > date_end);
				date_end = x + 40;
			}
		}
	}
}

TEST(the_date_stands_where_a_day_begins)
{
	struct tick tick[AXIS_TICKS_MAX];
	const __s64 hour = 3600000000000ll, noon = 1795269600000000000ll - 2 * hour;
	size_t n = axis_time_ticks(noon, noon + 24 * hour, NULL, 1100, 8, tick), dates = 0;

	(void)state;
	for (size_t i = 0; i < n; i++)
		dates += tick[i].date[0] != 0;
	assert_int_equal(dates, 2);
	assert_string_equal(tick[0].text, "12:00");
	assert_string_equal(tick[0].date, "2026-11-21");
}

/* Offsets within a second read 0, 200 ms .. 1000 ms, not fractions of one; counts begin at 0, too. */
TEST(linear_labels_are_short_whole_numbers)
{
	static const struct { enum axis_unit unit; double high; const char *first, *second, *last; } cases[] = {
		{ AXIS_NS, 1e9, "0", "200 ms", "1000 ms" }, { AXIS_NS, 1e6, "0", "200 µs", "1000 µs" },
		{ AXIS_NS, 3e9, "0", "0.5 s", "3 s" }, { AXIS_PER_S, 400, "0", "100/s", "400/s" },
		{ AXIS_COUNT, 100, "0", "20", "100" }, { AXIS_COUNT, 0.1, "0", "0.02", "0.1" },
	};
	struct tick tick[AXIS_TICKS_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		size_t n = axis_value_ticks(AXIS_LINEAR, cases[i].unit, 0, cases[i].high, 200, 30, tick);

		assert_true(n >= 5);
		assert_string_equal(tick[0].text, cases[i].first);
		assert_string_equal(tick[1].text, cases[i].second);
		assert_string_equal(tick[n - 1].text, cases[i].last);
	}
}

TEST(counts_have_commas)
{
	static const struct { double n; const char *text; } cases[] = {
		{ 0, "0" }, { 999, "999" }, { 1000, "1,000" }, { 1234567, "1,234,567" }, { 2.75, "2.75" }, { 1e15, "1,000,000,000,000,000" },
		{ 0x1p63, "9,223,372,036,854,775,808" }, { 0x1p64, "≥ 18,446,744,073,709,551,615" },
	};
	char text[AXIS_TEXT];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		axis_format_count(cases[i].n, text);
		assert_string_equal(text, cases[i].text);
	}
}

TEST_MAIN()
