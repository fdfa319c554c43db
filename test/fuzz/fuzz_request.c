/* fuzz_request - parses any body of a request that creates, clones or changes an instrumentation: JSON or a form.
 *
 * The first byte says which Content-Type it comes with.  An accepted request must survive its own JSON form. */
#include "aggregator/http/input.h"
#include "aggregator/catalog/request.h"
#include "test/kit/sample_kit.h"

#include <stdint.h>
#include <stdlib.h>

static void must(int holds)
{
	if (!holds)
		abort();
}

/* As the store and the collectors get it. */
static void check_json(const struct instrumentation *in)
{
	char reason[REASON_MAX];
	struct instrumentation again;
	json_t *json = instrumentation_to_json(in), *back;

	must(!instrumentation_from_json(json, &again, reason));
	must(!instrumentation_bind(&again, &sample_metric, reason));
	back = instrumentation_to_json(&again);
	must(json_equal(json, back));
	json_decref(json);
	json_decref(back);
}

static void ask(const json_t *object)
{
	char numeric[NAME_MAX_LEN], reason[REASON_MAX];
	struct instrumentation in, other;
	json_t *again;

	if (request_parse(object, &sample_metric, &in, numeric, reason))
		return;
	check_json(&in);
	again = request_of(&in, numeric);
	must(again && !request_parse(again, &sample_metric, &other, numeric, reason));
	json_decref(again);
	if (!request_change(object, &in, numeric, &sample_metric, &other, reason))
		check_json(&other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const char *const types[] = { "application/json", "application/x-www-form-urlencoded", "" };
	static const struct http_param query[] = { { "module", "mysql" }, { "stat", "queries" } };
	struct raw_input raw = { query, 2, len ? types[data[0] % 3] : "", len ? (const char *)data + 1 : "", len ? len - 1 : 0 };
	char reason[REASON_MAX];
	json_t *object;
	struct input in;

	if (!input_object(&raw, request_lists, &object, reason)) {
		ask(object);
		json_decref(object);
	}
	if (!input_read(&raw, &in, reason))
		input_fini(&in);
	return 0;
}
