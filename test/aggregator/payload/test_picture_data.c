#include "aggregator/payload/picture_data.h"
#include "test/kit/check.h"
#include "test/kit/render_kit.h"
#include "render/encode/png_text.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>

#define N_COLS 37

/* ---- making picture data ---- */

/* JSON has 63 bits for whole numbers; a sum may also have saturated. */
static __u64 amount(void) { return check_below(4) ? 0 : check_below(8) ? check_value() >> 1 : ~0ull; }

static struct grid *random_grid(int point)
{
	size_t n_rows = 1 + check_below(12);
	struct grid *g = grid_new(N_COLS, n_rows);

	for (size_t i = 1; i <= n_rows; i++)
		g->edge[i] = g->edge[i - 1] + 1 + check_below(1u << 30);
	if (check_below(2))
		g->edge[n_rows] = GRID_NO_EDGE;
	for (size_t i = 0; i < N_COLS * n_rows; i++)
		g->cell[i] = amount();
	for (size_t col = 0; col < N_COLS; col++) {
		struct grid_column *c = &g->column[col];

		*c = (struct grid_column){ amount(), amount(), amount(), amount(), amount(), amount(), amount(), amount(),
					   (__u32)check_random(), (__u32)check_random(), point ? amount() : 0, 0, 0 };
		c->marks = (__u32)check_below(16);
		c->every = c->marks & GRID_SAMPLED ? (__u32)check_random() : 0;
	}
	g->all = (struct grid_summary){ amount(), amount(), amount(), amount(), amount(), amount(), amount(), amount(), amount(),
					amount(), point ? amount() : 0 };
	if (g->all.sum == ~0ull)
		g->all.stddev = 0;		/* it has none */
	g->point = point;
	g->from_ns = 1795269600333333333ll;
	g->col_ns = 333333333;
	g->slot_ns = 111111111;
	g->n_sources = (__u32)check_random();
	g->unit = point ? "%" : "ns";
	g->weight_unit = "queries";
	g->weight = check_below(2) ? "cputime" : NULL;
	return g;
}

static struct layers *random_layers(const struct grid *g)
{
	static const char *const name[] = { "select", "a \"key\",\n\\", "größer" };
	struct layers *l = layers_new(3);

	l->shown = (enum layers_shown)check_below(3);
	l->rest_hue = (int)check_below(361) - 1;
	for (size_t i = 0; i < 3; i++) {
		struct layer_cell cell[8];
		size_t n = check_below(9);

		for (size_t j = 0; j < n; j++)
			cell[j] = (struct layer_cell){ (__u32)check_below(g->n_rows), (__u32)check_below(N_COLS), check_below(1u << 20) };
		assert_int_equal(layer_fill(&l->layer[i], g, name[i], cell, n), 0);
		l->layer[i].hue = (int)check_below(361) - 1;
	}
	return l;
}

struct made {
	struct picture_data p;
	double value[2][N_COLS];
	struct chart_series series[2];
	struct chart chart;
	struct report_row row[3];
	struct bar bar;
	struct bar_part part[2];
	json_t *about;
};

static void fill_chart(struct made *m)
{
	for (size_t i = 0; i < 2; i++) {
		for (size_t col = 0; col < N_COLS; col++)
			m->value[i][col] = check_below(5) ? (double)check_value() / 7 : NAN;
		m->series[i] = (struct chart_series){ i ? "other" : "select", i ? NULL : "1,234", m->value[i],
						      i ? CHART_P99 : CHART_HUE, i ? LAYER_GREY : 205 };
	}
	m->chart = (struct chart){ CHART_STACKED, m->p.map[0].grid, "queries per second", AXIS_PER_S, 2, m->series };
	m->p.report.chart = &m->chart;
}

static void fill(struct made *m, const char *picture, size_t n_maps)
{
	bool running = check_below(2);

	m->about = json_pack("{s:s, s:s, s:[{s:s}, {s:s}]}", "module", "mysql", "stat", "queries", "sources", "source", "db1", "source", "db2");
	m->p = (struct picture_data){ .picture = picture, .title = "MySQL \"queries\"", .subtitle = "latency", .sentence = "1 query",
				.made_by = "heatscope 0.1.0", .made_ns = 1795269600123456789ll, .instrumentation = m->about, .n_maps = n_maps };
	assert_int_equal(params_read(VALUE_FIGURE, NULL, 0, &m->p.drawn, (char[PARAMS_REASON_MAX]){ 0 }), 0);
	m->p.zone = (struct zone){ "Europe/Berlin", 2, { { 0, 7200 }, { 1795269600 + (__s64)check_below(3600), 3600 } } };
	for (size_t i = 0; i < n_maps; i++)
		m->p.map[i] = (struct picture_data_map){ .measure = i ? "cputime" : "latency", .title = i ? "on-CPU" : "latency",
						   .grid = random_grid(0), .drawn = true };
	m->p.map[0].grid->running = random_grid(1);
	m->p.map[0].grid->layers = random_layers(m->p.map[0].grid);
	fill_chart(m);
	for (size_t i = 0; i < 3; i++)
		m->row[i] = (struct report_row){ i ? "select" : "", (double)check_value() / 3, amount(), amount(), amount(), amount(),
						 amount(), amount(), (double)check_value() / 3, 0, 0 };
	for (size_t i = 0; i < 3 && running; i++) {
		m->row[i].running = amount();
		m->row[i].oldest = amount();
	}
	for (size_t i = 0; i < n_maps; i++)
		m->p.map[i].table = (struct report_table){ .title = i ? "on-CPU by statement" : "latency by statement", .counted = "queries",
							   .unit = "ns", .lower_bound = check_below(2), .runs = running,
							   .running_ns = running ? (__s64)check_below(1ull << 60) : 0, .n_rows = 3 - i, .row = m->row + i };
	m->part[0] = (struct bar_part){ "futex", (double)check_value() / 3, 205 };
	m->part[1] = (struct bar_part){ "the rest", 0, BAR_GREY };
	m->bar = (struct bar){ "what the time was", "ns", 2, m->part };
	m->p.report.bar = &m->bar;
	picture_data_join(&m->p);
}

static void clear(struct made *m)
{
	for (size_t i = 0; i < m->p.n_maps; i++)
		grid_free(m->p.map[i].grid);
	params_fini(&m->p.drawn);
	json_decref(m->about);
}

static char *json_of(const struct picture_data *p, size_t *ret_len)
{
	struct bytes out = { 0 };
	char *text;

	picture_data_put(&out, p);
	text = writer_take(&out, ret_len);
	assert_non_null(text);
	return text;
}

/* ---- round trips ---- */

static void same_grid(const struct grid *a, const struct grid *b)
{
	assert_int_equal(a->n_cols, b->n_cols);
	assert_int_equal(a->n_rows, b->n_rows);
	assert_memory_equal(a->edge, b->edge, (a->n_rows + 1) * sizeof(*a->edge));
	assert_memory_equal(a->cell, b->cell, a->n_cols * a->n_rows * sizeof(*a->cell));
	assert_memory_equal(a->column, b->column, a->n_cols * sizeof(*a->column));
	assert_memory_equal(&a->all, &b->all, sizeof(a->all));
	assert_int_equal(a->point, b->point);
	assert_int_equal(a->from_ns, b->from_ns);
	assert_int_equal(a->col_ns, b->col_ns);
	assert_int_equal(a->slot_ns, b->slot_ns);
	assert_int_equal(a->n_sources, b->n_sources);
	assert_string_equal(a->unit, b->unit);
	assert_string_equal(a->weight_unit, b->weight_unit);
	assert_string_equal(a->weight ? a->weight : "", b->weight ? b->weight : "");
	assert_int_equal(!a->running, !b->running);
	if (a->running)
		same_grid(a->running, b->running);
}

static void same_layers(const struct layers *a, const struct layers *b)
{
	assert_int_equal(a->n, b->n);
	assert_int_equal(a->shown, b->shown);
	assert_int_equal(a->rest_hue, b->rest_hue);
	for (size_t i = 0; i < a->n; i++) {
		assert_string_equal(a->layer[i].name, b->layer[i].name);
		assert_int_equal(a->layer[i].hue, b->layer[i].hue);
		assert_int_equal(a->layer[i].count, b->layer[i].count);
		assert_int_equal(a->layer[i].n_cells, b->layer[i].n_cells);
		for (size_t j = 0; j < a->layer[i].n_cells; j++) {
			const struct layer_cell *x = &a->layer[i].cell[j], *y = &b->layer[i].cell[j];

			assert_true(x->row == y->row && x->col == y->col && x->count == y->count);
		}
	}
}

static void same_chart(const struct chart *a, const struct chart *b)
{
	assert_int_equal(a->kind, b->kind);
	assert_int_equal(a->unit, b->unit);
	assert_string_equal(a->what, b->what);
	assert_int_equal(a->n_series, b->n_series);
	for (size_t i = 0; i < a->n_series; i++) {
		assert_string_equal(a->series[i].name, b->series[i].name);
		assert_int_equal(!a->series[i].total, !b->series[i].total);
		assert_int_equal(a->series[i].colour, b->series[i].colour);
		assert_int_equal(a->series[i].hue, b->series[i].hue);
		for (size_t col = 0; col < N_COLS; col++)
			assert_true(a->series[i].value[col] == b->series[i].value[col] ||
				    (isnan(a->series[i].value[col]) && isnan(b->series[i].value[col])));
	}
}

static void same_table(const struct report_table *a, const struct report_table *b)
{
	assert_string_equal(a->title, b->title);
	assert_int_equal(a->lower_bound, b->lower_bound);
	assert_int_equal(a->runs, b->runs);
	assert_int_equal(a->running_ns, b->running_ns);
	assert_int_equal(a->n_rows, b->n_rows);
	for (size_t i = 0; i < a->n_rows; i++) {
		struct report_row x = a->row[i], y = b->row[i];

		assert_string_equal(x.name, y.name);
		x.name = y.name = NULL;
		assert_memory_equal(&x, &y, sizeof(x));
	}
}

static void same_bar(const struct bar *a, const struct bar *b)
{
	assert_string_equal(a->title, b->title);
	assert_string_equal(a->unit, b->unit);
	assert_int_equal(a->n, b->n);
	for (size_t i = 0; i < a->n; i++) {
		assert_string_equal(a->part[i].name, b->part[i].name);
		assert_true(a->part[i].amount == b->part[i].amount);
		assert_int_equal(a->part[i].hue, b->part[i].hue);
	}
}

TEST(picture_data_come_back_bit_for_bit)
{
	(void)state;
	for (int round = 0; round < 50; round++) {
		struct made m;
		struct picture_data back;
		char reason[PARAMS_REASON_MAX], *text;
		size_t len;

		fill(&m, "report", 1 + check_below(3));
		text = json_of(&m.p, &len);
		assert_int_equal(picture_data_get(text, len, NULL, 0, &back, reason), 0);
		assert_int_equal(back.n_maps, m.p.n_maps);
		assert_int_equal(back.made_ns, m.p.made_ns);
		assert_string_equal(back.title, m.p.title);
		assert_memory_equal(&back.zone, &m.p.zone, sizeof(back.zone));
		assert_int_equal(back.drawn.width, m.p.drawn.width);
		assert_true(json_equal(back.instrumentation, m.about));
		for (size_t i = 0; i < back.n_maps; i++) {
			assert_string_equal(back.map[i].measure, m.p.map[i].measure);
			same_grid(m.p.map[i].grid, back.map[i].grid);
		}
		same_layers(m.p.map[0].grid->layers, back.map[0].grid->layers);
		same_chart(m.p.report.chart, back.report.chart);
		for (size_t i = 0; i < m.p.n_maps; i++)
			same_table(&m.p.map[i].table, &back.map[i].table);
		same_table(&m.p.report.table, &back.report.table);
		same_bar(m.p.report.bar, back.report.bar);
		picture_data_fini(&back);
		free(text);
		clear(&m);
	}
}

static __u8 *drawn(const struct picture_data *p, size_t *ret_len)
{
	__u8 *png;

	assert_int_equal(picture_data_draw(p, &png, ret_len), 0);
	return png;
}

static void annotate(struct grid *g)
{
	__s64 at = g->from_ns + (__s64)(g->col_ns * g->n_cols / 3);

	g->annotations = calloc(1, sizeof(*g->annotations) + 2 * sizeof(*g->annotations->item));
	assert_non_null(g->annotations);
	g->annotations->n = 2;
	g->annotations->item[0] = (struct annotation){ .from_ns = at, .to_ns = at, .text = "deploy 1.2.3" };
	g->annotations->item[1] = (struct annotation){ .from_ns = at + 1, .to_ns = ANNOTATION_OPEN, .kind = ANNOTATION_ALERT, .text = "slow" };
}

/* An hour like a real one: with gaps, losses, layers and annotations. */
static void fill_hour(struct made *m, const char *picture)
{
	fill(m, picture, 1);
	grid_free(m->p.map[0].grid);
	m->p.map[0].grid = kit_hour(N_COLS, 3, 1);
	kit_split(m->p.map[0].grid, 3);
	annotate(m->p.map[0].grid);
	fill_chart(m);
	m->p.drawn.height = strcmp(picture, "report") ? 500 : 0;
	picture_data_join(&m->p);
}

TEST(a_picture_that_was_opened_is_drawn_pixel_by_pixel)
{
	static const char *const pictures[] = { "figure", "report", "chart" };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct made m;
		struct picture_data back;
		char reason[PARAMS_REASON_MAX], *text;
		size_t len, n_first, n_second;
		__u8 *first, *second;

		fill_hour(&m, pictures[i]);
		first = drawn(&m.p, &n_first);
		assert_int_equal(picture_data_attach(&m.p, &first, &n_first), 0);
		assert_int_equal(png_text_get(first, n_first, PICTURE_DATA_SCHEMA, &text, &len, reason), 0);
		assert_int_equal(picture_data_get(text, len, NULL, 0, &back, reason), 0);
		second = drawn(&back, &n_second);
		assert_int_equal(picture_data_attach(&back, &second, &n_second), 0);
		assert_int_equal(n_first, n_second);
		assert_memory_equal(first, second, n_first);
		free(first);
		free(second);
		free(text);
		picture_data_fini(&back);
		clear(&m);
	}
}

/* The same numbers in other colours: given parameters override how it was drawn. */
TEST(given_parameters_override_how_it_was_drawn)
{
	static const struct http_param param[] = { { "theme", "dark" }, { "transfer", "linear" }, { "measure", "latency" }, { "width", "500" } };
	struct made m;
	struct picture_data back;
	char reason[PARAMS_REASON_MAX], *text;
	size_t len;

	(void)state;
	fill(&m, "report", 2);
	text = json_of(&m.p, &len);
	assert_int_equal(picture_data_get(text, len, param, 4, &back, reason), 0);
	assert_int_equal(back.drawn.theme, PALETTE_DARK);
	assert_int_equal(back.drawn.transfer, SHADE_LINEAR);
	assert_int_equal(back.drawn.width, 500);
	assert_int_equal(back.drawn.yscale, m.p.drawn.yscale);
	assert_string_equal(back.picture, "figure");
	assert_int_equal(back.report.n_panels, 1);
	same_grid(m.p.map[0].grid, back.panel[0].grid);
	picture_data_fini(&back);
	free(text);
	clear(&m);
}

TEST(picture_data_of_too_many_cells_is_left_out)
{
	struct made m;
	__u8 *png;
	size_t n, before;

	(void)state;
	fill_hour(&m, "figure");
	png = drawn(&m.p, &n);
	before = n;
	m.p.map[0].grid->n_rows *= PICTURE_DATA_CELLS;
	assert_int_equal(picture_data_attach(&m.p, &png, &n), 0);
	m.p.map[0].grid->n_rows /= PICTURE_DATA_CELLS;
	assert_int_equal(n, before);
	free(png);
	clear(&m);
}

/* Text that is too long is left out, too. */
TEST(a_text_that_is_too_long_is_left_out)
{
	char *words = malloc(PNG_TEXT_MAX + 1);
	struct made m;
	size_t n, before;
	__u8 *png;

	(void)state;
	assert_non_null(words);
	memset(words, 'x', PNG_TEXT_MAX);
	words[PNG_TEXT_MAX] = 0;
	fill_hour(&m, "figure");
	png = drawn(&m.p, &n);
	before = n;
	m.p.sentence = words;
	assert_int_equal(picture_data_attach(&m.p, &png, &n), 0);
	assert_int_equal(n, before);
	m.p.sentence = "short";
	assert_int_equal(picture_data_attach(&m.p, &png, &n), 0);
	assert_true(n > before);
	free(words);
	free(png);
	clear(&m);
}

/* The map is one of several: the chart and the bar are of the first. */
TEST(a_map_alone_has_its_own_table)
{
	struct made m;
	char *text;
	size_t len;

	(void)state;
	fill(&m, "report", 2);
	text = json_of(&m.p, &len);
	for (int first = 0; first < 2; first++) {
		const struct http_param param = { "measure", first ? "latency" : "cputime" };
		char reason[PARAMS_REASON_MAX];
		struct picture_data back;

		assert_int_equal(picture_data_get(text, len, &param, 1, &back, reason), 0);
		same_table(&m.p.map[!first].table, &back.report.table);
		assert_int_equal(back.report.bar != NULL, first);
		assert_int_equal(back.report.chart != NULL, first);
		picture_data_fini(&back);
	}
	free(text);
	clear(&m);
}

/* As in pictures that were made before tables had sums. */
TEST(a_table_without_sums_has_those_of_the_means)
{
	struct picture_data back;
	struct made m;
	char *text, reason[PARAMS_REASON_MAX];
	json_t *json, *row;
	size_t len, i;

	(void)state;
	fill(&m, "report", 1);
	text = json_of(&m.p, &len);
	json = json_loadb(text, len, 0, NULL);
	free(text);
	json_array_foreach(json_object_get(json_object_get(json, "table"), "rows"), i, row) {
		json_object_set_new(row, "mean", json_integer(2000));
		assert_int_equal(json_object_del(row, "sum"), 0);
	}
	text = json_dumps(json, JSON_REAL_PRECISION(17));
	json_decref(json);
	assert_int_equal(picture_data_get(text, strlen(text), NULL, 0, &back, reason), 0);
	assert_int_equal(back.report.table.n_rows, 3);
	for (i = 0; i < 3; i++)
		assert_true(back.report.table.row[i].sum == m.row[i].count * 2000);
	picture_data_fini(&back);
	free(text);
	clear(&m);
}

TEST(either_end_of_the_axis_and_its_crop_come_back_alone)
{
	struct made m;

	(void)state;
	fill(&m, "figure", 1);
	for (int both = 0; both < 8; both++) {
		char reason[PARAMS_REASON_MAX], *text;
		struct picture_data back;
		size_t len;

		m.p.drawn.ymin = both & 1 ? 4096 : 0;
		m.p.drawn.ymax = both & 2 ? 65536 : 0;
		m.p.drawn.crop = both & 4 ? 12500 : 0;
		text = json_of(&m.p, &len);
		assert_int_equal(picture_data_get(text, len, NULL, 0, &back, reason), 0);
		assert_int_equal(back.drawn.ymin, m.p.drawn.ymin);
		assert_int_equal(back.drawn.ymax, m.p.drawn.ymax);
		assert_int_equal(back.drawn.crop, m.p.drawn.crop);
		picture_data_fini(&back);
		free(text);
	}
	clear(&m);
}

/* ---- refusals ---- */

static json_t *at(json_t *json, const char *path)
{
	char name[64];

	while (*path) {
		size_t len = strcspn(path, "/");

		snprintf(name, sizeof(name), "%.*s", (int)len, path);
		json = json_is_array(json) ? json_array_get(json, strtoul(name, NULL, 10)) : json_object_get(json, name);
		path += len + (path[len] == '/');
	}
	return json;
}

/* Each row changes one member, and names the error that follows. */
static const struct { const char *in, *name, *value, *reason; } misfits[] = {
	{ "", "schema", "\"another\"", "not of the schema" },
	{ "", "version", "2", "use a newer heatscope" },
	{ "", "version", "0", "\"version\"" },
	{ "", "picture", "\"film\"", "\"picture\" is \"film\"" },
	{ "", "title", "1", "\"title\" must be a text" },
	{ "", "made_ns", "-1", "\"made_ns\"" },
	{ "", "instrumentation", "[]", "no instrumentation" },
	{ "", "maps", "[]", "no map" },
	{ "", "maps", "[1,2,3,4,5,6,7]", "at most 6" },
	{ "", "maps", "[1]", "\"measure\" is missing" },
	{ "maps/0", "ncols", "38", "37 columns where \"ncols\" says 38" },
	{ "maps/0", "ncols", "4001", "\"ncols\"" },
	{ "maps/0", "ncols", "0", "\"ncols\"" },
	{ "maps/0", "ncols", "1e3", "\"ncols\"" },
	{ "maps/0", "nrows", "16385", "\"nrows\"" },
	{ "maps/0", "nrows", "16384", "edges do not fit" },
	{ "maps/0", "edge", "[0]", "edges do not fit" },
	{ "maps/0", "edge", "null", "\"edge\" must be an array" },
	{ "maps/0", "column_ns", "0", "\"column_ns\"" },
	{ "maps/0", "column_ns", "9000000000000000000", "\"column_ns\"" },
	{ "maps/0", "from_ns", "9000000000000000000", "\"from_ns\"" },
	{ "maps/0", "scope", "\"else\"", "\"scope\" is \"else\"" },
	{ "maps/0", "summary", "{}", "\"count\"" },
	{ "maps/0/columns/0", "count", "-1", "\"count\"" },
	{ "maps/0/columns/0", "reporting", "4294967296", "\"reporting\"" },
	{ "maps/0/columns/0", "cells", "[[9999,1]]", "cell in row 9999" },
	{ "maps/0/columns/0", "cells", "[[0,-1]]", "whole numbers" },
	{ "maps/0/columns/0", "cells", "[[0]]", "whole numbers" },
	{ "maps/0/columns/0", "cells", "[0,1]", "" },
	{ "maps/0/running", "from_ns", "1", "other columns" },
	{ "maps/0/running", "scope", "\"interval\"", "other columns" },
	{ "maps/1", "from_ns", "1", "different columns" },
	{ "maps/0/layers", "shown", "\"none\"", "\"shown\"" },
	{ "maps/0/layers", "rest_hue", "360", "\"rest_hue\"" },
	{ "maps/0/layers/layer/0", "cells", "[[0,37,1]]", "outside the map" },
	{ "maps/0/layers/layer/0", "hue", "-2", "\"hue\"" },
	{ "chart", "series", "[]", "no series" },
	{ "chart", "kind", "\"pie\"", "\"kind\" is \"pie\"" },
	{ "chart/series/0", "values", "[1]", "1 values does not fit 37 columns" },
	{ "chart/series/0", "colour", "9", "\"colour\"" },
	{ "table", "rows", "{}", "\"rows\"" },
	{ "table/rows/0", "p50", "0.5", "\"p50\"" },
	{ "table/rows/0", "key", "null", "\"key\"" },
	{ "bar", "parts", "[{}]", "\"name\" is missing" },
	{ "bar/parts/0", "amount", "\"much\"", "\"amount\" must be a number" },
	{ "drawn", "width", "100000", "\"width\" is invalid: maximum is 4000" },
	{ "drawn", "theme", "\"pink\"", "must be one of: light dark" },
};

TEST(refuses_data_that_do_not_fit)
{
	char reason[PARAMS_REASON_MAX], *text, *edited;
	struct picture_data back;
	struct made m;
	size_t len;

	(void)state;
	fill(&m, "report", 2);
	text = json_of(&m.p, &len);
	for (size_t i = 0; i < sizeof(misfits) / sizeof(*misfits); i++) {
		json_t *json = json_loadb(text, len, 0, NULL), *value = json_loads(misfits[i].value, JSON_DECODE_ANY, NULL);

		assert_int_equal(json_object_set_new(at(json, misfits[i].in), misfits[i].name, value), 0);
		edited = json_dumps(json, 0);
		*reason = 0;
		if (picture_data_get(edited, strlen(edited), NULL, 0, &back, reason) != -EINVAL)
			fail_msg("%s/%s = %s: is read", misfits[i].in, misfits[i].name, misfits[i].value);
		if (!*reason || !strstr(reason, misfits[i].reason))
			fail_msg("%s/%s = %s: \"%s\"", misfits[i].in, misfits[i].name, misfits[i].value, reason);
		free(edited);
		json_decref(json);
	}
	for (size_t cut = 0; cut < len; cut += 97)
		assert_int_equal(picture_data_get(text, cut, NULL, 0, &back, reason), -EINVAL);
	free(text);
	clear(&m);
}

TEST(refuses_a_measure_that_is_not_there)
{
	static const struct http_param param = { "measure", "age" };
	char reason[PARAMS_REASON_MAX], *text;
	struct picture_data back;
	struct made m;
	size_t len;

	(void)state;
	fill(&m, "report", 2);
	text = json_of(&m.p, &len);
	assert_int_equal(picture_data_get(text, len, &param, 1, &back, reason), -EINVAL);
	assert_string_equal(reason, "there is no measure \"age\" in it; there is latency, cputime");
	free(text);
	clear(&m);
}

TEST_MAIN()
