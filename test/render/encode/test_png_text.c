#include "render/encode/deflate.h"
#include "render/encode/png_text.h"
#include "render/encode/png.h"
#include "test/kit/check.h"
#include "test/kit/render_kit.h"
#include <errno.h>

#define KEYWORD "heatscope-grid"

static __u8 *picture(size_t *ret_len)
{
	static const char *const text[] = { "Software", "heatscope", "Title", "µs", NULL };
	static const __u32 pixel[6] = { 1, 2, 3, 4, 5, 6 };
	__u8 *png;

	assert_int_equal(png_rgb((const __u8 *)pixel, 12, 3, 2, 0, text, &png, ret_len), 0);
	return png;
}

/* Partly repeats itself, as data do. */
static char *text_of(size_t len)
{
	char *text = malloc(len + 1);

	for (size_t i = 0; i < len; i++)
		text[i] = "abc[{,"[check_below(3) + (i % 7 ? 0 : 3)];
	text[len] = 0;
	return text;
}

static __u8 *with(const char *text, size_t len, size_t *ret_len)
{
	const struct png_text entry[] = { { "Creation Time", "now", 3 }, { "Comment", "ä", 2 },
					  { KEYWORD, text, len } };
	size_t n;
	__u8 *png = picture(&n), *out;

	assert_int_equal(png_text_put(png, n, entry, 3, &out, ret_len), 0);
	free(png);
	return out;
}

TEST(a_long_text_comes_back_as_it_was)
{
	static const size_t sizes[] = { 256, 257, 4095, 65536, 1000003 };

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		char *text = text_of(sizes[i]), *back, reason[PNG_TEXT_REASON];
		size_t len, n;
		__u8 *png = with(text, sizes[i], &n);

		assert_int_equal(png_text_get(png, n, KEYWORD, &back, &len, reason), 0);
		assert_int_equal(len, sizes[i]);
		assert_memory_equal(back, text, len + 1);
		free(back);
		free(text);
		free(png);
	}
}

TEST(the_picture_stays_the_same)
{
	char *text = text_of(5000);
	size_t n_plain, n_with;
	unsigned width, height;
	__u8 *plain = picture(&n_plain), *png = with(text, 5000, &n_with);
	__u8 *before = kit_decode(plain, n_plain, &width, &height), *after = kit_decode(png, n_with, &width, &height);

	(void)state;
	assert_int_equal(width, 3);
	assert_int_equal(height, 2);
	assert_memory_equal(before, after, 18);
	assert_memory_equal(plain, png, n_plain - 12);	/* all but the end is where it was */
	free(before);
	free(after);
	free(plain);
	free(png);
	free(text);
}

TEST(short_texts_are_not_packed)
{
	char *text = text_of(300);
	size_t n;
	__u8 *png = with(text, 300, &n);

	(void)state;
	assert_non_null(memmem(png, n, "tEXtCreation Time\0now", 21));
	assert_non_null(memmem(png, n, "iTXtComment\0\0\0\0\0ä", 18));
	free(png);
	free(text);
}

static int get(const __u8 *png, size_t n, char reason[PNG_TEXT_REASON])
{
	char *back = NULL;
	size_t len;
	int err = png_text_get(png, n, KEYWORD, &back, &len, reason);

	free(back);
	return err;
}

static size_t text_chunk(const __u8 *png, size_t n)
{
	return (size_t)((const __u8 *)memmem(png, n, "iTXt" KEYWORD, 18) - png) - 4;
}

TEST(cut_files_are_refused)
{
	char *text = text_of(3000), reason[PNG_TEXT_REASON];
	size_t n;
	__u8 *png = with(text, 3000, &n);

	(void)state;
	for (size_t len = 0; len < n - 12; len++) {
		__u8 *cut = malloc(len + 1);	/* its own memory, so that a sanitizer sees a read beyond it */

		memcpy(cut, png, len);
		*reason = 0;
		assert_int_equal(get(cut, len, reason), -EINVAL);
		assert_true(*reason);
		free(cut);
	}
	free(png);
	free(text);
}

TEST(flipped_bits_are_refused)
{
	char *text = text_of(3000), reason[PNG_TEXT_REASON];
	size_t n, from;
	__u8 *png = with(text, 3000, &n);

	(void)state;
	from = text_chunk(png, n);
	for (size_t at = from; at < n - 12; at++)
		for (unsigned bit = 0; bit < 8; bit++) {
			png[at] ^= (__u8)(1u << bit);
			assert_int_equal(get(png, n, reason), -EINVAL);
			png[at] ^= (__u8)(1u << bit);
		}
	assert_int_equal(get(png, n, reason), 0);
	png[from + 40] ^= 1;
	get(png, n, reason);
	assert_non_null(strstr(reason, "has another checksum"));
	free(png);
	free(text);
}

TEST(refuses_other_files)
{
	char reason[PNG_TEXT_REASON];
	size_t n;
	__u8 *png = picture(&n), *out;
	const struct png_text nameless = { "", "text", 4 };

	(void)state;
	assert_int_equal(get((const __u8 *)"GIF89a...", 9, reason), -EINVAL);
	assert_string_equal(reason, "not a PNG");
	assert_int_equal(get(png, n, reason), -EINVAL);
	assert_non_null(strstr(reason, "without data"));
	assert_int_equal(png_text_put(png, n, &nameless, 1, &out, &n), -EINVAL);
	assert_int_equal(png_text_put(png, n - 1, &nameless, 1, &out, &n), -EINVAL);
	assert_int_equal(png_text_put(png, 3, &nameless, 1, &out, &n), -EINVAL);
	free(png);
}

/* A few kilobytes that would unpack to very many. */
TEST(refuses_texts_beyond_the_limit)
{
	char *text = malloc(PNG_TEXT_MAX + 1), reason[PNG_TEXT_REASON];
	size_t n;
	__u8 *png;

	(void)state;
	memset(text, ' ', PNG_TEXT_MAX + 1);
	png = with(text, PNG_TEXT_MAX + 1, &n);
	assert_true(n < PNG_TEXT_MAX / 100);
	assert_int_equal(get(png, n, reason), -EINVAL);
	assert_non_null(strstr(reason, "longer than 16 MiB"));
	free(png);
	png = with(text, PNG_TEXT_MAX, &n);
	assert_int_equal(get(png, n, reason), 0);
	free(png);
	free(text);
}

TEST(streams_end_where_they_say)
{
	char *text = text_of(10000);
	__u8 *packed, *back;
	size_t n, len;

	(void)state;
	for (int effort = DEFLATE_FAST; effort <= DEFLATE_SMALL; effort++) {
		assert_int_equal(deflate_pack((const __u8 *)text, 10000, (enum deflate_effort)effort, &packed, &n), 0);
		assert_int_equal(deflate_unpack(packed, n, 10000, &back, &len), 0);
		assert_int_equal(len, 10000);
		assert_memory_equal(back, text, len);
		free(back);
		assert_int_equal(deflate_unpack(packed, n, 9999, &back, &len), -E2BIG);
		assert_int_equal(deflate_unpack(packed, n - 1, 10000, &back, &len), -EBADMSG);
		assert_int_equal(deflate_unpack(packed, 0, 10000, &back, &len), -EBADMSG);
		packed = realloc(packed, n + 1);
		packed[n] = 0;
		assert_int_equal(deflate_unpack(packed, n + 1, 10000, &back, &len), -EBADMSG);
		free(packed);
	}
	free(text);
}

TEST_MAIN()
