/* mysql_watch - what the collector's probe sees of one server, as JSON for mysql_load --compare.
 *
 *      mysql_watch PID READY > seen.json &     READY is made when everything from now on is seen
 *      mysql_load ...
 *      kill $!                                 drains what is left, prints, ends
 *
 * {"value": {"query/select": n, ...}, "lost": n, "wrong": n, "sum_ns": {"latency": n, ...}}; wrong is
 * the number of slices whose parts do not add up to the latency.  Exits 77 where the probe cannot run.
 */
#include "collector/probe/probe.h"
#include "collector/tracers.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SLOT_NS 1000000000ll
#define DRAIN_DELAY_NS 20000000		/* after a slot's end */
#define N_LAST 3			/* slots drained after the order to stop: late records come as amendments */

enum { LATENCY, CPUTIME, RUNQWAIT, BLOCKED, UNSPLIT, OFFCPU, N_MEASURES };

static const char *const measures[] = { "latency", "cputime", "runqwait", "blocked", "unsplit", "offcpu" };
static const char *const fields[] = { "pid", "command", "statement" };

struct watch {
	const char *pid;
	json_t *value;			/* {"command/statement": events} */
	__u64 lost, wrong, sum[N_MEASURES];
};

static volatile sig_atomic_t stop;

static void on_term(int signal)
{
	stop = 1;
}

static __s64 now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec * SLOT_NS + t.tv_nsec;
}

static void sleep_until(__s64 wall_ns)
{
	struct timespec t = { wall_ns / SLOT_NS, wall_ns % SLOT_NS };

	while (clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
}

/* --- slices ----------------------------------------------------------------------------------- */

static int is_ours(const struct watch *w, const struct slice *s)
{
	char pid[LABEL_MAX + 1];

	return !labels_text(&s->key, 0, pid) && !strcmp(pid, w->pid);
}

static void take_events(struct watch *w, const struct slice *s, __u64 n)
{
	char command[LABEL_MAX + 1], statement[LABEL_MAX + 1], key[2 * LABEL_MAX + 2];

	labels_text(&s->key, 1, command);
	labels_text(&s->key, 2, statement);
	snprintf(key, sizeof(key), "%s/%s", command, statement);
	json_object_set_new(w->value, key, json_integer(json_integer_value(json_object_get(w->value, key)) + n));
}

/* All measures of one key lie side by side. */
static size_t take_key(struct watch *w, const struct batch *b, size_t at)
{
	__u64 sum[N_MEASURES] = { 0 };
	size_t n = at;

	for (; n < b->n_slices && !labels_compare(&b->slice[n].key, &b->slice[at].key); n++) {
		const struct slice *s = &b->slice[n];
		struct hist_reader r;

		if (s->axis >= N_MEASURES || hist_reader_open(&r, s->ruler, s->hist, s->hist_len))
			continue;
		sum[s->axis] += r.sum;
		if (s->axis == LATENCY)
			take_events(w, s, r.count);
	}
	w->wrong += sum[LATENCY] != sum[CPUTIME] + sum[RUNQWAIT] + sum[BLOCKED] + sum[UNSPLIT] ||
		    sum[OFFCPU] != sum[RUNQWAIT] + sum[BLOCKED];
	for (int m = 0; m < N_MEASURES; m++)
		w->sum[m] += sum[m];
	return n;
}

static void take_batch(void *arg, const struct batch *b)
{
	struct watch *w = arg;
	size_t at = 0;

	w->lost += b->loss.n;
	while (at < b->n_slices)
		at = is_ours(w, &b->slice[at]) ? take_key(w, b, at) : at + 1;
}

/* --- the probe -------------------------------------------------------------------------------- */

static int enable(void *probe, char *reason)
{
	struct instrumentation in = { .id = 1, .n_fields = 3, .n_measures = N_MEASURES, .granularity_ns = SLOT_NS,
				      .slot_ns = SLOT_NS, .ruler_bits = 5, .n_keys = 256, .n_slots = 12 };
	const struct metric *metric;
	size_t n;
	int err;

	for (size_t i = 0; i < in.n_fields; i++)
		strcpy(in.field[i], fields[i]);
	for (size_t i = 0; i < in.n_measures; i++)
		strcpy(in.measure[i], measures[i]);
	metric = kernel_probe.metrics(probe, &n);
	strcpy(in.module, metric->module);
	strcpy(in.stat, metric->stat);
	err = instrumentation_bind(&in, metric, reason);
	return err ? err : kernel_probe.enable(probe, &in, now_ns(), reason);
}

static void make_file(const char *path)
{
	FILE *f = fopen(path, "w");

	if (f)
		fclose(f);
}

static int drain(void *probe, __s64 slot, const struct batch_sink *sink)
{
	sleep_until(slot * SLOT_NS + DRAIN_DELAY_NS);
	return kernel_probe.drain(probe, now_ns(), sink);
}

/* Events count from the slot boundary after enable() on. */
static int watch(void *probe, struct watch *w, const char *ready)
{
	const struct batch_sink sink = { take_batch, w };
	__s64 slot = now_ns() / SLOT_NS + 1;
	int err = drain(probe, slot, &sink);

	make_file(ready);
	while (!err && !stop)
		err = drain(probe, ++slot, &sink);
	for (int n = 0; !err && n < N_LAST; n++)
		err = drain(probe, ++slot, &sink);
	return err;
}

static void print(const struct watch *w)
{
	json_t *sum = json_object(), *object;

	for (int m = 0; m < N_MEASURES; m++)
		json_object_set_new(sum, measures[m], json_integer(w->sum[m]));
	object = json_pack("{s:O,s:I,s:I,s:o}", "value", w->value, "lost", (json_int_t)w->lost,
			   "wrong", (json_int_t)w->wrong, "sum_ns", sum);
	json_dumpf(object, stdout, JSON_INDENT(2));
	putchar('\n');
	json_decref(object);
}

int main(int argc, char **argv)
{
	struct probe_conf conf = { .tracers = tracers, .source = "watch", .incarnation = 1, .memory_limit = 512 << 20 };
	struct watch w = { .pid = argc == 3 ? argv[1] : NULL, .value = json_object() };
	char reason[REASON_MAX] = "";
	void *probe = NULL;
	int err;

	if (argc != 3) {
		fprintf(stderr, "usage: mysql_watch PID READY\n");
		return 2;
	}
	signal(SIGTERM, on_term);
	err = kernel_probe.open(&conf, &probe, reason);
	if (!err)
		err = enable(probe, reason);
	if (err) {
		fprintf(stderr, "mysql_watch: %s\n", reason);
		return 77;
	}
	err = watch(probe, &w, argv[2]);
	kernel_probe.doctor(probe, stderr);
	kernel_probe.close(probe);
	if (!err)
		print(&w);
	json_decref(w.value);
	return err ? 1 : 0;
}
