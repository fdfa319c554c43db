/* html.h - writes a report as one HTML page that needs nothing else: no network, no script, no font.
 *
 *      title, sentence
 *      the picture (SVG, inlined; another one for dark pages)
 *      each map in sentences
 *      the numbers of each map      a table
 *      the numbers of each key      a table for every measure
 *      gaps                         times that were not observed, that lost events, that were sampled
 *      the origin                   names and values
 *
 * Access  the page has headings, captions, heads of rows and columns.  The alternative text of the picture is the
 *         sentence.
 * Text    everything from outside is escaped.  The page's policy forbids it to load anything.
 * Errors  as report_render().
 * Memory  the caller frees the bytes with free().  Equal input, equal bytes.
 * Thread  any.
 */
#ifndef HEATSCOPE_HTML_H
#define HEATSCOPE_HTML_H

#include "render/document/document.h"

int html_render(const struct document *d, __u8 **ret_bytes, size_t *ret_len);

#endif
