/* bpf_filter - kernel and host agree on which events a predicate accepts, by BPF_PROG_TEST_RUN.
 *
 * 10,000 random predicates over random events are compared with the meaning of their JSON; 250 of them also as
 * constants of programs of their own, which the verifier has specialised; and 50 in the counting
 * program itself: the events that it counts, reports as lost and as late.
 * Needs root and BTF; skipped (77) without. */
#include "collector/ring/record.h"
#include "collector/core/instrumentation.h"
#include "test/kit/predicate_kit.h"
#include "test/kernel/bpf_filter.skel.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#define N_EVENTS 64
#define N_PREDICATES 10000
#define N_CONSTANT 250
#define N_RECORDS 50

/* The codes of `instance` are in lists. */
static const struct filter_names names = { &kit_metric, "db1", kit_codes, NULL, WANTED_FIELD(2), NULL };
static int n_tests, n_failed;

static void say(int holds, const char *what, unsigned long long n)
{
	printf("%s %d - %s (%llu)\n", holds ? "ok" : "not ok", ++n_tests, what, n);
	n_failed += !holds;
}

/* Makes a predicate that fits, its filter and lists. */
static json_t *predicate_make(struct filter *ret_filter, struct filter_lists *ret_lists)
{
	char reason[REASON_MAX];
	struct predicate p;
	json_t *json;

	for (;;) {
		json = kit_predicate(1 + (unsigned)check_below(PREDICATE_TERMS), 1);
		if (!predicate_from_json(json, &p, reason) && !filter_compile(&p, &names, ret_filter, reason)) {
			memset(ret_lists, 0, sizeof(*ret_lists));
			filter_refresh(ret_filter, &p, &names, ret_lists);
			return json;
		}
		json_decref(json);
	}
}

/* ---- filter_accepts() by itself ---- */

struct tally {
	__u64 n, n_accepted, n_kernel, n_host;	/* the last two: that disagree with the JSON */
};

static int compare(struct bpf_filter_bpf *bpf, const struct bpf_program *program, const struct filter *f, const json_t *json,
		   struct tally *t)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	int i, err, means;

	for (i = 0; i < N_EVENTS; i++)
		kit_event(&bpf->bss->event[i]);
	memset(bpf->bss->accepted, 7, sizeof(bpf->bss->accepted));
	err = bpf_prog_test_run_opts(bpf_program__fd(program), &opts);
	for (i = 0; !err && i < N_EVENTS; i++) {
		means = kit_means(json, &bpf->bss->event[i]);
		t->n++;
		t->n_accepted += means;
		t->n_kernel += bpf->bss->accepted[i] != means;
		t->n_host += filter_accepts(f, &bpf->bss->event[i], &bpf->bss->lists) != means;
	}
	return err;
}

static void check_variable(void)
{
	struct bpf_filter_bpf *bpf = bpf_filter_bpf__open_and_load();
	struct tally t = { 0 };
	struct filter f;
	int i, err = !bpf;

	for (i = 0; i < N_PREDICATES && !err; i++) {
		json_t *json = predicate_make(&f, &bpf->bss->lists);

		bpf->bss->variable = f;
		err = compare(bpf, bpf->progs.filter_variable, &f, json, &t);
		json_decref(json);
	}
	say(!err && t.n == N_PREDICATES * N_EVENTS, "10,000 predicates ran over 64 events each", t.n);
	say(!err && !t.n_kernel, "the kernel agrees with what the JSON means; disagreements", t.n_kernel);
	say(!err && !t.n_host, "the host agrees with what the JSON means; disagreements", t.n_host);
	say(t.n_accepted * 10 > t.n && t.n_accepted * 10 < t.n * 9, "it is not always the same answer; accepted", t.n_accepted);
	bpf_filter_bpf__destroy(bpf);
}

static int compare_constant(const struct filter *f, const struct filter_lists *lists, const json_t *json, struct tally *t)
{
	struct bpf_filter_bpf *bpf = bpf_filter_bpf__open();
	int err = !bpf;

	if (!err) {
		memcpy((void *)&bpf->rodata->constant, f, sizeof(*f));
		bpf->bss->lists = *lists;
		bpf_program__set_autoload(bpf->progs.filter_variable, false);
		bpf_program__set_autoload(bpf->progs.give, false);
		err = bpf_filter_bpf__load(bpf) ?: compare(bpf, bpf->progs.filter_constant, f, json, t);
	}
	bpf_filter_bpf__destroy(bpf);
	return err;
}

static void check_constant(void)
{
	struct tally t = { 0 };
	struct filter_lists lists;
	struct filter f;
	int i, err = 0;

	for (i = 0; i < N_CONSTANT && !err; i++) {
		json_t *json = predicate_make(&f, &lists);

		err = compare_constant(&f, &lists, json, &t);
		json_decref(json);
	}
	say(!err && !t.n_kernel && t.n == N_CONSTANT * N_EVENTS, "250 specialised programs agree, events", t.n);
}

/* ---- the counting program ---- */

struct counts {
	__u64 counted, lost, late;
};

static struct counts counts_take(const struct record *r, const struct ring_plan *p)
{
	struct counts c = { .lost = r->state->loss[0].n + r->state->loss[1].n };
	struct ring_late late;
	__u32 i;

	for (i = 0; i < (p->n_slots + 1) * p->n_shards * p->n_measures * p->n_classes; i++)
		c.counted += r->totals[i].count;
	while (!bpf_map_lookup_and_delete_elem(r->late_fd, NULL, &late))
		c.late++;
	return c;
}

static int give(struct bpf_filter_bpf *bpf, const int *pair, const struct event *e)
{
	char byte = 0;

	bpf->bss->given = *e;
	return send(pair[0], &byte, 1, 0) != 1 || recv(pair[1], &byte, 1, 0) != 1 ? -errno : 0;
}

/* 60 events of two slots that have a row, 30 of the next one, whose row is not free, 30 of one long past. */
static int give_all(struct bpf_filter_bpf *bpf, const int *pair, const json_t *json, struct counts *ret_should)
{
	static const __u64 slot[] = { 100, 101, 102, 91 };
	struct counts c = { 0 };
	__u64 *should[] = { &c.counted, &c.counted, &c.lost, &c.late };
	int i, err = 0;

	for (i = 0; i < 120 && !err; i++) {
		struct event e;

		kit_event(&e);
		e.end_ns = slot[i / 30] * 1000000000;
		*should[i / 30] += (__u64)kit_means(json, &e);
		err = give(bpf, pair, &e);
	}
	*ret_should = c;
	return err;
}

static int record_all(struct bpf_filter_bpf *bpf, const int *pair, const struct filter *f,
		      const struct filter_lists *lists, const json_t *json, struct counts *ret_is, struct counts *ret_should)
{
	struct ring_plan plan = { .slot_ns = 1000000000, .ruler = { RULER(UNIT_NS, 5, 10, 39) }, .n_slots = 2, .n_shards = 1,
				  .n_measures = 1, .n_classes = 2, .n_cells = 1024, .filter = *f };
	struct record_target target = { .events_fd = bpf_map__fd(bpf->maps.events), .chain_fd = bpf_map__fd(bpf->maps.chain), .attach = "sock_recv_length" };
	char reason[REASON_MAX];
	struct record r;
	int err = record_load(&plan, &target, 0, &r, reason);

	if (err) {
		printf("# %s\n", reason);
		return err;
	}
	r.state->first_slot = 90;
	r.state->newest = 101;
	r.state->lists = *lists;
	r.entry[0] = RING_WORD(100, 0);
	r.entry[1] = RING_WORD(101, 1);
	err = give_all(bpf, pair, json, ret_should);
	*ret_is = counts_take(&r, &plan);
	record_unchain(&r);
	record_unload(&r);
	return err;
}

static struct bpf_filter_bpf *giver_start(int *pair)
{
	struct bpf_filter_bpf *bpf = bpf_filter_bpf__open();
	int err = bpf ? socketpair(AF_UNIX, SOCK_STREAM, 0, pair) : -1;

	if (!err) {
		bpf_program__set_autoload(bpf->progs.filter_variable, false);
		bpf_program__set_autoload(bpf->progs.filter_constant, false);
		err = bpf_filter_bpf__load(bpf) ?: bpf_filter_bpf__attach(bpf);
	}
	if (err) {
		bpf_filter_bpf__destroy(bpf);
		return NULL;
	}
	bpf->bss->giver = (__u32)getpid();
	bpf->bss->active = 1;
	return bpf;
}

static void check_record(void)
{
	struct counts is, should, all = { 0 };
	int i, pair[2], n_wrong = 0, err;
	struct bpf_filter_bpf *bpf = giver_start(pair);

	err = !bpf;
	for (i = 0; i < N_RECORDS && !err; i++) {
		struct filter_lists lists;
		struct filter f;
		json_t *json = predicate_make(&f, &lists);

		err = record_all(bpf, pair, &f, &lists, json, &is, &should);
		n_wrong += memcmp(&is, &should, sizeof(is)) != 0;
		all.counted += should.counted;
		all.lost += should.lost;
		all.late += should.late;
		json_decref(json);
	}
	say(!err && !n_wrong && all.counted, "the counting program counts what matches", all.counted);
	say(!err && !n_wrong && all.lost, "it loses only what matches, of a slot that is overrun", all.lost);
	say(!err && !n_wrong && all.late, "it queues only what matches, of a slot that is over", all.late);
	bpf_filter_bpf__destroy(bpf);
}

int main(void)
{
	check_seed();
	if (geteuid() || access("/sys/kernel/btf/vmlinux", R_OK)) {
		printf("1..0 # SKIP needs root and BTF\n");
		return 77;
	}
	check_variable();
	check_constant();
	check_record();
	printf("1..%d\n", n_tests);
	return n_failed ? 1 : 0;
}
