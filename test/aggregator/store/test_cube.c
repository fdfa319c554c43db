#include "aggregator/store/cube.h"
#include "test/kit/check.h"
#include "test/kit/store_kit.h"

#include <errno.h>

#define N_SLOTS 64

static const struct kit_shape shape = {
	.n_sources = 3, .n_keys = 4, .n_axes = 3, .n_slices = 8, .first = 1000, .last = 1000 + N_SLOTS - 1, .losses = 6,
};

/* --- memory that runs out: the linker calls these instead of the real ones --- */

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);

static long allocations_left = -1;	/* -1: no limit */

static bool runs_out(void)
{
	return allocations_left >= 0 && allocations_left-- == 0;
}

void *__wrap_malloc(size_t size)
{
	return runs_out() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return runs_out() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	return runs_out() ? NULL : __real_realloc(old, size);
}

/* --- helpers --- */

static struct cube *cube_with(size_t n_slots)
{
	struct cube *c;

	assert_int_equal(cube_new(&c), 0);
	assert_int_equal(cube_open(c, KIT_INST, n_slots), 0);
	return c;
}

static struct gathered *read_cube(const struct cube *c, __s64 first, __s64 last, int axis)
{
	struct gathered *g = gathered_new(first, last, axis);

	assert_int_equal(cube_read(c, KIT_INST, first, last, axis, -1, gathered_reader(g)), 0);
	return g;
}

static void assert_holds(const struct cube *c, const struct batch *batch, size_t n, __s64 first, __s64 last, int axis)
{
	struct gathered *want = gathered_sum(batch, n, first, last, axis), *got = read_cube(c, first, last, axis);

	kit_assert_same(want, got);
	gathered_free(want);
	gathered_free(got);
}

/* --- laws --- */

TEST(adding_commutes_and_equals_the_plain_sum)
{
	struct batch *batch = kit_batches(&shape, 150);

	for (int round = 0; round < 20; round++) {
		struct cube *c = cube_with(N_SLOTS);

		kit_shuffle(batch, 150);
		for (size_t i = 0; i < 150; i++)
			assert_int_equal(cube_add(c, &batch[i]), 0);
		assert_holds(c, batch, 150, 0, 10000, -1);
		assert_holds(c, batch, 150, 1010, 1030, (int)check_below(4));
		cube_free(c);
	}
	kit_free(batch, 150);
}

/* Adds the slices of one cube to another, each as a batch. */
static void pour_slice(void *arg, __s64 slot, const struct slice *s)
{
	struct slice copy = *s;
	struct batch b = { .source = "tier", .inst = KIT_INST, .slot = slot, .n_slices = 1, .slice = &copy };

	assert_int_equal(cube_add(arg, &b), 0);
}

static void assert_same_slices(struct cube *a, struct cube *b)
{
	struct gathered *x = gathered_new(0, 10000, -1), *y = gathered_new(0, 10000, -1);
	struct store_reader only = { .slice = gathered_reader(x)->slice };

	only.arg = x;
	cube_read(a, KIT_INST, 0, 10000, -1, -1, &only);
	only.arg = y;
	cube_read(b, KIT_INST, 0, 10000, -1, -1, &only);
	assert_true(gathered_pieces(x) > 0);
	kit_assert_same(x, y);
	gathered_free(x);
	gathered_free(y);
}

/* Distributes batches over some cubes, and merges these along a random tree. */
TEST(any_tree_of_merges_gives_the_same)
{
	enum { N = 150, N_CUBES = 6 };
	struct batch *batch = kit_batches(&shape, N);
	struct cube *all = cube_with(N_SLOTS);

	for (int i = 0; i < N; i++)
		cube_add(all, &batch[i]);
	for (int round = 0; round < 10; round++) {
		struct cube *part[N_CUBES];
		int n = N_CUBES;

		for (int i = 0; i < n; i++)
			part[i] = cube_with(N_SLOTS);
		for (int i = 0; i < N; i++)
			cube_add(part[check_below((uint64_t)n)], &batch[i]);
		for (; n > 1; n--) {
			size_t into = check_below((uint64_t)n - 1);
			const struct store_reader pour = { .arg = part[into], .slice = pour_slice };

			cube_read(part[n - 1], KIT_INST, 0, 10000, -1, -1, &pour);
			cube_free(part[n - 1]);
		}
		assert_same_slices(all, part[0]);
		cube_free(part[0]);
	}
	cube_free(all);
	kit_free(batch, N);
}

struct folded {
	struct hist hist;
	__u64 count, total;
};

static void fold_slice(void *arg, __s64 slot, const struct slice *s)
{
	struct folded *f = arg;
	struct hist h;

	if (ruler_unit(s->ruler) != UNIT_NS)
		return;
	assert_int_equal(hist_init(&h, s->ruler), 0);
	assert_int_equal(hist_decode_add(&h, s->ruler, s->hist, s->hist_len), 0);
	f->count += h.count;
	f->total += hist_total(&h);
	assert_int_equal(hist_add(&f->hist, &h), 0);
	hist_fini(&h);
}

/* Folds all keys, slots and rulers into one histogram. */
TEST(folding_keeps_the_count)
{
	struct batch *batch = kit_batches(&shape, 150);
	struct cube *c = cube_with(N_SLOTS);
	struct folded f = { .count = 0 };
	const struct store_reader fold = { .arg = &f, .slice = fold_slice };

	hist_init(&f.hist, RULER(UNIT_NS, 1, 12, 35));
	for (int i = 0; i < 150; i++)
		cube_add(c, &batch[i]);
	cube_read(c, KIT_INST, 0, 10000, 0, -1, &fold);
	assert_true(f.count > 0);
	assert_int_equal(f.hist.count, f.count);
	assert_int_equal(hist_total(&f.hist), f.total);
	hist_fini(&f.hist);
	cube_free(c);
	kit_free(batch, 150);
}

TEST(a_late_slice_amends_its_slot)
{
	struct batch *first = kit_batch("a", 1000, 1, "select", 5000, 3);
	struct batch *newer = kit_batch("a", 1010, 2, "select", 5000, 1);
	struct batch *late = kit_batch("a", 1000, 3, "select", 90000, 2);
	struct cube *c = cube_with(N_SLOTS);
	struct gathered *g;

	cube_add(c, first);
	cube_add(c, newer);
	cube_add(c, late);
	g = read_cube(c, 1000, 1000, 0);
	assert_int_equal(gathered_pieces(g), 1);
	assert_int_equal(gathered_events(g), 5);
	gathered_free(g);
	cube_free(c);
	kit_free(first, 1);
	kit_free(newer, 1);
	kit_free(late, 1);
}

TEST(a_batch_older_than_the_range_is_stale)
{
	struct batch *newest = kit_batch("a", 1100, 1, "select", 5000, 1);
	struct batch *oldest = kit_batch("a", 1037, 2, "select", 5000, 1);
	struct batch *stale = kit_batch("a", 1036, 3, "select", 5000, 1);
	struct batch *both[] = { newest, oldest };
	struct cube *c = cube_with(N_SLOTS);
	struct gathered *before, *after;
	__s64 first, last;

	assert_int_equal(cube_range(c, KIT_INST, &first, &last), -ENOENT);
	for (int i = 0; i < 2; i++)
		assert_int_equal(cube_add(c, both[i]), 0);
	assert_int_equal(cube_range(c, KIT_INST, &first, &last), 0);
	assert_int_equal(first, 1037);
	assert_int_equal(last, 1100);
	before = read_cube(c, 0, 10000, -1);
	assert_int_equal(cube_add(c, stale), -ESTALE);
	after = read_cube(c, 0, 10000, -1);
	kit_assert_same(before, after);
	assert_int_equal(gathered_events(after), 2);
	stale->run = 2;				/* its end is in the range: the slot is covered, but its slice is not
						 * there */
	assert_int_equal(cube_add(c, stale), 0);
	gathered_free(after);
	after = read_cube(c, 0, 10000, -1);
	kit_assert_same(before, after);
	gathered_free(before);
	gathered_free(after);
	cube_free(c);
	kit_free(newest, 1);
	kit_free(oldest, 1);
	kit_free(stale, 1);
}

/* The range moves on by any distance; its content is always the plain sum. */
TEST(newer_slots_push_out_the_oldest)
{
	static const int jump[] = { 1, 1, 5, 63, 64, 65, 1000, 1, 127, 128 };
	struct kit_shape moving = shape;
	struct batch *batch = calloc(200, sizeof(*batch));
	struct cube *c = cube_with(N_SLOTS);
	__s64 first, last;

	assert_non_null(batch);
	for (size_t n = 0; n < 200; n += 20) {
		struct batch *some;

		moving.first = moving.last = moving.last + jump[n / 20];
		some = kit_batches(&moving, 20);
		memcpy(batch + n, some, 20 * sizeof(*some));
		free(some);
		for (size_t i = n; i < n + 20; i++)
			assert_int_equal(cube_add(c, &batch[i]), 0);
		assert_int_equal(cube_range(c, KIT_INST, &first, &last), 0);
		assert_int_equal(last - first + 1, N_SLOTS);
		assert_holds(c, batch, n + 20, first, 1 << 20, -1);
	}
	cube_free(c);
	kit_free(batch, 200);
}

/* The cube has all that it says it has, after any change of its size. */
TEST(another_room_keeps_the_newest)
{
	static const size_t room[] = { 10, 64, 3, 200, 1, 64, 65, 40 };
	struct kit_shape moving = shape;
	struct batch *batch = calloc(160, sizeof(*batch));
	struct cube *c = cube_with(N_SLOTS);
	__s64 first, last, was = 0;

	assert_non_null(batch);
	assert_int_equal(cube_resize(c, KIT_INST, 5), 0);	/* it is still empty */
	assert_int_equal(cube_resize(c, KIT_INST, N_SLOTS), 0);
	for (size_t n = 0; n < 160; n += 20) {
		struct batch *some = kit_batches(&moving, 20);

		memcpy(batch + n, some, 20 * sizeof(*some));
		free(some);
		for (size_t i = n; i < n + 20; i++)
			assert_in_set((unsigned)-cube_add(c, &batch[i]), ((const unsigned long[]){ 0, ESTALE }), 2);
		assert_int_equal(cube_range(c, KIT_INST, &first, &last), 0);
		assert_holds(c, batch, n + 20, first, 1 << 20, -1);
		assert_int_equal(cube_resize(c, KIT_INST, room[n / 20]), 0);
		assert_int_equal(cube_range(c, KIT_INST, &was, &last), 0);
		assert_true(was >= first && last - was < (__s64)room[n / 20]);
		assert_holds(c, batch, n + 20, was, 1 << 20, -1);
		moving.first += 7;
		moving.last += 7;
	}
	assert_int_equal(cube_resize(c, KIT_INST, 0), -EINVAL);
	assert_int_equal(cube_resize(c, KIT_INST + 1, 5), -ENOENT);
	cube_free(c);
	kit_free(batch, 160);
}

/* Added as the store took it as new, and loaded from the store after a restart. */
TEST(the_cube_equals_the_store_for_its_range)
{
	struct kit_shape longer = { 2, 4, 3, 8, 1000, 1000 + 5 * N_SLOTS, 6 };
	struct batch *batch = kit_batches(&longer, 300);
	struct cube *c = cube_with(N_SLOTS), *again = cube_with(N_SLOTS), *less = cube_with(N_SLOTS);
	struct gathered *in_cube, *in_store;
	__s64 first, last, first_again, last_again;
	struct store *s;
	bool is_new;

	assert_int_equal(store_memory_open(&s), 0);
	for (int i = 0; i < 500; i++) {
		const struct batch *b = &batch[i < 300 ? (size_t)i : check_below(300)];

		assert_int_equal(s->ops->add(s, b, 1, &is_new), 0);
		assert_int_equal(is_new, i < 300);
		if (is_new) {
			int err = cube_add(c, b);

			assert_true(!err || err == -ESTALE);
		}
	}
	assert_int_equal(cube_range(c, KIT_INST, &first, &last), 0);
	in_cube = read_cube(c, first, last, -1);
	assert_int_equal(kit_read(s, first, last, -1, &in_store), 0);
	kit_assert_same(in_cube, in_store);

	assert_int_equal(cube_load(again, KIT_INST, s, 0, last), 0);
	assert_int_equal(cube_load(again, KIT_INST, s, 0, last), -EEXIST);
	assert_int_equal(cube_range(again, KIT_INST, &first_again, &last_again), 0);
	assert_int_equal(first_again, first);
	assert_int_equal(last_again, last);
	gathered_free(in_store);
	in_store = read_cube(again, first, last, -1);
	kit_assert_same(in_cube, in_store);

	assert_int_equal(cube_load(less, KIT_INST, s, last - 9, last), 0);
	assert_int_equal(cube_range(less, KIT_INST, &first_again, &last_again), 0);
	assert_int_equal(first_again, last - 9);
	gathered_free(in_cube);
	gathered_free(in_store);
	cube_free(c);
	cube_free(again);
	cube_free(less);
	s->ops->close(s);
	kit_free(batch, 300);
}

/* --- refusals --- */

TEST(without_memory_nothing_changes)
{
	struct batch *batch = kit_batches(&shape, 60);
	struct cube *c = cube_with(N_SLOTS);
	int n_refused = 0;

	for (size_t i = 0; i < 60; i++) {
		for (long limit = 0;; limit++) {
			int err;

			allocations_left = limit;
			err = cube_add(c, &batch[i]);
			allocations_left = -1;
			if (!err)
				break;
			assert_int_equal(err, -ENOMEM);
			n_refused++;
			if (limit % 5 == 0)
				assert_holds(c, batch, i, 0, 10000, -1);
		}
	}
	assert_true(n_refused > 100);
	assert_holds(c, batch, 60, 0, 10000, -1);
	cube_free(c);
	kit_free(batch, 60);
}

TEST(refuses_a_bad_histogram_as_a_whole)
{
	struct batch *good = kit_batch("a", 1000, 1, "select", 5000, 1), *bad = kit_batch("a", 1000, 2, "select", 5000, 1);
	struct slice two[] = { *good->slice, *bad->slice };
	struct batch both = *bad;
	struct cube *c = cube_with(N_SLOTS);
	struct gathered *g;

	both.slice = two;
	both.n_slices = 2;
	two[1].hist_len--;
	assert_int_equal(cube_add(c, &both), -EBADMSG);
	assert_int_equal(cube_add(c, good), 0);
	assert_int_equal(cube_add(c, &both), -EBADMSG);
	g = read_cube(c, 0, 10000, -1);
	assert_int_equal(gathered_events(g), 1);
	gathered_free(g);
	cube_free(c);
	kit_free(good, 1);
	kit_free(bad, 1);
}

/* Slots that a wrong clock filed in the future do not keep present slots out, and the cube never answers for them, even
 * when their time has come. */
TEST(a_clock_that_is_set_back_makes_room)
{
	struct batch *future = kit_batch("a", 90000, 1, "select", 5000, 1), *now = kit_batch("a", 1010, 2, "select", 5000, 1);
	struct batch *then = kit_batch("a", 90001, 3, "select", 5000, 1), *after = kit_batch("a", 90020, 4, "select", 5000, 1);
	struct cube *c = cube_with(N_SLOTS);
	struct gathered *g;
	__s64 first, last;

	assert_int_equal(cube_add(c, future), 0);
	assert_int_equal(cube_add(c, now), -ESTALE);
	assert_false(cube_set_back(c, KIT_INST, 90000 - N_SLOTS + 1));	/* it has this slot already */
	assert_false(cube_set_back(c, 8, 1010));
	assert_true(cube_set_back(c, KIT_INST, 1010));
	assert_int_equal(cube_range(c, KIT_INST, &first, &last), 0);
	assert_int_equal(first, 1010);			/* the store has older slots */
	assert_int_equal(last, 1010);
	assert_int_equal(cube_add(c, now), 0);
	g = read_cube(c, 1010, 1010, 0);
	assert_int_equal(gathered_events(g), 1);
	gathered_free(g);
	assert_int_equal(cube_add(c, then), 0);
	assert_int_equal(cube_range(c, KIT_INST, &first, &last), 0);
	assert_int_equal(first, 90001);			/* it has only a part of 90000, so it has nothing */
	assert_int_equal(cube_add(c, after), 0);
	g = read_cube(c, 0, 100000, 0);
	assert_int_equal(gathered_events(g), 2);
	gathered_free(g);
	kit_free(future, 1);
	kit_free(now, 1);
	kit_free(then, 1);
	kit_free(after, 1);
	cube_free(c);
}

/* After another heatscoped is gone, the store has slots of which this one never heard. */
TEST(it_does_not_answer_for_slots_that_were_left_to_the_store_not_even_while_it_is_empty)
{
	struct batch *b = kit_batch("db1", 112, 1, "query", 5000, 1);
	struct cube *c;

	assert_int_equal(cube_new(&c), 0);
	assert_false(cube_answers(c, KIT_INST, 111));
	assert_int_equal(cube_open(c, KIT_INST, 5), 0);
	assert_true(cube_answers(c, KIT_INST, 1));		/* nothing is an answer, too */
	cube_leave(c, KIT_INST, 0, 110);
	assert_false(cube_answers(c, KIT_INST, 109));
	assert_false(cube_answers(c, KIT_INST, 110));
	assert_true(cube_answers(c, KIT_INST, 111));
	assert_int_equal(cube_add(c, b), 0);
	assert_false(cube_answers(c, KIT_INST, 110));
	assert_true(cube_answers(c, KIT_INST, 111));
	kit_free(b, 1);
	b = kit_batch("db1", 117, 2, "query", 5000, 1);
	assert_int_equal(cube_add(c, b), 0);
	assert_false(cube_answers(c, KIT_INST, 112));
	assert_true(cube_answers(c, KIT_INST, 113));
	kit_free(b, 1);
	cube_free(c);
}

TEST(opens_once_and_knows_only_what_is_open)
{
	struct batch *b = kit_batch("a", 1000, 1, "select", 5000, 1);
	struct cube *c = cube_with(N_SLOTS);
	struct gathered *g;

	assert_int_equal(cube_open(c, KIT_INST, 10), -EEXIST);
	assert_int_equal(cube_open(c, 8, 0), -EINVAL);
	assert_int_equal(cube_add(c, b), 0);
	cube_drop(c, KIT_INST);
	cube_drop(c, KIT_INST);
	assert_int_equal(cube_add(c, b), -ENOENT);
	g = gathered_new(0, 10000, -1);
	assert_int_equal(cube_read(c, KIT_INST, 0, 10000, -1, -1, gathered_reader(g)), -ENOENT);
	assert_int_equal(cube_open(c, KIT_INST, 10), 0);
	assert_int_equal(cube_read(c, KIT_INST, 0, 10000, -1, -1, gathered_reader(g)), 0);
	assert_int_equal(gathered_pieces(g), 0);
	gathered_free(g);
	cube_free(c);
	cube_free(NULL);
	kit_free(b, 1);
}

TEST_MAIN()
