#include "aggregator/payload/picture_data.h"
#include "collector/core/saturating.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_MAX 16384
#define TIME_MAX 7000000000000000000ll	/* ns: the year 2191 */
#define SPAN_MAX 2000000000000000000ll	/* ns: 63 years */
#define PARAMS_MAX 32
#define ANNOTATIONS_MAX 1000

/* The state of reading: the input, and the first error. */
struct get {
	size_t n_cells;			/* of all maps so far */
	int err;
	char *reason;
};

static int wrong(struct get *g, const char *why, ...) __attribute__((format(printf, 2, 3)));

static int wrong(struct get *g, const char *why, ...)
{
	va_list args;

	if (g->err)
		return g->err;
	va_start(args, why);
	vsnprintf(g->reason, PARAMS_REASON_MAX, why, args);
	va_end(args);
	return g->err = -EINVAL;
}

/* ---- members ---- */

static __s64 number_within(struct get *g, const json_t *in, const char *name, __s64 min, __s64 max)
{
	const json_t *value = json_object_get(in, name);
	__s64 n = json_integer_value(value);

	if (!json_is_integer(value) || n < min || n > max) {
		wrong(g, "\"%s\" must be a whole number from %lld to %lld", name, (long long)min, (long long)max);
		return min;
	}
	return n;
}

/* Reads a whole number; one from 2^63 on is written as a real one. */
static bool read_number(const json_t *value, __u64 *ret)
{
	double x = json_real_value(value);

	if (json_is_integer(value) && json_integer_value(value) >= 0)
		*ret = (__u64)json_integer_value(value);
	else if (json_is_real(value) && x >= 0x1p63 && x <= 0x1p64)
		*ret = saturating_from(x);
	else
		return false;
	return true;
}

static __u64 number(struct get *g, const json_t *in, const char *name)
{
	__u64 n = 0;

	if (!read_number(json_object_get(in, name), &n))
		wrong(g, "\"%s\" must be a whole number, 0 or more", name);
	return n;
}

/* The mean of a sum that saturated is null. */
static __u64 number_or_null(struct get *g, const json_t *in, const char *name)
{
	return json_is_null(json_object_get(in, name)) ? 0 : number(g, in, name);
}

static double real(struct get *g, const json_t *in, const char *name)
{
	const json_t *value = json_object_get(in, name);

	if (!json_is_number(value))
		wrong(g, "\"%s\" must be a number", name);
	return json_number_value(value);
}

static const char *text_or_null(struct get *g, const json_t *in, const char *name)
{
	const json_t *value = json_object_get(in, name);

	if (value && !json_is_string(value))
		wrong(g, "\"%s\" must be a text", name);
	return json_string_value(value);
}

static const char *text(struct get *g, const json_t *in, const char *name)
{
	const char *value = text_or_null(g, in, name);

	if (!value)
		wrong(g, "\"%s\" is missing", name);
	return value ? value : "";
}

/* Returns an array of at most so many elements; it may be empty. */
static const json_t *array(struct get *g, const json_t *in, const char *name, size_t most)
{
	const json_t *value = json_object_get(in, name);

	if (!json_is_array(value) || json_array_size(value) > most)
		wrong(g, "\"%s\" must be an array of at most %zu", name, most);
	return value;
}

/* Reads an element of the array that consists of n whole numbers, none negative. */
static bool numbers(struct get *g, const json_t *in, const char *name, size_t n, __u64 *ret)
{
	bool fits = json_array_size(in) == n;

	for (size_t i = 0; i < n && fits; i++) {
		fits = read_number(json_array_get(in, i), &ret[i]);
	}
	if (!fits)
		wrong(g, "each of \"%s\" must be %zu whole numbers", name, n);
	return fits;
}

static int choice(struct get *g, const json_t *in, const char *name, const char *const *word, int n)
{
	const char *value = text(g, in, name);

	for (int i = 0; i < n; i++)
		if (!strcmp(value, word[i]))
			return i;
	wrong(g, "\"%s\" is \"%.40s\", which is not a valid value", name, value);
	return 0;
}

/* ---- grids ---- */

static void get_edges(struct get *g, const json_t *in, struct grid *grid)
{
	const json_t *edge = array(g, in, "edge", ROWS_MAX + 1);

	if (!g->err && json_array_size(edge) != grid->n_rows + 1)
		wrong(g, "%zu edges do not fit %zu rows", json_array_size(edge), grid->n_rows);
	for (size_t i = 0; i <= grid->n_rows && !g->err; i++) {
		const json_t *value = json_array_get(edge, i);
		bool open = json_is_null(value) && i == grid->n_rows;

		grid->edge[i] = GRID_NO_EDGE;
		if (!open && !read_number(value, &grid->edge[i]))
			wrong(g, "edge %zu is not a whole number", i);
		else if (i && grid->edge[i] <= grid->edge[i - 1])
			wrong(g, "edge %zu is not above the one before", i);
	}
}

static void get_cells(struct get *g, const json_t *in, struct grid *grid, size_t col)
{
	const json_t *cells = array(g, in, "cells", grid->n_rows), *cell;
	size_t i;
	__u64 at[2] = { 0 };

	json_array_foreach(cells, i, cell) {
		if (!numbers(g, cell, "cells", 2, at) || at[0] >= grid->n_rows) {
			wrong(g, "column %zu has a cell in row %llu of %zu", col, (unsigned long long)at[0], grid->n_rows);
			return;
		}
		grid->cell[at[0] * grid->n_cols + col] = at[1];
	}
}

static void get_column(struct get *g, const json_t *in, struct grid *grid, size_t col)
{
	static const struct { enum grid_mark mark; const char *name; } mark[] = {
		{ GRID_CLOCK_STEP, "clock_step" }, { GRID_IN_PROGRESS, "in_progress" }, { GRID_DROPPED, "dropped" },
	};
	struct grid_column *c = &grid->column[col];

	*c = (struct grid_column){
		.count = number(g, in, "count"), .sum = number(g, in, "sum"), .min = number(g, in, "min"),
		.max = number(g, in, "max"), .p50 = number(g, in, "p50"), .p90 = number(g, in, "p90"), .p99 = number(g, in, "p99"),
		.lost = number(g, in, "lost"), .n_snapshots = grid->point ? number(g, in, "snapshots") : 0,
		.n_reporting = (__u32)number_within(g, in, "reporting", 0, UINT32_MAX),
		.n_expected = (__u32)number_within(g, in, "expected", 0, UINT32_MAX),
	};
	for (size_t i = 0; i < 3; i++)
		if (json_is_true(json_object_get(in, mark[i].name)))
			c->marks |= mark[i].mark;
	if (json_object_get(in, "sampled")) {
		c->marks |= GRID_SAMPLED;
		c->every = (__u32)number_within(g, in, "sampled", 0, UINT32_MAX);
	}
	get_cells(g, in, grid, col);
}

static void get_summary(struct get *g, const json_t *in, struct grid *grid)
{
	grid->all = (struct grid_summary){
		.count = number(g, in, "count"), .sum = number(g, in, "sum"), .min = number(g, in, "min"),
		.max = number(g, in, "max"), .stddev = number_or_null(g, in, "stddev"), .p50 = number(g, in, "p50"),
		.p90 = number(g, in, "p90"), .p99 = number(g, in, "p99"), .p999 = number(g, in, "p999"),
		.lost = number(g, in, "lost"), .n_snapshots = grid->point ? number(g, in, "snapshots") : 0,
	};
}

static void get_times(struct get *g, const json_t *in, struct grid *grid)
{
	grid->from_ns = number_within(g, in, "from_ns", 0, TIME_MAX);
	grid->col_ns = (__u64)number_within(g, in, "column_ns", 1, SPAN_MAX / (__s64)grid->n_cols);
	grid->slot_ns = (__u64)number_within(g, in, "slot_ns", 1, SPAN_MAX);
	grid->n_sources = (__u32)number_within(g, in, "nsources", 0, UINT32_MAX);
}

/* Returns NULL if it is refused; g has the reason. */
static struct grid *get_grid(struct get *g, const json_t *in)
{
	static const char *const scopes[] = { [SCOPE_INTERVAL] = "interval", [SCOPE_POINT] = "point" };
	size_t n_cols = (size_t)number_within(g, in, "ncols", 1, PICTURE_DATA_COLUMNS), i;
	size_t n_rows = (size_t)number_within(g, in, "nrows", 1, ROWS_MAX);
	const json_t *columns = array(g, in, "columns", PICTURE_DATA_COLUMNS), *column;
	struct grid *grid;

	if (!g->err && json_array_size(columns) != n_cols)
		wrong(g, "there are %zu columns where \"ncols\" says %zu", json_array_size(columns), n_cols);
	g->n_cells += n_cols * n_rows;
	if (g->n_cells > PICTURE_DATA_CELLS)
		wrong(g, "there are more than %u cells", PICTURE_DATA_CELLS);
	grid = g->err ? NULL : grid_new(n_cols, n_rows);
	if (!grid) {
		g->err = g->err ? g->err : -ENOMEM;
		return NULL;
	}
	grid->unit = text(g, in, "unit");
	grid->weight_unit = text(g, in, "counted");
	grid->weight = text_or_null(g, in, "weight");
	grid->point = choice(g, in, "scope", scopes, 2) == SCOPE_POINT;
	get_times(g, in, grid);
	get_edges(g, in, grid);
	json_array_foreach(columns, i, column)
		if (!g->err)
			get_column(g, column, grid, i);
	get_summary(g, json_object_get(in, "summary"), grid);
	if (!g->err)
		return grid;
	grid_free(grid);
	return NULL;
}

static void get_layer(struct get *g, const json_t *in, const struct grid *grid, struct layer *layer)
{
	const json_t *cells = array(g, in, "cells", PICTURE_DATA_CELLS), *value;
	size_t n = json_array_size(cells), i;
	struct layer_cell *cell = calloc(n + 1, sizeof(*cell));
	__u64 at[3];

	if (!cell)
		g->err = -ENOMEM;
	layer->hue = (int)number_within(g, in, "hue", LAYER_GREY, 359);
	json_array_foreach(cells, i, value) {
		if (g->err || !numbers(g, value, "cells", 3, at) || at[0] >= grid->n_rows || at[1] >= grid->n_cols) {
			wrong(g, "a layer has a cell outside the map");
			break;
		}
		cell[i] = (struct layer_cell){ (__u32)at[0], (__u32)at[1], at[2] };
	}
	if (!g->err)
		g->err = layer_fill(layer, grid, text(g, in, "name"), cell, n);
	free(cell);
}

static void get_layers(struct get *g, const json_t *in, struct grid *grid)
{
	static const char *const shown[] = { [LAYERS_ALL] = "all", [LAYERS_ISOLATED] = "isolated", [LAYERS_EXCLUDED] = "excluded" };
	const json_t *layers = array(g, in, "layer", PARAMS_SELECT_MAX), *layer;
	size_t i;

	if (g->err)
		return;
	grid->layers = layers_new(json_array_size(layers));
	if (!grid->layers) {
		g->err = -ENOMEM;
		return;
	}
	grid->layers->shown = (enum layers_shown)choice(g, in, "shown", shown, 3);
	grid->layers->rest_hue = (int)number_within(g, in, "rest_hue", LAYER_GREY, 359);
	json_array_foreach(layers, i, layer)
		if (!g->err)
			get_layer(g, layer, grid, &grid->layers->layer[i]);
}

static void get_annotations(struct get *g, const json_t *in, struct grid *grid)
{
	static const char *const kinds[] = { [ANNOTATION_NOTE] = "note", [ANNOTATION_ALERT] = "alert" };
	const json_t *all = array(g, in, "annotations", ANNOTATIONS_MAX), *one;
	size_t i;

	if (g->err)
		return;
	grid->annotations = calloc(1, sizeof(*grid->annotations) + json_array_size(all) * sizeof(*grid->annotations->item));
	if (!grid->annotations) {
		g->err = -ENOMEM;
		return;
	}
	json_array_foreach(all, i, one) {
		struct annotation *a = &grid->annotations->item[grid->annotations->n++];

		a->from_ns = number_within(g, one, "from_ns", 0, TIME_MAX);
		a->to_ns = number_within(g, one, "to_ns", a->from_ns, ANNOTATION_OPEN);
		a->kind = (enum annotation_kind)choice(g, one, "kind", kinds, 2);
		snprintf(a->text, sizeof(a->text), "%s", text(g, one, "text"));
	}
}

/* ---- table ---- */

static void get_table(struct get *g, const json_t *in, struct report_table *t)
{
	const json_t *rows = array(g, in, "rows", PARAMS_SELECT_MAX * PARAMS_SELECT_MAX), *one;
	struct report_row *row = g->err ? NULL : calloc(json_array_size(rows) + 1, sizeof(*row));
	size_t i;

	if (!row) {
		g->err = g->err ? g->err : -ENOMEM;
		return;
	}
	t->row = row;
	t->n_rows = json_array_size(rows);
	t->title = text_or_null(g, in, "title");
	t->counted = text_or_null(g, in, "counted");
	t->unit = text_or_null(g, in, "unit");
	t->least = json_object_get(in, "least") ? number(g, in, "least") : 0;
	t->counts_only = json_is_true(json_object_get(in, "counts_only"));
	t->lower_bound = json_is_true(json_object_get(in, "lower_bound"));
	t->runs = json_object_get(in, "running_ns");
	t->running_ns = t->runs ? number_within(g, in, "running_ns", 0, TIME_MAX) : 0;
	json_array_foreach(rows, i, one) {
		row[i] = (struct report_row){
			.name = text(g, one, "key"), .count = real(g, one, "count"), .mean = number_or_null(g, one, "mean"),
			.p50 = number(g, one, "p50"), .p90 = number(g, one, "p90"), .p99 = number(g, one, "p99"),
			.p999 = number(g, one, "p999"), .max = number(g, one, "max"),
		};
		if (t->runs) {
			row[i].running = number(g, one, "running");
			row[i].oldest = number(g, one, "oldest");
		}
		/* A picture of an older version has no sum: count times mean is close to it. */
		row[i].sum = json_object_get(one, "sum") ? real(g, one, "sum") : row[i].count * (double)row[i].mean;
	}
}

/* ---- maps ---- */

static bool same_columns(const struct grid *a, const struct grid *b)
{
	return a->n_cols == b->n_cols && a->from_ns == b->from_ns && a->col_ns == b->col_ns;
}

static void get_map(struct get *g, const json_t *in, struct picture_data *p)
{
	const json_t *running = json_object_get(in, "running"), *layers = json_object_get(in, "layers"), *table = json_object_get(in, "table");
	struct picture_data_map *m = &p->map[p->n_maps];

	m->measure = text(g, in, "measure");
	m->title = text(g, in, "title");
	m->drawn = json_is_true(json_object_get(in, "drawn"));
	m->grid = get_grid(g, in);
	if (!m->grid)
		return;
	m->grid->latency = !strcmp(m->measure, GRID_LATENCY);
	p->n_maps++;
	if (running)
		m->grid->running = get_grid(g, running);
	if (json_object_get(in, "annotations") && !g->err)
		get_annotations(g, in, m->grid);
	if (layers && !g->err)
		get_layers(g, layers, m->grid);
	if (table && p->n_maps > 1 && !g->err)	/* the first map's table is the report's */
		get_table(g, table, &m->table);
	if (!g->err && m->grid->running && (!same_columns(m->grid, m->grid->running) || !m->grid->running->point))
		wrong(g, "the running requests have other columns than their map");
	if (!g->err && !same_columns(p->map[0].grid, m->grid))
		wrong(g, "the maps have different columns");
}

/* ---- chart ---- */

static void get_series(struct get *g, const json_t *in, size_t n_cols, struct chart_series *s)
{
	const json_t *values = array(g, in, "values", PICTURE_DATA_COLUMNS);
	double *value = calloc(n_cols, sizeof(*value));

	if (!value)
		g->err = -ENOMEM;
	if (!g->err && json_array_size(values) != n_cols)
		wrong(g, "a series of %zu values does not fit %zu columns", json_array_size(values), n_cols);
	for (size_t i = 0; i < n_cols && !g->err; i++) {
		const json_t *n = json_array_get(values, i);

		value[i] = json_is_number(n) ? json_number_value(n) : NAN;
		if (!json_is_number(n) && !json_is_null(n))
			wrong(g, "a value of a series is not a number");
	}
	*s = (struct chart_series){ .name = text(g, in, "key"), .total = text_or_null(g, in, "total"), .value = value,
				    .colour = (enum chart_colour)number_within(g, in, "colour", CHART_HUE, CHART_MAX),
				    .hue = (int)number_within(g, in, "hue", LAYER_GREY, 359) };
}

static void get_chart(struct get *g, const json_t *in, struct picture_data *p)
{
	static const char *const kinds[] = { [CHART_STACKED] = "stacked", [CHART_LINES] = "lines" };
	const json_t *series = array(g, in, "series", CHART_SERIES_MAX), *one;
	struct chart_series *all = calloc(CHART_SERIES_MAX, sizeof(*all));
	size_t i;

	if (!all)
		g->err = -ENOMEM;
	p->chart = (struct chart){ .kind = (enum chart_kind)choice(g, in, "kind", kinds, 2), .grid = p->map[0].grid, .series = all,
				   .what = text(g, in, "what"), .unit = axis_unit(text(g, in, "unit")) };
	json_array_foreach(series, i, one)
		if (!g->err)
			get_series(g, one, p->chart.grid->n_cols, &all[p->chart.n_series++]);
	if (!g->err && !p->chart.n_series)
		wrong(g, "the chart has no series");
	p->report.chart = &p->chart;
}

/* ---- bar ---- */

static void get_bar(struct get *g, const json_t *in, struct picture_data *p)
{
	const json_t *parts = array(g, in, "parts", BAR_PARTS_MAX), *one;
	size_t i;

	p->bar = (struct bar){ .title = text(g, in, "title"), .unit = text(g, in, "unit"), .part = p->part,
			       .n = g->err ? 0 : json_array_size(parts) };
	json_array_foreach(parts, i, one)
		if (!g->err)
			p->part[i] = (struct bar_part){ text(g, one, "name"), real(g, one, "amount"),
							(int)number_within(g, one, "hue", BAR_GREY, 359) };
	p->report.bar = &p->bar;
}

/* ---- how it is drawn ---- */

const char *const picture_data_drawn[] = { "width", "height", "scale", "transfer", "weights", "yscale", "theme", "palette", "ymin", "ymax",
				     "crop", "utc_offset", NULL };

static const char *given(const struct http_param *param, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(param[i].name, name))
			return param[i].value;
	return NULL;
}

static enum value_kind_id kind_of(const struct picture_data *p)
{
	return !strcmp(p->picture, "report") ? VALUE_REPORT : !strcmp(p->picture, "chart") ? VALUE_CHART : VALUE_FIGURE;
}

/* Restores the parameters with which it was drawn, except for the given ones. */
static void get_drawn(struct get *g, const json_t *in, const struct http_param *param, size_t n_params, struct picture_data *p)
{
	bool alone = given(param, n_params, "measure");
	struct http_param all[PARAMS_MAX];
	char number[PARAMS_MAX][24];
	size_t n = 0;

	for (size_t i = 0; picture_data_drawn[i]; i++) {
		const json_t *value = json_object_get(in, picture_data_drawn[i]);

		/* a page of several maps has another height */
		if (!value || given(param, n_params, picture_data_drawn[i]) || (alone && !strcmp(picture_data_drawn[i], "height")))
			continue;
		if (json_is_real(value))
			snprintf(number[n], sizeof(number[n]), "%.15g", json_real_value(value));
		else
			snprintf(number[n], sizeof(number[n]), "%lld", (long long)json_integer_value(value));
		all[n] = (struct http_param){ picture_data_drawn[i], json_is_number(value) ? number[n] : json_string_value(value) };
		n += all[n].value != NULL;
	}
	if (n + n_params > PARAMS_MAX) {
		wrong(g, "there are too many parameters");
		return;
	}
	for (size_t i = 0; i < n_params; i++)
		all[n + i] = param[i];
	if (!g->err)
		g->err = params_read(kind_of(p), all, n + n_params, &p->drawn, g->reason);
}

/* Restores the zone, with the shifts that the drawing host knew, unless another zone is given. */
static void get_zone(struct get *g, const json_t *in, const struct http_param *param, size_t n_params, struct picture_data *p)
{
	const json_t *zone = json_object_get(in, "zone"), *shifts, *one;
	const struct grid *grid = p->map[0].grid;
	__s64 to_ns = grid->from_ns + (__s64)(grid->col_ns * grid->n_cols);
	size_t i;

	if (!zone || given(param, n_params, "utc_offset") || given(param, n_params, "time_zone")) {
		p->drawn.has_utc_offset = true;		/* never this host's zone: the picture was drawn elsewhere */
		if (!g->err)
			g->err = params_zone(&p->drawn, grid->from_ns / 1000000000, to_ns / 1000000000, &p->zone, g->reason);
		return;
	}
	if (*text(g, zone, "name") && !zone_name_valid(text(g, zone, "name")))
		wrong(g, "its time zone has no valid name");
	shifts = array(g, zone, "shifts", ZONE_SHIFTS);
	snprintf(p->zone.name, sizeof(p->zone.name), "%s", text(g, zone, "name"));
	json_array_foreach(shifts, i, one) {
		struct zone_shift s = { number_within(g, one, "from", -TIME_MAX / 1000000000, TIME_MAX / 1000000000),
					(int)number_within(g, one, "utc_offset", -ZONE_OFFSET_MAX, ZONE_OFFSET_MAX) };

		if (g->err)
			return;
		if (i && s.from_s <= p->zone.shift[i - 1].from_s)
			wrong(g, "the changes of its time zone are not in order");
		p->zone.shift[p->zone.n++] = s;
	}
}

/* A single map is a figure. */
static void choose_map(struct get *g, const char *measure, struct picture_data *p)
{
	char have[256] = "";
	bool found = false;

	if (!measure)
		return;
	for (size_t i = 0; i < p->n_maps; i++) {
		size_t at = strlen(have);

		p->map[i].drawn = !strcmp(p->map[i].measure, measure);
		found = found || p->map[i].drawn;
		snprintf(have + at, sizeof(have) - at, "%s%.60s", i ? ", " : "", p->map[i].measure);
	}
	if (!found)
		wrong(g, "there is no measure \"%.60s\" in it; there is %s", measure, have);
	p->picture = "figure";
	if (p->n_maps && !p->map[0].drawn) {	/* chart and bar are of the first measure */
		p->report.chart = NULL;
		p->report.bar = NULL;
	}
	for (size_t i = 0; i < p->n_maps; i++)
		if (p->map[i].drawn)
			p->subtitle = p->map[i].title;
}

/* ---- all ---- */

static void get_head(struct get *g, const json_t *in, struct picture_data *p)
{
	static const char *const picture[] = { "figure", "report", "chart", "image" };
	const char *schema = json_string_value(json_object_get(in, "schema"));

	if (!schema || strcmp(schema, PICTURE_DATA_SCHEMA))
		wrong(g, "it is not of the schema " PICTURE_DATA_SCHEMA);
	if (number_within(g, in, "version", 1, INT32_MAX) > PICTURE_DATA_VERSION)
		wrong(g, "it is version %lld of " PICTURE_DATA_SCHEMA ", this program knows %d: use a newer heatscope",
		      (long long)json_integer_value(json_object_get(in, "version")), PICTURE_DATA_VERSION);
	p->picture = picture[choice(g, in, "picture", picture, 4)];
	p->title = text_or_null(g, in, "title");
	p->subtitle = text_or_null(g, in, "subtitle");
	p->sentence = text(g, in, "sentence");
	p->made_by = text(g, in, "made_by");
	p->made_on = text_or_null(g, in, "made_on");
	p->author = text_or_null(g, in, "author");
	p->made_ns = number_within(g, in, "made_ns", 0, TIME_MAX);
	p->instrumentation = json_object_get(in, "instrumentation");
	if (!json_is_object(p->instrumentation))
		wrong(g, "it names no instrumentation");
}

static void get_parts(struct get *g, const json_t *in, struct picture_data *p)
{
	const json_t *maps = array(g, in, "maps", REPORT_PANELS_MAX), *map, *chart = json_object_get(in, "chart");
	size_t i;

	if (!g->err && !json_array_size(maps))
		wrong(g, "there is no map in it");
	json_array_foreach(maps, i, map)
		if (!g->err)
			get_map(g, map, p);
	if (chart && !g->err)
		get_chart(g, chart, p);
	if (json_object_get(in, "bar") && !g->err)
		get_bar(g, json_object_get(in, "bar"), p);
	if (json_object_get(in, "table") && !g->err)
		get_table(g, json_object_get(in, "table"), &p->map[0].table);
	if (!g->err && !strcmp(p->picture, "chart") && !chart)
		wrong(g, "the chart is missing");
}

int picture_data_get(const char *text, size_t len, const struct http_param *param, size_t n_params, struct picture_data *ret_data,
	       char *reason)
{
	struct get g = { .reason = reason };
	struct picture_data *p = ret_data;
	json_error_t where;

	memset(p, 0, sizeof(*p));
	p->json = json_loadb(text, len, JSON_REJECT_DUPLICATES, &where);
	if (!p->json)
		return wrong(&g, "its data are not JSON: %.100s at byte %d", where.text, where.position);
	get_head(&g, p->json, p);
	if (!g.err)
		get_parts(&g, p->json, p);
	if (!g.err)
		choose_map(&g, given(param, n_params, "measure"), p);
	if (!g.err)
		get_drawn(&g, json_object_get(p->json, "drawn"), param, n_params, p);
	if (!g.err)
		get_zone(&g, json_object_get(p->json, "drawn"), param, n_params, p);
	if (g.err)
		picture_data_fini(p);
	else
		picture_data_join(p);
	return g.err;
}

void picture_data_fini(struct picture_data *p)
{
	for (size_t i = 0; i < p->n_maps; i++) {
		grid_free(p->map[i].grid);
		free((struct report_row *)p->map[i].table.row);
	}
	for (size_t i = 0; i < p->chart.n_series; i++)
		free((double *)p->chart.series[i].value);
	free((struct chart_series *)p->chart.series);
	params_fini(&p->drawn);
	json_decref(p->json);
	memset(p, 0, sizeof(*p));
}
