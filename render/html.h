/* html.h - a report as one HTML page that needs nothing else: no network, no script, no font of its own.
 *
 *      title, sentence
 *      the picture (SVG, inlined; another one where dark is preferred)
 *      the numbers of each map      a table
 *      the numbers of each key      a table
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

#include "report.h"

struct html_fact {			/* "Sources", "db1, db2" */
	const char *name, *value;
};

struct html {
	const struct report *report;
	const struct figure_options *options;	/* title, time zone; the theme is the reader's */
	size_t n_facts;
	const struct html_fact *fact;
};

int html_render(const struct html *h, __u8 **ret_bytes, size_t *ret_len);

#endif
