/* document.h - a report and what belongs to it, for who reads it without the program: as HTML (html.h) or as pages (pages.h). */
#ifndef HEATSCOPE_DOCUMENT_H
#define HEATSCOPE_DOCUMENT_H

#include "render/document/report.h"

struct document_fact {			/* where it comes from: "Sources", "db1, db2" */
	const char *name, *value;
};

struct document {
	const struct report *report;
	const struct figure_options *options;	/* title, time zone; of HTML the theme is the reader's */
	size_t n_facts;
	const struct document_fact *fact;
};

#endif
