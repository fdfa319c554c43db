#include "aggregator/store/slot_slices.h"
#include "test/kit/check.h"
#include "test/kit/store_kit.h"

#include <errno.h>

static const struct kit_shape shape = {
	.n_sources = 1, .n_keys = 6, .n_axes = 4, .n_slices = 30, .first = 5, .last = 5,
};

struct order {
	int n, last_axis, last_weight;
	bool sorted;
};

static void see(void *arg, __s64 slot, const struct slice *s)
{
	struct order *o = arg;

	assert_int_equal(slot, 5);
	o->sorted &= s->axis >= o->last_axis;
	o->last_axis = s->axis;
	o->last_weight = s->weight;
	o->n++;
}

TEST(adding_commutes_and_makes_one_entry_per_name)
{
	struct batch *batch = kit_batches(&shape, 20);
	struct gathered *want = gathered_new(5, 5, -1);
	struct sum scratch = { 0 };

	for (int i = 0; i < 20; i++) {
		batch[i].loss.n = 0;
		gather_batch(want, &batch[i]);
	}
	for (int round = 0; round < 10; round++) {
		struct gathered *got = gathered_new(5, 5, -1);
		struct order o = { .sorted = true };
		const struct store_reader reader = { .arg = &o, .slice = see };
		struct slot_slices p = { 0 };
		struct keys keys = { 0 };

		kit_shuffle(batch, 20);
		for (int i = 0; i < 20; i++) {
			assert_int_equal(slot_slices_add(&p, &keys, &scratch, batch[i].slice, batch[i].n_slices), 0);
			gathered_reader(got)->cover(got, batch[i].source, 5, 5);
		}
		slot_slices_read(&p, 5, -1, -1, gathered_reader(got));
		assert_int_equal(gathered_pieces(got), p.n_entries);
		kit_assert_same(want, got);
		slot_slices_read(&p, 5, -1, -1, &reader);
		assert_true(o.sorted);
		assert_int_equal(o.n, p.n_entries);
		gathered_free(got);
		slot_slices_fini(&p, &keys);
		assert_int_equal(keys.n_keys, 0);
		keys_fini(&keys);
	}
	gathered_free(want);
	sum_fini(&scratch);
	kit_free(batch, 20);
}

TEST(an_axis_or_a_weight_is_read_alone)
{
	struct batch *batch = kit_batches(&shape, 20);
	struct sum scratch = { 0 };
	struct keys keys = { 0 };
	struct slot_slices p = { 0 };
	int n = 0, n_weighed = 0;

	for (int i = 0; i < 20; i++)
		slot_slices_add(&p, &keys, &scratch, batch[i].slice, batch[i].n_slices);
	for (int axis = 0; axis < 6; axis++) {
		struct order o = { .last_axis = axis, .sorted = true };
		const struct store_reader reader = { .arg = &o, .slice = see };

		slot_slices_read(&p, 5, axis, -1, &reader);
		assert_int_equal(o.last_axis, axis);
		n += o.n;
		for (int weight = 0; weight <= 6; weight++) {
			struct order w = { .last_axis = axis, .last_weight = weight, .sorted = true };
			const struct store_reader weighed = { .arg = &w, .slice = see };

			slot_slices_read(&p, 5, axis, weight, &weighed);
			assert_true(w.last_axis == axis && w.last_weight == weight);
			n_weighed += w.n;
		}
	}
	assert_int_equal(n, p.n_entries);
	assert_int_equal(n_weighed, p.n_entries);
	slot_slices_fini(&p, &keys);
	keys_fini(&keys);
	sum_fini(&scratch);
	kit_free(batch, 20);
}

TEST(refuses_all_for_one_bad_slice)
{
	struct batch *good = kit_batch("a", 5, 1, "x", 100, 1), *bad = kit_batch("a", 5, 2, "x", 100, 1);
	struct slice three[] = { *good->slice, *good->slice, *bad->slice };
	struct sum scratch = { 0 };
	struct keys keys = { 0 };
	struct slot_slices p = { 0 };

	three[2].hist_len = 2;
	assert_int_equal(slot_slices_add(&p, &keys, &scratch, three, 3), -EBADMSG);
	assert_int_equal(p.n_entries, 0);
	assert_int_equal(keys.n_keys, 0);
	three[2].axis = MEASURES_MAX;
	assert_int_equal(slot_slices_add(&p, &keys, &scratch, three, 3), -EINVAL);
	assert_int_equal(slot_slices_add(&p, &keys, &scratch, three, 2), 0);
	assert_int_equal(p.n_entries, 1);
	slot_slices_fini(&p, &keys);
	keys_fini(&keys);
	sum_fini(&scratch);
	kit_free(good, 1);
	kit_free(bad, 1);
}

TEST_MAIN()
