/* configured_alerts.h - keeps the alerts of the configuration file, even while collectors come and go.
 *
 *      entries --configured_alerts_check(), each second--> alerts_settle(), once their instrumentation is there
 *
 * Match    by name.  An alert with the same rule goes on with its state, even if its instrumentation now has another
 *          name.  It begins again, once the instrumentation is there, if the rule has changed or the instrumentation
 *          measures something else.
 * Removed  an alert that is no longer in the file; its firing ends.
 * Errors   If an entry cannot be watched as it is, or the store refuses it, it is logged, reported in
 *          configured_alerts_json(), and tried again after CONFIGURED_ALERTS_AGAIN_NS.
 * Thread   the loop thread only.
 */
#ifndef HEATSCOPE_CONFIGURED_ALERTS_H
#define HEATSCOPE_CONFIGURED_ALERTS_H

#include "aggregator/notify/alerts.h"
#include "aggregator/base/conf_limits.h"

#define CONFIGURED_ALERTS_AGAIN_NS 60000000000ll
#define CONF_ALERTS_MAX 32

struct conf_alert {
	char name[CONF_NAME_MAX];
	unsigned line;
	char instrumentation[CONF_NAME_MAX];	/* its name in the configuration file */
	char request[CONF_REQUEST_MAX];	/* JSON, without the instrumentation */
};

struct configured_alerts;		/* its fields are in configured_alerts.c */

/* Call it after configured_new(), when the listener that knows the webhooks is set; the n entries of the configuration
 * file outlive it.  -ENOMEM. */
int configured_alerts_new(struct alerts *alerts, const struct catalog *catalog, const char *file, const struct conf_alert *conf, size_t n,
		      __s64 now_ns, struct configured_alerts **ret_configured);
void configured_alerts_free(struct configured_alerts *a);	/* NULL is fine */

void configured_alerts_check(struct configured_alerts *a, __s64 now_ns);

/* As configured_json(), with "alert" in place of "instrumentation". */
json_t *configured_alerts_json(const struct configured_alerts *a);

#endif
