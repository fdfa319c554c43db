#include "collector/core/frame.h"
#include "test/kit/check.h"

#include <errno.h>

static void frames_come_out_one_by_one(void **state)
{
	struct bytes b = { 0 };
	struct frame f;
	size_t at = 0;
	long n;

	frame_put(&b, FRAME_HELLO, "hello", 5);
	frame_put(&b, FRAME_ACK, NULL, 0);
	frame_put(&b, FRAME_BATCH, "batch", 5);
	for (int i = 0; (n = frame_get(b.data + at, b.len - at, &f)) > 0; i++, at += (size_t)n) {
		assert_int_equal(f.type, ((int[]){ FRAME_HELLO, FRAME_ACK, FRAME_BATCH })[i]);
		assert_int_equal(f.len, i == 1 ? 0 : 5);
		if (at + (size_t)n == b.len) {
			assert_memory_equal(f.data, "batch", 5);
			bytes_fini(&b);
			return;
		}
	}
	fail_msg("stopped at %zu of %zu with %ld", at, b.len, n);
}

static void a_frame_cut_anywhere_wants_more(void **state)
{
	struct bytes b = { 0 };
	struct frame f;

	frame_put(&b, FRAME_BATCH, "0123456789", 10);
	for (size_t len = 0; len < b.len; len++)
		assert_int_equal(frame_get(b.data, len, &f), 0);
	bytes_fini(&b);
}

static void every_flipped_bit_is_noticed(void **state)
{
	struct bytes b = { 0 };
	struct frame f;

	frame_put(&b, FRAME_BATCH, "0123456789", 10);
	for (size_t bit = 0; bit < b.len * 8; bit++) {
		b.data[bit / 8] ^= (__u8)(1 << bit % 8);
		assert_true(frame_get(b.data, b.len, &f) <= 0);	/* an error, or it waits for a longer frame */
		b.data[bit / 8] ^= (__u8)(1 << bit % 8);
	}
	bytes_fini(&b);
}

static void refuses_garbage_at_its_first_byte(void **state)
{
	struct frame f;

	assert_int_equal(frame_get((const __u8 *)"G", 1, &f), -EBADMSG);
	assert_int_equal(frame_get((const __u8 *)"HSC1\2\3\0\0\0\0\0\0\0\0\0\0", 16, &f), -EPROTO);
	assert_int_equal(frame_get((const __u8 *)"HSC1\1\3\0\0\xff\xff\xff\xff\0\0\0\0", 16, &f), -EBADMSG);
	assert_non_null(strstr(frame_error(-EPROTO), "version"));
	assert_non_null(strstr(frame_error(-EBADMSG), "CRC"));
}

static void refuses_to_write_a_frame_that_is_too_long(void **state)
{
	struct bytes b = { 0 };
	void *big = calloc(1, FRAME_MAX + 1);

	frame_put(&b, FRAME_BATCH, big, FRAME_MAX + 1);
	assert_int_equal(b.err, -EMSGSIZE);
	free(big);
	bytes_fini(&b);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(frames_come_out_one_by_one),
	cmocka_unit_test(a_frame_cut_anywhere_wants_more),
	cmocka_unit_test(every_flipped_bit_is_noticed),
	cmocka_unit_test(refuses_garbage_at_its_first_byte),
	cmocka_unit_test(refuses_to_write_a_frame_that_is_too_long),
};

CHECK_MAIN(tests)
