/* test_ca - tests Cloud Analytics' interface, example by example: concepts, HTTP, predicates and decompositions.
 *
 * Each line is one request and what its reply must contain.  $T is a second with data.  A line where this server
 * deliberately differs says so; doc/api.md, "Differences from Cloud Analytics", has the reason.
 */
#include "test/kit/check.h"
#include "test/kit/server_kit.h"

#include <stdio.h>

#define SLOT 1000000000ll

static struct server server;
static __s64 t0;

/* Instrumentation 1 is by statement and latency, 2 by statement, 3 a scalar.  In the seconds $T to $T+9 are
 * three selects of 1 ms each, and in $T+3 two updates of 50 ms. */
static int start(void **state)
{
	static const char *const more[] = { "decomposition=statement", "" };
	char path[128];

	server_start(&server, true);
	server_collector(&server, "db1");
	assert_int_equal(server_create(&server), 1);
	for (int i = 0; i < 2; i++) {
		struct answer a;

		snprintf(path, sizeof(path), "/ca/instrumentations?module=mysql&stat=queries&measures=latency,cputime&%s", more[i]);
		a = ask(&server, "POST", path, NULL, NULL);
		assert_int_equal(a.status, 201);
		answer_fini(&a);
	}
	t0 = now_ns() / SLOT - 30;
	for (__u64 inst = 1; inst <= 2; inst++) {
		for (__s64 i = 0; i < 10; i++)
			server_batch(&server, "db1", inst, t0 + i, "select", 1000000, 3);
		server_batch(&server, "db1", inst, t0 + 3, "update", 50000000, 2);
	}
	for (__s64 i = 0; i < 10; i++)
		server_batch(&server, "db1", 3, t0 + i, NULL, 1000000, 3);
	return 0;
}

static int stop(void **state)
{
	server_stop(&server);
	return 0;
}

#define FORM "Content-Type: application/x-www-form-urlencoded\r\n"
#define JSON "Content-Type: application/json\r\n"
#define Q "\"module\": \"mysql\", \"stat\": \"queries\""
#define INST "/ca/instrumentations"
#define VALUE(n) INST "/" #n "/value/"

/* at: a path into the reply ("" is all of it, "n" of an array its entry, "#" its length); is: JSON, or a word:
 * "text", "number", "array", "object", "null"; if `at` is "~", the reply's text must contain it. */
struct want {
	const char *at, *is;
};

static const struct example {
	const char *method, *path, *headers, *body;
	int status;
	struct want want[6];
} examples[] = {
	/* --- modules, metrics, fields, types, transformations --- */
	{ "GET", "/ca", "", NULL, 200, { { "modules.mysql.label", "\"MySQL\"" }, { "metrics.0.module", "\"mysql\"" },
		{ "metrics.0.stat", "\"queries\"" }, { "metrics.0.interval", "\"interval\"" }, { "metrics.0.fields.#", "5" },
		{ "metrics.0.unit", "\"queries\"" } } },
	{ "GET", "/ca/", "", NULL, 200, { { "fields.statement.label", "\"statement\"" }, { "fields.latency.type", "\"time\"" },
		{ "transformations", "{}" } } },
	{ "GET", "/ca?profile=none", "", NULL, 200, { { "types.string", "{\"name\": \"string\", \"arity\": \"discrete\"}" },
		{ "types.number", "{\"name\": \"number\", \"arity\": \"numeric\"}" },
		{ "types.percent", "{\"name\": \"percent\", \"arity\": \"numeric\", \"unit\": \"percent\", \"abbr\": \"%\", \"minmax\": 100}" },
		{ "types.time.power", "-9" }, { "types.time.base", "10" },
		{ "types.size", "{\"name\": \"size\", \"arity\": \"numeric\", \"unit\": \"bytes\", \"abbr\": \"B\", \"base\": 2, \"power\": 0}" } } },
	{ "GET", "/ca?profile=nobody", "", NULL, 200, { { "metrics", "array" } } },
	{ "GET", "/ca/metrics", "", NULL, 200, { { "mysql.label", "\"MySQL\"" }, { "mysql.stats.queries.type", "\"unused\"" },
		{ "mysql.stats.queries.fields.latency.type", "\"latency\"" },
		{ "mysql.stats.queries.fields.statement", "{\"label\": \"statement\", \"type\": \"string\"}" } } },
	{ "GET", "/ca/types", "", NULL, 200, { { "", "{\"latency\": \"numeric\", \"string\": \"discrete\", \"number\": \"numeric\"}" } } },
	{ "GET", "/ca/transformations", "", NULL, 200, { { "", "{}" } } },

	/* --- properties of an instrumentation --- */
	{ "GET", INST "/1", "", NULL, 200, { { "value-dimension", "3" }, { "value-arity", "\"numeric-decomposition\"" },
		{ "value-scope", "\"interval\"" }, { "nsources", "1" }, { "transformations", "{}" }, { "id", "\"1\"" } } },
	{ "GET", INST "/1/", "", NULL, 200, { { "uri", "\"/ca/instrumentations/1\"" }, { "uris.0.name", "\"value_raw\"" },
		{ "uris.0.uri", "\"/ca/instrumentations/1/value/raw\"" }, { "uris.1.name", "\"value_heatmap\"" },
		{ "uris.1.uri", "\"/ca/instrumentations/1/value/heatmap/image\"" }, { "uris.2.name", "\"details_heatmap\"" } } },
	{ "GET", INST "/2", "", NULL, 200, { { "value-dimension", "2" }, { "value-arity", "\"discrete-decomposition\"" },
		{ "granularity", "1" }, { "crtime", "number" }, { "enabled", "true" } } },
	{ "GET", INST "/3", "", NULL, 200, { { "value-dimension", "1" }, { "value-arity", "\"scalar\"" }, { "decomposition", "[]" },
		{ "predicate", "{}" } } },
	{ "GET", INST, "", NULL, 200, { { "#", "3" }, { "0.id", "\"1\"" } } },
	{ "GET", INST "?all=true", "", NULL, 200, { { "#", "3" } } },
	{ "GET", INST "/99", "", NULL, 404, { { "error.code", "\"ECA_NOENT\"" } } },	/* differs: the body says why */

	/* --- creating: query, form, JSON --- */
	{ "POST", INST "?module=mysql&stat=queries", "", NULL, 201, { { "module", "\"mysql\"" }, { "retention-time", "86400" },
		/* differs: 600 and 3600 there */
		{ "idle-max", "0" }, { "granularity", "1" } } },
	{ "POST", INST, FORM, "module=mysql&stat=queries&decomposition=statement,latency&persist-data=true&enabled=true", 201,
	  { { "decomposition", "[\"statement\", \"latency\"]" }, { "persist-data", "true" } } },
	{ "POST", INST, FORM, "module=mysql&stat=queries&predicate=%7B%22eq%22%3A%5B%22statement%22%2C%22select%22%5D%7D", 201,
	  { { "predicate", "{\"eq\": [\"statement\", \"select\"]}" } } },
	{ "POST", INST, JSON, "{" Q ", \"decomposition\": [\"latency\", \"statement\"]}", 201,	/* any order */
	  { { "value-dimension", "3" }, { "value-arity", "\"numeric-decomposition\"" } } },
	/* JSON wins */
	{ "POST", INST "?granularity=10", JSON, "{" Q ", \"granularity\": 5}", 201, { { "granularity", "5" } } },
	{ "POST", INST, JSON, "{" Q ", \"granularity\": \"60\", \"retention-time\": \"216000\"}", 201, { { "granularity", "60" } } },
	{ "POST", INST, JSON, "{" Q ", \"granularity\": 3600, \"retention-time\": 12960000}", 201, { { "retention-time", "12960000" } } },
	/* differs: was cut to 10 */
	{ "POST", INST, JSON, "{" Q ", \"granularity\": \"10.5\"}", 409, { { "~", "granularity" } } },
	{ "POST", INST, JSON, "{" Q ", \"retention-time\": 5}", 409,
	  { { "error.message", "\"value \\\"5\\\" for field \\\"retention-time\\\" is invalid: minimum is 10\"" } } },
	{ "POST", INST, JSON, "{\"module\": \"mysql\"}", 409,
	  { { "error", "{\"code\": \"ECA_INVAL\", \"message\": \"missing value for required field: \\\"stat\\\"\"}" } } },
	{ "POST", INST, JSON, "{\"module\": \"mysql\", \"stat\": \"nothing\"}", 409, { { "~", "is not a valid module/stat pair" } } },
	{ "POST", INST, JSON, "{" Q ", \"idle-max\": 604801}", 409, { { "~", "maximum is 604800" } } },
	/* differs */
	{ "POST", INST, JSON, "{" Q ", \"enabled\": false}", 201, { { "enabled", "false" }, { "state", "\"suspended\"" } } },
	/* differs: was dropped silently */
	{ "POST", INST, JSON, "{" Q ", \"colour\": 1}", 409, { { "~", "unknown" } } },
	{ "POST", INST, JSON, "{" Q, 409, { { "error.code", "\"ECA_INVAL\"" }, { "~", "not JSON" } } },
	{ "POST", INST, "Content-Type: multipart/form-data; boundary=x\r\n", "--x--", 415, { { "error.code", "\"ECA_INVAL\"" } } },
	{ "GET", "/ca", "X-API-Version: ca/0.1.8\r\n", NULL, 200, { { "metrics", "array" } } },
	{ "GET", "/ca", "X-API-Version: 0.1.8\r\n", NULL, 409, { { "error.code", "\"ECA_INVAL\"" } } },

	/* --- put, clone --- */
	{ "PUT", INST "/3", JSON, "{\"retention-time\": 1200, \"idle-max\": 7200}", 200, { { "retention-time", "1200" },
		{ "idle-max", "7200" }, { "id", "\"3\"" }, { "uris", "array" } } },
	{ "PUT", INST "/3", FORM, "retention-time=3600&idle-max=0", 200, { { "retention-time", "3600" } } },
	/* was accepted */
	{ "PUT", INST "/3", JSON, "{\"retention-time\": 999999999}", 409, { { "~", "maximum is" } } },
	{ "POST", INST "/1/clone", JSON, "{\"decomposition\": [\"command\", \"latency\"]}", 201, { { "stat", "\"queries\"" },
		{ "decomposition", "[\"command\", \"latency\"]" }, { "measures", "[\"latency\", \"cputime\"]" } } },
	{ "POST", INST "/1/clone?decomposition=", "", NULL, 201, { { "value-arity", "\"scalar\"" } } },
	{ "POST", INST "/1/clone", JSON, "{\"predicate\": {\"and\": [{\"eq\": [\"statement\", \"select\"]}, {\"gt\": [\"latency\", 100]}]}}",
	  201, { { "predicate.and.1.gt.1", "100" } } },

	/* --- predicates and decompositions --- */
	{ "POST", INST, JSON, "{" Q ", \"predicate\": {}}", 201, { { "predicate", "{}" } } },
	{ "POST", INST, JSON, "{" Q ", \"predicate\": {\"ne\": [\"statement\", \"a\\\"b\"]}}", 201, { { "predicate.ne.1", "\"a\\\"b\"" } } },
	{ "POST", INST, JSON, "{" Q ", \"predicate\": {\"or\": [{\"le\": [\"latency\", 5]}, {\"ge\": [\"latency\", 9]}]}}", 201, { { "id", "text" } } },
	{ "POST", INST, JSON, "{" Q ", \"predicate\": {\"and\": [{\"eq\": [\"statement\", \"select\"]}]}}", 409, { { "error.message", "text" } } },
	{ "POST", INST, JSON, "{" Q ", \"predicate\": {\"eq\": [\"statement\", 5]}}", 409, { { "error.message", "text" } } },
	{ "POST", INST, JSON, "{" Q ", \"predicate\": {\"eq\": [\"latency\", \"5\"]}}", 409, { { "error.message", "text" } } },
	/* was accepted */
	{ "POST", INST, JSON, "{" Q ", \"predicate\": {\"lt\": [\"statement\", \"a\"]}}", 409, { { "error.message", "text" } } },
	{ "POST", INST, JSON, "{" Q ", \"predicate\": {\"eq\": [\"nothing\", \"a\"]}}", 409, { { "~", "nothing" } } },
	{ "POST", INST, JSON, "{" Q ", \"predicate\": {\"like\": [\"statement\", \"a\"]}}", 409, { { "error.message", "text" } } },
	{ "POST", INST, JSON, "{" Q ", \"decomposition\": [\"latency\", \"cputime\"]}", 409, { { "~", "more than one numeric decomposition specified" } } },
	/* differs */
	{ "POST", INST, JSON, "{" Q ", \"decomposition\": [\"statement\", \"command\"]}", 201, { { "value-dimension", "3" } } },
	{ "POST", INST, JSON, "{" Q ", \"decomposition\": [\"nothing\"]}", 409, { { "~", "nothing" } } },

	/* --- values --- */
	{ "GET", INST "/1/value", "", NULL, 200, { { "0.name", "\"value_raw\"" }, { "1.name", "\"value_heatmap\"" }, { "0.uri", "text" } } },
	{ "GET", VALUE(1) "heatmap", "", NULL, 200, { { "0.name", "\"image\"" }, { "1.name", "\"details\"" }, { "2.name", "\"average\"" },
		{ "3.name", "\"percentile\"" } } },
	{ "GET", VALUE(3) "raw?start_time=$T", "", NULL, 200, { { "value", "3" }, { "duration", "1" }, { "transformations", "{}" },
		{ "nsources", "1" }, { "minreporting", "1" } } },
	{ "GET", VALUE(2) "raw?start_time=$T&duration=10", "", NULL, 200, { { "value", "{\"select\": 30, \"update\": 2}" } } },
	{ "GET", VALUE(1) "raw?start_time=$T&duration=10", "", NULL, 200, { { "value.select.0.1", "30" }, { "value.update.0.1", "2" },
		{ "value.update.#", "1" }, { "value.update.0.0.#", "2" } } },
	{ "GET", VALUE(3) "raw?start_time=$T&ndatapoints=4", "", NULL, 200, { { "#", "4" }, { "3.value", "3" }, { "3.duration", "1" } } },
	{ "GET", VALUE(3) "raw?start_time=$T&ndatapoints=1", "", NULL, 200, { { "#", "1" } } },
	{ "GET", VALUE(3) "raw?start_time=$T&ndatapoints=0", "", NULL, 409, { { "~", "minimum is 1" } } },
	{ "GET", VALUE(3) "raw?start_time=$T.5&duration=1.5", "", NULL, 200, { { "duration", "2" }, { "requested_duration", "1.5" },
		{ "value", "6" }, { "requested_start_time", "number" }, { "requested_end_time", "number" } } },
	/* JSON, in a GET */
	{ "GET", VALUE(3) "raw", JSON, "{\"start_time\": $T, \"duration\": 2}", 200, { { "value", "6" } } },
	/* JSON takes precedence */
	{ "GET", VALUE(3) "raw?duration=1", JSON, "{\"start_time\": $T, \"duration\": 2}", 200, { { "value", "6" } } },
	{ "GET", VALUE(3) "raw?start_time=$T&end_time=$T&duration=1", "", NULL, 409, { { "~", "do not agree" } } },
	{ "GET", VALUE(3) "raw?start_time=8999999999", "", NULL, 409, { { "~", "too far in the future" } } },
	{ "GET", VALUE(3) "raw?timeout=5001", "", NULL, 409, { { "~", "maximum is 5000" } } },
	{ "GET", VALUE(3) "raw?transformations=geolocate", "", NULL, 409, { { "error.message", "text" } } },
	{ "GET", VALUE(1) "heatmap/image?start_time=$T&duration=10", "", NULL, 200, { { "nbuckets", "100" }, { "width", "600" },
		{ "height", "300" }, { "ymin", "0" }, { "present.#", "2" }, { "image", "text" } } },
	{ "GET", VALUE(1) "heatmap/image?start_time=$T&ndatapoints=2&duration=5&width=50&height=40", "", NULL, 200, { { "#", "2" },
		{ "1.width", "50" }, { "1.image", "text" } } },
	{ "GET", VALUE(1) "heatmap/image?ymin=10&ymax=10", "", NULL, 409, { { "~", "ymin must be less than ymax" } } },
	{ "GET", VALUE(1) "heatmap/image?width=9", "", NULL, 409,	/* the reason stays */
	  { { "error.message", "\"value \\\"9\\\" for parameter \\\"width\\\" is invalid: minimum is 10\"" } } },
	/* JSON is read, too */
	{ "GET", VALUE(1) "heatmap/image", JSON, "{\"width\": 9}", 409, { { "~", "minimum is 10" } } },
	{ "GET", VALUE(1) "heatmap/details?start_time=$T&duration=10&ymax=100000000&nbuckets=2&width=10&height=10&x=3&y=0", "", NULL, 200,
	  { { "bucket_ymin", "50000000" }, { "bucket_ymax", "100000000" }, { "bucket_time", "number" }, { "present", "object" },
	    { "total", "number" } } },
	{ "GET", VALUE(1) "heatmap/details?start_time=$T&duration=10&ymax=1e8&nbuckets=2&width=10.0&height=10.5&x=3.95&y=0.2&_=1", "", NULL, 200,
	  { { "bucket_ymin", "50000000" }, { "bucket_ymax", "100000000" }, { "width", "10" } } },
	{ "GET", VALUE(1) "heatmap/details?y=0", "", NULL, 409, { { "~", "missing value for required parameter" } } },
	{ "GET", VALUE(1) "heatmap/average?start_time=$T&duration=10", "", NULL, 200, { { "average", "4062500.0" } } },
	{ "GET", VALUE(1) "heatmap/percentile?start_time=$T&duration=10&percentile=1", "", NULL, 200, { { "percentile", "50000000" } } },
	{ "GET", VALUE(1) "heatmap/percentile?percentile=2", "", NULL, 409, { { "~", "a number from 0 to 1" } } },
	{ "GET", VALUE(1) "heatmap/median", "", NULL, 404, { { "error.code", "\"ECA_NOENT\"" } } },

	/* --- the rest --- */
	{ "GET", "/ca/admin/status", "", NULL, 200, { { "memory_bytes", "number" }, { "counters.http.by_status.200", "number" },
		{ "sources.0.state", "\"active\"" }, { "instrumentations", "array" }, { "uptime", "number" }, { "lost_events", "0" } } },
	{ "GET", "/ca/admin/status?recurse=true&timeout=5", "", NULL, 200, { { "store.bytes", "0" }, { "store.database", "\"memory\"" } } },
	/* differs */
	{ "GET", "/ca/customers/1/instrumentations", "", NULL, 404, { { "~", "no customers" } } },
	{ "DELETE", INST "/2", "", NULL, 204, { { NULL, NULL } } },
	{ "GET", INST "/2", "", NULL, 404, { { NULL, NULL } } },
};

/* Replaces $T by the second. */
static void fill_in(const char *text, char *out, size_t room)
{
	size_t at = 0;

	for (; *text && at + 16 < room; text++) {
		if (text[0] == '$' && text[1] == 'T') {
			at += (size_t)snprintf(out + at, room - at, "%lld", (long long)t0);
			text++;
		} else {
			out[at++] = *text;
		}
	}
	out[at] = 0;
}

static const json_t *member_at(const json_t *json, const char *at)
{
	static json_t *length;
	char part[64];
	int n;

	for (; *at && json; at += n + (at[n] == '.')) {
		assert_int_equal(sscanf(at, "%63[^.]%n", part, &n), 1);
		if (!strcmp(part, "#")) {
			json_decref(length);
			return length = json_integer((json_int_t)json_array_size(json));
		}
		json = json_is_array(json) ? json_array_get(json, (size_t)atoi(part)) : json_object_get(json, part);
	}
	return json;
}

static bool fits(const json_t *have, const char *is)
{
	static const struct { const char *word; json_type type; } words[] = {
		{ "text", JSON_STRING }, { "array", JSON_ARRAY }, { "object", JSON_OBJECT }, { "null", JSON_NULL },
	};
	json_t *want;
	bool same;

	if (!have)
		return false;
	if (!strcmp(is, "number"))
		return json_is_number(have);
	for (size_t i = 0; i < 4; i++)
		if (!strcmp(is, words[i].word))
			return json_typeof(have) == words[i].type;
	want = json_loads(is, JSON_DECODE_ANY, NULL);
	if (!want)
		fail_msg("the test is wrong: %s", is);
	same = json_is_number(want) ? json_is_number(have) && json_number_value(want) == json_number_value(have)
				    : json_equal(want, have);
	json_decref(want);
	return same;
}

TEST(every_example_holds)
{
	char path[512], body[512], reason[REASON_MAX];
	int bad = 0;

	for (size_t i = 0; i < sizeof(examples) / sizeof(*examples); i++) {
		const struct example *e = &examples[i];
		struct answer a;
		json_t *json;

		fill_in(e->path, path, sizeof(path));
		fill_in(e->body ? e->body : "", body, sizeof(body));
		a = ask(&server, e->method, path, e->headers, e->body ? body : NULL);
		json = a.body_len ? json_loads(a.body, 0, NULL) : NULL;
		reason[0] = 0;
		if (a.status != e->status)
			snprintf(reason, sizeof(reason), "status %d instead of %d", a.status, e->status);
		for (const struct want *w = e->want; w < e->want + 6 && w->at && !reason[0]; w++)
			if (strcmp(w->at, "~") ? !fits(member_at(json, w->at), w->is) : !strstr(a.body, w->is))
				snprintf(reason, sizeof(reason), "%s is not %s", w->at, w->is);
		if (reason[0]) {
			print_message("# %s %s %s\n#     %s: %.400s\n", e->method, path, e->body ? body : "", reason, a.body ? a.body : "");
			bad++;
		}
		json_decref(json);
		answer_fini(&a);
	}
	assert_int_equal(bad, 0);
}

TEST_MAIN_WITH(start, stop)
