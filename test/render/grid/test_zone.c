#include "render/grid/axis.h"
#include "test/kit/check.h"

#include <stdlib.h>
#include <time.h>

#define SECOND 1000000000ll
#define HOUR 3600ll
#define BERLIN_WINTER 1792890000ll	/* 2026-10-25 01:00 UTC: 03:00 UTC+02:00 becomes 02:00 UTC+01:00 */

static int berlin(void *arg, __s64 at_s)
{
	return at_s < BERLIN_WINTER && at_s >= BERLIN_WINTER - 210 * 24 * HOUR ? 7200 : 3600;
}

/* A year that repeats every 365 days; 182 of them are summer. */
static int yearly(void *arg, __s64 at_s)
{
	return at_s % (365 * 86400) < 182 * 86400 ? 7200 : 3600;
}

TEST(the_second_of_a_change_is_found)
{
	struct zone z = zone_make("Europe/Berlin", BERLIN_WINTER - 5 * HOUR, BERLIN_WINTER + 5 * HOUR, berlin, NULL);
	__s64 change_s = 0;

	assert_int_equal(z.n, 2);
	assert_int_equal(zone_offset(&z, BERLIN_WINTER - 1), 7200);
	assert_int_equal(zone_offset(&z, BERLIN_WINTER), 3600);
	assert_true(zone_next(&z, BERLIN_WINTER - 1, &change_s));
	assert_true(change_s == BERLIN_WINTER);
	assert_false(zone_next(&z, BERLIN_WINTER, &change_s));
	z = zone_make("", BERLIN_WINTER, BERLIN_WINTER + 5 * HOUR, berlin, NULL);
	assert_int_equal(z.n, 1);
	assert_int_equal(zone_offset(NULL, 0), 0);
}

TEST(all_changes_of_sixteen_years_are_kept_and_no_more)
{
	struct zone z = zone_make("", 0, 5000 * 86400ll, yearly, NULL), far = zone_make("", 0, 50000 * 86400ll, yearly, NULL);

	assert_int_equal(z.n, 28);
	for (__s64 day = 0; day < 5000; day++)
		assert_int_equal(zone_offset(&z, day * 86400), yearly(NULL, day * 86400));
	assert_int_equal(far.n, ZONE_SHIFTS);
}

TEST(a_range_over_a_change_says_both_offsets)
{
	struct zone z = zone_make("Europe/Berlin", BERLIN_WINTER - 250 * 24 * HOUR, BERLIN_WINTER + 5 * HOUR, berlin, NULL);
	char range[AXIS_RANGE], zone[AXIS_ZONE];
	static const struct { __s64 from_h, to_h; const char *range, *zone; } cases[] = {
		{ -5, 5, "2026-10-24 22:00:00 UTC+02:00 to 2026-10-25 07:00:00 UTC+01:00", "UTC+02:00, then UTC+01:00" },
		{ -1, 1, "2026-10-25 02:00:00 UTC+02:00 to 03:00:00 UTC+01:00", "UTC+02:00, then UTC+01:00" },
		{ 0, 5, "2026-10-25 02:00:00 to 07:00:00 UTC+01:00", "UTC+01:00" },
		{ -6, -1, "2026-10-24 21:00:00 to 2026-10-25 02:00:00 UTC+02:00", "UTC+02:00" },
		{ -240 * 24, 2, "2026-02-27 02:00:00 to 2026-10-25 04:00:00 UTC+01:00", "Europe/Berlin" },
	};

	assert_int_equal(z.n, 3);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		__s64 from = (BERLIN_WINTER + cases[i].from_h * HOUR) * SECOND, to = (BERLIN_WINTER + cases[i].to_h * HOUR) * SECOND;

		axis_format_range(from, to, &z, range);
		assert_string_equal(range, cases[i].range);
		axis_format_zone(&z, from, to, zone);
		assert_string_equal(zone, cases[i].zone);
	}
}

/* 22:00 UTC+02:00 to 07:00 UTC+01:00 are ten hours: 02:00 comes twice. */
TEST(ticks_are_those_of_the_clock_on_the_wall)
{
	static const char *const back[] = { "22:00", "23:00", "00:00", "01:00", "02:00", "02:00", "03:00", "04:00", "05:00", "06:00", "07:00" };
	static const char *const wide[] = { "21:00", "00:00", "03:00", "06:00", "09:00" };
	struct zone z = zone_make("", BERLIN_WINTER - 6 * HOUR, BERLIN_WINTER + 9 * HOUR, berlin, NULL);
	struct tick tick[AXIS_TICKS_MAX];
	size_t n = axis_time_ticks((BERLIN_WINTER - 5 * HOUR) * SECOND, (BERLIN_WINTER + 5 * HOUR) * SECOND, &z, 1100, 8, tick);

	assert_int_equal(n, 11);
	for (size_t i = 0; i < n; i++) {
		assert_string_equal(tick[i].text, back[i]);
		assert_true(tick[i].at > (double)i / 10 - 1e-9 && tick[i].at < (double)i / 10 + 1e-9);
	}
	assert_string_equal(tick[2].date, "2026-10-25");
	n = axis_time_ticks((BERLIN_WINTER - 6 * HOUR) * SECOND, (BERLIN_WINTER + 8 * HOUR) * SECOND, &z, 420, 8, tick);
	assert_int_equal(n, 5);
	for (size_t i = 0; i < n; i++)
		assert_string_equal(tick[i].text, wide[i]);
}

/* Lord Howe's clock changes by half an hour: a tick of the new time may be too near the last one. */
static int half_hour(void *arg, __s64 at_s)
{
	return at_s < 100 * HOUR + 1800 ? 0 : 1800;
}

TEST(ticks_that_a_change_brings_too_near_have_no_label)
{
	struct zone z = zone_make("", 0, 200 * HOUR, half_hour, NULL);
	struct tick tick[AXIS_TICKS_MAX];
	size_t n = axis_time_ticks(96 * HOUR * SECOND, 106 * HOUR * SECOND, &z, 660, 8, tick), bare = 0;

	for (size_t i = 0; i < n; i++)
		bare += !*tick[i].text;
	assert_int_equal(n, 11);
	assert_int_equal(bare, 1);
	assert_string_equal(tick[5].text, "");	/* 101:00 of the new clock, half an hour after 100:00 */
}

TEST(names_are_checked)
{
	static const char *const good[] = { "UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "Etc/GMT+5", "America/Port-au-Prince" };
	static const char *const bad[] = { "", "/etc/passwd", "../passwd", "Europe/", "Europe//Berlin", "Europe/../x", "5", "CET-1CEST,M3.5.0",
		"a.b", "Europe/Berlin\n", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" };

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		assert_true(zone_name_valid(good[i]));
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_false(zone_name_valid(bad[i]));
}

TEST(the_local_zone_is_that_of_TZ)
{
	static const struct { const char *tz, *name; } cases[] = {
		{ "Europe/Berlin", "Europe/Berlin" }, { ":Asia/Kolkata", "Asia/Kolkata" }, { "/usr/share/zoneinfo/Europe/Paris", "Europe/Paris" },
		{ "", "UTC" }, { "CET-1CEST,M3.5.0,M10.5.0/3", NULL },
	};
	char name[ZONE_NAME];
	struct zone z;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		setenv("TZ", cases[i].tz, 1);
		assert_int_equal(zone_local_name(name), cases[i].name != NULL);
		if (cases[i].name)
			assert_string_equal(name, cases[i].name);
	}
	tzset();			/* of the last one, a rule */
	z = zone_local(BERLIN_WINTER - 5 * HOUR, BERLIN_WINTER + 5 * HOUR);
	assert_int_equal(z.n, 2);
	assert_true(z.shift[1].from_s == BERLIN_WINTER);
	assert_int_equal(z.shift[1].offset_s, 3600);
	assert_string_equal(z.name, "");
}

TEST_MAIN()
