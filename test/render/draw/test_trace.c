#include "render/draw/trace.h"
#include "test/kit/check.h"
#include <math.h>

#define WIDTH 12
#define HEIGHT 10

static __u8 mask[HEIGHT][WIDTH + 3];	/* rows longer than the mask is wide */

static void cover(const struct trace_step *step, size_t n, double thick)
{
	memset(mask, 77, sizeof(mask));
	assert_int_equal(trace_cover(step, n, thick, mask[0], sizeof(mask[0]), WIDTH, HEIGHT), 0);
	for (unsigned y = 0; y < HEIGHT; y++)
		assert_int_equal(mask[y][WIDTH], 77);
}

static double area(void)
{
	double sum = 0;

	for (unsigned y = 0; y < HEIGHT; y++)
		for (unsigned x = 0; x < WIDTH; x++)
			sum += mask[y][x] / 255.0;
	return sum;
}

TEST(a_level_covers_its_rows_in_parts)
{
	static const struct trace_step step[] = { { 2, 6, 4.25, true } };

	(void)state;
	cover(step, 1, 2);		/* 3.25 .. 5.25 */
	for (unsigned x = 0; x < WIDTH; x++) {
		int in = x >= 2 && x < 6;

		assert_int_equal(mask[2][x], 0);
		assert_int_equal(mask[3][x], in ? 191 : 0);
		assert_int_equal(mask[4][x], in ? 255 : 0);
		assert_int_equal(mask[5][x], in ? 64 : 0);
		assert_int_equal(mask[6][x], 0);
	}
}

/* Up from row 7 to row 2 at x = 5: a full line 2 wide, its outer corners square. */
TEST(a_step_has_square_corners)
{
	static const struct trace_step step[] = { { 2, 5, 8, true }, { 5, 9, 3, true } };

	(void)state;
	cover(step, 2, 2);
	for (unsigned y = 0; y < HEIGHT; y++)
		for (unsigned x = 0; x < WIDTH; x++) {
			int before = x >= 2 && x < 6 && y >= 7 && y < 9, after = x >= 4 && x < 9 && y >= 2 && y < 4;
			int upright = x >= 4 && x < 6 && y >= 2 && y < 9;

			assert_int_equal(mask[y][x], before || after || upright ? 255 : 0);
		}
}

TEST(overlaps_are_covered_once)
{
	static const struct trace_step step[] = { { 3, 3.5, 5, true }, { 3.5, 4, 5.5, true }, { 4, 4.5, 5, true } };

	(void)state;
	cover(step, 3, 4);		/* the uprights alone are a block: x 1.5 .. 6, y 3 .. 7.5 */
	assert_int_equal(mask[5][3], 255);
	assert_int_equal(mask[5][4], 255);
	assert_true(fabs(area() - 4.5 * 4.5) < 0.1);
}

TEST(a_missing_column_breaks_it)
{
	static const struct trace_step step[] = { { 1, 4, 2, true }, { 4, 7, 9, false }, { 7, 10, 6, true } };

	(void)state;
	cover(step, 3, 2);
	assert_true(fabs(area() - 3 * 2 - 3 * 2) < 0.05);
	for (unsigned y = 0; y < HEIGHT; y++)
		assert_true(!mask[y][4] && !mask[y][5] && !mask[y][6]);
}

TEST(steps_outside_are_cut_off)
{
	static const struct trace_step step[] = { { -5, 3, 0, true }, { 3, 8, 10, true }, { 8, 20, -7, true },
						  { 20, 25, 5, true } };

	(void)state;
	cover(step, 4, 2);
	for (unsigned x = 0; x < 2; x++)
		assert_true(mask[0][x] == 255 && !mask[1][x]);
	for (unsigned y = 0; y < HEIGHT; y++)
		assert_true(mask[y][2] == 255 && mask[y][3] == 255 && mask[y][8] == 255 && !mask[y][11]);
}

TEST(no_step_covers_nothing)
{
	static const struct trace_step step[] = { { 1, 4, 2, false } };

	(void)state;
	cover(step, 1, 2);
	assert_true(area() == 0);
	cover(step, 0, 2);
	assert_true(area() == 0);
}

/* For any steps, the sums of parts of pixels equal those of a grid 20 times as fine. */
TEST(areas_are_exact)
{
	enum { FINE = 20 };

	(void)state;
	for (int round = 0; round < 50; round++) {
		struct trace_step step[8];
		double x = check_below(20) / 20.0;
		int half = 7 + (int)check_below(24);	/* twentieths */

		for (int i = 0; i < 8; i++) {
			double to = x + (1 + check_below(30)) / 20.0;

			step[i] = (struct trace_step){ x, to, check_below(200) / 20.0, check_below(5) > 0 };
			x = to;
		}
		cover(step, 8, half * 2 / 20.0);
		for (unsigned px = 0; px < WIDTH * HEIGHT; px++) {
			int hit = 0;

			for (int fine = 0; fine < FINE * FINE; fine++) {
				double at_x = px % WIDTH + (fine % FINE + 0.5) / FINE;
				double at_y = px / WIDTH + (fine / FINE + 0.5) / FINE, h = half / 20.0;
				int in = 0;

				for (int i = 0; i < 8 && !in; i++) {
					const struct trace_step *s = &step[i];

					in = s->drawn && at_x > s->from && at_x < s->to && fabs(at_y - s->y) < h;
					if (i && s->drawn && s[-1].drawn && fabs(at_x - s->from) < h)
						in |= at_y > fmin(s->y, s[-1].y) - h && at_y < fmax(s->y, s[-1].y) + h;
				}
				hit += in;
			}
			assert_true(fabs(mask[px / WIDTH][px % WIDTH] - 255.0 * hit / (FINE * FINE)) < 1);
		}
	}
}

TEST_MAIN()
