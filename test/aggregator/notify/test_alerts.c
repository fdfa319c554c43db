#include "test/kit/alerts_kit.h"
#include "test/kit/check.h"
#include "test/kit/server_kit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define HOUR 3600
#define BEGIN (1700000000ll / HOUR * HOUR)
#define MS 1000000ull
#define RULER_NS RULER(UNIT_NS, 5, 10, 39)

static struct alerts_bench bench;

static int start(void **state)
{
	alerts_bench_open(&bench);
	return 0;
}

static int stop(void **state)
{
	alerts_bench_close(&bench);
	return 0;
}

static void seconds(__s64 from, unsigned n, __u64 latency)
{
	struct hist h;

	assert_int_equal(hist_init(&h, RULER_NS), 0);
	hist_record_times(&h, latency, 100);
	for (unsigned i = 0; i < n; i++)
		alerts_bench_slot(&bench, from + i, latency ? &h : NULL);
	hist_fini(&h);
}

/* Returns the firings, by rising time. */
static struct annotation_list *fired(void)
{
	struct annotation_list *all;

	assert_int_equal(annotations_take(bench.annotations, 0, 0, ANNOTATION_OPEN, 1000, &all), 0);
	return all;
}

static const char p99[] = "{\"name\": \"slow\", \"instrumentation\": 1, \"percentile\": 0.99, \"above\": 100000000, \"window\": 10, \"for\": 3}";

TEST_WITH(a_firing_is_a_range_on_the_maps_until_it_ends, start, stop)
{
	struct annotation_list *all;

	alerts_bench_add(&bench, p99, BEGIN);
	assert_string_equal(alerts_bench_state(&bench), "no_data");
	seconds(BEGIN, 60, MS);
	assert_string_equal(alerts_bench_state(&bench), "ok");
	seconds(BEGIN + 60, 25, 200 * MS);
	assert_string_equal(alerts_bench_state(&bench), "pending");
	seconds(BEGIN + 85, 35, 200 * MS);
	assert_string_equal(alerts_bench_state(&bench), "firing");
	all = fired();
	assert_int_equal(all->n, 1);
	assert_int_equal(all->item[0].from_ns, (BEGIN + 60) * 1000000000);
	assert_true(all->item[0].to_ns == ANNOTATION_OPEN && all->item[0].kind == ANNOTATION_ALERT && all->item[0].inst == 1);
	assert_string_equal(all->item[0].text, "slow: p99 of latency is 200 ms, above 100 ms");
	annotation_list_free(all);
	seconds(BEGIN + 120, 60, MS);
	assert_string_equal(alerts_bench_state(&bench), "ok");
	all = fired();
	assert_int_equal(all->n, 1);
	assert_in_range(all->item[0].to_ns / 1000000000, BEGIN + 120, BEGIN + 160);
	annotation_list_free(all);
}

TEST_WITH(a_source_that_is_silent_is_no_data, start, stop)
{
	alerts_bench_add(&bench, p99, BEGIN);
	seconds(BEGIN, 60, MS);
	seconds(BEGIN + 60, 30, 0);
	assert_string_equal(alerts_bench_state(&bench), "no_data");
	seconds(BEGIN + 90, 60, MS);
	assert_string_equal(alerts_bench_state(&bench), "ok");
}

/* Another heatscoped has stored some of their events, and the cube lacks these. */
TEST_WITH(windows_that_memory_lacks_are_neither_quiet_nor_silent, start, stop)
{
	static const char at_once[] = "{\"name\": \"slow\", \"instrumentation\": 1, \"percentile\": 0.99, \"above\": 100000000, \"window\": 10, \"for\": 1}";
	struct annotation_list *all;

	alerts_bench_add(&bench, at_once, BEGIN);
	seconds(BEGIN, 60, 200 * MS);
	alerts_skip(bench.alerts, (BEGIN + 64) * 1000000000ll);
	seconds(BEGIN + 60, 10, 0);
	seconds(BEGIN + 70, 30, 200 * MS);
	assert_string_equal(alerts_bench_state(&bench), "firing");
	all = fired();
	assert_int_equal(all->n, 1);
	assert_true(all->item[0].to_ns == ANNOTATION_OPEN);
	annotation_list_free(all);
	seconds(BEGIN + 100, 20, 0);
	assert_string_equal(alerts_bench_state(&bench), "no_data");
}

/* As at a boot when the clock is wrong until the network is up. */
TEST_WITH(a_clock_that_is_set_back_silences_nothing, start, stop)
{
	alerts_bench_add(&bench, p99, BEGIN + 365 * 24 * HOUR);
	seconds(BEGIN, 60, 200 * MS);
	assert_string_equal(alerts_bench_state(&bench), "firing");
}

/* It fills the memory with slots of the future.  There is no data for the present, which is neither ok nor to be
 * skipped. */
TEST_WITH(a_source_whose_clock_is_ahead_silences_nothing, start, stop)
{
	struct hist h;

	alerts_bench_add(&bench, p99, BEGIN);
	seconds(BEGIN, 60, MS);
	assert_string_equal(alerts_bench_state(&bench), "ok");
	assert_int_equal(hist_init(&h, RULER_NS), 0);
	alerts_bench_put(&bench, BEGIN + 60 + 24 * HOUR, &h);
	hist_fini(&h);
	seconds(BEGIN + 60, 60, 0);
	assert_string_equal(alerts_bench_state(&bench), "no_data");
}

TEST_WITH(a_firing_goes_on_after_a_restart, start, stop)
{
	struct annotation_list *all;
	__u64 id = alerts_bench_add(&bench, p99, BEGIN);
	char reason[REASON_MAX];

	seconds(BEGIN, 60, 200 * MS);
	assert_string_equal(alerts_bench_state(&bench), "firing");
	alerts_bench_restart(&bench, BEGIN + 60);
	assert_string_equal(alerts_bench_state(&bench), "firing");
	seconds(BEGIN + 60, 60, 200 * MS);
	assert_string_equal(alerts_bench_state(&bench), "firing");
	all = fired();
	assert_int_equal(all->n, 1);		/* the same annotation */
	annotation_list_free(all);
	assert_int_equal(alerts_remove(bench.alerts, id, NULL, NULL, reason), 0);
	assert_int_equal(alerts_remove(bench.alerts, id, NULL, NULL, reason), -ENOENT);
	all = fired();
	assert_true(all->item[0].to_ns != ANNOTATION_OPEN);
	annotation_list_free(all);
	alerts_bench_restart(&bench, BEGIN + 120);
	assert_true(alerts_bench_add(&bench, p99, BEGIN + 120) > id);
}

/* As after a crash between the two transactions. */
TEST_WITH(the_firing_of_a_removed_alert_is_ended, start, stop)
{
	struct annotation_list *all;

	alerts_bench_add(&bench, p99, BEGIN);
	seconds(BEGIN, 60, 200 * MS);
	uv_run(&bench.loop, UV_RUN_DEFAULT);
	assert_int_equal(bench.store->ops->remember(bench.store, "alert.00000000000000000001", ""), 0);
	alerts_bench_restart(&bench, BEGIN + 60);
	alerts_bench_restart(&bench, BEGIN + 600);
	all = fired();
	assert_int_equal(all->n, 1);
	assert_int_equal(all->item[0].to_ns, (BEGIN + 60) * 1000000000);
	annotation_list_free(all);
}

TEST_WITH(a_long_name_is_cut_at_a_whole_character, start, stop)
{
	char rule[200], name[ALERT_NAME_MAX] = "a";
	struct annotation_list *all;
	json_t *json;

	for (int i = 0; i < 31; i++)
		strcat(name, "\xc3\xa4");
	snprintf(rule, sizeof(rule), "{\"name\": \"%s\", \"instrumentation\": 1, \"percentile\": 0.5, \"above\": 0}", name);
	alerts_bench_add(&bench, rule, BEGIN);
	seconds(BEGIN, 60, MS);
	alerts_bench_restart(&bench, BEGIN + 60);
	all = fired();
	assert_int_equal(all->n, 1);
	assert_memory_equal(all->item[0].text, name, strlen(name));
	json = json_string(all->item[0].text);
	assert_non_null(json);			/* it is valid UTF-8 */
	json_decref(json);
	annotation_list_free(all);
}

static int refuse_text(struct store *s, const char *name, const char *text) { return -ENOSPC; }

static void on_stored(void *arg, int err) { *(int *)arg = err; }

TEST_WITH(an_alert_that_could_not_be_stored_is_not_there, start, stop)
{
	const struct store_ops *ops = bench.store->ops;
	struct store_ops full = *ops;
	json_t *json = json_loads(p99, 0, NULL), *all;
	char reason[REASON_MAX];
	int err = 0;
	__u64 id;

	full.remember = refuse_text;
	bench.store->ops = &full;
	assert_int_equal(alerts_add(bench.alerts, json, BEGIN * 1000000000, on_stored, &err, &id, reason), 0);
	uv_run(&bench.loop, UV_RUN_DEFAULT);
	bench.store->ops = ops;
	assert_int_equal(err, -ENOSPC);
	all = alerts_json(bench.alerts);
	assert_int_equal(json_array_size(all), 0);
	json_decref(all);
	json_decref(json);
}

static void on_made(void *arg, int err, const struct catalog_inst *made) { assert_int_equal(err, 0); }

/* If the cube no longer held a window when it is over, the window would never be evaluated, and the alert would stay
 * silent. */
TEST_WITH(refuses_a_window_that_memory_cannot_hold, start, stop)
{
	static const struct { const char *rule; int err; } cases[] = {
		{ "{\"name\": \"x\", \"instrumentation\": 2, \"percentile\": 0.5, \"above\": 1, \"window\": 60}", 0 },
		{ "{\"name\": \"x\", \"instrumentation\": 2, \"percentile\": 0.5, \"above\": 1, \"window\": 70}", -EINVAL },
		{ "{\"name\": \"x\", \"instrumentation\": 2, \"percentile\": 0.5, \"above\": 1, \"window\": 3600}", -EINVAL },
	};
	json_t *request = json_pack("{s:s, s:s, s:i}", "module", "mysql", "stat", "queries", "retention-time", 60);
	char reason[REASON_MAX] = "";
	__u64 id;

	assert_int_equal(catalog_create(bench.catalog, request, 0, on_made, NULL, reason), 0);
	json_decref(request);
	uv_run(&bench.loop, UV_RUN_DEFAULT);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		json_t *rule = json_loads(cases[i].rule, 0, NULL);

		assert_int_equal(alerts_add(bench.alerts, rule, 0, NULL, NULL, &id, reason), cases[i].err);
		json_decref(rule);
	}
	assert_non_null(strstr(reason, "retention-time"));
}

TEST_WITH(refuses_a_rule_that_cannot_be_watched, start, stop)
{
	static const char *const cases[][2] = {
		{ "{\"name\": \"x\", \"instrumentation\": 9, \"shape\": true}", "no such instrumentation" },
		{ "{\"name\": \"x\", \"instrumentation\": 1, \"shape\": true, \"measure\": \"rows\"}", "no such measure" },
		{ "{\"name\": \"x\", \"instrumentation\": 1, \"shape\": true, \"webhook\": \"ops\"}", "no webhook of that name" },
	};
	char reason[REASON_MAX];
	__u64 id;

	for (size_t i = 0; i < 3; i++) {
		json_t *json = json_loads(cases[i][0], 0, NULL);

		assert_int_equal(alerts_add(bench.alerts, json, 0, NULL, NULL, &id, reason), -EINVAL);
		assert_non_null(strstr(reason, cases[i][1]));
		json_decref(json);
	}
	for (int i = 0; i < ALERTS_MAX; i++)
		alerts_bench_add(&bench, p99, BEGIN);
	json_t *json = json_loads(p99, 0, NULL);
	assert_int_equal(alerts_add(bench.alerts, json, 0, NULL, NULL, &id, reason), -EINVAL);
	assert_non_null(strstr(reason, "the limit"));
	json_decref(json);
}

/* ---- the listener ---- */

static bool knows_ops(void *arg, const char *webhook)
{
	return !strcmp(webhook, "ops");
}

/* Writes a line per event. */
static void write_down(void *arg, const struct alert_event *e)
{
	char *log = arg, to[32] = "open";
	size_t at = strlen(log);

	if (e->to_ns != ANNOTATION_OPEN)
		snprintf(to, sizeof(to), "%lld", (long long)(e->to_ns / 1000000000 - BEGIN));
	snprintf(log + at, 1000 - at, "%s %s %lld-%s %s%s: %s\n", e->alert->rule.name, e->state, (long long)(e->from_ns / 1000000000 - BEGIN), to,
		 e->annotation ? "noted " : "", e->measure, e->sentence);
}

static const char sent_p99[] = "{\"name\": \"sent\", \"instrumentation\": 1, \"percentile\": 0.99, \"above\": 100000000, \"webhook\": \"ops\"}";

TEST_WITH(the_listener_is_called_at_the_begin_and_at_the_end, start, stop)
{
	static char log[1000];
	const struct alerts_listener l = { knows_ops, write_down, log };

	*log = 0;
	alerts_listen(bench.alerts, &l);
	alerts_bench_add(&bench, p99, BEGIN);		/* names no webhook */
	alerts_bench_add(&bench, sent_p99, BEGIN);
	seconds(BEGIN, 60, MS);
	assert_string_equal(log, "");
	seconds(BEGIN + 60, 60, 200 * MS);
	assert_string_equal(log, "sent firing 60-open noted latency: p99 of latency is 200 ms, above 100 ms\n");
	*log = 0;
	seconds(BEGIN + 120, 60, MS);
	assert_non_null(strstr(log, "sent ok 60-1"));
	assert_non_null(strstr(log, " noted latency: p99 of latency is "));
}

TEST_WITH(a_removed_or_restarted_firing_is_sent_again_only_at_its_end, start, stop)
{
	static char log[1000];
	const struct alerts_listener l = { knows_ops, write_down, log };
	char reason[REASON_MAX];
	__u64 id;

	*log = 0;
	alerts_listen(bench.alerts, &l);
	id = alerts_bench_add(&bench, sent_p99, BEGIN);
	seconds(BEGIN, 60, 200 * MS);
	assert_non_null(strstr(log, "sent firing 0-open"));
	*log = 0;
	alerts_bench_restart(&bench, BEGIN + 60);
	alerts_listen(bench.alerts, &l);
	seconds(BEGIN + 60, 30, 200 * MS);
	assert_string_equal(log, "");
	assert_int_equal(alerts_remove(bench.alerts, id, NULL, NULL, reason), 0);
	assert_non_null(strstr(log, "sent removed 0-"));
}

TEST_WITH(undelivered_notices_are_counted, start, stop)
{
	static char log[1000];
	const struct alerts_listener l = { knows_ops, write_down, log };
	json_t *one, *expected = json_pack("{s:i, s:i, s:i, s:s}", "delivered", 1, "waiting", 0, "given_up", 1, "reason", "the answer was 500");
	__u64 id;

	alerts_listen(bench.alerts, &l);
	id = alerts_bench_add(&bench, sent_p99, BEGIN);
	seconds(BEGIN, 60, 200 * MS);
	seconds(BEGIN + 60, 60, MS);
	alerts_notified(bench.alerts, id, 0, "");
	alerts_notified(bench.alerts, id, -EIO, "the answer was 500");
	alerts_notified(bench.alerts, id + 1, -EIO, "of one that is gone");
	one = alerts_one(bench.alerts, id);
	assert_true(json_equal(json_object_get(one, "deliveries"), expected));
	json_decref(one);
	json_decref(expected);
}

static size_t known(void)
{
	json_t *all = alerts_json(bench.alerts), *one;
	size_t i, n = 0;

	json_array_foreach(all, i, one)
		n += !strcmp(json_string_value(json_object_get(one, "state")), "ok");
	json_decref(all);
	return n;
}

TEST_WITH(rules_beyond_one_tick_take_turns, start, stop)
{
	static const char rule[] = "{\"name\": \"x\", \"instrumentation\": 1, \"percentile\": 0.5, \"above\": 100000000, \"window\": 3600}";
	const __s64 now_ns = (BEGIN + HOUR + 5) * 1000000000;
	size_t n = 0;

	seconds(BEGIN, HOUR, MS);
	for (int i = 0; i < ALERTS_MAX; i++)
		alerts_bench_add(&bench, rule, BEGIN);
	while (n < ALERTS_MAX) {
		alerts_tick(bench.alerts, now_ns);
		assert_in_range(known(), n + 1, n + ALERTS_AT_ONCE / HOUR + 1);
		n = known();
	}
}

/* ---- false and missed alarms ---- */

#define SHIFTS 20
#define APART 990			/* s from one shift to the next: 20 of them in 5.5 h, after half an hour */
#define LASTS 420

static enum change change_at(__s64 s)
{
	__s64 after = s - 1800;

	return after < 0 || after / APART >= SHIFTS || after % APART >= LASTS ? STEADY : 1 + (enum change)(after / APART % (CHANGES - 1));
}

static void play(unsigned n_seconds, bool shifts)
{
	struct load l = { .burst = 1 };
	struct hist h;

	assert_int_equal(hist_init(&h, RULER_NS), 0);
	for (__s64 s = 0; s < n_seconds; s++) {
		hist_clear(&h);
		load_second(&l, s, shifts ? change_at(s) : STEADY, &h);
		alerts_bench_slot(&bench, BEGIN + s, &h);
	}
	hist_fini(&h);
}

static const char shape[] = "{\"name\": \"shape\", \"instrumentation\": 1, \"shape\": true}";

TEST_WITH(all_of_twenty_planted_shifts_are_found_in_six_hours, start, stop)
{
	unsigned found[SHIFTS] = { 0 }, n = 0, others = 0;
	__s64 latest = 0;
	struct annotation_list *all;

	alerts_bench_add(&bench, shape, BEGIN);
	play(6 * HOUR, true);
	all = fired();
	for (size_t i = 0; all && i < all->n; i++) {
		__s64 at = all->item[i].from_ns / 1000000000 + 60 - BEGIN - 1800;	/* end of the first window */

		if (at < 0 || at / APART >= SHIFTS || at % APART > LASTS)
			others++;
		else if (!found[at / APART]++)
			n++;
		latest = at > 0 && at % APART > latest ? at % APART : latest;
	}
	annotation_list_free(all);
	print_message("# %u of %d shifts found, %u other alarms, the first window over the limit ended at most %lld s after its shift\n", n, SHIFTS, others,
		      (long long)latest);
	assert_int_equal(n, SHIFTS);
	assert_int_equal(others, 0);
}

TEST_WITH(a_steady_day_has_no_alarm, start, stop)
{
	struct annotation_list *all;
	size_t n;

	alerts_bench_add(&bench, shape, BEGIN);
	play(24 * HOUR, false);
	assert_string_equal(alerts_bench_state(&bench), "ok");
	all = fired();
	n = all ? all->n : 0;
	annotation_list_free(all);
	print_message("# %zu alarms in 24 h of steady load\n", n);
	assert_int_equal(n, 0);
}

/* ---- through HTTP ---- */

TEST(alerts_are_made_listed_and_removed)
{
	static struct server server;
	struct answer a;
	json_t *all;

	server_start(&server, true);
	server_collector(&server, "db1");
	server_create(&server);
	a = ask(&server, "POST", "/ca/alerts", NULL, p99);
	assert_int_equal(a.status, 201);
	assert_non_null(strstr(a.head, "/ca/alerts/1"));
	answer_fini(&a);
	all = get_json(&server, "/ca/alerts");
	assert_int_equal(json_array_size(all), 1);
	assert_string_equal(json_string_value(json_object_get(json_array_get(all, 0), "state")), "no_data");
	json_decref(all);
	a = ask(&server, "POST", "/ca/alerts", NULL, "{\"name\": \"x\", \"instrumentation\": 1}");
	assert_int_equal(a.status, 409);
	answer_fini(&a);
	a = ask(&server, "DELETE", "/ca/alerts/1", NULL, NULL);
	assert_int_equal(a.status, 204);
	answer_fini(&a);
	a = ask(&server, "GET", "/ca/alerts/1", NULL, NULL);
	assert_int_equal(a.status, 404);
	answer_fini(&a);
	server_stop(&server);
}

TEST_MAIN()
