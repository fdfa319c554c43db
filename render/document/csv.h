/* csv.h - the numbers as CSV (RFC 4180): a line per cell, per column, or per key.
 *
 *      cells     time,low_ns,high_ns,count                  cells without events have no line
 *      columns   time,count,mean_ns,p50_ns,p90_ns,p99_ns,max_ns,coverage,lost,state
 *      keys      key,count,sum_ns,mean_ns,p50_ns,p90_ns,p99_ns,p999_ns,max_ns    of a report's table, in its order
 *
 * Shape   time is where the column begins, in UTC: 2026-11-21T14:05:00Z.  low is the lowest value of the cell, high
 *         the first above it, empty where there is no limit.  The name of a column of values ends in the measure's unit: _ns, _bytes, _percent,
 *         _per_s, _bytes_per_s, or nothing where it has none.
 *         coverage is the share of slots reported, 0 to 1, empty where none was expected.  mean, percentiles and max of
 *         what has no events are empty, percentiles where cells are sums of a weight, too: then the cells' last field is sum.
 *         A key is quoted where it holds a comma, a quote or the end of a line.
 * Law     the counts add up to the grid's; of a point grid they are means, as everywhere.
 * Errors  -ENOMEM.
 * Memory  the text is the caller's, to be freed with free().  Lines end in CR LF.
 */
#ifndef HEATSCOPE_CSV_H
#define HEATSCOPE_CSV_H

#include "render/document/report.h"

enum csv_table { CSV_CELLS, CSV_COLUMNS, CSV_KEYS };

/* Of cells and columns the grid is asked, of keys the table. */
int csv_make(enum csv_table table, const struct grid *g, const struct report_table *t, char **ret_text, size_t *ret_len);

#endif
