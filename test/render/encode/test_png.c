#include "render/encode/png.h"
#include "test/kit/check.h"
#include "test/kit/render_kit.h"
#include <errno.h>
#include <png.h>

static __u32 colour_at(unsigned x, unsigned y)
{
	return (x * 37 & 255) << 16 | (y * 11 & 255) << 8 | ((x ^ y) & 255);
}

TEST(rgb_comes_back_as_it_was)
{
	static __u32 pixel[50][64];		/* rows longer than the picture is wide */
	unsigned width, height;
	__u8 *png, *rgb;
	size_t len;

	(void)state;
	for (unsigned y = 0; y < 50; y++)
		for (unsigned x = 0; x < 64; x++)
			pixel[y][x] = 0xff000000 | colour_at(x, y);
	assert_int_equal(png_rgb((__u8 *)pixel, sizeof(pixel[0]), 60, 50, 0, NULL, &png, &len), 0);
	rgb = kit_decode(png, len, &width, &height);
	assert_int_equal(width, 60);
	assert_int_equal(height, 50);
	for (unsigned y = 0; y < 50; y++)
		for (unsigned x = 0; x < 60; x++)
			assert_int_equal(kit_pixel(rgb, width, x, y), colour_at(x, y));
	free(rgb);
	free(png);
}

TEST(a_palette_comes_back_as_its_colours)
{
	static __u8 index[20][30];
	__u32 colour[256];
	unsigned width, height;
	__u8 *png, *rgb;
	size_t len;

	(void)state;
	for (unsigned i = 0; i < 256; i++)
		colour[i] = i * 0x010203 & 0xffffff;
	for (unsigned y = 0; y < 20; y++)
		for (unsigned x = 0; x < 30; x++)
			index[y][x] = (__u8)(x * 7 + y * 13);
	assert_int_equal(png_palette(*index, 30, 20, colour, NULL, &png, &len), 0);
	assert_int_equal(png[25], PNG_COLOR_TYPE_PALETTE);
	rgb = kit_decode(png, len, &width, &height);
	for (unsigned y = 0; y < 20; y++)
		for (unsigned x = 0; x < 30; x++)
			assert_int_equal(kit_pixel(rgb, width, x, y), colour[index[y][x]]);
	free(rgb);
	free(png);
}

/* The chunk of the pixels is then longer than the pixels. */
TEST(noise_comes_back_as_it_was)
{
	static __u32 pixel[64 * 64];
	unsigned width, height, noise = 1;
	__u8 *png, *rgb;
	size_t len;

	(void)state;
	for (unsigned i = 0; i < 64 * 64; i++) {
		noise = noise * 1664525 + 1013904223;
		pixel[i] = noise >> 8;
	}
	assert_int_equal(png_rgb((__u8 *)pixel, 64 * 4, 64, 64, 0, NULL, &png, &len), 0);
	assert_true(len > 64 * 64 * 3);
	rgb = kit_decode(png, len, &width, &height);
	for (unsigned i = 0; i < 64 * 64; i++)
		assert_int_equal(kit_pixel(rgb, width, i % 64, i / 64), pixel[i]);
	free(rgb);
	free(png);
}

/* 256 colours are a palette, 257 are not; both are the same picture. */
TEST(few_colours_are_a_palette)
{
	(void)state;
	for (unsigned n = 255; n <= 257; n++) {
		static __u32 pixel[20 * 20];
		unsigned width, height;
		__u8 *png, *rgb;
		size_t len;

		for (unsigned i = 0; i < 400; i++)
			pixel[i] = 0xff000000 | i % n * 0x010101 % 0xfffffd;
		assert_int_equal(png_smallest(pixel, 20, 20, &png, &len), 0);
		assert_int_equal(png[25], n <= 256 ? PNG_COLOR_TYPE_PALETTE : PNG_COLOR_TYPE_RGB);
		rgb = kit_decode(png, len, &width, &height);
		for (unsigned i = 0; i < 400; i++)
			assert_int_equal(kit_pixel(rgb, width, i % 20, i / 20), pixel[i] & 0xffffff);
		free(rgb);
		free(png);
	}
}

/* The chunk of that type, its data and length; NULL: none. */
static const __u8 *chunk(const __u8 *png, size_t len, const char *type, size_t *ret_len)
{
	for (size_t at = 8; at + 12 <= len;) {
		size_t n = (size_t)png[at] << 24 | (size_t)png[at + 1] << 16 | (size_t)png[at + 2] << 8 | png[at + 3];

		if (!memcmp(png + at + 4, type, 4)) {
			*ret_len = n;
			return png + at + 8;
		}
		at += 12 + n;
	}
	return NULL;
}

TEST(texts_and_size_travel_with_it)
{
	static const char *const text[] = { "Software", "heatscope", "Title", "µs", NULL };
	static const __u32 pixel[4] = { 0, 1, 2, 3 };
	const __u8 *data;
	__u8 *png;
	size_t len, n;

	(void)state;
	assert_int_equal(png_rgb((const __u8 *)pixel, 8, 2, 2, 3780, text, &png, &len), 0);
	data = chunk(png, len, "tEXt", &n);
	assert_true(data && n == 18 && !memcmp(data, "Software\0heatscope", n));
	data = chunk(png, len, "iTXt", &n);
	assert_true(data && !memcmp(data, "Title", 6) && !memcmp(data + n - 3, "µs", 3));
	data = chunk(png, len, "pHYs", &n);
	assert_true(data && n == 9 && data[2] == 3780 / 256 && data[3] == 3780 % 256);
	free(png);
}

TEST(refuses_sizes_of_nothing_and_too_much)
{
	static const struct { unsigned width, height; } bad[] = { { 0, 1 }, { 1, 0 }, { 32768, 1 }, { 1, 32768 } };
	static const __u32 pixel[1], colour[256];
	static const __u8 index[1];
	__u8 *png;
	size_t len;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		unsigned width = bad[i].width, height = bad[i].height;

		assert_int_equal(png_rgb((const __u8 *)pixel, 4, width, height, 0, NULL, &png, &len), -EINVAL);
		assert_int_equal(png_palette(index, width, height, colour, NULL, &png, &len), -EINVAL);
		assert_int_equal(png_smallest(pixel, width, height, &png, &len), -EINVAL);
	}
}

TEST_MAIN()
