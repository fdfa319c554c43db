#include "test/kit/watch_kit.h"
#include "ui/cli/watch/plot.h"

#include <math.h>

static struct plot plot_of(const struct map *m, long n_pixels)
{
	return (struct plot){ m, domain_of(m), n_pixels };
}

TEST(an_axis_reaches_what_is_used)
{
	static const struct {
		double edge[5];
		enum axis_scale kind;
		const char *unit;
		double low, high;
		bool under, over;
	} cases[] = {
		{ { 1000, 2000, 4000, 8000, 16000 }, AXIS_LOG, "ns", 1000, 20000, false, false },
		{ { 0, 2000, 4000, 8000, INFINITY }, AXIS_LOG, "ns", 2000, 10000, true, true },
		{ { 0, 2000, 4000, 8000, 16000 }, AXIS_LINEAR, "ns", 0, 20000, false, false },
		{ { 0, 1, 2, 3, 4 }, AXIS_LINEAR, "%", 0, 100, false, false },
		{ { 0, 1, 2, 3, 400 }, AXIS_LINEAR, "%", 0, 400, false, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct map *m = kit_map();
		struct domain d;

		memcpy(m->edge, cases[i].edge, sizeof(cases[i].edge));
		strcpy(m->unit, cases[i].unit);
		m->yscale = cases[i].kind;
		m->column[4].n_running = 0;
		d = domain_of(m);
		if (d.kind != cases[i].kind || fabs(d.low - cases[i].low) > 1e-6 || fabs(d.high - cases[i].high) > 1e-6 || d.under != cases[i].under ||
		    d.over != cases[i].over)
			fail_msg("case %zu: %g to %g, under %d, over %d", i, d.low, d.high, d.under, d.over);
		map_free(m);
	}
}

TEST(an_axis_only_widens)
{
	struct domain a = { AXIS_LOG, 1000, 20000, false, true }, b = { AXIS_LOG, 2000, 50000, true, false }, c = { AXIS_LINEAR, 0, 7, false, false };
	struct domain ab = domain_widen(a, b), ba = domain_widen(b, a), ac = domain_widen(a, c);

	assert_true(ab.low == 1000 && ab.high == 50000 && ab.under && ab.over);
	assert_true(ba.low == ab.low && ba.high == ab.high && ba.under == ab.under && ba.over == ab.over);
	assert_true(ac.kind == AXIS_LINEAR && ac.high == 7 && !ac.over);
}

TEST(a_zoom_keeps_its_place_and_ends)
{
	struct domain used = { AXIS_LOG, 1000, 1e9, true, true }, d = used;

	d = domain_zoom(used, used, 0.5, 1e6);
	assert_true(fabs(log(d.low) - (log(1e6) + log(1000)) / 2) < 1e-9 && fabs(log(d.high) - (log(1e6) + log(1e9)) / 2) < 1e-9);
	assert_true(!d.under && !d.over);
	d = domain_zoom(d, used, 2, 1e6);
	assert_true(d.low == 1000 && fabs(d.high / 1e9 - 1) < 1e-9);
	for (int i = 0; i < 100; i++)
		d = domain_zoom(d, used, 0.5, 5e5);
	assert_true(d.high > d.low * 1.05 && d.low < 5e5 && d.high > 5e5);
}

TEST(a_row_has_pixels_and_pixels_have_rows)
{
	struct map *m = kit_map();

	for (long n = 4; n < 100; n++) {
		struct plot p = plot_of(m, n);
		long first, last, before = -1;

		for (size_t row = 0; row < m->n_rows; row++) {
			assert_true(plot_span(&p, m->edge[row], m->edge[row + 1], &first, &last));
			assert_true(first >= 0 && first <= last && last < n);
			assert_true(first == before || first == before + 1);
			before = last;
		}
		assert_false(plot_span(&p, 1, 500, &first, &last));
		assert_false(plot_span(&p, 20000, 40000, &first, &last));
		assert_false(plot_span(&p, 0, 1, &first, &last));
		assert_false(plot_span(&p, 1e12, INFINITY, &first, &last));
	}
	map_free(m);
}

TEST(strips_are_beyond_the_axis)
{
	struct map *m = kit_map();
	struct plot p = plot_of(m, 40);
	long first, last;

	p.domain.under = p.domain.over = true;
	assert_true(plot_span(&p, 0, 1000, &first, &last) && first == 0 && last == 0);
	assert_true(plot_span(&p, 20000, INFINITY, &first, &last) && first == 39 && last == 39);
	assert_true(plot_span(&p, 1000, 2000, &first, &last) && first == 1);
	map_free(m);
}

TEST(a_value_and_its_pixel_belong_together)
{
	struct map *m = kit_map();

	for (int kind = 0; kind < 2; kind++)
		for (long n = 4; n < 60; n++) {
			struct plot p = { m, { kind ? AXIS_LOG : AXIS_LINEAR, kind ? 10 : 0, 1e6, kind, true }, n };

			for (long pixel = 0; pixel < n; pixel++)
				assert_int_equal(plot_pixel(&p, plot_value(&p, pixel)), pixel);
			assert_int_equal(plot_pixel(&p, 0), 0);
			assert_int_equal(plot_pixel(&p, 1e18), n - 1);
		}
	map_free(m);
}

TEST(the_brightest_of_a_pixel_is_seen_and_all_are_counted)
{
	struct map *m = kit_map();
	struct plot p = plot_of(m, 4);
	unsigned char level[PLOT_PIXELS_MAX];
	struct plot_cell cell;

	p.domain.low = 1;		/* so that several rows share a pixel */
	p.domain.high = 1e8;
	plot_levels(&p, 2, level);
	assert_int_equal(level[plot_pixel(&p, 1500)], 200);
	cell = plot_cell(&p, 2, plot_pixel(&p, 1500));
	assert_true(cell.low == 1000 && cell.high >= 4000 && cell.n == 250);
	map_free(m);
}

TEST(a_share_of_the_column_is_coloured)
{
	struct map *m = kit_map();
	struct plot p = plot_of(m, 64);
	unsigned char level[PLOT_PIXELS_MAX];

	m->column[2].share = 0.4;
	plot_levels(&p, 2, level);
	assert_int_equal(level[plot_pixel(&p, 1500)], 80);
	assert_int_equal(level[plot_pixel(&p, 3000)], 20);
	map_free(m);
}

TEST(a_cell_is_read_out)
{
	struct map *m = kit_map();
	struct plot p = plot_of(m, 64);
	double running[PLOT_PIXELS_MAX];
	struct plot_cell cell = plot_cell(&p, 2, plot_pixel(&p, 1500));

	assert_true(cell.low == 1000 && cell.high == 2000 && cell.n == 200 && cell.running == 0);
	cell = plot_cell(&p, 4, plot_pixel(&p, 5000));
	assert_true(cell.n == 0 && cell.running == 12);
	cell = plot_cell(&p, 2, 63);		/* above the highest row: what the axis says */
	assert_true(cell.n == 0 && cell.low >= 16000 && cell.high > cell.low && cell.high < 20001);
	plot_running(&p, 4, running);
	assert_true(running[plot_pixel(&p, 5000)] == 12 && running[plot_pixel(&p, 1500)] == 0);
	map_free(m);
}

TEST(a_step_is_to_the_next_row)
{
	struct map *m = kit_map();
	struct plot p = plot_of(m, 64);
	long at = plot_pixel(&p, 1500), up = plot_step(&p, at, 1);
	struct plot_cell cell = plot_cell(&p, 2, up);

	assert_true(cell.low == 2000 && cell.high == 4000);
	cell = plot_cell(&p, 2, plot_step(&p, up, -1));
	assert_true(cell.low == 1000 && cell.high == 2000);
	assert_int_equal(plot_step(&p, 0, -1), 0);
	assert_int_equal(plot_step(&p, 63, 1), 63);
	map_free(m);
}

TEST(rows_are_as_fine_as_pixels)
{
	static const struct { struct domain d; long n; int bits; } cases[] = {
		{ { AXIS_LOG, 1000, 1024000, false, false }, 40, 2 }, { { AXIS_LOG, 1000, 1024000, false, false }, 10, 0 },
		{ { AXIS_LOG, 1000, 1024000, false, false }, 4, 0 }, { { AXIS_LOG, 1000, 2000, false, false }, 1000, 5 },
		{ { AXIS_LINEAR, 0, 1000, false, false }, 64, 5 }, { { AXIS_LINEAR, 0, 1000, false, false }, 16, 3 },
	};
	struct map *m = kit_map();

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct plot p = { m, cases[i].d, cases[i].n };

		assert_int_equal(plot_row_bits(&p), cases[i].bits);
	}
	map_free(m);
}

TEST(what_the_axis_does_not_reach_is_counted)
{
	struct map *m = kit_map();
	struct plot p = plot_of(m, 40);

	assert_true(plot_beyond(&p) == 0);
	p.domain.low = 4000;
	assert_true(plot_beyond(&p) == 200 + 50 + 100 + 1);
	map_free(m);
}

TEST_MAIN()
