#include "render/document/html.h"
#include "render/grid/layer.h"
#include "test/kit/check.h"
#include "test/kit/render_kit.h"
#include <errno.h>

#define HOSTILE "<script>alert(\"1\")</script>&'\xff\x1b"
#define HARMLESS "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;'\xef\xbf\xbd "

static struct figure_options options(void)
{
	struct figure_options o;

	figure_defaults(&o);
	o.width = 600;
	o.title = "MySQL queries by statement";
	o.version = "heatscope 0.1.0";
	return o;
}

static char *render(const struct report *r, const struct figure_options *o, const struct document_fact *fact, size_t n)
{
	const struct document h = { .report = r, .options = o, .fact = fact, .n_facts = n };
	__u8 *page;
	size_t len;

	assert_int_equal(html_render(&h, &page, &len), 0);
	assert_int_equal(strlen((char *)page), len);
	return (char *)page;
}

static size_t count(const char *page, const char *what)
{
	size_t n = 0;

	for (const char *at = page; (at = strstr(at, what)); at++)
		n++;
	return n;
}

TEST(text_from_outside_is_escaped)
{
	static const struct report_row row = { .name = HOSTILE, .count = 2 };
	static const struct document_fact fact = { "Sources", HOSTILE };
	struct grid *g = kit_hour(60, 1, 1);
	const struct report_panel panel = { .title = HOSTILE, .grid = g };
	const struct report r = { .n_panels = 1, .panel = &panel,
				  .table = { .title = HOSTILE, .counted = "queries", .unit = "ns", .n_rows = 1, .row = &row } };
	struct figure_options o = options();
	char *page;

	(void)state;
	g->weight_unit = HOSTILE;		/* in the sentence: paragraph, alternative text */
	o.title = o.version = HOSTILE;
	page = render(&r, &o, &fact, 1);
	assert_int_equal(count(page, "<script"), 0);
	assert_int_equal(count(page, "\x1b") + count(page, "\xff"), 0);
	assert_true(count(page, HARMLESS) >= 8);
	free(page);
	grid_free(g);
}

TEST(it_loads_nothing)
{
	struct grid *g = kit_hour(60, 1, 1);
	const struct report_panel panel = { .title = "latency", .grid = g };
	const struct report r = { .n_panels = 1, .panel = &panel };
	struct figure_options o = options();
	char *page = render(&r, &o, NULL, 0);

	(void)state;
	assert_int_equal(count(page, "default-src 'none'"), 1);
	assert_int_equal(count(page, "<script") + count(page, "<link") + count(page, "http:") + count(page, "https:") +
			 count(page, "@import") + count(page, "url("), 0);
	assert_int_equal(count(page, "src=\"data:image/svg+xml;base64,") + count(page, "srcset=\"data:image/svg+xml;base64,"), 2);
	free(page);
	grid_free(g);
}

TEST(screen_readers_can_read_it)
{
	static const struct report_row row[] = { { .name = "select", .count = 1, .max = 3000, .sum = 4000 },
						 { .name = "update", .count = 2, .sum = 2000 } };
	struct grid *g = kit_hour(60, 1, 1);
	const struct report_panel panel = { .title = "latency", .grid = g };
	const struct report r = { .n_panels = 1, .panel = &panel,
				  .table = { .title = "latency by statement", .unit = "ns", .n_rows = 2, .row = row } };
	struct figure_options o = options();
	char *page = render(&r, &o, NULL, 0);

	(void)state;
	assert_int_equal(count(page, "<html lang=\"en\">"), 1);
	assert_int_equal(count(page, "<h1>"), 1);
	assert_int_equal(count(page, "<table>"), count(page, "<caption>"));
	assert_int_equal(count(page, "<table>"), 3);
	assert_int_equal(count(page, "<tr>"), count(page, "</tr>"));
	assert_int_equal(count(page, "<th scope=\"row\">select</th>"), 1);
	assert_non_null(strstr(page, "alt=\"Heat maps, time across and values upwards. 2026-11-21 14:00:00 to"));
	assert_non_null(strstr(page, "<td>66.7 %</td>"));
	assert_non_null(strstr(page, "<td>3 µs</td>"));
	free(page);
	grid_free(g);
}

TEST(a_bar_and_a_chart_are_in_words_too)
{
	static const struct bar_part part[] = { { "futex", 3e6, 205 }, { "rest", 1e6, BAR_GREY } };
	static const struct bar bar = { "what the latency was", "ns", 2, part };
	struct grid *g = kit_hour(60, 1, 1);
	double value[60] = { 1 };
	const struct chart_series series = { .name = "select", .value = value };
	const struct chart chart = { .grid = g, .what = "queries per second", .n_series = 1, .series = &series };
	const struct report_panel panel = { .title = "latency", .grid = g };
	struct report r = { .chart = &chart, .n_panels = 1, .panel = &panel, .bar = &bar };
	struct figure_options o = options();
	char *page = render(&r, &o, NULL, 0);

	(void)state;
	assert_non_null(strstr(page, "alt=\"Chart and heat maps, time across"));
	assert_non_null(strstr(page, "<caption>what the latency was</caption>"));
	assert_non_null(strstr(page, "<tr><th scope=\"row\">futex</th>\n<td>3 ms</td>\n<td>75 %</td>"));
	free(page);
	r.n_panels = 0;
	page = render(&r, &o, NULL, 0);
	assert_non_null(strstr(page, "alt=\"Chart, time across"));
	free(page);
	grid_free(g);
}

TEST(a_map_without_a_title_is_described_without_it)
{
	struct grid *g = kit_hour(60, 1, 1);
	const struct report_panel panel = { .grid = g };
	const struct report r = { .n_panels = 1, .panel = &panel };
	struct figure_options o = options();
	char *page;

	(void)state;
	o.ymax = 1 << 20;			/* some events are above */
	page = render(&r, &o, NULL, 0);
	assert_true(count(page, "above the axis</p>") > 0);
	assert_int_equal(count(page, "(null)"), 0);
	assert_int_equal(count(page, "<p>: "), 0);
	free(page);
	grid_free(g);
}

/* Stretches, not columns. */
TEST(missing_data_are_listed)
{
	static const __u64 edge[] = { 0, 1024, 4096 };
	struct grid *g = kit_grid(10, 2, edge);
	const struct report_panel panel = { .title = "latency", .grid = g };
	const struct report r = { .n_panels = 1, .panel = &panel };
	struct figure_options o = options();
	char *page = render(&r, &o, NULL, 0);

	(void)state;
	assert_non_null(strstr(page, "<p>None: every expected source"));
	free(page);
	g->column[2].n_reporting = g->column[3].n_reporting = 0;
	g->column[7].lost = 12;
	g->column[9].marks = GRID_SAMPLED;
	g->column[9].every = 8;
	page = render(&r, &o, NULL, 0);
	assert_null(strstr(page, "<p>Nothing"));
	assert_non_null(strstr(page, "<th scope=\"row\">not observed</th>\n<td>2026-11-21 14:00:02</td>\n<td>2026-11-21 14:00:04</td>\n"
				     "<td>0 of 2</td>"));
	assert_non_null(strstr(page, "<th scope=\"row\">partly lost</th>"));
	assert_non_null(strstr(page, "<td>12</td>"));
	assert_non_null(strstr(page, "<th scope=\"row\">sampled</th>"));
	assert_non_null(strstr(page, "<td>1 in 8</td>"));
	assert_non_null(strstr(page, "3 stretches"));
	free(page);
	grid_free(g);
}

TEST(refuses_the_input_that_a_report_refuses)
{
	const struct report nothing = { .n_panels = 0 };
	struct figure_options o = options();
	const struct document h = { .report = &nothing, .options = &o };
	__u8 *page;
	size_t len;

	(void)state;
	assert_int_equal(html_render(&h, &page, &len), -EINVAL);
}

TEST_MAIN()
