/* alert_notifier.h - sends alerts to webhooks, with the picture of the minutes around.
 *
 *      alerts.h: begins, ends --> queue --value.h, one at a time--> picture --alert_payload.h--> webhooks.h
 *         --> alerts_notified()
 *
 * Picture  the report of its instrumentation (the figure for a measure other than the first), from
 *          ALERT_NOTIFIER_BEFORE_NS before it began, but of at most ALERT_NOTIFIER_SPAN_NS; a worker draws it like
 *          pictures that people request.  If a picture cannot be drawn, the notice is sent without it and says why.
 * Bounds   ALERT_NOTIFIER_WAITING notices wait for their picture; further ones go without.
 * Kept     nothing: when heatscoped ends, it gives up and logs the notices that are being sent or wait for their
 *          picture, and draws no further one.
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
