#include "test/kit/check.h"
#include "test/kit/server_kit.h"
#include "aggregator/catalog/resource.h"
#include "collector/core/metric_json.h"

#include <stdio.h>

static struct server server;

static const struct catalog_inst *create(const char *decomposition)
{
	return server_make(&server, json_pack("{s:s, s:s, s:s}", "module", "mysql", "stat", "queries", "decomposition", decomposition));
}

static int start(void **state)
{
	server_open(&server, false);
	server_offer(&server);
	return 0;
}

static int stop(void **state)
{
	server_close(&server);
	return 0;
}

static const char *text(const json_t *json, const char *name)
{
	return json_string_value(json_object_get(json, name));
}

TEST(every_field_of_a_metric_has_a_type_that_is_there)
{
	json_t *c = resource_catalogue(server.a.services.catalog), *metric, *name;
	size_t i, j;

	assert_non_null(c);
	assert_true(json_array_size(json_object_get(c, "metrics")) > 0);
	json_array_foreach(json_object_get(c, "metrics"), i, metric)
		json_array_foreach(json_object_get(metric, "fields"), j, name) {
			json_t *field = json_object_get(json_object_get(c, "fields"), json_string_value(name));

			assert_non_null(field);
			assert_non_null(json_object_get(json_object_get(c, "types"), text(field, "type")));
		}
	json_decref(c);
}

/* Finds a field as a client does: the metric's own description comes before the common one. */
static const json_t *field_of(const json_t *catalogue, const json_t *metric, const char *name)
{
	const json_t *own = json_object_get(json_object_get(metric, "own_fields"), name);

	return own ?: json_object_get(json_object_get(catalogue, "fields"), name);
}

TEST(metrics_that_share_a_name_of_a_field_have_each_their_own_label_and_type)
{
	static const struct field asked[] = {
		{ "command", "how it came", "string", FIELD_DISCRETE, 0, 0, 0 },
		{ "statement", "statement", "string", FIELD_DISCRETE, 0, 0, 0 },
		{ "cputime", "CPU time, of one CPU", "percent", FIELD_NUMERIC, UNIT_PERCENT, 10, 40 },
	};
	static const struct metric other = { "postgresql", "queries", "queries", "queries", asked, 3, SCOPE_INTERVAL, NULL, NULL, NULL };
	static const struct { const char *module, *field, *label, *type; } cases[] = {
		{ "mysql", "command", "command", "string" }, { "postgresql", "command", "how it came", "string" },
		{ "mysql", "cputime", "CPU time", "time" }, { "postgresql", "cputime", "CPU time, of one CPU", "percent" },
		{ "postgresql", "statement", "statement", "string" },
	};
	json_t *hello = json_pack("{s:i, s:s, s:s, s:i, s:s, s:[o]}", "format", 1, "source", "db2", "incarnation", "78", "pid", 2,
				  "version", "0.1.0", "metrics", metric_json_make(&other, NULL));
	json_t *c, *metric;
	const char *name;
	char reason[REASON_MAX];
	size_t i, n = 0;

	assert_int_equal(catalog_hello(server.a.services.catalog, hello, 1700000000000000000, &name, reason), 0);
	c = resource_catalogue(server.a.services.catalog);
	json_array_foreach(json_object_get(c, "metrics"), i, metric)
		for (size_t k = 0; k < sizeof(cases) / sizeof(*cases); k++)
			if (!strcmp(text(metric, "module"), cases[k].module)) {
				const json_t *field = field_of(c, metric, cases[k].field);

				assert_string_equal(text(field, "label"), cases[k].label);
				assert_string_equal(text(field, "type"), cases[k].type);
				n++;
			}
	assert_true(n >= sizeof(cases) / sizeof(*cases));
	json_decref(c);
	json_decref(hello);
}

static void hello_with_pool(const char *source)
{
	json_t *hello = server_hello(source);
	const char *name;
	char reason[REASON_MAX];

	json_array_append_new(json_object_get(json_array_get(json_object_get(hello, "metrics"), 0), "fields"),
			      json_pack("{s:s, s:s, s:s, s:s}", "name", "pool", "label", "connection pool", "type", "string", "arity", "discrete"));
	assert_int_equal(catalog_hello(server.a.services.catalog, hello, 1700000000000000000, &name, reason), 0);
	json_decref(hello);
}

static const char *label_of_pool(void)
{
	static char label[64];
	json_t *c = resource_catalogue(server.a.services.catalog), *metric;
	size_t i;

	*label = 0;
	json_array_foreach(json_object_get(c, "metrics"), i, metric)
		if (!strcmp(text(metric, "module"), "mysql") && !strcmp(text(metric, "stat"), "queries"))
			snprintf(label, sizeof(label), "%s", text(field_of(c, metric, "pool"), "label") ?: "none");
	json_decref(c);
	return label;
}

/* The first instrumentation does not know the field, the second one is kept apart by it. */
TEST(a_field_keeps_its_name_when_its_collectors_leave)
{
	struct catalog *c = server.a.services.catalog;

	create("statement");
	assert_string_equal(label_of_pool(), "none");
	hello_with_pool("db7");
	create("pool");
	assert_string_equal(label_of_pool(), "connection pool");
	catalog_bye(c, "db7", 1700000000000000000);
	assert_string_equal(label_of_pool(), "connection pool");
	catalog_bye(c, "db1", 1700000000000000000);
	catalog_bye(c, "db2", 1700000000000000000);
	assert_string_equal(label_of_pool(), "connection pool");
	server_offer(&server);
	assert_string_equal(label_of_pool(), "connection pool");
}

TEST(arity_and_dimension_follow_the_decomposition)
{
	static const struct { const char *decomposition, *arity; int dimension; } cases[] = {
		{ "", "scalar", 1 }, { "statement", "discrete-decomposition", 2 }, { "latency", "numeric-decomposition", 2 },
		{ "statement,latency", "numeric-decomposition", 3 }, { "statement,command,latency", "numeric-decomposition", 4 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		json_t *json = resource_instrumentation(server.a.services.catalog, create(cases[i].decomposition), now_ns());

		assert_string_equal(text(json, "value-arity"), cases[i].arity);
		assert_int_equal(json_integer_value(json_object_get(json, "value-dimension")), cases[i].dimension);
		assert_int_equal(json_array_size(json_object_get(json, "decomposition")), cases[i].dimension - 1);
		json_decref(json);
	}
}

/* pending -> active or failed with its reason -> gone with its connection */
TEST(a_source_shows_its_state)
{
	const struct catalog_inst *ci = create("statement");
	static const struct { const char *state, *reason; } cases[] = { { NULL, "" }, { "active", "" }, { "failed", "no room" } };
	char reason[REASON_MAX];
	json_t *json, *source;

	for (size_t i = 0; i < 3; i++) {
		if (cases[i].state) {
			json_t *message = json_pack("{s:[{s:I, s:s, s:s}]}", "instrumentations", "id", (json_int_t)ci->in.id, "state",
						    cases[i].state, "reason", cases[i].reason);

			assert_int_equal(catalog_state(server.a.services.catalog, "db1", message, reason), 0);
			json_decref(message);
		}
		json = resource_instrumentation(server.a.services.catalog, ci, now_ns());
		source = json_array_get(json_object_get(json, "sources"), 0);
		assert_string_equal(text(source, "source"), "db1");
		assert_string_equal(text(source, "state"), cases[i].state ? cases[i].state : "pending");
		assert_string_equal(text(source, "reason"), cases[i].reason);
		json_decref(json);
	}
}

TEST(links_lead_to_the_instrumentation)
{
	const struct catalog_inst *ci = create("statement");
	json_t *lists[] = { resource_values(ci), resource_heatmaps(ci) }, *one;
	char start[64];
	size_t i;

	snprintf(start, sizeof(start), "/ca/instrumentations/%llu/value/", (unsigned long long)ci->in.id);
	for (int list = 0; list < 2; list++) {
		json_array_foreach(lists[list], i, one)
			assert_memory_equal(text(one, "uri"), start, strlen(start));
		json_decref(lists[list]);
	}
}

TEST_MAIN_WITH(start, stop)
