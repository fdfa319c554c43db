#include "aggregator/ingest/feed.h"
#include "aggregator/store/cube.h"
#include "aggregator/store/incoming_batch.h"
#include "collector/core/frame.h"
#include "test/kit/check.h"
#include "test/kit/store_kit.h"

#define N_SLOTS 32

static const struct kit_shape shape = {
	.n_sources = 12, .n_keys = 5, .n_axes = 3, .n_slices = 8, .first = 1000, .last = 1000 + N_SLOTS - 1, .losses = 6,
};

static struct cube *cube_with(size_t n_slots)
{
	struct cube *c;

	assert_int_equal(cube_new(&c), 0);
	assert_int_equal(cube_open(c, KIT_INST, n_slots), 0);
	return c;
}

struct taken {
	struct cube *cube;
	size_t most, n_pieces, n_missing, n_batches, n_folds, n_bytes;
	bool reports;			/* what sources report has begun to come */
};

static void take_piece(void *arg, const __u8 *data, size_t len)
{
	struct taken *t = arg;
	struct incoming_batch *a;
	struct frame f;

	t->n_pieces++;
	t->n_missing += !data;
	t->n_bytes += len;
	assert_true(len <= t->most);
	for (size_t at = 0; at < len;) {
		long step = frame_get(data + at, len - at, &f);

		assert_true(step > 0);
		at += (size_t)step;
		assert_int_equal(incoming_batch_new(f.data, f.len, &a), 0);
		assert_false(f.type == FRAME_FOLD && t->reports);	/* slices come first */
		t->reports = f.type == FRAME_BATCH;
		t->n_batches += f.type == FRAME_BATCH;
		t->n_folds += f.type == FRAME_FOLD;
		assert_int_equal((f.type == FRAME_FOLD ? cube_fold : cube_add)(t->cube, &a->batch), 0);
		incoming_batch_free(a);
	}
}

static void assert_same(const struct cube *one, const struct cube *other)
{
	for (int axis = 0; axis < shape.n_axes; axis++) {
		struct gathered *a = gathered_new(shape.first, shape.last, axis), *b = gathered_new(shape.first, shape.last, axis);

		assert_int_equal(cube_read(one, KIT_INST, shape.first, shape.last, axis, -1, gathered_reader(a)), 0);
		assert_int_equal(cube_read(other, KIT_INST, shape.first, shape.last, axis, -1, gathered_reader(b)), 0);
		assert_true(gathered_covered(a) > 0);
		kit_assert_same(a, b);
		gathered_free(a);
		gathered_free(b);
	}
}

TEST(a_cube_of_the_feed_equals_one_of_the_batches)
{
	struct feed *f;

	assert_int_equal(feed_new(&f), 0);
	for (int round = 0; round < 50; round++) {
		size_t n = 1 + check_below(200);
		struct batch *batch = kit_batches(&shape, n);
		struct taken t = { .cube = cube_with(2 * N_SLOTS), .most = 80000 + check_below(200000) };
		struct cube *want = cube_with(2 * N_SLOTS);

		for (size_t i = 0; i < n; i++) {
			assert_int_equal(cube_add(want, &batch[i]), 0);
			assert_int_equal(feed_add(f, &batch[i]), 0);
			if (!check_below(20)) {
				feed_take(f, t.most, take_piece, &t);
				t.reports = false;
			}
		}
		feed_take(f, t.most, take_piece, &t);
		assert_true(feed_is_empty(f));
		assert_int_equal(t.n_batches, n);
		assert_int_equal(t.n_missing, 0);
		assert_same(want, t.cube);
		cube_free(want);
		cube_free(t.cube);
		kit_free(batch, n);
	}
	feed_free(f);
}

TEST(many_sources_become_one_fold)
{
	struct taken t = { .cube = cube_with(N_SLOTS), .most = 1u << 20 };
	struct feed *f;
	char source[16];
	size_t alone = 0;

	assert_int_equal(feed_new(&f), 0);
	for (unsigned i = 0; i < 300; i++) {
		struct batch *b;
		struct bytes bytes = { 0 };

		snprintf(source, sizeof(source), "host%u", i);
		b = kit_batch(source, 1000, 1, "SELECT", 5000, 100);
		batch_encode(b, &bytes);
		alone += bytes.len;
		assert_int_equal(feed_add(f, b), 0);
		bytes_fini(&bytes);
		kit_free(b, 1);
	}
	feed_take(f, t.most, take_piece, &t);
	assert_int_equal(t.n_batches, 300);
	assert_int_equal(t.n_folds, 1);
	assert_true(t.n_bytes < alone);
	feed_free(f);
	cube_free(t.cube);
}

TEST(a_frame_that_is_too_long_is_missing_and_said)
{
	struct batch *b = kit_batch("host", 1000, 1, "SELECT", 5000, 100);
	struct taken t = { .cube = cube_with(N_SLOTS), .most = 40 };
	struct feed *f;

	assert_int_equal(feed_new(&f), 0);
	assert_true(feed_is_empty(f));
	assert_int_equal(feed_add(f, b), 0);
	assert_false(feed_is_empty(f));
	feed_take(f, t.most, take_piece, &t);
	assert_int_equal(t.n_missing, 2);
	assert_true(feed_is_empty(f));
	feed_add(f, b);
	feed_clear(f);
	assert_true(feed_is_empty(f));
	while (!feed_is_full(f))
		assert_int_equal(feed_add(f, b), 0);
	feed_free(f);
	cube_free(t.cube);
	kit_free(b, 1);
}

TEST_MAIN()
