/* Tests when the probe that reads files takes snapshots, and which slots it reports.  The files are this machine's, the
 * time is the test's. */
#include "collector/probe/probe.h"
#include "collector/probe/self_stats.h"
#include "test/kit/check.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#define SECOND 1000000000ll
#define T0 (1700000000ll * SECOND)
#define LATE 20000000ll			/* how late the collector drains */

struct reported {
	size_t n;
	struct { __s64 slot; __u32 run, seq; size_t n_slices; __u64 inst; } batch[32];
	__u64 count, sum;		/* of axis 0 of the last batch */
};

static void take(void *arg, const struct batch *b)
{
	struct reported *t = arg;
	struct hist_reader r;

	assert_true(t->n < 32);
	t->batch[t->n].slot = b->slot - T0 / (__s64)b->slot_ns;
	t->batch[t->n].run = b->run;
	t->batch[t->n].seq = b->seq;
	t->batch[t->n].inst = b->inst;
	t->batch[t->n++].n_slices = b->n_slices;
	t->count = t->sum = 0;
	for (size_t i = 0; i < b->n_slices; i++) {
		if (b->slice[i].axis)
			continue;
		assert_int_equal(hist_reader_open(&r, b->slice[i].ruler, b->slice[i].hist, b->slice[i].hist_len), 0);
		t->count += r.count;
		t->sum += r.sum;
	}
}

static void *probe_open(void)
{
	static const struct probe_conf conf = { .source = "here", .incarnation = 1 };
	char reason[REASON_MAX];
	void *self;

	assert_int_equal(proc_probe.open(&conf, &self, reason), 0);
	return self;
}

static const struct metric *metric_of(void *self, const char *module, const char *stat)
{
	size_t n;
	const struct metric *m = proc_probe.metrics(self, &n);

	for (size_t i = 0; i < n; i++)
		if (!strcmp(m[i].module, module) && !strcmp(m[i].stat, stat))
			return &m[i];
	fail_msg("no metric %s.%s", module, stat);
	return NULL;
}

static const char *predicate = "{}";

static int enable(void *self, __u64 id, const char *name, const char *field, const char *measure, __u64 slot_ns,
		  __s64 now_ns, char *reason)
{
	struct instrumentation in = { .id = id, .n_measures = 1, .granularity_ns = slot_ns, .slot_ns = slot_ns,
				      .ruler_bits = 5, .n_keys = 64 };
	const char *dot = strchr(name, '.');

	snprintf(in.module, sizeof(in.module), "%.*s", (int)(dot - name), name);
	strcpy(in.stat, dot + 1);
	strcpy(in.measure[0], measure);
	if (field)
		strcpy(in.field[in.n_fields++], field);
	assert_int_equal(predicate_from_text(predicate, &in.predicate, reason), 0);
	assert_int_equal(instrumentation_bind(&in, metric_of(self, in.module, in.stat), reason), 0);
	return proc_probe.enable(self, &in, now_ns, reason);
}

static void drain(void *self, __s64 now_ns, struct reported *t)
{
	const struct batch_sink sink = { take, t };

	assert_int_equal(proc_probe.drain(self, now_ns, &sink), 0);
}

static void assert_reported(const struct reported *t, const __s64 *slot, size_t n)
{
	assert_int_equal(t->n, n);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(t->batch[i].slot, slot[i]);
		assert_int_equal(t->batch[i].seq, i);
		assert_int_equal(t->batch[i].run, 1);
	}
}

/* Enabled in slot 0, so slot 1 is the first complete one. */
TEST(a_state_is_reported_from_the_first_whole_slot_on)
{
	void *self = probe_open();
	struct reported t = { 0 };
	char reason[REASON_MAX];

	assert_int_equal(enable(self, 1, "cpu.loadavg1", NULL, "load", SECOND, T0 + 300000000, reason), 0);
	assert_true(proc_probe.counts_from(self, 1) == T0 + SECOND);
	assert_true(proc_probe.counts_from(self, 2) == 0);
	for (int slot = 1; slot <= 4; slot++)
		drain(self, T0 + slot * SECOND + LATE, &t);
	assert_reported(&t, (const __s64[]){ 1, 2, 3 }, 3);
	assert_int_equal(t.count, 1);
	proc_probe.close(self);
}

/* A growth is reported from there on, too: the snapshot at its beginning exists by then. */
TEST(a_growth_needs_both_ends_of_the_slot)
{
	void *self = probe_open();
	struct reported t = { 0 };
	char reason[REASON_MAX];

	assert_int_equal(enable(self, 1, "cpu.cpus", "cpu", "utilization", SECOND, T0 + 300000000, reason), 0);
	for (int slot = 1; slot <= 4; slot++) {
		drain(self, T0 + slot * SECOND + LATE, &t);
		drain(self, T0 + slot * SECOND + 5 * LATE, &t);	/* once per slot is enough */
		usleep(30000);
	}
	assert_reported(&t, (const __s64[]){ 1, 2, 3 }, 3);
	assert_true(t.count >= 1);
	proc_probe.close(self);
}

TEST(a_missed_slot_is_not_reported)
{
	void *self = probe_open();
	struct reported load = { 0 }, cpus = { 0 };
	char reason[REASON_MAX];

	assert_int_equal(enable(self, 1, "cpu.loadavg1", NULL, "load", SECOND, T0, reason), 0);
	for (int slot = 1; slot <= 9; slot++)
		if (slot != 4)		/* 4: more than half a slot late.  6: late, but less than that */
			drain(self, T0 + slot * SECOND + (slot == 6 ? 20 * LATE : LATE), &load);
		else
			drain(self, T0 + slot * SECOND + SECOND / 2 + LATE, &load);
	assert_reported(&load, (const __s64[]){ 1, 2, 4, 5, 6, 7, 8 }, 7);
	proc_probe.disable(self, 1);
	assert_int_equal(enable(self, 2, "cpu.cpus", NULL, "utilization", SECOND, T0, reason), 0);
	for (int slot = 1; slot <= 9; slot++) {
		usleep(30000);
		if (slot != 4)
			drain(self, T0 + slot * SECOND + LATE, &cpus);
	}
	assert_reported(&cpus, (const __s64[]){ 1, 2, 5, 6, 7, 8 }, 6);
	proc_probe.close(self);
}

TEST(no_slot_is_reported_twice_after_the_clock_is_set_back)
{
	void *self = probe_open();
	struct reported t = { 0 };
	char reason[REASON_MAX];
	static const int slots[] = { 1, 2, 3, 4, 2, 3, 4, 5, 6 };

	assert_int_equal(enable(self, 1, "cpu.loadavg1", NULL, "load", SECOND, T0, reason), 0);
	for (size_t i = 0; i < sizeof(slots) / sizeof(*slots); i++)
		drain(self, T0 + slots[i] * SECOND + LATE, &t);
	assert_reported(&t, (const __s64[]){ 1, 2, 3, 4, 5 }, 5);
	proc_probe.close(self);
}

TEST(instrumentations_have_their_own_slots_and_parts)
{
	void *self = probe_open();
	struct reported t = { 0 };
	char reason[REASON_MAX];
	size_t n[4] = { 0 }, slices[4] = { 0 };

	assert_int_equal(enable(self, 1, "cpu.cpus", "cpu", "utilization", SECOND / 5, T0, reason), 0);
	assert_int_equal(enable(self, 2, "cpu.cpus", "cpumode", "utilization", SECOND / 5, T0, reason), 0);
	assert_int_equal(enable(self, 3, "cpu.loadavg1", NULL, "load", SECOND, T0, reason), 0);
	for (int i = 1; i <= 11; i++) {
		usleep(25000);
		drain(self, T0 + i * SECOND / 5 + LATE, &t);
	}
	for (size_t i = 0; i < t.n; i++) {
		n[t.batch[i].inst]++;
		slices[t.batch[i].inst] = t.batch[i].n_slices;
	}
	assert_int_equal(n[1], 10);
	assert_int_equal(n[2], 10);
	assert_int_equal(n[3], 1);
	assert_in_range(slices[1], 1, sysconf(_SC_NPROCESSORS_CONF));
	assert_int_equal(slices[2], 6);
	proc_probe.disable(self, 1);
	t.n = 0;
	drain(self, T0 + 12 * SECOND / 5 + LATE, &t);
	assert_int_equal(t.n, 1);
	assert_int_equal(t.batch[0].inst, 2);
	proc_probe.close(self);
}

/* Every machine has a lo. */
TEST(predicates_choose_things_and_parts)
{
	static const struct { const char *metric, *field, *measure, *predicate; size_t n_min, n_max; } cases[] = {
		{ "nic.nics", "nic", "bytes", "{\"eq\": [\"nic\", \"lo\"]}", 1, 1 },
		{ "nic.nics", "nic", "bytes", "{\"eq\": [\"kind\", \"loopback\"]}", 1, 1 },
		{ "nic.nics", "nic", "bytes", "{\"eq\": [\"nic\", \"nosuch0\"]}", 0, 0 },
		{ "cpu.cpus", NULL, "utilization", "{\"eq\": [\"cpumode\", \"user\"]}", 1, 4096 },
		{ "cpu.cpus", NULL, "utilization", "{\"gt\": [\"utilization\", 100]}", 0, 0 },
		{ "cpu.cpus", NULL, "utilization", "{\"eq\": [\"hostname\", \"here\"]}", 1, 4096 },
		{ "cpu.cpus", NULL, "utilization", "{\"eq\": [\"hostname\", \"elsewhere\"]}", 0, 0 },
	};
	void *self = probe_open();
	char reason[REASON_MAX];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct reported t = { 0 };

		predicate = cases[i].predicate;
		assert_int_equal(enable(self, i, cases[i].metric, cases[i].field, cases[i].measure, SECOND, T0, reason), 0);
		drain(self, T0 + SECOND + LATE, &t);
		usleep(50000);
		drain(self, T0 + 2 * SECOND + LATE, &t);
		assert_int_equal(t.n, 1);
		assert_in_range(t.count, cases[i].n_min, cases[i].n_max);
		proc_probe.disable(self, i);
	}
	predicate = "{}";
	proc_probe.close(self);
}

static void put_tick(__s64 end_ns)
{
	self_stats_put(&(struct self_stats_tick){ "kernel", end_ns, 1000, 2000, 1, 10 });
}

/* The collector's own ticks are events: it reports each slot, empty ones as runs, late ones as amendments. */
TEST(ticks_are_filed_by_their_own_time)
{
	void *self = probe_open();
	struct reported t = { 0 };
	char reason[REASON_MAX];

	assert_int_equal(enable(self, 1, "heatscope.ticks", "probe", "latency", SECOND / 100 * 10, T0, reason), 0);
	put_tick(T0 + 50 * SECOND / 1000);			/* in slot 0, before we count */
	put_tick(T0 + 110 * SECOND / 1000);
	put_tick(T0 + 120 * SECOND / 1000);
	put_tick(T0 + 310 * SECOND / 1000);
	drain(self, T0 + 320 * SECOND / 1000, &t);
	assert_int_equal(t.n, 2);				/* slot 1, 2 (empty); 3 is not over */
	assert_int_equal(t.batch[0].slot, 1);
	assert_int_equal(t.batch[0].n_slices, 1);
	assert_int_equal(t.batch[1].slot, 2);
	assert_int_equal(t.batch[1].n_slices, 0);
	put_tick(T0 + 390 * SECOND / 1000);
	drain(self, T0 + 720 * SECOND / 1000, &t);
	assert_int_equal(t.n, 4);				/* slot 3 with two ticks, 4 to 6 empty */
	assert_int_equal(t.batch[2].slot, 3);
	assert_int_equal(t.batch[3].slot, 4);
	assert_int_equal(t.batch[3].run, 3);
	put_tick(T0 + 510 * SECOND / 1000);			/* the clock was set back */
	put_tick(T0 + 720 * SECOND / 1000);
	drain(self, T0 + 820 * SECOND / 1000, &t);
	assert_int_equal(t.n, 6);
	assert_int_equal(t.batch[4].slot, 5);
	assert_int_equal(t.batch[4].n_slices, 1);
	assert_int_equal(t.batch[5].slot, 7);
	assert_int_equal(t.count, 1);
	assert_int_equal(t.sum, 1000);
	proc_probe.close(self);
}

TEST(refuses_slots_shorter_than_the_files_are_exact)
{
	void *self = probe_open();
	char reason[REASON_MAX] = "";

	assert_int_equal(enable(self, 1, "cpu.cpus", NULL, "utilization", SECOND / 100, T0, reason), -EINVAL);
	assert_non_null(strstr(reason, "0.1 s or more, not 0.01 s"));
	proc_probe.close(self);
}

TEST_MAIN()
