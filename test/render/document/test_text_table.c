#include "render/document/text_table.h"
#include "test/kit/check.h"
#include "test/kit/canvas_kit.h"
#include "test/kit/render_kit.h"

static const char *cell(const struct text_table *s, size_t row, size_t column)
{
	return s->cell[row * s->n_columns + column];
}

static void is_row(const struct text_table *s, size_t row, const char *name, const char *const *want)
{
	assert_string_equal(s->name[row], name);
	for (size_t i = 0; i < s->n_columns; i++)
		assert_string_equal(cell(s, row, i), want[i]);
}

TEST(keys_have_their_share_and_missing_values_are_dashes)
{
	static const struct report_row row[] = { { "select", 3000, 1500, 1000, 2000, 3000, 4000, 5000000, 4500000, 0, 0 },
						 { "", 1000, 1500, 0, 0, 0, 0, 0, 1500000, 0, 0 }, { .name = "idle" } };
	static const struct report_table table = { .title = "latency", .counted = "queries", .unit = "ns", .n_rows = 3, .row = row };
	struct text_table s;

	(void)state;
	assert_int_equal(text_table_of_keys(&table, &s), 0);
	assert_int_equal(s.n_rows, 3);
	assert_string_equal(s.head[1], "time");
	assert_string_equal(s.head[3], "queries");
	is_row(&s, 0, "select", (const char *[]){ "4.5 ms", "75 %", "3,000", "1.5 µs", "1 µs", "2 µs", "3 µs", "4 µs", "5 ms" });
	assert_string_equal(s.name[1], "(all)");
	is_row(&s, 2, "idle", (const char *[]){ "0", "0 %", "0", "–", "–", "–", "–", "–", "–" });
	text_table_fini(&s);
}

/* Few slow queries have the larger share; bytes have a total. */
TEST(shares_are_of_the_sum)
{
	static const struct report_row row[] = { { .name = "dump", .count = 2, .sum = 3e9 }, { .name = "ping", .count = 1e6, .sum = 1e9 } };
	static const struct report_table table = { .unit = "bytes", .n_rows = 2, .row = row };
	struct text_table s;

	(void)state;
	assert_int_equal(text_table_of_keys(&table, &s), 0);
	assert_string_equal(s.head[1], "total");
	assert_string_equal(cell(&s, 0, 0), "3 GB");
	assert_string_equal(cell(&s, 0, 1), "75 %");
	assert_string_equal(cell(&s, 1, 1), "25 %");
	text_table_fini(&s);
}

TEST(counts_alone_have_two_columns_and_may_be_lower_bounds)
{
	static const struct report_row row[] = { { .name = "sh", .count = 30 }, { .name = "cat", .count = 10 } };
	static const struct report_table table = { .counts_only = true, .lower_bound = true, .n_rows = 2, .row = row };
	struct text_table s;

	(void)state;
	assert_int_equal(text_table_of_keys(&table, &s), 0);
	assert_int_equal(s.n_columns, 2);
	is_row(&s, 1, "cat", (const char *[]){ "≥ 10", "25 %" });
	text_table_fini(&s);
}

TEST(sums_of_a_weight_have_no_ranks)
{
	struct grid *g = kit_hour(60, 1, 1);
	const struct report_panel panel = { .title = "latency", .grid = g };
	const struct report r = { .n_panels = 1, .panel = &panel };
	struct text_table s;

	(void)state;
	g->all.p50 = 200000;
	assert_int_equal(text_table_of_measures(&r, &s), 0);
	assert_string_equal(cell(&s, 0, 2), "200 µs");
	text_table_fini(&s);
	g->weight = "cputime";
	assert_int_equal(text_table_of_measures(&r, &s), 0);
	assert_string_equal(cell(&s, 0, 2), "–");
	assert_string_equal(s.head[8], "lost");
	text_table_fini(&s);
	grid_free(g);
}

TEST(parts_of_nothing_have_no_rows)
{
	static const struct bar_part part[] = { { "futex", 3e6, 205 }, { "rest", 1e6, BAR_GREY } }, nothing[] = { { "futex", 0, 205 } };
	const struct bar bar = { "what it was", "ns", 2, part }, none = { "what it was", "ns", 1, nothing };
	struct text_table s;

	(void)state;
	assert_int_equal(text_table_of_parts(&bar, &s), 0);
	is_row(&s, 0, "futex", (const char *[]){ "3 ms", "75 %" });
	text_table_fini(&s);
	assert_int_equal(text_table_of_parts(&none, &s), 0);
	assert_int_equal(s.n_rows, 0);
	text_table_fini(&s);
	assert_int_equal(text_table_of_parts(NULL, &s), 0);
	assert_int_equal(s.n_rows, 0);
	text_table_fini(&s);
}

TEST(neighbours_that_lack_the_same_are_one_gap)
{
	static const __u64 edge[] = { 0, 1000 };
	struct grid *g = kit_grid(600, 1, edge);
	const struct zone cet = zone_fixed(3600);
	struct text_table s;

	(void)state;
	for (size_t col = 10; col < 20; col++)
		g->column[col].n_reporting = 0;
	g->column[20].lost = 1234;
	assert_int_equal(text_table_of_gaps(g, &cet, &s), 0);
	assert_int_equal(s.n_rows, 2);
	is_row(&s, 0, "not observed", (const char *[]){ "2026-11-21 15:00:10", "2026-11-21 15:00:20", "0 of 10", "0", "1 in 1" });
	is_row(&s, 1, "partly lost", (const char *[]){ "2026-11-21 15:00:20", "2026-11-21 15:00:21", "1 of 1", "1,234", "1 in 1" });
	text_table_fini(&s);
	for (size_t col = 0; col < 600; col += 2)
		g->column[col].lost = 1;
	assert_int_equal(text_table_of_gaps(g, NULL, &s), 0);
	assert_int_equal(s.n_rows, TEXT_TABLE_GAPS_MAX);
	assert_int_equal(s.n_rows + s.n_more, 300 - 5 + 1);	/* five of them are not observed */
	text_table_fini(&s);
	grid_free(g);
}

TEST(keys_that_run_have_two_more_columns)
{
	static const struct report_row row[] = { { .name = "select", .count = 3, .sum = 3e9, .p50 = 1000 },
						 { .name = "update", .running = 8, .oldest = 22800000000 } };
	struct report_table table = { .unit = "ns", .n_rows = 2, .row = row, .runs = true };
	struct text_table s;

	(void)state;
	assert_int_equal(text_table_of_keys(&table, &s), 0);
	assert_int_equal(s.n_columns, 11);
	assert_string_equal(s.head[10], "running");
	assert_string_equal(s.head[11], "oldest");
	assert_string_equal(s.cell[9], "0");
	assert_string_equal(s.cell[10], "–");
	assert_string_equal(s.cell[11 + 3], "–");		/* no mean */
	assert_string_equal(s.cell[11 + 9], "8");
	assert_string_equal(s.cell[11 + 10], "22.8 s");
	text_table_fini(&s);
}

/* With any numbers, nothing is drawn outside the table. */
TEST(it_stays_within_its_width)
{
	static const unsigned widths[] = { 360, 600, 1100 };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		char name[200] = { 0 };
		struct report_row row[20];
		struct report_table table = { .counted = "queries", .unit = "ns", .runs = true, .n_rows = 20, .row = row };
		unsigned width = widths[i];
		struct canvas c;
		struct text_table s;

		memset(name, 'W', sizeof(name) - 1);
		for (size_t k = 0; k < 20; k++)
			row[k] = (struct report_row){ name, (double)(check_value() >> 24), check_value() >> 30, 1, 2, 3, 4, check_value() >> 30,
						       (double)(check_value() >> 20), check_value() >> 30, check_value() >> 20 };
		assert_int_equal(text_table_of_keys(&table, &s), 0);
		kit_canvas(&c, width + 40, 600, PALETTE_LIGHT, 1);
		assert_true(text_table_draw(&c, &s, 0, 20, 20, 30, width) == 30 + 20 * TEXT_TABLE_LINE);
		assert_int_equal(kit_ink(&c, 0, 0, 19, 600).n, 0);
		assert_int_equal(kit_ink(&c, 21 + width, 0, width + 40, 600).n, 0);
		assert_true(kit_ink(&c, 20, 0, 20 + width, 600).n > 1000);
		canvas_fini(&c);
		text_table_fini(&s);
	}
}

/* Counts the words of a line of text, which are so many px apart. */
static unsigned n_words(struct canvas *c, unsigned top, unsigned bottom, unsigned width, unsigned apart)
{
	unsigned n = 0, blank = apart;

	for (unsigned x = 0; x < width; x++) {
		if (!kit_ink(c, x, top, x + 1, bottom).n) {
			blank++;
			continue;
		}
		n += blank >= apart;
		blank = 0;
	}
	return n;
}

/* Ten columns of figures do not fit into 360 px: they lay over each other. */
TEST(a_narrow_table_leaves_columns_out)
{
	static const struct report_row row[] = { { "update stock", 157036, 9530000000, 9660000000, 9800000000, 9800000000, 9800000000, 9800000000, 2.29e11, 8, 22800000000 } };
	static const struct report_table table = { .counted = "queries", .unit = "ns", .runs = true, .n_rows = 1, .row = row };
	static const struct { unsigned width, n; } cases[] = { { 360, 6 }, { 500, 8 }, { 1100, 12 } };
	struct text_table s;

	(void)state;
	assert_int_equal(text_table_of_keys(&table, &s), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct canvas c;

		kit_canvas(&c, cases[i].width + 40, 200, PALETTE_LIGHT, 1);
		text_table_draw(&c, &s, 0, 1, 20, 40, cases[i].width);
		assert_int_equal(n_words(&c, 28, 44, cases[i].width + 40, 12), cases[i].n);
		canvas_fini(&c);
	}
	text_table_fini(&s);
}

TEST_MAIN()
