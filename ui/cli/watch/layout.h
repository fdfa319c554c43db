/* layout.h - computes the place of each part of the screen of `heatscope watch`.
 *
 *      line 0        title
 *      1 ..          values | map
 *      n - 4         -------+-seen----     coverage of each column
 *      n - 3                  times
 *      n - 2         what the cursor points at
 *      n - 1         status
 */
#ifndef HEATSCOPE_WATCH_LAYOUT_H
#define HEATSCOPE_WATCH_LAYOUT_H

#include "ui/cli/watch/plot.h"
#include "ui/cli/terminal/screen.h"

#define LAYOUT_COLS_MIN 40
#define LAYOUT_LINES_MIN 12
#define LAYOUT_LINES_MAX 500		/* of two pixels each */

struct layout {
	bool fits;			/* the rest is set only then */
	long axis_col;			/* of the line between values and map */
	long map_line, map_col, map_lines, map_cols;
	long n_pixels;
	long seen_line, time_line, read_line, status_line;
};

static inline struct layout layout_of(long n_cols, long n_lines, struct look look)
{
	enum { VALUES = 8, BESIDES = 5 };
	long map_lines = n_lines - BESIDES;

	if (n_cols < LAYOUT_COLS_MIN || n_lines < LAYOUT_LINES_MIN)
		return (struct layout){ .fits = false };
	return (struct layout){
		.fits = true, .axis_col = VALUES, .map_line = 1, .map_col = VALUES + 1, .map_lines = map_lines,
		.map_cols = n_cols - VALUES - 1, .n_pixels = map_lines * look_pixels(look),
		.seen_line = n_lines - 4, .time_line = n_lines - 3, .read_line = n_lines - 2,
		.status_line = n_lines - 1,
	};
}

#endif
