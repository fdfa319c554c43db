/* fuzz_alert - parses any bytes as a request for an annotation or an alert.  An accepted one must survive its JSON
 * form. */
#include "aggregator/notify/alert.h"
#include "aggregator/annotations/annotations.h"

#include <stdint.h>
#include <stdlib.h>

static void must(int holds)
{
	if (!holds)
		abort();
}

static void check_rule(const json_t *request)
{
	struct alert_rule r, again;
	char reason[REASON_MAX];
	json_t *json, *back;

	if (alert_rule_parse(request, &r, reason))
		return;
	json = alert_rule_json(&r);
	must(json && !alert_rule_parse(json, &again, reason));
	back = alert_rule_json(&again);
	must(json_equal(json, back));
	json_decref(json);
	json_decref(back);
}

static void check_note(const json_t *request)
{
	struct annotation a;
	char reason[REASON_MAX];
	json_t *json;

	if (annotation_parse(request, 1700000000000000000ll, &a, reason))
		return;
	must(a.from_ns <= a.to_ns && a.from_ns >= 0);
	json = annotation_json(&a);
	must(json && !annotation_parse(json, 0, &a, reason));
	json_decref(json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	json_t *json = json_loadb((const char *)data, len, 0, NULL);

	if (json_is_object(json)) {
		check_rule(json);
		check_note(json);
	}
	json_decref(json);
	return 0;
}
