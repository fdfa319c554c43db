#include "test/kit/check.h"
#include "render/encode/palette_index.h"

#include <errno.h>
#include <stdlib.h>

TEST(indices_follow_the_order_of_first_pixels)
{
	const __u32 pixel[] = { 0xff123456, 0xff000000, 0x123456, 0xffffff, 0 };
	const __u8 is[] = { 0, 1, 0, 2, 1 };
	struct palette_index palette;
	__u8 *index;

	assert_int_equal(palette_index_make(pixel, 5, &palette, &index), 0);
	assert_memory_equal(index, is, sizeof(is));
	assert_true(palette.n == 3 && palette.colour[0] == 0x123456 && palette.colour[1] == 0 &&
		    palette.colour[2] == 0xffffff);
	free(index);
}

/* Any 256 colours are accepted, 257 are refused. */
TEST(more_than_256_colours_are_refused)
{
	__u32 pixel[PALETTE_INDEX_MAX + 1];
	struct palette_index palette;
	__u8 *index;

	for (unsigned i = 0; i <= PALETTE_INDEX_MAX; i++)
		pixel[i] = i * 0x10203 & 0xffffff;
	assert_int_equal(palette_index_make(pixel, PALETTE_INDEX_MAX, &palette, &index), 0);
	assert_int_equal(palette.n, PALETTE_INDEX_MAX);
	for (unsigned i = 0; i < PALETTE_INDEX_MAX; i++)
		assert_true(palette.colour[index[i]] == pixel[i]);
	free(index);
	assert_int_equal(palette_index_make(pixel, PALETTE_INDEX_MAX + 1, &palette, &index), -E2BIG);
}

TEST_MAIN()
