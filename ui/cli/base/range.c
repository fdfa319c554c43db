#include "ui/cli/base/range.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define USUAL_S 60

/* One for all options: `-s -10m -e -5m` is five minutes. */
static double now_once(void)
{
	static double now_s;

	if (!(now_s > 0))
		now_s = floor(moment_now());
	return now_s;
}

double take_moment(struct argp_state *state, const char *option, const char *text)
{
	char reason[MOMENT_REASON];
	double s = 0;

	if (moment_parse(text, now_once(), &s, reason))
		argp_error(state, "--%s: %s", option, reason);
	return s;
}

double take_span(struct argp_state *state, const char *option, const char *text)
{
	char reason[MOMENT_REASON];
	double s = 0;

	if (span_parse(text, &s, reason))
		argp_error(state, "--%s: %s", option, reason);
	return s;
}

long take_seconds(struct argp_state *state, const char *option, const char *text)
{
	double s = take_span(state, option, text);

	if (s != floor(s) || s > 1e9)
		argp_error(state, "--%s %s: must be whole seconds, at most 1000000000", option, text);
	return (long)s;
}

error_t range_take(struct range *r, int key, const char *arg, struct argp_state *state)
{
	switch (key) {
	case 's': r->start_s = take_moment(state, "start", arg); return 0;
	case 'e': r->end_s = take_moment(state, "end", arg); return 0;
	case 'd': r->duration_s = take_span(state, "duration", arg); return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

void range_settle(struct range *r, double settle_s)
{
	double length_s = r->duration_s > 0 ? r->duration_s : USUAL_S;

	if (r->start_s > 0 && r->end_s > 0 && r->duration_s > 0)
		return;
	if (!(r->end_s > 0))
		r->end_s = r->start_s > 0 && r->duration_s > 0 ? r->start_s + length_s : now_once() - settle_s;
	if (!(r->start_s > 0))
		r->start_s = r->end_s - length_s;
	r->duration_s = 0;
}

const char *seconds_text(double s, char out[32])
{
	snprintf(out, 32, s == floor(s) ? "%.0f" : "%.3f", s);
	return out;
}

const char *take_span_text(struct argp_state *state, const char *option, const char *text, char out[32])
{
	double s = strspn(text, "0.") == strlen(text) && *text ? 0 : take_span(state, option, text);

	snprintf(out, 32, "%.12g", s);
	return out;
}

static void put_seconds(struct query_string *p, const char *name, double s)
{
	char text[32];

	if (s > 0)
		query_string_put(p, name, seconds_text(s, text));
}

void range_put(const struct range *r, struct query_string *p)
{
	int alone = r->start_s > 0 && !(r->end_s > 0) && !(r->duration_s > 0);

	put_seconds(p, "start_time", r->start_s);
	put_seconds(p, "end_time", alone ? now_once() : r->end_s);
	put_seconds(p, "duration", r->duration_s > 0 || alone || (r->start_s > 0 && r->end_s > 0) ?
		    r->duration_s : USUAL_S);
}
