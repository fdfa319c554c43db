#include "test/kit/query_kit.h"
#include "test/kit/check.h"

#include <errno.h>

static void shuffle(struct event *e, size_t n)
{
	for (size_t i = n; i > 1; i--) {
		size_t j = check_below(i);
		struct event swap = e[i - 1];

		e[i - 1] = e[j];
		e[j] = swap;
	}
}

static struct grid *grid_of_events(const struct query *q, const struct event *e, size_t n)
{
	struct fold *f;
	struct grid *g;

	assert_int_equal(fold_new(q, &f), 0);
	for (size_t i = 0; i < n; i++)
		kit_give(fold_reader(f), &e[i], 1, q->inst->ruler[0]);
	assert_int_equal(fold_error(f), 0);
	g = fold_grid(f);
	assert_non_null(g);
	fold_free(f);
	return g;
}

static __u64 cells_of(const struct grid *g, size_t col)
{
	__u64 sum = 0;

	for (size_t row = 0; row < g->n_rows; row++)
		sum += g->cell[row * g->n_cols + col];
	return sum;
}

static void assert_same_grid(const struct grid *a, const struct grid *b)
{
	assert_int_equal(a->n_cols, b->n_cols);
	assert_int_equal(a->n_rows, b->n_rows);
	assert_memory_equal(a->edge, b->edge, (a->n_rows + 1) * sizeof(*a->edge));
	assert_memory_equal(a->cell, b->cell, a->n_rows * a->n_cols * sizeof(*a->cell));
	assert_memory_equal(a->column, b->column, a->n_cols * sizeof(*a->column));
	assert_memory_equal(&a->all, &b->all, sizeof(a->all));
}

TEST(the_sum_of_all_cells_is_the_count)
{
	struct instrumentation in = kit_instrumentation();
	struct event e[500];

	for (int round = 0; round < 40; round++) {
		__s64 n_slots = 1 + (__s64)check_below(40);
		struct query q = kit_query(&in, n_slots, 1 + check_below(50));
		struct grid *g;
		__u64 sum = 0, count = 0;

		q.row_bits = (__u32)check_below(8);
		kit_events(e, 500, n_slots);
		g = grid_of_events(&q, e, 500);
		for (size_t col = 0; col < g->n_cols; col++) {
			assert_int_equal(cells_of(g, col), g->column[col].count);
			sum += cells_of(g, col);
			count += g->column[col].count;
		}
		assert_int_equal(sum, 500);
		assert_int_equal(count, 500);
		assert_int_equal(g->all.count, 500);
		grid_free(g);
	}
}

TEST(order_and_pieces_do_not_matter)
{
	struct instrumentation in = kit_instrumentation();
	struct query q = kit_query(&in, 20, 7);
	struct event e[300];
	struct grid *a, *b;

	kit_events(e, 300, 20);
	a = grid_of_events(&q, e, 300);
	for (int round = 0; round < 10; round++) {
		shuffle(e, 300);
		b = grid_of_events(&q, e, 300);
		assert_same_grid(a, b);
		grid_free(b);
	}
	grid_free(a);
}

/* Folding columns: every column of a coarse grid is the sum of its fine ones. */
TEST(wide_columns_are_sums_of_narrow_ones)
{
	struct instrumentation in = kit_instrumentation();
	struct event e[400];

	kit_events(e, 400, 24);
	for (size_t n_cols = 1; n_cols <= 24; n_cols++) {
		struct query fine_q = kit_query(&in, 24, 24), q = kit_query(&in, 24, n_cols);
		struct grid *fine = grid_of_events(&fine_q, e, 400), *g = grid_of_events(&q, e, 400);
		size_t per = 24 / g->n_cols + (24 % g->n_cols != 0);

		assert_true(g->n_cols <= n_cols);
		assert_int_equal(fine->n_cols, 24);
		assert_int_equal(g->col_ns, per * SLOT);
		assert_memory_equal(&fine->all, &g->all, sizeof(g->all));
		for (size_t row = 0; row < g->n_rows; row++)
			for (size_t col = 0; col < g->n_cols; col++) {
				__u64 sum = 0;

				for (size_t i = col * per; i < (col + 1) * per && i < 24; i++)
					sum += fine->cell[row * 24 + i];
				assert_int_equal(sum, g->cell[row * g->n_cols + col]);
			}
		grid_free(fine);
		grid_free(g);
	}
}

/* Folding rows: a coarser ruler's row holds exactly the finer rows between its edges. */
TEST(coarse_rows_are_sums_of_fine_ones)
{
	struct instrumentation in = kit_instrumentation();
	struct event e[400];
	struct query fine_q = kit_query(&in, 4, 4);
	struct grid *fine;

	kit_events(e, 400, 4);
	fine_q.row_bits = 5;
	fine = grid_of_events(&fine_q, e, 400);
	for (__u32 bits = 0; bits < 5; bits++) {
		struct query q = kit_query(&in, 4, 4);
		struct grid *g;

		q.row_bits = bits;
		g = grid_of_events(&q, e, 400);
		for (size_t row = 0; row < g->n_rows; row++)
			for (size_t col = 0; col < 4; col++) {
				__u64 sum = 0;

				for (size_t i = 0; i < fine->n_rows; i++)
					if (fine->edge[i] >= g->edge[row] && fine->edge[i] < g->edge[row + 1])
						sum += fine->cell[i * 4 + col];
				assert_int_equal(sum, g->cell[row * 4 + col]);
			}
		assert_memory_equal(&fine->all, &g->all, sizeof(g->all));
		grid_free(g);
	}
	grid_free(fine);
}

/* Empty columns, an empty histogram, a coarser ruler and a few events, side by side in any order. */
TEST(neighbours_do_not_mix)
{
	enum { COLS = 37, EVENTS = 3 };
	const struct instrumentation in = kit_instrumentation();
	const struct query q = kit_query(&in, COLS, COLS);

	for (int round = 0; round < 200; round++) {
		struct event e[EVENTS];
		__u64 n[COLS], sum[COLS];
		struct fold *f;
		struct grid *g;

		assert_int_equal(fold_new(&q, &f), 0);
		for (size_t i = 0; i < COLS; i++) {
			uint64_t kind = check_below(6);

			n[i] = sum[i] = 0;
			if (!kind)
				continue;
			n[i] = kind == 1 ? 0 : EVENTS;
			for (size_t j = 0; j < n[i]; j++) {
				e[j] = (struct event){ T0 + (__s64)i, 0, 0, check_value() >> 20 };
				sum[i] += e[j].value;
			}
			e[0].slot = T0 + (__s64)i;
			e[0].key = e[0].axis = 0;
			kit_give(fold_reader(f), e, n[i], kind == 2 ? RULER(UNIT_NS, 3, 10, 40) : in.ruler[0]);
		}
		g = fold_grid(f);
		assert_non_null(g);
		for (size_t i = 0; i < COLS; i++) {
			assert_int_equal(cells_of(g, i), n[i]);
			assert_int_equal(g->column[i].count, n[i]);
			assert_int_equal(g->column[i].sum, sum[i]);
			assert_true(g->column[i].p50 <= g->column[i].p99 && g->column[i].p99 <= g->column[i].max);
		}
		grid_free(g);
		fold_free(f);
	}
}

TEST(amendments_add)
{
	struct instrumentation in = kit_instrumentation();
	struct query q = kit_query(&in, 3, 3);
	const struct event e[] = { { T0 + 1, 0, 0, 5000 }, { T0 + 1, 0, 0, 5001 }, { T0 + 1, 0, 0, 90000 } };
	struct fold *f;
	struct grid *g;

	assert_int_equal(fold_new(&q, &f), 0);
	kit_give(fold_reader(f), e, 2, in.ruler[0]);
	kit_give(fold_reader(f), e + 2, 1, in.ruler[0]);
	g = fold_grid(f);
	assert_int_equal(g->column[1].count, 3);
	assert_int_equal(g->column[1].sum, 100001);
	assert_int_equal(g->column[1].min, 5000);
	assert_int_equal(g->column[1].max, 90000);
	assert_int_equal(g->column[0].count, 0);
	assert_int_equal(g->column[0].min, 0);
	grid_free(g);
	fold_free(f);
}

TEST(percentiles_keep_the_full_resolution)
{
	struct instrumentation in = kit_instrumentation();
	struct query q = kit_query(&in, 1, 1);
	struct event e[100];
	struct grid *g;

	q.row_bits = 0;
	for (int i = 0; i < 100; i++)
		e[i] = (struct event){ T0, 0, 0, (__u64)(i + 1) * 1000000 };
	g = grid_of_events(&q, e, 100);
	assert_in_range(g->column[0].p50, 50000000, 51600000);
	assert_in_range(g->column[0].p99, 99000000, 100000000);
	assert_in_range(g->all.p90, 90000000, 92900000);
	assert_int_equal(g->all.max, 100000000);
	grid_free(g);
}

TEST(cells_alone_are_those_of_the_whole_grid)
{
	struct instrumentation in = kit_instrumentation();
	struct query q = kit_query(&in, 2, 2);
	const struct event e[] = { { T0, 0, 0, 5000 }, { T0 + 1, 0, 0, 5001 }, { T0 + 1, 0, 0, 90000 } };
	struct grid *g = grid_of_events(&q, e, 3), *cells;

	q.cells_only = true;
	cells = grid_of_events(&q, e, 3);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(cells->column[i].p99, 0);
		cells->column[i].p50 = g->column[i].p50;
		cells->column[i].p90 = g->column[i].p90;
		cells->column[i].p99 = g->column[i].p99;
	}
	assert_memory_equal(cells->column, g->column, 2 * sizeof(*g->column));
	assert_memory_equal(&cells->all, &g->all, sizeof(g->all));
	assert_memory_equal(cells->cell, g->cell, g->n_rows * 2 * sizeof(*g->cell));
	grid_free(cells);
	grid_free(g);
}

TEST(rows_reach_around_the_data)
{
	struct instrumentation in = kit_instrumentation();
	struct query q = kit_query(&in, 1, 1);
	static const __u64 values[] = { 0, 1, 1023, 1024, 1000000, 1ull << 39, 1ull << 40, ~0ull };

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		struct event e = { T0, 0, 0, values[i] };
		struct grid *g = grid_of_events(&q, &e, 1);

		assert_true(g->edge[0] <= values[i]);
		assert_true(g->edge[g->n_rows] > values[i] || g->edge[g->n_rows] == GRID_NO_EDGE);
		assert_true(g->n_rows >= 56);
		for (size_t row = 0; row < g->n_rows; row++)
			assert_true(g->edge[row] < g->edge[row + 1]);
		grid_free(g);
	}
}

TEST(an_empty_grid_has_rows_and_columns)
{
	struct instrumentation in = kit_instrumentation();
	struct query q = kit_query(&in, 60, 60);
	struct grid *g = grid_of_events(&q, NULL, 0);

	assert_int_equal(g->n_cols, 60);
	assert_true(g->n_rows >= 56);
	assert_int_equal(g->all.count, 0);
	assert_int_equal(g->column[7].n_expected, 0);
	assert_int_equal(g->column[7].n_reporting, 0);
	grid_free(g);
}

TEST(rows_reach_as_far_as_asked)
{
	struct instrumentation in = kit_instrumentation();
	struct query q = kit_query(&in, 1, 1);
	struct event e = { T0, 0, 0, 1000000 };
	struct grid *g;

	q.row_min = 2000;
	q.row_max = 20000000000;
	g = grid_of_events(&q, &e, 1);
	assert_true(g->edge[0] <= 2000);
	assert_true(g->edge[g->n_rows] > 20000000000);
	grid_free(g);
}

TEST(granularity_is_the_smallest_column)
{
	struct instrumentation in = kit_instrumentation();
	struct query q;
	struct grid *g;

	in.granularity_ns = 5 * SLOT;
	q = kit_query(&in, 60, 60);
	g = grid_of_events(&q, NULL, 0);
	assert_int_equal(g->n_cols, 12);
	assert_int_equal(g->col_ns, 5 * SLOT);
	grid_free(g);
	q.n_cols = 7;
	g = grid_of_events(&q, NULL, 0);
	assert_int_equal(g->n_cols, 6);
	assert_int_equal(g->col_ns, 10 * SLOT);
	grid_free(g);
}

TEST(selection_and_exclusion_complement_each_other)
{
	struct instrumentation in = kit_instrumentation();
	static const char *const keys[] = { "query/select", "execute/a/b", "query/other" };
	struct query all = kit_query(&in, 5, 5), some = all, rest;
	struct event e[300];
	struct grid *g[3];

	kit_events(e, 300, 5);
	some.select = keys;
	some.n_select = 3;
	some.row_min = all.row_min = 1;
	some.row_max = all.row_max = 1ull << 41;
	rest = some;
	rest.exclude = true;
	g[0] = grid_of_events(&all, e, 300);
	g[1] = grid_of_events(&some, e, 300);
	g[2] = grid_of_events(&rest, e, 300);
	assert_true(g[1]->all.count > 0);
	assert_true(g[2]->all.count > 0);
	for (size_t i = 0; i < g[0]->n_rows * g[0]->n_cols; i++)
		assert_int_equal(g[0]->cell[i], g[1]->cell[i] + g[2]->cell[i]);
	for (int i = 0; i < 3; i++)
		grid_free(g[i]);
}

TEST(other_axes_and_slots_stay_out)
{
	struct instrumentation in = kit_instrumentation();
	struct query q = kit_query(&in, 2, 2);
	const struct event e[] = { { T0, 0, 1, 5000 }, { T0 - 1, 0, 0, 5000 }, { T0 + 2, 0, 0, 5000 }, { T0, 0, 0, 5000 } };
	struct grid *g = grid_of_events(&q, e, 4);

	assert_int_equal(g->all.count, 1);
	grid_free(g);
}

TEST(mixed_rulers_meet_at_the_coarser_one)
{
	struct instrumentation in = kit_instrumentation();
	struct query q = kit_query(&in, 2, 2);
	const struct event e[] = { { T0, 0, 0, 5000 }, { T0 + 1, 0, 0, 5000 } };
	struct fold *f;
	struct grid *g;

	q.row_bits = 5;
	assert_int_equal(fold_new(&q, &f), 0);
	kit_give(fold_reader(f), &e[0], 1, in.ruler[0]);
	kit_give(fold_reader(f), &e[1], 1, RULER(UNIT_NS, 2, 12, 30));
	g = fold_grid(f);
	assert_int_equal(g->all.count, 2);
	assert_int_equal(cells_of(g, 0) + cells_of(g, 1), 2);
	assert_int_equal(g->edge[1] - g->edge[0], g->edge[0] ? g->edge[0] / 4 : 4096);
	grid_free(g);
	kit_give(fold_reader(f), &e[1], 1, RULER(UNIT_BYTES, 2, 12, 30));
	assert_int_equal(fold_error(f), -EINVAL);
	assert_null(fold_grid(f));
	fold_free(f);
}

TEST(coverage_distinguishes_zero_from_unobserved)
{
	struct instrumentation in = kit_instrumentation();
	struct query q = kit_query(&in, 10, 10);
	const struct store_reader *r;
	struct loss loss = { .n = 7, .first = T0 + 4, .last = T0 + 5 };
	struct fold *f;
	struct grid *g;

	assert_int_equal(fold_new(&q, &f), 0);
	r = fold_reader(f);
	r->cover(r->arg, "db1", T0, T0 + 3);
	r->cover(r->arg, "db1", T0 + 2, T0 + 5);		/* overlaps: counted once */
	r->cover(r->arg, "db1", T0 + 8, T0 + 20);
	r->cover(r->arg, "db2", T0 + 2, T0 + 2);
	r->loss(r->arg, "db1", &loss);
	r->mark(r->arg, &(struct mark){ MARK_CLOCK_STEP, T0 + 9, 5000000 });
	r->mark(r->arg, &(struct mark){ MARK_SAMPLED, T0 + 3, 8 });
	r->mark(r->arg, &(struct mark){ MARK_SAMPLED, T0 + 3, 4 });
	g = fold_grid(f);
	assert_int_equal(g->n_sources, 2);
	static const struct { __u32 reporting, expected; __u64 lost; } want[10] = {
		{ 1, 1, 0 }, { 1, 1, 0 }, { 2, 2, 0 }, { 1, 2, 0 }, { 1, 2, 7 }, { 1, 2, 7 }, { 0, 2, 0 }, { 0, 2, 0 },
		{ 1, 2, 0 }, { 1, 2, 0 },
	};
	for (size_t i = 0; i < 10; i++) {
		assert_int_equal(g->column[i].n_reporting, want[i].reporting);
		assert_int_equal(g->column[i].n_expected, want[i].expected);
		assert_int_equal(g->column[i].lost, want[i].lost);
		assert_int_equal(g->column[i].marks, i == 9 ? GRID_CLOCK_STEP : i == 3 ? GRID_SAMPLED : 0);
		assert_int_equal(g->column[i].every, i == 3 ? 8 : 0);
	}
	assert_int_equal(g->all.lost, 7);
	assert_int_equal(fold_min_reporting(f), 0);
	grid_free(g);
	fold_free(f);
}

TEST(a_source_seen_before_is_expected)
{
	struct instrumentation in = kit_instrumentation();
	struct query q = kit_query(&in, 4, 2);
	struct fold *f;
	struct grid *g;

	assert_int_equal(fold_new(&q, &f), 0);
	assert_int_equal(fold_expect(f, "gone", T0 - 100), 0);
	assert_int_equal(fold_expect(f, "later", T0 + 2), 0);
	fold_reader(f)->cover(f, "db1", T0, T0 + 3);
	g = fold_grid(f);
	assert_int_equal(g->column[0].n_expected, 4);
	assert_int_equal(g->column[1].n_expected, 6);
	assert_int_equal(g->column[0].n_reporting, 2);
	assert_int_equal(fold_min_reporting(f), 1);
	grid_free(g);
	fold_free(f);
}

/* A reader that has waited for the last slot wants to know which sources reported it, settled or not. */
TEST(the_fewest_are_over_the_slots_that_are_over)
{
	static const struct { __s64 now_ms; __u32 fewest; } cases[] = { { 4000, 1 }, { 3000, 2 }, { 2999, 2 }, { 0, 0 }, { 9000, 1 } };
	struct instrumentation in = kit_instrumentation();

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct query q = kit_query(&in, 4, 4);
		struct fold *f;

		q.now_ns = T0 * SLOT + cases[i].now_ms * 1000000;
		assert_int_equal(fold_new(&q, &f), 0);
		fold_reader(f)->cover(f, "db1", T0, T0 + 3);
		fold_reader(f)->cover(f, "db2", T0, T0 + 2);
		assert_int_equal(fold_min_reporting(f), cases[i].fewest);
		fold_free(f);
	}
}

TEST(a_column_that_is_not_over_is_in_progress)
{
	struct instrumentation in = kit_instrumentation();
	static const struct { __s64 now; const char *marks; } cases[] = {
		{ (T0 + 2) * SLOT + SLOT / 2, "-xxx" },		/* slot 1 ended 0.5 s ago: one source is missing */
		{ (T0 + 3) * SLOT, "--xx" },
		{ (T0 + 2) * SLOT - 1, "-xxx" },
		{ (T0 + 9) * SLOT, "----" },
	};

	for (size_t i = 0; i < 4; i++) {
		struct query q = kit_query(&in, 4, 4);
		struct fold *f;
		struct grid *g;

		q.now_ns = cases[i].now;
		assert_int_equal(fold_new(&q, &f), 0);
		fold_reader(f)->cover(f, "db1", T0, T0 + 1);
		fold_reader(f)->cover(f, "db2", T0, T0);
		g = fold_grid(f);
		for (size_t col = 0; col < 4; col++)
			assert_int_equal(g->column[col].marks, cases[i].marks[col] == 'x' ? GRID_IN_PROGRESS : 0);
		assert_true(g->column[0].n_expected == 2 && g->column[0].n_reporting == 2);
		grid_free(g);
		fold_free(f);
	}
}

TEST(refuses_queries_that_make_no_sense)
{
	struct instrumentation in = kit_instrumentation();
	struct query good = kit_query(&in, 4, 4), q;
	struct fold *f;

	q = good; q.to_ns = q.from_ns;
	assert_int_equal(fold_new(&q, &f), -EINVAL);
	q = good; q.from_ns += 1;
	assert_int_equal(fold_new(&q, &f), -EINVAL);
	q = good; q.axis = 2;
	assert_int_equal(fold_new(&q, &f), -EINVAL);
	q = good; q.weight = 1;
	assert_int_equal(fold_new(&q, &f), -EINVAL);
	q = good; q.axis = -1;
	assert_int_equal(fold_new(&q, &f), -EINVAL);
}

/* Folded by time, value or key, from sources with rulers of their own: the sum of all cells is the weight of all
 * events. */
TEST(weights_add_up_however_they_are_folded)
{
	struct instrumentation in = kit_instrumentation();
	struct event e[400];

	in.n_weights = 2;
	in.weight_ruler = ruler_coarser(in.ruler[0], 3);
	strcpy(in.weight[1], "cputime");
	for (int round = 0; round < 30; round++) {
		struct query q = kit_query(&in, 40, 1 + check_below(50));
		__u64 heavy = 0, cells = 0, keys = 0, count = 0;
		const struct key_total *total;
		struct key_fold *by_key;
		struct grid *g, *wide;
		struct fold *f;
		size_t n;

		q.row_bits = (__u32)check_below(8);
		q.weight = 2;
		q.drop = (__u32)check_below(4);
		kit_events(e, 400, 40);
		assert_int_equal(fold_new(&q, &f), 0);
		assert_int_equal(key_fold_new(&q, &by_key), 0);
		for (size_t i = 0; i < 400; i++) {
			unsigned weight = (unsigned)check_below(3);
			__u64 one = check_below(3) ? check_value() >> 20 : 0;

			kit_give_weight(fold_reader(f), &e[i], weight, one, ruler_coarser(in.weight_ruler, 1 + check_below(3)));
			kit_give_weight(key_fold_reader(by_key), &e[i], weight, one, ruler_coarser(in.weight_ruler, 1 + check_below(3)));
			heavy += weight == 2 ? one : 0;
			count += weight == 2;
		}
		g = fold_grid(f);
		assert_string_equal(g->weight, "cputime");
		assert_int_equal(g->all.count, count);
		assert_true(!g->all.p50 && !g->all.p999 && !g->all.stddev);
		assert_int_equal(grid_fold(g, 1 + check_below(9), &wide), 0);
		for (size_t col = 0; col < g->n_cols; col++) {
			cells += cells_of(g, col);
			assert_true(!g->column[col].p50 && !g->column[col].p99);
		}
		assert_int_equal(cells, heavy);
		for (size_t col = 0; col < wide->n_cols; col++) {
			cells -= cells_of(wide, col);
			assert_true(!wide->column[col].p50 && !wide->column[col].p99);
		}
		assert_int_equal(cells, 0);
		total = key_fold_totals(by_key, KEYS_BY_SUM, &n);
		for (size_t i = 0; i < n; i++)
			keys += hist_total(&total[i].hist);
		assert_int_equal(keys, heavy);
		grid_free(g);
		grid_free(wide);
		fold_free(f);
		key_fold_free(by_key);
	}
}

TEST_MAIN()
