/* pages.h - writes a report as a PDF of several pages.
 *
 *      1     title, time, totals; each map in sentences; the measures as a table; the chart, else all maps
 *      2..   each measure: its map, its sentences, a table of its keys
 *      then  the bar of parts and its table; gaps; the origin
 *
 * Shape   Pages have the proportion of A4 landscape; narrow pages are higher.  All text can be selected, and an outline
 *         leads to the parts.  Maps have one value axis and one colour scale, as in the report of one page.  Tables
 *         continue on further pages.
 * Errors  as report_render(), but the height is that of a page: 0, or large enough for a map.
 * Memory  the caller frees the bytes with free().  Equal input, equal bytes.
 * Thread  any.
 */
#ifndef HEATSCOPE_PAGES_H
#define HEATSCOPE_PAGES_H

#include "render/document/document.h"

#define PAGES_KEYS_MAX 400		/* rows of a table; it counts the rest */

int pages_render(const struct document *d, __u8 **ret_bytes, size_t *ret_len);

#endif
