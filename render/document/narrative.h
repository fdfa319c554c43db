/* narrative.h - what a map shows, in words: its modes, its shifts, its worst minute.
 *
 *      grid --narrative_find()--> modes, shifts, worst --narrative_say()--> a few sentences
 *
 * Modes   peaks of the density of all events along the value axis, which is linear for percentages and else logarithmic.  Two peaks are two modes if the valley between them is at
 *         most half as high as the lower one, and deeper than chance makes valleys.
 * Shifts  columns from which on events are distributed otherwise than before, and p50, p90 or p99 is another: again and again the
 *         segment whose two parts are farthest apart is cut there, as long as that is significant.  A column is one
 *         observation, however many events it has, and what columns vary by is measured: events come in bursts.  Of a few columns
 *         nothing is told.
 * Worst   the minute, or the fewest whole columns that last one, with the highest p99 of NARRATIVE_LEAST events or more.
 * Values  are told to the width of a row; percentiles are the highest value of theirs.
 * Weights Cells that are sums of a weight are not looked at: they have neither modes nor ranks.
 * Pure    equal grids, equal words.  Columns without events, observed or not, change nothing.
 * Errors  -ENOMEM.
 */
#ifndef HEATSCOPE_NARRATIVE_H
#define HEATSCOPE_NARRATIVE_H

#include "render/grid/axis.h"
#include "render/grid/grid.h"
#include "render/grid/zone.h"

#define NARRATIVE_MODES_MAX 4
#define NARRATIVE_SHIFTS_MAX 3
#define NARRATIVE_LEAST 100		/* events that a worst minute has at least: fewer have no p99 */
#define NARRATIVE_TEXT 640

struct narrative_mode {
	double at;			/* the value where events are densest */
	double share;			/* of all events, from valley to valley */
	int below;			/* 1: below `at`, where the ruler tells no more */
};

struct narrative_shift {
	size_t col;			/* the first that is otherwise */
	int percentile;			/* 50, 90 or 99: which of them moved most */
	double before, after;
};

struct narrative {
	size_t n_modes, n_shifts;
	int sought;			/* 1: there are columns enough to find shifts among */
	struct narrative_mode mode[NARRATIVE_MODES_MAX];	/* the greatest shares, by value */
	struct narrative_shift shift[NARRATIVE_SHIFTS_MAX];	/* by time */
	size_t worst, n_worst;		/* columns; n_worst 0: no minute is worse than others */
	double worst_p99;
};

int narrative_find(const struct grid *g, struct narrative *ret_narrative);

/* "Two modes: around 210 us (71 % of the queries) and 8.4 ms (29 %). At 14:03:20 the median rises ..." */
void narrative_say(const struct grid *g, const struct narrative *n, const struct zone *zone, char out[NARRATIVE_TEXT]);

/* Both; without memory nothing is said. */
void narrative_text(const struct grid *g, const struct zone *zone, char out[NARRATIVE_TEXT]);

#endif
