/* pages.h - a report as a PDF of pages.
 *
 *      1     title, when, how many; what is to be seen, in sentences; the measures as a table; the chart, else all maps
 *      2..   each measure: its map, its sentences, a table of its keys
 *      then  the bar of parts and its table; what is missing; where it comes from
 *
 * Shape   Pages lie and have the proportions of A4, but narrow ones are higher; all of its text can be selected, and an outline leads to the parts.
 *         Maps have one value axis and one colour scale, as in the report of one page.  Tables go on on further pages.
 * Errors  as report_render(), but for the height, which is that of a page: 0, or room for a map.
 * Memory  the bytes are the caller's, to be freed with free().  Equal input, equal bytes.
 * Thread  any.
 */
#ifndef HEATSCOPE_PAGES_H
#define HEATSCOPE_PAGES_H

#include "render/document/document.h"

#define PAGES_KEYS_MAX 400		/* of a table; the rest is counted */

int pages_render(const struct document *d, __u8 **ret_bytes, size_t *ret_len);

#endif
