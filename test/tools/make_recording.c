/* make_recording - the material of e2e/replay.sh: a recording of known content, a collector that only
 *                  says hello, and a count of what a database holds.
 *
 *      make_recording write FILE FIRST_SLOT N_SLOTS [FACTOR]    prints "events N lost N slots N"; times are FACTOR times
 *                                                      as long
 *      make_recording large FILE FIRST_SLOT N_SLOTS    10^12 times as many events, among them long ones: their sums saturate
 *      make_recording hostile FILE FIRST_SLOT N_SLOTS  labels and exemplars that a terminal would obey
 *      make_recording hello SOCKET NAME [ERROR]        prints "ready"; stays until its input ends; then says why it leaves
 *      make_recording count DATABASE INST              prints "events N lost N slots N" of it
 *
 * Two keys; a third of the way there is a gap of 10 slots without batches, at half way a loss of 5
 * events, and after it a run of 5 empty slots.  `slots` are source-slots that were reported.
 */
#include "aggregator/store/store.h"
#include "collector/core/frame.h"
#include "collector/core/metric_json.h"
#include "collector/probe/recording.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define GAP 10
#define LOST 5
#define RUN 5

static const struct field fields[] = {
	{ "command", "command", "string", FIELD_DISCRETE, UNIT_NONE, 0, 0 },
	{ "latency", "latency", "time", FIELD_NUMERIC, UNIT_NS, 10, 39 },
	{ "io", "time blocked in file I/O", "time", FIELD_NUMERIC, UNIT_NS, 10, 39 },	/* not recorded */
};
static const struct metric metric = { "mysql", "queries", "queries", "queries", fields, 3, SCOPE_INTERVAL, NULL, "io", NULL };

struct totals {
	unsigned long long events, lost, slots;
};

static int print(const struct totals *t)
{
	printf("events %llu lost %llu slots %llu\n", t->events, t->lost, t->slots);
	return 0;
}

static int fail(const char *what, int err)
{
	fprintf(stderr, "make_recording: %s: %s\n", what, strerror(-err));
	return 1;
}

/* --- writing --- */

struct filled {				/* a slice and its memory */
	struct bytes key, cells;
};

static unsigned factor = 1;
static __u64 times = 1;

/* n events of 10 us, 20 us, ... under one label. */
static void fill(struct filled *f, struct slice *s, __u64 ruler, const char *label, unsigned n)
{
	struct hist h;

	if (hist_init(&h, ruler))
		exit(1);
	for (unsigned i = 1; i <= n; i++)
		hist_record_times(&h, (__u64)i * 10000 * factor, times);
	bytes_clear(&f->key);
	bytes_clear(&f->cells);
	labels_put(&f->key, label);
	hist_encode(&h, &f->cells);
	hist_fini(&h);
	*s = (struct slice){ .ruler = ruler, .key = { f->key.data, (__u16)f->key.len }, .hist = f->cells.data,
			     .hist_len = (__u32)f->cells.len };
}

static int write_batches(struct recorder *r, const struct instrumentation *in, __s64 first, __s64 n, struct totals *t)
{
	static struct filled filled[2];
	struct slice slice[2];
	__u32 seq = 0;
	int err = 0;

	for (__s64 i = 0; i < n && !err; i++) {
		struct batch b = { .source = "recorded", .incarnation = 1, .inst = in->id, .slot_ns = in->slot_ns,
				   .slot = first + i, .run = 1, .slice = slice, .n_slices = 2 };

		if (i >= n / 3 && i < n / 3 + GAP)
			continue;
		fill(&filled[0], &slice[0], in->ruler[0], "query", (unsigned)(i % 7 + 1));
		fill(&filled[1], &slice[1], in->ruler[0], "ping", 1);
		if (i == n / 2)
			b.loss = (struct loss){ .n = LOST, .sum = 1, .first = first + i - 1, .last = first + i };
		if (i == n / 2 + 1) {
			b.run = RUN;
			b.n_slices = 0;
			i += RUN - 1;
		}
		b.seq = ++seq;
		t->events += b.n_slices ? (unsigned)(i % 7 + 2) * times : 0;
		t->lost += b.loss.n;
		t->slots += b.run;
		err = recorder_batch(r, &b);
	}
	for (size_t i = 0; i < 2; i++) {
		bytes_fini(&filled[i].key);
		bytes_fini(&filled[i].cells);
	}
	return err;
}

/* --- labels that no program should print unescaped --- */

static const char *const hostile[] = {
	"esc \x1b]0;owned\a", "esc \x1b[31mred", "lf \n1 forged row", "cr \rover", "bs \b\b\b", "tab \tx", "del \x7f", "csi \xc2\x9b" "2J", "osc \xc2\x9d" "0;x\xc2\x9c",
	"rlo \xe2\x80\xae" "gpj.exe", "lre \xe2\x80\xaa" "x\xe2\x80\xac", "isolate \xe2\x81\xa6x\xe2\x81\xa9", "marks \xe2\x80\x8e\xe2\x80\x8f\xd8\x9c",
	"separators \xe2\x80\xa8x\xe2\x80\xa9", "raw c1 \x9b" "2J", "no utf-8 \xff\xfe\xc3",
};
#define N_HOSTILE (sizeof(hostile) / sizeof(*hostile))

static const struct field hostile_fields[] = {
	{ "digest", "statement \x1b[7m", "string", FIELD_DISCRETE, UNIT_NONE, 0, 0 }, { "command", "command", "string", FIELD_DISCRETE, UNIT_NONE, 0, 0 },
	{ "database", "database", "string", FIELD_DISCRETE, UNIT_NONE, 0, 0 }, { "user", "user", "string", FIELD_DISCRETE, UNIT_NONE, 0, 0 },
	{ "client", "client", "string", FIELD_DISCRETE, UNIT_NONE, 0, 0 }, { "status", "status", "string", FIELD_DISCRETE, UNIT_NONE, 0, 0 },
	{ "latency", "latency \x1b[7m", "time", FIELD_NUMERIC, UNIT_NS, 10, 39 },
};
static const struct metric hostile_metric = { "mysql", "queries", "queries \x1b[7m\n", "queries", hostile_fields, 7, SCOPE_INTERVAL, NULL, NULL, "digest" };

/* One per label: every field of it is that label, the text too. */
static void put_exemplars(struct bytes *out)
{
	bytes_put_varint(out, 0);
	bytes_put_varint(out, 6);
	for (size_t f = 0; f < 6; f++)
		labels_put(out, hostile_fields[f].name);
	bytes_put_varint(out, 1);
	labels_put(out, "latency");
	bytes_put_varint(out, N_HOSTILE);
	for (size_t i = 0; i < N_HOSTILE; i++) {
		bytes_put_int(out, EXEMPLAR_WORST | (i % 2 ? EXEMPLAR_TEXT : 0), 1);
		bytes_put_varint(out, 1000 * i);
		bytes_put_varint(out, i);
		bytes_put_varint(out, 1);
		bytes_put_int(out, 0, 4);
		for (size_t f = 0; f < 6; f++)
			labels_put(out, hostile[i]);
		bytes_put_varint(out, 200000000 + i);
		if (i % 2) {
			bytes_put_varint(out, strlen(hostile[i]));
			bytes_put(out, hostile[i], strlen(hostile[i]));
		}
	}
}

static int write_hostile(struct recorder *r, const struct instrumentation *in, __s64 first, __s64 n, struct totals *t)
{
	struct filled filled[N_HOSTILE] = { 0 };
	struct slice slice[N_HOSTILE];
	struct bytes exemplars = { 0 };
	int err = 0;

	put_exemplars(&exemplars);
	for (size_t i = 0; i < N_HOSTILE; i++)
		fill(&filled[i], &slice[i], in->ruler[0], hostile[i], (unsigned)i + 1);
	for (__s64 i = 0; i < n && !err; i++) {
		struct batch b = { .source = "recorded", .incarnation = 1, .inst = in->id, .slot_ns = in->slot_ns, .slot = first + i, .run = 1,
				   .seq = (__u32)i + 1, .slice = slice, .n_slices = N_HOSTILE, .exemplars = exemplars.data, .exemplars_len = exemplars.len };

		t->events += N_HOSTILE * (N_HOSTILE + 1) / 2;
		t->slots++;
		err = recorder_batch(r, &b);
	}
	for (size_t i = 0; i < N_HOSTILE; i++) {
		bytes_fini(&filled[i].key);
		bytes_fini(&filled[i].cells);
	}
	bytes_fini(&exemplars);
	return err;
}

typedef int write_slots(struct recorder *r, const struct instrumentation *in, __s64 first, __s64 n, struct totals *t);

static int do_write(const char *path, const char *first, const char *n, const struct metric *m, write_slots *write_all)
{
	json_t *json = json_pack("{s:i, s:s, s:s, s:[s], s:[s], s:i}", "id", 1, "module", m->module, "stat", m->stat, "fields",
				 m->field[0].name, "measures", "latency", "exemplars", m == &metric ? 0 : 5);
	struct instrumentation in;
	struct recorder *r = NULL;
	struct totals t = { 0 };
	char reason[REASON_MAX];
	int err = instrumentation_from_json(json, &in, reason), close_err;

	json_decref(json);
	if (!err)
		err = instrumentation_bind(&in, m, reason);
	if (!err)
		err = recorder_open(path, &r);
	if (!err)
		err = recorder_begin(r, &in, m);
	if (!err)
		err = write_all(r, &in, atoll(first), atoll(n), &t);
	close_err = recorder_close(r);
	return err || close_err ? fail(path, err ? err : close_err) : print(&t);
}

/* --- saying hello --- */

static int connect_to(const char *path)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	if (strlen(path) >= sizeof(un.sun_path))
		return -ENAMETOOLONG;
	strcpy(un.sun_path, path);
	return fd < 0 || connect(fd, (struct sockaddr *)&un, sizeof(un)) ? -errno : fd;
}

static int do_hello(const char *path, const char *name, const char *error)
{
	json_t *hello = json_pack("{s:i, s:s, s:s, s:i, s:s, s:[o]}", "format", 1, "source", name, "incarnation", "1", "pid",
				  (int)getpid(), "version", "0", "metrics", metric_json_make(&metric, NULL));
	char *text = json_dumps(hello, 0), byte;
	struct bytes frame = { 0 };
	int fd = connect_to(path), ok = 0;

	if (fd < 0)
		return fail(path, fd);
	frame_put(&frame, FRAME_HELLO, text, strlen(text));
	ok = write(fd, frame.data, frame.len) == (ssize_t)frame.len && read(fd, &byte, 1) == 1;
	puts(ok ? "ready" : "refused");
	fflush(stdout);
	while (ok && read(0, &byte, 1) > 0)
		;
	if (ok && error) {
		json_t *why = json_pack("{s:s}", "error", error);

		free(text);
		text = json_dumps(why, 0);
		json_decref(why);
		bytes_clear(&frame);
		frame_put(&frame, FRAME_ERROR, text, strlen(text));
		ok = write(fd, frame.data, frame.len) == (ssize_t)frame.len;
	}
	bytes_fini(&frame);
	free(text);
	json_decref(hello);
	close(fd);
	return !ok;
}

/* --- counting --- */

static void count_slice(void *arg, __s64 slot, const struct slice *s)
{
	struct hist_reader h;

	if (!hist_reader_open(&h, s->ruler, s->hist, s->hist_len))
		((struct totals *)arg)->events += h.count;
}

static void count_cover(void *arg, const char *source, __s64 first, __s64 last)
{
	((struct totals *)arg)->slots += (unsigned long long)(last - first + 1);
}

static void count_loss(void *arg, const char *source, const struct loss *loss)
{
	((struct totals *)arg)->lost += loss->n;
}

static int do_count(const char *path, const char *inst)
{
	struct totals t = { 0 };
	const struct store_reader reader = { .arg = &t, .slice = count_slice, .cover = count_cover, .loss = count_loss };
	struct store *store;
	char reason[256] = "";
	int err = store_sqlite_open(path, &store, reason, sizeof(reason));

	if (err)
		return fail(reason, err);
	err = store->ops->read(store, strtoull(inst, NULL, 10), &(struct store_range){ .last = INT64_MAX / 2, .axis = -1, .weight = -1 }, &reader);
	store->ops->close(store);
	return err ? fail(path, err) : print(&t);
}

int main(int argc, char **argv)
{
	if (argc == 6 && !strcmp(argv[1], "write"))
		factor = (unsigned)strtoul(argv[--argc], NULL, 10);
	if (argc == 5 && !strcmp(argv[1], "large")) {
		times = 1000000000000;
		factor = 400;		/* 4 ms and more */
		argv[1] = "write";
	}
	if (argc == 5 && !strcmp(argv[1], "write"))
		return do_write(argv[2], argv[3], argv[4], &metric, write_batches);
	if (argc == 5 && !strcmp(argv[1], "hostile"))
		return do_write(argv[2], argv[3], argv[4], &hostile_metric, write_hostile);
	if ((argc == 4 || argc == 5) && !strcmp(argv[1], "hello"))
		return do_hello(argv[2], argv[3], argc == 5 ? argv[4] : NULL);
	if (argc == 4 && !strcmp(argv[1], "count"))
		return do_count(argv[2], argv[3]);
	fprintf(stderr, "make_recording: see the top of make_recording.c\n");
	return 2;
}
