#include "aggregator/value/params.h"
#include "aggregator/value/zone_database.h"
#include "render/grid/crop.h"
#include "render/draw/image.h"
#include "render/draw/figure.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OF(kind) (1u << (kind))
#define ALL (OF(VALUE_KINDS) - 1)
#define MAPS (OF(VALUE_IMAGE) | OF(VALUE_DETAILS) | OF(VALUE_FIGURE))
#define ROWS (OF(VALUE_IMAGE) | OF(VALUE_DETAILS))
#define DRAWN (OF(VALUE_FIGURE) | OF(VALUE_REPORT))	/* maps with words around them */
#define REGIONS (OF(VALUE_EXPLAIN) | OF(VALUE_EXEMPLARS) | OF(VALUE_COMPOSITION) | OF(VALUE_FLAME))	/* of what lies in a rectangle */
#define COMPARED (OF(VALUE_COMPARE) | OF(VALUE_SIDE))
#define PAGES (DRAWN | OF(VALUE_CHART))
#define WIDE (PAGES | OF(VALUE_FLAME) | COMPARED)
#define MATRIX (OF(VALUE_GRID) | OF(VALUE_STREAM))
#define CA_VALUES (ROWS | OF(VALUE_RAW) | OF(VALUE_AVERAGE) | OF(VALUE_PERCENTILE))	/* Cloud Analytics had them, too */
#define POINTS_MAX 3600
#define TEN_YEARS_S 315360000ll
#define VALUE_LIMIT 1000000000000000ll	/* of ymin and ymax; ns: eleven days */
#define NS 1000000000ll
#define TIME_LIMIT_S 9000000000ll	/* year 2255; in ns it fits in 63 bits */

enum kind { INTEGER, SECONDS, SHARE, CHOICE, TEXT, SWITCH, KEYS, HUES, FORMAT, OTHERS };	/* OTHERS: read as another value's */

static const struct spec {
	const char *name;
	enum kind kind;
	unsigned of;			/* values that have it */
	size_t at;			/* its place in struct params */
	size_t has;			/* place of its `has_` flag, 0: none */
	__s64 min, max;			/* INTEGER; SECONDS in seconds; SHARE in millionths */
	const char *choices;		/* CHOICE: separated by spaces; the number is the result */
} specs[] = {
#define AT(field) offsetof(struct params, field)
	{ "start_time", SECONDS, ALL & ~OF(VALUE_STREAM), AT(start_ns), AT(has_start), 0, TIME_LIMIT_S, NULL },
	{ "end_time", SECONDS, ALL & ~OF(VALUE_STREAM), AT(end_ns), AT(has_end), 0, TIME_LIMIT_S, NULL },
	{ "duration", SECONDS, ALL, AT(duration_ns), AT(has_duration), 0, TEN_YEARS_S, NULL },
	{ "ndatapoints", INTEGER, CA_VALUES, AT(n_points), AT(has_points), 1, POINTS_MAX, NULL },
	{ "timeout", INTEGER, ALL & ~OF(VALUE_STREAM), AT(timeout_ms), 0, 0, 5000, NULL },
	{ "transformations", TEXT, CA_VALUES, AT(transformations), 0, 0, 0, NULL },
	{ "percentile", SHARE, OF(VALUE_PERCENTILE), AT(millionths), 0, 0, 1000000, NULL },
	{ "measure", TEXT, ALL & ~(OF(VALUE_EXEMPLARS) | OF(VALUE_REPORT)), AT(measure), 0, 0, 0, NULL },
	{ "weight", TEXT, OF(VALUE_RAW) | ROWS | DRAWN | MATRIX, AT(weight), 0, 0, 0, NULL },
	{ "by", TEXT, OF(VALUE_KEYS) | OF(VALUE_FLAME) | MAPS | PAGES | COMPARED, AT(by), 0, 0, 0, NULL },
	{ "order", CHOICE, OF(VALUE_KEYS), AT(order), 0, 0, 0, KEY_ORDERS },
	{ "author", TEXT, OF(VALUE_REPORT), AT(author), 0, 0, 0, NULL },
	{ "width", INTEGER, MAPS | WIDE, AT(width), 0, IMAGE_SIDE_MIN, IMAGE_SIDE_MAX, NULL },
	{ "height", INTEGER, MAPS | PAGES | COMPARED, AT(height), 0, IMAGE_SIDE_MIN, IMAGE_SIDE_MAX, NULL },
	{ "scale", INTEGER, PAGES | COMPARED, AT(scale), 0, 1, 2, NULL },
	{ "ymin", INTEGER, MAPS | PAGES | REGIONS | COMPARED, AT(ymin), 0, 0, VALUE_LIMIT, NULL },
	{ "ymax", INTEGER, MAPS | PAGES | REGIONS | COMPARED, AT(ymax), AT(has_ymax), 0, VALUE_LIMIT, NULL },
	{ "crop", SHARE, MAPS | OF(VALUE_REPORT), AT(crop), 0, 0, CROP_MOST, NULL },
	{ "baseline_start", SECONDS, OF(VALUE_EXPLAIN), AT(baseline_start_ns), AT(has_baseline_start), 0, TIME_LIMIT_S, NULL },
	{ "baseline_end", SECONDS, OF(VALUE_EXPLAIN), AT(baseline_end_ns), AT(has_baseline_end), 0, TIME_LIMIT_S, NULL },
	{ "nbuckets", INTEGER, ROWS, AT(nbuckets), 0, 1, IMAGE_ROWS_MAX, NULL },
	{ "x", INTEGER, OF(VALUE_DETAILS), AT(x), 0, 0, IMAGE_SIDE_MAX - 1, NULL },
	{ "y", INTEGER, OF(VALUE_DETAILS), AT(y), 0, 0, IMAGE_SIDE_MAX - 1, NULL },
	{ "ncols", INTEGER, MATRIX, AT(ncols), 0, 1, 4000, NULL },
	{ "ncols", INTEGER, COMPARED, AT(ncols), 0, 1, 1000, NULL },
	{ "row_bits", INTEGER, MATRIX | COMPARED, AT(row_bits), 0, 0, RULER_BITS_MAX, NULL },
	{ "utc_offset", INTEGER, WIDE | OF(VALUE_GRID), AT(utc_offset_s), AT(has_utc_offset), -ZONE_OFFSET_MAX, ZONE_OFFSET_MAX, NULL },
	{ "time_zone", TEXT, WIDE | OF(VALUE_GRID), AT(time_zone), 0, 0, 0, NULL },
	{ "transfer", CHOICE, ROWS | DRAWN | MATRIX, AT(transfer), AT(has_transfer), 0, 0, "linear log rank sqrt percent" },
	{ "transfer", CHOICE, ALL & ~(ROWS | PAGES | REGIONS | MATRIX), AT(transfer), AT(has_transfer), 0, 0, "linear log rank sqrt" },
	{ "coloring", CHOICE, ROWS, AT(coloring), 0, 0, 0, "linear rank" },
	{ "weights", CHOICE, ROWS | DRAWN | MATRIX | OF(VALUE_FLAME), AT(weighted), AT(has_weighted), 0, 0, "count weight" },
	{ "yscale", CHOICE, PAGES | MATRIX | COMPARED, AT(yscale), AT(has_yscale), 0, 0, "linear log" },
	{ "theme", CHOICE, WIDE | MATRIX | ROWS, AT(theme), 0, 0, 0, "light dark" },
	{ "format", FORMAT, OF(VALUE_IMAGE), AT(format), 0, 0, 0, "json png" },
	{ "format", FORMAT, OF(VALUE_FIGURE), AT(format), 0, 0, 0, "png pdf svg" },
	{ "format", FORMAT, OF(VALUE_REPORT), AT(format), 0, 0, 0, "png pdf svg html csv json" },
	{ "format", FORMAT, OF(VALUE_GRID), AT(format), 0, 0, 0, "json csv" },
	{ "table", CHOICE, OF(VALUE_GRID), AT(table), 0, 0, 0, "cells columns" },
	{ "active", SWITCH, MATRIX, AT(active), 0, 0, 0, NULL },
	{ "narrative", SWITCH, OF(VALUE_GRID), AT(narrative), 0, 0, 0, NULL },
	{ "data", SWITCH, OF(VALUE_IMAGE) | PAGES, AT(data), 0, 0, 0, NULL },
	{ "format", FORMAT, OF(VALUE_CHART), AT(format), 0, 0, 0, "png pdf svg json" },
	{ "format", FORMAT, COMPARED, AT(format), 0, 0, 0, "json png pdf svg" },
	{ "view", CHOICE, COMPARED, AT(view), 0, 0, 0, "difference side overlay" },
	{ "per", CHOICE, COMPARED, AT(per), 0, 0, 0, "share count" },
	{ "b_instrumentation", INTEGER, COMPARED, AT(b_instrumentation), AT(has_b), 1, INT64_MAX, NULL },
	{ "b_start_time", SECONDS, COMPARED, AT(b_start_ns), AT(has_b_start), 0, TIME_LIMIT_S, NULL },
	{ "b_measure", OTHERS, OF(VALUE_COMPARE), 0, AT(has_b), 0, 0, NULL },
	{ "b_measure", TEXT, OF(VALUE_SIDE), AT(measure), AT(is_b_measure), 0, 0, NULL },
	{ "b_selected", OTHERS, OF(VALUE_COMPARE), 0, AT(has_b), 0, 0, NULL },
	{ "b_selected", KEYS, OF(VALUE_SIDE), AT(select), 0, 0, 0, NULL },
	{ "b_exclude", OTHERS, OF(VALUE_COMPARE), 0, AT(has_b), 0, 0, "true false" },
	{ "b_exclude", SWITCH, OF(VALUE_SIDE), AT(exclude), 0, 0, 0, NULL },
	{ "format", FORMAT, OF(VALUE_FLAME), AT(format), 0, 0, 0, "svg folded" },
	{ "stats", SWITCH, OF(VALUE_RAW), AT(stats), 0, 0, 0, NULL },
	{ "exclude", SWITCH, ALL & ~OF(VALUE_EXEMPLARS), AT(exclude), 0, 0, 0, NULL },
	{ "selected", KEYS, ALL & ~OF(VALUE_EXEMPLARS), AT(select), 0, 0, 0, NULL },
	{ "isolate", SWITCH, MAPS | PAGES, AT(isolate), 0, 0, 0, NULL },
	{ "decompose_all", SWITCH, MAPS | DRAWN, AT(decompose_all), 0, 0, 0, NULL },
	{ "hues", HUES, MAPS | DRAWN, AT(hue), 0, 0, 359, NULL },
	{ "show", CHOICE, OF(VALUE_CHART), AT(show), 0, 0, 0, "rate active percentiles" },
	{ "show", CHOICE, OF(VALUE_REPORT), AT(show), 0, 0, 0, "rate active" },
	{ "top", INTEGER, OF(VALUE_CHART) | OF(VALUE_REPORT), AT(top), 0, 1, 20, NULL },
	{ "top", INTEGER, OF(VALUE_EXPLAIN), AT(top), 0, 1, 4000, NULL },
	{ "n", INTEGER, OF(VALUE_EXEMPLARS), AT(n), 0, 1, 1000, NULL },
	{ "kind", CHOICE, OF(VALUE_EXEMPLARS), AT(kind), 0, 0, 0, "all worst drawn" },
	{ "chart", SWITCH, OF(VALUE_REPORT), AT(chart), AT(has_chart), 0, 0, NULL },
	{ "palette", CHOICE, OF(VALUE_IMAGE) | DRAWN, AT(palette), 0, 0, 0, "ramp fire grey hue" },
	{ "palette", CHOICE, MATRIX, AT(palette), 0, 0, 0, "ramp fire grey" },
#undef AT
};
#define N_SPECS (sizeof(specs) / sizeof(*specs))

static int refuse(char *reason, const struct spec *spec, const char *value, const char *why, ...)
	__attribute__((format(printf, 4, 5)));

static int refuse(char *reason, const struct spec *spec, const char *value, const char *why, ...)
{
	char text[256];
	va_list args;

	va_start(args, why);
	vsnprintf(text, sizeof(text), why, args);
	va_end(args);
	snprintf(reason, PARAMS_REASON_MAX, "value \"%.64s\" for parameter \"%s\" is invalid: %s", value, spec->name, text);
	return -EINVAL;
}

/* "-12.5e3" times 10^scale, cut towards 0, without a detour over floating point.  -EINVAL: no number; -ERANGE: beyond 63 bits. */
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
	n_digits += exponent + scale;		/* so many count; those that are not written are zeroes */
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

/* Decimals are cut: clients of Cloud Analytics send what their screen's arithmetic gave them. */
static int read_integer(const struct spec *spec, const char *value, __s64 *to, char *reason)
{
	__s64 n = 0;
	int err = read_decimal(value, 0, &n);

	if (err == -EINVAL)
		return refuse(reason, spec, value, "not a number");
	if (err)
		n = *value == '-' ? INT64_MIN : INT64_MAX;
	if (err && *value != '-' && spec->max == INT64_MAX)
		return refuse(reason, spec, value, "not an integer of 63 bits");
	if (n < spec->min)
		return refuse(reason, spec, value, "minimum is %lld", (long long)spec->min);
	if (n > spec->max)
		return refuse(reason, spec, value, "maximum is %lld", (long long)spec->max);
	*to = n;
	return 0;
}

/* Decimal seconds -> ns. */
static int read_seconds(const struct spec *spec, const char *value, __s64 *to, char *reason)
{
	__s64 ns = 0;
	int err = *value == '-' ? -EINVAL : read_decimal(value, 9, &ns);

	if (err == -EINVAL)
		return refuse(reason, spec, value, "not a number of seconds");
	if (err || ns / NS > spec->max)
		return refuse(reason, spec, value, "maximum is %lld", (long long)spec->max);
	*to = ns;
	return 0;
}

/* A part of 1 in decimals -> millionths; digits beyond the sixth are rounded. */
static int read_share(const struct spec *spec, const char *value, __s64 *to, char *reason)
{
	char *end;
	double share = strtod(value, &end);

	if (end == value || *end || value[strspn(value, "0123456789.eE+-")] || !(share >= 0 && share <= (double)spec->max / 1e6))
		return refuse(reason, spec, value, "must be a number from 0 to %g", (double)spec->max / 1e6);
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
	return refuse(reason, spec, value, "must be one of: %s", spec->choices);
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
		return refuse(reason, spec, value, "must be true or false");
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
	char **more = realloc(p->select, (p->n_select + 1) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	p->select = more;
	p->select[p->n_select] = strdup(text);
	return p->select[p->n_select] ? (p->n_select++, 0) : -ENOMEM;
}

/* Keys are separated by commas; a comma within one is written "\,", a backslash "\\". */
static int read_keys(const struct spec *spec, const char *value, struct params *p, char *reason)
{
	char *key = malloc(strlen(value) + 1);
	size_t len = 0;
	int err = key ? 0 : -ENOMEM;

	for (const char *at = value; *value && !err; at++) {
		if (*at == '\\' && at[1]) {
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
						      : refuse(reason, spec, value, "too many keys: at most %d", PARAMS_SELECT_MAX);
		if (!*at)
			break;
	}
	free(key);
	return err;
}

static int hue_add(struct params *p, __s64 hue)
{
	int *more = realloc(p->hue, (p->n_hues + 1) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	p->hue = more;
	p->hue[p->n_hues++] = (int)hue;
	return 0;
}

/* Degrees, separated by commas. */
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
							     : refuse(reason, spec, text, "too many hues: at most %d", PARAMS_SELECT_MAX + 1);
		at += len;
	}
	return err;
}

static int read_one(const struct spec *spec, const char *value, struct params *p, char *reason)
{
	void *to = (char *)p + spec->at;
	int err = -EINVAL;

	switch (spec->kind) {
	case INTEGER: err = read_integer(spec, value, to, reason); break;
	case SHARE: err = read_share(spec, value, to, reason); break;
	case SECONDS: err = read_seconds(spec, value, to, reason); break;
	case CHOICE: err = read_choice(spec, value, to, reason); break;
	case TEXT: err = read_text(value, to); break;
	case SWITCH: err = read_switch(spec, value, to, reason); break;
	case KEYS: err = read_keys(spec, value, p, reason); break;
	case HUES: err = read_hues(spec, value, p, reason); break;
	case FORMAT: err = read_format(spec, value, to, reason); break;
	case OTHERS: err = 0; break;
	}
	if (!err && spec->has)
		*((bool *)p + spec->has) = true;
	return err;
}

/* The table's line for a name; *ret_known: some value has it, if not this one. */
static const struct spec *spec_of(enum value_kind_id kind, const char *name, bool *ret_known)
{
	*ret_known = false;
	for (size_t i = 0; i < N_SPECS; i++)
		if (!strcmp(specs[i].name, name)) {
			*ret_known = true;
			if (specs[i].of & OF(kind))
				return &specs[i];
		}
	return NULL;
}

static int refuse_unknown(enum value_kind_id kind, const char *name, char *reason)
{
	size_t at = (size_t)snprintf(reason, PARAMS_REASON_MAX, "parameter \"%.64s\" is unknown; there are:", name);

	for (size_t i = 0; i < N_SPECS && at < PARAMS_REASON_MAX; i++)
		if (specs[i].of & OF(kind))
			at += (size_t)snprintf(reason + at, PARAMS_REASON_MAX - at, " %s", specs[i].name);
	return -EINVAL;
}

static const struct spec *spec_at(enum value_kind_id kind, size_t index)
{
	for (size_t i = 0; i < N_SPECS; i++)
		if (specs[i].of & OF(kind) && !index--)
			return &specs[i];
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

	return !spec ? NULL : spec->kind == SWITCH ? "true false" : spec->choices;
}

static int refuse_missing(const char *name, char *reason)
{
	snprintf(reason, PARAMS_REASON_MAX, "missing value for required parameter: \"%s\"", name);
	return -EINVAL;
}

static int refuse_again(const char *name, char *reason)
{
	snprintf(reason, PARAMS_REASON_MAX, "parameter \"%.64s\" is given more than once, and is no list", name);
	return -EINVAL;
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

static void set_defaults(enum value_kind_id kind, struct params *p)
{
	bool drawn = OF(kind) & WIDE, compared = OF(kind) & COMPARED;

	*p = (struct params){
		.duration_ns = OF(kind) & CA_VALUES & ~ROWS ? NS : 60 * NS,
		.n_points = 1, .timeout_ms = OF(kind) & CA_VALUES ? 5000 : 0, .millionths = -1,
		.width = drawn ? 1200 : 600, .height = kind == VALUE_REPORT ? 0 : kind == VALUE_CHART ? 400 : compared ? 760 : drawn ? 500 : 300,
		.scale = 1, .nbuckets = 100, .x = -1, .y = -1, .ncols = compared ? 240 : 600, .row_bits = compared ? 2 : 3,
		.transfer = OF(kind) & ROWS ? SHADE_RANK : compared ? SHADE_SQRT : SHADE_LOG, .yscale = AXIS_LOG,
		.coloring = -1, .show = SHOW_AUTO, .top = kind == VALUE_EXPLAIN ? 20 : 9, .n = 20, .palette = kind == VALUE_IMAGE ? PARAMS_HUE : PARAMS_RAMP,
		.format = kind == VALUE_FLAME ? FORMAT_SVG : drawn && !compared ? FORMAT_PNG : FORMAT_JSON, .data = true,
	};
}

/* Cloud Analytics' word for the transfer. */
static int settle_transfer(struct params *p, char *reason)
{
	int transfer = p->coloring == 1 ? SHADE_RANK : SHADE_LINEAR;

	if (p->coloring < 0)
		return 0;
	if (p->has_transfer && p->transfer != transfer) {
		snprintf(reason, PARAMS_REASON_MAX, "coloring and transfer do not agree: give one of them");
		return -EINVAL;
	}
	p->transfer = transfer;
	return 0;
}

static int refuse_hues(const struct params *p, char *reason)
{
	snprintf(reason, PARAMS_REASON_MAX, "%zu hues are too few: %zu are needed, %sone for each selected key", p->n_hues,
		 p->n_select + !p->isolate, p->isolate ? "" : "one for the background and ");
	return -EINVAL;
}

/* What no single value's range says. */
static int check_together(enum value_kind_id kind, const struct params *p, char *reason)
{
	const char *why = NULL;

	if (kind == VALUE_COMPARE && !p->has_b && !p->has_b_start)
		why = "there is nothing to compare with: give b_start_time, b_measure, b_selected, b_exclude or b_instrumentation";
	if (kind == VALUE_PERCENTILE && p->millionths < 0)
		return refuse_missing("percentile", reason);
	if (p->transformations && *p->transformations)
		why = "no instrumentation has transformations here: transformations must be empty";
	if (p->has_points && p->format == FORMAT_PNG)
		why = "ndatapoints needs format=json: several pictures are an array";
	if (kind == VALUE_DETAILS && p->x < 0)
		return refuse_missing("x", reason);
	if (kind == VALUE_DETAILS && p->y < 0)
		return refuse_missing("y", reason);
	if (kind == VALUE_DETAILS && (p->x >= p->width || p->y >= p->height))
		why = "x and y must lie within width and height";
	if (p->has_ymax && p->ymin >= p->ymax)
		why = "ymin must be less than ymax";
	if (p->weight && *p->weight && p->weighted)
		why = "weights=weight is an estimate of the first measure's weight: give weight or weights";
	if (p->weight && *p->weight && (p->stats || (p->measure && !strcmp(p->measure, "*"))))
		why = "stats and measure=* are of events: leave weight out";
	if (OF(kind) & WIDE && p->width < FIGURE_WIDTH_MIN)
		why = "width must be at least 400 here";
	if (OF(kind) & (PAGES | COMPARED) && p->height && p->height < FIGURE_HEIGHT_MIN)
		why = "height must be at least 240 here";
	if (p->exclude && !p->n_select && !(OF(kind) & ROWS))
		why = kind == VALUE_SIDE ? "b_exclude needs selected or b_selected" : "exclude needs selected";
	if (p->isolate && !p->n_select && OF(kind) & PAGES)
		why = "isolate needs selected";
	if (p->isolate + p->exclude + p->decompose_all > 1)
		why = "at most one of isolate, exclude and decompose_all can be true";
	if (p->n_hues && p->n_hues < p->n_select + !p->isolate && !p->decompose_all)
		return refuse_hues(p, reason);
	if (why)
		snprintf(reason, PARAMS_REASON_MAX, "%s", why);
	return why ? -EINVAL : 0;
}

int params_read(enum value_kind_id kind, const struct http_param *param, size_t n, struct params *ret_params,
		char *reason)
{
	bool seen[N_SPECS] = { false };
	struct params p;
	int err = 0;

	set_defaults(kind, &p);
	for (size_t i = 0; i < n && !err; i++) {
		bool known, again;
		const struct spec *spec = spec_of(kind, param[i].name, &known);

		again = spec && seen[spec - specs];
		if (spec)
			seen[spec - specs] = true;
		if (again && spec->kind != KEYS && spec->kind != HUES && spec->kind != OTHERS)
			err = refuse_again(param[i].name, reason);
		else if (spec)
			err = read_one(spec, param[i].value, &p, reason);
		else if (!known)
			err = refuse_unknown(kind, param[i].name, reason);
	}
	if (!err)
		err = settle_transfer(&p, reason);
	if (!err)
		err = check_together(kind, &p, reason);
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

	if (err == -EINVAL || (err == -ENOENT && !p->has_utc_offset)) {
		snprintf(reason, PARAMS_REASON_MAX, "value \"%.64s\" for parameter \"time_zone\" is invalid: %s", p->time_zone, err == -EINVAL ?
			 "it is no name of a time zone, as \"Europe/Berlin\" is" : "this host's time zone database has no such zone");
		return -EINVAL;
	}
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

/* How long is what is asked for, and, in whole slots, a point?  All points together must fit in what is kept. */
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
		return refuse_interval(reason, "%s is too far in the future: at most now and the timeout of %" PRId64 " ms",
				       p->n_points > 1 ? "the last datapoint" : p->is_b_start ? "b_start_time" : "start_time",
				       (int64_t)p->timeout_ms);
	ret_asked->from = from;
	ret_asked->to = from + asked;
	ret_rounded->from = round_down(from, unit);
	ret_rounded->to = ret_rounded->from + length;
	return 0;
}
