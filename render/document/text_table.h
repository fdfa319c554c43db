/* text_table.h - a table as texts: what a report's numbers look like wherever they are read.
 *
 *      keys, measures, parts, gaps --sheet_of_x()--> names and cells --> drawn on a canvas, or written as HTML
 *
 * Shape   head[0] is of the names, head[i + 1] of column i; a cell of a row is cell[row * n_columns + i].
 * Gaps    stretches of columns that lack the same: not observed, no longer kept, partly lost, sampled.
 * Errors  -ENOMEM.
 * Memory  names are borrowed from what the sheet is of; sheet_fini() frees the rest.
 */
#ifndef HEATSCOPE_SHEET_H
#define HEATSCOPE_SHEET_H

#include "render/document/report.h"
#include "render/grid/zone.h"

#define SHEET_COLUMNS 9
#define SHEET_TEXT 48
#define SHEET_LINE 21			/* px of a row */
#define SHEET_GAPS_MAX 200		/* stretches that are listed; n_more counts the rest */

struct sheet {
	size_t n_columns, n_rows, n_more;
	const char *head[SHEET_COLUMNS + 1];
	const char **name;
	char (*cell)[SHEET_TEXT];
};

int sheet_of_keys(const struct report_table *t, struct sheet *ret_sheet);
int sheet_of_measures(const struct report *r, struct sheet *ret_sheet);
int sheet_of_parts(const struct bar *b, struct sheet *ret_sheet);	/* without rows: of nothing, or NULL */
int sheet_of_gaps(const struct grid *g, const struct zone *zone, struct sheet *ret_sheet);

/* The zone of a sheet's times, as axis_format_zone() of the grid's range. */
void sheet_zone(const struct grid *g, const struct zone *zone, char ret_text[AXIS_ZONE]);

void sheet_fini(struct sheet *s);

/* On a canvas: the head and the rows from..to, SHEET_LINE px each; y is the head's baseline.  Returns the last row's. */
struct canvas;
double sheet_draw(struct canvas *c, const struct sheet *s, size_t from, size_t to, double x, double y, double width);

#endif
