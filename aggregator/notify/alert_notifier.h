/* alert_notifier.h - alerts told to webhooks, with the picture of the minutes around.
 *
 *      alerts.h: begins, ends --> queue --value.h, one at a time--> picture --notice.h--> webhooks.h --> alerts_notified()
 *
 * Picture  the report of its instrumentation, or of a measure that is not the first the figure, from ALERT_NOTIFIER_BEFORE_NS before it
 *          began, but of at most ALERT_NOTIFIER_SPAN_NS; drawn by a worker as those that people ask for.  A picture that cannot be
 *          had keeps no notice back: it says why there is none.
 * Bounds   ALERT_NOTIFIER_WAITING notices wait for their picture; further ones go without.
 * Kept     nothing: what is on its way, or waits for its picture, when heatscoped ends is given up, and said so; no further one is drawn.
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

/* Listens to the alerts, and sends by the webhooks.  page_url: what notices link to, "": nothing; all outlive it.  -ENOMEM. */
int alert_notifier_new(struct services *services, struct alerts *alerts, struct webhooks *webhooks, const char *page_url,
	       struct alert_notifier **ret_notifier);
void alert_notifier_free(struct alert_notifier *h);	/* the loop has run out; NULL is fine */

#endif
