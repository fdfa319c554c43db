/* conf.h - what heatscoped is told at its start, by a YAML file and by options.
 *
 * Order   built-in defaults, then the file, then the command line.
 * Always  instrumentations that exist from the start and are kept: of each its name (given, or
 *         "mysql.queries by statement"), its line in the file, and the request for it as in doc/api.md.
 * Alerts  in the same way, of an instrumentation above, by its name.
 * Reports what is drawn again and again, and where it goes.
 * Hooks   where alerts and reports are sent, by name: their URLs, which may be secrets, stand here alone.
 * Errors  -EINVAL (not understood), -ENOENT (no such file), with one sentence in `reason`
 *         (CONF_REASON_MAX bytes) that names the file or the option.
 * Memory  a plain value.
 */
#ifndef HEATSCOPE_CONF_H
#define HEATSCOPE_CONF_H

#include "schedule.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#define CONF_REASON_MAX 512
#define CONF_ALWAYS_MAX 32
#define CONF_NAME_MAX 64
#define CONF_REQUEST_MAX 1500
#define CONF_WEBHOOKS_MAX 16
#define CONF_URL_MAX 1024
#define CONF_HOSTS_MAX 1024
#define CONF_ALERTS_MAX 32
#define CONF_REPORTS_MAX 16
#define CONF_REPORT_INSTS 8

struct conf_always {
	char name[CONF_NAME_MAX];
	unsigned line;
	char request[CONF_REQUEST_MAX];	/* JSON */
};

struct conf_webhook {
	char name[CONF_NAME_MAX];
	unsigned line;
	char url[CONF_URL_MAX];		/* http or https */
	char token_file[PATH_MAX];	/* "": none */
	unsigned timeout_s;
	bool picture;			/* it gets one */
};

struct conf_alert {
	char name[CONF_NAME_MAX];
	unsigned line;
	char instrumentation[CONF_NAME_MAX];	/* an always[]'s name */
	char request[CONF_REQUEST_MAX];	/* JSON, but for the instrumentation */
};

struct conf_report {
	char name[CONF_NAME_MAX];
	unsigned line;
	struct schedule when;
	unsigned range_s;		/* 0: since the time before that it was due */
	char instrumentation[CONF_REPORT_INSTS][CONF_NAME_MAX];	/* names of always[] */
	size_t n_instrumentations;
	char format[8];			/* one of value/report's */
	char to[PATH_MAX];		/* a folder; "": none */
	unsigned keep;			/* newest files of each instrumentation; 0: all */
	char webhook[CONF_NAME_MAX];	/* "": none; one of the two is there */
};

struct conf {
	char listen[PATH_MAX];		/* ADDR:PORT or unix:PATH; HTTP */
	char api_socket[PATH_MAX];	/* Unix socket where HTTP is served too; "": none */
	char token_file[PATH_MAX];	/* "": no token */
	char tls_certificate[PATH_MAX], tls_key[PATH_MAX];	/* PEM files; "": plain HTTP */
	char socket[PATH_MAX];		/* Unix socket for collectors */
	char database[PATH_MAX];	/* file, or "memory" */
	char page[PATH_MAX];		/* directory with the built page */
	char file[PATH_MAX];		/* that was read; "": none */
	struct conf_always always[CONF_ALWAYS_MAX];
	size_t n_always;
	struct conf_webhook webhook[CONF_WEBHOOKS_MAX];
	size_t n_webhooks;
	char webhook_hosts[CONF_HOSTS_MAX];	/* the hosts that webhooks may name, with commas; "": any */
	struct conf_alert alert[CONF_ALERTS_MAX];
	size_t n_alerts;
	struct conf_report report[CONF_REPORTS_MAX];
	size_t n_reports;
	char page_url[CONF_URL_MAX];	/* where people open the page: what is sent links there; "": nowhere */
	unsigned long long max_size;	/* bytes of the database; 0: no limit */
	unsigned cube_slots;		/* newest slots of each instrumentation kept in memory */
	bool keep;			/* nothing grows too old: for showing recordings */
	bool verbose;
};

void conf_init(struct conf *conf);	/* the defaults */

/* Ranges.  A file is checked by conf_read(). */
int conf_check(const struct conf *conf, char *reason);
int conf_read(struct conf *conf, const char *path, char *reason);
int conf_set_size(struct conf *conf, const char *text, char *reason);	/* max-size: "10 GB", "none" */
int conf_set_hosts(struct conf *conf, const char *text, char *reason);	/* webhook-hosts: "a.example, [::1]" */

/* Is the host among webhook-hosts?  False where there are none; letters' case and a dot at the end do not matter. */
bool conf_lists_host(const struct conf *conf, const char *host);

#endif
