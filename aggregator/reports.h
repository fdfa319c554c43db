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

#include "aggregator.h"

#define REPORTS_LATE_S 5
#define REPORTS_BACK_S 60

struct reports;				/* its fields are in reports.c */

/* At start, before any worker runs; a->webhooks and a->conf are there. */
int reports_new(struct aggregator *a, __s64 now_ns, struct reports **ret_reports);
void reports_free(struct reports *r);	/* the loop has run out; NULL is fine */

void reports_tick(struct reports *r, __s64 now_ns);

/* [{"name", "line", "last", "next", "made", "failed", "reason"}]; times in Unix seconds */
json_t *reports_json(const struct reports *r);

#endif
