#include "aggregator/params/params.h"
#include "aggregator/params/kinds.h"
#include "aggregator/params/zone_database.h"
#include "collector/core/array.h"
#include "render/draw/figure.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NS 1000000000ll

#define value_refuse(reason, spec, value, why, ...) \
	params_refuse(reason, "value \"%.64s\" for parameter \"%s\" is invalid: " why, value, (spec)->name, ##__VA_ARGS__)

/* Reads "-12.5e3" times 10^scale, cut towards 0, without floating point.  -EINVAL: not a number; -ERANGE: beyond 63
 * bits. */
static int read_decimal(const char *text, int scale, __s64 *ret)
{
	bool minus = *text == '-', point = false;
	const char *digits = text + minus, *at = digits;
	int n_digits = 0, exponent = 0, end = 0;
	__s64 n = 0;

	for (; (*at >= '0' && *at <= '9') || (*at == '.' && !point); at++) {
		point = point || *at == '.';
		n_digits += *at != '.';
		exponent -= point && *at != '.';
	}
	if (!n_digits)
		return -EINVAL;
	if (*at == 'e' || *at == 'E') {
		int power = 0;

		if (!strspn(at + 1, "+-0123456789") || sscanf(at + 1, "%5d%n", &power, &end) != 1)
			return -EINVAL;
		at += 1 + end;
		exponent += power;
	}
	if (*at)
		return -EINVAL;
	n_digits += exponent + scale;		/* so many digits count; missing ones are zeroes */
	for (at = digits; n_digits > 0; n_digits--) {
		bool written = *at && *at != 'e' && *at != 'E';

		if (*at == '.' && written) {
			at++;
			written = *at >= '0' && *at <= '9';
		}
		if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, written ? *at - '0' : 0, &n))
			return -ERANGE;
		at += written;
		if (!n && !written)
			break;
	}
	*ret = minus ? -n : n;
	return 0;
}

/* Cuts decimals off: clients of Cloud Analytics send the results of computations on pixels. */
static int read_integer(const struct spec *spec, const char *value, __s64 *to, char *reason)
{
	__s64 n = 0;
	int err = read_decimal(value, 0, &n);

	if (err == -EINVAL)
		return value_refuse(reason, spec, value, "not a number");
	if (err)
		n = *value == '-' ? INT64_MIN : INT64_MAX;
	if (err && *value != '-' && spec->max == INT64_MAX)
		return value_refuse(reason, spec, value, "not an integer of 63 bits");
	if (n < spec->min)
		return value_refuse(reason, spec, value, "minimum is %lld", (long long)spec->min);
	if (n > spec->max)
		return value_refuse(reason, spec, value, "maximum is %lld", (long long)spec->max);
	*to = n;
	return 0;
}

/* Reads decimal seconds as ns. */
static int read_seconds(const struct spec *spec, const char *value, __s64 *to, char *reason)
{
	__s64 ns = 0;
	int err = *value == '-' ? -EINVAL : read_decimal(value, 9, &ns);

	if (err == -EINVAL)
		return value_refuse(reason, spec, value, "not a number of seconds");
	if (err || ns / NS > spec->max)
		return value_refuse(reason, spec, value, "maximum is %lld", (long long)spec->max);
	*to = ns;
	return 0;
}

/* Reads a part of 1 in decimals as millionths; rounds digits beyond the sixth. */
static int read_share(const struct spec *spec, const char *value, __s64 *to, char *reason)
{
	char *end;
	double share = strtod(value, &end);

	if (end == value || *end || value[strspn(value, "0123456789.eE+-")] || !(share >= 0 && share <= (double)spec->max / 1e6))
		return value_refuse(reason, spec, value, "must be a number from 0 to %g", (double)spec->max / 1e6);
	*to = llround(share * 1e6);
	return 0;
}

static int read_choice(const struct spec *spec, const char *value, int *to, char *reason)
{
	size_t len = strlen(value);
	int n = (int)spec->min;

	for (const char *at = spec->choices; at; at = strchr(at, ' ') ? strchr(at, ' ') + 1 : NULL, n++)
		if (len && !strchr(value, ' ') && !strncmp(at, value, len) && (at[len] == ' ' || !at[len])) {
			*to = n;
			return 0;
		}
	return value_refuse(reason, spec, value, "must be one of: %s", spec->choices);
}

static int read_format(const struct spec *spec, const char *value, enum value_format *to, char *reason)
{
	static const char *const name[] = { [FORMAT_JSON] = "json", [FORMAT_PNG] = "png", [FORMAT_PDF] = "pdf",
					    [FORMAT_SVG] = "svg", [FORMAT_HTML] = "html", [FORMAT_CSV] = "csv",
					    [FORMAT_FOLDED] = "folded" };
	int nth, err = read_choice(spec, value, &nth, reason);

	for (int i = FORMAT_JSON; i <= FORMAT_FOLDED && !err; i++)
		if (!strcmp(name[i], value))
			*to = i;
	return err;
}

static int read_switch(const struct spec *spec, const char *value, bool *to, char *reason)
{
	if (strcmp(value, "true") && strcmp(value, "false"))
		return value_refuse(reason, spec, value, "must be true or false");
	*to = *value == 't';
	return 0;
}

static int read_text(const char *value, char **to)
{
	char *text = strdup(value);

	if (!text)
		return -ENOMEM;
	free(*to);
	*to = text;
	return 0;
}

static int select_add(struct params *p, const char *text)
{
	if (array_resize(&p->select, p->n_select + 1, sizeof(*p->select)))
		return -ENOMEM;
	p->select[p->n_select] = strdup(text);
	return p->select[p->n_select] ? (p->n_select++, 0) : -ENOMEM;
}

/* Keys are separated by commas; a comma within one is written "\,", a backslash "\\".  One before another character stays: the
 * "\/" of a key's text. */
static int read_keys(const struct spec *spec, const char *value, struct params *p, char *reason)
{
	char *key = malloc(strlen(value) + 1);
	size_t len = 0;
	int err = key ? 0 : -ENOMEM;

	for (const char *at = value; *value && !err; at++) {
		if (*at == '\\' && (at[1] == ',' || at[1] == '\\')) {
			key[len++] = *++at;
			continue;
		}
		if (*at && *at != ',') {
			key[len++] = *at;
			continue;
		}
		key[len] = 0;
		len = 0;
		err = p->n_select < PARAMS_SELECT_MAX ? select_add(p, key)
						      : value_refuse(reason, spec, value, "too many keys: at most %d", PARAMS_SELECT_MAX);
		if (!*at)
			break;
	}
	free(key);
	return err;
}

static int hue_add(struct params *p, __s64 hue)
{
	if (array_resize(&p->hue, p->n_hues + 1, sizeof(*p->hue)))
		return -ENOMEM;
	p->hue[p->n_hues++] = (int)hue;
	return 0;
}

/* Reads degrees, separated by commas. */
static int read_hues(const struct spec *spec, const char *value, struct params *p, char *reason)
{
	int err = 0;

	for (const char *at = value; *at && !err; at += *at == ',') {
		size_t len = strcspn(at, ",");
		char text[40];
		__s64 hue;

		snprintf(text, sizeof(text), "%.*s", (int)(len < sizeof(text) ? len : sizeof(text) - 1), at);
		err = read_integer(spec, text, &hue, reason);
		if (!err)
			err = p->n_hues <= PARAMS_SELECT_MAX ? hue_add(p, hue)
							     : value_refuse(reason, spec, text, "too many hues: at most %d", PARAMS_SELECT_MAX + 1);
		at += len;
	}
	return err;
}

static int read_one(const struct spec *spec, const char *value, struct params *p, char *reason)
{
	void *to = (char *)p + spec->at;
	int err = -EINVAL;

	switch (spec->type) {
	case PARAM_INTEGER: err = read_integer(spec, value, to, reason); break;
	case PARAM_SHARE: err = read_share(spec, value, to, reason); break;
	case PARAM_SECONDS: err = read_seconds(spec, value, to, reason); break;
	case PARAM_CHOICE: err = read_choice(spec, value, to, reason); break;
	case PARAM_TEXT: err = read_text(value, to); break;
	case PARAM_SWITCH: err = read_switch(spec, value, to, reason); break;
	case PARAM_KEYS: err = read_keys(spec, value, p, reason); break;
	case PARAM_HUES: err = read_hues(spec, value, p, reason); break;
	case PARAM_FORMAT: err = read_format(spec, value, to, reason); break;
	case PARAM_OTHERS: err = 0; break;
	}
	if (!err && spec->has)
		*((bool *)p + spec->has) = true;
	return err;
}

static bool is_of(const struct spec *spec, enum value_kind_id kind)
{
	return spec->of >> kind & 1;
}

/* Returns the table's line for a name; *ret_known: some kind of value has it, if not this one. */
static const struct spec *spec_of(enum value_kind_id kind, const char *name, bool *ret_known)
{
	*ret_known = false;
	for (size_t i = 0; i < params_n_specs; i++)
		if (!strcmp(params_specs[i].name, name)) {
			*ret_known = true;
			if (is_of(&params_specs[i], kind))
				return &params_specs[i];
		}
	return NULL;
}

static int refuse_unknown(enum value_kind_id kind, const char *name, char *reason)
{
	size_t at = (size_t)snprintf(reason, PARAMS_REASON_MAX, "parameter \"%.64s\" is unknown; there are:", name);

	for (size_t i = 0; i < params_n_specs && at < PARAMS_REASON_MAX; i++)
		if (is_of(&params_specs[i], kind))
			at += (size_t)snprintf(reason + at, PARAMS_REASON_MAX - at, " %s", params_specs[i].name);
	return -EINVAL;
}

static const struct spec *spec_at(enum value_kind_id kind, size_t index)
{
	for (size_t i = 0; i < params_n_specs; i++)
		if (is_of(&params_specs[i], kind) && !index--)
			return &params_specs[i];
	return NULL;
}

const char *params_name(enum value_kind_id kind, size_t index)
{
	const struct spec *spec = spec_at(kind, index);

	return spec ? spec->name : NULL;
}

const char *params_choices(enum value_kind_id kind, size_t index)
{
	const struct spec *spec = spec_at(kind, index);

	return !spec ? NULL : spec->type == PARAM_SWITCH ? "true false" : spec->choices;
}

static int refuse_missing(const char *name, char *reason)
{
	return params_refuse(reason, "missing value for required parameter: \"%s\"", name);
}

static int refuse_again(const char *name, char *reason)
{
	return params_refuse(reason, "parameter \"%.64s\" is given more than once, and is no list", name);
}

size_t params_known(const struct http_param *param, size_t n, struct http_param *ret_known)
{
	size_t n_known = 0;

	for (size_t i = 0; i < n; i++) {
		bool known;

		spec_of(VALUE_RAW, param[i].name, &known);
		if (known)
			ret_known[n_known++] = param[i];
	}
	return n_known;
}

static void set_defaults(const struct params_kind *k, struct params *p)
{
	*p = (struct params){
		.duration_ns = k->usual.duration_s * NS, .n_points = 1, .timeout_ms = k->usual.timeout_ms, .millionths = -1,
		.width = k->usual.width, .height = k->usual.height, .scale = 1, .nbuckets = 100, .x = -1, .y = -1,
		.ncols = k->usual.ncols, .row_bits = k->usual.row_bits, .transfer = k->usual.transfer, .yscale = AXIS_LOG,
		.coloring = -1, .show = SHOW_AUTO, .top = k->usual.top, .n = 20, .palette = k->usual.palette,
		.format = k->usual.format, .data = true,
	};
}

/* Sets the transfer from Cloud Analytics' word for it. */
static int settle_transfer(struct params *p, char *reason)
{
	int transfer = p->coloring == 1 ? SHADE_RANK : SHADE_LINEAR;

	if (p->coloring < 0)
		return 0;
	if (p->has_transfer && p->transfer != transfer)
		return params_refuse(reason, "coloring and transfer do not agree: give one of them");
	p->transfer = transfer;
	return 0;
}

static int refuse_hues(const struct params *p, char *reason)
{
	return params_refuse(reason, "%zu hues are too few: %zu are needed, %sone for each selected key", p->n_hues,
		p->n_select + !p->isolate, p->isolate ? "" : "one for the background and ");
}

/* Returns the last thing that is wrong with several parameters together; NULL: nothing. */
static const char *find_wrong(const struct params_kind *k, const struct params *p)
{
	bool weight = p->weight && *p->weight;
	const char *why = NULL, *own;

	if (p->transformations && *p->transformations)
		why = "no instrumentation has transformations here: transformations must be empty";
	if (p->has_points && p->format == FORMAT_PNG)
		why = "ndatapoints needs format=json: several pictures are an array";
	own = k->check ? k->check(p) : NULL;
	why = own ? own : why;
	if (p->has_ymax && p->ymin >= p->ymax)
		why = "ymin must be less than ymax";
	if (weight && p->weighted)
		why = "weights=weight is an estimate of the first measure's weight: give weight or weights";
	if (weight && (p->stats || (p->measure && !strcmp(p->measure, "*"))))
		why = "stats and measure=* are of events: leave weight out";
	if (p->exclude && !p->n_select && k->exclude_alone)
		why = k->exclude_alone;
	if (p->isolate && !p->n_select && k->isolate_selected)
		why = "isolate needs selected";
	if (p->isolate + p->exclude + p->decompose_all > 1)
		why = "at most one of isolate, exclude and decompose_all can be true";
	return why;
}

static int refuse_small(const char *name, long least, char *reason)
{
	return params_refuse(reason, "%s must be at least %ld here", name, least);
}

/* Checks what depends on several parameters. */
static int check_together(const struct params_kind *k, const struct params *p, char *reason)
{
	const char *missing = k->missing ? k->missing(p) : NULL, *why = find_wrong(k, p);

	if (missing)
		return refuse_missing(missing, reason);
	if (p->n_hues && p->n_hues < p->n_select + !p->isolate && !p->decompose_all)
		return refuse_hues(p, reason);
	if (!why && p->width < k->width_min)
		return refuse_small("width", k->width_min, reason);
	if (!why && p->height && p->height < k->height_min)
		return refuse_small("height", k->height_min, reason);
	if (why)
		snprintf(reason, PARAMS_REASON_MAX, "%s", why);
	return why ? -EINVAL : 0;
}

int params_read(enum value_kind_id kind, const struct http_param *param, size_t n, struct params *ret_params,
		char *reason)
{
	bool seen[PARAMS_SPECS_MAX] = { false };
	struct params p;
	int err = 0;

	set_defaults(&params_kinds[kind], &p);
	for (size_t i = 0; i < n && !err; i++) {
		bool known, again;
		const struct spec *spec = spec_of(kind, param[i].name, &known);

		again = spec && seen[spec - params_specs];
		if (spec)
			seen[spec - params_specs] = true;
		if (again && spec->type != PARAM_KEYS && spec->type != PARAM_HUES && spec->type != PARAM_OTHERS)
			err = refuse_again(param[i].name, reason);
		else if (spec)
			err = read_one(spec, param[i].value, &p, reason);
		else if (!known)
			err = refuse_unknown(kind, param[i].name, reason);
	}
	if (!err)
		err = settle_transfer(&p, reason);
	if (!err)
		err = check_together(&params_kinds[kind], &p, reason);
	if (err)
		params_fini(&p);
	else
		*ret_params = p;
	return err;
}

void params_fini(struct params *p)
{
	for (size_t i = 0; i < p->n_select; i++)
		free(p->select[i]);
	free(p->select);
	free(p->hue);
	free(p->transformations);
	free(p->measure);
	free(p->weight);
	free(p->by);
	free(p->author);
	free(p->time_zone);
	memset(p, 0, sizeof(*p));
}

int params_zone(const struct params *p, __s64 first_s, __s64 last_s, struct zone *ret_zone, char *reason)
{
	int err = p->time_zone ? zone_database_find(p->time_zone, first_s, last_s, ret_zone) : 0;

	if (err == -EINVAL || (err == -ENOENT && !p->has_utc_offset))
		return params_refuse(reason, "value \"%.64s\" for parameter \"time_zone\" is invalid: %s", p->time_zone,
			err == -EINVAL ? "it is not the name of a time zone, such as \"Europe/Berlin\""
				       : "this host's time zone database has no such zone");
	if (!p->time_zone || err)
		*ret_zone = p->has_utc_offset ? zone_fixed((int)p->utc_offset_s) : zone_local(first_s, last_s);
	return 0;
}

enum palette_ramp params_ramp(const struct params *p)
{
	static const enum palette_ramp ramp[] = { [PARAMS_RAMP] = PALETTE_USUAL, [PARAMS_FIRE] = PALETTE_FIRE, [PARAMS_GREY] = PALETTE_GREY,
						  [PARAMS_HUE] = PALETTE_USUAL };

	return ramp[p->palette];
}

void params_drawing(const struct params *p, struct figure_options *ret_options)
{
	figure_defaults(ret_options);
	ret_options->width = (unsigned)p->width;
	ret_options->height = (unsigned)p->height;
	ret_options->scale = (unsigned)p->scale;
	ret_options->format = p->format == FORMAT_PDF ? FIGURE_PDF : p->format == FORMAT_SVG ? FIGURE_SVG : FIGURE_PNG;
	ret_options->theme = (enum palette_theme)p->theme;
	ret_options->ramp = params_ramp(p);
	ret_options->transfer = (enum shade_transfer)p->transfer;
	ret_options->yscale = (enum axis_scale)p->yscale;
	ret_options->weighted = p->weighted;
	ret_options->ymin = (__u64)p->ymin;
	ret_options->ymax = (__u64)p->ymax;
}

const char *params_formats(enum value_kind_id kind)
{
	bool known;
	const struct spec *spec = spec_of(kind, "format", &known);

	return spec ? spec->choices : NULL;
}

static __s64 round_down(__s64 ns, __s64 unit) { return ns / unit * unit; }
static __s64 round_up(__s64 ns, __s64 unit) { return round_down(ns + unit - 1, unit); }

static int refuse_interval(char *reason, const char *format, ...) __attribute__((format(printf, 2, 3)));

static int refuse_interval(char *reason, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(reason, PARAMS_REASON_MAX, format, args);
	va_end(args);
	return -EINVAL;
}

/* Computes how long the request is and, in whole slots, a point.  All points together must fit in what is kept. */
static int choose_length(const struct params *p, const struct instrumentation *in, __s64 *ret_asked, __s64 *ret_length,
			 char *reason)
{
	__u32 kept_s = instrumentation_kept_s(in, 2);
	__s64 unit = (__s64)in->granularity_ns, retention = (__s64)kept_s * NS, length;
	__s64 most = retention > unit ? retention : unit, asked = p->duration_ns;

	if (p->has_start && p->has_end)
		asked = p->end_ns - p->start_ns;
	if (p->has_start && p->has_end && p->has_duration && asked != p->duration_ns)
		return refuse_interval(reason, "start_time, end_time and duration do not agree");
	if (asked <= 0)
		return refuse_interval(reason, "%s", p->has_start && p->has_end ? "end_time must be after start_time" :
				       "value \"0\" for parameter \"duration\" is invalid: it must be positive");
	if (asked > most)
		return refuse_interval(reason, "value \"%" PRId64 "\" for parameter \"duration\" is invalid: maximum is %u, "
				       "as long as it is kept", (int64_t)(asked / NS), kept_s);
	length = round_up(asked, unit);
	if (p->has_start && p->has_end && !p->has_duration)
		length = round_up(p->end_ns, unit) - round_down(p->start_ns, unit);
	if (p->n_points > 1 && p->n_points > most / length)
		return refuse_interval(reason, "value \"%" PRId64 "\" for parameter \"ndatapoints\" is invalid: maximum is %" PRId64
				       ", as many of %g s as are kept", (int64_t)p->n_points,
				       (int64_t)(most / length), (double)length / NS);
	*ret_asked = asked;
	*ret_length = length;
	return 0;
}

static int refuse_late(const struct params *p, char *reason)
{
	const char *late = p->n_points > 1 ? "the last datapoint" : p->is_b_start ? "b_start_time" : "start_time";

	if (!p->timeout_ms)
		return refuse_interval(reason, "%s is too far in the future: it must be at most now", late);
	return refuse_interval(reason, "%s is too far in the future: at most now and the timeout of %" PRId64 " ms", late, (int64_t)p->timeout_ms);
}

int params_interval(const struct params *p, const struct instrumentation *in, __s64 now_ns,
		    struct interval_ns *ret_asked, struct interval_ns *ret_rounded, char *reason)
{
	__s64 unit = (__s64)in->granularity_ns, asked = 0, length = 0, from, latest = now_ns + p->timeout_ms * (NS / 1000);
	int err = choose_length(p, in, &asked, &length, reason);

	if (err)
		return err;
	from = p->has_start ? p->start_ns
	       : p->has_end ? p->end_ns - asked
			    : round_down(now_ns - SETTLE_NS, unit) - asked - (p->n_points - 1) * length;
	if (from < 0)
		return refuse_interval(reason, "the interval begins before 1970");
	if (from > latest || from + (p->n_points - 1) * length > latest)
		return refuse_late(p, reason);
	ret_asked->from = from;
	ret_asked->to = from + asked;
	ret_rounded->from = round_down(from, unit);
	ret_rounded->to = ret_rounded->from + length;
	return 0;
}
