#include "aggregator/export/source_metrics.h"
#include "test/kit/wire_kit.h"

#include <stdlib.h>

static struct rig rig;

static int start(void **state)
{
	rig_begin(&rig, NULL);
	return 0;
}

static int stop(void **state)
{
	rig_end(&rig);
	return 0;
}

static char *written(void)
{
	struct exposition e;
	size_t len;
	char *text;

	exposition_begin(&e, &exposition_text, NULL);
	source_metrics_write(rig.catalog, 1, wire_now_ns(), &e);
	text = exposition_end(&e, &len);
	assert_non_null(text);
	text = realloc(text, len + 1);
	text[len] = '\0';
	return text;
}

static void assert_has(const char *line, bool has)
{
	char *text = written();

	if (!strstr(text, line) != !has)
		fail_msg("\"%s\" is %s:\n%s", line, has ? "missing" : "there", text);
	free(text);
}

static void say(const char *source, const char *json)
{
	json_t *state = json_loads(json, 0, NULL);
	char reason[REASON_MAX];

	assert_int_equal(catalog_state(rig.catalog, source, state, reason), 0);
	json_decref(state);
}

TEST_WITH(a_collector_has_its_connection_states_losses_and_what_it_uses, start, stop)
{
	__u64 id;
	char json[100];

	assert_has("heatscope_collectors_left_out 0\n", true);
	assert_has("heatscope_collector_connected", false);
	rig_hello(&rig, "db1");
	rig_hello(&rig, "db2");
	catalog_bye(rig.catalog, "db2", 1700000000000000000);
	id = rig_create(&rig, wire_request("command"));
	assert_has("heatscope_collector_connected{source=\"db1\"} 1\n", true);
	assert_has("heatscope_collector_connected{source=\"db2\"} 0\n", true);
	assert_has("heatscope_collector_instrumentations{source=\"db1\",state=\"pending\"} 1\n", true);
	assert_has("heatscope_collector_programs{", false);		/* it has not said */

	snprintf(json, sizeof(json), "{\"instrumentations\":[{\"id\":%llu,\"state\":\"partial\",\"reason\":\"1 of 4\"}]}", (unsigned long long)id);
	say("db1", json);
	catalog_seen(rig.catalog, id, "db1", wire_now_ns() / 1000000000);
	catalog_lost(rig.catalog, id, "db1", 7, wire_now_ns());
	assert_has("heatscope_collector_instrumentations{source=\"db1\",state=\"partial\"} 1\n", true);
	assert_has("heatscope_collector_lost_events_total{source=\"db1\"} 7\n", true);
	assert_has("heatscope_collector_lost_events_total{source=\"db2\"} 0\n", true);

	say("db1", "{\"instrumentations\":[],\"self\":{\"started\":1700000000000000000,\"cpu\":1500000000,\"spool\":77,\"dropped_events\":3,\"programs\":12}}");
	assert_has("heatscope_collector_cpu_seconds_total{source=\"db1\"} 1.5\n", true);
	assert_has("heatscope_collector_start_time_seconds{source=\"db1\"} 1700000000\n", true);
	assert_has("heatscope_collector_spool_bytes{source=\"db1\"} 77\n", true);
	assert_has("heatscope_collector_dropped_events_total{source=\"db1\"} 3\n", true);
	assert_has("heatscope_collector_programs{source=\"db1\"} 12\n", true);
	assert_has("heatscope_collector_programs{source=\"db2\"}", false);
}

TEST_WITH(collectors_beyond_the_limit_are_counted, start, stop)
{
	char name[16], line[80];

	for (unsigned i = 0; i < SOURCE_METRICS_MAX + 3; i++) {
		snprintf(name, sizeof(name), "db%03u", i);
		rig_hello(&rig, name);
	}
	assert_has("heatscope_collectors_left_out 3\n", true);
	snprintf(line, sizeof(line), "heatscope_collector_connected{source=\"db%03u\"} 1\n", SOURCE_METRICS_MAX - 1);
	assert_has(line, true);
	snprintf(line, sizeof(line), "{source=\"db%03u\"}", SOURCE_METRICS_MAX);
	assert_has(line, false);
}

TEST_MAIN()
