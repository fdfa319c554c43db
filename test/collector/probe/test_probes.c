#include "collector/probe/probes.h"
#include "collector/probe/recording.h"
#include "test/kit/sample_kit.h"

#include <errno.h>

static const char *record(void)
{
	const char *path = sample_path("recording");
	struct instrumentation in = sample_inst(3);
	struct recorder *r;
	struct sample m;

	assert_int_equal(recorder_open(path, &r), 0);
	recorder_begin(r, &in, &sample_metric);
	for (int i = 0; i < 3; i++) {
		sample_init(&m, 3, 100 + i, (__u32)i);
		recorder_batch(r, &m.batch);
		sample_fini(&m);
	}
	assert_int_equal(recorder_close(r), 0);
	return path;
}

static struct probes *open_replay(const char *path)
{
	static const struct probe *const table[] = { &replay_probe };
	struct probe_conf conf = { .source = "db1", .incarnation = 5, .recording = path };
	struct probes *p;

	assert_int_equal(probes_open(table, 1, &conf, &p), 0);
	return p;
}

static unsigned n_enabled;
static __u64 enabled_id;

static void on_enabled(void *arg, const struct instrumentation *in, const struct metric *m)
{
	assert_string_equal(m->stat, in->stat);
	n_enabled++;
	enabled_id = in->id;
}

static int want(struct probes *p, const char *text)
{
	const struct probes_watch watch = { on_enabled, NULL };
	json_t *json = json_loads(text, 0, NULL);
	int err;

	assert_non_null(json);
	n_enabled = 0;
	err = probes_want(p, json, 0, &watch);
	json_decref(json);
	return err;
}

/* Returns "active", "failed" or NULL, and the reason. */
static const char *state_of(struct probes *p, __u64 id, char reason[REASON_MAX])
{
	json_t *json = probes_state(p), *one;
	const char *state = NULL;
	size_t i;

	json_array_foreach(json_object_get(json, "instrumentations"), i, one)
		if ((__u64)json_integer_value(json_object_get(one, "id")) == id) {
			state = strcmp(json_string_value(json_object_get(one, "state")), "active") ? "failed" : "active";
			snprintf(reason, REASON_MAX, "%s", json_string_value(json_object_get(one, "reason")));
		}
	json_decref(json);
	return state;
}

static void take(void *arg, const struct batch *b)
{
	((unsigned *)arg)[b->inst]++;
}

#define INST(id, rest) "{\"id\":" #id ",\"module\":\"mysql\",\"stat\":\"queries\",\"measures\":[\"latency\"]" rest "}"

TEST(the_difference_of_the_sets_is_enabled_and_disabled)
{
	struct probes *p = open_replay(record());
	unsigned batches[8] = { 0 };
	const struct batch_sink sink = { take, batches };
	char reason[REASON_MAX];

	assert_int_equal(want(p, "[" INST(1, "") "," INST(2, "") "]"), 0);
	assert_int_equal(n_enabled, 2);
	assert_int_equal(probes_drain(p, 0, &sink), 0);
	assert_int_equal(want(p, "[" INST(2, "") "," INST(3, "") "]"), 0);
	assert_int_equal(n_enabled, 1);
	assert_int_equal(enabled_id, 3);
	assert_int_equal(probes_drain(p, 0, &sink), 0);
	assert_int_equal(batches[1], 3);
	assert_int_equal(batches[2], 3);
	assert_int_equal(batches[3], 3);
	assert_null(state_of(p, 1, reason));
	assert_string_equal(state_of(p, 2, reason), "active");
	assert_string_equal(reason, "");
	assert_int_equal(probes_active(p), 2);
	assert_true(probes_finished(p));
	assert_int_equal(want(p, "[]"), 0);
	assert_int_equal(probes_active(p), 0);
	probes_close(p);
}

TEST(fixed_probes_go_on_and_enable_nothing_new)
{
	struct probes *p = open_replay(record());
	unsigned batches[8] = { 0 };
	const struct batch_sink sink = { take, batches };
	char reason[REASON_MAX];

	assert_int_equal(want(p, "[" INST(1, "") "," INST(2, "") "]"), 0);
	probes_fix(p);
	assert_int_equal(want(p, "[" INST(2, "") "," INST(3, "") "]"), 0);
	assert_int_equal(n_enabled, 0);
	assert_null(state_of(p, 1, reason));			/* disabling needs nothing */
	assert_string_equal(state_of(p, 2, reason), "active");
	assert_string_equal(state_of(p, 3, reason), "failed");
	assert_memory_equal(reason, "fixed: ", 7);
	assert_int_equal(probes_drain(p, 0, &sink), 0);
	assert_int_equal(batches[2], 3);
	assert_int_equal(want(p, "[" INST(1, "") "]"), 0);	/* and it does not come back */
	assert_string_equal(state_of(p, 1, reason), "failed");
	assert_int_equal(probes_active(p), 0);
	probes_close(p);
}

TEST(hostname_does_not_reach_the_probes)
{
	struct probes *p = open_replay(record());
	char reason[REASON_MAX];

	assert_int_equal(want(p, "[" INST(1, ",\"fields\":[\"hostname\",\"command\"]") "]"), 0);
	assert_string_equal(state_of(p, 1, reason), "active");
	probes_close(p);
}

TEST(an_unavailable_instrumentation_fails_with_its_reason)
{
	static const struct { const char *want, *why; } cases[] = {
		{ "[{\"id\":1,\"module\":\"disk\",\"stat\":\"ops\",\"measures\":[\"latency\"]}]", "no probe of this collector measures disk.ops" },
		{ "[" INST(1, ",\"fields\":[\"nonesuch\"]") "]", "nonesuch" },
		{ "[{\"id\":1,\"module\":\"mysql\",\"stat\":\"queries\"}]", "no measure" },
		{ "[" INST(1, ",\"granularity\":0.1") "]", "slots" },
	};
	char reason[REASON_MAX];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct probes *p = open_replay(record());

		assert_int_equal(want(p, cases[i].want), 0);
		assert_string_equal(state_of(p, 1, reason), "failed");
		if (!strstr(reason, cases[i].why))
			fail_msg("case %zu: \"%s\" does not say \"%s\"", i, reason, cases[i].why);
		assert_int_equal(n_enabled, 0);
		assert_int_equal(probes_active(p), 0);
		probes_close(p);
	}
}

TEST(an_entry_that_cannot_be_read_leaves_the_others)
{
	struct probes *p = open_replay(record());
	char reason[REASON_MAX];

	assert_int_equal(want(p, "[7,{\"id\":\"x\"}," INST(2, "") "]"), -EINVAL);
	assert_string_equal(state_of(p, 2, reason), "active");
	probes_close(p);
}

TEST(a_probe_that_does_not_open_is_reported)
{
	struct probes *p = open_replay("/nonexistent/recording");
	json_t *metrics = probes_metrics(p);
	const char *reason;
	FILE *out = tmpfile();

	assert_int_equal(probes_opened(p, &reason), 0);
	assert_non_null(strstr(reason, "/nonexistent/recording"));
	assert_int_equal(json_array_size(metrics), 0);
	assert_int_equal(probes_doctor(p, out), 1);
	assert_true(ftell(out) > 0);
	assert_int_equal(probes_slot_ns(p), 1000000000);
	fclose(out);
	json_decref(metrics);
	probes_close(p);
	p = open_replay(record());
	out = tmpfile();
	assert_int_equal(probes_doctor(p, out), 0);
	fclose(out);
	probes_close(p);
}

static int clean(void **state)
{
	static const char *const name[] = { "recording" };

	sample_clean(name, 1);
	return 0;
}

TEST_MAIN_WITH(NULL, clean)
