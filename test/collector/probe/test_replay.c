#include "collector/core/metric_json.h"
#include "collector/probe/probe.h"
#include "collector/probe/recording.h"
#include "test/kit/exemplar_kit.h"
#include "test/kit/sample_kit.h"

#include <errno.h>

#define N 6
#define FIRST 1700000000ll		/* first recorded slot */
#define SECOND_NS 1000000000ll

/* --- a recording of N slots by command and statement; slot 2 amended at the end, slot 4 lossy --- */

static __u64 recorded_weight[2];	/* sums of latency and cputime by latency, of one key */
static struct bytes recorded_total[2];	/* encoded histogram of each measure, over all slots and keys */
static __u64 recorded_events;

static void total_of(const struct batch *b, unsigned axis, struct hist *h)
{
	for (size_t i = 0; i < b->n_slices; i++)
		if (b->slice[i].axis == axis && !b->slice[i].weight)
			assert_int_equal(hist_decode_add(h, b->slice[i].ruler, b->slice[i].hist, b->slice[i].hist_len), 0);
}

static const struct kit_exemplar exemplar = { 900000, 5, 77, 1, "select ?", NULL };	/* of slot 1 */
static struct bytes recorded_exemplars;

/* Computes the weights of the events of one key, by latency. */
static void weigh(struct sample *m, const struct instrumentation *in)
{
	for (__u16 weight = 1; weight <= 2; weight++) {
		struct slice *s = &m->slice[m->batch.n_slices];
		struct hist h;

		sample_slice(m, "query", "select", 0, 0);
		assert_int_equal(hist_init(&h, in->weight_ruler), 0);
		for (int i = 0; i < 9; i++) {
			__u64 heavy = check_below(1 << 30);

			hist_record(&h, check_value() >> 20, heavy);
			recorded_weight[weight - 1] += heavy;
		}
		bytes_clear(&m->hist[m->batch.n_slices - 1]);
		hist_encode(&h, &m->hist[m->batch.n_slices - 1]);
		s->ruler = in->weight_ruler;
		s->weight = weight;
		s->hist = m->hist[m->batch.n_slices - 1].data;
		s->hist_len = (__u32)m->hist[m->batch.n_slices - 1].len;
		hist_fini(&h);
	}
}

static struct instrumentation weighing(__u64 id)
{
	struct instrumentation in = sample_inst(id);
	char reason[REASON_MAX];

	in.n_weights = 2;
	strcpy(in.weight[0], "latency");
	strcpy(in.weight[1], "cputime");
	assert_int_equal(instrumentation_bind(&in, &sample_metric, reason), 0);
	return in;
}

static const char *record(void)
{
	const char *path = sample_path("recording");
	struct instrumentation in = weighing(3);
	struct hist total[2];
	struct recorder *r;
	struct sample m;

	in.n_exemplars = 1;
	recorded_events = recorded_weight[0] = recorded_weight[1] = 0;
	bytes_clear(&recorded_exemplars);
	kit_exemplars(&recorded_exemplars, 0, &exemplar, 1);
	for (int i = 0; i < 2; i++)
		hist_init(&total[i], in.ruler[i]);
	assert_int_equal(recorder_open(path, &r), 0);
	recorder_begin(r, &in, &sample_metric);
	for (int i = 0; i <= N; i++) {
		sample_init(&m, 3, FIRST + (i < N ? i : 2), (__u32)i);
		if (i == 4)
			m.batch.loss = (struct loss){ 7, 70, FIRST + 3, FIRST + 4 };
		if (i == 1) {
			m.batch.exemplars = recorded_exemplars.data;
			m.batch.exemplars_len = recorded_exemplars.len;
		}
		weigh(&m, &in);
		recorder_batch(r, &m.batch);
		for (unsigned axis = 0; axis < 2; axis++)
			total_of(&m.batch, axis, &total[axis]);
		recorded_events += m.events;
		sample_fini(&m);
	}
	assert_int_equal(recorder_close(r), 0);
	for (int i = 0; i < 2; i++) {
		bytes_clear(&recorded_total[i]);
		hist_encode(&total[i], &recorded_total[i]);
		hist_fini(&total[i]);
	}
	return path;
}

/* --- the batches of a drain --- */

struct taken {
	size_t n;
	__s64 slot[64];
	__u32 seq[64];
	struct loss loss;		/* of the last batch */
	__u64 n_lost;
	struct hist total[2];
	__u64 weight[2];		/* sums of the cells */
	size_t n_keys;
	char key[64][64];
	__u64 key_events[64];
	__u64 ruler;
	size_t n_exemplars;
	__s64 exemplars_slot;
};

static size_t key_index(struct taken *t, const struct labels *key)
{
	char text[KEY_BYTES_MAX] = "", label[LABEL_MAX + 1];
	size_t i;

	for (unsigned at = 0; !labels_text(key, at, label); at++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", at ? "/" : "", label);
	for (i = 0; i < t->n_keys && strcmp(t->key[i], text); i++)
		;
	if (i == t->n_keys)
		snprintf(t->key[t->n_keys++], sizeof(t->key[0]), "%.63s", text);
	return i;
}

static void take_weight(struct taken *t, const struct slice *s)
{
	struct hist_reader r;

	assert_int_equal(s->axis, 0);
	for (int err = hist_reader_open(&r, s->ruler, s->hist, s->hist_len); !err && hist_reader_next(&r);)
		t->weight[s->weight - 1] += r.value;
}

static void take(void *arg, const struct batch *b)
{
	struct taken *t = arg;

	assert_string_equal(b->source, "renamed");
	assert_int_equal(b->incarnation, 99);
	assert_int_equal(b->inst, 12);
	t->slot[t->n] = b->slot;
	t->seq[t->n++] = b->seq;
	if (b->loss.n)
		t->loss = b->loss;
	t->n_lost += b->loss.n;
	if (b->exemplars_len) {
		t->n_exemplars++;
		t->exemplars_slot = b->slot;
		assert_int_equal(b->exemplars_len, recorded_exemplars.len);
		assert_memory_equal(b->exemplars, recorded_exemplars.data, recorded_exemplars.len);
	}
	for (unsigned axis = 0; axis < 2; axis++)
		total_of(b, axis, &t->total[axis]);
	for (size_t i = 0; i < b->n_slices; i++) {
		struct batch one = { .slice = &b->slice[i], .n_slices = 1 };

		t->key_events[key_index(t, &b->slice[i].key)] += batch_events(&one);
		t->ruler = b->slice[i].ruler;
		if (b->slice[i].weight)
			take_weight(t, &b->slice[i]);
		for (size_t j = 0; j < i; j++)		/* each slice once */
			assert_false(b->slice[i].axis == b->slice[j].axis && b->slice[i].weight == b->slice[j].weight &&
				     !labels_compare(&b->slice[i].key, &b->slice[j].key));
	}
}

static void taken_init(struct taken *t)
{
	memset(t, 0, sizeof(*t));
	for (int i = 0; i < 2; i++)
		hist_init(&t->total[i], RULER(UNIT_NS, 5, 10, 39));
}

static void taken_fini(struct taken *t)
{
	hist_fini(&t->total[0]);
	hist_fini(&t->total[1]);
}

static void *replay_at(int follow_clock)
{
	struct probe_conf conf = { .source = "renamed", .incarnation = 99, .recording = record(),
				   .follow_clock = follow_clock };
	char reason[REASON_MAX];
	void *self = NULL;

	assert_int_equal(replay_probe.open(&conf, &self, reason), 0);
	return self;
}

static struct instrumentation wanted(void)
{
	return sample_inst(12);
}

static int enable(void *self, const struct instrumentation *in, __s64 now_ns, const char *why)
{
	char reason[REASON_MAX] = "";
	int err = replay_probe.enable(self, in, now_ns, reason);

	if (err && (!why || !strstr(reason, why)))
		fail_msg("\"%s\"", reason);
	return err;
}

static void drain(void *self, __s64 now_ns, struct taken *t)
{
	const struct batch_sink sink = { take, t };

	assert_int_equal(replay_probe.drain(self, now_ns, &sink), 0);
}

static void assert_total(const struct taken *t, unsigned axis)
{
	struct bytes out = { 0 };

	hist_encode(&t->total[axis], &out);
	assert_int_equal(out.len, recorded_total[axis].len);
	assert_memory_equal(out.data, recorded_total[axis].data, out.len);
	bytes_fini(&out);
}

/* --- laws --- */

TEST(it_offers_the_recorded_fields_without_hostname)
{
	void *self = replay_at(0);
	size_t n;
	const struct metric *m = replay_probe.metrics(self, &n);

	assert_int_equal(n, 1);
	assert_string_equal(m->module, "mysql");
	assert_string_equal(m->stat, "queries");
	assert_int_equal(m->n_fields, 5);
	assert_null(metric_field(m, "hostname"));
	assert_non_null(metric_field(m, "cputime"));
	assert_null(replay_probe.refusal(self, m));
	replay_probe.close(self);
}

TEST(without_a_clock_everything_comes_at_its_own_slot)
{
	void *self = replay_at(0);
	struct instrumentation in = wanted();
	struct taken t;

	taken_init(&t);
	assert_false(replay_probe.finished(self));
	assert_int_equal(enable(self, &in, 5, NULL), 0);
	assert_false(replay_probe.finished(self));
	drain(self, 5, &t);
	assert_true(replay_probe.finished(self));
	assert_int_equal(t.n, N + 1);
	for (__u32 i = 0; i <= N; i++) {
		assert_int_equal(t.slot[i], FIRST + (i < N ? i : 2));
		assert_int_equal(t.seq[i], i);
	}
	assert_int_equal(t.loss.n, 7);
	assert_int_equal(t.loss.first, FIRST + 3);
	assert_total(&t, 0);
	assert_total(&t, 1);
	drain(self, 6, &t);
	assert_int_equal(t.n, N + 1);
	taken_fini(&t);
	replay_probe.close(self);
}

TEST(exemplars_come_only_if_wanted)
{
	for (__u32 n = 0; n < 2; n++) {
		void *self = replay_at(0);
		struct instrumentation in = wanted();
		struct taken t;

		taken_init(&t);
		in.n_exemplars = n;
		assert_int_equal(enable(self, &in, 5, NULL), 0);
		drain(self, 5, &t);
		assert_int_equal(t.n_exemplars, n);
		assert_int_equal(t.exemplars_slot, n ? FIRST + 1 : 0);
		taken_fini(&t);
		replay_probe.close(self);
	}
}

TEST(with_the_clock_it_keeps_its_pace)
{
	void *self = replay_at(1);
	struct instrumentation in = wanted();
	__s64 now_s = 1800000123, now_ns = now_s * SECOND_NS + 400000000;
	struct taken t;

	taken_init(&t);
	assert_int_equal(enable(self, &in, now_ns, NULL), 0);
	drain(self, now_ns, &t);
	assert_int_equal(t.n, 0);
	drain(self, (now_s + 1) * SECOND_NS - 1, &t);
	assert_int_equal(t.n, 0);
	drain(self, (now_s + 1) * SECOND_NS, &t);
	assert_int_equal(t.n, 1);
	assert_int_equal(t.slot[0], now_s);
	drain(self, (now_s + 3) * SECOND_NS + 20, &t);
	assert_int_equal(t.n, 3);
	assert_int_equal(t.slot[2], now_s + 2);
	assert_false(replay_probe.finished(self));
	drain(self, (now_s + 100) * SECOND_NS, &t);		/* a late drain files every event in its own slot */
	assert_int_equal(t.n, N + 1);
	assert_int_equal(t.slot[N - 1], now_s + N - 1);
	assert_int_equal(t.slot[N], now_s + 2);
	assert_int_equal(t.loss.last, now_s + 4);
	assert_total(&t, 0);
	taken_fini(&t);
	replay_probe.close(self);
}

TEST(one_enabled_later_joins_in_the_middle)
{
	void *self = replay_at(1);
	struct instrumentation first = wanted(), second = wanted();
	struct taken t;

	taken_init(&t);
	first.id = 11;
	assert_int_equal(enable(self, &first, 1800000000 * SECOND_NS, NULL), 0);
	assert_int_equal(enable(self, &second, 1800000003 * SECOND_NS + 5, NULL), 0);
	replay_probe.disable(self, 11);
	drain(self, 1800000100 * SECOND_NS, &t);
	assert_int_equal(t.slot[0], 1800000003);
	assert_int_equal(t.n, N - 3);		/* the amendment was for an earlier slot */
	taken_fini(&t);
	replay_probe.close(self);
}

TEST(dropping_fields_adds_their_slices)
{
	static const size_t keys[] = { 1, 2 };	/* distinct commands */

	for (size_t n_fields = 0; n_fields <= 1; n_fields++) {
		void *self = replay_at(0);
		struct instrumentation in = wanted();
		struct taken t;
		__u64 events = 0;

		taken_init(&t);
		in.n_fields = n_fields;
		assert_int_equal(enable(self, &in, 0, NULL), 0);
		drain(self, 0, &t);
		assert_int_equal(t.n_keys, keys[n_fields]);
		for (size_t i = 0; i < t.n_keys; i++)
			events += t.key_events[i];
		assert_int_equal(events, recorded_events);
		assert_total(&t, 0);
		assert_total(&t, 1);
		taken_fini(&t);
		replay_probe.close(self);
	}
}

TEST(fields_come_in_the_order_that_is_wanted)
{
	void *self = replay_at(0);
	struct instrumentation in = wanted();
	struct taken t;
	size_t i;

	taken_init(&t);
	strcpy(in.field[0], "statement");
	strcpy(in.field[1], "hostname");	/* the aggregator fills it in; it is not in the key */
	strcpy(in.field[2], "command");
	in.n_fields = 3;
	assert_int_equal(enable(self, &in, 0, NULL), 0);
	drain(self, 0, &t);
	for (i = 0; i < t.n_keys && strcmp(t.key[i], "select/execute"); i++)
		;
	assert_true(i < t.n_keys);
	assert_int_equal(t.key_events[i], 5 * (N + 1));
	taken_fini(&t);
	replay_probe.close(self);
}

TEST(measures_are_dropped_and_renumbered)
{
	void *self = replay_at(0);
	struct instrumentation in = wanted();
	struct bytes out = { 0 };
	struct taken t;

	taken_init(&t);
	strcpy(in.measure[0], "cputime");
	in.n_measures = 1;
	assert_int_equal(enable(self, &in, 0, NULL), 0);
	drain(self, 0, &t);
	assert_int_equal(t.total[1].count, 0);
	hist_encode(&t.total[0], &out);
	assert_int_equal(out.len, recorded_total[1].len);
	assert_memory_equal(out.data, recorded_total[1].data, out.len);
	bytes_fini(&out);
	taken_fini(&t);
	replay_probe.close(self);
}

/* Weights are known only along the first measure that was recorded, not along another one. */
TEST(only_the_wanted_weights_come)
{
	for (size_t n = 0; n <= 2; n++) {
		struct instrumentation in = weighing(12);
		void *self = replay_at(0);
		struct taken t;

		in.n_weights = n;
		taken_init(&t);
		assert_int_equal(enable(self, &in, 0, NULL), 0);
		drain(self, 0, &t);
		assert_int_equal(t.weight[0], n ? recorded_weight[0] : 0);
		assert_int_equal(t.weight[1], n > 1 ? recorded_weight[1] : 0);
		assert_total(&t, 0);
		taken_fini(&t);
		replay_probe.close(self);
	}
}

/* The predicate decides three of the four keys; the fourth key's statement is `other`: its events are lost, like the 7
 * that were recorded as lost. */
TEST(a_predicate_over_recorded_fields_selects_keys)
{
	static const struct { const char *predicate; size_t n_keys; int all; } cases[] = {
		{ "{\"or\":[{\"eq\":[\"statement\",\"select\"]},{\"eq\":[\"statement\",\"insert\"]}]}", 3, 1 },
		{ "{\"eq\":[\"statement\",\"select\"]}", 2, 0 }, { "{\"eq\":[\"statement\",\"delete\"]}", 0, 0 },
	};

	for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
		void *self = replay_at(0);
		struct instrumentation in = wanted();
		char reason[REASON_MAX];
		struct taken t;
		__u64 events = 0;

		taken_init(&t);
		assert_int_equal(predicate_from_text(cases[c].predicate, &in.predicate, reason), 0);
		assert_int_equal(enable(self, &in, 0, NULL), 0);
		drain(self, 0, &t);
		assert_int_equal(t.n, N + 1);
		assert_int_equal(t.n_keys, cases[c].n_keys);
		for (size_t i = 0; i < t.n_keys; i++)
			events += t.key_events[i];
		assert_true(t.n_lost > 7);
		assert_true(cases[c].all ? events + t.n_lost - 7 == recorded_events : events + t.n_lost - 7 < recorded_events);
		taken_fini(&t);
		replay_probe.close(self);
	}
}

TEST(a_predicate_that_the_recording_cannot_answer_is_refused)
{
	void *self = replay_at(0);
	struct instrumentation in = wanted();
	char reason[REASON_MAX];

	assert_int_equal(predicate_from_text("{\"gt\":[\"latency\",5]}", &in.predicate, reason), 0);
	assert_int_equal(enable(self, &in, 0, "has no single events"), -ENOENT);
	replay_probe.close(self);
}

TEST(the_ruler_folds_to_the_wanted_one)
{
	void *self = replay_at(0);
	struct instrumentation in = wanted();
	struct hist fine;
	struct bytes a = { 0 }, b = { 0 };
	struct taken t;

	taken_init(&t);
	in.ruler_bits = 0;
	assert_int_equal(enable(self, &in, 0, NULL), 0);
	drain(self, 0, &t);
	assert_int_equal(t.ruler, RULER(UNIT_NS, 0, 10, 39));
	hist_init(&fine, RULER(UNIT_NS, 5, 10, 39));
	hist_decode_add(&fine, fine.ruler, recorded_total[0].data, recorded_total[0].len);
	assert_int_equal(hist_fold(&fine, t.ruler), 0);
	hist_encode(&fine, &a);
	hist_encode(&t.total[0], &b);
	assert_int_equal(a.len, b.len);
	assert_memory_equal(a.data, b.data, a.len);
	hist_fini(&fine);
	bytes_fini(&a);
	bytes_fini(&b);
	taken_fini(&t);
	replay_probe.close(self);
}

TEST(keys_beyond_the_cap_become_other)
{
	void *self = replay_at(0);
	struct instrumentation in = wanted();
	__u64 events = 0;
	struct taken t;

	taken_init(&t);
	in.n_keys = 2;
	assert_int_equal(enable(self, &in, 0, NULL), 0);
	drain(self, 0, &t);
	assert_int_equal(t.n_keys, 3);
	assert_string_equal(t.key[2], "other/other");
	for (size_t i = 0; i < t.n_keys; i++)
		events += t.key_events[i];
	assert_int_equal(events, recorded_events);
	taken_fini(&t);
	replay_probe.close(self);
}

TEST(refuses_metrics_and_fields_that_were_not_recorded)
{
	void *self = replay_at(0);
	struct instrumentation in = wanted();
	char reason[REASON_MAX];

	strcpy(in.stat, "locks");
	assert_int_equal(enable(self, &in, 0, "mysql.locks is not in the recording"), -ENOENT);
	in = wanted();
	strcpy(in.field[1], "pid");
	assert_int_equal(enable(self, &in, 0, "no field \"pid\""), -ENOENT);
	in = wanted();
	strcpy(in.measure[1], "blocked");
	assert_int_equal(enable(self, &in, 0, "no measure \"blocked\""), -ENOENT);
	in = weighing(12);
	strcpy(in.weight[1], "blocked");
	assert_int_equal(enable(self, &in, 0, "no weight \"blocked\""), -ENOENT);
	in = weighing(12);
	strcpy(in.measure[0], "cputime");
	strcpy(in.measure[1], "latency");
	strcpy(in.weight[0], "cputime");
	in.n_weights = 1;
	assert_int_equal(enable(self, &in, 0, "no weight \"cputime\""), -ENOENT);
	in = wanted();
	in.n_exemplars = 2;
	assert_int_equal(enable(self, &in, 0, "has 1 exemplars, by latency and its own predicate"), -ENOENT);
	in.n_exemplars = 1;
	strcpy(in.measure[0], "cputime");
	strcpy(in.measure[1], "latency");
	assert_int_equal(enable(self, &in, 0, "has 1 exemplars"), -ENOENT);
	in = wanted();
	in.n_exemplars = 1;
	assert_int_equal(predicate_from_text("{\"eq\":[\"statement\",\"select\"]}", &in.predicate, reason), 0);
	assert_int_equal(enable(self, &in, 0, "has 1 exemplars"), -ENOENT);
	in = wanted();
	in.slot_ns = 100000000;
	assert_int_equal(enable(self, &in, 0, "slots of 1 s, not of 0.1 s"), -ENOENT);
	assert_false(replay_probe.finished(self));
	replay_probe.close(self);
}

TEST(refuses_a_damaged_recording)
{
	struct probe_conf conf = { .source = "renamed", .recording = record() };
	char reason[REASON_MAX] = "";
	void *self = NULL;

	assert_int_equal(truncate(conf.recording, 1000), 0);
	assert_int_not_equal(replay_probe.open(&conf, &self, reason), 0);
	assert_non_null(strstr(reason, "offset "));
	assert_null(self);
	replay_probe.close(NULL);
}

/* --- parts --- */

static const struct field parted_fields[] = {
	{ "latency", "latency", "time", FIELD_NUMERIC, UNIT_NS, 10, 39 }, { "cputime", "cputime", "time", FIELD_NUMERIC, UNIT_NS, 10, 39 },
	{ "blocked", "blocked", "time", FIELD_NUMERIC, UNIT_NS, 10, 39 }, { "io", "io", "time", FIELD_NUMERIC, UNIT_NS, 10, 39 },
	{ "net", "net", "time", FIELD_NUMERIC, UNIT_NS, 10, 39 },
};
static const struct metric parted = { "mysql", "queries", "queries", "queries", parted_fields, 5, SCOPE_INTERVAL, NULL, "cputime io net", NULL };

struct recorded_as {
	const char *measures, *weights;	/* with blanks between */
};

static void introduce(struct recorder *r, __u64 id, const struct recorded_as *as)
{
	struct instrumentation in = { .id = id, .module = "mysql", .stat = "queries", .granularity_ns = SECOND_NS, .slot_ns = SECOND_NS };
	char measures[64], weights[64], reason[REASON_MAX], *rest;

	snprintf(measures, sizeof(measures), "%s", as->measures);
	snprintf(weights, sizeof(weights), "%s", as->weights);
	in.ruler_bits = 5;
	in.retention_s = in.minutes_s = in.hours_s = 60;
	in.n_keys = in.n_slots = 8;
	for (char *name = strtok_r(measures, " ", &rest); name; name = strtok_r(NULL, " ", &rest))
		strcpy(in.measure[in.n_measures++], name);
	for (char *name = strtok_r(weights, " ", &rest); name; name = strtok_r(NULL, " ", &rest))
		strcpy(in.weight[in.n_weights++], name);
	if (instrumentation_bind(&in, &parted, reason))
		fail_msg("%s", reason);
	assert_int_equal(recorder_begin(r, &in, &parted), 0);
}

/* Checks the metric as an aggregator reads it. */
static void assert_offered(const struct metric *m, const char *parts)
{
	json_t *json = metric_json_make(m, NULL);
	char reason[REASON_MAX] = "";
	struct metric read;

	if (metric_json_read(json, &read, reason))
		fail_msg("%s", reason);
	if (parts)
		assert_string_equal(read.parts, parts);
	else
		assert_null(read.parts);
	metric_json_fini(&read);
	json_decref(json);
}

TEST(parts_are_those_that_are_offered)
{
	static const struct { struct recorded_as as[2]; const char *parts; } cases[] = {
		{ { { "latency", "" } }, NULL },
		{ { { "latency blocked", "" } }, NULL },
		{ { { "latency cputime", "" } }, "cputime" },
		{ { { "latency net cputime", "" } }, "cputime net" },
		{ { { "latency cputime io net", "" } }, "cputime io net" },
		{ { { "latency", "latency io" } }, "io" },		/* a weight that is not a measure */
		{ { { "cputime io", "" } }, NULL },			/* its whole is not offered */
		{ { { "cputime io", "" }, { "latency", "" } }, "cputime io" },
		{ { { "latency", "" }, { "net", "" } }, "net" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct probe_conf conf = { .source = "renamed", .recording = sample_path("recording") };
		char reason[REASON_MAX] = "";
		struct recorder *r;
		void *self = NULL;
		size_t n;

		assert_int_equal(recorder_open(conf.recording, &r), 0);
		for (size_t k = 0; k < 2 && cases[i].as[k].measures; k++)
			introduce(r, 3 + k, &cases[i].as[k]);
		assert_int_equal(recorder_close(r), 0);
		assert_int_equal(replay_probe.open(&conf, &self, reason), 0);
		assert_offered(replay_probe.metrics(self, &n), cases[i].parts);
		assert_int_equal(n, 1);
		replay_probe.close(self);
	}
}

static int clean(void **state)
{
	static const char *const name[] = { "recording" };

	bytes_fini(&recorded_total[0]);
	bytes_fini(&recorded_total[1]);
	sample_clean(name, 1);
	return 0;
}

TEST_MAIN_WITH(NULL, clean)
