#include "render/grid/crop.h"
#include "test/kit/check.h"
#include "test/kit/render_kit.h"
#include <stdlib.h>
#include <string.h>

static const __u64 edge[] = { 0, 1000, 2000, 4000, 8000, 16000, GRID_NO_EDGE };
#define ROWS 6

static __u64 end_of(const struct grid *g, __u32 millionths) { return crop_end(&g, 1, millionths); }

TEST(the_axis_ends_below_the_rows_of_the_share)
{
	static const struct { __u64 count[ROWS]; __u32 millionths; __u64 end, above; } cases[] = {
		{ { 0, 90, 9, 0, 1, 0 }, 10000, 4000, 1 },	/* exactly the share, and empty rows below it */
		{ { 0, 90, 9, 0, 1, 0 }, 9999, 0, 0 },
		{ { 0, 90, 6, 0, 3, 1 }, 10000, 16000, 1 },	/* the overflow row alone */
		{ { 0, 90, 6, 0, 3, 1 }, 40000, 4000, 4 },
		{ { 0, 90, 6, 0, 3, 1 }, 0, 0, 0 },
		{ { 0, 0, 0, 0, 0, 7 }, 50000, 0, 0 },
		{ { 100, 0, 0, 0, 0, 2 }, 50000, 1000, 2 },	/* down to the underflow row */
		{ { 0 }, 50000, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct grid *g = kit_grid(3, ROWS, edge);

		for (size_t row = 0; row < ROWS; row++)
			kit_add(g, row % 3, row, cases[i].count[row]);
		assert_int_equal(end_of(g, cases[i].millionths), cases[i].end);
		if (cases[i].end)
			assert_int_equal(crop_above(g, cases[i].end).above, cases[i].above);
		grid_free(g);
	}
}

/* The next lower row that has events. */
static __u64 lower(const struct grid *g, __u64 end)
{
	for (size_t row = g->n_rows; row-- > 0;)
		if (g->edge[row] < end && crop_above(g, g->edge[row]).above > crop_above(g, end).above)
			return g->edge[row];
	return 0;
}

TEST(it_leaves_out_the_most_that_the_share_allows)
{
	(void)state;
	srand(1);
	for (int round = 0; round < 500; round++) {
		struct grid *g = kit_grid(4, ROWS, edge);
		__u32 millionths = (__u32)(rand() % CROP_MOST);
		struct crop_part part;
		__u64 end;

		for (int n = rand() % 40; n; n--)
			kit_add(g, (size_t)rand() % 4, (size_t)rand() % ROWS, (__u64)rand() % 3 ? 1 : 1 + (__u64)rand() % 500);
		end = end_of(g, millionths);
		part = crop_above(g, end);
		if (end) {
			assert_true(part.above > 0 && (double)part.above * 1e6 <= (double)part.total * millionths);
			assert_true((double)crop_above(g, lower(g, end)).above * 1e6 > (double)part.total * millionths);
		}
		grid_free(g);
	}
}

TEST(maps_on_one_axis_lose_no_more_than_their_share_each)
{
	struct grid *low = kit_grid(1, ROWS, edge), *high = kit_grid(1, ROWS, edge), *none = kit_grid(1, ROWS, edge);
	const struct grid *both[] = { low, high, none };

	(void)state;
	kit_add(low, 0, 1, 99);
	kit_add(low, 0, 4, 1);
	kit_add(high, 0, 3, 99);
	kit_add(high, 0, 5, 1);
	assert_int_equal(crop_end(both, 1, 10000), 2000);
	assert_int_equal(crop_end(both, 3, 10000), 8000);	/* a grid without events does not count */
	kit_add(high, 0, 5, 50);
	assert_int_equal(crop_end(both, 3, 10000), 0);		/* it needs the whole axis */
	grid_free(low);
	grid_free(high);
	grid_free(none);
}

TEST(a_sentence_says_what_is_left_out)
{
	struct grid *g = kit_grid(1, ROWS, edge);
	char text[256];

	(void)state;
	kit_add(g, 0, 1, 9999);
	kit_add(g, 0, 4, 1);
	g->weight_unit = "queries";
	g->unit = "ns";
	crop_sentence(g, 2000, text, sizeof(text));
	assert_string_equal(text, "1 queries (0.01 %) at 2 µs or more is above the axis");
	kit_add(g, 0, 5, 1);
	crop_sentence(g, 2000, text, sizeof(text));
	assert_string_equal(text, "2 queries (0.02 %) at 2 µs or more are above the axis");
	g->weight = "cputime";
	crop_sentence(g, 2000, text, sizeof(text));
	assert_string_equal(text, "2 ns of cputime (0.02 %) at 2 µs or more is above the axis");
	crop_sentence(g, GRID_NO_EDGE, text, sizeof(text));
	assert_string_equal(text, "");
	g->weight = NULL;
	grid_free(g);
}

TEST_MAIN()
