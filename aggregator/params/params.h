/* params.h - reads and checks the parameters of a value request, and fills in defaults.
 *
 *      (name, value) ... --params_read()--> struct params --params_interval()--> from, to
 *
 * Shape   Two tables in kinds.c list every parameter, as in doc/api.md: params_specs[] its range and its kinds of
 *         value, params_kinds[] the defaults of a kind.  Decimals of whole numbers are cut off.
 * Refused an unknown parameter, and one that is given twice, unless it is a list.  A parameter of another kind of value
 *         is ignored.
 * Errors  -EINVAL with one sentence in `reason` (PARAMS_REASON_MAX bytes): value "5" for parameter "width" is invalid:
 *         minimum is 10.  -ENOMEM.
 * Memory  params_fini() frees; it owns its strings.  After an error there is nothing to free.
 * Thread  any.
 */
#ifndef HEATSCOPE_PARAMS_H
#define HEATSCOPE_PARAMS_H

#include "collector/core/instrumentation.h"
#include "collector/core/refuse.h"
#include "render/color/palette.h"
#include "render/grid/zone.h"
#include "aggregator/http/http.h"
#include "aggregator/query/query.h"
#include <stdbool.h>

#define PARAMS_REASON_MAX 512
#define params_refuse(reason, ...) refuse_in(-EINVAL, reason, PARAMS_REASON_MAX, __VA_ARGS__)
#define PARAMS_SELECT_MAX 1024

enum value_kind_id { VALUE_RAW, VALUE_KEYS, VALUE_IMAGE, VALUE_DETAILS, VALUE_FIGURE, VALUE_REPORT, VALUE_GRID,
		  VALUE_STREAM, VALUE_AVERAGE, VALUE_PERCENTILE, VALUE_CHART, VALUE_EXPLAIN, VALUE_EXEMPLARS, VALUE_COMPOSITION,
		  VALUE_FLAME, VALUE_MULTIPLES, VALUE_COMPARE, VALUE_SIDE,	/* SIDE: the other side of a comparison, which only
								 * compare requests */
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
	__s64 crop;			/* millionths of the events that may lie above the axis; ignored if ymax is
					 * given */
	char *transformations;		/* NULL or "" */
	char *measure;			/* NULL: the first; "*": all (raw) */
	char *weight;			/* NULL, "": events */
	char *by;			/* NULL: all fields */
	char *author;			/* report: the name of the person who asks for it; NULL: not given */
	__s64 width, height;		/* height 0 (report): as high as necessary */
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
	int *hue;			/* 0..359; the background's first, unless isolated */
	size_t n_hues;			/* 0: the default hues */
	int order;			/* keys: enum key_order */
	int palette;			/* enum params_palette */
	int show;			/* chart, report: enum params_show */
	__s64 top;			/* chart, report: shows so many keys, the others as one; explain: so many
					 * values; multiples: so many maps */
	__s64 n;			/* exemplars: at most so many */
	int kind;			/* exemplars: 0 all, 1 the worst, 2 the drawn ones */
	bool chart, has_chart;		/* report: with a chart */
	bool has_b, has_b_start;	/* compare: some parameter of B differs; see compare.h */
	__s64 b_start_ns, b_instrumentation;	/* 0: A's */
	bool is_b_measure, is_b_start;	/* given for B: as b_measure, b_start_time */
	int view;			/* enum params_view */
	int per;			/* enum difference_per */
	bool data;			/* a PNG contains the data it was drawn from */
	int table;			/* grid as CSV: enum csv_table */
	bool active;			/* grid, stream, and chart: shows active events; rows are what the time was
					 * spent on, in the columns where it was spent */
	bool narrative;			/* grid as JSON: describes it in words, too */
};

int params_read(enum value_kind_id kind, const struct http_param *param, size_t n, struct params *ret_params,
		char *reason);
void params_fini(struct params *p);

/* Copies the parameters that some kind of value has, and returns how many.  It leaves out all others, such as `_` and
 * `callback`, which HTTP clients add to a URL.  ret_known: space for n; may be param. */
size_t params_known(const struct http_param *param, size_t n, struct http_param *ret_known);

/* For the test that compares doc/openapi.json with the table of parameters.  The first returns the name of parameter
 * number `index` of that kind of value; NULL: there are fewer.  The second returns the words that this parameter may
 * be, separated by spaces; NULL: it is no such parameter. */
const char *params_name(enum value_kind_id kind, size_t index);
const char *params_choices(enum value_kind_id kind, size_t index);

/* Returns the ramp of cells that have no hue. */
enum palette_ramp params_ramp(const struct params *p);

/* Chooses the zone of its times, over first_s..last_s: time_zone; utc_offset, also if this host does not have that
 * zone; else this host's own. */
int params_zone(const struct params *p, __s64 first_s, __s64 last_s, struct zone *ret_zone, char *reason);

struct figure_options;

/* Sets how to draw it; the caller sets title, zone and version. */
void params_drawing(const struct params *p, struct figure_options *ret_options);

/* Returns the formats of that value, separated by spaces, the default first; NULL: it has only one. */
const char *params_formats(enum value_kind_id kind);

/* Returns the interval of the first point as requested (ret_asked), and in whole slots of the granularity.  The start
 * is rounded down, the duration up.  Without a duration the end is rounded up.  The default is the newest complete
 * interval. */
struct interval_ns {
	__s64 from, to;
};
int params_interval(const struct params *p, const struct instrumentation *in, __s64 now_ns,
		    struct interval_ns *ret_asked, struct interval_ns *ret_rounded, char *reason);

#endif
