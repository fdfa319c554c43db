/* conf.h - reads and checks the configuration of heatscoped, a YAML file.
 *
 * Order   conf_init() sets the defaults, conf_read() replaces those that the file names; then main.c adds the options
 *         of the command line.
 * Lists   the file has instrumentations, webhooks, alerts, reports and exports.  Alerts, reports and exports refer by name
 *         to the instrumentations that they observe, draw or offer, and to the webhook that they are sent to.
 * Names   an instrumentation without a name gets one, such as "mysql.queries by statement".
 * Secret  the URLs of webhooks may be secrets.
 * Errors  -EINVAL: the file or value is not understood; -ENOENT: there is no such file.  `reason` (CONF_REASON_MAX
 *         bytes) gets one sentence that names the file, or the option.  After an error nothing has changed.
 * Memory  a plain value that may be copied.
 */
#ifndef HEATSCOPE_CONF_H
#define HEATSCOPE_CONF_H

#include "aggregator/notify/configured_alerts.h"
#include "aggregator/catalog/configured.h"
#include "aggregator/base/conf_limits.h"
#include "aggregator/export/export.h"
#include "aggregator/export/otlp_push.h"
#include "aggregator/notify/reports.h"
#include "aggregator/notify/webhooks.h"

#include <stdbool.h>
#include <stddef.h>

struct conf_bus {			/* as bus.h and bus_ingest.h */
	char url[PATH_MAX];		/* "": no bus */
	char credentials[PATH_MAX], user_file[PATH_MAX], ca[PATH_MAX], certificate[PATH_MAX], key[PATH_MAX];	/* "": none */
	unsigned replicas;
	unsigned long long max_size;	/* bytes of its stream; 0: no limit */
};

struct conf_clickhouse {		/* the store, as store.h; instead of the database file */
	char url[PATH_MAX];		/* several servers with commas; "": none */
	char database[64], user_file[PATH_MAX], ca[PATH_MAX];	/* user_file: a line USER:PASSWORD; "": no user */
};

struct conf {
	char listen[PATH_MAX];		/* ADDR:PORT or unix:PATH; HTTP */
	char api_socket[PATH_MAX];	/* Unix socket that serves HTTP, too; "": none */
	char token_file[PATH_MAX];	/* "": no token */
	char tls_certificate[PATH_MAX], tls_key[PATH_MAX];	/* PEM files; "": plain HTTP */
	char socket[PATH_MAX];		/* Unix socket for collectors */
	struct conf_bus bus;		/* where collectors may send, too */
	char database[PATH_MAX];	/* file, or "memory" */
	struct conf_clickhouse clickhouse;
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
	struct export_conf export[EXPORT_MAX];
	size_t n_export;
	struct otlp_conf otlp;		/* where metrics are pushed to */
	char page_url[CONF_URL_MAX];	/* address of the page, for links in messages; "": no links */
	unsigned long long max_size;	/* bytes of the database; 0: no limit */
	unsigned cube_slots;		/* newest slots of each instrumentation kept in memory */
	bool keep;			/* no data expire: to show recordings */
	bool verbose;
};

void conf_init(struct conf *conf);	/* the defaults */

/* Checks the ranges of the options.  conf_read() does this for a file. */
int conf_check(const struct conf *conf, char *reason);
int conf_read(struct conf *conf, const char *path, char *reason);
int conf_set_size(struct conf *conf, const char *text, char *reason);	/* max-size: "10 GB", "none" */
int conf_set_bus_size(struct conf *conf, const char *text, char *reason);	/* bus-max-size: the same */
int conf_check_bus(const struct conf *conf, char *reason);
int conf_set_hosts(struct conf *conf, const char *text, char *reason);	/* webhook-hosts: "a.example, [::1]" */

#endif
