/* csv.h - writes the numbers of a picture as CSV (RFC 4180): a line per cell, per column, or per key.
 *
 *      cells     time,low_ns,high_ns,count                  cells without events have no line
 *      columns   time,count,mean_ns,p50_ns,p90_ns,p99_ns,max_ns,coverage,lost,state
 *      keys      key,count,sum_ns,mean_ns,p50_ns,p90_ns,p99_ns,p999_ns,max_ns    of a report's table, in its order; and
 *                running,oldest_ns if it knows what runs
 *
 * Names   The name of a column of values ends in the measure's unit: _ns, _bytes, _percent, _per_s, _bytes_per_s.
 *         Without a unit it has no ending.
 * Shape   time is the begin of the column, in UTC: 2026-11-21T14:05:00Z. low is the lowest value of the cell, high the
 *         first value above it (empty: no limit). coverage is the share of slots reported, 0 to 1 (empty: none was
 *         expected).
 * Empty   Mean, percentiles and max are empty if there are no events, oldest if nothing runs.  If cells are sums of a
 *         weight, percentiles are empty, too, and the last field of cells is sum.
 * Quotes  A key is quoted if it holds a comma, a quote or the end of a line.
 * Law     The counts add up to the grid's; in a point grid they are means, as everywhere.
 * Errors  -ENOMEM.
 * Memory  the caller frees the text with free().  Lines end in CR LF.
 */
#ifndef HEATSCOPE_CSV_H
#define HEATSCOPE_CSV_H

#include "render/document/report.h"

enum csv_table { CSV_CELLS, CSV_COLUMNS, CSV_KEYS };

/* CSV_CELLS and CSV_COLUMNS read the grid, CSV_KEYS reads the table. */
int csv_make(enum csv_table table, const struct grid *g, const struct report_table *t, char **ret_text, size_t *ret_len);

#endif
