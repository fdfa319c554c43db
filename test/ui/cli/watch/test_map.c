#include "test/kit/watch_kit.h"

#include <errno.h>

TEST(a_map_is_read_with_all_it_says)
{
	static const enum map_state states[] = { MAP_UNOBSERVED, MAP_ZERO, MAP_OK, MAP_PARTIAL, MAP_OK, MAP_IN_PROGRESS };
	struct map *m = kit_map();

	assert_int_equal(m->n_cols, 6);
	assert_int_equal(m->n_rows, 4);
	assert_string_equal(m->measure, "latency");
	assert_true(m->edge[4] == 16000 && m->from_s == KIT_FROM && map_end_s(m) == KIT_FROM + 6);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(m->column[i].state, states[i]);
	assert_true(m->column[2].n_cells == 2 && m->column[2].cell[1].row == 1 && m->column[2].cell[1].n == 50);
	assert_true(m->column[3].lost == 7 && m->column[4].sampled == 4 && m->column[0].reporting == 0);
	assert_true(m->column[4].n_running == 1 && m->column[4].running[0].high == 8000 && m->column[4].running[0].n == 12);
	assert_true(m->level[254] == 255 && m->palette[255] == 0xffffff && m->partial == 0xff0000 && m->running == 0x00ff00);
	assert_true(m->all.count == 371 && m->all.p99 == 15000);
	map_free(m);
}

/* In percent; else the column has none. */
TEST(a_column_may_have_its_share)
{
	json_t *grid = kit_grid(), *column = json_array_get(json_object_get(grid, "columns"), 2);
	struct map *m;

	json_object_set_new(column, "share", json_real(0.4));
	assert_int_equal(map_read(grid, &m), 0);
	assert_true(m->column[2].share == 0.4 && m->column[1].share == 1);
	map_free(m);
	json_decref(grid);
}

TEST(null_is_no_limit)
{
	json_t *grid = kit_grid();
	struct map *m;

	json_array_set_new(json_object_get(grid, "edge"), 4, json_null());
	assert_int_equal(map_read(grid, &m), 0);
	assert_true(map_is_overflow(m->edge[4]) && !map_is_overflow(m->edge[3]));
	map_free(m);
	json_decref(grid);
}

/* One member changed; NULL: taken away. */
TEST(what_is_no_map_is_refused)
{
	static const struct { const char *name, *value; } cases[] = {
		{ "from", NULL }, { "from", "\"now\"" }, { "from", "1e300" }, { "column", "0" }, { "column", "-1" }, { "ncols", "5" }, { "ncols", "0" },
		{ "ncols", "1e9" }, { "nrows", "3" }, { "nrows", "-4" }, { "nrows", "1e18" }, { "edge", "[]" }, { "edge", "[1, 2, 3, 4, \"5\"]" },
		{ "edge", "[1, 2, 2, 4, 5]" }, { "edge", "[1, 2, null, 4, 5]" }, { "edge", "[-1, 2, 3, 4, 5]" }, { "columns", NULL },
		{ "columns", "[1, 2, 3, 4, 5, 6]" }, { "columns", "[{}, {}, {}, {}, {}, {}]" }, { "summary", NULL }, { "summary", "{}" }, { "shade", NULL },
		{ "shade", "{}" }, { "measure", NULL }, { "unit", "\"a unit of many, many letters\"" }, { "measure", "7" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		json_t *grid = kit_grid();
		struct map *m = NULL;

		if (cases[i].value)
			json_object_set_new(grid, cases[i].name, json_loads(cases[i].value, JSON_DECODE_ANY, NULL));
		else
			json_object_del(grid, cases[i].name);
		if (map_read(grid, &m) != -EBADMSG || m)
			fail_msg("%s: %s is taken", cases[i].name, cases[i].value ?: "nothing");
		json_decref(grid);
	}
}

TEST(what_is_no_colour_is_refused)
{
	static const char *const cases[] = { "#12345", "#1234567", "123456", "#12345g", "", "red" };

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		json_t *grid = kit_grid();
		struct map *m;

		json_array_set_new(json_object_get(json_object_get(grid, "shade"), "palette"), 9, json_string(cases[i]));
		assert_int_equal(map_read(grid, &m), -EBADMSG);
		json_decref(grid);
	}
}

static json_t *event(double from, json_t *column)
{
	return json_pack("{s:f, s:o}", "from", from, "column", column);
}

static int put(struct map *m, double from, json_t *column)
{
	json_t *e = event(from, column);
	int err = map_put_column(m, e);

	json_decref(e);
	return err;
}

TEST(a_column_takes_its_place)
{
	static const struct { double from; double shift; long at; } cases[] = {
		{ KIT_FROM, 0, 0 }, { KIT_FROM + 3, 0, 3 }, { KIT_FROM + 5, 0, 5 }, { KIT_FROM + 6, 1, 5 }, { KIT_FROM + 8, 3, 5 },
		{ KIT_FROM + 11, 6, 5 }, { KIT_FROM + 100, 95, 5 }, { KIT_FROM + 2.9999999, 0, 3 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct map *m = kit_map(), *before = kit_map();

		assert_int_equal(put(m, cases[i].from, kit_column(9, "ok", "[[2, 77]]", "\"count\": 77")), 0);
		assert_true(m->from_s == KIT_FROM + cases[i].shift && m->n_cols == 6);
		assert_true(m->column[cases[i].at].count == 77 && m->column[cases[i].at].cell[0].row == 2);
		for (long col = 0; col < cases[i].at; col++) {
			double from = (double)col + cases[i].shift;

			assert_int_equal(m->column[col].state, from < 6 ? before->column[(long)from].state : MAP_UNOBSERVED);
		}
		map_free(m);
		map_free(before);
	}
}

TEST(what_does_not_fit_changes_nothing)
{
	struct map *m = kit_map();

	assert_int_equal(put(m, KIT_FROM + 6, kit_column(6, "ok", "[[4, 1]]", "")), -ESTALE);
	assert_int_equal(put(m, KIT_FROM + 6, kit_column(6, "ok", "[[-1, 1]]", "")), -ESTALE);
	assert_int_equal(put(m, KIT_FROM + 6, kit_column(6, "odd", "[]", "")), -EBADMSG);
	assert_int_equal(put(m, KIT_FROM + 6, kit_column(6, "ok", "[[1]]", "")), -EBADMSG);
	assert_int_equal(put(m, KIT_FROM + 6, kit_column(6, "ok", "[]", "\"running\": [[null]]")), -EBADMSG);
	assert_int_equal(put(m, 1e200, kit_column(6, "ok", "[]", "")), -EBADMSG);
	assert_int_equal(put(m, KIT_FROM - 1, kit_column(0, "ok", "[]", "")), 0);	/* older than what is shown */
	assert_true(m->from_s == KIT_FROM && m->column[5].state == MAP_IN_PROGRESS && m->column[0].state == MAP_UNOBSERVED);
	map_free(m);
}

TEST(new_levels_replace_the_old)
{
	struct map *m = kit_map();
	json_t *shade = kit_shade(4), *no = json_pack("{s:[i]}", "levels", 1);

	json_array_set_new(json_object_get(shade, "levels"), 254, json_real(999.5));
	assert_int_equal(map_put_levels(m, shade), 0);
	assert_true(m->level[254] == 999.5);
	assert_int_equal(map_put_levels(m, no), -EBADMSG);
	assert_true(m->level[254] == 999.5);
	json_decref(shade);
	json_decref(no);
	map_free(m);
}

TEST(a_time_has_its_column)
{
	struct map *m = kit_map();

	assert_int_equal(map_column_at(m, KIT_FROM), 0);
	assert_int_equal(map_column_at(m, KIT_FROM + 5.9), 5);
	assert_int_equal(map_column_at(m, KIT_FROM + 6), -1);
	assert_int_equal(map_column_at(m, KIT_FROM - 0.5), -1);
	map_free(m);
}

TEST(a_moment_that_cannot_be_drawn_is_the_last_that_can)
{
	assert_int_equal(map_ns(KIT_FROM + 0.5), (__s64)KIT_FROM * 1000000000 + 500000000);
	assert_int_equal(map_ns(1e11), map_ns(1e12));
	assert_int_equal(map_ns(-1e300), -map_ns(1e300));
	assert_true(map_ns(1e11) > map_ns(KIT_FROM) && map_ns(1e11) <= INT64_MAX / 2);
}

TEST_MAIN()
