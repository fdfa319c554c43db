/* alert_payload.h - makes the JSON that a webhook gets (doc/api.md), for an alert or for a report.
 *
 *      alert, where it is, from..to --alert_payload_json()--> {"status": "firing", "text": ...}
 *                                   --alert_payload_picture()--> + "picture"
 *      report, its document         --report_payload_json()--> {"status": "report", "text": ..., "document": ...}
 *
 * Both get to the same webhooks, so both have the same form of times, ids and links.
 * Pure    no loop, file or clock.  Thread: any.
 */
#ifndef HEATSCOPE_ALERT_PAYLOAD_H
#define HEATSCOPE_ALERT_PAYLOAD_H

#include "aggregator/notify/alert.h"

struct alert_payload {
	const struct alert_rule *rule;
	__u64 id, annotation;		/* annotation 0: none */
	const char *metric;		/* "mysql.queries" */
	const char *measure, *unit, *sentence;
	const char *state;		/* alert_state_name(), "removed" */
	double value, limit;		/* NAN: none */
	__s64 from_ns, to_ns;		/* when it fired; to_ns ANNOTATION_OPEN: it still does */
	const char *page_url;		/* "": none */
};

json_t *alert_payload_json(const struct alert_payload *n);	/* NULL: no memory */

/* Adds the picture of from..to.  png NULL: adds the reason why there is none. */
int alert_payload_picture(json_t *payload, const void *png, size_t len, __s64 from_ns, __s64 to_ns, const char *why_not);

struct report_payload {
	const char *report, *instrumentation;	/* their names in the configuration */
	__u64 inst;
	const char *module, *stat;
	__s64 from_ns, to_ns;
	const char *page_url;
	const char *type;		/* of the document */
	const void *data;
	size_t len;
};
json_t *report_payload_json(const struct report_payload *n);	/* NULL: no memory */

/* Writes "2026-11-22T23:27:00.000Z". */
#define ALERT_PAYLOAD_TIME 32
void alert_payload_time(__s64 at_ns, char out[ALERT_PAYLOAD_TIME]);

#endif
