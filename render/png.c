#include "png.h"
#include <errno.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

#define TEXTS_MAX 16
#define SIDE_MAX 32767

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
static void quiet(png_structp png, png_const_charp text) { (void)png; (void)text; }
static void fail(png_structp png, png_const_charp text) { (void)text; png_longjmp(png, 1); }

static int is_ascii(const char *text)
{
	while (*text > 0)
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

/* What is written and how; one set of locals would not survive the longjmp. */
struct job {
	const __u8 *pixel;
	size_t stride;
	unsigned width, height, pixels_per_metre;
	const __u32 *palette;		/* NULL: RGB */
	const char *const *text;
	__u8 *row;			/* RGB: room for one */
};

static void put_head(png_structp png, png_infop info, const struct job *j)
{
	png_color colour[256];

	png_set_compression_level(png, 1);
	png_set_filter(png, 0, j->palette ? PNG_FILTER_NONE : PNG_FILTER_UP);
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

static void put_rows(png_structp png, const struct job *j)
{
	for (unsigned y = 0; y < j->height; y++) {
		const __u8 *from = j->pixel + y * j->stride;

		if (j->palette) {
			png_write_row(png, from);
			continue;
		}
		for (unsigned x = 0; x < j->width; x++) {
			__u32 rgb;

			memcpy(&rgb, from + 4 * x, sizeof(rgb));
			j->row[3 * x] = rgb >> 16 & 255;
			j->row[3 * x + 1] = rgb >> 8 & 255;
			j->row[3 * x + 2] = rgb & 255;
		}
		png_write_row(png, j->row);
	}
}

static int put_all(png_structp png, png_infop info, const struct job *j)
{
	if (setjmp(png_jmpbuf(png)))
		return -ENOMEM;
	put_head(png, info, j);
	put_rows(png, j);
	png_write_end(png, info);
	return 0;
}

static int job_run(const struct job *j, __u8 **ret_png, size_t *ret_len)
{
	struct sink s = { .room = 65536 };
	png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, fail, quiet);
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

static int size_valid(unsigned width, unsigned height)
{
	return width && height && width <= SIDE_MAX && height <= SIDE_MAX;
}

int png_palette(const __u8 *pixel, unsigned width, unsigned height, const __u32 rgb[256],
		const char *const *text, __u8 **ret_png, size_t *ret_len)
{
	struct job j = { .pixel = pixel, .stride = width, .width = width, .height = height,
			 .palette = rgb, .text = text };

	return size_valid(width, height) ? job_run(&j, ret_png, ret_len) : -EINVAL;
}

int png_rgb(const __u8 *argb, size_t stride, unsigned width, unsigned height, unsigned pixels_per_metre,
	    const char *const *text, __u8 **ret_png, size_t *ret_len)
{
	struct job j = { .pixel = argb, .stride = stride, .width = width, .height = height,
			 .pixels_per_metre = pixels_per_metre, .text = text };
	int err;

	if (!size_valid(width, height))
		return -EINVAL;
	j.row = malloc((size_t)width * 3);
	err = j.row ? job_run(&j, ret_png, ret_len) : -ENOMEM;
	free(j.row);
	return err;
}

#define TABLE 1024			/* places for 256 colours, by hash */

struct few {
	struct { __u32 rgb, entry; } place[TABLE];	/* entry: index + 1, 0: free */
	__u32 colour[256];
	unsigned n;
};

/* The index of a colour, given to it now if it is new; 256: there are too many. */
static unsigned few_index(struct few *f, __u32 rgb)
{
	unsigned at = (rgb * 2654435761u >> 16) % TABLE;

	while (f->place[at].entry && f->place[at].rgb != rgb)
		at = (at + 1) % TABLE;
	if (!f->place[at].entry) {
		if (f->n == 256)
			return 256;
		f->colour[f->n++] = rgb;
		f->place[at].rgb = rgb;
		f->place[at].entry = f->n;
	}
	return f->place[at].entry - 1;
}

/* NULL: more than 256 colours, or no memory. */
static __u8 *indices(const __u32 *pixel, size_t n, struct few *f)
{
	__u8 *index = malloc(n);
	unsigned last = 256;

	for (size_t i = 0; index && i < n; i++) {
		if (!i || pixel[i] != pixel[i - 1])
			last = few_index(f, pixel[i] & 0xffffff);
		if (last == 256) {
			free(index);
			return NULL;
		}
		index[i] = (__u8)last;
	}
	return index;
}

int png_few(const __u32 *pixel, unsigned width, unsigned height, __u8 **ret_png, size_t *ret_len)
{
	struct few few = { .n = 0 };
	__u8 *index;
	int err;

	if (!size_valid(width, height))
		return -EINVAL;
	index = indices(pixel, (size_t)width * height, &few);
	if (!index)
		return png_rgb((const __u8 *)pixel, (size_t)width * sizeof(*pixel), width, height, 0, NULL, ret_png, ret_len);
	err = png_palette(index, width, height, few.colour, NULL, ret_png, ret_len);
	free(index);
	return err;
}
