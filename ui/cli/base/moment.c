#include "ui/cli/base/moment.h"
#include "collector/core/refuse.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOMENT_MIN 1e8
#define MOMENT_MAX 9999999999.0
#define SPAN_MAX (100 * 365.25 * 86400)

double moment_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* ---- spans ---- */

/* Digits with at most one point: no sign, exponent, "inf" or "0x". */
static bool read_decimal(const char **at, double *ret)
{
	size_t n = strspn(*at, "0123456789"), part = (*at)[n] == '.' ? 1 + strspn(*at + n + 1, "0123456789") : 0;

	if (!n || n + part > 20)
		return false;
	*ret = strtod(*at, NULL);
	*at += n + part;
	return true;
}

/* "1h30m": parts with units, each smaller than the one before; or one number alone. */
static bool read_span(const char *text, double *ret_s, bool *ret_bare)
{
	static const struct { const char *unit; double s; } units[] = {
		{ "y", 31536000 }, { "w", 604800 }, { "d", 86400 }, { "h", 3600 }, { "m", 60 }, { "s", 1 }, { "ms", 0.001 },
	};
	size_t i = 0, n = sizeof(units) / sizeof(*units);
	double sum = 0, part;

	for (const char *at = text; at == text || *at; at += strlen(units[i++].unit)) {
		*ret_bare = at == text;
		if (!read_decimal(&at, &part))
			return false;
		*ret_bare &= !*at;
		if (*ret_bare) {
			*ret_s = part;
			return true;
		}
		while (i < n && (strspn(at, "abcdefghijklmnopqrstuvwxyz") != strlen(units[i].unit) || strncmp(at, units[i].unit, strlen(units[i].unit))))
			i++;
		if (i == n)
			return false;
		sum += part * units[i].s;
	}
	*ret_s = sum;
	return true;
}

int span_parse(const char *text, double *ret_s, char reason[MOMENT_REASON])
{
	double s;
	bool bare;

	if (!read_span(text, &s, &bare) || !(s >= 1e-9 && s <= SPAN_MAX))
		return refuse_in(-EINVAL, reason, MOMENT_REASON, "\"%.60s\" is not a length of time: write 10ms, 90s, "
			"10m, 1h30m, 1d, 1y or a number of seconds", text);
	*ret_s = s;
	return 0;
}

/* ---- times ---- */

enum reading { NO_TIME, TIME, NOT_SHOWN };

/* Exactly so many digits. */
static bool read_digits(const char **at, int n, int *ret)
{
	int value = 0;

	for (int i = 0; i < n; i++) {
		if (!isdigit((unsigned char)(*at)[i]))
			return false;
		value = value * 10 + (*at)[i] - '0';
	}
	*at += n;
	*ret = value;
	return true;
}

static bool take_char(const char **at, char c)
{
	if (**at != c)
		return false;
	(*at)++;
	return true;
}

/* "14:05", "14:05:30.5"; hours may have one digit. */
static bool read_clock(const char **at, struct tm *tm, double *part)
{
	*part = 0;
	if (!read_digits(at, 2, &tm->tm_hour) && !read_digits(at, 1, &tm->tm_hour))
		return false;
	if (!take_char(at, ':') || !read_digits(at, 2, &tm->tm_min))
		return false;
	if (take_char(at, ':')) {
		if (!read_digits(at, 2, &tm->tm_sec))
			return false;
		if (**at == '.') {
			*part = strtod(*at, NULL);
			*at += 1 + strspn(*at + 1, "0123456789");
		}
	}
	return tm->tm_hour < 24 && tm->tm_min < 60 && tm->tm_sec < 60;
}

static int days_of(int year, int month)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	bool leap = (year % 4 == 0 && year % 100) || year % 400 == 0;

	return days[month - 1] + (month == 2 && leap);
}

static bool read_date(const char **at, struct tm *tm)
{
	int year, month;

	if (!read_digits(at, 4, &year) || !take_char(at, '-') || !read_digits(at, 2, &month) || !take_char(at, '-') ||
	    !read_digits(at, 2, &tm->tm_mday))
		return false;
	tm->tm_year = year - 1900;
	tm->tm_mon = month - 1;
	return month >= 1 && month <= 12 && tm->tm_mday >= 1 && tm->tm_mday <= days_of(year, month);
}

/* "Z", "+01:00", "-0530": seconds east of UTC. */
static bool read_zone(const char **at, int *ret_s)
{
	int sign = **at == '-' ? -1 : 1, hours, minutes;

	*ret_s = 0;
	if (take_char(at, 'Z') || take_char(at, 'z'))
		return true;
	if ((!take_char(at, '+') && !take_char(at, '-')) || !read_digits(at, 2, &hours))
		return false;
	take_char(at, ':');
	if (!read_digits(at, 2, &minutes) || hours > 14 || minutes > 59)
		return false;
	*ret_s = sign * (hours * 3600 + minutes * 60);
	return true;
}

static time_t shift_of(time_t at)
{
	struct tm tm;

	localtime_r(&at, &tm);
	return tm.tm_gmtoff;
}

/* The times at which the clock of TZ showed these fields, the earliest first: one; two where it was put back; none where it was
 * put forward.  mktime() cannot say this: it takes one of two, and which one depends on the calls before. */
static int local_times(const struct tm *asked, time_t ret[2])
{
	struct tm fields = *asked, shown;
	time_t as_utc = timegm(&fields), shift[2] = { shift_of(as_utc - 86400), shift_of(as_utc + 86400) }, at;
	int n = 0;

	for (int i = 0; i < 1 + (shift[0] != shift[1]); i++) {
		at = as_utc - shift[i];
		localtime_r(&at, &shown);
		if (timegm(&shown) == as_utc)
			ret[n++] = at;
	}
	if (n == 2 && ret[0] > ret[1]) {
		at = ret[0];
		ret[0] = ret[1];
		ret[1] = at;
	}
	return n;
}

/* The last time up to now at which the clock showed it; or the next one.  false: it did not. */
static bool last_local(const struct tm *asked, double part, double now_s, double *ret_s)
{
	time_t at[2];
	int n = local_times(asked, at);

	if (n)
		*ret_s = (double)at[n == 2 && (double)at[1] + part <= now_s] + part;
	return n;
}

/* Where midnight was skipped, a day begins as late as that. */
static double day_start(const struct tm *date)
{
	struct tm fields = *date;
	time_t at[2], as_utc;

	if (local_times(date, at))
		return (double)at[0];
	as_utc = timegm(&fields);
	return (double)(as_utc - shift_of(as_utc - 86400));
}

/* "2026-11-25T14:05:05Z" */
static enum reading read_dated(const char *at, double now_s, double *ret_s)
{
	struct tm tm = { 0 };
	double part = 0;
	int zone_s;

	if (!read_date(&at, &tm))
		return NO_TIME;
	if (!*at) {
		*ret_s = day_start(&tm);
		return TIME;
	}
	if (!take_char(&at, 'T') && !take_char(&at, 't') && !take_char(&at, ' '))
		return NO_TIME;
	at += strspn(at, " ");
	if (!read_clock(&at, &tm, &part))
		return NO_TIME;
	at += strspn(at, " ");
	if (!*at)
		return last_local(&tm, part, now_s, ret_s) ? TIME : NOT_SHOWN;
	if (!read_zone(&at, &zone_s) || *at)
		return NO_TIME;
	*ret_s = (double)timegm(&tm) - zone_s + part;
	return TIME;
}

/* Today; or a day before, where that is still to come, or the clock did not show it. */
static bool read_last_clock(const char *at, double now_s, double *ret_s)
{
	time_t now = (time_t)floor(now_s);
	struct tm today, tm;
	double part;

	localtime_r(&now, &today);
	for (int days = 0; days < 4; days++) {
		const char *end = at;

		tm = (struct tm){ .tm_year = today.tm_year, .tm_mon = today.tm_mon, .tm_mday = today.tm_mday - days };
		if (!read_clock(&end, &tm, &part) || *end)
			return false;
		if (last_local(&tm, part, now_s, ret_s) && *ret_s <= now_s)
			return true;
	}
	return false;
}

/* "5m", "-5m", "-300"; and a bare number, which is a Unix time. */
static bool read_ago(const char *text, double now_s, double *ret_s)
{
	bool minus = *text == '-', bare;
	double s;

	if (!read_span(text + minus, &s, &bare))
		return false;
	*ret_s = bare && !minus ? s : now_s - s;
	return true;
}

int moment_parse(const char *text, double now_s, double *ret_s, char reason[MOMENT_REASON])
{
	enum reading as = TIME;
	double s;

	tzset();
	if (!strcmp(text, "now"))
		s = now_s;
	else if (!read_ago(text, now_s, &s) && !read_last_clock(text, now_s, &s))
		as = read_dated(text, now_s, &s);
	if (as == TIME && s >= MOMENT_MIN && s <= MOMENT_MAX) {
		*ret_s = s;
		return 0;
	}
	if (as == NOT_SHOWN)
		snprintf(reason, MOMENT_REASON, "\"%.60s\" is not a time that the clock showed: it was put forward then; write a time "
			"before or after, or one with its zone", text);
	else if (as == TIME && *text && !text[strspn(text, "0123456789")])
		snprintf(reason, MOMENT_REASON, "%.20s is not a Unix time of these years; %.20s seconds ago is "
			"-%.20s or %.20ss", text, text, text, text);
	else
		snprintf(reason, MOMENT_REASON, "\"%.60s\" is not a time: write " MOMENT_GRAMMAR, text);
	return -EINVAL;
}
