/* reports.h - the reports of the configuration file: drawn when they are due, to a folder, a webhook, or both.
 *
 *      schedule.h: due --> value.h, one at a time --> report_file.h (worker), webhooks.h
 *
 * When     REPORTS_LATE_S after the time, so that late data are in it.  The last time it was done is kept: what was missed while
 *          heatscoped did not run is made up for once, by the newest that was due, and said.  A new one begins with its next time, and so
 *          does everyone where the clock was set back, by more than REPORTS_BACK_S: by less nothing is made twice.
 * Range    until it was due, since the time before that, or as long as the configuration says.
 * Errors   cost that report; they are counted, logged and in reports_json().
 * Thread   the loop thread only; files are written by a worker.
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
	unsigned range_s;		/* 0: since the time before that it was due */
	char instrumentation[CONF_REPORT_INSTS][CONF_NAME_MAX];	/* names of always[] */
	size_t n_instrumentations;
	char format[8];			/* one of value/report's */
	char to[PATH_MAX];		/* a folder; "": none */
	unsigned keep;			/* newest files of each instrumentation; 0: all */
	char webhook[CONF_NAME_MAX];	/* "": none; one of the two is there */
};

struct store;
struct reports;				/* its fields are in reports.c */

struct reports_parts {			/* all outlive the reports */
	struct services *services;
	struct webhooks *webhooks;
	const struct conf_report *conf;	/* the n entries of the configuration file */
	size_t n;
	const char *page_url;		/* what notices link to; "": nothing */
};

/* At start, before any worker runs: the store says when each was done last. */
int reports_new(const struct reports_parts *parts, struct store *store, __s64 now_ns, struct reports **ret_reports);
void reports_free(struct reports *r);	/* the loop has run out; NULL is fine */

void reports_tick(struct reports *r, __s64 now_ns);

/* [{"name", "line", "last", "next", "made", "failed", "reason"}]; times in Unix seconds */
json_t *reports_json(const struct reports *r);

#endif
