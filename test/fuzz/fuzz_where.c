/* fuzz_where - parses any text as a predicate: it is read or refused, and its title is read as the same predicate. */
#include "collector/core/where.h"
#include "test/kit/predicate_kit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(int holds)
{
	if (!holds)
		abort();
}

static const char *type_of(void *arg, const char *name)
{
	const struct field *f = metric_field(&kit_metric, name);

	return f ? f->type : NULL;
}

static void check_title(const json_t *json, const struct where_fields *fields)
{
	static char title[65536];
	char reason[REASON_MAX], why[WHERE_REASON];
	struct predicate p;
	json_t *back;

	if (predicate_from_json(json, &p, reason) || predicate_check(&p, &kit_metric, reason))
		return;
	predicate_title(&p, &kit_metric, title, sizeof(title));
	must(!where_parse(title, fields, &back, why) && json_equal(json, back));
	json_decref(back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const struct where_fields fields = { type_of, NULL };
	char *text = malloc(len + 1), reason[WHERE_REASON] = "";
	json_t *json;

	if (!text)
		return 0;
	memcpy(text, data, len);
	text[len] = 0;
	if (where_parse(text, &fields, &json, reason)) {
		must(!strncmp(reason, "character ", 10));
	} else {
		check_title(json, &fields);
		json_decref(json);
	}
	free(text);
	return 0;
}
