/* narrative.h - describes a map in words: its modes, its shifts, its worst minute.
 *
 *      grid --narrative_find()--> modes, shifts, worst --narrative_say()--> a few sentences
 *
 * Modes   A mode is a peak of the density of all events along the value axis (linear for percentages, else
 *         logarithmic).  Two peaks are two modes if the valley between them is at most half as high as the lower peak,
 *         and deeper than chance would make it.
 * Shifts  At a shift the distribution of events changes, and with it p50, p90 or p99.  The search cuts a segment where
 *         its two parts differ most, and then each part, while the difference is significant.  Events come in bursts,
 *         so a column is one observation, however many events it has, and the variation between columns is measured.
 *         With few columns there is no search.
 * Worst   The minute with the highest p99, among those of NARRATIVE_LEAST events or more.  A minute is the fewest whole
 *         columns that last one; the first and the last of them were observed.
 * Slowest The events within a decade of the highest value, if they are at most NARRATIVE_FEW of all, and their values
 *         at least NARRATIVE_MUCH of the sum of all: no percentile shows them.  They are the slowest of a latency, else
 *         the highest.  Their time ends with their last column.  A key is named if it has at most as many events and
 *         its median is one of them.
 * Running What has run for NARRATIVE_LONG_NS or longer at the end of the last observed slot comes first.  It has not
 *         ended, so it is in no other word and number.
 * Values  are as precise as the height of a row; a percentile is the highest value of its row.
 * Weights Cells that are sums of a weight are ignored: they have neither modes nor ranks.
 * Pure    Equal grids give equal words.  Columns without events change no mode and no shift, observed or not.
 * Errors  -ENOMEM.
 */
#ifndef HEATSCOPE_NARRATIVE_H
#define HEATSCOPE_NARRATIVE_H

#include "render/document/report.h"
#include "render/grid/axis.h"
#include "render/grid/grid.h"
#include "render/grid/zone.h"

#define NARRATIVE_MODES_MAX 4
#define NARRATIVE_SHIFTS_MAX 3
#define NARRATIVE_LEAST 100		/* the fewest events of a worst minute: fewer have no p99 */
#define NARRATIVE_LONG_NS 1000000000ull	/* a slot, as a rule: what is older was seen at the end of two */
#define NARRATIVE_FEW 0.01
#define NARRATIVE_MUCH 0.1
#define NARRATIVE_TEXT 1408

struct narrative_mode {
	double at;			/* the value with the highest density of events */
	double share;			/* of all events, from valley to valley */
	int below;			/* 1: somewhere below `at`, in the underflow of the ruler */
};

struct narrative_shift {
	size_t col;			/* the first column after the change */
	int percentile;			/* 50, 90 or 99: the one that moved most */
	double before, after;
};

struct narrative {
	size_t n_modes, n_shifts;
	int sought;			/* 1: there are enough columns to search for shifts */
	struct narrative_mode mode[NARRATIVE_MODES_MAX];	/* the greatest shares, by value */
	struct narrative_shift shift[NARRATIVE_SHIFTS_MAX];	/* by time */
	size_t worst, n_worst;		/* columns; n_worst 0: no minute is worse than others */
	double worst_p99;
	struct {
		double n;		/* events; 0: none are so few and so much */
		double least, share;	/* the lower edge of their lowest row; their part of the sum, 0 to 1 */
		size_t first, last;	/* columns */
	} slowest;
};

int narrative_find(const struct grid *g, struct narrative *ret_narrative);

/* Writes "Two modes: around 210 us (71 % of the queries) and 8.4 ms (29 %). The slowest 54 took 1.5 s to 15 s: 62 % of the
 * total time, from 14:02:37 to 14:02:45; among them update t (p50 4.4 s). At 14:03:20 the median rises ...", after
 * "9 queries still ran at 14:05:00, the oldest for 22.8 s; most of them: update t (8)."  keys: the map's keys, of which
 * it names one; NULL, or without `runs`: it has only the numbers of the grid. */
void narrative_say(const struct grid *g, const struct narrative *n, const struct report_table *keys, const struct zone *zone,
		   char out[NARRATIVE_TEXT]);

/* Calls narrative_find() and narrative_say(); out is "" if there is no memory. */
void narrative_text(const struct grid *g, const struct report_table *keys, const struct zone *zone, char out[NARRATIVE_TEXT]);

#endif
