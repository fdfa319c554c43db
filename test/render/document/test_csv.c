#include "render/document/csv.h"
#include "test/kit/check.h"
#include "test/kit/render_kit.h"

static char *make(enum csv_table table, const struct grid *g, const struct report_table *t)
{
	char *text;
	size_t len;

	assert_int_equal(csv_make(table, g, t, &text, &len), 0);
	assert_int_equal(strlen(text), len);
	return text;
}

/* The n-th field of a line without commas in its fields. */
static double field(const char *line, unsigned n)
{
	while (n--)
		line = strchr(line, ',') + 1;
	return strtod(line, NULL);
}

static const char *next(const char *line)
{
	const char *end = strstr(line, "\r\n");

	assert_non_null(end);
	return end + 2;
}

TEST(cells_and_columns_add_up_to_the_total)
{
	struct grid *g = kit_hour(900, 3, 1);
	char *cells = make(CSV_CELLS, g, NULL), *columns = make(CSV_COLUMNS, g, NULL);
	double sum = 0, of_columns = 0, lost = 0;
	size_t n = 0, filled = 0;

	(void)state;
	for (size_t i = 0; i < g->n_cols * g->n_rows; i++)
		filled += g->cell[i] > 0;
	for (const char *line = next(cells); *line; line = next(line), n++)
		sum += field(line, 3);
	assert_int_equal(n, filled);
	assert_true(sum == (double)g->all.count);
	n = 0;
	for (const char *line = next(columns); *line; line = next(line), n++) {
		of_columns += field(line, 1);
		lost += field(line, 8);
	}
	assert_int_equal(n, g->n_cols);
	assert_true(of_columns == (double)g->all.count && of_columns > 0);
	assert_true(lost > 0);
	free(cells);
	free(columns);
	grid_free(g);
}

TEST(lines_are_as_the_header_says)
{
	static const __u64 edge[] = { 0, 1024, 4096, GRID_NO_EDGE };
	struct grid *g = kit_grid(3, 3, edge);
	char *cells, *columns;

	(void)state;
	g->col_ns = 250000000;
	kit_add(g, 1, 1, 3);
	kit_add(g, 1, 2, 1);
	kit_finish(g);
	g->column[2].n_reporting = 0;
	g->column[2].lost = 7;
	cells = make(CSV_CELLS, g, NULL);
	columns = make(CSV_COLUMNS, g, NULL);
	assert_string_equal(cells, "time,low_ns,high_ns,count\r\n"
				   "2026-11-21T14:00:00.25Z,1024,4096,3\r\n"
				   "2026-11-21T14:00:00.25Z,4096,,1\r\n");
	assert_string_equal(columns, "time,count,mean_ns,p50_ns,p90_ns,p99_ns,max_ns,coverage,lost,state\r\n"
				     "2026-11-21T14:00:00Z,0,,,,,,1,0,zero\r\n"
				     "2026-11-21T14:00:00.25Z,4,1792,4095,4096,4096,4096,1,0,ok\r\n"
				     "2026-11-21T14:00:00.5Z,0,,,,,,0,7,unobserved\r\n");
	free(cells);
	free(columns);
	grid_free(g);
}

TEST(states_are_means_of_their_slots)
{
	static const __u64 edge[] = { 0, 50, 101 };
	struct grid *g = kit_grid(1, 2, edge);
	char *cells;

	(void)state;
	kit_add(g, 0, 1, 9);
	g->point = 1;
	g->column[0].n_snapshots = 4;
	cells = make(CSV_CELLS, g, NULL);
	assert_string_equal(cells, "time,low_ns,high_ns,count\r\n2026-11-21T14:00:00Z,50,101,2.25\r\n");
	free(cells);
	grid_free(g);
}

/* RFC 4180, 2.5 to 2.7. */
TEST(keys_are_quoted_if_they_must_be)
{
	static const struct { const char *key, *line; } cases[] = {
		{ "select", "select,2\r\n" }, { "", ",2\r\n" }, { "a b;c'd", "a b;c'd,2\r\n" }, { "a,b", "\"a,b\",2\r\n" },
		{ "say \"no\"", "\"say \"\"no\"\"\",2\r\n" }, { "two\nlines", "\"two\nlines\",2\r\n" }, { "\r", "\"\r\",2\r\n" },
		{ "\"", "\"\"\"\",2\r\n" }, { "=1+1", "=1+1,2\r\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct report_row row = { .name = cases[i].key, .count = 2 };
		const struct report_table t = { .counts_only = true, .n_rows = 1, .row = &row };
		char *text = make(CSV_KEYS, NULL, &t);

		assert_string_equal(text + strlen("key,count\r\n"), cases[i].line);
		free(text);
	}
}

TEST(keys_have_their_values)
{
	static const struct report_row row[] = {
		{ "select", 3, 1, 2, 3, 4, 5, 6, 3, 0, 0 }, { .name = "idle" },
	};
	const struct report_table t = { .unit = "bytes", .n_rows = 2, .row = row };
	char *text = make(CSV_KEYS, NULL, &t);

	(void)state;
	assert_string_equal(text, "key,count,sum_bytes,mean_bytes,p50_bytes,p90_bytes,p99_bytes,p999_bytes,max_bytes\r\nselect,3,3,1,2,3,4,5,6\r\nidle,0,0,,,,,,\r\n");
	free(text);
}

TEST(what_runs_has_two_more_fields)
{
	static const struct report_row row[] = {
		{ "select", 3, 1, 2, 3, 4, 5, 6, 3, 0, 0 }, { .name = "update", .running = 8, .oldest = 22800000000 },
	};
	const struct report_table t = { .unit = "ns", .runs = true, .n_rows = 2, .row = row };
	char *text = make(CSV_KEYS, NULL, &t);

	(void)state;
	assert_string_equal(text, "key,count,sum_ns,mean_ns,p50_ns,p90_ns,p99_ns,p999_ns,max_ns,running,oldest_ns\r\n"
				  "select,3,3,1,2,3,4,5,6,0,\r\nupdate,0,0,,,,,,,8,22800000000\r\n");
	free(text);
}

TEST_MAIN()
