/* Tests point metrics: along time a column is the mean of the slots that were observed, in any grouping. */
#include "aggregator/query/query.h"
#include "test/kit/check.h"

#include <math.h>
#include <stdio.h>

#define SLOT 1000000000ll
#define T0 1700000000ll
#define N_SLOTS 48
#define N_KEYS 4

static const char *const sources[] = { "a", "b" };

static struct instrumentation instrumentation(void)
{
	return (struct instrumentation){
		.id = 1, .module = "cpu", .stat = "cpus", .field = { "cpu" }, .n_fields = 1, .measure = { "utilization" },
		.n_measures = 1, .ruler = { RULER_OF(RULER_LINEAR_START, UNIT_PERCENT, 5, 5, 7) },
		.granularity_ns = SLOT, .slot_ns = SLOT, .retention_s = 3600, .ruler_bits = 5, .n_keys = 64,
	};
}

static struct query query(const struct instrumentation *in, size_t n_cols)
{
	return (struct query){ .inst = in, .scope = SCOPE_POINT, .from_ns = T0 * SLOT, .to_ns = (T0 + N_SLOTS) * SLOT,
			       .n_cols = n_cols, .row_bits = 5, .now_ns = (T0 + 10 * N_SLOTS) * SLOT };
}

/* The reports of each source: a value per key and slot, or nothing at all for the slot. */
struct world {
	bool saw[2][N_SLOTS];
	__u64 value[2][N_SLOTS][N_KEYS];
};

static void world_make(struct world *w)
{
	for (int s = 0; s < 2; s++)
		for (int slot = 0; slot < N_SLOTS; slot++) {
			w->saw[s][slot] = check_below(4) != 0;
			for (int key = 0; key < N_KEYS; key++)
				w->value[s][slot][key] = check_below(101);
		}
}

static void give_slot(const struct store_reader *r, const struct world *w, int source, int slot, int key)
{
	struct instrumentation in = instrumentation();
	struct bytes label = { 0 }, bytes = { 0 };
	struct hist h;
	struct slice s;
	char name[12];

	snprintf(name, sizeof(name), "%d", key);
	labels_put(&label, name);
	assert_int_equal(hist_init(&h, in.ruler[0]), 0);
	hist_record(&h, w->value[source][slot][key], 1);
	hist_encode(&h, &bytes);
	s = (struct slice){ .ruler = in.ruler[0], .key = { label.data, (__u16)label.len }, .hist = bytes.data,
			    .hist_len = (__u32)bytes.len };
	r->slice(r->arg, T0 + slot, &s);
	hist_fini(&h);
	bytes_fini(&label);
	bytes_fini(&bytes);
}

static struct grid *grid_of_world(const struct query *q, const struct world *w, int from_key, int to_key)
{
	struct fold *f;
	struct grid *g;

	assert_int_equal(fold_new(q, &f), 0);
	for (int s = 0; s < 2; s++)
		for (int slot = 0; slot < N_SLOTS; slot++) {
			if (!w->saw[s][slot])
				continue;
			fold_reader(f)->cover(f, sources[s], T0 + slot, T0 + slot);
			for (int key = from_key; key < to_key; key++)
				give_slot(fold_reader(f), w, s, slot, key);
		}
	g = fold_grid(f);
	assert_non_null(g);
	fold_free(f);
	return g;
}

/* The definition: the mean, over the slots that any source observed, of the sum over all sources and keys. */
static double mean_of(const struct world *w, int from, int to)
{
	double sum = 0;
	int n = 0;

	for (int slot = from; slot < to && slot < N_SLOTS; slot++) {
		n += w->saw[0][slot] || w->saw[1][slot];
		for (int s = 0; s < 2; s++)
			for (int key = 0; key < N_KEYS && w->saw[s][slot]; key++)
				sum += (double)w->value[s][slot][key];
	}
	return n ? sum / n : 0;
}

static double shown_sum(const struct grid *g, size_t col)
{
	return grid_shown(g, g->column[col].n_snapshots, g->column[col].sum);
}

TEST(a_column_is_the_mean_of_the_slots_that_were_observed)
{
	struct instrumentation in = instrumentation();
	struct world w;

	for (int round = 0; round < 20; round++) {
		world_make(&w);
		for (size_t n_cols = 1; n_cols <= N_SLOTS; n_cols++) {
			struct query q = query(&in, n_cols);
			struct grid *g = grid_of_world(&q, &w, 0, N_KEYS);
			int per = (int)(g->col_ns / SLOT);

			assert_true(g->point);
			for (size_t col = 0; col < g->n_cols; col++)
				assert_true(fabs(shown_sum(g, col) - mean_of(&w, (int)col * per, ((int)col + 1) * per)) < 1e-9);
			assert_true(fabs(grid_shown(g, g->all.n_snapshots, g->all.sum) - mean_of(&w, 0, N_SLOTS)) < 1e-9);
			grid_free(g);
		}
	}
}

/* Sums and snapshots add up; so a column is the same whether it is folded at once, from narrower
 * columns, or from the picture's. */
TEST(any_grouping_of_columns_gives_the_same_mean)
{
	struct instrumentation in = instrumentation();
	struct query fine_q = query(&in, N_SLOTS);
	struct world w;

	world_make(&w);
	for (size_t k = 1; k <= 12; k++) {
		struct query q = query(&in, (N_SLOTS + k - 1) / k);
		struct grid *fine = grid_of_world(&fine_q, &w, 0, N_KEYS), *g = grid_of_world(&q, &w, 0, N_KEYS), *folded;

		assert_int_equal(grid_fold(fine, (size_t)(g->col_ns / SLOT), &folded), 0);
		assert_int_equal(folded->n_cols, g->n_cols);
		assert_int_equal(folded->point, g->point);
		assert_int_equal(fine->n_rows, g->n_rows);
		for (size_t col = 0; col < g->n_cols; col++) {
			assert_int_equal(folded->column[col].n_snapshots, g->column[col].n_snapshots);
			assert_int_equal(folded->column[col].sum, g->column[col].sum);
			for (size_t row = 0; row < g->n_rows; row++)
				assert_int_equal(folded->cell[row * g->n_cols + col], g->cell[row * g->n_cols + col]);
		}
		grid_free(folded);
		grid_free(fine);
		grid_free(g);
	}
}

/* The mean of all keys is the sum of each key's mean: they have the same divisor, also where a key is absent. */
TEST(keys_and_sources_add)
{
	struct instrumentation in = instrumentation();
	struct query q = query(&in, 7);
	struct world w;
	struct grid *all, *one[N_KEYS];

	world_make(&w);
	all = grid_of_world(&q, &w, 0, N_KEYS);
	for (int key = 0; key < N_KEYS; key++)
		one[key] = grid_of_world(&q, &w, key, key + 1);
	for (size_t col = 0; col < all->n_cols; col++) {
		double sum = 0;

		for (int key = 0; key < N_KEYS; key++)
			sum += shown_sum(one[key], col);
		assert_true(fabs(sum - shown_sum(all, col)) < 1e-9);
	}
	for (int key = 0; key < N_KEYS; key++)
		grid_free(one[key]);
	grid_free(all);
}

TEST(an_unobserved_slot_is_not_a_snapshot)
{
	struct instrumentation in = instrumentation();
	struct query q = query(&in, N_SLOTS / 4);
	struct world w = { 0 };
	struct grid *g;

	w.saw[0][0] = w.saw[0][2] = true;	/* of the column's four slots */
	w.value[0][0][0] = 40;
	w.value[0][2][0] = 60;
	g = grid_of_world(&q, &w, 0, 1);
	assert_int_equal(g->column[0].n_snapshots, 2);
	assert_true(shown_sum(g, 0) == 50);
	assert_int_equal(g->column[1].n_snapshots, 0);
	assert_int_equal(grid_column_state(&g->column[1]), GRID_UNOBSERVED);
	assert_int_equal(grid_column_state(&g->column[0]), GRID_PARTIAL);
	assert_int_equal(g->column[0].min, 40);
	assert_int_equal(g->column[0].max, 60);
	grid_free(g);
}

/* For an interval metric nothing changes: its columns are sums. */
TEST(an_interval_metric_knows_no_mean)
{
	struct instrumentation in = instrumentation();
	struct query q = query(&in, 1);
	struct world w;
	struct grid *g;

	world_make(&w);
	q.scope = SCOPE_INTERVAL;
	g = grid_of_world(&q, &w, 0, N_KEYS);
	assert_false(g->point);
	assert_int_equal(g->column[0].n_snapshots, 0);
	assert_true(shown_sum(g, 0) == (double)g->column[0].sum);
	grid_free(g);
}

TEST(a_percentage_is_drawn_from_0_to_100)
{
	struct instrumentation in = instrumentation();
	struct query q = query(&in, 4);
	struct world w = { 0 };
	struct grid *g;

	q.row_bits = 3;
	w.saw[0][0] = true;
	w.value[0][0][0] = 7;
	g = grid_of_world(&q, &w, 0, 1);
	assert_int_equal(g->edge[0], 0);
	assert_int_equal(g->edge[g->n_rows], 102);
	assert_int_equal(g->n_rows, 64 + 19);
	grid_free(g);
	w.saw[0][0] = false;
	g = grid_of_world(&q, &w, 0, 1);
	assert_int_equal(g->n_rows, 64 + 19);
	grid_free(g);
}

TEST_MAIN()
