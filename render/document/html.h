/* html.h - a report as one HTML page that needs nothing else: no network, no script, no font of its own.
 *
 *      title, sentence
 *      the picture (SVG, inlined; another one where dark is preferred)
 *      what is to be seen           each map in sentences
 *      the numbers of each map      a table
 *      the numbers of each key      a table for every measure
 *      what is missing              times that nobody looked at, that lost events, that were sampled
 *      where it comes from          names and values
 *
 * Access  headings, captions, heads of rows and columns; the picture's alternative text is the sentence.
 * Text    everything from outside is escaped; the page forbids itself to load anything.
 * Errors  as report_render().
 * Memory  the bytes are the caller's, to be freed with free().  Equal input, equal bytes.
 * Thread  any.
 */
#ifndef HEATSCOPE_HTML_H
#define HEATSCOPE_HTML_H

#include "render/document/document.h"

int html_render(const struct document *d, __u8 **ret_bytes, size_t *ret_len);

#endif
