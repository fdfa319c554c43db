#include "render/report.h"
#include "check.h"
#include "render_kit.h"
#include <errno.h>

static void one_page_with_maps_and_table(void **state)
{
	struct grid *g[] = { kit_hour(300, 3, 1), kit_hour(300, 3, 0.3) };
	struct report_panel panel[] = { { "latency", g[0] }, { "on-CPU", g[1] } };
	struct report_row row[REPORT_ROWS_MAX + 5];
	struct report r = { .n_panels = 2, .panel = panel, .unit = "ns", .n_rows = REPORT_ROWS_MAX + 5, .row = row };
	struct figure_options o;
	unsigned width, height;
	__u8 *bytes, *rgb;
	size_t len;

	(void)state;
	for (size_t i = 0; i < r.n_rows; i++)
		row[i] = (struct report_row){ "select", i, 1000, 1, 2, 3, 4, 5000000 };
	figure_defaults(&o);
	o.height = 0;
	assert_int_equal(report_render(&r, &o, &bytes, &len), 0);
	rgb = kit_decode(bytes, len, &width, &height);
	assert_int_equal(width, 1200);
	free(rgb);
	free(bytes);
	o.format = FIGURE_PDF;
	assert_int_equal(report_render(&r, &o, &bytes, &len), 0);
	assert_memory_equal(bytes, "%PDF", 4);
	free(bytes);
	grid_free(g[0]);
	grid_free(g[1]);
}

static void refuses_other_columns_and_too_little_room(void **state)
{
	struct grid *g[] = { kit_hour(300, 3, 1), kit_hour(299, 3, 1) };
	struct report_panel panel[] = { { "latency", g[0] }, { "on-CPU", g[1] } };
	struct report r = { .n_panels = 2, .panel = panel };
	struct figure_options o;
	__u8 *bytes;
	size_t len;

	(void)state;
	figure_defaults(&o);
	assert_int_equal(report_render(&r, &o, &bytes, &len), -EINVAL);
	r.n_panels = 0;
	assert_int_equal(report_render(&r, &o, &bytes, &len), -EINVAL);
	r.n_panels = 1;
	o.height = 200;
	assert_int_equal(report_render(&r, &o, &bytes, &len), -EINVAL);
	grid_free(g[0]);
	grid_free(g[1]);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(one_page_with_maps_and_table),
	cmocka_unit_test(refuses_other_columns_and_too_little_room),
};

CHECK_MAIN(tests)
