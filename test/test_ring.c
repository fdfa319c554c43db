/* test_ring - the ring and its reader, on memory of our own.
 *
 * The writers here do what record.bpf.c does, with the same functions of ring.h; a read-write lock
 * stands for RCU: a writer holds it shared, a grace period takes it once alone.
 */
#include "collector/exemplars.h"
#include "collector/reader.h"
#include "collector/record.h"
#include "check.h"

#include <pthread.h>

#define SLOT_NS 1000ull
#define N_SLOTS 12
#define N_KEYS 4
#define RULER_TEST RULER(UNIT_NS, 2, 4, 20)

struct bench {
	struct reader_ring ring;
	struct reader *reader;
	struct key key[N_KEYS + 1];	/* of a class; used[]: it has one */
	int used[N_KEYS + 1];
	__u32 free[N_KEYS + 1], n_free;
	struct ring_late late[RING_LATE_MAX];
	size_t n_late, room_late;
	pthread_rwlock_t rcu;
	pthread_mutex_t lock;		/* of classes and queue, which the kernel's maps lock themselves */

	/* what was handed over */
	__u64 count[4096], sum[4096], by_key[16], other, n_shed;
	__u64 odd_count[4096], odd_sum[4096];	/* of the second measure */
	__u64 weighed_count[2][4096], weighed[2][4096];	/* both measures by the first */
	int times[4096];		/* a slot was covered by a first batch */
	int amended[4096];
	__u64 n_lost, lost_sum;
	__s64 lost_first, lost_last;
	__s64 next;
	__u32 next_seq;
	int n_batches, out_of_order;
	__s64 step_ns, step_slot;
	__u32 every[4096];
	__u64 worst[4096], told[4096];	/* exemplars: the worst one's value, how many */
	__u64 missed[4096];
};

/* ---- the kernel's maps ---- */

static int keys_next(void *arg, const struct key *prev, struct key *ret_key, __u32 *ret_class)
{
	struct bench *b = arg;
	__u32 i = 1;

	if (prev)
		while (i <= N_KEYS && (!b->used[i] || memcmp(&b->key[i], prev, sizeof(*prev))))
			i++;
	for (i += !!prev; i <= N_KEYS; i++)
		if (b->used[i]) {
			*ret_key = b->key[i];
			*ret_class = i;
			return 0;
		}
	return -1;
}

static void keys_forget(void *arg, const struct key *key)
{
	struct bench *b = arg;
	__u32 i;

	for (i = 1; i <= N_KEYS; i++)
		if (b->used[i] && !memcmp(&b->key[i], key, sizeof(*key)))
			b->used[i] = 0;
}

static void keys_give(void *arg, __u32 class_)
{
	struct bench *b = arg;

	b->free[b->n_free++] = class_;
}

static int keys_late(void *arg, struct ring_late *ret)
{
	struct bench *b = arg;

	if (!b->n_late)
		return 0;
	*ret = b->late[--b->n_late];
	return 1;
}

static const struct reader_keys keys = { keys_next, keys_forget, keys_give, keys_late };

static __u32 class_find(struct bench *b, const struct key *key)
{
	__u32 i;

	for (i = 1; i <= N_KEYS; i++)
		if (b->used[i] && !memcmp(&b->key[i], key, sizeof(*key)))
			return i;
	if (!b->n_free)
		return 0;
	i = b->free[--b->n_free];
	b->used[i] = 1;
	b->key[i] = *key;
	return i;
}

/* ---- record(), as in the kernel ---- */

/* The lock: there is one writer per CPU in the kernel. */
static void exemplar(struct bench *b, __u64 slot, __u64 value, __u32 cpu, __u32 row)
{
	const struct ring_plan *p = &b->ring.plan;
	__u32 at = ring_box(p, row, cpu % p->n_cpus), first = ring_exemplar(p, at);
	const struct exemplar e = { .weight = 1, .event = { .end_ns = slot * SLOT_NS, .field = { slot }, .measure = { value } } };
	struct exemplar_box *box = &b->ring.boxes[at];
	int place = exemplar_place(box, p->n_exemplars, value);

	if (place >= 0) {
		exemplar_settle(box, (__u32)place, value);
		b->ring.exemplars[first + (__u32)place] = e;
	}
}

static void record(struct bench *b, __u64 slot, __u64 code, __u64 value, __u32 cpu)
{
	const struct ring_plan *p = &b->ring.plan;
	struct key key = { { code } };
	__u32 class_, m;
	int row;

	if (slot < b->ring.state->first_slot)
		return;
	pthread_rwlock_rdlock(&b->rcu);
	row = ring_row(&b->ring.entry[slot % p->n_slots], &b->ring.state->newest, slot);
	pthread_mutex_lock(&b->lock);
	if (row == RING_LATE && b->n_late < b->room_late) {
		b->late[b->n_late++] = (struct ring_late){ slot, 1, 0, key, { value, value % 2 } };
		row = -3;
	}
	class_ = row >= 0 ? class_find(b, &key) : 0;
	if (row >= 0)
		exemplar(b, slot, value, cpu, (__u32)row);
	pthread_mutex_unlock(&b->lock);
	if (row == RING_OVERRUN || row == RING_LATE)
		ring_loss_add(b->ring.state, slot, value, 1);
	for (m = 0; row >= 0 && m < p->n_measures; m++) {
		__u32 at = ring_at(p, row, cpu % p->n_shards, m, class_);
		__u64 of = m ? value % 2 : value;

		if (!ring_writes(p, m, of))
			continue;
		ring_total_add(&b->ring.totals[at], of, 1);
		__sync_fetch_and_add(&b->ring.cells[at * b->ring.cells_stride + ruler_cell(p->ruler[m], of)], 1);
	}
	for (m = 0; row >= 0 && m < p->n_weights; m++) {
		__u32 at = ring_place(p, row, cpu % p->n_shards, class_) * p->n_weight_cells * p->n_weights;

		ring_weigh(&b->ring.weighed[at + ring_weight_cell(p, value) + m], m ? value % 2 : value, p->alone);
	}
	pthread_rwlock_unlock(&b->rcu);
}

static void grace_period(struct bench *b)
{
	pthread_rwlock_wrlock(&b->rcu);
	pthread_rwlock_unlock(&b->rcu);
}

/* ---- the sink ---- */

static void label(void *arg, unsigned field, __u64 code, char *out)
{
	snprintf(out, LABEL_MAX + 1, "%llu", (unsigned long long)code);
}

static void slice_take(struct bench *b, __u64 slot, const struct slice *s)
{
	struct hist h;
	char text[LABEL_MAX + 1];

	assert_int_equal(hist_init(&h, s->ruler), 0);
	assert_int_equal(hist_decode_add(&h, s->ruler, s->hist, s->hist_len), 0);
	assert_true(s->weight || hist_total(&h) == h.count);
	if (s->weight) {
		assert_int_equal(s->axis, 0);
		b->weighed_count[s->weight - 1][slot] += h.count;
		b->weighed[s->weight - 1][slot] += hist_total(&h);
	} else if (!s->axis) {
		b->count[slot] += h.count;
		b->sum[slot] += h.sum;
		if (!s->key.bytes[0]) {
			b->other += h.count;
		} else {
			labels_text(&s->key, 0, text);
			b->by_key[atoi(text) & 15] += h.count;
			b->n_shed += strcmp(text, KEY_SHED_LABEL) ? 0 : h.count;
		}
	} else {
		b->odd_count[slot] += h.count;
		b->odd_sum[slot] += h.sum;
		assert_true(b->ring.plan.points || h.min == 0 || h.count <= h.sum);
	}
	hist_fini(&h);
}

/* Each is told of its own slot. */
static void exemplars_read(struct bench *b, const struct batch *batch)
{
	struct exemplar_told t;
	struct exemplars e;
	char text[24];

	assert_int_equal(batch->run, 1);
	assert_int_equal(exemplars_check(batch->exemplars, batch->exemplars_len, SLOT_NS), 0);
	exemplars_open(&e, batch->exemplars, batch->exemplars_len);
	b->missed[batch->slot] += e.missed;
	snprintf(text, sizeof(text), "%llu", (unsigned long long)batch->slot);
	while (exemplars_next(&e, &t) > 0) {
		assert_int_equal(t.field[0].len, strlen(text));
		assert_memory_equal(t.field[0].bytes, text, t.field[0].len);
		b->worst[batch->slot] = t.measure[0] > b->worst[batch->slot] ? t.measure[0] : b->worst[batch->slot];
		b->told[batch->slot]++;
	}
}

static void batch_take(void *arg, const struct batch *batch)
{
	struct bench *b = arg;
	size_t i;
	__u32 r;

	b->n_batches++;
	b->out_of_order += batch->seq != b->next_seq++;
	if (batch->slot >= b->next) {
		b->out_of_order += batch->slot != b->next;
		for (r = 0; r < batch->run; r++)
			b->times[batch->slot + r]++;
		b->next = batch->slot + batch->run;
	} else {
		b->amended[batch->slot]++;
	}
	if (batch->loss.n) {
		if (!b->n_lost || batch->loss.first < b->lost_first)
			b->lost_first = batch->loss.first;
		if (!b->n_lost || batch->loss.last > b->lost_last)
			b->lost_last = batch->loss.last;
		b->n_lost += batch->loss.n;
		b->lost_sum += batch->loss.sum;
	}
	b->every[batch->slot] = batch->every;
	if (batch->exemplars_len)
		exemplars_read(b, batch);
	if (batch->clock_step_ns) {
		b->step_ns += batch->clock_step_ns;
		b->step_slot = batch->slot;
		assert_int_equal(batch->run, 1);
	}
	for (i = 0; i < batch->n_slices; i++)
		slice_take(b, batch->slot, &batch->slice[i]);
}

static void drain(struct bench *b, __u64 now_slot)
{
	struct probe_sink sink = { batch_take, b };
	__s64 now_ns = now_slot * SLOT_NS;

	while (reader_swap(b->reader, now_ns)) {
		grace_period(b);
		assert_int_equal(reader_take(b->reader, &sink), 0);
	}
	assert_int_equal(reader_finish(b->reader, now_ns, &sink), 0);
}

static const struct field fields[] = {
	{ "digest", "", "string", FIELD_DISCRETE, 0, 0, 0 }, { "latency", "", "time", FIELD_NUMERIC, UNIT_NS, 10, 39 },
	{ "odd", "", "number", FIELD_NUMERIC, UNIT_NONE, 0, 20 },
};
static const struct metric metric = { "a", "b", "", "", fields, 3, SCOPE_INTERVAL, NULL, NULL, "digest" };

static struct bench *bench_made(__u64 first_slot, __u32 n_spares, __u32 points)
{
	struct probe_conf conf = { .source = "test", .incarnation = 1 };
	struct bench *b = calloc(1, sizeof(*b));
	struct ring_plan *p = &b->ring.plan;
	struct reader_labels labels = { label, b, &metric };

	*p = (struct ring_plan){ .slot_ns = SLOT_NS, .ruler = { RULER_TEST, RULER_TEST }, .n_slots = N_SLOTS, .n_shards = 2,
				 .n_measures = 2, .n_classes = N_KEYS + 1, .n_cells = ruler_cells(RULER_TEST),
				 .n_fields = 1, .measure = { 0, 1 }, .n_spares = n_spares, .points = points,
				 .n_exemplars = 2, .n_cpus = 2, .n_told = 1,
				 .weight = { 0, 1 }, .n_weights = points ? 1 : 2, .weight_ruler = ruler_coarser(RULER_TEST, 1),
				 .n_weight_cells = ruler_cells(ruler_coarser(RULER_TEST, 1)) };
	b->room_late = RING_LATE_MAX;
	b->ring.cells_stride = p->n_cells;
	b->ring.state = calloc(1, sizeof(*b->ring.state));
	b->ring.entry = calloc(p->n_slots, sizeof(*b->ring.entry));
	b->ring.cells = calloc(ring_indices(p), p->n_cells * sizeof(__u32));
	b->ring.totals = calloc(ring_indices(p), sizeof(*b->ring.totals));
	b->ring.boxes = calloc((size_t)ring_rows(p) * p->n_cpus, sizeof(*b->ring.boxes));
	b->ring.exemplars = calloc(ring_exemplar(p, ring_rows(p) * p->n_cpus), sizeof(*b->ring.exemplars));
	b->ring.weighed = calloc(ring_places(p), p->n_weight_cells * p->n_weights * sizeof(__u64));
	b->ring.keys = &keys;
	b->ring.keys_arg = b;
	b->next = first_slot;
	pthread_rwlock_init(&b->rcu, NULL);
	pthread_mutex_init(&b->lock, NULL);
	reader_ring_init(&b->ring, first_slot);
	assert_int_equal(reader_new(&b->ring, 1, &conf, &labels, &b->reader), 0);
	return b;
}

static struct bench *bench_with(__u64 first_slot, __u32 n_spares)
{
	return bench_made(first_slot, n_spares, 0);
}

static struct bench *bench_new(__u64 first_slot)
{
	return bench_with(first_slot, 1);
}

static void bench_free(struct bench *b)
{
	if (!b->ring.plan.points)	/* an event has a value in every measure */
		assert_false(memcmp(b->odd_count, b->count, sizeof(b->count)));
	assert_false(memcmp(b->weighed_count[0], b->count, sizeof(b->count)));
	assert_false(memcmp(b->weighed[0], b->sum, sizeof(b->sum)));	/* cells add up to the exact sums */
	assert_false(!b->ring.plan.points && memcmp(b->weighed[1], b->odd_sum, sizeof(b->odd_sum)));
	reader_free(b->reader);
	free(b->ring.state);
	free(b->ring.entry);
	free(b->ring.cells);
	free(b->ring.totals);
	free(b->ring.boxes);
	free(b->ring.exemplars);
	free(b->ring.weighed);
	free(b);
}

/* ---- truths ---- */

static void keeps_every_event_in_its_own_slot(__u32 n_spares)
{
	struct bench *b = bench_with(10, n_spares);
	__u64 count[4096] = { 0 }, sum[4096] = { 0 }, odd[4096] = { 0 }, slot, last = 10;
	int i;

	for (slot = 10; slot < 600; slot++) {
		for (i = check_below(4); i > 0; i--) {
			__u64 value = check_below(1 << 20), of = slot - (slot > 10 && !check_below(3));

			record(b, of, check_below(3), value, check_below(8));
			count[of]++;
			sum[of] += value;
			odd[of] += value % 2;
		}
		if (!check_below(4) || slot - last >= N_SLOTS - 3) {
			drain(b, slot);
			last = slot;
		}
	}
	drain(b, 601);
	assert_false(memcmp(count, b->count, sizeof(count)));
	assert_false(memcmp(sum, b->sum, sizeof(sum)));
	assert_false(memcmp(odd, b->odd_sum, sizeof(odd)));
	for (slot = 10; slot < 601; slot++)
		assert_int_equal(b->times[slot], 1);
	assert_int_equal(b->n_lost, 0);
	assert_int_equal(b->out_of_order, 0);
	bench_free(b);
}

static void every_event_is_in_its_own_slot(void **state)
{
	keeps_every_event_in_its_own_slot(1);
	keeps_every_event_in_its_own_slot(3);
	keeps_every_event_in_its_own_slot(RING_SPARES_MAX);
}

/* The second time a slot is told, it is of what came in between. */
static void exemplars_come_with_their_slot(void **state)
{
	struct bench *b = bench_new(10);
	__u64 slot, value;

	for (slot = 10; slot < 200; slot++) {
		for (value = 0; value < 20; value++)
			record(b, slot, 1, 5 + value * 7 % 20 + slot, value % 2);
		if (slot % 3)
			drain(b, slot);
		if (slot % 5 == 0 && slot > 10)
			record(b, slot - 1, 1, 3000, 0);
	}
	drain(b, 201);
	for (slot = 10; slot < 199; slot++) {
		int again = slot % 5 == 4;

		assert_int_equal(b->count[slot], 20 + again);
		assert_int_equal((b->worst[slot] == 3000) + b->missed[slot], again);	/* considered, or counted */
		if (b->worst[slot] != 3000)
			assert_int_equal(b->worst[slot], 24 + slot);
		assert_in_range(b->told[slot], 2, 2 + again);
	}
	bench_free(b);
}

static void what_comes_too_late_is_missed(void **state)
{
	struct bench *b = bench_new(10);

	record(b, 10, 1, 5, 0);
	record(b, 13, 1, 5, 0);
	drain(b, 14);
	record(b, 10, 1, 9, 0);		/* its row has gone, and it may not claim another */
	record(b, 10, 1, 9, 0);
	drain(b, 15);
	assert_int_equal(b->count[10], 3);
	assert_int_equal(b->missed[10], 2);
	assert_int_equal(b->worst[10], 5);
	bench_free(b);
}

static void many_slots_are_taken_in_one_grace_period(void **state)
{
	struct bench *b = bench_with(10, 4);
	struct probe_sink sink = { batch_take, b };
	__u64 slot;

	for (slot = 10; slot < 16; slot++)
		record(b, slot, 1, 5, 0);
	assert_int_equal(reader_swap(b->reader, 20 * SLOT_NS), 4);
	assert_int_equal(reader_swap(b->reader, 20 * SLOT_NS), 4);	/* those are still out */
	record(b, 11, 1, 5, 0);						/* claims another row: an amendment */
	assert_int_equal(reader_take(b->reader, &sink), 0);
	assert_int_equal(b->next, 14);
	assert_int_equal(b->count[11], 1);
	drain(b, 20);
	assert_int_equal(b->count[11] + b->n_lost, 2);
	for (slot = 12; slot < 16; slot++)
		assert_int_equal(b->count[slot], 1);
	bench_free(b);
}

static void empty_slots_are_one_batch(void **state)
{
	struct bench *b = bench_new(10);

	drain(b, 10);
	assert_int_equal(b->n_batches, 0);
	drain(b, 100);
	assert_int_equal(b->n_batches, 1);
	assert_int_equal(b->next, 100);
	record(b, 105, 1, 1, 0);
	drain(b, 110);
	assert_int_equal(b->n_batches, 4);		/* 100..104, 105, 106..109 */
	assert_int_equal(b->out_of_order, 0);
	bench_free(b);
}

static void events_before_the_first_slot_are_not_ours(void **state)
{
	struct bench *b = bench_new(10);

	record(b, 9, 1, 1, 0);
	drain(b, 12);
	assert_int_equal(b->count[9], 0);
	assert_int_equal(b->n_lost, 0);
	bench_free(b);
}

static void reader_stopped_for_a_ring_loses_nothing(void **state)
{
	struct bench *b = bench_new(10);
	__u64 slot;

	for (slot = 10; slot < 10 + N_SLOTS; slot++)
		record(b, slot, 1, 5, 0);
	drain(b, 10 + N_SLOTS);
	for (slot = 10; slot < 10 + N_SLOTS; slot++)
		assert_int_equal(b->count[slot], 1);
	assert_int_equal(b->n_lost, 0);
	bench_free(b);
}

static void overrun_is_counted_exactly(void **state)
{
	struct bench *b = bench_new(10);
	__u64 slot;

	for (slot = 10; slot < 10 + N_SLOTS + 7; slot++) {
		record(b, slot, 1, slot, 0);
		record(b, slot, 2, slot, 1);
	}
	drain(b, slot);
	for (slot = 10; slot < 10 + N_SLOTS; slot++)
		assert_int_equal(b->count[slot], 2);
	assert_int_equal(b->n_lost, 14);
	assert_int_equal(b->lost_first, 10 + N_SLOTS);
	assert_int_equal(b->lost_last, 10 + N_SLOTS + 6);
	assert_int_equal(b->lost_sum, 2 * (22 + 23 + 24 + 25 + 26 + 27 + 28));
	assert_int_equal(reader_lost(b->reader), 14);
	drain(b, slot + 5);
	assert_int_equal(b->n_lost, 14);		/* told once */
	bench_free(b);
}

static void late_event_amends_its_slot(void **state)
{
	struct bench *b = bench_new(10);

	record(b, 10, 1, 5, 0);
	drain(b, 20);
	record(b, 20, 1, 6, 0);
	record(b, 12, 1, 7, 0);
	record(b, 10, 2, 8, 0);
	drain(b, 21);
	assert_int_equal(b->count[10], 2);
	assert_int_equal(b->sum[10], 13);
	assert_int_equal(b->count[12], 1);
	assert_int_equal(b->amended[10], 1);
	assert_int_equal(b->amended[12], 1);
	assert_int_equal(b->count[20], 1);
	assert_int_equal(b->n_lost, 0);
	bench_free(b);
}

/* A late event must not take the entry of a slot that is still to come. */
static void late_event_does_not_cost_a_later_slot(void **state)
{
	struct bench *b = bench_new(10);
	__u64 slot;

	record(b, 30, 1, 1, 0);
	record(b, 30 - N_SLOTS + 1, 1, 1, 0);		/* the entry that slot 31 will want */
	for (slot = 31; slot < 30 + N_SLOTS; slot++)
		record(b, slot, 1, 1, 0);
	drain(b, 50);
	for (slot = 30; slot < 30 + N_SLOTS; slot++)
		assert_int_equal(b->count[slot], 1);
	assert_int_equal(b->count[30 - N_SLOTS + 1], 1);
	assert_int_equal(b->n_lost, 0);
	bench_free(b);
}

static void late_queue_overflow_is_a_loss(void **state)
{
	struct bench *b = bench_new(10);

	b->room_late = 2;
	record(b, 30, 1, 1, 0);
	record(b, 12, 1, 1, 0);
	record(b, 12, 1, 1, 0);
	record(b, 13, 1, 9, 0);
	drain(b, 31);
	assert_int_equal(b->count[12], 2);
	assert_int_equal(b->n_lost, 1);
	assert_int_equal(b->lost_first, 13);
	assert_int_equal(b->lost_sum, 9);
	bench_free(b);
}

static void filed_event_that_does_not_match_is_nothing(void **state)
{
	struct bench *b = bench_new(10);
	struct filter big = { .term = { { .measure = 1, .op = FILTER_BELOW, .constant = 100, .yes = FILTER_REJECT } },
			      .start = FILTER_TERM, .n_terms = 1 };
	struct event e = { .end_ns = 12 * SLOT_NS, .field[0] = 3, .measure[0] = 99 };

	reader_filter(b->reader, &big);
	reader_file(b->reader, &e);
	e.measure[0] = 100;
	reader_file(b->reader, &e);
	drain(b, 20);
	assert_int_equal(b->count[12], 1);
	assert_int_equal(b->sum[12], 100);
	assert_int_equal(b->n_lost, 0);
	bench_free(b);
}

static void filed_event_is_counted_in_its_slot(void **state)
{
	struct bench *b = bench_new(10);
	struct event e = { .end_ns = 12 * SLOT_NS + 1, .field = { 1 }, .measure = { 77, 77 } };

	record(b, 12, 1, 3, 0);
	drain(b, 14);
	assert_int_equal(reader_file(b->reader, &e), 0);
	e.end_ns = 14 * SLOT_NS;			/* not ended yet: it waits */
	assert_int_equal(reader_file(b->reader, &e), 0);
	drain(b, 14);
	assert_int_equal(b->count[12], 2);
	assert_int_equal(b->sum[12], 80);
	assert_int_equal(b->count[14], 0);
	drain(b, 15);
	assert_int_equal(b->count[14], 1);
	bench_free(b);
}

static void a_field_that_is_left_out_is_said_to_be(void **state)
{
	struct bench *b = bench_new(10);
	struct event e = { .end_ns = 12 * SLOT_NS + 1, .field = { 1 }, .measure = { 77, 77 } };

	record(b, 12, 1, 3, 0);
	record(b, 12, KEY_SHED, 4, 0);
	drain(b, 14);
	assert_int_equal(b->n_shed, 1);
	b->ring.state->shed = WANTED_FIELD(0);
	assert_int_equal(reader_file(b->reader, &e), 0);
	drain(b, 14);
	assert_int_equal(b->n_shed, 2);
	assert_int_equal(b->count[12], 3);
	bench_free(b);
}

/* Told of all at once or in parts: each is in every slot at whose end it was under way, at its age then, and no event. */
static void what_runs_is_in_every_slot_whose_end_it_saw(void **state)
{
	struct bench *b = bench_made(10, 1, 1u << 1);
	static struct { __u64 begin, end; } run[500];
	static __u64 count[4096], sum[4096];
	__u64 now = 10, next;

	for (size_t i = 0; i < 500; i++) {
		run[i].begin = check_below(300) * SLOT_NS + check_below(SLOT_NS);
		run[i].end = run[i].begin + check_below(check_below(2) ? SLOT_NS : 40 * SLOT_NS);
		for (__u64 slot = 10; slot < 400; slot++)
			if (run[i].begin < (slot + 1) * SLOT_NS && (slot + 1) * SLOT_NS <= run[i].end) {
				count[slot]++;
				sum[slot] += (slot + 1) * SLOT_NS - run[i].begin;
			}
	}
	for (; now < 400; now = next) {
		__u64 now_ns = (next = now + 1 + check_below(5)) * SLOT_NS + check_below(SLOT_NS);

		assert_int_equal(reader_untold(b->reader, now_ns), (now + 1) * SLOT_NS);
		record(b, now, 1, 5, 0);
		for (size_t i = 0; i < 500; i++)
			if (run[i].begin < now_ns && run[i].end >= now * SLOT_NS)
				assert_int_equal(reader_run(b->reader, &(struct event){ .field[0] = i % 3 }, run[i].begin,
							    run[i].end < now_ns ? run[i].end : now_ns), 0);
		reader_told(b->reader, now_ns);
		assert_int_equal(reader_untold(b->reader, now_ns), 0);
		drain(b, next);
		assert_int_equal(b->count[now], 1);
	}
	assert_false(memcmp(b->odd_count, count, sizeof(count)));
	assert_false(memcmp(b->odd_sum, sum, sizeof(sum)));
	assert_int_equal(b->n_lost, 0);
	bench_free(b);
}

static void nobody_who_does_not_ask_is_told_what_runs(void **state)
{
	struct bench *b = bench_new(10);

	assert_int_equal(reader_untold(b->reader, 20 * SLOT_NS), 0);
	assert_int_equal(reader_run(b->reader, &(struct event){ .field[0] = 1 }, 10 * SLOT_NS, 20 * SLOT_NS), 0);
	drain(b, 20);
	assert_int_equal(b->count[10] + b->count[15], 0);
	bench_free(b);
}

static void what_runs_must_match_by_its_age(void **state)
{
	struct bench *b = bench_made(10, 1, 1u << 1);
	struct filter old = { .term = { { .measure = 1, .op = FILTER_BELOW, .constant = 3 * SLOT_NS, .yes = FILTER_REJECT } },
			      .start = FILTER_TERM, .n_terms = 1 };

	reader_filter(b->reader, &old);
	assert_int_equal(reader_run(b->reader, &(struct event){ .field[0] = 1 }, 10 * SLOT_NS, 15 * SLOT_NS), 0);
	reader_told(b->reader, 15 * SLOT_NS);
	drain(b, 15);
	for (__u64 slot = 10; slot < 15; slot++)
		assert_int_equal(b->odd_count[slot], slot >= 12);
	bench_free(b);
}

static void what_runs_is_told_again_where_the_clock_was_set_back(void **state)
{
	struct bench *b = bench_made(10, 1, 1u << 1);

	reader_told(b->reader, 100 * SLOT_NS);
	assert_int_equal(reader_untold(b->reader, 50 * SLOT_NS), 0);
	reader_clock_stepped(b->reader, 50 * SLOT_NS, -50 * (__s64)SLOT_NS);
	b->ring.state->newest = 100;
	reader_clock_stepped(b->reader, 50 * SLOT_NS, -50 * (__s64)SLOT_NS);
	assert_int_equal(reader_untold(b->reader, 52 * SLOT_NS), 51 * SLOT_NS);
	bench_free(b);
}

static void only_the_age_of_what_runs_is_known(void **state)
{
	struct bench *b = bench_made(10, 1, 1u << 1);
	struct filter third = { .term = { { .measure = 1, .index = 2, .op = FILTER_BELOW, .constant = 5, .yes = FILTER_REJECT } },
				.start = FILTER_TERM, .n_terms = 1 };
	struct event e = { .field[0] = 1, .measure = { 9, 9, 9 } };

	reader_filter(b->reader, &third);
	reader_run(b->reader, &e, 10 * SLOT_NS, 12 * SLOT_NS);
	reader_told(b->reader, 12 * SLOT_NS);
	drain(b, 12);
	assert_int_equal(b->odd_count[10] + b->odd_count[11], 0);
	bench_free(b);
}

static void keys_beyond_the_cap_are_other(void **state)
{
	struct bench *b = bench_new(10);
	struct event e = { .end_ns = 10 * SLOT_NS, .field = { 9 }, .measure = { 1, 1 } };
	__u64 code;

	for (code = 0; code < 7; code++)
		record(b, 10, code, 1, 0);
	drain(b, 11);
	for (code = 0; code < N_KEYS; code++)
		assert_int_equal(b->by_key[code], 1);
	assert_int_equal(b->other, 3);
	reader_file(b->reader, &e);			/* filed ones too */
	drain(b, 12);
	assert_int_equal(b->other, 4);
	bench_free(b);
}

static void unused_keys_make_room(void **state)
{
	struct bench *b = bench_new(10);
	__u64 slot, code;

	for (code = 0; code < N_KEYS; code++)
		record(b, 10, code, 1, 0);
	for (slot = 11; slot < 10 + 3 * N_SLOTS; slot++) {
		drain(b, slot);
		record(b, slot, 0, 1, 0);		/* key 0 stays in use */
	}
	for (code = 10; code < 10 + N_KEYS; code++)
		record(b, slot, code, 1, 0);
	record(b, slot, 0, 1, 0);
	drain(b, slot + 1);
	assert_int_equal(b->by_key[0], 2 + 3 * N_SLOTS - 1);
	assert_int_equal(b->by_key[10], 1);
	assert_int_equal(b->by_key[12], 1);
	assert_int_equal(b->other, 1);
	bench_free(b);
}

static void clock_step_marks_its_slot(void **state)
{
	struct bench *b = bench_new(10);

	reader_clock_stepped(b->reader, 15 * SLOT_NS, 5000000);
	drain(b, 20);
	assert_int_equal(b->step_ns, 5000000);
	assert_int_equal(b->step_slot, 15);
	assert_int_equal(b->out_of_order, 0);
	assert_int_equal(b->next, 20);
	bench_free(b);
}

/* Rows of slots that will not come again for long must not stand in the way of those that are due. */
static void clock_set_back_loses_nothing(void **state)
{
	struct bench *b = bench_new(10);
	__u64 slot;

	b->room_late = 0;
	record(b, 999, 1, 1, 0);
	record(b, 1000, 1, 1, 0);
	reader_clock_stepped(b->reader, 500 * SLOT_NS, -500 * (__s64)SLOT_NS);
	drain(b, 500);
	assert_int_equal(b->count[999], 1);
	assert_int_equal(b->count[1000], 1);
	for (slot = 500; slot < 500 + 2 * N_SLOTS; slot++) {
		record(b, slot, 1, 1, 0);
		drain(b, slot + 1);
		assert_int_equal(b->count[slot], 1);
	}
	assert_int_equal(b->n_lost, 0);
	bench_free(b);
}

/* The drain is two slots late when it takes the class away from a key that was just used again. */
static void freed_class_does_not_misfile_what_it_still_holds(void **state)
{
	struct bench *b = bench_new(10);
	__u64 code;

	for (code = 0; code < N_KEYS; code++)
		record(b, 10, code, 1, 0);
	drain(b, 11);
	record(b, 26, 1, 1, 0);
	drain(b, 24);
	drain(b, 26);
	for (code = 10; code < 10 + N_KEYS; code++)
		record(b, 26, code, 1, 0);
	drain(b, 27);
	assert_int_equal(b->by_key[1], 2);
	for (code = 10; code < 10 + N_KEYS; code++)
		assert_true(b->by_key[code] <= 1);
	bench_free(b);
}

static void loss_before_the_ring_is_told_once(void **state)
{
	struct bench *b = bench_new(10);

	reader_lose(b->reader, 9, 8 * SLOT_NS, 9 * SLOT_NS);		/* before our time */
	reader_lose(b->reader, 3, 9 * SLOT_NS, 11 * SLOT_NS + 1);
	drain(b, 12);
	assert_int_equal(b->n_lost, 3);
	assert_int_equal(b->lost_first, 10);
	assert_int_equal(b->lost_last, 11);
	assert_int_equal(reader_lost(b->reader), 3);
	drain(b, 13);
	assert_int_equal(b->n_lost, 3);
	bench_free(b);
}

struct writer {
	struct bench *b;
	_Atomic __u64 *slot;
	__u64 n, done[4096];
	__u32 cpu;
};

static void *writer_run(void *arg)
{
	struct writer *w = arg;
	__u64 i;

	for (i = 0; i < w->n; i++) {
		__u64 slot = *w->slot;

		record(w->b, slot, i % 3, i & 0xffff, w->cpu);
		w->done[slot]++;
	}
	return NULL;
}

static void writers_beside_the_reader_lose_nothing(void **state)
{
	struct bench *b = bench_new(10);
	_Atomic __u64 slot = 10;
	static struct writer w[2];
	pthread_t thread[2];
	__u64 i;

	for (i = 0; i < 2; i++) {
		w[i] = (struct writer){ .b = b, .slot = &slot, .n = 200000, .cpu = i };
		assert_int_equal(pthread_create(&thread[i], NULL, writer_run, &w[i]), 0);
	}
	while (slot < 2000) {
		slot++;
		drain(b, slot);
	}
	for (i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	drain(b, slot + 2);
	for (i = 10; i < 2002; i++)
		assert_int_equal(b->count[i], w[0].done[i] + w[1].done[i]);
	assert_int_equal(b->n_lost, 0);
	bench_free(b);
}

/* Detached in the middle of slot 15, attached again in 20: neither those slots nor what fell into them is told. */
static void what_nobody_looked_at_is_not_told(void **state)
{
	struct bench *b = bench_new(10);
	__u64 slot;

	for (slot = 10; slot <= 15; slot++)
		record(b, slot, 1, 100, 0);
	drain(b, 15);
	reader_unobserved(b->reader, 15);
	drain(b, 17);
	drain(b, 20);
	reader_observed(b->reader, 21);
	record(b, 20, 1, 100, 0);
	record(b, 21, 1, 100, 0);
	drain(b, 24);
	for (slot = 10; slot < 24; slot++) {
		int seen = slot < 15 || slot > 20;

		assert_int_equal(b->times[slot], seen);
		assert_true(b->count[slot] == (seen && slot <= 21));
		assert_int_equal(b->amended[slot], 0);
	}
	assert_true(b->n_lost == 0);
	bench_free(b);
}

/* The slot in which it changed says the larger share that was left out. */
static void slots_say_how_much_was_looked_at(void **state)
{
	static const __u32 expected[] = { 0, 0, 8, 8, 8, 0 };
	struct bench *b = bench_new(10);
	__u64 slot;

	for (slot = 10; slot < 16; slot++) {
		record(b, slot, 1, 100, 0);
		if (slot == 12)
			reader_sampled(b->reader, slot * SLOT_NS, 8);
		if (slot == 14)
			reader_sampled(b->reader, slot * SLOT_NS, 1);
		drain(b, slot + 1);
	}
	for (slot = 10; slot < 16; slot++)
		assert_int_equal(b->every[slot], expected[slot - 10]);
	bench_free(b);
}

/* Late ones and lost ones, too. */
static void an_event_counts_as_many_times_as_it_stands_for(void **state)
{
	struct bench *b = bench_new(10);

	b->late[b->n_late++] = (struct ring_late){ 10, 5, 0, { { 1 } }, { 100, 100 } };
	ring_loss_add(b->ring.state, 10, 70, 3);
	drain(b, 12);
	assert_true(b->count[10] == 5 && b->sum[10] == 500);
	record(b, 12, 1, 100, 0);	/* its row's batch brings the loss */
	drain(b, 13);
	assert_true(b->n_lost == 3 && b->lost_sum == 210);
	bench_free(b);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(what_nobody_looked_at_is_not_told),
	cmocka_unit_test(slots_say_how_much_was_looked_at),
	cmocka_unit_test(an_event_counts_as_many_times_as_it_stands_for),
	cmocka_unit_test(every_event_is_in_its_own_slot),
	cmocka_unit_test(exemplars_come_with_their_slot),
	cmocka_unit_test(what_comes_too_late_is_missed),
	cmocka_unit_test(many_slots_are_taken_in_one_grace_period),
	cmocka_unit_test(empty_slots_are_one_batch),
	cmocka_unit_test(events_before_the_first_slot_are_not_ours),
	cmocka_unit_test(reader_stopped_for_a_ring_loses_nothing),
	cmocka_unit_test(overrun_is_counted_exactly),
	cmocka_unit_test(late_event_amends_its_slot),
	cmocka_unit_test(late_event_does_not_cost_a_later_slot),
	cmocka_unit_test(late_queue_overflow_is_a_loss),
	cmocka_unit_test(filed_event_is_counted_in_its_slot),
	cmocka_unit_test(filed_event_that_does_not_match_is_nothing),
	cmocka_unit_test(a_field_that_is_left_out_is_said_to_be),
	cmocka_unit_test(what_runs_is_in_every_slot_whose_end_it_saw),
	cmocka_unit_test(nobody_who_does_not_ask_is_told_what_runs),
	cmocka_unit_test(what_runs_must_match_by_its_age),
	cmocka_unit_test(what_runs_is_told_again_where_the_clock_was_set_back),
	cmocka_unit_test(only_the_age_of_what_runs_is_known),
	cmocka_unit_test(keys_beyond_the_cap_are_other),
	cmocka_unit_test(unused_keys_make_room),
	cmocka_unit_test(clock_step_marks_its_slot),
	cmocka_unit_test(clock_set_back_loses_nothing),
	cmocka_unit_test(freed_class_does_not_misfile_what_it_still_holds),
	cmocka_unit_test(loss_before_the_ring_is_told_once),
	cmocka_unit_test(writers_beside_the_reader_lose_nothing),
};

CHECK_MAIN(tests)
