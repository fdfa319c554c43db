/* private.h - what conf.c (the file), configured.c (its instrumentations), alerts.c, reports.c, webhooks.c
 * and words.c (what is wrong with it) share. */
#ifndef HEATSCOPE_CONF_PRIVATE_H
#define HEATSCOPE_CONF_PRIVATE_H

#include "aggregator/conf/conf.h"

#include <cyaml/cyaml.h>
#include <yaml.h>

/* What may be there, and then is what a pointer points to. */
#define MAY CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL

/* true, yes, on, and their contraries: libcyaml's own booleans take every word but three for true. */
extern const cyaml_strval_t conf_flags[];
#define CONF_FLAGS 6

/* What a file says of an instrumentation that always exists; NULL: nothing about that. */
struct said_inst {
	char *name, *module, *stat, *predicate;
	char **decomposition, **measures, **weights;
	unsigned n_decomposition, n_measures, n_weights, n_tiers;
	double *granularity;
	unsigned *retention, *tiers, *ruler_bits, *keys, *exemplars;
};

/* Of a place where alerts are sent; of an alert. */
struct said_webhook {
	char *name, *url, *token_file;
	unsigned *timeout;
	bool *picture;
};
struct said_alert {
	char *name, *instrumentation, *measure, *key, *webhook;
	double *percentile, *share;
	char *above;
	unsigned *window, *hold;
	bool *shape;
};
/* Of a report that is due again and again. */
struct said_report {
	char *name, *every, *at, *range, *format, *to, *webhook;
	char **instrumentations;
	unsigned n_instrumentations, *keep;
};
extern const cyaml_schema_value_t conf_webhook_schema, conf_alert_schema, conf_report_schema;

struct conf_fault {
	unsigned line;			/* 0: none */
	char text[256];
};

/* The file as libyaml reads it, for the lines, which libcyaml does not keep.  false: the fault of its syntax. */
bool conf_load(const char *path, yaml_document_t *doc, struct conf_fault *ret_fault);
unsigned conf_line_of(const char *path, const char *key);	/* 0: not there */

/* Where the entries of a list of the top mapping begin; 0: not there. */
void conf_entry_lines(const char *path, const char *key, size_t n, unsigned *ret_line);

/* Does one of the n names before, at that distance from one another, have the name of entry n?  -EINVAL and why not (REASON_MAX bytes). */
int conf_check_new(const char *names, size_t distance, size_t n, const unsigned *line, char *reason);

/* The sentence "FILE: line 1: unknown key lissten" from libcyaml's log, whose lines end in \n. */
void conf_explain(const char *path, const char *log, char *reason);

/* 0, or -EINVAL with the reason, which names the line. */
int conf_take_instrumentations(const struct said_inst *said, unsigned n, const char *path, struct conf *conf, char *reason);
int conf_take_webhooks(const struct said_webhook *said, unsigned n, const char *path, struct conf *conf, char *reason);
int conf_take_alerts(const struct said_alert *said, unsigned n, const char *path, struct conf *conf, char *reason);	/* after both */
int conf_take_reports(const struct said_report *said, unsigned n, const char *path, struct conf *conf, char *reason);	/* likewise */

/* Is there one of that name in the file?  -EINVAL and why not, in `reason` (REASON_MAX bytes). */
int conf_check_instrumentation(const struct conf *conf, const char *name, char *reason);
int conf_check_webhook(const struct conf *conf, const char *name, char *reason);	/* NULL: none is named */

/* Is it http:// or https://, a host, and no space?  -EINVAL and why not, in `reason` (REASON_MAX bytes), without the URL. */
int conf_check_url(const char *url, char *reason);
int conf_check_public(const char *url, char *reason);	/* -EINVAL: it has a user or a password */

#endif
