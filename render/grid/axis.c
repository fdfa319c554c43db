#include "render/grid/axis.h"
#include "collector/core/saturating.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define SECOND 1000000000ll
#define DAY (86400 * SECOND)

struct unit_step { double size; const char *name; };

static const struct unit_step time_units[] = { { 1e9, " s" }, { 1e6, " ms" }, { 1e3, " µs" }, { 1, " ns" } };
static const struct unit_step byte_units[] = { { 1e12, " TB" }, { 1e9, " GB" }, { 1e6, " MB" },
					       { 1e3, " kB" }, { 1, " B" } };
static const struct unit_step counts[] = { { 1e12, "T" }, { 1e9, "G" }, { 1e6, "M" }, { 1e3, "k" }, { 1, "" } };
static const struct unit_step percents[] = { { 1, " %" } };
static const struct unit_step rates[] = { { 1e12, "T/s" }, { 1e9, "G/s" }, { 1e6, "M/s" }, { 1e3, "k/s" }, { 1, "/s" } };
static const struct unit_step byte_rates[] = { { 1e12, " TB/s" }, { 1e9, " GB/s" }, { 1e6, " MB/s" },
					       { 1e3, " kB/s" }, { 1, " B/s" } };

static const struct unit_step *unit_steps(enum axis_unit unit, size_t *ret_n)
{
#define TABLE(t) (*ret_n = sizeof(t) / sizeof(*(t)), t)
	switch (unit) {
	case AXIS_NS: return TABLE(time_units);
	case AXIS_BYTES: return TABLE(byte_units);
	case AXIS_PERCENT: return TABLE(percents);
	case AXIS_PER_S: return TABLE(rates);
	case AXIS_BYTES_PER_S: return TABLE(byte_rates);
	default: return TABLE(counts);
	}
#undef TABLE
}

static const char *const unit_name[] = {
	[AXIS_COUNT] = "", [AXIS_NS] = "ns", [AXIS_BYTES] = "bytes", [AXIS_PERCENT] = "%", [AXIS_PER_S] = "/s",
	[AXIS_BYTES_PER_S] = "bytes/s",
};

const char *axis_unit_name(enum axis_unit unit)
{
	return unit_name[unit];
}

enum axis_unit axis_unit(const char *name)
{
	for (enum axis_unit unit = AXIS_NS; name && unit <= AXIS_BYTES_PER_S; unit++)
		if (!strcmp(name, unit_name[unit]))
			return unit;
	return AXIS_COUNT;
}

/* The largest unit in which the rounded value has at least one digit other than 0 before the point. */
static const struct unit_step *unit_for(double value, enum axis_unit unit)
{
	size_t n;
	const struct unit_step *u = unit_steps(unit, &n);

	while (n > 1 && fabs(value) < u->size * 0.9995) {
		u++;
		n--;
	}
	return u;
}

#define AT_LEAST "≥ "			/* a sum that saturated */

/* Writes without the zeros at the end. */
static void put_decimals(double x, int decimals, const char *suffix, char *out)
{
	char digits[AXIS_TEXT];

	snprintf(digits, sizeof(digits), "%.*f", decimals, x);
	if (strchr(digits, '.')) {
		size_t len = strlen(digits);

		while (digits[len - 1] == '0')
			digits[--len] = 0;
		if (digits[len - 1] == '.')
			digits[len - 1] = 0;
	}
	snprintf(out, AXIS_TEXT - strlen(AT_LEAST), "%.20s%s", digits, suffix);
}

/* Returns how many bytes it wrote. */
static size_t put_bound(double value, char *out)
{
	return saturated(value) ? strlen(strcpy(out, AT_LEAST)) : 0;
}

static void put_number(double x, const char *suffix, char *out)
{
	put_decimals(x, fabs(x) >= 99.95 ? 0 : fabs(x) >= 9.995 ? 1 : 2, suffix, out);
}

/* Writes a number below 0.1 with two digits, so that it is not 0; one below 0.0001 is "< 0.0001". */
static void put_small(double x, const char *suffix, char *out)
{
	if (fabs(x) < 0.0001)
		snprintf(out, AXIS_TEXT, "< 0.0001%s", suffix);
	else
		put_decimals(x, 1 - (int)floor(log10(fabs(x)) + 1e-9), suffix, out);
}

/* Writes "1 d 15 h", from 100 days on without hours. */
static void put_days(double ns, char *out)
{
	__u64 hours = (__u64)llround(ns / (3600.0 * SECOND)), days = hours / 24;

	if (days >= 100 || hours % 24 == 0)
		snprintf(out, AXIS_TEXT - strlen(AT_LEAST), "%llu d", (unsigned long long)(days >= 100 ? (hours + 12) / 24 : days));
	else
		snprintf(out, AXIS_TEXT - strlen(AT_LEAST), "%llu d %llu h", (unsigned long long)days, (unsigned long long)(hours % 24));
}

const char *axis_sum_name(enum axis_unit unit)
{
	return unit == AXIS_NS ? "time" : "total";
}

const char *axis_sum_heading(enum axis_unit unit)
{
	return unit == AXIS_NS ? "TIME" : "TOTAL";
}

void axis_format(double value, enum axis_unit unit, char ret_text[AXIS_TEXT])
{
	const struct unit_step *u = unit_for(value, unit);

	if (value == 0 && unit != AXIS_PERCENT)
		strcpy(ret_text, "0");
	else if (unit == AXIS_PERCENT && value > 0 && value < 0.005)
		strcpy(ret_text, "< 0.01 %");	/* not 0: something is there */
	else if (unit == AXIS_NS && value >= DAY)
		put_days(value, ret_text + put_bound(value, ret_text));
	else if (unit != AXIS_PERCENT && fabs(value) < 0.0995)
		put_small(value / u->size, u->name, ret_text);
	else
		put_number(value / u->size, u->name, ret_text + put_bound(value, ret_text));
}

void axis_format_percentile(double value, double least, enum axis_unit unit, char ret_text[AXIS_TEXT])
{
	char text[AXIS_TEXT];

	if (!(value > 0 && value < least)) {
		axis_format(value, unit, ret_text);
		return;
	}
	axis_format(least, unit, text);
	snprintf(ret_text, AXIS_TEXT, "< %.28s", text);
}

static void put_thousands(__u64 n, char *out)
{
	char digits[AXIS_TEXT];
	size_t len = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)n), to = put_bound((double)n, out);

	for (size_t i = 0; i < len && to + 2 < AXIS_TEXT; i++) {	/* 1,234,567 */
		out[to++] = digits[i];
		if ((len - i - 1) % 3 == 0 && i + 1 < len)
			out[to++] = ',';
	}
	out[to] = 0;
}

void axis_format_count(double n, char ret_text[AXIS_TEXT])
{
	if (n < 1000 && n != floor(n))
		snprintf(ret_text, AXIS_TEXT, "%.3g", n);
	else
		put_thousands(saturating_from(round(n)), ret_text);
}

void axis_format_span(__u64 ns, char ret_text[AXIS_TEXT])
{
	static const struct { __u64 ns; const char *name; } span[] = {
		{ DAY, "d" }, { 3600 * SECOND, "h" }, { 60 * SECOND, "min" }, { SECOND, "s" },
	};

	for (size_t i = 0; i < 4; i++)
		if (ns && ns % span[i].ns == 0) {
			snprintf(ret_text, AXIS_TEXT, "%llu %s", (unsigned long long)(ns / span[i].ns), span[i].name);
			return;
		}
	axis_format((double)ns, AXIS_NS, ret_text);
}

void axis_format_offset(int offset_s, char ret_text[AXIS_TEXT])
{
	int minutes = (offset_s < 0 ? -offset_s : offset_s) / 60;

	if (!minutes)
		strcpy(ret_text, "UTC");
	else
		snprintf(ret_text, AXIS_TEXT, "UTC%c%02d:%02d", offset_s < 0 ? '-' : '+',
			 minutes / 60 % 100, minutes % 60);
}

/* Whole seconds, rounded down, also before 1970. */
static __s64 seconds_of(__s64 ns)
{
	return ns / SECOND - (ns % SECOND < 0);
}

void axis_format_zone(const struct zone *zone, __s64 from_ns, __s64 to_ns, char ret_text[AXIS_ZONE])
{
	char first[AXIS_TEXT], then[AXIS_TEXT];
	__s64 from_s = seconds_of(from_ns), to_s = seconds_of(to_ns), change_s, second_s;

	axis_format_offset(zone_offset(zone, from_s), first);
	if (!zone_next(zone, from_s, &change_s) || change_s >= to_s) {
		snprintf(ret_text, AXIS_ZONE, "%s", first);
		return;
	}
	axis_format_offset(zone_offset(zone, change_s), then);
	if (zone_next(zone, change_s, &second_s) && second_s < to_s)
		snprintf(ret_text, AXIS_ZONE, "%s", *zone->name ? zone->name : "local time");
	else
		snprintf(ret_text, AXIS_ZONE, "%s, then %s", first, then);
}

/* Splits a moment into the fields of the wall clock, rounded down, also before 1970. */
static __s64 split_time(__s64 ns, const struct zone *zone, struct tm *ret_tm)
{
	__s64 rest = (ns % SECOND + SECOND) % SECOND;
	time_t seconds = (time_t)(seconds_of(ns) + zone_offset(zone, seconds_of(ns)));

	gmtime_r(&seconds, ret_tm);
	return rest;
}

static void put_fraction(__s64 rest, char *out, size_t room)
{
	char digits[16];
	size_t len;

	if (!rest)
		return;
	len = snprintf(digits, sizeof(digits), ".%03lld", (long long)(rest / 1000000));
	while (digits[len - 1] == '0')
		digits[--len] = 0;
	if (len > 1)
		strncat(out, digits, room - strlen(out) - 1);
}

void axis_format_time(__s64 ns, const struct zone *zone, char ret_text[AXIS_TEXT])
{
	struct tm tm;
	__s64 rest = split_time(ns, zone, &tm);

	strftime(ret_text, AXIS_TEXT, "%Y-%m-%d %H:%M:%S", &tm);
	put_fraction(rest, ret_text, AXIS_TEXT);
}

void axis_format_range(__s64 from_ns, __s64 to_ns, const struct zone *zone, char ret_text[AXIS_RANGE])
{
	int first_s = zone_offset(zone, seconds_of(from_ns)), last_s = zone_offset(zone, seconds_of(to_ns));
	char from[AXIS_TEXT], to[AXIS_TEXT], first[AXIS_TEXT], last[AXIS_TEXT];

	axis_format_time(from_ns, zone, from);
	axis_format_time(to_ns, zone, to);
	axis_format_offset(first_s, first);
	axis_format_offset(last_s, last);
	snprintf(ret_text, AXIS_RANGE, "%.24s%s%.10s to %.24s %.10s", from, first_s != last_s ? " " : "", first_s != last_s ? first : "",
		 strncmp(from, to, 10) ? to : to + 11, last);
}

double axis_at(enum axis_scale scale, double low, double high, double value)
{
	if (scale == AXIS_LOG)
		return (log2(value) - log2(low)) / (log2(high) - log2(low));
	return (value - low) / (high - low);
}

/* --- values ----------------------------------------------------------------------------------- */

double axis_round_125(double value, int up)
{
	double power = pow(10, floor(log10(value) + 1e-12));
	double digit = value / power;

	if (up)
		return power * (digit <= 1 + 1e-9 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
	return power * (digit >= 5 ? 5 : digit >= 2 ? 2 : 1);
}

static double round_step(double least)
{
	double power = pow(10, floor(log10(least)));

	for (int i = 0; i < 3; i++) {
		static const int step[] = { 1, 2, 5 };

		if (step[i] * power >= least * 0.999999)
			return step[i] * power;
	}
	return 10 * power;
}

#define LINEAR_DIGITS 1000		/* "1000 ms" rather than steps of 0.2 s */

/* All labels of a linear axis have one unit, so that the eye can compare them: the unit of a step, unless the highest
 * label would be a long number in it. */
static const struct unit_step *linear_unit(enum axis_unit unit, double step, double high)
{
	const struct unit_step *u = unit_for(step, unit);

	return high / u->size <= LINEAR_DIGITS * (1 + 1e-9) ? u : unit_for(high, unit);
}

static size_t linear_ticks(enum axis_unit unit, double low, double high, double length_px, double gap_px,
			   struct tick *tick)
{
	double step = round_step((high - low) * gap_px / length_px), first;
	const struct unit_step *u;
	size_t n = 0;
	int decimals;

	if (step < 1 && high > 1)
		step = 1;
	u = linear_unit(unit, step, high);
	decimals = (int)ceil(-log10(step / u->size) - 1e-9);
	first = ceil(low / step - 1e-9);
	for (; n < AXIS_TICKS_MAX; n++) {
		double value = (first + n) * step;
		struct tick *t = &tick[n];

		if (value > high * (1 + 1e-12))
			break;
		memset(t, 0, sizeof(*t));
		t->at = axis_at(AXIS_LINEAR, low, high, value);
		if (value == 0)
			strcpy(t->text, "0");
		else
			put_decimals(value / u->size, decimals > 0 ? decimals : 0, u->name, t->text);
	}
	return n;
}

/* Chooses which of 1, 2, 5 per decade get a label, and how many decades lie between labels, so that they fit. */
static void log_density(double decade_px, double gap_px, int *ret_all, int *ret_apart)
{
	*ret_all = decade_px * log10(2) >= gap_px;
	*ret_apart = 1;
	while (decade_px * *ret_apart < gap_px)
		++*ret_apart;
}

static size_t log_ticks(enum axis_unit unit, double low, double high, double length_px, double gap_px,
			struct tick *tick)
{
	double decade_px = length_px / (log10(high) - log10(low));
	int all, apart, decade = (int)floor(log10(low) + 1e-9);
	size_t n = 0;

	log_density(decade_px, gap_px, &all, &apart);
	for (; pow(10, decade) <= high * (1 + 1e-9); decade++)
		for (int i = 0; i < 3; i++) {
			static const int step[] = { 1, 2, 5 };
			double value = step[i] * pow(10, decade);
			int labelled = all || (i == 0 && decade % apart == 0);

			if (value < low * (1 - 1e-9) || value > high * (1 + 1e-9) || n == AXIS_TICKS_MAX)
				continue;
			memset(&tick[n], 0, sizeof(tick[n]));
			tick[n].at = axis_at(AXIS_LOG, low, high, value);
			if (labelled)
				put_number(value / unit_for(value, unit)->size, unit_for(value, unit)->name, tick[n].text);
			n++;
		}
	return n;
}

size_t axis_value_ticks(enum axis_scale scale, enum axis_unit unit, double low, double high,
			double length_px, double gap_px, struct tick ret_tick[AXIS_TICKS_MAX])
{
	if (!(low < high) || !(length_px > 0) || !(gap_px > 0) || (scale == AXIS_LOG && low < 1))
		return 0;
	return scale == AXIS_LOG ? log_ticks(unit, low, high, length_px, gap_px, ret_tick)
				 : linear_ticks(unit, low, high, length_px, gap_px, ret_tick);
}

/* --- time ------------------------------------------------------------------------------------- */

#define DATE_CHARS 10			/* "2026-11-21" */

static const __s64 time_step[] = {
	SECOND / 100, SECOND / 50, SECOND / 20, SECOND / 10, SECOND / 5, SECOND / 2,
	SECOND, 2 * SECOND, 5 * SECOND, 10 * SECOND, 15 * SECOND, 30 * SECOND,
	60 * SECOND, 120 * SECOND, 300 * SECOND, 600 * SECOND, 900 * SECOND, 1800 * SECOND,
	3600 * SECOND, 7200 * SECOND, 10800 * SECOND, 21600 * SECOND, 43200 * SECOND,
	DAY, 2 * DAY, 5 * DAY, 10 * DAY, 20 * DAY, 50 * DAY, 100 * DAY, 200 * DAY, 500 * DAY, 1000 * DAY,
};
#define N_TIME_STEPS (sizeof(time_step) / sizeof(*time_step))

static int label_chars(__s64 step)
{
	return step >= DAY ? DATE_CHARS : step >= 60 * SECOND ? 5 : step >= SECOND ? 8 : 11;
}

static __s64 choose_step(__s64 length_ns, double length_px, double char_px)
{
	for (size_t i = 0; i < N_TIME_STEPS; i++) {
		double px = (double)time_step[i] / length_ns * length_px;

		if (px >= (label_chars(time_step[i]) + 3) * char_px)
			return time_step[i];
	}
	return time_step[N_TIME_STEPS - 1];
}

static void put_label(__s64 ns, __s64 step, const struct zone *zone, struct tick *t)
{
	struct tm tm;
	__s64 rest = split_time(ns, zone, &tm);

	strftime(t->date, sizeof(t->date), "%Y-%m-%d", &tm);
	strftime(t->text, sizeof(t->text),
		 step >= DAY ? "%Y-%m-%d" : step >= 60 * SECOND ? "%H:%M" : "%H:%M:%S", &tm);
	put_fraction(rest, t->text, sizeof(t->text));
}

/* A date stands under the first tick, and under each tick where a day begins.  The first date is left out if the next
 * one is too near. */
static void thin_dates(struct tick *tick, size_t n, __s64 step, double length_px, double char_px)
{
	char day[AXIS_TEXT] = "";
	size_t last = n;

	for (size_t i = 0; i < n; i++) {
		int new_day = strcmp(tick[i].date, day) != 0;

		if (!*tick[i].text)
			continue;
		strcpy(day, tick[i].date);
		if (step >= DAY || !new_day) {
			tick[i].date[0] = 0;
			continue;
		}
		if (last < n && (tick[i].at - tick[last].at) * length_px < (DATE_CHARS + 2) * char_px)
			tick[last].date[0] = 0;
		last = i;
	}
}

/* Ticks at whole steps of a clock that does not change within from..to; `last` includes the end. */
static size_t even_ticks(__s64 from, __s64 to, bool last, __s64 step, const struct zone *zone, size_t n, __s64 *ret_at)
{
	__s64 offset = zone_offset(zone, seconds_of(from)) * SECOND, at = from + offset, past = at % step;

	at += past > 0 ? step - past : -past;		/* the next multiple in local time */
	for (; (at - offset < to || (last && at - offset == to)) && n < AXIS_TICKS_MAX; at += step)
		ret_at[n++] = at - offset;
	return n;
}

size_t axis_time_ticks(__s64 from_ns, __s64 to_ns, const struct zone *zone, double length_px,
		       double char_px, struct tick ret_tick[AXIS_TICKS_MAX])
{
	__s64 step, change_s, part = from_ns, at[AXIS_TICKS_MAX];
	double near;
	size_t n = 0;

	if (from_ns >= to_ns || !(length_px > 0) || !(char_px > 0))
		return 0;
	step = choose_step(to_ns - from_ns, length_px, char_px);
	near = (label_chars(step) + 1) * char_px / length_px;
	while (zone_next(zone, seconds_of(part), &change_s) && change_s < to_ns / SECOND) {
		n = even_ticks(part, change_s * SECOND, false, step, zone, n, at);
		part = change_s * SECOND;
	}
	n = even_ticks(part, to_ns, true, step, zone, n, at);
	for (size_t i = 0, labelled = n; i < n; i++) {
		ret_tick[i].at = (double)(at[i] - from_ns) / (double)(to_ns - from_ns);
		put_label(at[i], step, zone, &ret_tick[i]);
		if (labelled < n && ret_tick[i].at - ret_tick[labelled].at < near)
			ret_tick[i].text[0] = ret_tick[i].date[0] = 0;
		else
			labelled = i;
	}
	thin_dates(ret_tick, n, step, length_px, char_px);
	return n;
}
