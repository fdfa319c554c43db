/* alert_notifier.h - sends alerts to webhooks, each with a picture of the minutes around it.
 *
 *      alerts.h: begins, ends --> queue --value.h, one at a time--> picture --alert_payload.h--> webhooks.h
 *         --> alerts_notified()
 *
 * Picture  the report of the alert's instrumentation (the figure, for a measure other than the first).  It begins
 *          ALERT_NOTIFIER_BEFORE_NS before the alert and shows at most ALERT_NOTIFIER_SPAN_NS.  A worker draws it like
 *          pictures that clients request.  If it cannot be drawn, the alert is sent without it and says why.
 * Bounds   ALERT_NOTIFIER_WAITING alerts wait for their picture; further ones go without.
 * Kept     nothing.  When heatscoped ends, it gives up and logs the alerts that are being sent or wait.
 * Thread   the loop thread only.
 */
#ifndef HEATSCOPE_ALERT_NOTIFIER_H
#define HEATSCOPE_ALERT_NOTIFIER_H

#include "aggregator/notify/alerts.h"
#include "aggregator/base/services.h"
#include "aggregator/notify/webhooks.h"

#define ALERT_NOTIFIER_BEFORE_NS 300000000000ll
#define ALERT_NOTIFIER_SPAN_NS 3600000000000ll
#define ALERT_NOTIFIER_WAITING 64

struct alert_notifier;			/* its fields are in alert_notifier.c */

/* Listens to the alerts, and sends through the webhooks.  page_url: notices link to it, "": no link; all outlive it.
 * -ENOMEM. */
int alert_notifier_new(struct services *services, struct alerts *alerts, struct webhooks *webhooks, const char *page_url,
	       struct alert_notifier **ret_notifier);
void alert_notifier_free(struct alert_notifier *h);	/* the loop has run out; NULL is fine */

#endif
