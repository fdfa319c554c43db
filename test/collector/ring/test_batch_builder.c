#include "collector/ring/batch_builder.h"
#include "test/kit/check.h"

#include <stdio.h>

#define RULER_TEST RULER(UNIT_NS, 2, 4, 20)

/* Adds so many slices that all arrays have moved several times. */
TEST(slices_are_the_added_ones)
{
	struct batch_builder p = { 0 };
	const struct slice *slice;
	struct hist h, back;
	char text[32], label[LABEL_MAX + 1];

	assert_int_equal(hist_init(&h, RULER_TEST), 0);
	assert_int_equal(hist_init(&back, RULER_TEST), 0);
	for (int i = 0; i < 300; i++) {
		snprintf(text, sizeof(text), "key %d", i);
		batch_builder_key(&p);
		batch_builder_label(&p, text);
		batch_builder_label(&p, i % 3 ? "b" : NULL);
		for (int weight = 0; weight < 2; weight++) {
			hist_clear(&h);
			hist_record_times(&h, 100 + i, weight + 1);
			assert_int_equal(batch_builder_add(&p, i % 3, weight, &h), 0);
		}
	}
	slice = batch_builder_slices(&p);
	assert_int_equal(p.n, 600);
	for (int i = 0; i < 600; i++) {
		snprintf(text, sizeof(text), "key %d", i / 2);
		assert_int_equal(slice[i].axis, i / 2 % 3);
		assert_int_equal(slice[i].weight, i % 2);
		assert_int_equal(labels_count(&slice[i].key), 2);
		labels_text(&slice[i].key, 0, label);
		assert_string_equal(label, text);
		labels_text(&slice[i].key, 1, label);
		assert_string_equal(label, i / 2 % 3 ? "b" : "other");
		hist_clear(&back);
		assert_int_equal(hist_decode_add(&back, RULER_TEST, slice[i].hist, slice[i].hist_len), 0);
		assert_true(back.count == (__u64)(1 + i % 2) && back.min == (__u64)(100 + i / 2));
	}
	batch_builder_clear(&p);
	assert_int_equal(p.n, 0);
	hist_fini(&h);
	hist_fini(&back);
	batch_builder_fini(&p);
}

TEST(without_fields_a_key_has_no_bytes)
{
	struct batch_builder p = { 0 };
	struct hist h;

	assert_int_equal(hist_init(&h, RULER_TEST), 0);
	batch_builder_key(&p);
	assert_int_equal(batch_builder_add(&p, 0, 0, &h), 0);
	assert_int_equal(batch_builder_slices(&p)->key.len, 0);
	hist_fini(&h);
	batch_builder_fini(&p);
}

TEST_MAIN()
