#include "test/kit/check.h"
#include "render/encode/palette_index.h"

#include <errno.h>
#include <stdlib.h>

static void indices_are_of_the_colours_in_their_order(void **state)
{
	const __u32 pixel[] = { 0xff123456, 0xff000000, 0x123456, 0xffffff, 0 };
	const __u8 is[] = { 0, 1, 0, 2, 1 };
	struct few few;
	__u8 *index;

	assert_int_equal(few_indices(pixel, 5, &few, &index), 0);
	assert_memory_equal(index, is, sizeof(is));
	assert_true(few.n == 3 && few.colour[0] == 0x123456 && few.colour[1] == 0 && few.colour[2] == 0xffffff);
	free(index);
}

/* Any 256 of them, but no more. */
static void so_many_and_no_more(void **state)
{
	__u32 pixel[FEW_MAX + 1];
	struct few few;
	__u8 *index;

	for (unsigned i = 0; i <= FEW_MAX; i++)
		pixel[i] = i * 0x10203 & 0xffffff;
	assert_int_equal(few_indices(pixel, FEW_MAX, &few, &index), 0);
	assert_int_equal(few.n, FEW_MAX);
	for (unsigned i = 0; i < FEW_MAX; i++)
		assert_true(few.colour[index[i]] == pixel[i]);
	free(index);
	assert_int_equal(few_indices(pixel, FEW_MAX + 1, &few, &index), -E2BIG);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(indices_are_of_the_colours_in_their_order),
	cmocka_unit_test(so_many_and_no_more),
};

CHECK_MAIN(tests)
