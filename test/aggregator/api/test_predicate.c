#include "test/kit/check.h"
#include "test/kit/server_kit.h"
#include "aggregator/value/value.h"

#include <stdio.h>

#define HEAD "{\"module\": \"mysql\", \"stat\": \"queries\", \"decomposition\": \"statement,latency\", \"predicate\": "
#define PREDICATE "{\"and\": [{\"eq\": [\"statement\", \"select\"]}, {\"gt\": [\"latency\", 10000000]}]}"
#define TEXT "statement = select and latency > 10 ms"

static struct server server;

static int start(void **state)
{
	server_start(&server, true);
	server_collector(&server, "db1");
	return 0;
}

static int stop(void **state)
{
	server_stop(&server);
	return 0;
}

/* Returns the instrumentation that a request makes or changes. */
static json_t *asked(const char *method, const char *path, const char *headers, const char *body, int status)
{
	struct answer a = ask(&server, method, path, headers, body);
	json_t *json = json_loads(a.body, 0, NULL);

	if (a.status != status)
		fail_msg("%s %s: %d %s", path, body ? body : "", a.status, a.body);
	assert_non_null(json);
	answer_fini(&a);
	return json;
}

static int predicate_is(const json_t *inst, const char *predicate, const char *text)
{
	json_t *should = json_loads(predicate, 0, NULL);
	int same = json_equal(json_object_get(inst, "predicate"), should) &&
		   !strcmp(json_string_value(json_object_get(inst, "predicate-text")), text);

	json_decref(should);
	return same;
}

TEST(a_predicate_is_shown_as_it_was_given)
{
	json_t *made = asked("POST", "/ca/instrumentations", NULL, HEAD PREDICATE "}", 201), *again;
	char *text;

	assert_true(predicate_is(made, PREDICATE, TEXT));
	again = get_json(&server, json_string_value(json_object_get(made, "uri")));
	assert_true(predicate_is(again, PREDICATE, TEXT));
	json_decref(made);
	text = json_dumps(again, 0);
	made = asked("POST", "/ca/instrumentations", NULL, text, 201);	/* a reply can be sent as a request */
	free(text);
	assert_true(predicate_is(made, PREDICATE, TEXT));
	json_decref(made);
	json_decref(again);
	made = asked("POST", "/ca/instrumentations", NULL, HEAD "{}}", 201);
	assert_true(predicate_is(made, "{}", ""));
	json_decref(made);
}

TEST(a_query_or_a_form_holds_its_text)
{
	static const char encoded[] = "module=mysql&stat=queries&predicate=%7B%22eq%22%3A%5B%22statement%22%2C%22a%26b%22%5D%7D";
	char path[256];
	json_t *made;

	snprintf(path, sizeof(path), "/ca/instrumentations?%s", encoded);
	made = asked("POST", path, NULL, NULL, 201);
	assert_true(predicate_is(made, "{\"eq\": [\"statement\", \"a&b\"]}", "statement = \"a&b\""));
	json_decref(made);
	made = asked("POST", "/ca/instrumentations", "Content-Type: application/x-www-form-urlencoded\r\n", encoded, 201);
	assert_true(predicate_is(made, "{\"eq\": [\"statement\", \"a&b\"]}", "statement = \"a&b\""));
	json_decref(made);
}

/* As a drill-down does it: {"and": [the new predicate, the old one]}. */
TEST(a_clone_may_have_another)
{
	json_t *made = asked("POST", "/ca/instrumentations", NULL, HEAD PREDICATE "}", 201), *clone;
	char path[96];

	snprintf(path, sizeof(path), "%s/clone", json_string_value(json_object_get(made, "uri")));
	clone = asked("POST", path, NULL, "{}", 201);
	assert_true(predicate_is(clone, PREDICATE, TEXT));
	json_decref(clone);
	clone = asked("POST", path, NULL, "{\"predicate\": {\"and\": [{\"lt\": [\"cputime\", 1500]}, " PREDICATE "]}}", 201);
	assert_true(predicate_is(clone, "{\"and\": [{\"lt\": [\"cputime\", 1500]}, " PREDICATE "]}", "cputime < 1.5 us and (" TEXT ")"));
	json_decref(clone);
	json_decref(asked("PUT", json_string_value(json_object_get(made, "uri")), NULL, "{\"predicate\": " PREDICATE "}", 200));
	json_decref(asked("PUT", json_string_value(json_object_get(made, "uri")), NULL, "{\"predicate\": {}}", 409));
	json_decref(made);
}

#define WHERE "{\"module\": \"mysql\", \"stat\": \"queries\", \"decomposition\": \"statement,latency\", \"where\": "

TEST(it_may_be_written_as_an_expression)
{
	json_t *made = asked("POST", "/ca/instrumentations", NULL, WHERE "\"statement=select and latency > 10ms\"}", 201);
	char path[96];

	assert_true(predicate_is(made, PREDICATE, TEXT));
	assert_null(json_object_get(made, "where"));
	snprintf(path, sizeof(path), "%s/clone", json_string_value(json_object_get(made, "uri")));
	json_decref(made);
	made = asked("POST", path, NULL, "{\"where\": \"latency <= 1.5 us\"}", 201);	/* replaces the old one */
	assert_true(predicate_is(made, "{\"le\": [\"latency\", 1500]}", "latency <= 1.5 us"));
	json_decref(asked("PUT", json_string_value(json_object_get(made, "uri")), NULL, "{\"where\": \"latency <= 1500 ns\"}", 200));
	json_decref(asked("PUT", json_string_value(json_object_get(made, "uri")), NULL, "{\"where\": \"latency < 1500 ns\"}", 409));
	json_decref(made);
	made = asked("POST", "/ca/instrumentations", NULL, WHERE "\" \\n\"}", 201);
	assert_true(predicate_is(made, "{}", ""));
	json_decref(made);
}

static void refuses(const char *body, const char *sentence)
{
	json_t *json = asked("POST", "/ca/instrumentations", NULL, body, 409);
	const char *said = json_string_value(json_object_get(json_object_get(json, "error"), "message"));

	if (strncmp(said, sentence, strlen(sentence)))
		fail_msg("%s says \"%s\", not \"%s\"", body, said, sentence);
	json_decref(json);
}

TEST(a_syntax_error_is_refused_with_its_place)
{
	refuses(WHERE "\"latency > 10\"}", "where: character 11: latency needs a unit: one of ns, us, ms, s");
	refuses(WHERE "\"colour = red\"}", "where: character 1: \"colour\" is not a field of this metric");
	refuses(WHERE "\"latency > 999999s\"}", "predicate: value 999999000000000 for field \"latency\" is invalid: maximum is");
	refuses(WHERE "[]}", "where: must be a text");
	refuses(WHERE "\"statement = select\", \"predicate\": {}}", "give either predicate or where");
}

TEST(a_predicate_that_does_not_fit_is_refused)
{
	static const char *const cases[][2] = {
		{ "{\"lt\": [\"statement\", \"a\"]}", "predicate: field \"statement\" is discrete: only eq and ne are possible, not lt" },
		{ "{\"eq\": [\"colour\", \"red\"]}", "predicate: \"colour\" is not a field of mysql.queries; it has: " },
		{ "{\"eq\": [\"latency\", 99999999999999]}", "predicate: value 99999999999999 for field \"latency\" is invalid: maximum is" },
		{ "\"{\"", "predicate: not JSON: " },
		{ "null", "predicate: must be a JSON object" },
		{ "[]", "predicate: must be a JSON object" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char body[512];

		snprintf(body, sizeof(body), HEAD "%s}", cases[i][0]);
		refuses(body, cases[i][1]);
	}
}

TEST_MAIN_WITH(start, stop)
