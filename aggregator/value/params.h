/* params.h - what a value request asks for: names and texts in, checked and defaulted values out.
 *
 *      (name, value) ... --params_read()--> struct params --params_interval()--> from, to
 *
 * Shape   one table in params.c names every parameter, its range, its default and whose it is, as
 *         in doc/api.md.  A parameter of another value is ignored, an unknown one is refused, and one that is given
 *         more than once, too, unless it is a list.  Decimals of whole numbers are cut.
 * Errors  -EINVAL with one sentence in `reason` (PARAMS_REASON_MAX bytes):
 *         value "5" for parameter "width" is invalid: minimum is 10.  -ENOMEM.
 * Memory  params_fini() frees; strings are its own.  After an error there is nothing to free.
 * Thread  any.
 */
#ifndef HEATSCOPE_PARAMS_H
#define HEATSCOPE_PARAMS_H

#include "collector/core/instrumentation.h"
#include "render/color/palette.h"
#include "render/grid/zone.h"
#include "aggregator/http/http.h"
#include "aggregator/query/query.h"
#include <stdbool.h>

#define PARAMS_REASON_MAX 512
#define PARAMS_SELECT_MAX 1024

enum value_kind_id { VALUE_RAW, VALUE_KEYS, VALUE_IMAGE, VALUE_DETAILS, VALUE_FIGURE, VALUE_REPORT, VALUE_GRID,
		  VALUE_STREAM, VALUE_AVERAGE, VALUE_PERCENTILE, VALUE_CHART, VALUE_EXPLAIN, VALUE_EXEMPLARS, VALUE_COMPOSITION,
		  VALUE_FLAME, VALUE_COMPARE, VALUE_SIDE,	/* SIDE: what a compare compares with, asked for by it alone */
		  VALUE_KINDS };

enum params_show { SHOW_AUTO = -1, SHOW_RATE, SHOW_ACTIVE, SHOW_PERCENTILES };	/* a report has the first two */

enum params_view { VIEW_DIFFERENCE, VIEW_SIDE, VIEW_OVERLAY };

enum params_palette { PARAMS_RAMP, PARAMS_FIRE, PARAMS_GREY, PARAMS_HUE };

enum value_format { FORMAT_JSON, FORMAT_PNG, FORMAT_PDF, FORMAT_SVG, FORMAT_HTML, FORMAT_CSV, FORMAT_FOLDED };

struct params {
	__s64 start_ns, end_ns, duration_ns;
	bool has_start, has_end, has_duration, has_ymax, has_transfer, has_yscale, has_weighted;
	__s64 baseline_start_ns, baseline_end_ns;	/* explain */
	bool has_baseline_start, has_baseline_end;
	__s64 n_points, timeout_ms;	/* points follow one another from start on */
	bool has_points;
	__s64 millionths;		/* percentile */
	__s64 crop;			/* millionths of the events that the axis may end below; ymax given: no matter */
	char *transformations;		/* NULL or "" */
	char *measure;			/* NULL: the first; "*": all (raw) */
	char *weight;			/* NULL, "": events */
	char *by;			/* NULL: all fields */
	char *author;			/* report: who asks for it; NULL: not told */
	__s64 width, height;		/* height 0 (report): as high as it needs to be */
	__s64 scale;			/* figure, report: pixels per px */
	__s64 ymin, ymax;		/* ymax 0: automatic; explain, exemplars, composition: no upper limit */
	__s64 nbuckets, x, y, ncols, row_bits;
	__s64 utc_offset_s;
	bool has_utc_offset;
	char *time_zone;		/* of the IANA database, "Europe/Berlin"; NULL: utc_offset */
	int transfer;			/* enum shade_transfer */
	int coloring;			/* Cloud Analytics' word for it: 0 linear, 1 rank, -1 not given */
	int weighted;			/* 0: events, 1: events times their values */
	int yscale;			/* enum axis_scale */
	int theme;			/* enum palette_theme */
	enum value_format format;
	bool stats, exclude, isolate, decompose_all;
	char **select;			/* texts of keys */
	size_t n_select;
	int *hue;			/* 0..359, the background's first unless isolated */
	size_t n_hues;			/* 0: as they come */
	int order;			/* keys: enum key_order */
	int palette;			/* enum params_palette */
	int show;			/* chart, report: enum params_show */
	__s64 top;			/* chart, report: so many keys, the rest is one; explain: so many values */
	__s64 n;			/* exemplars: so many */
	int kind;			/* exemplars: 0 all, 1 the worst, 2 those drawn */
	bool chart, has_chart;		/* report: with a chart */
	bool has_b, has_b_start;	/* compare: anything that B is to have in another way; see compare.h */
	__s64 b_start_ns, b_instrumentation;	/* 0: A's */
	bool is_b_measure, is_b_start;	/* B's own: given as b_measure, b_start_time */
	int view;			/* enum params_view */
	int per;			/* enum difference_per */
	bool data;			/* a PNG carries what it was drawn from */
	int table;			/* grid as CSV: enum csv_table */
	bool active;			/* grid, stream, and chart that shows it: rows are what the time was, spread over when it was spent */
	bool narrative;			/* grid as JSON: in words, too */
};

int params_read(enum value_kind_id kind, const struct http_param *param, size_t n, struct params *ret_params,
		char *reason);
void params_fini(struct params *p);

/* Those that some value has, of a query string: what else a reader's URL carries (`_`, `callback`) asks for nothing.
 * ret_known: room for n, may be param. */
size_t params_known(const struct http_param *param, size_t n, struct http_param *ret_known);

/* The name of that value's parameter number `index`; NULL: past the last.  What may be chosen for it,
 * separated by spaces; NULL: it is no choice. */
const char *params_name(enum value_kind_id kind, size_t index);
const char *params_choices(enum value_kind_id kind, size_t index);

/* The ramp of cells that have no hue. */
enum palette_ramp params_ramp(const struct params *p);

/* In which zone its times are shown, over first_s..last_s: time_zone; utc_offset, also where this host has no such zone; else this
 * host's own. */
int params_zone(const struct params *p, __s64 first_s, __s64 last_s, struct zone *ret_zone, char *reason);

struct figure_options;

/* How it is to be drawn; title, zone and version are the caller's. */
void params_drawing(const struct params *p, struct figure_options *ret_options);

/* The formats that value comes in, separated by spaces, the default first; NULL: it has but one. */
const char *params_formats(enum value_kind_id kind);

/* The interval of the first point, as asked for (ret_asked) and in whole slots of the granularity: the
 * start is rounded down, and up is the duration, or, where it was not given, the end.  By default the
 * newest complete one. */
struct interval_ns {
	__s64 from, to;
};
int params_interval(const struct params *p, const struct instrumentation *in, __s64 now_ns,
		    struct interval_ns *ret_asked, struct interval_ns *ret_rounded, char *reason);

#endif
