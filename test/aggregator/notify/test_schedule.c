#include "aggregator/notify/schedule.h"
#include "test/kit/check.h"
#include "collector/core/instrumentation.h"

#include <errno.h>
#include <time.h>

/* Spelled out as POSIX rules: not every machine has the zone database. */
#define BERLIN "CET-1CEST,M3.5.0,M10.5.0/3"
#define NEW_YORK "EST5EDT,M3.2.0,M11.1.0"
#define ST_JOHNS "NST3:30NDT,M3.2.0,M11.1.0"
#define KOLKATA "IST-5:30"
#define LORD_HOWE "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0"	/* summer time is half an hour */

static void zone(const char *name)
{
	setenv("TZ", name, 1);
	tzset();
}

/* "2026-03-29 01:30:00+0100" */
static const char *text_of(__s64 at_s)
{
	static char text[64];
	time_t t = (time_t)at_s;
	struct tm tm;

	strftime(text, sizeof(text), "%Y-%m-%d %H:%M%z", localtime_r(&t, &tm));
	return text;
}

static __s64 utc(int year, int month, int day, int hour, int minute)
{
	struct tm tm = { .tm_year = year - 1900, .tm_mon = month - 1, .tm_mday = day, .tm_hour = hour, .tm_min = minute };

	return timegm(&tm);
}

static struct schedule made(const char *every, const char *at)
{
	char reason[REASON_MAX] = "";
	struct schedule s;

	if (schedule_parse(every, at, &s, reason))
		fail_msg("%s", reason);
	return s;
}

TEST(the_next_due_time_follows_the_local_clock)
{
	static const struct { const char *zone, *every, *at; int after[5]; const char *next[4]; } cases[] = {
		{ "UTC", "1d", NULL, { 2026, 11, 22, 12, 0 }, { "2026-11-23 00:00+0000", "2026-11-24 00:00+0000" } },
		{ "UTC", "1d", "06:00", { 2026, 11, 22, 6, 0 }, { "2026-11-23 06:00+0000" } },
		{ "UTC", "1d", "06:00", { 2026, 11, 22, 5, 59 }, { "2026-11-22 06:00+0000" } },
		{ "UTC", "15min", "00:05", { 2026, 11, 22, 23, 51 }, { "2026-11-23 00:05+0000", "2026-11-23 00:20+0000" } },
		{ "UTC", "6h", "01:30", { 2026, 11, 22, 12, 0 }, { "2026-11-22 13:30+0000", "2026-11-22 19:30+0000", "2026-11-23 01:30+0000" } },
		{ "UTC", "1w", NULL, { 2026, 11, 22, 12, 0 }, { "2026-11-23 00:00+0000", "2026-11-30 00:00+0000" } },
		{ "UTC", "1w", "sun 18:30", { 2026, 11, 22, 12, 0 }, { "2026-11-22 18:30+0000", "2026-11-29 18:30+0000" } },
		{ KOLKATA, "1d", "06:00", { 2026, 11, 22, 0, 30 }, { "2026-11-23 06:00+0530" } },
		/* the clock jumps from 2:00 to 3:00 */
		{ BERLIN, "1d", "02:30", { 2026, 3, 28, 2, 0 }, { "2026-03-29 03:00+0200", "2026-03-30 02:30+0200" } },
		{ BERLIN, "1h", "00:15", { 2026, 3, 29, 0, 0 }, { "2026-03-29 01:15+0100", "2026-03-29 03:00+0200", "2026-03-29 03:15+0200" } },
		{ BERLIN, "2h", NULL, { 2026, 3, 29, 0, 0 }, { "2026-03-29 03:00+0200", "2026-03-29 04:00+0200", "2026-03-29 06:00+0200" } },
		/* it is set back from 3:00 to 2:00 */
		{ BERLIN, "1d", "02:30", { 2026, 10, 24, 12, 0 }, { "2026-10-25 02:30+0200", "2026-10-26 02:30+0100" } },
		{ BERLIN, "1d", "02:30", { 2026, 10, 25, 1, 15 }, { "2026-10-26 02:30+0100" } },
		{ BERLIN, "1h", NULL, { 2026, 10, 24, 23, 30 }, { "2026-10-25 02:00+0200", "2026-10-25 03:00+0100", "2026-10-25 04:00+0100" } },
		{ BERLIN, "1w", "sun 02:00", { 2026, 10, 24, 0, 0 }, { "2026-10-25 02:00+0200", "2026-11-01 02:00+0100" } },
		{ NEW_YORK, "1d", "02:00", { 2026, 3, 8, 0, 0 }, { "2026-03-08 03:00-0400", "2026-03-09 02:00-0400" } },
		{ LORD_HOWE, "1d", "01:45", { 2026, 4, 3, 20, 0 }, { "2026-04-05 01:45+1100", "2026-04-06 01:45+1030" } },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const int *a = cases[i].after;
		struct schedule s = made(cases[i].every, cases[i].at);
		__s64 at = utc(a[0], a[1], a[2], a[3], a[4]);

		zone(cases[i].zone);
		for (int n = 0; n < 4 && cases[i].next[n]; n++) {
			at = schedule_next(&s, at);
			assert_string_equal(text_of(at), cases[i].next[n]);
		}
	}
}

/* In every zone: the last time before the next is the last one, and no time lies between two lasts. */
TEST(last_and_next_are_inverse)
{
	static const char *const zones[] = { "UTC", BERLIN, NEW_YORK, LORD_HOWE, KOLKATA, ST_JOHNS };
	static const char *const every[] = { "1min", "15min", "1h", "6h", "1d", "1w" };

	for (int i = 0; i < 200; i++) {
		struct schedule s = made(every[check_below(6)], NULL);
		__s64 at = utc(2026, 1, 1, 0, 0) + (__s64)check_below(365 * 86400), last, next;

		zone(zones[check_below(6)]);
		if (i % 2)		/* near a change of the clock */
			at = utc(2026, i % 4 == 1 ? 3 : 10, i % 4 == 1 ? 29 : 25, 0, 0) + (__s64)check_below(4 * 3600);
		last = schedule_last(&s, at);
		next = schedule_next(&s, at);
		assert_true(last <= at && at < next);
		assert_int_equal(schedule_next(&s, last), next);
		assert_int_equal(schedule_last(&s, next), next);
		assert_int_equal(schedule_last(&s, next - 1), last);
	}
}

TEST(refuses_an_invalid_time)
{
	static const struct { const char *every, *at, *why; } cases[] = {
		{ "7h", NULL, "\"every\"" }, { "0h", NULL, "\"every\"" }, { "2d", NULL, "\"every\"" }, { "h", NULL, "\"every\"" }, { "7min", NULL, "\"every\"" },
		{ "1hour", NULL, "\"every\"" }, { "-1h", NULL, "\"every\"" }, { "", NULL, "\"every\"" }, { "1 d", NULL, "\"every\"" }, { "60s", NULL, "\"every\"" },
		{ "1d", "24:00", "\"at\"" }, { "1d", "6:00", "\"at\"" }, { "1d", "06:60", "\"at\"" }, { "1d", "06:00x", "\"at\"" }, { "1d", "", "\"at\"" },
		{ "1d", "mon 06:00", "\"at\"" }, { "1w", "06:00", "like \"mon 06:00\"" }, { "1w", "abc 06:00", "\"at\"" }, { "1w", "mon", "\"at\"" },
	};
	char reason[REASON_MAX];
	struct schedule s;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(schedule_parse(cases[i].every, cases[i].at, &s, reason), -EINVAL);
		assert_non_null(strstr(reason, cases[i].why));
	}
}

TEST_MAIN()
