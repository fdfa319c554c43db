/* axis.h - computes the ticks of an axis, and formats values and times as labels.
 *
 *      values   1 2 5 10 ...   "20 µs", "1.5 ms", "2 s", "64 kB", "1.2k"
 *      time     steps of 1 2 5 10 15 30 s, min; 1 2 3 6 12 h; days     "14:05" over "2026-11-21"
 *
 * Shape   A tick is a label and a place in 0..1 along the axis, from its low end.  Labels of one axis do not overlap if
 *         no character is wider than `char_px`.
 * Pure    no font, time zone database or locale: the caller passes the zone as data; NULL is UTC.
 */
#ifndef HEATSCOPE_AXIS_H
#define HEATSCOPE_AXIS_H

#include "render/grid/zone.h"
#include <linux/types.h>
#include <stddef.h>

enum axis_scale { AXIS_LINEAR, AXIS_LOG };
enum axis_unit { AXIS_COUNT, AXIS_NS, AXIS_BYTES, AXIS_PERCENT, AXIS_PER_S, AXIS_BYTES_PER_S };

#define AXIS_TICKS_MAX 128
#define AXIS_TEXT 32			/* bytes of a label, NUL included */

struct tick {
	double at;			/* 0..1 */
	char text[AXIS_TEXT];		/* empty: a mark without a label */
	char date[AXIS_TEXT];		/* time axes: second line, where a day begins; else empty */
};

/* Returns the unit with the name "ns", "bytes", "%", "/s" or "bytes/s"; AXIS_COUNT for every other name. */
enum axis_unit axis_unit(const char *name);
const char *axis_unit_name(enum axis_unit unit);	/* AXIS_COUNT: "" */

/* Names the sum of many values: "time", or "total" if the unit is not a time. */
const char *axis_sum_name(enum axis_unit unit);
const char *axis_sum_heading(enum axis_unit unit);	/* the same as a column's head in a terminal: "TIME", "TOTAL" */

/* Writes a value with its unit, at most three significant digits: "1.25 ms", "999 ns", "12k"; a day or longer as
 * "1 d 15 h".  A number that is not 0 is never written as 0: "0.0065/s", "< 0.0001", "< 0.01 %". */
void axis_format(double value, enum axis_unit unit, char ret_text[AXIS_TEXT]);

/* The same for a percentile of values that are not distinguished below `least` (grid_least()): "< 1.02 µs". */
void axis_format_percentile(double value, double least, enum axis_unit unit, char ret_text[AXIS_TEXT]);

/* Writes "1,234,567"; "2.75" for a small mean that is not a whole number. */
void axis_format_count(double n, char ret_text[AXIS_TEXT]);

/* Writes a length of time in words: "100 ms", "1 s", "5 min", "1 h". */
void axis_format_span(__u64 ns, char ret_text[AXIS_TEXT]);

/* Writes "UTC", "UTC+01:00", "UTC-03:30". */
void axis_format_offset(int offset_s, char ret_text[AXIS_TEXT]);

/* Writes the offset of a range of time.  If the clock changes within it: "UTC+02:00, then UTC+01:00"; if it changes
 * more often: the name of the zone. */
#define AXIS_ZONE 80
void axis_format_zone(const struct zone *zone, __s64 from_ns, __s64 to_ns, char ret_text[AXIS_ZONE]);

/* Writes "2026-11-21 14:05:00"; it has a fraction of a second only if that is not 0. */
void axis_format_time(__s64 ns, const struct zone *zone, char ret_text[AXIS_TEXT]);

/* Writes "2026-10-25 01:00:00 to 05:00:00 UTC+01:00".  The second date is there only if it differs from the first, and
 * the first offset only if it differs from the second. */
#define AXIS_RANGE 96
void axis_format_range(__s64 from_ns, __s64 to_ns, const struct zone *zone, char ret_text[AXIS_RANGE]);

/* Returns the place of a value between low (0) and high (1); it is not clamped.  A log axis needs low >= 1; the value 0
 * lies at -infinity there. */
double axis_at(enum axis_scale scale, double low, double high, double value);

/* Rounds down or up to the next of 1, 2, 5 in a decade; value > 0. */
double axis_round_125(double value, int up);

/* Makes the ticks of values low..high (low < high; log: low >= 1) on an axis of length_px, with at least gap_px
 * between labels.  Returns their number. */
size_t axis_value_ticks(enum axis_scale scale, enum axis_unit unit, double low, double high,
			double length_px, double gap_px, struct tick ret_tick[AXIS_TICKS_MAX]);

/* Makes the ticks of the time from_ns..to_ns (wall clock, ns from the epoch), at whole steps of the local clock.  If a
 * change of the clock brings a tick too near to its neighbour, the tick has no label. */
size_t axis_time_ticks(__s64 from_ns, __s64 to_ns, const struct zone *zone, double length_px,
		       double char_px, struct tick ret_tick[AXIS_TICKS_MAX]);

#endif
