/* configured_alerts.h - alerts of the configuration file: there while they are in it, whatever collectors come and go.
 *
 *      entries --alerts_always_look(), each second--> alerts_settle(), once their instrumentation is there
 *
 * Match    by name: one whose rule is as it was goes on with its state, also where its instrumentation has another name now; one whose
 *          rule is another, or whose instrumentation measures another thing, begins anew once that is there.
 * Removed  what is no longer in the file; what fired is over then.
 * Errors   of entries that cannot be watched as they are, or that the store refuses: logged, in alerts_always_json(), and tried
 *          again after ALERTS_ALWAYS_AGAIN_NS.
 * Thread   the loop thread only.
 */
#ifndef HEATSCOPE_ALERTS_ALWAYS_H
#define HEATSCOPE_ALERTS_ALWAYS_H

#include "aggregator/notify/alerts.h"
#include "aggregator/base/conf_limits.h"

#define ALERTS_ALWAYS_AGAIN_NS 60000000000ll
#define CONF_ALERTS_MAX 32

struct conf_alert {
	char name[CONF_NAME_MAX];
	unsigned line;
	char instrumentation[CONF_NAME_MAX];	/* an always[]'s name */
	char request[CONF_REQUEST_MAX];	/* JSON, but for the instrumentation */
};

struct alerts_always;			/* its fields are in configured_alerts.c */

/* After configured_new(), and with who knows the webhooks listening; the n entries of the configuration file outlive it.  -ENOMEM. */
int alerts_always_new(struct alerts *alerts, const struct catalog *catalog, const char *file, const struct conf_alert *conf, size_t n,
		      __s64 now_ns, struct alerts_always **ret_configured);
void alerts_always_free(struct alerts_always *a);	/* NULL is fine */

void alerts_always_look(struct alerts_always *a, __s64 now_ns);

/* As configured_json(), with "alert" in place of "instrumentation". */
json_t *alerts_always_json(const struct alerts_always *a);

#endif
