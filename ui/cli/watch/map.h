/* map.h - holds the heat map that heatscoped sends, and applies live columns to it.
 *
 *      value/grid, event grid -> map_read()   event column -> map_put_column()   event shade -> map_put_levels()
 *
 * Shape   n_cols columns, each column_s long, from from_s on.  Row r holds values edge[r] <= v < edge[r + 1]; the last
 *         edge may be INFINITY.  The counts of a point metric are means, and may not be whole.
 * Colour  of a cell: palette[shade_density_index(level, n * scale[row] * share)].  All of these come as data, as on the
 *         page.
 * Errors  -EBADMSG: not such a message.  -ESTALE: the column has a cell without a row here, so request a new grid.
 *         -ENOMEM.  After an error nothing has changed.
 * Memory  map_free() frees it and takes NULL.
 */
#ifndef HEATSCOPE_WATCH_MAP_H
#define HEATSCOPE_WATCH_MAP_H

#include "render/grid/axis.h"
#include "render/color/palette.h"
#include "render/color/shade.h"

#include <jansson.h>
#include <stdbool.h>

enum map_state { MAP_OK, MAP_ZERO, MAP_PARTIAL, MAP_UNOBSERVED, MAP_DROPPED, MAP_IN_PROGRESS };

struct map_cell {
	size_t row;
	double n;
};

struct map_running {			/* n exchanges that still ran, with an age in low .. high, which need not match
					 * rows */
	double low, high, n;
};

struct map_column {
	enum map_state state;
	double reporting, expected, lost;
	double sampled;			/* one event in so many was looked at; 0: every one */
	bool clock_step;
	double share;			/* factor of a cell's density; 1 except in percent of the column */
	double count, p50;
	size_t n_cells, n_running;
	struct map_cell *cell;
	struct map_running *running;
};

struct map_summary {
	double count, p50, p99, lost;
};

struct map {
	char measure[64], unit[16];
	bool point;			/* scope point: counts are means, and count things, not events */
	double from_s, column_s, slot_s;
	size_t n_cols, n_rows;
	double *edge;			/* n_rows + 1 */
	struct map_column *column;
	struct map_summary all;
	enum axis_scale yscale;
	char transfer[16];
	double *scale;			/* n_rows */
	double level[SHADE_LEVELS];
	__u32 palette[PALETTE_COLOURS], zero, unobserved, partial, running;
};

int map_read(const json_t *reply, struct map **ret_map);
void map_free(struct map *m);

/* Takes {"from": s, "column": C}, a new or amended column.  A new one removes the oldest at the left. */
int map_put_column(struct map *m, const json_t *event);
int map_put_levels(struct map *m, const json_t *event);

double map_end_s(const struct map *m);

/* Returns true if any source reported any slot: only then 0 events mean that nothing happened. */
bool map_is_observed(const struct map *m);

/* Converts a time of the map to ns for the axis, within 100 years from the epoch, as a reply may hold any number. */
__s64 map_ns(double time_s);

/* Returns the column that holds a time; -1: outside. */
long map_column_at(const struct map *m, double time_s);

/* Values without a height on the axis: under- and overflow. */
bool map_is_underflow(const struct map *m, double low);
bool map_is_overflow(double high);

#endif
