#include "test/kit/ring_kit.h"

#include "collector/core/exemplars.h"
#include "collector/ring/record.h"

#define RULER_TEST RULER(UNIT_NS, 2, 4, 20)

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

static __u32 class_assign(struct bench *b, const struct key *key)
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

static __u32 class_find(struct bench *b, const struct key *key, __u32 cpu)
{
	const struct ring_plan *p = &b->ring.plan;
	__u64 tag = ring_class_word(p, key, 0);
	__u32 forgotten = __atomic_load_n(&b->ring.state->forgotten, __ATOMIC_SEQ_CST), class_;
	struct ring_remembered *r = &b->remembered[cpu % N_CPUS][ring_remembered_at(tag)];

	class_ = ring_recall(p, r, key, tag, forgotten);
	if (class_)
		return class_;
	class_ = class_assign(b, key);
	if (class_)
		ring_remember(r, key, ring_class_word(p, key, class_), forgotten);
	return class_;
}

/* ---- bench_record(), as in the kernel ---- */

void bench_enter(struct bench *b)
{
	pthread_rwlock_rdlock(&b->rcu);
}

void bench_leave(struct bench *b)
{
	pthread_rwlock_unlock(&b->rcu);
}

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

void bench_record(struct bench *b, __u64 slot, __u64 code, __u64 value, __u32 cpu)
{
	const struct ring_plan *p = &b->ring.plan;
	struct key key = { { code } };
	__u32 class_, m;
	int row;

	if (slot < b->ring.state->first_slot)
		return;
	bench_enter(b);
	row = ring_row(&b->ring.entry[slot % p->n_slots], &b->ring.state->newest, slot);
	pthread_mutex_lock(&b->lock);
	if (row == RING_LATE && b->n_late < b->room_late) {
		b->late[b->n_late++] = (struct ring_late){ slot, 1, 0, key, { value, value % 2 } };
		row = -3;
	}
	class_ = row >= 0 ? class_find(b, &key, cpu) : 0;
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
	bench_leave(b);
}

void bench_wait(struct bench *b)
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

/* Each exemplar is reported in its own slot. */
static void exemplars_read(struct bench *b, const struct batch *batch)
{
	struct exemplar_event t;
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
		b->reported[batch->slot]++;
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

struct batch_sink bench_sink(struct bench *b)
{
	return (struct batch_sink){ batch_take, b };
}

void bench_drain(struct bench *b, __u64 now_slot)
{
	struct batch_sink sink = bench_sink(b);
	__s64 now_ns = now_slot * SLOT_NS;

	while (reader_swap(b->reader, now_ns)) {
		bench_wait(b);
		assert_int_equal(reader_take(b->reader, &sink), 0);
	}
	assert_int_equal(reader_finish(b->reader, now_ns, &sink), 0);
}

static const struct field fields[] = {
	{ "digest", "", "string", FIELD_DISCRETE, 0, 0, 0 }, { "latency", "", "time", FIELD_NUMERIC, UNIT_NS, 10, 39 },
	{ "odd", "", "number", FIELD_NUMERIC, UNIT_NONE, 0, 20 },
};
static const struct metric metric = { "a", "b", "", "", fields, 3, SCOPE_INTERVAL, NULL, NULL, "digest" };

static void reader_make(struct bench *b, __u64 first_slot)
{
	struct reader_labels labels = { label, b, &metric };

	assert_int_equal(reader_new(&b->ring, "test", 1, 1, &labels, &b->reader), 0);
	reader_begin(b->reader, first_slot);
}

void bench_filter(struct bench *b, const struct filter *f)
{
	b->ring.plan.filter = *f;
	reader_free(b->reader);
	reader_make(b, b->ring.state->first_slot);
}

struct bench *bench_made(__u64 first_slot, __u32 n_spares, __u32 points)
{
	struct bench *b = calloc(1, sizeof(*b));
	struct ring_plan *p = &b->ring.plan;

	*p = (struct ring_plan){ .slot_ns = SLOT_NS, .ruler = { RULER_TEST, RULER_TEST }, .n_slots = N_SLOTS, .n_shards = 2,
				 .n_measures = 2, .n_classes = N_KEYS + 1, .n_cells = ruler_cells(RULER_TEST),
				 .n_fields = 1, .measure = { 0, 1 }, .n_spares = n_spares, .points = points,
				 .n_exemplars = 2, .n_cpus = 2, .n_exemplar_fields = 1,
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
	reader_ring_init(&b->ring);
	reader_make(b, first_slot);
	return b;
}

struct bench *bench_with(__u64 first_slot, __u32 n_spares)
{
	return bench_made(first_slot, n_spares, 0);
}

struct bench *bench_new(__u64 first_slot)
{
	return bench_with(first_slot, 1);
}

void bench_free(struct bench *b)
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
