/* watch_kit.h - makes a small map as heatscoped would send it, for the tests of `heatscope watch`.
 *
 * Four rows of one octave from 1 to 16 us, six columns of a second from 1700000000 on.  A cell's colour is its count:
 * scale is 1, levels are 1, 2, ... 255, palette[k] is the grey 0xkkkkkk.
 */
#ifndef HEATSCOPE_WATCH_KIT_H
#define HEATSCOPE_WATCH_KIT_H

#include "test/kit/check.h"
#include "ui/cli/watch/map.h"

#include <stdio.h>

#define KIT_FROM 1700000000
#define KIT_COLUMNS 6

/* Makes one column: its state and cells, and members in place of those or besides, as JSON text ("\"sampled\": 4", or
 * ""). */
static inline json_t *kit_column(int slot, const char *state, const char *cells, const char *more)
{
	char text[1024];
	json_t *column;

	snprintf(text, sizeof(text), "{\"slot\": %d, \"state\": \"%s\", \"reporting\": 1, \"expected\": 1, \"lost\": 0, \"count\": 0, \"sum\": 0,"
		 " \"min\": 0, \"max\": 0, \"p50\": 3000, \"p99\": 9000, \"cells\": %s%s%s}", slot, state, cells, *more ? ", " : "", more);
	column = json_loads(text, 0, NULL);
	assert_non_null(column);
	return column;
}

static inline json_t *kit_shade(size_t n_rows)
{
	json_t *scale = json_array(), *levels = json_array(), *palette = json_array();
	char colour[16];

	for (size_t i = 0; i < n_rows; i++)
		json_array_append_new(scale, json_integer(1));
	for (int i = 0; i < SHADE_LEVELS; i++)
		json_array_append_new(levels, json_integer(i + 1));
	for (unsigned i = 0; i < PALETTE_COLOURS; i++) {
		snprintf(colour, sizeof(colour), "#%06x", i * 0x010101);
		json_array_append_new(palette, json_string(colour));
	}
	return json_pack("{s:s, s:s, s:o, s:o, s:o, s:s, s:s, s:s, s:s}", "transfer", "log", "yscale", "log", "scale", scale, "levels", levels,
			 "palette", palette, "zero", "#000000", "unobserved", "#101010", "partial", "#ff0000", "running", "#00ff00");
}

/* Makes a grid of six columns, each of another look. */
static inline json_t *kit_grid(void)
{
	json_t *columns = json_array();

	json_array_append_new(columns, kit_column(0, "unobserved", "[]", "\"reporting\": 0"));
	json_array_append_new(columns, kit_column(1, "zero", "[]", ""));
	json_array_append_new(columns, kit_column(2, "ok", "[[0, 200], [1, 50]]", "\"count\": 250"));
	json_array_append_new(columns, kit_column(3, "partial", "[[1, 100]]", "\"count\": 100, \"lost\": 7"));
	json_array_append_new(columns, kit_column(4, "ok", "[[3, 20]]", "\"count\": 20, \"sampled\": 4, \"running\": [[4000, 8000, 12]]"));
	json_array_append_new(columns, kit_column(5, "in_progress", "[[0, 1]]", "\"count\": 1"));
	return json_pack("{s:s, s:s, s:s, s:f, s:f, s:f, s:i, s:i, s:[i,i,i,i,i], s:o, s:{s:i, s:i, s:i, s:i}, s:o}", "measure", "latency", "unit", "ns",
			 "scope", "interval", "from", (double)KIT_FROM, "column", 1.0, "slot", 1.0, "ncols", KIT_COLUMNS, "nrows", 4,
			 "edge", 1000, 2000, 4000, 8000, 16000, "columns", columns, "summary", "count", 371, "p50", 1900, "p99", 15000, "lost", 7,
			 "shade", kit_shade(4));
}

static inline struct map *kit_map(void)
{
	json_t *grid = kit_grid();
	struct map *m = NULL;

	assert_int_equal(map_read(grid, &m), 0);
	json_decref(grid);
	return m;
}

#endif
