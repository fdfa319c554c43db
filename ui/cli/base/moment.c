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
	static const struct { char unit; double s; } units[] = { { 'w', 604800 }, { 'd', 86400 }, { 'h', 3600 }, { 'm', 60 }, { 's', 1 } };
	size_t i = 0, n = sizeof(units) / sizeof(*units);
	double sum = 0, part;

	for (const char *at = text; at == text || *at; at++, i++) {
		*ret_bare = at == text;
		if (!read_decimal(&at, &part))
			return false;
		*ret_bare &= !*at;
		if (*ret_bare) {
			*ret_s = part;
			return true;
		}
		while (i < n && units[i].unit != *at)
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
		return refuse_in(-EINVAL, reason, MOMENT_REASON, "\"%.60s\" is not a length of time: write 90s, 10m, "
			"1h30m, 1d or a number of seconds", text);
	*ret_s = s;
	return 0;
}

/* ---- times ---- */

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

/* "2026-11-25T14:05:05Z" */
static bool read_dated(const char *at, double *ret_s)
{
	struct tm tm = { .tm_isdst = -1 };
	double part = 0;
	int zone_s;

	if (!read_date(&at, &tm))
		return false;
	if (*at) {
		if (!take_char(&at, 'T') && !take_char(&at, 't') && !take_char(&at, ' '))
			return false;
		at += strspn(at, " ");
		if (!read_clock(&at, &tm, &part))
			return false;
		at += strspn(at, " ");
	}
	if (!*at) {
		*ret_s = (double)mktime(&tm) + part;
		return true;
	}
	if (!read_zone(&at, &zone_s) || *at)
		return false;
	*ret_s = (double)timegm(&tm) - zone_s + part;
	return true;
}

/* Today, or yesterday where that is still to come. */
static bool read_last_clock(const char *at, double now_s, double *ret_s)
{
	time_t now = (time_t)floor(now_s);
	struct tm today, tm;
	double part;

	localtime_r(&now, &today);
	for (int days = 0; days < 2; days++) {
		const char *end = at;

		tm = (struct tm){ .tm_year = today.tm_year, .tm_mon = today.tm_mon, .tm_mday = today.tm_mday - days, .tm_isdst = -1 };
		if (!read_clock(&end, &tm, &part) || *end)
			return false;
		*ret_s = (double)mktime(&tm) + part;
		if (*ret_s <= now_s)
			break;
	}
	return true;
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
	double s;
	bool known = true;

	if (!strcmp(text, "now"))
		s = now_s;
	else
		known = read_ago(text, now_s, &s) || read_last_clock(text, now_s, &s) || read_dated(text, &s);
	if (known && s >= MOMENT_MIN && s <= MOMENT_MAX) {
		*ret_s = s;
		return 0;
	}
	if (known && *text && !text[strspn(text, "0123456789")])
		snprintf(reason, MOMENT_REASON, "%.20s is not a Unix time of these years; %.20s seconds ago is "
			"-%.20s or %.20ss", text, text, text, text);
	else
		snprintf(reason, MOMENT_REASON, "\"%.60s\" is not a time: write " MOMENT_GRAMMAR, text);
	return -EINVAL;
}
