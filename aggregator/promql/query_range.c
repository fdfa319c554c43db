#include "aggregator/promql/query_range.h"

#include "aggregator/promql/lexer.h"
#include "collector/core/refuse.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TIME_MAX_S 7258118400.0		/* the year 2200: some hundred years fit into 64 bits after it */
#define SPAN_NS 3600000000000ll

const char *query_param(const struct input *in, const char *name)
{
	for (size_t i = 0; i < in->n; i++)
		if (!strcmp(in->param[i].name, name))
			return in->param[i].value;
	return NULL;
}

static __s64 round_ms(double seconds) { return (__s64)llround(seconds * 1000) * 1000000; }

/* A whole text as a number. */
static bool number_of(const char *text, double *ret)
{
	char *end;

	*ret = strtod(text, &end);
	return end != text && !*end && !isnan(*ret);
}

/* 2023-11-14T22:13:20.5Z, ...+01:00 */
static bool rfc3339_of(const char *text, double *ret)
{
	struct tm tm = { 0 };
	double second;
	char zone[8] = "";
	int hours, minutes, end = 0;

	if (sscanf(text, "%4d-%2d-%2d%*1[Tt]%2d:%2d:%12lf%6s%n", &tm.tm_year, &tm.tm_mon, &tm.tm_mday, &tm.tm_hour, &tm.tm_min, &second, zone,
		   &end) != 7 || text[end] || !(second >= 0 && second < 61))
		return false;
	tm.tm_year -= 1900;
	tm.tm_mon--;
	*ret = (double)timegm(&tm) + second;
	if (!strcmp(zone, "Z") || !strcmp(zone, "z"))
		return true;
	end = 0;
	if ((*zone != '+' && *zone != '-') || sscanf(zone + 1, "%2d:%2d%n", &hours, &minutes, &end) != 2 || zone[1 + end])
		return false;
	*ret -= (*zone == '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
	return true;
}

static int read_time(const char *name, const char *text, __s64 *ret_ns, char *reason)
{
	double seconds;

	if (!number_of(text, &seconds) && !rfc3339_of(text, &seconds))
		return refuse(reason, "invalid parameter \"%s\": cannot parse \"%.64s\" to a valid timestamp", name, text);
	if (!(seconds >= 0 && seconds <= TIME_MAX_S))
		return refuse(reason, "invalid parameter \"%s\": \"%.64s\" is not between 1970 and 2200", name, text);
	*ret_ns = round_ms(seconds);
	return 0;
}

static int read_param(const struct input *in, const char *name, __s64 *ret_ns, char *reason)
{
	const char *text = query_param(in, name);

	return text ? read_time(name, text, ret_ns, reason) : refuse(reason, "invalid parameter \"%s\": it is missing", name);
}

static int read_step(const struct input *in, __s64 *ret_ns, char *reason)
{
	const char *text = query_param(in, "step");
	double seconds;

	if (!text)
		return refuse(reason, "invalid parameter \"step\": it is missing");
	if (number_of(text, &seconds))
		*ret_ns = seconds > 0 && seconds < TIME_MAX_S ? round_ms(seconds) : 0;
	else if (duration_parse(text, ret_ns))
		return refuse(reason, "invalid parameter \"step\": cannot parse \"%.64s\" to a valid duration", text);
	return *ret_ns > 0 ? 0 : refuse(reason, "invalid parameter \"step\": zero or negative query resolution step widths are not accepted. "
					"Try a positive integer");
}

int query_range_read(const struct input *in, struct query_range *ret_range, char *reason)
{
	struct query_range r = { 0 };
	int err = read_param(in, "start", &r.start_ns, reason);

	if (!err)
		err = read_param(in, "end", &r.end_ns, reason);
	if (!err && r.end_ns < r.start_ns)
		err = refuse(reason, "invalid parameter \"end\": end timestamp must not be before start time");
	if (!err)
		err = read_step(in, &r.step_ns, reason);
	if (!err && (r.end_ns - r.start_ns) / r.step_ns > QUERY_POINTS_MAX)
		err = refuse(reason, "exceeded maximum resolution of 11,000 points per timeseries. Try decreasing the query resolution (?step=XX)");
	if (err)
		return err;
	r.n_points = (size_t)((r.end_ns - r.start_ns) / r.step_ns) + 1;
	*ret_range = r;
	return 0;
}

int query_time_read(const struct input *in, __s64 now_ns, struct query_range *ret_range, char *reason)
{
	const char *text = query_param(in, "time");
	struct query_range r = { .start_ns = now_ns / 1000000 * 1000000, .step_ns = 1000000000, .n_points = 1 };
	int err = text && *text ? read_time("time", text, &r.start_ns, reason) : 0;

	if (err)
		return err;
	r.end_ns = r.start_ns;
	*ret_range = r;
	return 0;
}

static int read_end(const struct input *in, const char *name, __s64 *at_ns, char *reason)
{
	const char *text = query_param(in, name);
	double seconds;

	if (!text || !*text)
		return 0;
	if (!number_of(text, &seconds) && !rfc3339_of(text, &seconds))
		return refuse(reason, "invalid parameter \"%s\": cannot parse \"%.64s\" to a valid timestamp", name, text);
	*at_ns = round_ms(fmin(fmax(seconds, 0), TIME_MAX_S));
	return 0;
}

int query_span_read(const struct input *in, __s64 now_ns, struct query_range *ret_range, char *reason)
{
	struct query_range r = { .end_ns = now_ns };
	int err = read_end(in, "end", &r.end_ns, reason);

	r.start_ns = r.end_ns - SPAN_NS > 0 ? r.end_ns - SPAN_NS : 0;
	if (!err)
		err = read_end(in, "start", &r.start_ns, reason);
	if (!err && r.end_ns < r.start_ns)
		err = refuse(reason, "invalid parameter \"end\": end timestamp must not be before start time");
	if (!err)
		*ret_range = r;
	return err;
}
