/* test_openapi - compares doc/openapi.json with this server: all its routes and parameters, and no others.
 * test/e2e/openapi tests that real replies fit its schemas.
 */
#include "test/kit/check.h"
#include "test/kit/server_kit.h"

#include "aggregator/api/api.h"
#include "aggregator/params/params.h"

#include <ctype.h>
#include <stdio.h>

static struct server server;
static json_t *document;

static int start(void **state)
{
	server_start(&server, false);
	server_collector(&server, "db1");
	document = get_json(&server, "/ca/openapi.json");
	return 0;
}

static int stop(void **state)
{
	json_decref(document);
	server_stop(&server);
	return 0;
}

/* Returns what "#/components/..." refers to, or the JSON itself. */
static const json_t *resolve(const json_t *json)
{
	const char *at = json_string_value(json_object_get(json, "$ref"));
	const json_t *to = document;
	char part[64];
	int n;

	if (!at)
		return json;
	for (at += 2; *at && to; at += n + (at[n] == '/')) {
		assert_int_equal(sscanf(at, "%63[^/]%n", part, &n), 1);
		to = json_object_get(to, part);
	}
	if (!to)
		fail_msg("%s leads nowhere", json_string_value(json_object_get(json, "$ref")));
	return to;
}

static const json_t *operation_of(const struct api_route *route)
{
	char path[128], method[16];
	size_t i = 0;
	const char *id = strchr(route->path, ':');
	int len = id ? (int)strcspn(id + 1, "/") : 0;

	snprintf(path, sizeof(path), "/ca%s%.*s%s%.*s%s%s", *route->path ? "/" : "", id ? (int)(id - route->path) : 99, route->path,
		 id ? "{" : "", len, id ? id + 1 : "", id ? "}" : "", id ? id + 1 + len : "");
	for (; route->method[i]; i++)
		method[i] = (char)tolower(route->method[i]);
	method[i] = 0;
	return json_object_get(json_object_get(json_object_get(document, "paths"), path), method);
}

TEST(the_server_delivers_this_document)
{
	const char *folder = getenv("srcdir");
	char path[512];
	json_t *file;

	snprintf(path, sizeof(path), "%s/doc/openapi.json", folder ? folder : ".");
	file = json_load_file(path, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(file);
	assert_true(json_equal(file, document));
	assert_string_equal(json_string_value(json_object_get(json_object_get(file, "info"), "version")), PACKAGE_VERSION);
	json_decref(file);
}

TEST(every_route_is_in_it_and_no_other)
{
	const struct api_route *route;
	const char *path, *method;
	json_t *item, *operation;
	size_t n = 0, described = 0;

	for (; (route = api_route(n)); n++)
		if (!operation_of(route))
			fail_msg("doc/openapi.json lacks %s /ca/%s", route->method, route->path);
	json_object_foreach(json_object_get(document, "paths"), path, item)
		json_object_foreach(item, method, operation)
			described += strcmp(method, "parameters") != 0;
	if (described != n)
		fail_msg("doc/openapi.json has %zu operations, the server %zu", described, n);
}

static const json_t *parameter_of(const json_t *operation, const char *name)
{
	const json_t *p;
	size_t i;

	json_array_foreach(json_object_get(operation, "parameters"), i, p)
		if (!strcmp(json_string_value(json_object_get(resolve(p), "name")), name))
			return resolve(p);
	return NULL;
}

/* The schema's enum must be "a b c"; without choices there must be no enum. */
static void check_choices(const struct api_route *route, const char *name, const char *choices)
{
	const json_t *is = json_object_get(json_object_get(parameter_of(operation_of(route), name), "schema"), "enum"), *one;
	char have[256] = "";
	size_t i;

	json_array_foreach(is, i, one) {
		strcat(have, i ? " " : "");
		strcat(have, json_string_value(one));
	}
	if (strcmp(have, choices ? choices : ""))
		fail_msg("/ca/%s: %s is one of \"%s\", doc/openapi.json says \"%s\"", route->path, name, choices ? choices : "", have);
}

static bool is_known(enum value_kind_id kind, const char *name)
{
	const char *have;

	for (size_t i = 0; (have = params_name(kind, i)); i++)
		if (!strcmp(have, name))
			return true;
	return false;
}

TEST(every_parameter_is_in_it_and_no_other)
{
	const struct api_route *route;
	const char *name;
	const json_t *p;
	size_t i;

	for (size_t n = 0; (route = api_route(n)); n++) {
		const json_t *operation = operation_of(route);

		if (!route->is_value)
			continue;
		for (i = 0; (name = params_name((enum value_kind_id)route->kind, i)); i++) {
			if (!parameter_of(operation, name))
				fail_msg("doc/openapi.json lacks the parameter %s of /ca/%s", name, route->path);
			check_choices(route, name, params_choices((enum value_kind_id)route->kind, i));
		}
		json_array_foreach(json_object_get(operation, "parameters"), i, p) {
			name = json_string_value(json_object_get(resolve(p), "name"));
			if (!is_known((enum value_kind_id)route->kind, name))
				fail_msg("/ca/%s has no parameter %s as doc/openapi.json says", route->path, name);
		}
	}
}

/* Sets each property to its first example, and then all together. */
TEST(every_property_can_be_set)
{
	static const struct { const char *schema, *method, *path; int status; } cases[] = {
		{ "Creation", "POST", "/ca/instrumentations", 201 }, { "Clone", "POST", "/ca/instrumentations/1/clone", 201 },
		{ "Change", "PUT", "/ca/instrumentations/1", 200 },
	};
	const json_t *schemas = json_object_get(json_object_get(document, "components"), "schemas");
	json_t *property, *body;
	const char *name;
	char *text;

	server_create(&server);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct answer a;

		body = json_object();
		json_object_foreach(json_object_get(json_object_get(schemas, cases[i].schema), "properties"), name, property)
			json_object_set(body, name, json_array_get(json_object_get(property, "examples"), 0));
		text = json_dumps(body, 0);
		a = ask(&server, cases[i].method, cases[i].path, NULL, text);
		if (a.status != cases[i].status)
			fail_msg("%s %s: %d %s", cases[i].path, text, a.status, a.body);
		answer_fini(&a);
		free(text);
		json_decref(body);
	}
}

TEST(operations_have_names_of_their_own_and_replies)
{
	const struct api_route *route;
	const char *name, *other;

	for (size_t i = 0; (route = api_route(i)); i++) {
		const json_t *operation = operation_of(route);

		name = json_string_value(json_object_get(operation, "operationId"));
		assert_non_null(name);
		assert_non_null(json_object_get(operation, "summary"));
		assert_non_null(json_object_get(json_object_get(operation, "responses"), "default"));
		assert_true(json_object_size(json_object_get(operation, "responses")) >= 2);
		for (size_t j = 0; j < i; j++) {
			other = json_string_value(json_object_get(operation_of(api_route(j)), "operationId"));
			assert_string_not_equal(name, other);
		}
	}
}

static void check_references(const json_t *json)
{
	const char *name;
	json_t *value;
	size_t i;

	if (json_is_object(json)) {
		resolve(json);
		json_object_foreach((json_t *)json, name, value)
			check_references(value);
	}
	json_array_foreach(json, i, value)
		check_references(value);
}

TEST(every_reference_has_a_target)
{
	check_references(document);
}

TEST_MAIN_WITH(start, stop)
