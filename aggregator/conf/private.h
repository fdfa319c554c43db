/* private.h - declares what the files of conf/ share: conf.c (the file), configured.c (its instrumentations), alerts.c,
 * export.c, otlp.c, reports.c, webhooks.c and words.c (error messages). */
#ifndef HEATSCOPE_CONF_PRIVATE_H
#define HEATSCOPE_CONF_PRIVATE_H

#include "aggregator/conf/conf.h"

#include <cyaml/cyaml.h>
#include <yaml.h>

/* An optional value: the pointer is NULL if it is absent. */
#define MAY CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL

/* Words for true (true, yes, on) and for false: libcyaml's own booleans take every word but three for true. */
extern const cyaml_strval_t conf_flags[];
#define CONF_FLAGS 6

/* The entry of a configured instrumentation in a file; NULL: the key is absent. */
struct said_inst {
	char *name, *module, *stat, *predicate;
	char **decomposition, **measures, **weights;
	unsigned n_decomposition, n_measures, n_weights, n_tiers;
	double *granularity;
	unsigned *retention, *tiers, *ruler_bits, *keys, *exemplars;
};

/* The entry of a webhook; of an alert. */
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
/* The entry of a report. */
struct said_report {
	char *name, *every, *at, *range, *format, *to, *webhook;
	char **instrumentations;
	unsigned n_instrumentations, *keep;
};
/* The entry of an exported instrumentation. */
struct said_export {
	char *instrumentation;
	unsigned *keys, *schema;
};
/* The receiver of OpenTelemetry. */
struct said_otlp {
	char *endpoint, *headers_file, *encoding, *compression, *temporality, *instance;
	unsigned *interval, *timeout;
};
extern const cyaml_schema_value_t conf_webhook_schema, conf_alert_schema, conf_report_schema, conf_export_schema;
extern const cyaml_schema_field_t conf_otlp_fields[];

struct conf_fault {
	unsigned line;			/* 0: none */
	char text[256];
};

/* Reads the file with libyaml, for the lines, which libcyaml does not keep.  false: a syntax error, in ret_fault. */
bool conf_load(const char *path, yaml_document_t *doc, struct conf_fault *ret_fault);
unsigned conf_line_of(const char *path, const char *key);	/* 0: no such key */

/* Finds the lines where the entries of a list of the top mapping begin; 0: not found. */
void conf_entry_lines(const char *path, const char *key, size_t n, unsigned *ret_line);

/* Does one of the n names before, `distance` bytes apart, equal the name of entry n?  If so: -EINVAL and the reason
 * (REASON_MAX bytes). */
int conf_check_new(const char *names, size_t distance, size_t n, const unsigned *line, char *reason);

/* Makes the sentence "FILE: line 1: unknown key lissten" from libcyaml's log, whose lines end in \n. */
void conf_explain(const char *path, const char *log, char *reason);

/* 0, or -EINVAL with the reason, which names the line. */
int conf_take_instrumentations(const struct said_inst *said, unsigned n, const char *path, struct conf *conf, char *reason);
int conf_take_webhooks(const struct said_webhook *said, unsigned n, const char *path, struct conf *conf, char *reason);
/* Call these after the other two. */
int conf_take_alerts(const struct said_alert *said, unsigned n, const char *path, struct conf *conf, char *reason);
int conf_take_reports(const struct said_report *said, unsigned n, const char *path, struct conf *conf, char *reason);
int conf_take_export(const struct said_export *said, unsigned n, const char *path, struct conf *conf, char *reason);
int conf_take_otlp(const struct said_otlp *said, const char *path, struct conf *conf, char *reason);	/* said NULL: absent */

/* Is there an instrumentation of that name in the file?  If not: -EINVAL and the reason, in `reason` (REASON_MAX
 * bytes). */
int conf_check_instrumentation(const struct conf *conf, const char *name, char *reason);
int conf_check_webhook(const struct conf *conf, const char *name, char *reason);	/* name NULL: no webhook is
											 * named */

/* Is it http:// or https://, a host, and no space?  If not: -EINVAL and the reason, in `reason` (REASON_MAX bytes),
 * without the URL. */
int conf_check_url(const char *url, char *reason);
int conf_check_public(const char *url, char *reason);	/* -EINVAL: it contains a user or a password */

#endif
