/* reports.h - draws the reports of the configuration file when they are due, and writes or sends them.
 *
 *      schedule.h: due --> value.h, one at a time --> report_file.h (worker), webhooks.h
 *
 * When     A report is made REPORTS_LATE_S after it is due, so that it contains late data.  A new report begins with
 *          its next due time.
 * Missed   The store keeps the time of the last report.  If some were due while heatscoped did not run, it makes the
 *          newest of them once, and says so.
 * Clock    If the clock was set back by more than REPORTS_BACK_S, every report begins with its next time.  If by less,
 *          no report is made twice.
 * Range    ends when the report was due.  It begins at the due time before, or has the configured length.
 * Errors   A report that fails is not made.  It is counted, logged and in reports_json().
 * Thread   the loop thread only; a worker writes the files.
 */
#ifndef HEATSCOPE_REPORTS_H
#define HEATSCOPE_REPORTS_H

#include "aggregator/base/conf_limits.h"
#include "aggregator/notify/schedule.h"
#include "aggregator/base/services.h"
#include "aggregator/notify/webhooks.h"

#define REPORTS_LATE_S 5
#define REPORTS_BACK_S 60
#define CONF_REPORTS_MAX 16
#define CONF_REPORT_INSTS 8

struct conf_report {
	char name[CONF_NAME_MAX];
	unsigned line;
	struct schedule when;
	unsigned range_s;		/* 0: since the time before that at which it was due */
	char instrumentation[CONF_REPORT_INSTS][CONF_NAME_MAX];	/* their names in the configuration file */
	size_t n_instrumentations;
	char format[8];			/* a format of the value `report` */
	char to[PATH_MAX];		/* a folder; "": none */
	unsigned keep;			/* newest files of each instrumentation; 0: all */
	char webhook[CONF_NAME_MAX];	/* "": none; `to` or `webhook` is set, or both */
};

struct store;
struct reports;				/* its fields are in reports.c */

struct reports_parts {			/* all outlive the reports */
	struct services *services;
	struct webhooks *webhooks;
	const struct conf_report *conf;	/* the n entries of the configuration file */
	size_t n;
	const char *page_url;		/* notices link to it; "": no link */
};

int reports_new(const struct reports_parts *parts, struct reports **ret_reports);	/* -ENOMEM */

/* Call it before the first tick: reads from the store, which no worker uses, when each report was made last. */
int reports_load(struct reports *r, struct store *store, __s64 now_ns);
void reports_free(struct reports *r);	/* the loop has run out; NULL is fine */

void reports_tick(struct reports *r, __s64 now_ns);

/* [{"name", "line", "last", "next", "made", "failed", "reason"}]; times in Unix seconds */
json_t *reports_json(const struct reports *r);

#endif
