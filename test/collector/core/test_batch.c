#include "collector/core/batch.h"
#include "test/kit/check.h"
#include "test/kit/exemplar_kit.h"

#include <errno.h>

static const __u64 ruler = RULER(UNIT_NS, 5, 10, 39);

/* A batch of random slices over a few keys; `mem` holds its bytes. */
struct made {
	struct batch batch;
	struct slice slice[40];
	struct bytes key[5], hist[40];
};

static void made_init(struct made *m)
{
	static const char *const statement[] = { "select", "insert", "update", NULL, "x" };

	memset(m, 0, sizeof(*m));
	m->batch = (struct batch){ .source = "db1", .incarnation = check_random(), .inst = 7,
				   .slot_ns = 1000000000, .slot = 1700000000, .seq = 3, .run = 1,
				   .clock_step_ns = -5000000, .slice = m->slice,
				   .loss = { .n = 9, .sum = 12345, .first = 1699999990, .last = 1699999999 } };
	for (int i = 0; i < 5; i++)
		labels_put(&m->key[i], statement[i]);
	m->batch.n_slices = check_below(41);
	for (size_t i = 0; i < m->batch.n_slices; i++) {
		struct bytes *key = &m->key[check_below(5)];
		struct hist h;

		hist_init(&h, ruler);
		for (uint64_t n = check_below(50); n; n--)
			hist_record(&h, check_value(), 1);
		hist_encode(&h, &m->hist[i]);
		hist_fini(&h);
		m->slice[i] = (struct slice){ .ruler = ruler, .axis = (__u16)check_below(MEASURES_MAX),
					      .weight = (__u16)check_below(MEASURES_MAX + 1),
					      .key = { key->data, (__u16)key->len },
					      .hist = m->hist[i].data, .hist_len = (__u32)m->hist[i].len };
	}
}

static void made_fini(struct made *m)
{
	for (int i = 0; i < 5; i++)
		bytes_fini(&m->key[i]);
	for (int i = 0; i < 40; i++)
		bytes_fini(&m->hist[i]);
}

static void a_batch_comes_back_as_it_was(void **state)
{
	for (int round = 0; round < 100; round++) {
		struct bytes out = { 0 };
		struct batch back;
		struct made m;

		made_init(&m);
		batch_encode(&m.batch, &out);
		assert_int_equal(out.err, 0);
		assert_int_equal(batch_decode(out.data, out.len, &back), 0);
		assert_true(back.inst == m.batch.inst && back.slot == m.batch.slot && back.seq == m.batch.seq);
		assert_int_equal(back.incarnation, m.batch.incarnation);
		assert_string_equal(back.source, "db1");
		assert_int_equal(back.run, 1);
		assert_int_equal(back.clock_step_ns, -5000000);
		assert_memory_equal(&back.loss, &m.batch.loss, sizeof(back.loss));
		assert_int_equal(back.n_slices, m.batch.n_slices);
		for (size_t i = 0; i < back.n_slices; i++) {
			assert_int_equal(labels_compare(&back.slice[i].key, &m.slice[i].key), 0);
			assert_int_equal(back.slice[i].axis, m.slice[i].axis);
			assert_int_equal(back.slice[i].weight, m.slice[i].weight);
			assert_int_equal(back.slice[i].ruler, ruler);
			assert_int_equal(back.slice[i].hist_len, m.slice[i].hist_len);
			assert_memory_equal(back.slice[i].hist, m.slice[i].hist, back.slice[i].hist_len);
		}
		batch_fini(&back);
		bytes_fini(&out);
		made_fini(&m);
	}
}

/* Tested with `every` and without it. */
static void exemplars_come_back_as_they_were(void **state)
{
	static const struct kit_exemplar some[] = { { 900000, 5, 0, 1, "select ?", NULL }, { 700, 0, 1, 0, "", NULL } };
	static const __u32 every[] = { 0, 2, 300 };

	for (size_t i = 0; i < 3; i++) {
		struct bytes out = { 0 }, encoded = { 0 };
		struct batch back;
		struct made m;

		made_init(&m);
		kit_exemplars(&encoded, 3, some, 2);
		m.batch.every = every[i];
		m.batch.exemplars = encoded.data;
		m.batch.exemplars_len = encoded.len;
		batch_encode(&m.batch, &out);
		assert_int_equal(batch_decode(out.data, out.len, &back), 0);
		assert_int_equal(back.every, every[i]);
		assert_int_equal(back.exemplars_len, encoded.len);
		assert_memory_equal(back.exemplars, encoded.data, encoded.len);
		batch_fini(&back);
		for (size_t len = out.len - encoded.len + 1; len < out.len; len++)
			assert_int_equal(batch_decode(out.data, len, &back), -EBADMSG);
		out.data[out.len - encoded.len - (every[i] > 127) - 1] = 1;
		assert_int_equal(batch_decode(out.data, out.len, &back), -EBADMSG);	/* `every` 1 is never written */
		bytes_fini(&encoded);
		bytes_fini(&out);
		made_fini(&m);
	}
}

static void refuses_every_truncation(void **state)
{
	struct bytes out = { 0 };
	struct batch back;
	struct made m;

	made_init(&m);
	batch_encode(&m.batch, &out);
	for (size_t len = 0; len < out.len; len++) {
		__u8 *copy = malloc(len + 1);	/* so that a sanitizer sees a read past the end */

		memcpy(copy, out.data, len);
		assert_int_equal(batch_decode(copy, len, &back), -EBADMSG);
		free(copy);
	}
	bytes_put_int(&out, 0, 1);
	assert_int_equal(batch_decode(out.data, out.len, &back), -EBADMSG);	/* one byte too many */
	bytes_fini(&out);
	made_fini(&m);
}

/* A flipped bit yields an error, or a batch whose parts can all be read safely. */
static void survives_flipped_bits(void **state)
{
	struct bytes out = { 0 };
	struct batch back;
	struct hist h;
	struct made m;

	made_init(&m);
	batch_encode(&m.batch, &out);
	for (int i = 0; i < 20000; i++) {
		size_t at = check_below(out.len);
		__u8 flip = (__u8)(1 << check_below(8));

		out.data[at] ^= flip;
		if (!batch_decode(out.data, out.len, &back)) {
			for (size_t n = 0; n < back.n_slices; n++) {
				assert_int_equal(hist_init(&h, back.slice[n].ruler), 0);
				assert_int_equal(hist_decode_add(&h, back.slice[n].ruler, back.slice[n].hist,
								 back.slice[n].hist_len), 0);
				hist_fini(&h);
			}
			batch_fini(&back);
		}
		out.data[at] ^= flip;
	}
	bytes_fini(&out);
	made_fini(&m);
}

static void a_key_is_written_once(void **state)
{
	struct bytes one = { 0 }, many = { 0 }, key = { 0 }, hist = { 0 };
	struct slice slice[8];
	struct hist h;

	hist_init(&h, ruler);
	hist_encode(&h, &hist);
	labels_put(&key, "a rather long label that would be seen in the size of the batch if repeated");
	for (int i = 0; i < 8; i++)
		slice[i] = (struct slice){ .ruler = ruler, .axis = (__u16)i, .key = { key.data, (__u16)key.len },
					   .hist = hist.data, .hist_len = (__u32)hist.len };
	struct batch b = { .source = "a", .slot_ns = 1, .n_slices = 1, .slice = slice };
	batch_encode(&b, &one);
	b.n_slices = 8;
	batch_encode(&b, &many);
	assert_true(many.len - one.len < 8 * key.len / 2);
	bytes_fini(&one);
	bytes_fini(&many);
	bytes_fini(&key);
	bytes_fini(&hist);
	hist_fini(&h);
}

static void refuses_names_and_slots_that_can_not_be(void **state)
{
	static const struct batch bad[] = {
		{ .source = "", .slot_ns = 1 },
		{ .source = "a", .slot_ns = 0 },
		{ .source = "a", .slot_ns = 1, .slot = -1 },
		{ .source = "a", .slot_ns = 1000000000, .slot = INT64_MAX / 2 },
		{ .source = "a", .slot_ns = 1, .slot = INT64_MAX, .run = 5 },
		{ .source = "a", .slot_ns = 1, .loss = { .n = 1, .first = 5, .last = 4 } },
	};
	struct batch back;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct bytes out = { 0 };

		batch_encode(&bad[i], &out);
		assert_int_equal(batch_decode(out.data, out.len, &back), -EBADMSG);
		bytes_fini(&out);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_batch_comes_back_as_it_was),
	cmocka_unit_test(exemplars_come_back_as_they_were),
	cmocka_unit_test(refuses_every_truncation),
	cmocka_unit_test(survives_flipped_bits),
	cmocka_unit_test(a_key_is_written_once),
	cmocka_unit_test(refuses_names_and_slots_that_can_not_be),
};

CHECK_MAIN(tests)
