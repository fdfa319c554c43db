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

#define CET_END 1792890000	/* 2026-10-25 01:00 UTC: in Berlin 03:00 CEST becomes 02:00 CET */
#define EST_END 1793512800	/* 2026-11-01 06:00 UTC: in New York 02:00 EDT becomes 01:00 EST */
#define CEST_START 1774746000	/* 2026-03-29 01:00 UTC: in Berlin 02:00 CET becomes 03:00 CEST */
#define EDT_START 1772953200	/* 2026-03-08 07:00 UTC: in New York 02:00 EST becomes 03:00 EDT */
#define LORD_HOWE "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0"
#define LORD_HOWE_END 1775314800	/* 2026-04-04 15:00 UTC: 02:00 +11 becomes 01:30 +10:30 */
#define BEIRUT "EET-2EEST,M3.5.0/0,M10.5.0/0"
#define BEIRUT_START 1774735200	/* 2026-03-28 22:00 UTC: 2026-03-29 00:00 becomes 01:00 */
#define REFUSED 0

/* Each is asked after each of the others: the answer may not depend on the call before. */
TEST(a_changed_clock_gives_the_last_time_that_it_showed)
{
	static const struct { const char *zone; double now_s; const char *text; double s; } cases[] = {
		/* put back, second pass: 02:45 CET */
		{ BERLIN, CET_END + 2700, "02:50", CET_END - 600 }, { BERLIN, CET_END + 2700, "02:40", CET_END + 2400 },
		{ BERLIN, CET_END + 2700, "02:45", CET_END + 2700 }, { BERLIN, CET_END + 2700, "01:59", CET_END - 3660 },
		{ BERLIN, CET_END + 2700, "03:00", CET_END - 86400 }, { BERLIN, CET_END + 2700, "2026-10-25 02:50", CET_END - 600 },
		{ BERLIN, CET_END + 2700, "2026-10-25T02:40", CET_END + 2400 },
		{ BERLIN, CET_END + 2700, "2026-10-25T02:40+02:00", CET_END - 1200 },
		{ BERLIN, CET_END + 2700.25, "02:45:00.5", CET_END - 899.5 },
		/* first pass: 02:45 CEST */
		{ BERLIN, CET_END - 900, "02:30", CET_END - 1800 }, { BERLIN, CET_END - 900, "2026-10-25T02:30", CET_END - 1800 },
		{ BERLIN, CET_END - 900, "02:50", CET_END - 87000 }, { BERLIN, CET_END - 900, "2026-10-25T02:50", CET_END - 600 },
		/* afterwards, and long after */
		{ BERLIN, CET_END + 43200, "02:30", CET_END + 1800 }, { BERLIN, CET_END + 43200, "13:30", CET_END + 41400 },
		{ BERLIN, NOW, "2026-10-25 02:30", CET_END + 1800 }, { BERLIN, NOW, "2026-10-25", CET_END - 10800 },
		{ NEW_YORK, EST_END + 2700, "01:40", EST_END + 2400 }, { NEW_YORK, EST_END + 2700, "01:50", EST_END - 600 },
		{ NEW_YORK, EST_END - 900, "01:40", EST_END - 1200 },
		{ LORD_HOWE, LORD_HOWE_END + 900, "01:40", LORD_HOWE_END + 600 },
		{ LORD_HOWE, LORD_HOWE_END + 900, "01:50", LORD_HOWE_END - 600 },
		/* put forward, the afternoon */
		{ BERLIN, CEST_START + 43200, "02:30", CEST_START - 84600 }, { BERLIN, CEST_START + 43200, "03:30", CEST_START + 1800 },
		{ BERLIN, CEST_START + 43200, "01:59", CEST_START - 60 }, { BERLIN, CEST_START + 43200, "2026-03-29T02:30", REFUSED },
		{ BERLIN, CEST_START + 43200, "2026-03-29T02:00", REFUSED }, { BERLIN, NOW, "2026-03-29T02:59:59", REFUSED },
		{ BERLIN, CEST_START + 43200, "2026-03-29T02:30+01:00", CEST_START + 1800 },
		{ BERLIN, CEST_START - 43200, "2026-03-29T02:30", REFUSED },
		{ NEW_YORK, EDT_START + 43200, "02:30", EDT_START - 84600 }, { NEW_YORK, EDT_START + 43200, "2026-03-08 02:30", REFUSED },
		/* a day whose midnight was skipped */
		{ BEIRUT, BEIRUT_START + 43200, "2026-03-29", BEIRUT_START }, { BEIRUT, BEIRUT_START + 43200, "2026-03-29 00:30", REFUSED },
		{ BEIRUT, BEIRUT_START + 43200, "00:30", BEIRUT_START - 84600 },
	};
	size_t n = sizeof(cases) / sizeof(*cases);
	char reason[MOMENT_REASON] = "";

	for (size_t k = 0; k < n * n; k++) {
		size_t i = k % n;
		double s = REFUSED;

		zone(cases[k / n].zone);
		moment_parse(cases[k / n].text, cases[k / n].now_s, &s, reason);
		s = REFUSED;
		zone(cases[i].zone);
		moment_parse(cases[i].text, cases[i].now_s, &s, reason);
		if (fabs(s - cases[i].s) > 1e-6)
			fail_msg("%s in %s is %.3f, %.0f s off, after %s in %s", cases[i].text, cases[i].zone, s, s - cases[i].s,
				 cases[k / n].text, cases[k / n].zone);
	}
	zone(BERLIN);
	assert_int_equal(moment_parse("2026-03-29T02:30", NOW, &(double){ 0 }, reason), -EINVAL);
	assert_string_equal(reason, "\"2026-03-29T02:30\" is not a time that the clock showed: it was put forward then; write a time "
			    "before or after, or one with its zone");
}

TEST(spans_are_seconds)
{
	static const struct { const char *text; double s; } cases[] = {
		{ "90", 90 }, { "90s", 90 }, { "0.01", 0.01 }, { "10m", 600 }, { "1.5h", 5400 }, { "1d", 86400 }, { "2w", 1209600 }, { "1h30m", 5400 },
		{ "1d12h", 129600 }, { "10ms", 0.01 }, { "1s500ms", 1.5 }, { "1.5ms", 0.0015 }, { "2y", 63072000 }, { "1y1w", 32140800 }, { "315360000", 315360000 },
	};
	static const char *const none[] = { "", "0", "0s", "-5m", "-5", "5 m", "soon", "1m1h", "1m1m", "1h30", "5min", "1e3", "nan", "99999999999", "1ms1s", "5mss", "101y", "5us" };
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
	assert_string_equal(reason, "\"5us\" is not a length of time: write 10ms, 90s, 10m, 1h30m, 1d, 1y or a number of seconds");
}

TEST_MAIN()
