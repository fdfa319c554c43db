#include "aggregator/params/kinds.h"
#include "render/document/multiples.h"
#include "render/draw/figure.h"
#include "render/draw/image.h"
#include "render/grid/crop.h"

#include <stddef.h>

#define OF(kind) (1u << (kind))
#define ALL (OF(VALUE_KINDS) - 1)
#define MAPS (OF(VALUE_IMAGE) | OF(VALUE_DETAILS) | OF(VALUE_FIGURE))
#define ROWS (OF(VALUE_IMAGE) | OF(VALUE_DETAILS))
#define DRAWN (OF(VALUE_FIGURE) | OF(VALUE_REPORT))	/* maps with words around them */
/* of a rectangle of time and value */
#define REGIONS (OF(VALUE_EXPLAIN) | OF(VALUE_EXEMPLARS) | OF(VALUE_COMPOSITION) | OF(VALUE_FLAME))
#define COMPARED (OF(VALUE_COMPARE) | OF(VALUE_SIDE))
#define PAGES (DRAWN | OF(VALUE_CHART))
#define WIDE (PAGES | OF(VALUE_FLAME) | OF(VALUE_MULTIPLES) | COMPARED)
#define MATRIX (OF(VALUE_GRID) | OF(VALUE_STREAM))
/* Cloud Analytics had them, too */
#define CA_VALUES (ROWS | OF(VALUE_RAW) | OF(VALUE_AVERAGE) | OF(VALUE_PERCENTILE))
#define POINTS_MAX 3600
#define TEN_YEARS_S 315360000ll
#define VALUE_LIMIT 1000000000000000ll	/* of ymin and ymax; ns: eleven days */
#define TIME_LIMIT_S 9000000000ll	/* year 2255; in ns it fits in 63 bits */

/* ---- parameters ---- */

const struct spec params_specs[] = {
#define AT(field) offsetof(struct params, field)
	{ "start_time", PARAM_SECONDS, ALL & ~OF(VALUE_STREAM), AT(start_ns), AT(has_start), 0, TIME_LIMIT_S, NULL },
	{ "end_time", PARAM_SECONDS, ALL & ~OF(VALUE_STREAM), AT(end_ns), AT(has_end), 0, TIME_LIMIT_S, NULL },
	{ "duration", PARAM_SECONDS, ALL, AT(duration_ns), AT(has_duration), 0, TEN_YEARS_S, NULL },
	{ "ndatapoints", PARAM_INTEGER, CA_VALUES, AT(n_points), AT(has_points), 1, POINTS_MAX, NULL },
	{ "timeout", PARAM_INTEGER, ALL & ~OF(VALUE_STREAM), AT(timeout_ms), 0, 0, 5000, NULL },
	{ "transformations", PARAM_TEXT, CA_VALUES, AT(transformations), 0, 0, 0, NULL },
	{ "percentile", PARAM_SHARE, OF(VALUE_PERCENTILE), AT(millionths), 0, 0, 1000000, NULL },
	{ "measure", PARAM_TEXT, ALL & ~(OF(VALUE_EXEMPLARS) | OF(VALUE_REPORT)), AT(measure), 0, 0, 0, NULL },
	{ "weight", PARAM_TEXT, OF(VALUE_RAW) | ROWS | DRAWN | MATRIX, AT(weight), 0, 0, 0, NULL },
	{ "by", PARAM_TEXT, OF(VALUE_KEYS) | OF(VALUE_FLAME) | OF(VALUE_MULTIPLES) | MAPS | PAGES | COMPARED, AT(by), 0, 0, 0, NULL },
	{ "order", PARAM_CHOICE, OF(VALUE_KEYS), AT(order), 0, 0, 0, KEY_ORDERS },
	{ "author", PARAM_TEXT, OF(VALUE_REPORT), AT(author), 0, 0, 0, NULL },
	{ "width", PARAM_INTEGER, MAPS | WIDE, AT(width), 0, IMAGE_SIDE_MIN, IMAGE_SIDE_MAX, NULL },
	{ "height", PARAM_INTEGER, MAPS | PAGES | COMPARED, AT(height), 0, IMAGE_SIDE_MIN, IMAGE_SIDE_MAX, NULL },
	{ "scale", PARAM_INTEGER, PAGES | OF(VALUE_MULTIPLES) | COMPARED, AT(scale), 0, 1, 2, NULL },
	{ "ymin", PARAM_INTEGER, MAPS | PAGES | OF(VALUE_MULTIPLES) | REGIONS | COMPARED, AT(ymin), 0, 0, VALUE_LIMIT, NULL },
	{ "ymax", PARAM_INTEGER, MAPS | PAGES | OF(VALUE_MULTIPLES) | REGIONS | COMPARED, AT(ymax), AT(has_ymax), 0, VALUE_LIMIT, NULL },
	{ "crop", PARAM_SHARE, MAPS | OF(VALUE_REPORT), AT(crop), 0, 0, CROP_MOST, NULL },
	{ "baseline_start", PARAM_SECONDS, OF(VALUE_EXPLAIN), AT(baseline_start_ns), AT(has_baseline_start), 0, TIME_LIMIT_S, NULL },
	{ "baseline_end", PARAM_SECONDS, OF(VALUE_EXPLAIN), AT(baseline_end_ns), AT(has_baseline_end), 0, TIME_LIMIT_S, NULL },
	{ "nbuckets", PARAM_INTEGER, ROWS, AT(nbuckets), 0, 1, IMAGE_ROWS_MAX, NULL },
	{ "x", PARAM_INTEGER, OF(VALUE_DETAILS), AT(x), 0, 0, IMAGE_SIDE_MAX - 1, NULL },
	{ "y", PARAM_INTEGER, OF(VALUE_DETAILS), AT(y), 0, 0, IMAGE_SIDE_MAX - 1, NULL },
	{ "ncols", PARAM_INTEGER, MATRIX, AT(ncols), 0, 1, 4000, NULL },
	{ "ncols", PARAM_INTEGER, COMPARED, AT(ncols), 0, 1, 1000, NULL },
	{ "row_bits", PARAM_INTEGER, MATRIX | COMPARED, AT(row_bits), 0, 0, RULER_BITS_MAX, NULL },
	{ "utc_offset", PARAM_INTEGER, WIDE | OF(VALUE_GRID), AT(utc_offset_s), AT(has_utc_offset), -ZONE_OFFSET_MAX, ZONE_OFFSET_MAX, NULL },
	{ "time_zone", PARAM_TEXT, WIDE | OF(VALUE_GRID), AT(time_zone), 0, 0, 0, NULL },
	{ "transfer", PARAM_CHOICE, ROWS | DRAWN | MATRIX | OF(VALUE_MULTIPLES), AT(transfer), AT(has_transfer), 0, 0, "linear log rank sqrt percent" },
	{ "transfer", PARAM_CHOICE, ALL & ~(ROWS | PAGES | REGIONS | MATRIX | OF(VALUE_MULTIPLES)), AT(transfer), AT(has_transfer), 0, 0, "linear log rank sqrt" },
	{ "coloring", PARAM_CHOICE, ROWS, AT(coloring), 0, 0, 0, "linear rank" },
	{ "weights", PARAM_CHOICE, ROWS | DRAWN | MATRIX | OF(VALUE_FLAME), AT(weighted), AT(has_weighted), 0, 0, "count weight" },
	{ "yscale", PARAM_CHOICE, PAGES | MATRIX | OF(VALUE_MULTIPLES) | COMPARED, AT(yscale), AT(has_yscale), 0, 0, "linear log" },
	{ "theme", PARAM_CHOICE, WIDE | MATRIX | ROWS, AT(theme), 0, 0, 0, "light dark" },
	{ "format", PARAM_FORMAT, OF(VALUE_IMAGE), AT(format), 0, 0, 0, "json png" },
	{ "format", PARAM_FORMAT, OF(VALUE_FIGURE), AT(format), 0, 0, 0, "png pdf svg" },
	{ "format", PARAM_FORMAT, OF(VALUE_REPORT), AT(format), 0, 0, 0, "png pdf svg html csv json" },
	{ "format", PARAM_FORMAT, OF(VALUE_GRID), AT(format), 0, 0, 0, "json csv" },
	{ "table", PARAM_CHOICE, OF(VALUE_GRID), AT(table), 0, 0, 0, "cells columns" },
	{ "active", PARAM_SWITCH, MATRIX, AT(active), 0, 0, 0, NULL },
	{ "narrative", PARAM_SWITCH, OF(VALUE_GRID), AT(narrative), 0, 0, 0, NULL },
	{ "data", PARAM_SWITCH, OF(VALUE_IMAGE) | PAGES, AT(data), 0, 0, 0, NULL },
	{ "format", PARAM_FORMAT, OF(VALUE_CHART), AT(format), 0, 0, 0, "png pdf svg json" },
	{ "format", PARAM_FORMAT, COMPARED | OF(VALUE_MULTIPLES), AT(format), 0, 0, 0, "json png pdf svg" },
	{ "view", PARAM_CHOICE, COMPARED, AT(view), 0, 0, 0, "difference side overlay" },
	{ "per", PARAM_CHOICE, COMPARED, AT(per), 0, 0, 0, "share count" },
	{ "b_instrumentation", PARAM_INTEGER, COMPARED, AT(b_instrumentation), AT(has_b), 1, INT64_MAX, NULL },
	{ "b_start_time", PARAM_SECONDS, COMPARED, AT(b_start_ns), AT(has_b_start), 0, TIME_LIMIT_S, NULL },
	{ "b_measure", PARAM_OTHERS, OF(VALUE_COMPARE), 0, AT(has_b), 0, 0, NULL },
	{ "b_measure", PARAM_TEXT, OF(VALUE_SIDE), AT(measure), AT(is_b_measure), 0, 0, NULL },
	{ "b_selected", PARAM_OTHERS, OF(VALUE_COMPARE), 0, AT(has_b), 0, 0, NULL },
	{ "b_selected", PARAM_KEYS, OF(VALUE_SIDE), AT(select), 0, 0, 0, NULL },
	{ "b_exclude", PARAM_OTHERS, OF(VALUE_COMPARE), 0, AT(has_b), 0, 0, "true false" },
	{ "b_exclude", PARAM_SWITCH, OF(VALUE_SIDE), AT(exclude), 0, 0, 0, NULL },
	{ "format", PARAM_FORMAT, OF(VALUE_FLAME), AT(format), 0, 0, 0, "svg folded" },
	{ "stats", PARAM_SWITCH, OF(VALUE_RAW), AT(stats), 0, 0, 0, NULL },
	{ "exclude", PARAM_SWITCH, ALL & ~OF(VALUE_EXEMPLARS), AT(exclude), 0, 0, 0, NULL },
	{ "selected", PARAM_KEYS, ALL & ~OF(VALUE_EXEMPLARS), AT(select), 0, 0, 0, NULL },
	{ "isolate", PARAM_SWITCH, MAPS | PAGES, AT(isolate), 0, 0, 0, NULL },
	{ "decompose_all", PARAM_SWITCH, MAPS | DRAWN, AT(decompose_all), 0, 0, 0, NULL },
	{ "hues", PARAM_HUES, MAPS | DRAWN, AT(hue), 0, 0, 359, NULL },
	{ "show", PARAM_CHOICE, OF(VALUE_CHART), AT(show), 0, 0, 0, "rate active percentiles" },
	{ "show", PARAM_CHOICE, OF(VALUE_REPORT), AT(show), 0, 0, 0, "rate active" },
	{ "top", PARAM_INTEGER, OF(VALUE_CHART) | OF(VALUE_REPORT), AT(top), 0, 1, 20, NULL },
	{ "top", PARAM_INTEGER, OF(VALUE_MULTIPLES), AT(top), 0, 1, MULTIPLES_MAX, NULL },
	{ "top", PARAM_INTEGER, OF(VALUE_EXPLAIN), AT(top), 0, 1, 4000, NULL },
	{ "n", PARAM_INTEGER, OF(VALUE_EXEMPLARS), AT(n), 0, 1, 1000, NULL },
	{ "kind", PARAM_CHOICE, OF(VALUE_EXEMPLARS), AT(kind), 0, 0, 0, "all worst drawn" },
	{ "chart", PARAM_SWITCH, OF(VALUE_REPORT), AT(chart), AT(has_chart), 0, 0, NULL },
	{ "palette", PARAM_CHOICE, OF(VALUE_IMAGE) | DRAWN, AT(palette), 0, 0, 0, "ramp fire grey hue" },
	{ "palette", PARAM_CHOICE, MATRIX | OF(VALUE_MULTIPLES), AT(palette), 0, 0, 0, "ramp fire grey" },
#undef AT
};
const size_t params_n_specs = sizeof(params_specs) / sizeof(*params_specs);
_Static_assert(sizeof(params_specs) / sizeof(*params_specs) <= PARAMS_SPECS_MAX, "PARAMS_SPECS_MAX is too small");

/* ---- kinds ---- */

#define EXCLUDE_ALONE "exclude needs selected"

static const char *missing_percentile(const struct params *p)
{
	return p->millionths < 0 ? "percentile" : NULL;
}

static const char *missing_pixel(const struct params *p)
{
	return p->x < 0 ? "x" : p->y < 0 ? "y" : NULL;
}

static const char *check_pixel(const struct params *p)
{
	return p->x >= p->width || p->y >= p->height ? "x and y must lie within width and height" : NULL;
}

static const char *check_compared(const struct params *p)
{
	return p->has_b || p->has_b_start ? NULL
	       : "there is nothing to compare with: give b_start_time, b_measure, b_selected, b_exclude or b_instrumentation";
}

/* In `usual`: duration, timeout, width, height, ncols, row_bits, top, transfer, palette, format. */
const struct params_kind params_kinds[VALUE_KINDS] = {
	[VALUE_RAW] = { { 1, 5000, 600, 300, 600, 3, 9, SHADE_LOG, PARAMS_RAMP, FORMAT_JSON },
		.exclude_alone = EXCLUDE_ALONE },
	[VALUE_KEYS] = { { 60, 0, 600, 300, 600, 3, 9, SHADE_LOG, PARAMS_RAMP, FORMAT_JSON },
		.exclude_alone = EXCLUDE_ALONE },
	[VALUE_IMAGE] = { { 60, 5000, 600, 300, 600, 3, 9, SHADE_RANK, PARAMS_HUE, FORMAT_JSON } },
	[VALUE_DETAILS] = { { 60, 5000, 600, 300, 600, 3, 9, SHADE_RANK, PARAMS_RAMP, FORMAT_JSON },
		.missing = missing_pixel, .check = check_pixel },
	[VALUE_FIGURE] = { { 60, 0, 1200, 500, 600, 3, 9, SHADE_LOG, PARAMS_RAMP, FORMAT_PNG },
		.width_min = FIGURE_WIDTH_MIN, .height_min = FIGURE_HEIGHT_MIN, .exclude_alone = EXCLUDE_ALONE, .isolate_selected = true },
	[VALUE_REPORT] = { { 60, 0, 1200, 0, 600, 3, 9, SHADE_LOG, PARAMS_RAMP, FORMAT_PNG },
		.width_min = FIGURE_WIDTH_MIN, .height_min = FIGURE_HEIGHT_MIN, .exclude_alone = EXCLUDE_ALONE, .isolate_selected = true },
	[VALUE_GRID] = { { 60, 0, 600, 300, 600, 3, 9, SHADE_LOG, PARAMS_RAMP, FORMAT_JSON },
		.exclude_alone = EXCLUDE_ALONE },
	[VALUE_STREAM] = { { 60, 0, 600, 300, 600, 3, 9, SHADE_LOG, PARAMS_RAMP, FORMAT_JSON },
		.exclude_alone = EXCLUDE_ALONE },
	[VALUE_AVERAGE] = { { 1, 5000, 600, 300, 600, 3, 9, SHADE_LOG, PARAMS_RAMP, FORMAT_JSON },
		.exclude_alone = EXCLUDE_ALONE },
	[VALUE_PERCENTILE] = { { 1, 5000, 600, 300, 600, 3, 9, SHADE_LOG, PARAMS_RAMP, FORMAT_JSON },
		.exclude_alone = EXCLUDE_ALONE, .missing = missing_percentile },
	[VALUE_CHART] = { { 60, 0, 1200, 400, 600, 3, 9, SHADE_LOG, PARAMS_RAMP, FORMAT_PNG },
		.width_min = FIGURE_WIDTH_MIN, .height_min = FIGURE_HEIGHT_MIN, .exclude_alone = EXCLUDE_ALONE, .isolate_selected = true },
	[VALUE_EXPLAIN] = { { 60, 0, 600, 300, 600, 3, 20, SHADE_LOG, PARAMS_RAMP, FORMAT_JSON },
		.exclude_alone = EXCLUDE_ALONE },
	[VALUE_EXEMPLARS] = { { 60, 0, 600, 300, 600, 3, 9, SHADE_LOG, PARAMS_RAMP, FORMAT_JSON },
		.exclude_alone = EXCLUDE_ALONE },
	[VALUE_COMPOSITION] = { { 60, 0, 600, 300, 600, 3, 9, SHADE_LOG, PARAMS_RAMP, FORMAT_JSON },
		.exclude_alone = EXCLUDE_ALONE },
	[VALUE_FLAME] = { { 60, 0, 1200, 500, 600, 3, 9, SHADE_LOG, PARAMS_RAMP, FORMAT_SVG },
		.width_min = FIGURE_WIDTH_MIN, .exclude_alone = EXCLUDE_ALONE },
	[VALUE_MULTIPLES] = { { 60, 0, 1200, 0, 600, 3, 12, SHADE_LOG, PARAMS_RAMP, FORMAT_JSON },
		.width_min = FIGURE_WIDTH_MIN, .exclude_alone = EXCLUDE_ALONE },
	[VALUE_COMPARE] = { { 60, 0, 1200, 760, 240, 2, 9, SHADE_SQRT, PARAMS_RAMP, FORMAT_JSON },
		.width_min = FIGURE_WIDTH_MIN, .height_min = FIGURE_HEIGHT_MIN, .exclude_alone = EXCLUDE_ALONE, .check = check_compared },
	[VALUE_SIDE] = { { 60, 0, 1200, 760, 240, 2, 9, SHADE_SQRT, PARAMS_RAMP, FORMAT_JSON },
		.width_min = FIGURE_WIDTH_MIN, .height_min = FIGURE_HEIGHT_MIN, .exclude_alone = "b_exclude needs selected or b_selected" },
};
