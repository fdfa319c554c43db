#include "render/encode/png.h"
#include "render/encode/deflate.h"
#include "render/encode/palette_index.h"
#include <endian.h>
#include <errno.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

#define TEXTS_MAX 16
#define SIDE_MAX 32767
#define IDAT_MAX (1u << 30)		/* a chunk ends below 2^31 */

struct sink {
	__u8 *data;
	size_t len, room;
};

static void sink_write(png_structp png, png_bytep data, png_size_t len)
{
	struct sink *s = png_get_io_ptr(png);

	if (len > s->room - s->len) {
		size_t room = (s->room + len) * 2;
		__u8 *more = realloc(s->data, room);

		if (!more)
			png_error(png, "no memory");
		s->data = more;
		s->room = room;
	}
	memcpy(s->data + s->len, data, len);
	s->len += len;
}

static void sink_flush(png_structp png) { (void)png; }
static void sink_warn(png_structp png, png_const_charp text) { (void)png; (void)text; }
static void sink_fail(png_structp png, png_const_charp text) { (void)text; png_longjmp(png, 1); }

static int is_ascii(const char *text)
{
	while (*text && (unsigned char)*text < 0x80)	/* char has a sign on some processors, and not on others */
		text++;
	return !*text;
}

static void put_text(png_structp png, png_infop info, const char *const *text)
{
	png_text chunk[TEXTS_MAX];
	int n = 0;

	memset(chunk, 0, sizeof(chunk));
	for (; text && text[0] && n < TEXTS_MAX; text += 2, n++) {
		chunk[n].compression = is_ascii(text[1]) ? PNG_TEXT_COMPRESSION_NONE : PNG_ITXT_COMPRESSION_NONE;
		chunk[n].key = (png_charp)text[0];
		chunk[n].text = (png_charp)text[1];
		chunk[n].text_length = strlen(text[1]);
	}
	if (n)
		png_set_text(png, info, chunk, n);
}

/* The content and form of the PNG.  It is a struct because local variables would not survive the longjmp. */
struct job {
	unsigned width, height, pixels_per_metre;
	const __u32 *palette;		/* NULL: RGB */
	const char *const *text;
	__u8 *idat;			/* the rows, deflated */
	size_t idat_len;
};

static void put_head(png_structp png, png_infop info, const struct job *j)
{
	png_color colour[256];

	png_set_IHDR(png, info, j->width, j->height, 8, j->palette ? PNG_COLOR_TYPE_PALETTE : PNG_COLOR_TYPE_RGB,
		     PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
	for (unsigned i = 0; j->palette && i < 256; i++)
		colour[i] = (png_color){ j->palette[i] >> 16 & 255, j->palette[i] >> 8 & 255, j->palette[i] & 255 };
	if (j->palette)
		png_set_PLTE(png, info, colour, 256);
	if (j->pixels_per_metre)
		png_set_pHYs(png, info, j->pixels_per_metre, j->pixels_per_metre, PNG_RESOLUTION_METER);
	put_text(png, info, j->text);
	png_write_info(png, info);
}

/* libpng would deflate with zlib, which takes ten times as long.  So libpng writes the chunks, and we fill them. */
static int put_all(png_structp png, png_infop info, const struct job *j)
{
	if (setjmp(png_jmpbuf(png)))
		return -ENOMEM;
	put_head(png, info, j);
	for (size_t at = 0, len; at < j->idat_len; at += len) {
		len = j->idat_len - at < IDAT_MAX ? j->idat_len - at : IDAT_MAX;
		png_write_chunk(png, (png_const_bytep)"IDAT", j->idat + at, len);
	}
	png_write_chunk(png, (png_const_bytep)"IEND", NULL, 0);
	return 0;
}

static int job_run(const struct job *j, __u8 **ret_png, size_t *ret_len)
{
	struct sink s = { .room = j->idat_len + 4096 };
	png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, sink_fail, sink_warn);
	png_infop info = png ? png_create_info_struct(png) : NULL;
	int err = -ENOMEM;

	s.data = malloc(s.room);
	if (info && s.data) {
		png_set_write_fn(png, &s, sink_write, sink_flush);
		err = put_all(png, info, j);
	}
	png_destroy_write_struct(&png, &info);
	if (err) {
		free(s.data);
		return err;
	}
	*ret_png = s.data;
	*ret_len = s.len;
	return 0;
}

/* Deflates the rows, each of which follows its filter byte, and writes the picture. */
static int job_finish(struct job *j, const __u8 *rows, size_t len, __u8 **ret_png, size_t *ret_len)
{
	int err = deflate_pack(rows, len, DEFLATE_FAST, &j->idat, &j->idat_len);

	return err ? err : job_run(j, ret_png, ret_len);
}

static int size_valid(unsigned width, unsigned height)
{
	return width && height && width <= SIDE_MAX && height <= SIDE_MAX;
}

int png_palette(const __u8 *pixel, unsigned width, unsigned height, const __u32 rgb[256],
		const char *const *text, __u8 **ret_png, size_t *ret_len)
{
	struct job j = { .width = width, .height = height, .palette = rgb, .text = text };
	size_t stride = (size_t)width + 1;
	__u8 *rows;
	int err;

	if (!size_valid(width, height))
		return -EINVAL;
	rows = malloc(height * stride);
	for (size_t y = 0; rows && y < height; y++) {
		rows[y * stride] = PNG_FILTER_VALUE_NONE;
		memcpy(rows + y * stride + 1, pixel + y * width, width);
	}
	err = rows ? job_finish(&j, rows, height * stride, ret_png, ret_len) : -ENOMEM;
	free(rows);
	free(j.idat);
	return err;
}

/* Writes four bytes at once; the next pixel overwrites the fourth.  So the buffer has one more byte after the row. */
static void pack_rgb(const __u8 *argb, unsigned width, __u8 *row)
{
	*row++ = PNG_FILTER_VALUE_NONE;
	for (unsigned x = 0; x < width; x++, row += 3) {
		__u32 rgb;

		memcpy(&rgb, argb + 4 * (size_t)x, sizeof(rgb));
		rgb = htobe32(rgb << 8);
		memcpy(row, &rgb, sizeof(rgb));
	}
}

int png_rgb(const __u8 *argb, size_t stride, unsigned width, unsigned height, unsigned pixels_per_metre,
	    const char *const *text, __u8 **ret_png, size_t *ret_len)
{
	struct job j = { .width = width, .height = height, .pixels_per_metre = pixels_per_metre, .text = text };
	size_t packed = (size_t)width * 3 + 1;
	__u8 *rows;
	int err;

	if (!size_valid(width, height))
		return -EINVAL;
	rows = malloc(height * packed + 1);
	for (size_t y = 0; rows && y < height; y++)
		pack_rgb(argb + y * stride, width, rows + y * packed);
	err = rows ? job_finish(&j, rows, height * packed, ret_png, ret_len) : -ENOMEM;
	free(rows);
	free(j.idat);
	return err;
}

int png_smallest(const __u32 *pixel, unsigned width, unsigned height, __u8 **ret_png, size_t *ret_len)
{
	struct palette_index palette;
	__u8 *index;
	int err;

	if (!size_valid(width, height))
		return -EINVAL;
	err = palette_index_make(pixel, (size_t)width * height, &palette, &index);
	if (err == -ENOMEM)
		return err;
	if (err)
		return png_rgb((const __u8 *)pixel, (size_t)width * sizeof(*pixel), width, height, 0, NULL, ret_png, ret_len);
	err = png_palette(index, width, height, palette.colour, NULL, ret_png, ret_len);
	free(index);
	return err;
}
