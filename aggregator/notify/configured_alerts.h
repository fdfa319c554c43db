/* configured_alerts.h - alerts of the configuration file: there while they are in it, whatever collectors come and go.
 *
 *      entries --configured_alerts_check(), each second--> alerts_settle(), once their instrumentation is there
 *
 * Match    by name: one whose rule is as it was goes on with its state, also where its instrumentation has another name now; one whose
 *          rule is another, or whose instrumentation measures another thing, begins anew once that is there.
 * Removed  what is no longer in the file; what fired is over then.
 * Errors   of entries that cannot be watched as they are, or that the store refuses: logged, in configured_alerts_json(), and tried
 *          again after CONFIGURED_ALERTS_AGAIN_NS.
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
	char instrumentation[CONF_NAME_MAX];	/* an always[]'s name */
	char request[CONF_REQUEST_MAX];	/* JSON, but for the instrumentation */
};

struct configured_alerts;		/* its fields are in configured_alerts.c */

/* After configured_new(), and with who knows the webhooks listening; the n entries of the configuration file outlive it.  -ENOMEM. */
int configured_alerts_new(struct alerts *alerts, const struct catalog *catalog, const char *file, const struct conf_alert *conf, size_t n,
		      __s64 now_ns, struct configured_alerts **ret_configured);
void configured_alerts_free(struct configured_alerts *a);	/* NULL is fine */

void configured_alerts_check(struct configured_alerts *a, __s64 now_ns);

/* As configured_json(), with "alert" in place of "instrumentation". */
json_t *configured_alerts_json(const struct configured_alerts *a);

#endif
