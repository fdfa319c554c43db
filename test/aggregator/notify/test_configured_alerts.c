#include "aggregator/notify/configured_alerts.h"
#include "test/kit/alerts_kit.h"
#include "test/kit/check.h"

#include <errno.h>
#include <stdio.h>

#define BEGIN 1700000000ll
#define SLOW "\"percentile\": 0.99, \"above\": \"100ms\", \"window\": 5, \"for\": 1}"

static struct alerts_bench bench;
static struct list {
	char file[32];
	struct conf_alert alert[CONF_ALERTS_MAX];
	size_t n_alerts;
} conf;
static struct configured_alerts *configured;

static void list(size_t n, ...)
{
	va_list args;

	memset(&conf, 0, sizeof(conf));
	strcpy(conf.file, "/etc/list.yaml");
	va_start(args, n);
	for (; conf.n_alerts < n; conf.n_alerts++) {
		struct conf_alert *a = &conf.alert[conf.n_alerts];
		const char *name = va_arg(args, const char *);

		snprintf(a->name, sizeof(a->name), "%s", name);
		snprintf(a->instrumentation, sizeof(a->instrumentation), "queries");
		snprintf(a->request, sizeof(a->request), "{\"name\": \"%s\", %s", name, va_arg(args, const char *));
		a->line = 20 + (unsigned)conf.n_alerts;
	}
	va_end(args);
}

static void begin(__s64 now_s)
{
	assert_int_equal(configured_alerts_new(bench.alerts, bench.catalog, conf.file, conf.alert, conf.n_alerts, now_s * 1000000000, &configured), 0);
}

static void again(__s64 now_s)
{
	configured_alerts_free(configured);
	alerts_bench_restart(&bench, now_s);
	begin(now_s);
}

/* Gives the bench's instrumentation this name of the configuration. */
static void adopt_as(const char *name)
{
	struct instrumentation in = catalog_find(bench.catalog, 1)->in;

	catalog_adopt(bench.catalog, 1, &in, name);
	uv_run(&bench.loop, UV_RUN_DEFAULT);
}

static void adopt(void)
{
	adopt_as("queries");
}

static void evaluate(__s64 at_s)
{
	configured_alerts_check(configured, at_s * 1000000000);
	uv_run(&bench.loop, UV_RUN_DEFAULT);
}

static int start(void **state)
{
	alerts_bench_open(&bench);
	return 0;
}

static int stop(void **state)
{
	configured_alerts_free(configured);
	alerts_bench_close(&bench);
	return 0;
}

static void seconds(__s64 from, unsigned n, __u64 latency)
{
	struct hist h;

	assert_int_equal(hist_init(&h, RULER(UNIT_NS, 5, 10, 39)), 0);
	hist_record_times(&h, latency, 100);
	for (unsigned i = 0; i < n; i++)
		alerts_bench_slot(&bench, from + i, &h);
	hist_fini(&h);
}

/* "1 slow, 2 odd" */
static const char *all(void)
{
	static char text[400];
	json_t *json = alerts_json(bench.alerts), *one;
	size_t i, at = 0;

	*text = 0;
	json_array_foreach(json, i, one)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s %s", i ? ", " : "", json_string_value(json_object_get(one, "id")),
				       json_string_value(json_object_get(one, "name")));
	json_decref(json);
	return text;
}

static const char *state_of(size_t i, char reason[REASON_MAX])
{
	static char text[16];
	json_t *json = configured_alerts_json(configured), *one = json_array_get(json, i);

	snprintf(text, sizeof(text), "%s", json_string_value(json_object_get(one, "state")));
	snprintf(reason, REASON_MAX, "%s", json_string_value(json_object_get(one, "reason")));
	json_decref(json);
	return text;
}

TEST_WITH(they_are_made_once_their_instrumentation_is_there, start, stop)
{
	char reason[REASON_MAX];

	list(2, "slow", SLOW, "odd", "\"shape\": true}");
	begin(BEGIN);
	assert_string_equal(all(), "");
	assert_string_equal(state_of(0, reason), "waiting");
	adopt();
	configured_alerts_check(configured, BEGIN * 1000000000);
	configured_alerts_check(configured, (BEGIN + 1) * 1000000000);
	assert_string_equal(all(), "1 slow, 2 odd");
	assert_string_equal(state_of(1, reason), "on");
}

TEST_WITH(they_go_on_after_a_restart_with_their_state, start, stop)
{
	list(1, "slow", SLOW);
	adopt();
	begin(BEGIN);
	seconds(BEGIN, 30, 200000000);
	assert_string_equal(alerts_bench_state(&bench), "firing");
	for (int i = 0; i < 3; i++) {
		again(BEGIN + 30);
		assert_string_equal(all(), "1 slow");
		assert_string_equal(alerts_bench_state(&bench), "firing");
	}
}

TEST_WITH(a_changed_rule_begins_again_and_a_removed_one_ends, start, stop)
{
	struct annotation_list *fired;

	list(2, "slow", SLOW, "odd", "\"shape\": true}");
	adopt();
	begin(BEGIN);
	seconds(BEGIN, 30, 200000000);
	list(2, "odd", "\"shape\": true}", "slow", "\"percentile\": 0.5, \"above\": 7}");
	again(BEGIN + 30);
	assert_string_equal(all(), "2 odd, 3 slow");
	assert_int_equal(annotations_take(bench.annotations, 0, 0, ANNOTATION_OPEN, 10, &fired), 0);
	assert_true(fired->n == 1 && fired->item[0].to_ns != ANNOTATION_OPEN);
	annotation_list_free(fired);
	list(1, "odd", "\"shape\": true}");
	again(BEGIN + 60);
	assert_string_equal(all(), "2 odd");
	list(0);
	again(BEGIN + 90);
	assert_string_equal(all(), "");
}

TEST_WITH(a_users_alert_of_the_same_name_is_another, start, stop)
{
	list(1, "slow", SLOW);
	adopt();
	alerts_bench_add(&bench, "{\"name\": \"slow\", \"instrumentation\": 1, \"shape\": true}", BEGIN);
	begin(BEGIN);
	assert_string_equal(all(), "1 slow, 2 slow");
	list(0);
	again(BEGIN);
	assert_string_equal(all(), "1 slow");
}

TEST_WITH(their_instrumentation_may_get_another_name, start, stop)
{
	list(1, "slow", SLOW);
	adopt();
	begin(BEGIN);
	seconds(BEGIN, 30, 200000000);
	strcpy(conf.alert[0].instrumentation, "all queries");
	again(BEGIN + 30);		/* the catalog still has the old name */
	assert_string_equal(all(), "1 slow");
	adopt_as("all queries");
	evaluate(BEGIN + 31);
	assert_string_equal(all(), "1 slow");
	assert_string_equal(alerts_bench_state(&bench), "firing");
}

TEST_WITH(nothing_is_over_while_their_instrumentation_is_not_there_yet, start, stop)
{
	char reason[REASON_MAX];

	list(1, "slow", SLOW);
	adopt();
	begin(BEGIN);
	seconds(BEGIN, 30, 200000000);
	adopt_as("");
	again(BEGIN + 30);
	assert_string_equal(state_of(0, reason), "waiting");
	assert_string_equal(alerts_bench_state(&bench), "firing");
	assert_int_equal(alerts_remove(bench.alerts, 1, NULL, NULL, reason), -EINVAL);
}

static unsigned n_refused;

static int remember_no_alert(struct store *s, const char *name, const char *text)
{
	n_refused++;
	return -ENOSPC;
}

TEST_WITH(an_alert_that_the_store_refuses_is_tried_once_a_minute, start, stop)
{
	const struct store_ops *ops = bench.store->ops;
	struct store_ops full = *ops;
	char reason[REASON_MAX];

	list(1, "slow", SLOW);
	adopt();
	n_refused = 0;
	full.remember = remember_no_alert;
	bench.store->ops = &full;
	begin(BEGIN);
	for (int s = 0; s < 180; s++)
		evaluate(BEGIN + s);
	assert_int_equal(n_refused, 3);
	assert_string_equal(all(), "");
	assert_string_equal(state_of(0, reason), "wrong");
	assert_string_equal(reason, "it could not be stored, as the log says");
	bench.store->ops = ops;
	evaluate(BEGIN + 180);
	assert_string_equal(all(), "4 slow");
	assert_string_equal(state_of(0, reason), "on");
}

TEST_WITH(they_are_not_removed, start, stop)
{
	char reason[REASON_MAX];

	list(1, "slow", SLOW);
	adopt();
	begin(BEGIN);
	assert_int_equal(alerts_remove(bench.alerts, 1, NULL, NULL, reason), -EINVAL);
	assert_string_equal(reason, "alert 1 always exists: it is in /etc/list.yaml, line 20; take it out there and restart heatscoped");
	assert_string_equal(all(), "1 slow");
}

TEST_WITH(an_entry_that_cannot_be_watched_says_why, start, stop)
{
	char reason[REASON_MAX];

	list(1, "slow", "\"percentile\": 0.99, \"above\": 5, \"measure\": \"rows\"}");
	adopt();
	begin(BEGIN);
	assert_string_equal(state_of(0, reason), "wrong");
	assert_string_equal(reason, "the instrumentation has no such measure");
}

TEST_MAIN()
