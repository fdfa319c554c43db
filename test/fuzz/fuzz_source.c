/* fuzz_source - reads any JSON as a collector's HELLO, and as its STATE. */
#include "aggregator/catalog/source.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	json_t *json = json_loadb((const char *)data, len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, NULL);
	char reason[REASON_MAX];
	struct source *known = source_new("known"), *s = NULL;

	if (json && !source_hello(json, &s, reason)) {
		source_renew(known, s);
		source_free(s);
	}
	if (json && known)
		source_state(known, json, reason);
	source_free(known);
	json_decref(json);
	return 0;
}
