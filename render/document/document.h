/* document.h - holds a report and the facts that explain it, for HTML (html.h) and PDF (pages.h). */
#ifndef HEATSCOPE_DOCUMENT_H
#define HEATSCOPE_DOCUMENT_H

#include "render/document/report.h"

struct document_fact {			/* a fact about its origin: "Sources", "db1, db2" */
	const char *name, *value;
};

struct document {
	const struct report *report;
	const struct figure_options *options;	/* title, time zone; in HTML the reader chooses the theme */
	size_t n_facts;
	const struct document_fact *fact;
};

#endif
