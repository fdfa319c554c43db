#include "test/kit/bpf_kit.h"
#include "collector/probe/kernel.h"
#include "collector/probe/probe.h"
#include "collector/tracers.h"

#include <linux/bpf.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SEEN_MAX 4096
#define INSTS_MAX 16

struct seen {
	__u64 inst;
	char label[4][LABEL_MAX + 1];
	__u64 n, sum[MEASURES_MAX];
};

static void *probe;
static struct seen *seen;
static int n_seen, n_tests, n_failed, n_wrong_slots;
static __u64 n_lost;
static unsigned n_drained_meanwhile;
static struct { size_t n_fields; __s64 next_slot; } insts[INSTS_MAX];

void ok(int holds, const char *format, ...)
{
	va_list args;

	printf("%s %d - ", holds ? "ok" : "not ok", ++n_tests);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	fflush(stdout);
	n_failed += !holds;
}

__s64 kit_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec * KIT_SECOND + t.tv_nsec;
}

int kit_run(const char *format, ...)
{
	char command[4096];
	va_list args;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	return system(command);
}

void kit_stats(void)
{
	union bpf_attr attr = { .enable_stats.type = BPF_STATS_RUN_TIME };

	syscall(SYS_bpf, BPF_ENABLE_STATS, &attr, sizeof(attr));	/* while the descriptor is open */
}

/* ---- begin and end ---- */

static void batch_take(void *arg, const struct batch *b);

static void drain_now(void)
{
	static const struct batch_sink sink = { batch_take, NULL };

	kernel_probe.drain(probe, kit_now_ns(), &sink);
}

static void on_loading(void *arg)
{
	n_drained_meanwhile++;
	drain_now();
}

unsigned kit_drained_meanwhile(void)
{
	return n_drained_meanwhile;
}

void kit_begin(void)
{
	struct probe_conf conf = { .tracers = tracers, .source = "test", .incarnation = 1, .memory_limit = 256000000,
				   .meanwhile = on_loading };
	char reason[REASON_MAX] = "";

	if (geteuid() || access("/sys/kernel/btf/vmlinux", R_OK)) {
		printf("1..0 # SKIP needs root and BTF\n");
		exit(77);
	}
	seen = calloc(SEEN_MAX, sizeof(*seen));
	if (!seen || kernel_probe.open(&conf, &probe, reason)) {
		printf("Bail out! %s\n", reason);
		exit(99);
	}
}

int kit_end(void)
{
	ok(!n_wrong_slots, "every slot once, in order");
	kernel_probe.close(probe);
	free(seen);
	printf("1..%d\n", n_tests);
	return n_failed ? 1 : 0;
}

static const struct metric *metric_find(const char *name)
{
	size_t n, i;
	const struct metric *m = kernel_probe.metrics(probe, &n);
	char full[2 * NAME_MAX_LEN];

	for (i = 0; i < n; i++) {
		snprintf(full, sizeof(full), "%s.%s", m[i].module, m[i].stat);
		if (!strcmp(full, name))
			return &m[i];
	}
	printf("Bail out! there is no metric %s\n", name);
	exit(99);
}

const char *kit_refusal(const char *metric)
{
	return kernel_probe.refusal(probe, metric_find(metric));
}

static size_t names_split(const char *names, char out[][NAME_MAX_LEN], size_t max)
{
	size_t n = 0, len;

	for (; *names && n < max; names += len + (names[len] == ','), n++) {
		len = strcspn(names, ",");
		snprintf(out[n], NAME_MAX_LEN, "%.*s", (int)len, names);
	}
	return n;
}

void kit_enable_where(__u64 inst, const char *metric, const char *fields, const char *measures, const char *predicate, ...)
{
	struct instrumentation in = { .id = inst, .granularity_ns = KIT_SECOND, .slot_ns = KIT_SECOND,
				      .ruler_bits = 2, .n_keys = 1000, .n_slots = 12 };
	const struct metric *m = metric_find(metric);
	char reason[REASON_MAX] = "", text[1024];
	struct timespec t = { 0 };
	va_list args;
	int err;

	va_start(args, predicate);
	vsnprintf(text, sizeof(text), predicate, args);
	va_end(args);
	snprintf(in.module, sizeof(in.module), "%s", m->module);
	snprintf(in.stat, sizeof(in.stat), "%s", m->stat);
	in.n_fields = names_split(fields, in.field, KEY_FIELDS_MAX);
	in.n_measures = names_split(measures, in.measure, MEASURES_MAX);
	insts[inst % INSTS_MAX].n_fields = in.n_fields;
	insts[inst % INSTS_MAX].next_slot = 0;
	err = predicate_from_text(text, &in.predicate, reason);
	err = err ?: instrumentation_bind(&in, m, reason);
	err = err ?: kernel_probe.enable(probe, &in, kit_now_ns(), reason);
	ok(!err, "%s by %s is enabled%s%s", metric, fields, err ? ": " : "", reason);
	if (err)
		exit(kit_end());
	t.tv_sec = kit_now_ns() / KIT_SECOND + 1;
	clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL);
}

void kit_enable(__u64 inst, const char *metric, const char *fields, const char *measures)
{
	kit_enable_where(inst, metric, fields, measures, "{}");
}

void kit_disable(__u64 inst)
{
	kernel_probe.disable(probe, inst);
}

/* ---- sampling ---- */

void kit_sample(const char *metric, unsigned every)
{
	struct kernel *k = probe;
	const struct metric *m = metric_find(metric);
	size_t i;

	for (i = 0; i < k->n_traced; i++)
		if (k->traced[i].runs && !strcmp(k->traced[i].tracer->metric->module, m->module) &&
		    !strcmp(k->traced[i].tracer->metric->stat, m->stat))
			*(volatile __u32 *)k->traced[i].programs.every = every;
}

int kit_is_sample(__u64 n, __u64 truth, unsigned every)
{
	return n % every == 0 && fabs((double)n - (double)truth) <= 6 * sqrt((double)truth * every);
}

/* ---- what was counted ---- */

static struct seen *seen_find(__u64 inst, const struct labels *key)
{
	struct seen new = { .inst = inst };
	size_t f;
	int i;

	for (f = 0; f < insts[inst % INSTS_MAX].n_fields; f++)
		labels_text(key, f, new.label[f]);
	for (i = 0; i < n_seen; i++)
		if (seen[i].inst == inst && !memcmp(seen[i].label, new.label, sizeof(new.label)))
			return &seen[i];
	if (n_seen == SEEN_MAX - 1)
		return &seen[SEEN_MAX - 1];
	seen[n_seen] = new;
	return &seen[n_seen++];
}

static void batch_take(void *arg, const struct batch *b)
{
	__s64 *next = &insts[b->inst % INSTS_MAX].next_slot;
	size_t i;

	n_lost += b->loss.n;
	if (b->slot > *next && *next)
		n_wrong_slots++;
	if (b->slot >= *next)
		*next = b->slot + b->run;
	for (i = 0; i < b->n_slices; i++) {
		const struct slice *s = &b->slice[i];
		struct seen *at = seen_find(b->inst, &s->key);
		struct hist_reader r;

		if (hist_reader_open(&r, s->ruler, s->hist, s->hist_len))
			continue;
		at->n += s->axis ? 0 : r.count;
		at->sum[s->axis] += r.sum;
	}
}

void kit_drain(void)
{
	__s64 end = (kit_now_ns() / KIT_SECOND + 1) * KIT_SECOND + 20000000;
	struct timespec t = { end / KIT_SECOND, end % KIT_SECOND };

	clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL);
	drain_now();
}

void kit_clear(void)
{
	memset(seen, 0, n_seen * sizeof(*seen));
	n_seen = 0;
}

static int matches(const struct seen *s, __u64 inst, const char *const label[4])
{
	int f;

	for (f = 0; f < 4; f++)
		if (label[f] && strcmp(s->label[f], label[f]))
			return 0;
	return s->inst == inst;
}

__u64 kit_count(__u64 inst, const char *const label[4])
{
	__u64 n = 0;
	int i;

	for (i = 0; i < n_seen; i++)
		n += matches(&seen[i], inst, label) ? seen[i].n : 0;
	return n;
}

__u64 kit_sum(__u64 inst, unsigned measure, const char *const label[4])
{
	__u64 sum = 0;
	int i;

	for (i = 0; i < n_seen; i++)
		sum += matches(&seen[i], inst, label) ? seen[i].sum[measure] : 0;
	return sum;
}

__u64 kit_lost(void)
{
	return n_lost;
}

void kit_print(void)
{
	int i;

	for (i = 0; i < n_seen; i++)
		printf("#   %llu %-16s %-16s %-16s %-16s %8llu  means %.0f %.0f %.0f\n", (unsigned long long)seen[i].inst,
		       seen[i].label[0], seen[i].label[1], seen[i].label[2], seen[i].label[3],
		       (unsigned long long)seen[i].n, (double)seen[i].sum[0] / seen[i].n,
		       (double)seen[i].sum[1] / seen[i].n, (double)seen[i].sum[2] / seen[i].n);
}

void kit_doctor(void)
{
	kernel_probe.doctor(probe, stdout);
}
