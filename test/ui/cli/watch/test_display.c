#include "test/kit/watch_kit.h"
#include "ui/cli/watch/display.h"
#include "ui/cli/watch/kitty.h"
#include "ui/cli/watch/sixel.h"

#include <png.h>
#include <stdlib.h>
#ifdef HAVE_SIXEL
#undef PACKAGE_VERSION
#include <sixel.h>
#endif

static const struct subject subject = { .id = "1", .title = "mysql.queries", .n_measures = 1, .slot_s = 1, .measure = { "latency" } };
static const struct graphics none = { .kind = GRAPHICS_NONE };
static const struct graphics kitty = { GRAPHICS_KITTY, 10, 20, 65536 }, sixel = { GRAPHICS_SIXEL, 10, 20, 256 };

struct stage {
	struct map *map;
	struct view view;
	struct list list;
	struct frame frame;
	struct display display;
	struct bytes out;		/* of the last update */
};

static void stage_init(struct stage *s, struct graphics g)
{
	*s = (struct stage){ .map = kit_map(), .view = { .column_s = 1, .transfer = SHADE_LOG } };
	s->frame = (struct frame){ &subject, &s->view, s->map, &s->list, &s->map->all, FRAME_PAUSED, "", { DEPTH_TRUE, true }, 0, false };
	assert_int_equal(display_resize(&s->display, 80, 24, g), 0);
}

static void stage_fini(struct stage *s)
{
	display_fini(&s->display);
	bytes_fini(&s->out);
	map_free(s->map);
}

/* The bytes of one update, NUL-terminated. */
static char *update(struct stage *s)
{
	s->out.len = 0;
	display_update(&s->display, &s->out, &s->frame);
	bytes_put(&s->out, "", 1);
	assert_int_equal(s->out.err, 0);
	return (char *)s->out.data;
}

static void point(struct stage *s, double time_s)
{
	s->view.pointing = true;
	s->view.time_s = KIT_FROM + time_s;
	s->view.value = 1500;
}

static unsigned six_bits(char c)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = strchr(digits, c);

	assert_non_null(at);
	return (unsigned)(at - digits);
}

/* The data of all chunks of an image; every chunk but the last is full. */
static __u8 *image_in(const char *text, size_t *ret_len)
{
	const char *chunk = strstr(text, "\x1b_Ga=T,");
	__u8 *data = malloc(strlen(text));
	size_t len = 0;
	bool more = true;

	assert_non_null(chunk);
	while (more) {
		const char *from = strchr(chunk, ';'), *end = strstr(chunk, "\x1b\\");

		more = from[-1] == '1';
		assert_true(end - from - 1 <= KITTY_CHUNK && (!more || end - from - 1 == KITTY_CHUNK));
		for (from++; from < end; from += 4) {
			unsigned three = six_bits(from[0]) << 18 | six_bits(from[1]) << 12;

			three |= from[2] == '=' ? 0 : six_bits(from[2]) << 6;
			three |= from[3] == '=' ? 0 : six_bits(from[3]);
			data[len++] = (__u8)(three >> 16);
			if (from[2] != '=')
				data[len++] = (__u8)(three >> 8);
			if (from[3] != '=')
				data[len++] = (__u8)three;
		}
		chunk = strstr(end, "\x1b_G");
		assert_true(!more || chunk == end + 2);
	}
	*ret_len = len;
	return data;
}

/* It has the pixels of the picture. */
static void assert_image(const __u8 *png, size_t len, const struct picture *p)
{
	png_image image = { .version = PNG_IMAGE_VERSION };
	__u8 *rgb;

	assert_true(png_image_begin_read_from_memory(&image, png, len));
	image.format = PNG_FORMAT_RGB;
	assert_true(image.width == p->width && image.height == p->height);
	rgb = malloc(PNG_IMAGE_SIZE(image));
	assert_true(png_image_finish_read(&image, NULL, rgb, 0, NULL));
	for (unsigned i = 0; i < p->width * p->height; i++)
		for (unsigned k = 0; k < 3; k++)
			assert_int_equal(rgb[3 * i + k], p->pixel[i] >> (16 - 8 * k) & 255);
	free(rgb);
}

TEST(kitty_gets_the_picture_s_pixels)
{
	struct stage s;
	size_t len;
	__u8 *png;

	stage_init(&s, kitty);
	png = image_in(update(&s), &len);
	assert_image(png, len, &s.display.picture);
	assert_non_null(strstr((char *)s.out.data, ",c=6,r=19,z=0,C=1,q=2,m="));
	assert_null(strstr((char *)s.out.data, "▀"));
	free(png);
	stage_fini(&s);
}

/* An image of noise needs several. */
TEST(a_large_image_comes_in_chunks)
{
	struct picture p = { .n_lines = 3, .n_cols = 4, .width = 128, .height = 64, .pixel = malloc(128 * 64 * sizeof(__u32)) };
	struct bytes out = { 0 };
	__u8 *png;
	size_t len;

	for (unsigned i = 0; i < p.width * p.height; i++)
		p.pixel[i] = (__u32)check_below(1 << 24);
	kitty_show(&out, &p, 7);
	bytes_put(&out, "", 1);
	png = image_in((char *)out.data, &len);
	assert_image(png, len, &p);
	assert_true(out.len > 4 * KITTY_CHUNK);
	free(png);
	bytes_fini(&out);
	picture_fini(&p);
}

TEST(what_has_not_changed_is_not_sent_again)
{
	const struct graphics both[] = { kitty, sixel };

	for (size_t i = 0; i < (sixel_can() ? 2 : 1); i++) {
		struct stage s;

		stage_init(&s, both[i]);
		update(&s);
		assert_true(strlen(update(&s)) < 64);
		s.map->column[2].cell[0].n = 77;
		assert_true(strlen(update(&s)) > 200);
		display_forget(&s.display);
		assert_non_null(strstr(update(&s), "\x1b[2J"));
		assert_true(s.out.len > 200);
		stage_fini(&s);
	}
}

TEST(an_image_is_replaced_before_it_goes)
{
	struct stage s;
	char *text;

	stage_init(&s, kitty);
	assert_null(strstr(update(&s), "a=d"));
	s.map->column[2].cell[0].n = 77;
	text = update(&s);
	assert_non_null(strstr(text, "a=d,d=I,i=23181,"));
	assert_true(strstr(text, "a=T,f=100,i=23182,") < strstr(text, "a=d,"));
	s.view.overlay = OVERLAY_HELP;
	assert_non_null(strstr(update(&s), "a=d,d=I,i=23182,"));
	assert_null(strstr((char *)s.out.data, "a=T"));
	s.view.overlay = OVERLAY_NONE;
	assert_non_null(strstr(update(&s), "a=T"));
	assert_int_equal(display_resize(&s.display, 80, 24, none), 0);
	assert_non_null(strstr(update(&s), "a=d"));
	assert_non_null(strstr((char *)s.out.data, "▀"));
	stage_fini(&s);
}

/* A character breaks sixels, so they come again when it goes; over an image there is another. */
TEST(a_cursor_is_seen_over_the_picture)
{
	struct stage s;
	char *text;

	stage_init(&s, kitty);
	update(&s);
	point(&s, 2.5);
	text = update(&s);
	assert_true(!strstr(text, "f=100") && strlen(text) < 600);
	assert_non_null(strstr(text, "H\x1b_Ga=T,f=32,s=1,v=20,i=23183,c=1,r=1,z=1,C=1,q=2,m=0;"));
	assert_true(strlen(update(&s)) < 64);
	point(&s, 1.5);
	assert_non_null(strstr(update(&s), "i=23183,c=1"));
	s.view.pointing = false;
	assert_non_null(strstr(update(&s), "a=d,d=I,i=23183,"));
	point(&s, 1.5);
	update(&s);
	s.view.overlay = OVERLAY_LIST;
	assert_non_null(strstr(update(&s), "a=d,d=I,i=23183,"));
	stage_fini(&s);
	if (!sixel_can())
		skip();
	stage_init(&s, sixel);
	update(&s);
	point(&s, 2.5);
	assert_null(strstr(update(&s), "\x1bP"));
	point(&s, 1.5);
	assert_non_null(strstr(update(&s), "\x1bP"));
	assert_non_null(strstr(strstr((char *)s.out.data, "\x1bP"), "▀"));	/* written over it */
	stage_fini(&s);
}

#ifdef HAVE_SIXEL
/* Sixels state colours in percent. */
static bool alike(unsigned a, unsigned b) { return a > b ? a - b <= 2 : b - a <= 2; }

TEST(sixels_are_the_picture_s_pixels)
{
	unsigned char *index, *palette;
	int width, height, n;
	struct stage s;
	char *from;

	stage_init(&s, sixel);
	from = strstr(update(&s), "\x1bP");
	assert_non_null(from);
	assert_true(SIXEL_SUCCEEDED(sixel_decode_raw((unsigned char *)from, (int)(strstr(from, "\x1b\\") + 2 - from), &index, &width, &height,
						     &palette, &n, NULL)));
	assert_true(width == (int)s.display.picture.width && height >= (int)s.display.picture.height);
	for (unsigned i = 0; i < s.display.picture.width * s.display.picture.height; i++)
		for (unsigned k = 0; k < 3; k++)
			assert_true(alike(palette[3 * index[i] + k], s.display.picture.pixel[i] >> (16 - 8 * k) & 255));
	free(index);
	free(palette);
	stage_fini(&s);
}
#endif

TEST_MAIN()
