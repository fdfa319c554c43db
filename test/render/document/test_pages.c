#include "render/document/pages.h"
#include "test/kit/check.h"
#include "test/kit/render_kit.h"
#include <errno.h>

#define HOSTILE "\xff\x1b(Tj) \\ endobj"

static struct figure_options options(void)
{
	struct figure_options o;

	figure_defaults(&o);
	o.height = 0;
	o.title = "MySQL queries by statement";
	o.version = "heatscope 0.1.0";
	return o;
}

static __u8 *render(const struct document *d, size_t *ret_len)
{
	__u8 *pdf;

	assert_int_equal(pages_render(d, &pdf, ret_len), 0);
	assert_memory_equal(pdf, "%PDF", 4);
	return pdf;
}

TEST(equal_input_gives_equal_bytes)
{
	static const struct document_fact fact = { "Sources", "db1" };
	struct grid *g = kit_hour(300, 3, 1);
	const struct report_panel panel = { .title = "latency", .grid = g };
	const struct report r = { .n_panels = 1, .panel = &panel };
	struct figure_options o = options();
	const struct document d = { .report = &r, .options = &o, .n_facts = 1, .fact = &fact };
	size_t len[2];
	__u8 *pdf[] = { render(&d, &len[0]), render(&d, &len[1]) };

	(void)state;
	assert_int_equal(len[0], len[1]);
	assert_memory_equal(pdf[0], pdf[1], len[0]);
	free(pdf[0]);
	free(pdf[1]);
	grid_free(g);
}

/* Every shape of report: any width, no maps, one column, no events, very many keys, random bytes. */
TEST(any_report_has_pages)
{
	static const struct bar_part part[] = { { HOSTILE, 3e6, 205 }, { "rest", 1e6, BAR_GREY } };
	static const struct bar bar = { HOSTILE, "ns", 2, part };
	static const struct document_fact fact[] = { { HOSTILE, HOSTILE }, { "Sources", "" } };
	static const struct { size_t n_cols, n_panels, n_rows; unsigned width; bool empty; } cases[] = {
		{ 300, 3, 20, 1200, false }, { 300, 6, 3, 400, false }, { 1, 1, 0, 1200, false }, { 300, 0, 5, 1200, false },
		{ 60, 2, 2 * PAGES_KEYS_MAX, 800, false }, { 60, 1, 1, 1200, true }, { 3600, 1, 1, 4000, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		static const __u64 edge[] = { 0, 1000, 2000 };
		struct grid *g = cases[i].empty ? kit_grid(cases[i].n_cols, 2, edge) : kit_hour(cases[i].n_cols, 1, 1);
		struct report_row *row = calloc(cases[i].n_rows + 1, sizeof(*row));
		struct report_table table = { .title = HOSTILE, .counted = "queries", .unit = "ns", .n_rows = cases[i].n_rows, .row = row };
		double *value = calloc(cases[i].n_cols, sizeof(*value));
		const struct chart_series series = { .name = HOSTILE, .value = value };
		const struct chart chart = { .grid = g, .what = "queries per second", .n_series = 1, .series = &series };
		struct report_panel panel[REPORT_PANELS_MAX];
		struct report r = { .n_panels = cases[i].n_panels, .panel = panel, .table = table, .bar = &bar };
		struct figure_options o = options();
		const struct document d = { .report = &r, .options = &o, .n_facts = 2, .fact = fact };
		size_t len;

		for (size_t k = 0; k < REPORT_PANELS_MAX; k++)
			panel[k] = (struct report_panel){ HOSTILE, g, k ? &table : NULL };
		for (size_t k = 0; k < cases[i].n_rows; k++)
			row[k] = (struct report_row){ .name = k ? "select" : HOSTILE, .count = (double)k };
		r.chart = cases[i].n_panels ? NULL : &chart;
		o.width = cases[i].width;
		free(render(&d, &len));
		free(value);
		free(row);
		grid_free(g);
	}
}

TEST(refuses_invalid_reports_and_pages_too_low)
{
	struct grid *g = kit_hour(60, 1, 1);
	const struct report_panel panel = { .title = "latency", .grid = g };
	struct report r = { .n_panels = 1, .panel = &panel };
	struct figure_options o = options();
	const struct document d = { .report = &r, .options = &o };
	__u8 *pdf;
	size_t len;

	(void)state;
	o.height = 300;
	assert_int_equal(pages_render(&d, &pdf, &len), -EINVAL);
	o.height = 0;
	r.n_panels = 0;
	assert_int_equal(pages_render(&d, &pdf, &len), -EINVAL);
	grid_free(g);
}

TEST_MAIN()
