/* html.h - writes a report as one HTML page that needs nothing else: no network, no script, no font.
 *
 *      title, sentence
 *      the picture (SVG, inlined; another one for readers who prefer dark)
 *      each map in sentences
 *      the numbers of each map      a table
 *      the numbers of each key      a table for every measure
 *      gaps                         times that were not observed, that lost events, that were sampled
 *      the origin                   names and values
 *
 * Access  headings, captions, heads of rows and columns; the alternative text of the picture is the sentence.
 * Text    Everything from outside is escaped; the page forbids itself to load anything.
 * Errors  as report_render().
 * Memory  the caller frees the bytes with free().  Equal input, equal bytes.
 * Thread  any.
 */
#ifndef HEATSCOPE_HTML_H
#define HEATSCOPE_HTML_H

#include "render/document/document.h"

int html_render(const struct document *d, __u8 **ret_bytes, size_t *ret_len);

#endif
