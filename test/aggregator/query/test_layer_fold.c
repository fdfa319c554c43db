#include "test/kit/check.h"
#include "aggregator/query/layer_fold.h"

#include <errno.h>

#define SLOT 1000000000ll
#define T0 1700000000ll

static const char *const commands[] = { "query", "execute" };
static const char *const statements[] = { "select", "update", NULL };	/* NULL: beyond the cap */
static const char *const texts[] = { "query/select", "execute/select", "query/update", "execute/update",
				     "query/other", "execute/other" };

static struct instrumentation instrumentation(void)
{
	return (struct instrumentation){
		.id = 1, .field = { "command", "statement" }, .n_fields = 2, .measure = { "latency" }, .n_measures = 1,
		.ruler = { RULER(UNIT_NS, 5, 10, 40) }, .granularity_ns = SLOT, .slot_ns = SLOT,
	};
}

static struct query query(const struct instrumentation *in, __s64 n_slots, size_t n_cols)
{
	return (struct query){ .inst = in, .from_ns = T0 * SLOT, .to_ns = (T0 + n_slots) * SLOT, .n_cols = n_cols,
			       .row_bits = 3, .now_ns = (T0 + 10 * n_slots + 10) * SLOT, .select_kept = true };
}

/* Gives n events of one key in one slot to two readers. */
static void give(const struct store_reader *a, const struct store_reader *b, __s64 slot, unsigned key, __u64 ruler,
		 unsigned n)
{
	struct bytes labels = { 0 }, bytes = { 0 };
	struct slice s;
	struct hist h;

	assert_int_equal(hist_init(&h, ruler), 0);
	for (unsigned i = 0; i < n; i++)
		hist_record(&h, check_value() >> 20, 1);
	hist_encode(&h, &bytes);
	labels_put(&labels, commands[key % 2]);
	labels_put(&labels, statements[key / 2 % 3]);
	s = (struct slice){ .ruler = ruler, .key = { labels.data, (__u16)labels.len }, .hist = bytes.data,
			    .hist_len = (__u32)bytes.len };
	a->slice(a->arg, slot, &s);
	b->slice(b->arg, slot, &s);
	hist_fini(&h);
	bytes_fini(&labels);
	bytes_fini(&bytes);
}

static __u64 at(const struct layer *l, size_t row, size_t col)
{
	for (size_t i = l->row[row]; i < l->row[row + 1]; i++)
		if (l->cell[i].col == col)
			return l->cell[i].count;
	return 0;
}

/* Slots out of order, several sources' slices of a slot, some of a coarser ruler: in every case each
 * cell of the grid is the sum of its layers'. */
TEST(layers_of_all_keys_add_up_to_the_grid)
{
	struct instrumentation in = instrumentation();

	(void)state;
	for (int round = 0; round < 30; round++) {
		__s64 n_slots = 1 + (__s64)check_below(40);
		struct query q = query(&in, n_slots, 1 + check_below(50));
		struct layer_fold *lf;
		struct layers *l;
		struct fold *f;
		struct grid *g;

		q.row_bits = (__u32)check_below(6);
		assert_int_equal(fold_new(&q, &f), 0);
		assert_int_equal(layer_fold_new(&q, true, &lf), 0);
		for (int i = 0; i < 200; i++)
			give(fold_reader(f), layer_fold_reader(lf), T0 + (__s64)check_below((uint64_t)n_slots),
			     (unsigned)check_below(6), check_below(9) ? in.ruler[0] : RULER(UNIT_NS, 4, 12, 38), 5);
		assert_int_equal(layer_fold_error(lf), 0);
		g = fold_grid(f);
		assert_int_equal(layer_fold_finish(lf), 6);
		assert_int_equal(layer_fold_layers(lf, g, &l), 0);
		for (size_t row = 0; row < g->n_rows; row++)
			for (size_t col = 0; col < g->n_cols; col++) {
				__u64 sum = 0;

				for (size_t k = 0; k < 6; k++)
					sum += at(&l->layer[k], row, col);
				assert_int_equal(sum, g->cell[row * g->n_cols + col]);
			}
		for (size_t k = 0; k < 6; k++) {
			__u64 sum = 0;

			assert_true(!k || strcmp(layer_fold_name(lf, k - 1), layer_fold_name(lf, k)) < 0);
			for (size_t col = 0; col < g->n_cols; col++)
				sum += layer_fold_count(lf, k, col);
			assert_int_equal(sum, l->layer[k].count);
		}
		layers_free(l);
		layer_fold_free(lf);
		grid_free(g);
		fold_free(f);
	}
}

/* A source may send any number. */
TEST(counts_that_are_too_large_saturate)
{
	struct instrumentation in = instrumentation();
	struct query q = query(&in, 1, 1);
	struct bytes bytes = { 0 }, labels = { 0 };
	struct slice s = { .ruler = in.ruler[0] };
	struct layer_fold *lf;
	struct layers *l;
	struct fold *f;
	struct grid *g;
	struct hist h;

	(void)state;
	assert_int_equal(hist_init(&h, s.ruler), 0);
	hist_record_times(&h, 1 << 20, ~0ull / 2 + 1);
	hist_encode(&h, &bytes);
	labels_put(&labels, "query");
	labels_put(&labels, "select");
	s.key = (struct labels){ labels.data, (__u16)labels.len };
	s.hist = bytes.data;
	s.hist_len = (__u32)bytes.len;
	assert_int_equal(fold_new(&q, &f), 0);
	assert_int_equal(layer_fold_new(&q, true, &lf), 0);
	for (int i = 0; i < 2; i++) {
		fold_reader(f)->slice(f, T0, &s);
		layer_fold_reader(lf)->slice(lf, T0, &s);
	}
	g = fold_grid(f);
	assert_int_equal(layer_fold_finish(lf), 1);
	assert_int_equal(layer_fold_layers(lf, g, &l), 0);
	assert_true(layer_fold_count(lf, 0, 0) == ~0ull);
	assert_int_equal(l->layer[0].row[g->n_rows], 1);
	assert_true(l->layer[0].cell[0].count == ~0ull);
	layers_free(l);
	layer_fold_free(lf);
	grid_free(g);
	fold_free(f);
	hist_fini(&h);
	bytes_fini(&bytes);
	bytes_fini(&labels);
}

TEST(selected_keys_keep_their_order_and_are_there_without_events)
{
	static const char *const select[] = { "execute/update", "no/such", "query/select" };
	struct instrumentation in = instrumentation();
	struct query q = query(&in, 5, 5), all = q;
	struct layer_fold *lf;
	struct layers *l;
	struct fold *f;
	struct grid *g;

	(void)state;
	q.select = select;
	q.n_select = 3;
	assert_int_equal(fold_new(&all, &f), 0);
	assert_int_equal(layer_fold_new(&q, true, &lf), 0);
	for (unsigned key = 0; key < 6; key++)
		give(fold_reader(f), layer_fold_reader(lf), T0 + 2, key, in.ruler[0], 10 + key);
	g = fold_grid(f);
	assert_int_equal(layer_fold_finish(lf), 3);
	assert_int_equal(layer_fold_layers(lf, g, &l), 0);
	for (size_t i = 0; i < 3; i++)
		assert_string_equal(l->layer[i].name, select[i]);
	assert_int_equal(l->layer[0].count, 13);
	assert_int_equal(l->layer[1].count, 0);
	assert_int_equal(l->layer[2].count, 10);
	assert_int_equal(layer_fold_count(lf, 0, 2), 13);
	assert_int_equal(layer_fold_count(lf, 1, 2), 0);
	layers_free(l);
	layer_fold_free(lf);
	grid_free(g);
	fold_free(f);
}

TEST(dropped_fields_join_keys)
{
	struct instrumentation in = instrumentation();
	struct query q = query(&in, 5, 5);
	struct layer_fold *lf;
	struct fold *f;

	(void)state;
	q.drop = 1;			/* by statement */
	assert_int_equal(fold_new(&q, &f), 0);
	assert_int_equal(layer_fold_new(&q, false, &lf), 0);
	for (unsigned key = 0; key < 6; key++)
		give(fold_reader(f), layer_fold_reader(lf), T0 + key % 5, key, in.ruler[0], 1);
	assert_int_equal(layer_fold_finish(lf), 3);
	assert_string_equal(layer_fold_name(lf, 0), "other");
	assert_string_equal(layer_fold_name(lf, 1), "select");
	assert_int_equal(layer_fold_count(lf, 1, 0) + layer_fold_count(lf, 1, 1), 2);
	assert_string_equal(strchr(texts[4], '/') + 1, layer_fold_name(lf, 0));
	layer_fold_free(lf);
	fold_free(f);
}

/* A selection of kept fields narrows the grid as it narrows the layers. */
TEST(a_grid_of_selected_kept_fields)
{
	static const char *const select[] = { "update" };
	struct instrumentation in = instrumentation();
	struct query q = query(&in, 5, 5);
	struct layer_fold *lf;
	struct fold *f;
	struct grid *g;

	(void)state;
	q.drop = 1;
	q.select = select;
	q.n_select = 1;
	assert_int_equal(fold_new(&q, &f), 0);
	assert_int_equal(layer_fold_new(&q, false, &lf), 0);
	for (unsigned key = 0; key < 6; key++)
		give(fold_reader(f), layer_fold_reader(lf), T0, key, in.ruler[0], 7);
	g = fold_grid(f);
	assert_int_equal(g->all.count, 14);
	assert_int_equal(layer_fold_finish(lf), 1);
	assert_int_equal(layer_fold_count(lf, 0, 0), 14);
	grid_free(g);
	layer_fold_free(lf);
	fold_free(f);
}

TEST(refuses_bad_slices_and_queries)
{
	struct instrumentation in = instrumentation();
	struct query q = query(&in, 5, 5), bad = q;
	struct layer_fold *lf;
	struct slice s = { .ruler = in.ruler[0], .hist = (const __u8 *)"\xff", .hist_len = 1 };

	(void)state;
	assert_int_equal(layer_fold_new(&q, true, &lf), 0);
	layer_fold_reader(lf)->slice(lf, T0, &s);
	assert_true(layer_fold_error(lf) < 0);
	layer_fold_free(lf);
	layer_fold_free(NULL);
	bad.axis = 1;
	assert_int_equal(layer_fold_new(&bad, true, &lf), -EINVAL);
	bad = q;
	bad.to_ns = bad.from_ns;
	assert_int_equal(layer_fold_new(&bad, true, &lf), -EINVAL);
}

TEST_MAIN()
