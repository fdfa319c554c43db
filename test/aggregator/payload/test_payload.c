#include "test/kit/check.h"
#include "aggregator/payload/payload.h"
#include "render/draw/image.h"

#include <jansson.h>
#include <stdio.h>

#define RULER_MS RULER(UNIT_NS, 5, 10, 40)

static struct key_total *totals(size_t n)
{
	struct key_total *t = calloc(n, sizeof(*t));

	for (size_t i = 0; i < n; i++) {
		snprintf(t[i].text, sizeof(t[i].text), "key%zu", i);
		assert_int_equal(hist_init(&t[i].hist, RULER_MS), 0);
	}
	return t;
}

static void totals_free(struct key_total *t, size_t n)
{
	for (size_t i = 0; i < n; i++)
		hist_fini(&t[i].hist);
	free(t);
}

static json_t *parse(struct bytes *out)
{
	size_t len;
	char *text = writer_take(out, &len);
	json_error_t error;
	json_t *json = json_loadb(text, len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);

	if (!json)
		fail_msg("%s: %s", error.text, text);
	free(text);
	return json;
}

TEST(a_column_has_one_state)
{
	static const struct { struct grid_column c; const char *state; } cases[] = {
		{ { .count = 5, .n_reporting = 2, .n_expected = 2 }, "ok" },
		{ { .n_reporting = 2, .n_expected = 2 }, "zero" },
		{ { .count = 5, .n_reporting = 1, .n_expected = 2 }, "partial" },
		{ { .count = 5, .n_reporting = 2, .n_expected = 2, .lost = 1 }, "partial" },
		{ { .n_expected = 2 }, "unobserved" },
		{ { .n_expected = 0 }, "unobserved" },
		{ { .n_expected = 2, .lost = 3 }, "unobserved" },
		{ { .lost = 3 }, "partial" },
		{ { .count = 5, .n_reporting = 1, .n_expected = 2, .marks = GRID_IN_PROGRESS }, "in_progress" },
		{ { .count = 5, .n_reporting = 2, .n_expected = 2, .marks = GRID_CLOCK_STEP }, "ok" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_string_equal(grid_column_word(&cases[i].c), cases[i].state);
}

TEST(raw_takes_the_shape_of_its_arity)
{
	struct key_total *t = totals(2);
	static const struct { bool keyed, numeric; size_t n; const char *text; } cases[] = {
		{ false, false, 0, "0" }, { false, true, 0, "[]" }, { true, false, 0, "{}" }, { true, true, 0, "{}" },
		{ false, false, 1, "3" }, { true, false, 2, "{\"key0\":3,\"key1\":1}" },
		{ false, true, 1, "[[[0,1023],2],[[1024,1055],1]]" },
		{ true, true, 2, "{\"key0\":[[[0,1023],2],[[1024,1055],1]],\"key1\":[[[1099511627776,2199023255552],1]]}" },
	};

	hist_record(&t[0].hist, 0, 1);
	hist_record(&t[0].hist, 1000, 1);
	hist_record(&t[0].hist, 1030, 1);
	hist_record(&t[1].hist, 1ull << 41, 1);		/* overflow: up to the exact max */
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct bytes out = { 0 };
		size_t len;
		char *text;

		payload_raw(&out, t, cases[i].n, cases[i].keyed, cases[i].numeric, 0);
		text = writer_take(&out, &len);
		assert_string_equal(text, cases[i].text);
		free(text);
	}
	totals_free(t, 2);
}

/* Writes the keys of the values from..to, as the details of a picture that shows only these. */
static void put_present(struct bytes *out, const struct key_total *t, size_t n, __u64 from, __u64 to, __u64 snapshots)
{
	const struct image_options o = { .width = 10, .height = 10, .n_rows = 1, .ymin = from, .ymax = to };
	__u32 n_cells = ruler_cells(t[0].hist.ruler);
	struct grid *g = grid_new(1, n_cells);
	double *share = calloc(n_cells, sizeof(*share));
	struct image_cell cell;

	assert_true(g && share);
	for (__u32 i = 0; i < n_cells; i++)
		g->edge[i] = ruler_first(t[0].hist.ruler, i);
	g->edge[n_cells] = GRID_NO_EDGE;
	g->all.max = t[0].hist.max;
	assert_int_equal(image_cell_at(g, &o, 5, 5, &cell), 0);
	assert_int_equal(image_cell_shares(g, &o, &cell, share), 0);
	payload_present(out, t, n, g, share, snapshots);
	free(share);
	grid_free(g);
}

/* Every event is in at least one cell of a partition of the axis; half an event counts as one. */
TEST(details_never_hide_a_key)
{
	struct key_total *t = totals(1);
	double sum = 0;

	for (int i = 0; i < 1000; i++)
		hist_record(&t[0].hist, check_below(1000000), 1);
	for (__u64 from = 0; from < 1000000; from += 10000) {
		struct bytes out = { 0 };
		json_t *json;
		json_int_t total;

		writer_raw(&out, "{");
		put_present(&out, t, 1, from, from + 10000, 0);
		writer_raw(&out, "}");
		json = parse(&out);
		total = json_integer_value(json_object_get(json, "total"));
		assert_int_equal(total, json_integer_value(json_object_get(json_object_get(json, "present"), "key0")));
		sum += (double)total;
		json_decref(json);
	}
	assert_true(sum > 950 && sum < 1050);
	totals_free(t, 1);
}

/* A bucket is present in exactly the rows in which the image draws it. */
TEST(a_bucket_is_present_where_it_reaches)
{
	static const struct { __u64 value, from, to; json_int_t total; } cases[] = {
		{ 1000000, 999424, 1015808, 7 },		/* exactly the range of its bucket */
		{ 1000000, 0, 999424, 0 }, { 1000000, 1015808, 2000000, 0 },
		{ 1000000, 1007616, 1015808, 4 },		/* the upper half: 3.5 */
		{ 1000000, 1015807, 2000000, 1 },		/* a sliver */
		{ 1ull << 41, 1ull << 40, 1ull << 42, 7 }, { 1ull << 41, (1ull << 41) + 1, 1ull << 42, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct key_total *t = totals(1);
		struct bytes out = { 0 };
		json_t *json;

		hist_record(&t[0].hist, cases[i].value, 1);
		t[0].hist.cell[ruler_cell(RULER_MS, cases[i].value)] = 7;
		writer_raw(&out, "{");
		put_present(&out, t, 1, cases[i].from, cases[i].to, 0);
		writer_raw(&out, "}");
		json = parse(&out);
		assert_int_equal(json_integer_value(json_object_get(json, "total")), cases[i].total);
		json_decref(json);
		totals_free(t, 1);
	}
}

TEST(keys_say_when_they_are_lower_bounds)
{
	for (int other = 0; other < 2; other++) {
		struct key_total *t = totals(2);
		struct bytes out = { 0 };
		json_t *json;

		hist_record(&t[0].hist, 5000, 1);
		t[1].other = other;
		writer_raw(&out, "{");
		payload_keys(&out, t, 2, 0, NULL);
		writer_raw(&out, "}");
		json = parse(&out);
		assert_int_equal(json_object_get(json, "lower_bound") != NULL, other);
		assert_int_equal(json_array_size(json_object_get(json, "keys")), 2);
		json_decref(json);
		totals_free(t, 2);
	}
}

TEST(without_events_shares_are_zero)
{
	struct key_total *t = totals(1);
	struct bytes out = { 0 };
	json_t *json, *key;

	writer_raw(&out, "{");
	payload_keys(&out, t, 1, 0, NULL);
	writer_raw(&out, "}");
	json = parse(&out);
	key = json_array_get(json_object_get(json, "keys"), 0);
	assert_true(json_number_value(json_object_get(key, "share")) == 0);
	assert_true(json_number_value(json_object_get(key, "sum_share")) == 0);
	assert_int_equal(json_integer_value(json_object_get(key, "min")), 0);
	json_decref(json);
	totals_free(t, 1);
}

/* One event of 9 s is a tenth of ten events, and 99 % of their time. */
TEST(keys_have_their_share_of_events_and_of_the_sum)
{
	static const struct { double share, sum_share; } want[] = { { 0.1, 9e9 / (9e9 + 9e6) }, { 0.9, 9e6 / (9e9 + 9e6) } };
	struct key_total *t = totals(2);
	struct bytes out = { 0 };
	json_t *json;

	hist_record(&t[0].hist, 9000000000ull, 1);
	for (int i = 0; i < 9; i++)
		hist_record(&t[1].hist, 1000000, 1);
	writer_raw(&out, "{");
	payload_order(&out, KEYS_BY_SUM);
	payload_keys(&out, t, 2, 0, NULL);
	writer_raw(&out, "}");
	json = parse(&out);
	assert_string_equal(json_string_value(json_object_get(json, "order")), "sum");
	for (size_t i = 0; i < 2; i++) {
		const json_t *key = json_array_get(json_object_get(json, "keys"), i);

		assert_true(json_number_value(json_object_get(key, "share")) == want[i].share);
		assert_true(json_number_value(json_object_get(key, "sum_share")) == want[i].sum_share);
	}
	json_decref(json);
	totals_free(t, 2);
}

/* Two slots of a point metric: 3 in one, 0 in the other. */
TEST(means_are_written_as_means)
{
	struct key_total *t = totals(1);
	struct bytes out = { 0 };
	json_t *json, *key, *cell;

	for (int i = 0; i < 3; i++)
		hist_record(&t[0].hist, 5000, 1);
	writer_raw(&out, "{\"raw\":");
	payload_raw(&out, t, 1, true, false, 2);
	writer_name(&out, "numeric");
	payload_raw(&out, t, 1, false, true, 2);
	payload_keys(&out, t, 1, 2, NULL);
	put_present(&out, t, 1, 4096, 8192, 2);
	writer_raw(&out, "}");
	json = parse(&out);
	assert_true(json_real_value(json_object_get(json_object_get(json, "raw"), "key0")) == 1.5);
	cell = json_array_get(json_object_get(json, "numeric"), 0);
	assert_true(json_real_value(json_array_get(cell, 1)) == 1.5);
	key = json_array_get(json_object_get(json, "keys"), 0);
	assert_true(json_real_value(json_object_get(key, "count")) == 1.5);
	assert_int_equal(json_integer_value(json_object_get(key, "sum")), 7500);
	assert_int_equal(json_integer_value(json_object_get(key, "mean")), 5000);
	assert_int_equal(json_integer_value(json_object_get(key, "p50")), 5000);
	assert_true(json_number_value(json_object_get(json, "total")) == 1.5);
	json_decref(json);
	totals_free(t, 1);
}

TEST(a_point_grid_says_so_and_gives_means)
{
	struct grid *g = grid_new(2, 1);
	struct bytes out = { 0 };
	json_t *json, *column;

	g->point = 1;
	g->edge[1] = 10;
	g->cell[0] = 4;
	g->cell[1] = 12;
	g->column[0] = (struct grid_column){ .count = 4, .sum = 10, .n_snapshots = 4, .n_reporting = 4, .n_expected = 4 };
	g->column[1] = (struct grid_column){ .count = 12, .sum = 30, .n_snapshots = 8, .n_reporting = 8, .n_expected = 8 };
	g->all = (struct grid_summary){ .count = 16, .sum = 40, .n_snapshots = 12 };
	writer_raw(&out, "{");
	payload_head(&out, &(struct payload_head){ .scope = SCOPE_POINT, .n_snapshots = 12 });
	payload_grid(&out, g, NULL);
	writer_raw(&out, "}");
	json = parse(&out);
	assert_string_equal(json_string_value(json_object_get(json, "scope")), "point");
	assert_int_equal(json_integer_value(json_object_get(json, "snapshots")), 12);
	column = json_array_get(json_object_get(json, "columns"), 0);
	assert_int_equal(json_integer_value(json_object_get(column, "count")), 1);
	assert_true(json_real_value(json_object_get(column, "sum")) == 2.5);
	assert_int_equal(json_integer_value(json_object_get(column, "snapshots")), 4);
	column = json_array_get(json_object_get(json, "columns"), 1);
	assert_true(json_real_value(json_object_get(column, "count")) == 1.5);
	assert_true(json_real_value(json_array_get(json_array_get(json_object_get(column, "cells"), 0), 1)) == 1.5);
	assert_true(json_number_value(json_object_get(json_object_get(json, "summary"), "count")) > 1.33);
	json_decref(json);
	grid_free(g);
}

TEST(running_events_are_written_with_their_own_edges)
{
	struct grid *g = grid_new(2, 1), *running = grid_new(2, 2);
	struct bytes out = { 0 };
	json_t *json, *column;
	char *text;

	g->edge[1] = 10;
	g->running = running;
	running->point = 1;
	running->edge[0] = 512;
	running->edge[1] = 1024;
	running->edge[2] = GRID_NO_EDGE;
	running->cell[1] = 3;			/* of the second column, in two slots */
	running->cell[3] = 2;
	running->column[0].n_snapshots = running->column[1].n_snapshots = 2;
	running->column[1].count = 5;
	writer_raw(&out, "{");
	payload_grid(&out, g, NULL);
	writer_raw(&out, "}");
	json = parse(&out);
	column = json_array_get(json_object_get(json, "columns"), 0);
	assert_null(json_object_get(column, "running"));
	column = json_array_get(json_object_get(json, "columns"), 1);
	assert_int_equal(json_integer_value(json_object_get(column, "count")), 0);
	text = json_dumps(json_object_get(column, "running"), JSON_COMPACT);
	assert_string_equal(text, "[[512,1024,1.5],[1024,null,1]]");
	free(text);
	json_decref(json);
	grid_free(g);
}

/* The page colours n * scale * share by the levels: in each column that adds up to a hundred. */
TEST(a_column_in_percent_says_what_a_cell_counts_in_it)
{
	const struct shade_options options = { .yscale = AXIS_LOG, .transfer = SHADE_PERCENT };
	struct grid *g = grid_new(3, 2), *part = grid_new(1, 1);
	const struct grid *const grids[] = { g };
	struct bytes out = { 0 };
	struct shade shade;
	json_t *json, *columns;

	for (size_t i = 0; i < 3; i++)
		g->edge[i] = 1024u << i;
	g->cell[0] = 3;
	g->cell[3] = 1;
	g->cell[4] = 8;
	part->edge[0] = 2048;
	part->edge[1] = 4096;
	part->cell[0] = 5;
	assert_int_equal(shade_make(grids, 1, &options, &shade), 0);
	assert_true(shade.max == 100);
	writer_raw(&out, "{");
	payload_grid(&out, g, &shade);
	writer_name(&out, "next");
	payload_column(&out, part, &shade, 0, 3, 1);
	writer_raw(&out, "}");
	json = parse(&out);
	columns = json_object_get(json, "columns");
	assert_true(json_number_value(json_object_get(json_array_get(columns, 0), "share")) == 25);
	assert_true(json_number_value(json_object_get(json_array_get(columns, 1), "share")) == 12.5);
	assert_true(json_number_value(json_object_get(json_array_get(columns, 2), "share")) == 0);
	assert_true(json_number_value(json_object_get(json_object_get(json, "next"), "share")) == 20);
	json_decref(json);
	shade_fini(&shade);
	grid_free(g);
	grid_free(part);
}

TEST_MAIN()
