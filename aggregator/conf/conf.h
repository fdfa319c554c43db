/* conf.h - reads the configuration of heatscoped from a YAML file, and checks it; main.c adds the options.
 *
 * Order   built-in defaults, then the file, then the command line.
 * Always  instrumentations that exist from the start and are kept.  Each has its name (given, or "mysql.queries by
 *         statement"), its line in the file, and its request as in doc/api.md.
 * Alerts  are kept in the same way; each names one of these instrumentations.
 * Reports are drawn on a schedule, and sent or written.
 * Hooks   are the destinations of alerts and reports, by name.  Their URLs, which may be secrets, are only here.
 * Errors  -EINVAL (not understood), -ENOENT (no such file), with one sentence in `reason` (CONF_REASON_MAX bytes) that
 *         names the file or the option.
 * Memory  a plain value.
 */
#ifndef HEATSCOPE_CONF_H
#define HEATSCOPE_CONF_H

#include "aggregator/notify/configured_alerts.h"
#include "aggregator/catalog/configured.h"
#include "aggregator/base/conf_limits.h"
#include "aggregator/notify/reports.h"
#include "aggregator/notify/webhooks.h"

#include <stdbool.h>
#include <stddef.h>

struct conf {
	char listen[PATH_MAX];		/* ADDR:PORT or unix:PATH; HTTP */
	char api_socket[PATH_MAX];	/* Unix socket that serves HTTP, too; "": none */
	char token_file[PATH_MAX];	/* "": no token */
	char tls_certificate[PATH_MAX], tls_key[PATH_MAX];	/* PEM files; "": plain HTTP */
	char socket[PATH_MAX];		/* Unix socket for collectors */
	char database[PATH_MAX];	/* file, or "memory" */
	char page[PATH_MAX];		/* directory with the built page */
	char file[PATH_MAX];		/* the file that was read; "": none */
	struct conf_instrumentation instrumentation[CONF_INSTRUMENTATIONS_MAX];
	size_t n_instrumentations;
	struct conf_webhook webhook[CONF_WEBHOOKS_MAX];
	size_t n_webhooks;
	char webhook_hosts[CONF_HOSTS_MAX];	/* the hosts that webhooks may name, with commas; "": any */
	struct conf_alert alert[CONF_ALERTS_MAX];
	size_t n_alerts;
	struct conf_report report[CONF_REPORTS_MAX];
	size_t n_reports;
	char page_url[CONF_URL_MAX];	/* where people open the page: messages link there; "": no links */
	unsigned long long max_size;	/* bytes of the database; 0: no limit */
	unsigned cube_slots;		/* newest slots of each instrumentation kept in memory */
	bool keep;			/* nothing expires: for showing recordings */
	bool verbose;
};

void conf_init(struct conf *conf);	/* the defaults */

/* Checks ranges.  conf_read() has checked a file already. */
int conf_check(const struct conf *conf, char *reason);
int conf_read(struct conf *conf, const char *path, char *reason);
int conf_set_size(struct conf *conf, const char *text, char *reason);	/* max-size: "10 GB", "none" */
int conf_set_hosts(struct conf *conf, const char *text, char *reason);	/* webhook-hosts: "a.example, [::1]" */

#endif
