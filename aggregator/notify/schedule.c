#include "aggregator/notify/schedule.h"

#include "collector/core/instrumentation.h"
#include "collector/core/refuse.h"

#include <errno.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define DAY_MIN 1440
#define WEEK_MIN (7 * DAY_MIN)
#define FIRST_WEEKDAY 3			/* 1970-01-01 was a Thursday; Monday is 0 */
#define BACK_MIN 180			/* clocks are set back by less */

/* ---- reading ---- */

static int read_every(const char *text)
{
	unsigned n;
	char unit[4] = "";
	int end = 0;

	if (sscanf(text, "%3u%3[a-z]%n", &n, unit, &end) != 2 || text[end] || !n)
		return -EINVAL;
	if (!strcmp(unit, "min"))
		return n <= 60 && 60 % n == 0 ? (int)n : -EINVAL;
	if (!strcmp(unit, "h"))
		return n <= 24 && 24 % n == 0 ? (int)n * 60 : -EINVAL;
	if (n != 1)
		return -EINVAL;
	return !strcmp(unit, "d") ? DAY_MIN : !strcmp(unit, "w") ? WEEK_MIN : -EINVAL;
}

/* Minutes of the day; -EINVAL */
static int read_clock(const char *text)
{
	unsigned h, min;
	int end = 0;

	if (sscanf(text, "%2u:%2u%n", &h, &min, &end) != 2 || end != 5 || text[end] || h > 23 || min > 59)
		return -EINVAL;
	return (int)(h * 60 + min);
}

static int read_weekday(const char *text)
{
	static const char *const names[] = { "mon", "tue", "wed", "thu", "fri", "sat", "sun" };

	for (int i = 0; i < 7; i++)
		if (!strncasecmp(text, names[i], 3) && text[3] == ' ')
			return i;
	return -EINVAL;
}

int schedule_parse(const char *every, const char *at, struct schedule *ret, char *reason)
{
	int every_min = read_every(every), day, clock;

	if (every_min < 0)
		return refuse(reason, "value \"%.20s\" for \"every\" is invalid: minutes that divide an hour (15min), hours that divide a day "
			      "(6h), 1d or 1w", every);
	at = at ? at : every_min == WEEK_MIN ? "mon 00:00" : "00:00";
	day = every_min == WEEK_MIN ? read_weekday(at) : 0;
	clock = day < 0 ? -EINVAL : read_clock(every_min == WEEK_MIN ? at + 4 : at);
	if (clock < 0)
		return refuse(reason, "value \"%.20s\" for \"at\" is invalid: %s", at,
			      every_min == WEEK_MIN ? "a day and a time, like \"mon 06:00\"" : "a time of the day, like \"06:00\"");
	*ret = (struct schedule){ every_min, every_min == WEEK_MIN ? (day - FIRST_WEEKDAY) * DAY_MIN + clock : clock };
	return 0;
}

/* ---- due times ---- */

static __s64 floor_div(__s64 a, __s64 b)
{
	return a / b - (a % b < 0);
}

/* Returns what the local clock shows in that minute, in minutes from its 1970-01-01 00:00. */
static __s64 shown(__s64 minute)
{
	time_t t = (time_t)(minute * 60);
	struct tm tm;

	return localtime_r(&t, &tm) ? minute + tm.tm_gmtoff / 60 : minute;
}

/* Returns the latest time that it has shown until then. */
static __s64 reached(__s64 minute)
{
	__s64 most = shown(minute);

	for (__s64 m = minute - BACK_MIN; m < minute; m++)
		if (shown(m) > most)
			most = shown(m);
	return most;
}

__s64 schedule_next(const struct schedule *s, __s64 after_s)
{
	__s64 minute = floor_div(after_s, 60);
	__s64 target = (floor_div(reached(minute) - s->at_min, s->every_min) + 1) * s->every_min + s->at_min;

	while (shown(minute) < target)		/* a few milliseconds for a week */
		minute++;
	return minute * 60;
}

__s64 schedule_last(const struct schedule *s, __s64 until_s)
{
	__s64 last = schedule_next(s, until_s - 60ll * (s->every_min + BACK_MIN + 60)), next;

	while ((next = schedule_next(s, last)) <= until_s)
		last = next;
	return last;
}
