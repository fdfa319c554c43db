#include "aggregator/notify/alert_notifier.h"
#include "aggregator/notify/webhooks.h"
#include "test/kit/alerts_kit.h"
#include "test/kit/check.h"

#define BEGIN 1700000000ll
#define NS 1000000000ll

static struct alerts_bench bench;
static struct services services;
static struct webhooks *webhooks;
static struct alert_notifier *notifier;

/* No server listens at the webhook's address. */
static int start(void **state)
{
	static const struct conf_webhook conf = { .name = "ops", .url = "http://127.0.0.1:1/", .timeout_s = 1, .picture = true };
	char reason[CONF_REASON_MAX] = "";

	alerts_bench_open(&bench);
	alerts_bench_lend(&bench, &services);
	assert_int_equal(webhooks_new(services.loop, &conf, 1, "", &webhooks, reason), 0);
	assert_int_equal(alert_notifier_new(&services, bench.alerts, webhooks, "", &notifier), 0);
	return 0;
}

static int stop(void **state)
{
	webhooks_close(webhooks);
	uv_run(services.loop, UV_RUN_DEFAULT);
	alert_notifier_free(notifier);
	webhooks_free(webhooks);
	alerts_bench_close(&bench);
	return 0;
}

/* Fires so many alerts at once, and does not wait. */
static void fire(int n)
{
	struct hist h;

	for (int i = 0; i < n; i++)
		alerts_bench_add(&bench, "{\"name\": \"slow\", \"instrumentation\": 1, \"percentile\": 0.99, \"above\": 100000000, \"window\": 5, \"for\": 1, "
				 "\"webhook\": \"ops\"}", BEGIN);
	assert_int_equal(hist_init(&h, RULER(UNIT_NS, 5, 10, 39)), 0);
	hist_record_times(&h, 200000000, 100);
	for (int i = 0; i < 5; i++)
		alerts_bench_put(&bench, BEGIN + i, &h);
	hist_fini(&h);
	alerts_tick(bench.alerts, (BEGIN + 8) * NS);
}

/* Sums up over all alerts: "waiting", "given_up". */
static json_int_t deliveries(const char *which)
{
	json_t *all = alerts_json(bench.alerts), *one;
	json_int_t n = 0;
	size_t i;

	json_array_foreach(all, i, one)
		n += json_integer_value(json_object_get(json_object_get(one, "deliveries"), which));
	json_decref(all);
	return n;
}

/* Counts the notices whose picture is drawn and that are sent. */
static json_int_t sent(void)
{
	json_t *all = webhooks_json(webhooks);
	json_int_t n = json_integer_value(json_object_get(json_array_get(all, 0), "waiting"));

	json_decref(all);
	return n;
}

TEST_WITH(pictures_are_drawn_without_blocking, start, stop)
{
	fire(2);
	assert_int_equal(deliveries("waiting"), 2);
	assert_int_equal(sent(), 0);
	while (!sent())
		uv_run(services.loop, UV_RUN_ONCE);
}

TEST_WITH(nothing_is_drawn_once_it_stops, start, stop)
{
	services.stopping = true;
	webhooks_close(webhooks);
	fire(2);
	assert_int_equal(deliveries("given_up"), 2);
}

TEST_WITH(notices_without_a_picture_at_the_end_are_given_up, start, stop)
{
	fire(3);
	services.stopping = true;
	webhooks_close(webhooks);
	uv_run(services.loop, UV_RUN_DEFAULT);
	assert_int_equal(deliveries("given_up"), 3);
}

TEST_MAIN()
