#include "test/kit/check.h"
#include "aggregator/worksheets/worksheet.h"
#include "aggregator/worksheets/worksheets.h"
#include "render/color/shade.h"

#define PANEL "{'instrumentation': {'module': 'mysql', 'stat': 'queries'}, 'measure': 'latency'}"

/* Parses JSON with ' for ". */
static json_t *json_of(const char *text)
{
	char quoted[8192];
	json_t *json;

	assert_true(strlen(text) < sizeof(quoted));
	strcpy(quoted, text);
	for (char *at = quoted; *at; at++)
		*at = *at == '\'' ? '"' : *at;
	json = json_loads(quoted, JSON_DECODE_ANY, NULL);
	if (!json)
		fail_msg("%s", quoted);
	return json;
}

TEST(absent_members_have_their_defaults)
{
	json_t *given = json_of("{'name': 'Checkout', 'panels': [" PANEL "]}"), *w;
	json_t *want = json_of("{'schema': 'heatscope-worksheet', 'version': 1, 'name': 'Checkout', 'duration': 300, 'yscale': 'auto', 'transfer': 'log',"
			       " 'panels': [{'instrumentation': {'module': 'mysql', 'stat': 'queries'}, 'measure': 'latency', 'weight': null,"
			       " 'show': 'map', 'size': 1}]}");
	char reason[REASON_MAX] = "";

	assert_int_equal(worksheet_read(given, &w, reason), 0);
	assert_true(json_equal(w, want));
	json_decref(given);
	json_decref(want);
	json_decref(w);
}

/* So any server can import an exported worksheet. */
TEST(an_exported_worksheet_is_imported_unchanged)
{
	json_t *given = json_of("{'id': '7', 'uri': '/ca/worksheets/7', 'ready': false, 'name': 'é \\u00fc', 'duration': 12.5, 'yscale': 'linear',"
				" 'transfer': 'rank', 'threshold': {'unit': 'ns', 'value': 5e6}, 'panels': [{'instrumentation': {'module': 'mysql',"
				" 'stat': 'queries', 'id': '3', 'where': 'latency > 1ms'}, 'measure': 'latency', 'weight': 'io', 'show': 'parts', 'size': 2.5, 'yscale': 'log'}]}");
	json_t *first, *second;
	char reason[REASON_MAX] = "";

	assert_int_equal(worksheet_read(given, &first, reason), 0);
	assert_null(json_object_get(first, "id"));
	assert_string_equal(json_string_value(json_object_get(json_array_get(json_object_get(first, "panels"), 0), "yscale")), "log");
	assert_int_equal(worksheet_read(first, &second, reason), 0);
	assert_true(json_equal(first, second));
	json_decref(given);
	json_decref(first);
	json_decref(second);
}

TEST(every_transfer_that_maps_have_is_kept)
{
	for (enum shade_transfer t = SHADE_LINEAR; t <= SHADE_PERCENT; t++) {
		json_t *given = json_of("{'name': 'x', 'panels': [" PANEL "]}"), *w;
		char reason[REASON_MAX] = "";

		json_object_set_new(given, "transfer", json_string(shade_transfer_name(t)));
		assert_int_equal(worksheet_read(given, &w, reason), 0);
		assert_string_equal(json_string_value(json_object_get(w, "transfer")), shade_transfer_name(t));
		json_decref(given);
		json_decref(w);
	}
}

TEST(an_error_is_refused_with_a_sentence_that_says_where)
{
	static const struct { const char *given, *says; } c[] = {
		{ "[]", "JSON object" },
		{ "{}", "\"name\"" },
		{ "{'name': ''}", "\"name\"" },
		{ "{'name': '   '}", "\"name\"" },
		{ "{'name': 'a\\nb'}", "one line" },
		{ "{'name': 'a\\u009bb'}", "one line" },
		{ "{'name': 'x'}", "\"panels\"" },
		{ "{'name': 'x', 'panels': []}", "\"panels\"" },
		{ "{'name': 'x', 'panels': [1]}", "panel 1 must be an object" },
		{ "{'name': 'x', 'panels': [" PANEL ", {}]}", "panel 2 needs an \"instrumentation\"" },
		{ "{'name': 'x', 'panels': [{'instrumentation': {'module': 'mysql', 'stat': 'queries'}}]}", "panel 1 needs a \"measure\"" },
		{ "{'name': 'x', 'panels': [{'instrumentation': '1', 'measure': 'latency'}]}", "panel 1 needs an" },
		{ "{'name': 'x', 'colour': 1, 'panels': [" PANEL "]}", "has no \"colour\"" },
		{ "{'name': 'x', 'version': 2, 'panels': [" PANEL "]}", "version 2" },
		{ "{'name': 'x', 'version': '1', 'panels': [" PANEL "]}", "\"version\"" },
		{ "{'schema': 'heatscope-grid', 'name': 'x', 'panels': [" PANEL "]}", "not a worksheet" },
		{ "{'name': 'x', 'duration': 1, 'panels': [" PANEL "]}", "\"duration\" must be a number from 10 to 86400" },
		{ "{'name': 'x', 'duration': '60', 'panels': [" PANEL "]}", "\"duration\"" },
		{ "{'name': 'x', 'yscale': 'cubic', 'panels': [" PANEL "]}", "\"yscale\"" },
		{ "{'name': 'x', 'transfer': 'cube', 'panels': [" PANEL "]}", "\"transfer\"" },
		{ "{'name': 'x', 'panels': [{'instrumentation': {'module': 'm', 'stat': 's'}, 'measure': 'l', 'yscale': 'auto'}]}", "panel 1: \"yscale\"" },
		{ "{'name': 'x', 'threshold': {'unit': 'ns', 'value': 0}, 'panels': [" PANEL "]}", "\"threshold\"" },
		{ "{'name': 'x', 'threshold': {'unit': 'ns', 'value': 1, 'x': 1}, 'panels': [" PANEL "]}", "the threshold has no \"x\"; it has unit and value" },
	};

	for (size_t i = 0; i < sizeof(c) / sizeof(*c); i++) {
		json_t *given = json_of(c[i].given), *w;
		char reason[REASON_MAX] = "";

		if (worksheet_read(given, &w, reason) != -EINVAL || !strstr(reason, c[i].says))
			fail_msg("%s: %s", c[i].given, reason);
		json_decref(given);
	}
}

TEST(the_number_of_panels_is_limited)
{
	for (int n = WORKSHEET_PANELS_MAX; n <= WORKSHEET_PANELS_MAX + 1; n++) {
		json_t *given = json_of("{'name': 'x', 'panels': []}"), *w;
		char reason[REASON_MAX] = "";
		int err;

		for (int i = 0; i < n; i++)
			json_array_append_new(json_object_get(given, "panels"), json_of(PANEL));
		err = worksheet_read(given, &w, reason);
		assert_int_equal(err, n > WORKSHEET_PANELS_MAX ? -EINVAL : 0);
		if (!err)
			json_decref(w);
		json_decref(given);
	}
}

TEST(a_change_changes_what_it_names_and_is_checked_like_all)
{
	json_t *given = json_of("{'name': 'x', 'duration': 60, 'panels': [" PANEL "]}"), *w, *next;
	json_t *name = json_of("{'name': 'y'}"), *wrong = json_of("{'panels': []}"), *none = json_of("{'threshold': null}");
	char reason[REASON_MAX] = "";

	assert_int_equal(worksheet_read(given, &w, reason), 0);
	assert_int_equal(worksheet_change(w, name, &next, reason), 0);
	assert_string_equal(json_string_value(json_object_get(next, "name")), "y");
	assert_int_equal(json_integer_value(json_object_get(next, "duration")), 60);
	assert_true(json_equal(json_object_get(next, "panels"), json_object_get(w, "panels")));
	json_decref(next);
	assert_int_equal(worksheet_change(w, wrong, &next, reason), -EINVAL);
	assert_int_equal(worksheet_change(w, none, &next, reason), 0);
	json_decref(next);
	json_decref(given);
	json_decref(w);
	json_decref(name);
	json_decref(wrong);
	json_decref(none);
}

TEST(those_that_come_along_are_worksheets_with_ids_of_their_own)
{
	json_t *all = json_loads(worksheets_ready, JSON_REJECT_DUPLICATES, NULL), *given, *w;
	char reason[REASON_MAX] = "";
	size_t i;

	assert_true(json_array_size(all) >= 4);
	json_array_foreach(all, i, given) {
		const char *id = json_string_value(json_object_get(given, "id"));

		if (worksheet_read(given, &w, reason))
			fail_msg("%s: %s", id, reason);
		assert_true(strspn(id, "abcdefghijklmnopqrstuvwxyz-") == strlen(id) && strlen(id) < WORKSHEET_ID_MAX);
		json_decref(w);
	}
	json_decref(all);
}

TEST_MAIN()
