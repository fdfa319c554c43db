/* fuzz_predicate - parses any bytes as a predicate's JSON; an accepted one must keep the promises of its header. */
#include "collector/ring/filter.h"
#include "collector/core/predicate.h"
#include "test/kit/predicate_kit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(int holds)
{
	if (!holds)
		abort();
}

static void try_filter(const struct predicate *p, const json_t *json)
{
	static const struct filter_names names = { &kit_metric, "db1", kit_codes, NULL, 0, NULL };
	char reason[REASON_MAX];
	struct filter f;
	struct event e;

	if (predicate_check(p, &kit_metric, reason) || filter_compile(p, &names, &f, reason))
		return;
	check_state = 1;
	for (int i = 0; i < 20; i++) {
		kit_event(&e);
		must(filter_accepts(&f, &e, NULL) == kit_means(json, &e));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	json_t *json, *back;
	char *text = malloc(len + 1), reason[REASON_MAX] = "", title[64];
	struct predicate p, again;

	if (!text)
		return 0;
	memcpy(text, data, len);
	text[len] = 0;
	if (predicate_from_text(text, &p, reason)) {
		json = json_string(reason);
		must(json && !strncmp(reason, "predicate: ", 11));
		json_decref(json);
	} else {
		back = predicate_to_json(&p);
		must(back && !predicate_from_json(back, &again, reason) && !memcmp(&p, &again, sizeof(p)));
		predicate_title(&p, &kit_metric, title, sizeof(title));
		json = json_string(title);
		must(json != NULL);
		json_decref(json);
		try_filter(&p, back);
		json_decref(back);
	}
	free(text);
	return 0;
}
