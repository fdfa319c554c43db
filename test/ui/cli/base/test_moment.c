#include "ui/cli/base/moment.h"
#include "test/kit/check.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <time.h>

#define BERLIN "CET-1CEST,M3.5.0,M10.5.0/3"
#define NEW_YORK "EST5EDT,M3.2.0,M11.1.0"
#define NOW 1795615505.25		/* 2026-11-25 14:05:05.25 UTC */

static void zone(const char *name)
{
	setenv("TZ", name, 1);
	tzset();
}

TEST(every_form_is_a_unix_time)
{
	static const struct { const char *text, *zone; double s; } cases[] = {
		{ "now", "UTC", NOW },
		{ "5m", "UTC", NOW - 300 }, { "-5m", "UTC", NOW - 300 }, { "90s", "UTC", NOW - 90 }, { "1.5h", "UTC", NOW - 5400 },
		{ "1h30m", "UTC", NOW - 5400 }, { "-1d", "UTC", NOW - 86400 }, { "2w", "UTC", NOW - 1209600 }, { "-300", "UTC", NOW - 300 },
		{ "-0.5", "UTC", NOW - 0.5 },
		{ "14:05", "UTC", 1795615500 }, { "14:05:05", "UTC", 1795615505 }, { "14:04:30.5", "UTC", 1795615470.5 },
		{ "9:00", "UTC", 1795597200 }, { "00:00", "UTC", 1795564800 },
		{ "14:06", "UTC", 1795615560 - 86400 }, { "23:59:59", "UTC", 1795564799 },		/* still to come today: yesterday's */
		{ "15:05", BERLIN, 1795615500 }, { "09:05", NEW_YORK, 1795615500 },
		{ "10:00", NEW_YORK, 1795618800 - 86400 },
		{ "2026-11-25", "UTC", 1795564800 }, { "2026-11-25 14:05", "UTC", 1795615500 }, { "2026-11-25T14:05", "UTC", 1795615500 },
		{ "2026-11-25T14:05:05", "UTC", 1795615505 }, { "2026-11-25 14:05:05.125", "UTC", 1795615505.125 },
		{ "2026-11-25 15:05", BERLIN, 1795615500 }, { "2026-07-01 02:00", BERLIN, 1782864000 },
		{ "2026-11-25T14:05Z", NEW_YORK, 1795615500 }, { "2026-11-25T15:05+01:00", NEW_YORK, 1795615500 },
		{ "2026-11-25 15:05:05+0100", "UTC", 1795615505 }, { "2026-11-25T08:35:00 -05:30", "UTC", 1795615500 },
		{ "2028-02-29", "UTC", 1835395200 },
		{ "1795247297", BERLIN, 1795247297 }, { "1795247297.5", "UTC", 1795247297.5 }, { "1795615800", "UTC", 1795615800 },
	};
	char reason[MOMENT_REASON] = "";

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		double s = 0;

		zone(cases[i].zone);
		if (moment_parse(cases[i].text, NOW, &s, reason))
			fail_msg("%s: %s", cases[i].text, reason);
		if (fabs(s - cases[i].s) > 1e-6)
			fail_msg("%s in %s is %.3f, not %.3f", cases[i].text, cases[i].zone, s, cases[i].s);
	}
}

TEST(what_is_no_time_is_refused)
{
	static const char *const cases[] = {
		"", " ", "-", "soon", "5", "300", "0", "99999999999", "5x", "m", "5m3h", "5m5", "0s5", "1h30", "--5m", "+5m", "14", "14:5", "14:60", "24:00", "14:05:60",
		"14:05 ", "14:05pm", "2026-13-01", "2026-02-29", "2026-11-31", "2026-00-10", "2026-11-00", "26-11-25", "2026-11-25X14:05", "2026-11-25T",
		"2026-11-25T14", "2026-11-25T14:05+1", "2026-11-25T14:05+15:00", "2026-11-25T14:05ZZ", "1e9", "0x10", "nan", "inf", "-nan", "1795247297x",
		"1.2.3", "1960-01-01", "999w999w", "-9999999999999999999999",
	};
	char reason[MOMENT_REASON];

	zone("UTC");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		double s = 7;

		if (moment_parse(cases[i], NOW, &s, reason) != -EINVAL)
			fail_msg("\"%s\" is %.3f", cases[i], s);
		assert_true(s == 7);
		assert_non_null(strstr(reason, "is not a "));
	}
	moment_parse("300", NOW, &(double){ 0 }, reason);
	assert_string_equal(reason, "300 is not a Unix time of these years; 300 seconds ago is -300 or 300s");
	moment_parse("soon", NOW, &(double){ 0 }, reason);
	assert_string_equal(reason, "\"soon\" is not a time: write now, 5m (ago), 14:05, \"2026-11-25 14:05\" or Unix seconds");
}

TEST(the_clock_that_is_put_forward_is_read)
{
	char reason[MOMENT_REASON];
	double s = 0;

	zone(BERLIN);		/* on 2026-03-29 02:00 becomes 03:00 */
	assert_int_equal(moment_parse("2026-03-29 03:00", NOW, &s, reason), 0);
	assert_true(s == 1774746000);
	assert_int_equal(moment_parse("2026-03-29 01:59:59", NOW, &s, reason), 0);
	assert_true(s == 1774745999);
}

TEST(spans_are_seconds)
{
	static const struct { const char *text; double s; } cases[] = {
		{ "90", 90 }, { "90s", 90 }, { "0.01", 0.01 }, { "10m", 600 }, { "1.5h", 5400 }, { "1d", 86400 }, { "2w", 1209600 }, { "1h30m", 5400 },
		{ "1d12h", 129600 }, { "315360000", 315360000 },
	};
	static const char *const none[] = { "", "0", "0s", "-5m", "-5", "5 m", "soon", "1m1h", "1m1m", "1h30", "5min", "1e3", "nan", "99999999999", "5us" };
	char reason[MOMENT_REASON] = "";
	double s;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		if (span_parse(cases[i].text, &s, reason) || fabs(s - cases[i].s) > 1e-9)
			fail_msg("%s is %g: %s", cases[i].text, s, reason);
	}
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++) {
		s = 7;
		if (span_parse(none[i], &s, reason) != -EINVAL || s != 7)
			fail_msg("\"%s\" is %g", none[i], s);
	}
	assert_string_equal(reason, "\"5us\" is not a length of time: write 90s, 10m, 1h30m, 1d or a number of seconds");
}

TEST_MAIN()
