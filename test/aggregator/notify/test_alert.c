#include "aggregator/notify/alert.h"
#include "test/kit/check.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#define RULER_NS RULER(UNIT_NS, 5, 10, 39)
#define MS 1000000ull

static int parse(const char *text, struct alert_rule *ret, char *reason)
{
	json_t *json = json_loads(text, 0, NULL);
	int err;

	assert_non_null(json);
	err = alert_rule_parse(json, ret, reason);
	json_decref(json);
	return err;
}

static struct alert made(const char *text)
{
	char reason[REASON_MAX];
	struct alert_rule r;
	struct alert a;

	assert_int_equal(parse(text, &r, reason), 0);
	assert_int_equal(alert_init(&a, &r), 0);
	return a;
}

static __s64 at;

/* Steps a window with n events of `low`, of which `high_n` are of `high` instead. */
static bool window(struct alert *a, unsigned n, __u64 low, unsigned high_n, __u64 high)
{
	struct alert_window w = { .from_ns = at, .to_ns = at + 1, .observed = true };
	struct hist h;
	bool changed;

	assert_int_equal(hist_init(&h, RULER_NS), 0);
	hist_record_times(&h, low, n - high_n);
	hist_record_times(&h, high, high_n);
	w.hist = &h;
	at++;
	changed = alert_step(a, &w);
	hist_fini(&h);
	return changed;
}

static bool dark(struct alert *a)
{
	const struct alert_window w = { .from_ns = at, .to_ns = at + 1 };

	at++;
	return alert_step(a, &w);
}

#define P99 "{\"name\": \"slow\", \"instrumentation\": 1, \"percentile\": 0.99, \"above\": 100000000, \"for\": 3}"

TEST(a_limit_that_is_passed_for_long_enough_fires_and_says_since_when)
{
	struct alert a = made(P99);
	char text[200];

	at = 100;
	assert_int_equal(a.state, ALERT_NO_DATA);
	assert_true(window(&a, 100, MS, 0, 0));
	assert_int_equal(a.state, ALERT_OK);
	assert_true(window(&a, 100, MS, 2, 120 * MS));
	assert_int_equal(a.state, ALERT_PENDING);
	assert_false(window(&a, 100, MS, 2, 120 * MS));
	assert_true(window(&a, 100, MS, 2, 120 * MS));
	assert_int_equal(a.state, ALERT_FIRING);
	assert_int_equal(a.since_ns, 101);
	alert_sentence(&a, "latency", "ns", text, sizeof(text));
	assert_string_equal(text, "p99 of latency is 120 ms, above 100 ms");
	alert_fini(&a);
}

TEST(an_interrupted_row_of_windows_begins_again)
{
	struct alert a = made(P99);

	for (int i = 0; i < 10; i++) {
		window(&a, 100, MS, 2, 120 * MS);
		window(&a, 100, MS, 2, 120 * MS);
		window(&a, 100, MS, 0, 0);
		assert_int_equal(a.state, ALERT_OK);
	}
	alert_fini(&a);
}

TEST(a_value_at_the_limit_does_not_flap)
{
	struct alert a = made(P99);
	int changes = 0;

	for (int i = 0; i < 5; i++)
		window(&a, 100, 120 * MS, 0, 0);
	assert_int_equal(a.state, ALERT_FIRING);
	for (int i = 0; i < 50; i++)
		changes += window(&a, 100, (i % 2 ? 94 : 108) * MS, 0, 0);
	assert_int_equal(changes, 0);
	window(&a, 100, 50 * MS, 0, 0);
	window(&a, 100, 50 * MS, 0, 0);
	assert_int_equal(a.state, ALERT_FIRING);
	window(&a, 100, 50 * MS, 0, 0);
	assert_int_equal(a.state, ALERT_OK);
	alert_fini(&a);
}

TEST(not_observed_is_not_ok_but_nothing_happened_is)
{
	struct alert a = made(P99);

	window(&a, 100, MS, 0, 0);
	assert_true(dark(&a));
	assert_int_equal(a.state, ALERT_NO_DATA);
	assert_true(window(&a, 0, 0, 0, 0));
	assert_int_equal(a.state, ALERT_OK);
	for (int i = 0; i < 3; i++)
		window(&a, 100, 120 * MS, 0, 0);
	dark(&a);
	dark(&a);
	assert_int_equal(a.state, ALERT_FIRING);	/* a gap does not end it */
	window(&a, 100, 120 * MS, 0, 0);
	dark(&a);
	dark(&a);
	assert_true(dark(&a));
	assert_int_equal(a.state, ALERT_NO_DATA);
	alert_fini(&a);
}

TEST(a_share_above_a_line_fires)
{
	struct alert a = made("{\"name\": \"x\", \"instrumentation\": \"1\", \"share\": 0.01, \"above\": 50000000, \"for\": 1}");

	window(&a, 1000, MS, 10, 60 * MS);
	assert_int_equal(a.state, ALERT_OK);
	window(&a, 1000, MS, 11, 60 * MS);
	assert_int_equal(a.state, ALERT_FIRING);
	assert_true(fabs(a.value - 0.011) < 1e-9);
	alert_fini(&a);
}

#define SHAPE "{\"name\": \"x\", \"instrumentation\": 1, \"shape\": true}"

TEST(the_value_of_a_shape_is_how_far_events_would_have_to_move)
{
	struct alert a = made(SHAPE), b = made(SHAPE);

	for (int i = 0; i < ALERT_LEARNT; i++) {
		window(&a, 1000, MS, 0, 0);
		window(&b, 1000, MS, 500, 8 * MS);
	}
	window(&a, 500, MS, 0, 0);
	assert_true(a.value < 1e-9);
	window(&a, 1000, MS, 500, 8 * MS);		/* half of them moved by three octaves */
	assert_true(fabs(a.value - 1.5) < 0.13);
	window(&b, 1000, MS, 0, 0);
	assert_true(fabs(a.value - b.value) < 1e-9);
	alert_fini(&a);
	alert_fini(&b);
}

static unsigned around(unsigned n) { return n - n / 20 + (unsigned)check_below(n / 10); }

TEST(a_shape_is_learnt_then_compared_with_the_hour_before)
{
	struct alert a = made(SHAPE);

	for (int i = 0; i < ALERT_LEARNT; i++) {
		assert_int_equal(a.state, ALERT_NO_DATA);
		window(&a, 1000, MS, around(100), 4 * MS);
	}
	for (int i = 0; i < 200; i++) {
		window(&a, 1000, MS, around(100), 4 * MS);
		assert_int_equal(a.state, ALERT_OK);
	}
	for (int i = 0; i < 3; i++)
		window(&a, 1000, MS, around(400), 4 * MS);
	assert_int_equal(a.state, ALERT_FIRING);
	for (int i = 0; i < 3; i++)
		window(&a, 1000, MS, around(100), 4 * MS);
	assert_int_equal(a.state, ALERT_OK);
	alert_fini(&a);
}

TEST(an_hour_of_another_shape_is_the_new_usual)
{
	struct alert a = made("{\"name\": \"x\", \"instrumentation\": 1, \"shape\": \"true\"}");

	for (int i = 0; i < ALERT_HOUR; i++)
		window(&a, 1000, MS, around(100), 4 * MS);
	for (int i = 0; i < ALERT_HOUR + 3; i++)
		window(&a, 1000, MS, around(900), 4 * MS);
	assert_int_equal(a.state, ALERT_NO_DATA);
	for (int i = 0; i < ALERT_LEARNT + 3; i++)
		window(&a, 1000, MS, around(900), 4 * MS);
	assert_int_equal(a.state, ALERT_OK);
	alert_fini(&a);
}

TEST(a_rule_survives_its_own_form)
{
	static const char *const cases[] = {
		P99, "{\"name\": \"x\", \"instrumentation\": \"7\", \"share\": \"0.25\", \"above\": 5, \"measure\": \"cputime\", \"key\": \"select\"}",
		"{\"name\": \"x\", \"instrumentation\": 1, \"shape\": true, \"window\": 300, \"for\": 2}",
	};
	char reason[REASON_MAX];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct alert_rule r, again;
		json_t *json;

		memset(&r, 0, sizeof(r));
		memset(&again, 0, sizeof(again));
		assert_int_equal(parse(cases[i], &r, reason), 0);
		json = alert_rule_json(&r);
		assert_int_equal(alert_rule_parse(json, &again, reason), 0);
		assert_memory_equal(&r, &again, sizeof(r));
		json_decref(json);
	}
}

TEST(a_line_that_is_a_text_has_the_measures_unit)
{
	static const struct { const char *above; enum ruler_unit unit; __u64 value; const char *reason; } cases[] = {
		{ "100ms", UNIT_NS, 100000000, NULL }, { "1.5 s", UNIT_NS, 1500000000, NULL }, { "4KiB", UNIT_BYTES, 4096, NULL },
		{ "90 %", UNIT_PERCENT, 90, NULL }, { "90", UNIT_PERCENT, 90, NULL }, { "7", UNIT_NONE, 7, NULL },
		{ "100", UNIT_NS, 0, "\"above\": \"100\": the measure needs a unit: one of ns, us, ms, s" },
		{ "100ms", UNIT_BYTES, 0, "\"above\": \"100ms\": \"ms\" is not a unit of the measure (units: B, kB, MB, GB, KiB, MiB, GiB" },
		{ "much", UNIT_NS, 0, "\"above\": \"much\": the measure is a number" },
	};
	char request[256], reason[REASON_MAX];
	struct alert_rule r;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		snprintf(request, sizeof(request), "{\"name\": \"x\", \"instrumentation\": 1, \"share\": 0.1, \"above\": \"%s\"}", cases[i].above);
		assert_int_equal(parse(request, &r, reason), 0);
		assert_int_equal(alert_rule_unit(&r, cases[i].unit, reason), cases[i].reason ? -EINVAL : 0);
		assert_int_equal(r.above, cases[i].value);
		if (cases[i].reason)
			assert_non_null(strstr(reason, cases[i].reason));
	}
}

TEST(refuses_an_invalid_rule_with_a_sentence)
{
	static const char *const cases[][2] = {
		{ "{}", "needs a \"name\"" }, { "{\"name\": \"\"}", "needs a \"name\"" }, { "{\"name\": \"x\"}", "needs an \"instrumentation\"" },
		{ "{\"name\": \"x\", \"instrumentation\": 1}", "one of" },
		{ "{\"name\": \"x\", \"instrumentation\": 1, \"shape\": true, \"share\": 0.1, \"above\": 1}", "one of" },
		{ "{\"name\": \"x\", \"instrumentation\": 1, \"share\": 0.1}", "needs \"above\"" },
		{ "{\"name\": \"x\", \"instrumentation\": 1, \"share\": 0.1, \"above\": \"\"}", "\"above\" is empty" },
		{ "{\"name\": \"x\", \"instrumentation\": 1, \"share\": 0.1, \"above\": -1}", "\"above\" is invalid" },
		{ "{\"name\": \"x\", \"instrumentation\": 1, \"shape\": true, \"above\": 1}", "is learnt" },
		{ "{\"name\": \"x\", \"instrumentation\": 1, \"shape\": 3}", "true or false" },
		{ "{\"name\": \"x\", \"instrumentation\": 1, \"percentile\": 99, \"above\": 1}", "from 0 to 1" },
		{ "{\"name\": \"x\", \"instrumentation\": 1, \"percentile\": \"nan\", \"above\": 1}", "from 0 to 1" },
		{ "{\"name\": \"x\", \"instrumentation\": 1, \"shape\": true, \"window\": 1.5}", "whole numbers" },
		{ "{\"name\": \"x\", \"instrumentation\": 1, \"shape\": true, \"for\": 0}", "\"for\" is invalid" },
		{ "{\"name\": \"x\\u009b2J\", \"instrumentation\": 1, \"shape\": true}", "one line" },
		{ "{\"name\": \"x\", \"url\": \"http://evil\"}", "has no \"url\"" },
	};
	char reason[REASON_MAX];
	struct alert_rule r;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		reason[0] = 0;
		assert_int_equal(parse(cases[i][0], &r, reason), -EINVAL);
		if (!strstr(reason, cases[i][1]))
			fail_msg("%s: %s", cases[i][0], reason);
	}
}

TEST_MAIN()
