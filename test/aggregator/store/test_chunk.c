#include "aggregator/store/chunk.h"
#include "test/kit/check.h"

#include <errno.h>

static const __u8 key_bytes[] = { 6, 's', 'e', 'l', 'e', 'c', 't', 0 };
static const struct chunk_name name = {
	.inst = 7, .first = 1020, .ruler = RULER(UNIT_NS, 5, 10, 39), .axis = 3, .weight = 8, .key = { key_bytes, 8 },
};

/* Fills some slots, with different bytes in each. */
static void make(struct chunk *c, __u64 filled, struct bytes *out)
{
	__u8 part[30 + CHUNK_SLOTS];

	chunk_begin(c, &name);
	for (unsigned i = 0; i < CHUNK_SLOTS; i++) {
		memset(part, (int)i, sizeof(part));
		if (filled >> i % 64 & 1)
			chunk_put(c, i, part, 30 + i);
	}
	assert_int_equal(chunk_end(c, out), 0);
}

TEST(a_chunk_decodes_to_the_same_slots)
{
	static const __u64 filled[] = { 1, 1ULL << 59, ~0ULL, 0x123456789abcdef };
	struct chunk made = { 0 }, got = { 0 };

	for (int round = 0; round < 4; round++) {
		struct bytes out = { 0 };

		make(&made, filled[round], &out);
		assert_int_equal(chunk_decode(&got, out.data, out.len), 0);
		assert_int_equal(got.name.inst, 7);
		assert_int_equal(got.name.first, 1020);
		assert_int_equal(got.name.ruler, name.ruler);
		assert_int_equal(got.name.axis, 3);
		assert_int_equal(got.name.weight, 8);
		assert_int_equal(labels_compare(&got.name.key, &name.key), 0);
		for (unsigned i = 0; i < CHUNK_SLOTS; i++) {
			assert_int_equal(got.slot[i].hist_len, filled[round] >> i % 64 & 1 ? 30 + i : 0);
			if (got.slot[i].hist_len)
				assert_int_equal(got.slot[i].hist[29 + i], (__u8)i);
		}
		bytes_fini(&out);
	}
	chunk_fini(&made);
	chunk_fini(&got);
}

TEST(refuses_every_flipped_bit_and_every_cut)
{
	struct chunk made = { 0 }, got = { 0 };
	struct bytes out = { 0 };

	make(&made, 0xff00ff, &out);
	for (size_t bit = 0; bit < 8 * out.len; bit++) {
		out.data[bit / 8] ^= (__u8)(1 << bit % 8);
		assert_int_equal(chunk_decode(&got, out.data, out.len), -EBADMSG);
		assert_int_equal(got.slot[0].hist_len, 0);
		out.data[bit / 8] ^= (__u8)(1 << bit % 8);
	}
	for (size_t len = 0; len < out.len; len++)
		assert_int_equal(chunk_decode(&got, out.data, len), -EBADMSG);
	bytes_fini(&out);
	chunk_fini(&made);
	chunk_fini(&got);
}

TEST(refuses_slots_out_of_order)
{
	static const unsigned order[][2] = { { 5, 5 }, { 5, 4 }, { 5, CHUNK_SLOTS } };
	struct chunk made = { 0 }, got = { 0 };

	for (int i = 0; i < 3; i++) {
		struct bytes out = { 0 };

		chunk_begin(&made, &name);
		chunk_put(&made, order[i][0], key_bytes, 8);
		chunk_put(&made, order[i][1], key_bytes, 8);
		assert_int_equal(chunk_end(&made, &out), 0);
		assert_int_equal(chunk_decode(&got, out.data, out.len), -EBADMSG);
		bytes_fini(&out);
	}
	chunk_fini(&made);
	chunk_fini(&got);
}

TEST(refuses_a_name_that_can_not_be)
{
	static const __u8 long_label[] = { 9, 'x' };
	struct chunk made = { 0 }, got = { 0 };
	struct chunk_name bad[6];

	for (int i = 0; i < 6; i++)
		bad[i] = name;
	bad[0].first = 1021;
	bad[1].ruler = 0;
	bad[2].axis = MEASURES_MAX;
	bad[3].weight = MEASURES_MAX + 1;
	bad[4].key = (struct labels){ long_label, 2 };
	bad[5].tier = TIERS;
	for (int i = 0; i < 6; i++) {
		struct bytes out = { 0 };

		chunk_begin(&made, &bad[i]);
		assert_int_equal(chunk_end(&made, &out), 0);
		assert_int_equal(chunk_decode(&got, out.data, out.len), -EBADMSG);
		bytes_fini(&out);
	}
	chunk_fini(&made);
	chunk_fini(&got);
}

TEST(slots_before_the_epoch_have_chunks_too)
{
	assert_int_equal(chunk_first(0), 0);
	assert_int_equal(chunk_first(299), 0);
	assert_int_equal(chunk_first(300), 300);
	assert_int_equal(chunk_first(-1), -300);
	assert_int_equal(chunk_first(-300), -300);
}

TEST_MAIN()
