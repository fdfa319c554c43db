/* text_table.h - makes the tables of a report as texts, which all its forms share.
 *
 *      keys, measures, parts, gaps --text_table_of_x()--> names and cells --> drawn on a canvas, or written as HTML
 *
 * Shape   head[0] is the head of the names, head[i + 1] of column i; row `row` has the cells cell[row * n_columns + i].
 * Gaps    are runs of columns that lack the same: not observed, no longer kept, partly lost, or sampled.
 * Errors  -ENOMEM.
 * Memory  names are borrowed from the input; text_table_fini() frees the rest.
 */
#ifndef HEATSCOPE_TEXT_TABLE_H
#define HEATSCOPE_TEXT_TABLE_H

#include "render/document/report.h"
#include "render/grid/zone.h"

#define TEXT_TABLE_COLUMNS 11
#define TEXT_TABLE_TEXT 48
#define TEXT_TABLE_LINE 21		/* px of a row */
#define TEXT_TABLE_GAPS_MAX 200		/* stretches in the table; n_more counts the rest */

struct text_table {
	size_t n_columns, n_rows, n_more;
	const char *head[TEXT_TABLE_COLUMNS + 1];
	const char **name;
	char (*cell)[TEXT_TABLE_TEXT];
};

int text_table_of_keys(const struct report_table *t, struct text_table *ret_table);
int text_table_of_measures(const struct report *r, struct text_table *ret_table);
int text_table_of_parts(const struct bar *b, struct text_table *ret_table);	/* no rows: b is empty, or NULL */
int text_table_of_gaps(const struct grid *g, const struct zone *zone, struct text_table *ret_table);

/* Writes the zone of the times in the table: axis_format_zone() of the grid's range. */
void text_table_zone(const struct grid *g, const struct zone *zone, char ret_text[AXIS_ZONE]);

void text_table_fini(struct text_table *s);

/* Draws the head and the rows from..to on a canvas, TEXT_TABLE_LINE px each; y is the head's baseline.  Returns the
 * last row's baseline. */
struct canvas;
double text_table_draw(struct canvas *c, const struct text_table *s, size_t from, size_t to, double x, double y,
		       double width);

#endif
