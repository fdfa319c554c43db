#include "collector/proc/event_counter.h"
#include "collector/core/array.h"
#include "collector/ring/batch_builder.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define OTHER 0				/* the row of all keys beyond the limit */

struct counted {			/* an event that is not yet in a histogram */
	__u32 row, next;		/* next event of the same row: 0: none, else index + 1 */
	__u64 measure[2 * MEASURES_MAX];	/* and weights */
};

struct row {
	struct key key;
	__s64 slot;			/* in which it was last used */
	__u32 first;			/* its first event: index + 1 */
};

struct event_counter {
	struct event_counter_labels labels;
	size_t n_fields, n_measures, n_hists;
	unsigned field[KEY_FIELDS_MAX], measure[2 * MEASURES_MAX];	/* indices in events; after the measures the weights */
	struct batch batch;
	__u32 seq;
	__s64 next_slot;		/* after the last one that was sent */
	struct hist hist[2 * MEASURES_MAX];
	struct row *row;		/* n_keys + 1 rows */
	size_t n_keys, n_rows;
	__u32 *bucket;			/* row of a key; open addressing; 0: free */
	size_t n_buckets;
	struct counted *event;
	size_t n_events, room;
	struct batch_builder slices;
};

int event_counter_new(const struct metric *m, const struct instrumentation *in, const struct probe_conf *conf, __s64 first_slot,
		      const struct event_counter_labels *labels, struct event_counter **ret_tally)
{
	struct event_counter *t = calloc(1, sizeof(*t));
	int err = t ? 0 : -ENOMEM, index;

	if (err)
		return err;
	t->labels = *labels;
	t->next_slot = first_slot;
	for (size_t i = 0; i < in->n_fields; i++) {
		index = metric_index(m, in->field[i], FIELD_DISCRETE);
		if (index >= 0)			/* the aggregator fills in the host's */
			t->field[t->n_fields++] = (unsigned)index;
	}
	t->n_measures = in->n_measures;
	for (size_t i = 0; i < in->n_measures + in->n_weights && !err; i++) {
		bool weight = i >= in->n_measures;
		const char *name = weight ? in->weight[i - in->n_measures] : in->measure[i];

		t->measure[i] = (unsigned)metric_index(m, name, FIELD_NUMERIC);
		err = hist_init(&t->hist[t->n_hists++], weight ? in->weight_ruler : in->ruler[i]);
	}
	snprintf(t->batch.source, sizeof(t->batch.source), "%s", conf->source);
	t->batch.incarnation = conf->incarnation;
	t->batch.inst = in->id;
	t->batch.slot_ns = in->slot_ns;
	t->n_keys = t->n_fields ? in->n_keys : 0;
	for (t->n_buckets = 16; t->n_buckets < 2 * t->n_keys;)
		t->n_buckets *= 2;
	t->row = calloc(t->n_keys + 1, sizeof(*t->row));
	t->bucket = calloc(t->n_buckets, sizeof(*t->bucket));
	t->n_rows = 1;
	if (!t->row || !t->bucket)
		err = -ENOMEM;
	if (err) {
		event_counter_free(t);
		return err;
	}
	*ret_tally = t;
	return 0;
}

void event_counter_free(struct event_counter *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->n_hists; i++)
		hist_fini(&t->hist[i]);
	batch_builder_fini(&t->slices);
	free(t->row);
	free(t->bucket);
	free(t->event);
	free(t);
}

__u64 event_counter_wanted(const struct event_counter *t)
{
	__u64 wanted = 0;

	for (size_t i = 0; i < t->n_fields; i++)
		wanted |= WANTED_FIELD(t->field[i]);
	for (size_t i = 0; i < t->n_hists; i++)
		wanted |= WANTED_MEASURE(t->measure[i]);
	return wanted;
}

/* --- keys --- */

/* Finds the place where the key is, or belongs. */
static __u32 *bucket_of(struct event_counter *t, const struct key *key)
{
	__u64 hash = HASH_SEED;
	size_t at;

	for (int i = 0; i < KEY_CODES; i++)
		hash = (hash ^ key->code[i]) * 0x9e3779b97f4a7c15ull;
	for (at = (hash >> 32) & (t->n_buckets - 1); t->bucket[at]; at = (at + 1) & (t->n_buckets - 1))
		if (!memcmp(&t->row[t->bucket[at]].key, key, sizeof(*key)))
			break;
	return &t->bucket[at];
}

static __u32 row_of(struct event_counter *t, const struct key *key)
{
	__u32 *bucket;

	if (!t->n_fields)
		return OTHER;
	bucket = bucket_of(t, key);
	if (!*bucket && t->n_rows <= t->n_keys) {
		t->row[t->n_rows] = (struct row){ .key = *key };
		*bucket = (__u32)t->n_rows++;
	}
	return *bucket;
}

/* Forgets the keys that were unused for long; called while no event is waiting. */
static void rows_forget(struct event_counter *t, __s64 slot)
{
	__s64 oldest = slot - (__s64)(EVENT_COUNTER_FORGET_NS / t->batch.slot_ns);
	size_t n = 1;

	for (size_t i = 1; i < t->n_rows; i++)
		if (t->row[i].slot >= oldest)
			t->row[n++] = t->row[i];
	if (n == t->n_rows)
		return;
	t->n_rows = n;
	memset(t->bucket, 0, t->n_buckets * sizeof(*t->bucket));
	for (size_t i = 1; i < n; i++)
		*bucket_of(t, &t->row[i].key) = (__u32)i;
}

/* --- events --- */

static void lose(struct event_counter *t, __u64 n, __u64 sum)
{
	t->batch.loss.n += n;
	t->batch.loss.sum += sum;
}

void event_counter_lose(struct event_counter *t, __u64 n) { lose(t, n, 0); }

int event_counter_add(struct event_counter *t, const struct event *e)
{
	struct key key = { 0 };
	struct counted *c;
	struct row *row;

	if (array_grow(&t->event, t->n_events, &t->room, sizeof(*t->event))) {
		lose(t, 1, e->measure[t->measure[0]]);
		return -ENOMEM;
	}
	for (size_t i = 0; i < t->n_fields; i++)
		key.code[i] = e->field[t->field[i]];
	c = &t->event[t->n_events++];
	c->row = row_of(t, &key);
	for (size_t i = 0; i < t->n_hists; i++)
		c->measure[i] = e->measure[t->measure[i]];
	row = &t->row[c->row];
	c->next = row->first;
	row->first = (__u32)t->n_events;
	return 0;
}

void event_counter_drop(struct event_counter *t)
{
	for (size_t i = 0; i < t->n_rows; i++)
		t->row[i].first = 0;
	t->n_events = 0;
	memset(&t->batch.loss, 0, sizeof(t->batch.loss));
}

/* --- slices --- */

static void key_put(struct event_counter *t, __u32 row)
{
	char text[LABEL_MAX + 1];

	batch_builder_key(&t->slices);
	for (size_t i = 0; i < t->n_fields; i++) {
		text[0] = 0;
		if (row != OTHER)
			t->labels.text(t->labels.arg, t->field[i], t->row[row].key.code[i], text);
		batch_builder_label(&t->slices, row != OTHER ? text : NULL);
	}
}

/* Makes the slices of one row: a histogram per measure, and per weight one along the first measure. */
static int row_put(struct event_counter *t, __u32 row)
{
	size_t before = t->slices.n;
	int err = 0;

	key_put(t, row);
	for (size_t i = 0; i < t->n_hists && !err; i++) {
		bool weight = i >= t->n_measures;

		hist_clear(&t->hist[i]);
		for (__u32 at = t->row[row].first; at; at = t->event[at - 1].next) {
			const __u64 *measure = t->event[at - 1].measure;

			hist_record(&t->hist[i], measure[weight ? 0 : i], weight ? measure[i] : 1);
		}
		err = batch_builder_add(&t->slices, weight ? 0 : (__u16)i, weight ? (__u16)(i - t->n_measures + 1) : 0, &t->hist[i]);
	}
	if (err) {
		t->slices.n = before;
		for (__u32 at = t->row[row].first; at; at = t->event[at - 1].next)
			lose(t, 1, t->event[at - 1].measure[0]);
	}
	return err;
}

__s64 event_counter_next(const struct event_counter *t) { return t->next_slot; }

void event_counter_clock_step(struct event_counter *t, __s64 step_ns) { t->batch.clock_step_ns += step_ns; }

static int send_run(struct event_counter *t, __s64 slot, __u32 run, const struct batch_sink *sink)
{
	struct batch *b = &t->batch;
	int err = 0, e;

	batch_builder_clear(&t->slices);
	for (size_t i = 0; i < t->n_rows; i++) {
		if (!t->row[i].first)
			continue;
		e = row_put(t, (__u32)i);
		err = err ? err : e;
		t->row[i].slot = slot;
	}
	b->slot = slot;
	b->seq = t->seq++;
	b->run = run;
	b->loss.first = slot;
	b->loss.last = slot;
	b->slice = batch_builder_slices(&t->slices);
	b->n_slices = t->slices.n;
	sink->batch(sink->arg, b);
	b->clock_step_ns = 0;
	if (slot + run > t->next_slot)
		t->next_slot = slot + run;
	event_counter_drop(t);
	rows_forget(t, slot);
	return err;
}

int event_counter_send(struct event_counter *t, __s64 slot, const struct batch_sink *sink) { return send_run(t, slot, 1, sink); }

int event_counter_send_empty(struct event_counter *t, __s64 end, const struct batch_sink *sink)
{
	return t->next_slot < end ? send_run(t, t->next_slot, (__u32)(end - t->next_slot), sink) : 0;
}
