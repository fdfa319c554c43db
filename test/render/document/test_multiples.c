#include "render/document/multiples.h"
#include "test/kit/check.h"
#include "test/kit/render_kit.h"

#include <errno.h>

#define COLS 120

static struct grid *grids[MULTIPLES_MAX];
static struct multiple ones[MULTIPLES_MAX];

static int start(void **state)
{
	for (int i = 0; i < MULTIPLES_MAX; i++) {
		grids[i] = kit_hour(COLS, 2, i % 2 ? 0.5 : 1);
		ones[i] = (struct multiple){ i % 3 ? "db1" : "a host with a name that is much longer than its map is wide", "p99 12 ms, 1,234 queries", grids[i] };
	}
	return 0;
}

static int stop(void **state)
{
	for (int i = 0; i < MULTIPLES_MAX; i++)
		grid_free(grids[i]);
	return 0;
}

/* Returns the height of the PNG, or the error. */
static long drawn(size_t n, const char *more, unsigned width)
{
	struct multiples m = { .n = n, .one = ones, .all = grids[0], .more = more };
	struct figure_options o;
	__u8 *bytes, *again;
	size_t len, len_again;
	long height;
	int err;

	figure_defaults(&o);
	o.width = width;
	err = multiples_render(&m, &o, &bytes, &len);
	if (err)
		return err;
	assert_int_equal(multiples_render(&m, &o, &again, &len_again), 0);
	assert_int_equal(len, len_again);
	assert_memory_equal(bytes, again, len);
	height = bytes[20] << 24 | bytes[21] << 16 | bytes[22] << 8 | bytes[23];
	free(bytes);
	free(again);
	return height;
}

TEST(the_page_grows_with_its_maps)
{
	long three = drawn(3, "", 1200), four = drawn(4, "", 1200), six = drawn(6, "", 1200);

	assert_true(three > 240);
	assert_true(four > three);
	assert_int_equal(four, six);
	assert_true(drawn(6, "and 40 more", 1200) > six);
	assert_true(drawn(6, "", 700) > six);
}

TEST(all_maps_fit_on_the_narrowest_page)
{
	assert_true(multiples_columns(640) >= COLS);
	assert_true(drawn(1, "", 640) > 0);
	assert_true(drawn(MULTIPLES_MAX, "", 1200) > 0);
	assert_true(drawn(MULTIPLES_MAX, "", 640) > 0);
}

TEST(refuses_what_cannot_be_drawn)
{
	struct grid *other = kit_hour(COLS / 2, 2, 1), *kept = grids[1];

	assert_int_equal(drawn(0, "", 1200), -EINVAL);
	assert_int_equal(drawn(MULTIPLES_MAX + 1, "", 1200), -EINVAL);
	assert_int_equal(drawn(2, "", 200), -EINVAL);
	assert_int_equal(drawn(2, "", 9999), -EINVAL);
	ones[1].grid = other;
	assert_int_equal(drawn(2, "", 1200), -EINVAL);
	ones[1].grid = kept;
	grid_free(other);
}

TEST_MAIN_WITH(start, stop)
