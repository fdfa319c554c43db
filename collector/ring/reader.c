#include "collector/ring/reader.h"
#include "collector/ring/exemplar_row.h"
#include "collector/ring/late_events.h"
#include "collector/ring/batch_builder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(RING_MEASURES == MEASURES_MAX, "an instrumentation's measures fit into a ring's");

enum class_use { CLASS_FREE, CLASS_USED, CLASS_FORGOTTEN, CLASS_QUARANTINE };

struct class_state {
	enum class_use use;
	struct key key;
	__u64 slot;			/* USED: slot of its last use; FORGOTTEN: in which its key was; QUARANTINE: in
					 * which `forgotten` was */
};

struct reader {
	struct reader_ring ring;
	struct reader_labels labels;
	struct batch batch;		/* its name stays; the rest is filled for each batch */
	__u32 seq;
	__u64 next_slot;		/* the first slot that was not sent */
	__u32 spare[RING_SPARES_MAX], n_spares;
	struct { __u64 slot; __u32 row; } out[RING_SPARES_MAX];	/* rows that were swapped out, ascending */
	__u32 n_out;
	__u64 out_slot;			/* the slot that is being read */
	__u32 out_row;
	struct class_state *class_;
	struct hist hist[MEASURES_MAX], weighed[MEASURES_MAX];
	struct loss loss;		/* not sent yet */
	__u64 n_lost;
	__s64 step_ns;
	__u64 step_slot;
	__u64 gap_first, gap_last;	/* the latest run of slots that are not reported */
	__u64 every_slot;		/* sampling before it is every[0], after it every[1], in it the larger one */
	__u32 every[2];
	__u64 stranded;			/* newest slot before the clock was set back; 0: it was not set back */
	__u64 unreported_slot;		/* the first slot whose running exchanges, at its end, are not reported */
	struct late_events late;
	struct batch_builder pieces;
	struct bytes exemplar_bytes;	/* exemplars of the slot that is sent next */
};

/* ---- making ---- */

void reader_ring_init(const struct reader_ring *ring)
{
	__u32 i;

	ring->state->first_slot = ~0ull;
	for (i = 0; i < ring->plan.n_slots; i++)
		ring->entry[i] = RING_FREE | i;
	for (i = ring->plan.n_classes - 1; i >= 1 && ring->plan.n_fields; i--)
		ring->keys->give(ring->keys_arg, i);
}

int reader_new(const struct reader_ring *ring, const char *source, __u64 incarnation, __u64 inst,
	       const struct reader_labels *labels, struct reader **ret_reader)
{
	struct reader *r = calloc(1, sizeof(*r));
	int err = r ? 0 : -ENOMEM;
	__u32 m;

	if (!err) {
		r->ring = *ring;
		r->labels = *labels;
		snprintf(r->batch.source, sizeof(r->batch.source), "%s", source);
		r->batch.incarnation = incarnation;
		r->batch.inst = inst;
		r->batch.slot_ns = ring->plan.slot_ns;
		r->gap_first = 1;	/* 1 to 0: no gap */
		r->every[0] = r->every[1] = 1;
		while (r->n_spares < ring_spares(&ring->plan) && r->n_spares < RING_SPARES_MAX) {
			r->spare[r->n_spares] = ring->plan.n_slots + r->n_spares;
			r->n_spares++;
		}
		r->class_ = calloc(ring->plan.n_classes, sizeof(*r->class_));
		err = r->class_ ? 0 : -ENOMEM;
	}
	for (m = 0; !err && m < ring->plan.n_measures; m++)
		err = hist_init(&r->hist[m], ring->plan.ruler[m]);
	for (m = 0; !err && m < ring->plan.n_weights; m++)
		err = hist_init(&r->weighed[m], ring->plan.weight_ruler);
	if (err) {
		reader_free(r);
		return err;
	}
	*ret_reader = r;
	return 0;
}

void reader_begin(struct reader *r, __u64 first_slot)
{
	struct ring_state *st = r->ring.state;

	r->next_slot = r->unreported_slot = first_slot;
	st->newest = first_slot;
	__atomic_store_n(&st->first_slot, first_slot, __ATOMIC_RELEASE);	/* events may come from now on */
}

void reader_free(struct reader *r)
{
	size_t i;

	if (!r)
		return;
	for (i = 0; i < MEASURES_MAX; i++) {
		hist_fini(&r->hist[i]);
		hist_fini(&r->weighed[i]);
	}
	late_events_fini(&r->late);
	batch_builder_fini(&r->pieces);
	bytes_fini(&r->exemplar_bytes);
	free(r->class_);
	free(r);
}

__u64 reader_lost(const struct reader *r)
{
	return r->n_lost;
}

/* ---- losses and clock steps ---- */

static void loss_merge(struct loss *loss, __u64 n, __u64 sum, __s64 first, __s64 last)
{
	if (!loss->n || first < loss->first)
		loss->first = first;
	if (!loss->n || last > loss->last)
		loss->last = last;
	loss->n += n;
	loss->sum += sum;
}

/* Reads the bank of losses that no program writes to any longer. */
static void loss_take(struct reader *r)
{
	struct ring_loss *old = &r->ring.state->loss[(r->ring.state->bank ^ 1) & 1];

	if (!old->n)
		return;
	loss_merge(&r->loss, old->n, old->sum, (__s64)~old->first, (__s64)old->last);
	r->n_lost += old->n;
	memset(old, 0, sizeof(*old));
}

void reader_lose(struct reader *r, __u64 n, __s64 from_ns, __s64 to_ns)
{
	__s64 slot_ns = r->ring.plan.slot_ns, first = from_ns / slot_ns, last = to_ns / slot_ns;

	if (first < (__s64)r->ring.state->first_slot)
		first = r->ring.state->first_slot;
	if (!n || last < first)
		return;
	loss_merge(&r->loss, n, 0, first, last);
	r->n_lost += n;
}

void reader_clock_stepped(struct reader *r, __s64 now_ns, __s64 step_ns)
{
	r->step_ns += step_ns;
	r->step_slot = now_ns / r->ring.plan.slot_ns;
	if (r->step_slot < r->ring.state->newest) {	/* back: let these slots claim rows again */
		r->stranded = r->ring.state->newest;
		r->ring.state->newest = r->step_slot;
		r->unreported_slot = r->step_slot < r->unreported_slot ? r->step_slot : r->unreported_slot;	/* report them twice, as events are */
	}
}

/* ---- slots that were not observed ---- */

void reader_unobserved(struct reader *r, __u64 first)
{
	r->gap_first = first;
	r->gap_last = ~0ull;
}

void reader_observed(struct reader *r, __u64 first)
{
	r->gap_last = first - 1;
	*(volatile __u64 *)&r->ring.state->first_slot = first;
}

static int is_gap(const struct reader *r, __u64 slot)
{
	return slot >= r->gap_first && slot <= r->gap_last;
}

void reader_sampled(struct reader *r, __s64 now_ns, __u32 every)
{
	r->every_slot = now_ns / r->ring.plan.slot_ns;
	r->every[0] = r->every[1];
	r->every[1] = every;
}

static __u32 every_of(const struct reader *r, __u64 slot)
{
	__u32 every = r->every[slot > r->every_slot];

	if (slot == r->every_slot && r->every[1] > every)
		every = r->every[1];
	return every > 1 ? every : 0;
}

/* ---- classes ---- */

static void classes_learn(struct reader *r)
{
	struct key key, prev;
	__u32 class_;
	int more;

	if (!r->ring.plan.n_fields)
		return;
	for (more = !r->ring.keys->next(r->ring.keys_arg, NULL, &key, &class_); more;
	     more = !r->ring.keys->next(r->ring.keys_arg, &prev, &key, &class_)) {
		prev = key;
		if (class_ && class_ < r->ring.plan.n_classes && r->class_[class_].use == CLASS_FREE) {
			r->class_[class_].use = CLASS_USED;
			r->class_[class_].key = key;
			r->class_[class_].slot = r->next_slot;
		}
	}
}

static int ring_has_slot_before(const struct reader *r, __u64 slot)
{
	__u32 i;

	for (i = 0; i < r->ring.plan.n_slots; i++) {
		__u64 word = *(volatile __u64 *)&r->ring.entry[i];

		if (!(word & RING_FREE) && RING_SLOT(word) <= slot)
			return 1;
	}
	return 0;
}

/* Takes classes that were unused for n_idle slots and a ring from their keys; a slot later, when no program that found
 * such a class still runs, CPUs may no longer remember it.  Another key can have it when no row is left that may hold
 * counts of it. */
static void classes_release(struct reader *r, __u64 now_slot)
{
	__u32 i;
	__u64 newest, idle = r->ring.plan.n_idle > r->ring.plan.n_slots ? r->ring.plan.n_idle : r->ring.plan.n_slots;

	for (i = 1; i < r->ring.plan.n_classes && r->ring.plan.n_fields; i++) {
		struct class_state *c = &r->class_[i];

		if (c->use == CLASS_USED && c->slot + idle < now_slot) {
			r->ring.keys->forget(r->ring.keys_arg, &c->key);
			c->use = CLASS_FORGOTTEN;
			c->slot = now_slot;
		} else if (c->use == CLASS_FORGOTTEN && c->slot < now_slot) {
			__atomic_add_fetch(&r->ring.state->forgotten, 1, __ATOMIC_SEQ_CST);
			newest = *(volatile __u64 *)&r->ring.state->newest;
			c->use = CLASS_QUARANTINE;
			c->slot = newest > now_slot ? newest : now_slot;	/* we may be late */
		} else if (c->use == CLASS_QUARANTINE && c->slot + 1 < now_slot &&
			   !ring_has_slot_before(r, c->slot)) {
			c->use = CLASS_FREE;
			r->ring.keys->give(r->ring.keys_arg, i);
		}
	}
}

/* ---- keys ---- */

static void key_put(struct reader *r, const struct key *key)
{
	char text[LABEL_MAX + 1];
	__u32 f;

	batch_builder_key(&r->pieces);
	for (f = 0; f < r->ring.plan.n_fields; f++) {
		if (key && key->code[f] == KEY_SHED) {
			snprintf(text, sizeof(text), KEY_SHED_LABEL);
		} else if (key) {
			text[0] = 0;
			r->labels.text(r->labels.arg, r->ring.plan.field[f], key->code[f], text);
		}
		batch_builder_label(&r->pieces, key ? text : NULL);
	}
}

/* ---- batches ---- */

static void batch_send(struct reader *r, __u64 slot, __u32 run, const struct batch_sink *sink)
{
	struct batch *b = &r->batch;

	b->slot = slot;
	b->seq = r->seq++;
	b->run = run;
	b->loss = r->loss;
	b->every = every_of(r, slot);
	b->slice = batch_builder_slices(&r->pieces);
	b->n_slices = r->pieces.n;
	b->clock_step_ns = 0;
	if (r->step_ns && (slot == r->step_slot || r->step_slot < r->next_slot)) {
		b->clock_step_ns = r->step_ns;
		r->step_ns = 0;
	}
	memset(&r->loss, 0, sizeof(r->loss));
	sink->batch(sink->arg, b);
	batch_builder_clear(&r->pieces);
}

/* Sends that slots from .. to (not included) had no events. */
static void empties_send(struct reader *r, __u64 from, __u64 to, const struct batch_sink *sink)
{
	while (from < to) {
		__u64 until = to;

		if (is_gap(r, from)) {
			from = r->gap_last < to ? r->gap_last + 1 : to;
			continue;
		}
		if (r->gap_first > from && r->gap_first < until && r->gap_first <= r->gap_last)
			until = r->gap_first;
		if (r->step_ns && r->step_slot >= from && r->step_slot < until)
			until = from == r->step_slot ? from + 1 : r->step_slot;
		if (until - from > 0xffffffffull)
			until = from + 0xffffffffull;
		batch_send(r, from, until - from, sink);
		from = until;
	}
}

/* Sends the pieces, which are those of this slot: as its batch, or as an amendment. */
static void slot_send(struct reader *r, __u64 slot, const struct batch_sink *sink)
{
	if (slot > r->next_slot) {
		/* Send the empty run first, without the pieces that are already made. */
		struct batch_builder pieces = r->pieces;

		r->pieces = (struct batch_builder){ 0 };
		empties_send(r, r->next_slot, slot, sink);
		batch_builder_fini(&r->pieces);
		r->pieces = pieces;
	}
	r->batch.exemplars = r->exemplar_bytes.data;
	r->batch.exemplars_len = r->exemplar_bytes.err ? 0 : r->exemplar_bytes.len;
	if (is_gap(r, slot))
		batch_builder_clear(&r->pieces);
	else
		batch_send(r, slot, 1, sink);
	r->batch.exemplars_len = 0;
	bytes_clear(&r->exemplar_bytes);
	if (slot >= r->next_slot)
		r->next_slot = slot + 1;
}

/* ---- rows ---- */

/* Can no event of this slot come any longer?  Its time is over, or will not come again for long (the clock was set
 * back).  Rows of the future would keep their entries from the slots that are due. */
static int slot_is_over(const struct reader *r, __u64 slot, __u64 now_slot)
{
	return slot < now_slot || (slot > now_slot + 1 && slot <= r->stranded);
}

/* Finds the oldest slot that can be taken; returns its place, or n_slots. */
static __u32 oldest_over(const struct reader *r, __u64 now_slot, __u64 *ret_slot)
{
	__u32 i, at = r->ring.plan.n_slots;

	*ret_slot = ~0ull;
	for (i = 0; i < r->ring.plan.n_slots; i++) {
		__u64 word = *(volatile __u64 *)&r->ring.entry[i];

		if (!(word & RING_FREE) && slot_is_over(r, RING_SLOT(word), now_slot) && RING_SLOT(word) < *ret_slot) {
			*ret_slot = RING_SLOT(word);
			at = i;
		}
	}
	return at;
}

int reader_swap(struct reader *r, __s64 now_ns)
{
	__u64 now_slot = now_ns / r->ring.plan.slot_ns, slot, word;
	__u32 at;

	if (r->n_out)
		return r->n_out;
	while (r->n_spares && (at = oldest_over(r, now_slot, &slot)) < r->ring.plan.n_slots) {
		word = __atomic_exchange_n(&r->ring.entry[at], RING_FREE | r->spare[--r->n_spares], __ATOMIC_SEQ_CST);
		r->out[r->n_out].slot = slot;
		r->out[r->n_out++].row = RING_ROW(word);
	}
	if (r->n_out && r->ring.state->loss[r->ring.state->bank & 1].n)
		__atomic_fetch_xor(&r->ring.state->bank, 1, __ATOMIC_SEQ_CST);
	return r->n_out;
}

/* Adds up the shards of one class and measure of the row that is being read, and zeroes them. */
static void shards_take(struct reader *r, __u32 measure, __u32 class_, struct hist *h)
{
	const struct ring_plan *p = &r->ring.plan;
	__u32 shard, i, n = ruler_cells(p->ruler[measure]);

	hist_clear(h);
	for (shard = 0; shard < p->n_shards; shard++) {
		__u32 at = ring_at(p, r->out_row, shard, measure, class_);
		struct ring_total *t = &r->ring.totals[at];
		__u32 *cell = &r->ring.cells[at * r->ring.cells_stride];

		if (!t->count)
			continue;
		h->count += t->count;
		h->sum = h->sum + t->sum < h->sum ? ~0ull : h->sum + t->sum;
		h->min = ~t->min < h->min ? ~t->min : h->min;
		h->max = t->max > h->max ? t->max : h->max;
		for (i = 0; i < n; i++)
			h->cell[i] += cell[i];
		memset(cell, 0, n * sizeof(*cell));
		memset(t, 0, sizeof(*t));
	}
}

/* Adds the weights of the events of one class, not their count, and zeroes them.  The caller takes the first measure
 * afterwards. */
static void weights_take(struct reader *r, __u32 class_)
{
	const struct ring_plan *p = &r->ring.plan;
	__u32 shard, i, w;

	for (w = 0; w < p->n_weights; w++)
		hist_clear(&r->weighed[w]);
	for (shard = 0; shard < p->n_shards && p->n_weights; shard++) {
		__u64 *cell = &r->ring.weighed[(size_t)ring_place(p, r->out_row, shard, class_) * p->n_weight_cells * p->n_weights];

		if (!r->ring.totals[ring_at(p, r->out_row, shard, 0, class_)].count)
			continue;
		for (i = 0; i < p->n_weight_cells; i++)
			for (w = 0; w < p->n_weights; w++)
				r->weighed[w].cell[i] += cell[i * p->n_weights + w];
		memset(cell, 0, p->n_weight_cells * p->n_weights * sizeof(*cell));
	}
}

static int weights_put(struct reader *r)
{
	const struct hist *first = &r->hist[0];
	int err = 0;
	__u32 w;

	for (w = 0; w < r->ring.plan.n_weights && !err; w++) {
		struct hist *h = &r->weighed[w];

		h->count = first->count;
		h->sum = first->sum;
		h->min = first->min;
		h->max = first->max;
		err = batch_builder_add(&r->pieces, 0, w + 1, h);
	}
	return err;
}

/* Counts as lost the events that were taken and cannot be sent, because there is no memory for their slices. */
static void batch_builder_drop(struct reader *r, size_t n_kept, __u64 slot, const struct hist *first)
{
	r->pieces.n = n_kept;
	loss_merge(&r->loss, first->count, first->sum, slot, slot);
	r->n_lost += first->count;
}

static int class_take(struct reader *r, __u32 class_)
{
	size_t n_before = r->pieces.n;
	__u32 m;
	int err = 0;

	weights_take(r, class_);
	shards_take(r, 0, class_, &r->hist[0]);
	if (!r->hist[0].count)
		return 0;		/* every event adds to the first measure */
	if (class_ && r->ring.plan.n_fields) {
		if (r->class_[class_].use == CLASS_FREE)
			classes_learn(r);
		if (r->class_[class_].slot < r->out_slot)
			r->class_[class_].slot = r->out_slot;
	}
	key_put(r, class_ ? &r->class_[class_].key : NULL);
	for (m = 0; m < r->ring.plan.n_measures; m++) {
		if (ring_is_point(&r->ring.plan, m))
			continue;
		if (m) {
			shards_take(r, m, class_, &r->hist[m]);
			hist_record_times(&r->hist[m], 0, r->hist[0].count - r->hist[m].count);
		}
		if (!err)
			err = batch_builder_add(&r->pieces, m, 0, &r->hist[m]);
	}
	if (!err)
		err = weights_put(r);
	if (err)
		batch_builder_drop(r, n_before, r->out_slot, &r->hist[0]);
	return err;
}

/* Takes the exemplars of a row that has n_events events. */
static int exemplars_of_row(struct reader *r, __u64 n_events)
{
	const struct ring_plan *p = &r->ring.plan;
	__u32 first = ring_box(p, r->out_row, 0);
	const struct exemplar_row row = { p, r->ring.boxes + first, r->ring.exemplars + ring_exemplar(p, first),
					  r->ring.texts ? r->ring.texts + ring_exemplar(p, first) : NULL, r->out_slot * p->slot_ns };
	int err = exemplars_take(&row, &r->labels, &r->exemplar_bytes);

	if (err) {
		bytes_clear(&r->exemplar_bytes);
		exemplars_miss(n_events, &r->exemplar_bytes);
	}
	return err;
}

static int row_take(struct reader *r, const struct batch_sink *sink)
{
	__u64 n_events = 0;
	__u32 class_;
	int err = 0, e;

	batch_builder_clear(&r->pieces);
	for (class_ = 0; class_ < r->ring.plan.n_classes; class_++) {
		e = class_take(r, class_);	/* after an error too: the row must be empty to be a spare */
		err = err ? err : e;
		n_events += r->hist[0].count;
	}
	if (r->ring.boxes)
		err = exemplars_of_row(r, n_events) ?: err;
	r->spare[r->n_spares++] = r->out_row;
	slot_send(r, r->out_slot, sink);
	return err;
}

int reader_take(struct reader *r, const struct batch_sink *sink)
{
	__u32 i;
	int err = 0, e;

	if (r->n_out)
		loss_take(r);
	for (i = 0; i < r->n_out; i++) {
		r->out_slot = r->out[i].slot;
		r->out_row = r->out[i].row;
		e = row_take(r, sink);
		err = err ? err : e;
	}
	r->n_out = 0;
	return err;
}

/* ---- late events ---- */

static int late_is_other(struct reader *r, const struct key *key)
{
	__u32 i, n_free = 0;

	for (i = 1; i < r->ring.plan.n_classes; i++) {
		if (r->class_[i].use == CLASS_FREE)
			n_free++;
		else if (!memcmp(&r->class_[i].key, key, sizeof(*key)))
			return 0;
	}
	return !n_free;
}

static int late_take(struct reader *r, const struct ring_late *event)
{
	int err;

	if (event->slot < r->ring.state->first_slot)
		return 0;
	err = late_events_add(&r->late, &r->ring.plan, event, r->ring.plan.n_fields && late_is_other(r, &event->key));
	if (err) {
		loss_merge(&r->loss, event->weight, event->running ? 0 : event->measure[r->ring.plan.measure[0]] * event->weight, event->slot, event->slot);
		r->n_lost += event->weight;
	}
	return err;
}

static int event_file(struct reader *r, const struct event *e, __u64 slot, __u32 running)
{
	const struct ring_plan *p = &r->ring.plan;
	struct ring_late l = { .slot = slot, .weight = 1, .running = running };
	__u32 i;

	if (!filter_accepts(&p->filter, e, &r->ring.state->lists))
		return 0;
	for (i = 0; i < p->n_fields; i++)
		l.key.code[i] = ring_code(p, r->ring.state->shed, e, i);
	memcpy(l.measure, e->measure, sizeof(l.measure));
	return late_take(r, &l);
}

int reader_file(struct reader *r, const struct event *e)
{
	return event_file(r, e, e->end_ns / r->ring.plan.slot_ns, 0);
}

/* ---- running exchanges ---- */

__u64 reader_unreported_end(const struct reader *r, __s64 now_ns)
{
	__u64 slot_ns = r->ring.plan.slot_ns, end_ns = (r->unreported_slot + 1) * slot_ns;

	return r->ring.plan.points && end_ns <= (__u64)now_ns ? end_ns : 0;
}

__u64 reader_slot_end(const struct reader *r, __s64 now_ns)
{
	__u64 slot_ns = r->ring.plan.slot_ns;

	return r->ring.plan.points ? ((__u64)now_ns / slot_ns + 1) * slot_ns : 0;
}

int reader_run(struct reader *r, const struct event *e, __u64 begin_ns, __u64 until_ns)
{
	const struct ring_plan *p = &r->ring.plan;
	__u64 slot = begin_ns / p->slot_ns;
	struct event now = { 0 };
	int err = 0;
	__u32 i;

	memcpy(now.field, e->field, sizeof(now.field));
	if (slot < r->unreported_slot)
		slot = r->unreported_slot;
	for (; p->points && (slot + 1) * p->slot_ns <= until_ns && !err; slot++) {
		now.measure[0] = (slot + 1) * p->slot_ns - begin_ns;
		for (i = 0; i < p->n_measures; i++)
			if (ring_is_point(p, i))
				now.measure[p->measure[i]] = now.measure[0];
		err = event_file(r, &now, slot, 1);
	}
	return err;
}

void reader_mark_reported(struct reader *r, __s64 now_ns)
{
	r->unreported_slot = now_ns / r->ring.plan.slot_ns;
}

/* ---- sending ---- */

static int late_put(struct reader *r, const struct late_events_row *row)
{
	size_t n_before = r->pieces.n;
	int err = 0;
	__u32 n = r->ring.plan.n_measures, m;

	key_put(r, row->other ? NULL : &row->key);
	for (m = 0; m < n + r->ring.plan.n_weights && !err; m++)
		if (row->hist[m].count)
			err = batch_builder_add(&r->pieces, m < n ? m : 0, m < n ? 0 : m - n + 1, &row->hist[m]);
	if (err)
		batch_builder_drop(r, n_before, row->slot, &row->hist[0]);
	return err;
}

/* Sends late events of slots that have ended, one batch per slot; the others wait. */
static int late_send(struct reader *r, __u64 now_slot, const struct batch_sink *sink)
{
	__u64 missed;
	size_t i = 0;
	int err = 0;

	late_events_sort(&r->late);
	while (i < r->late.n && r->late.row[i].slot < now_slot) {
		__u64 slot = r->late.row[i].slot;

		batch_builder_clear(&r->pieces);
		for (missed = 0; i < r->late.n && r->late.row[i].slot == slot; i++) {
			err = late_put(r, &r->late.row[i]) ?: err;
			missed += r->late.row[i].hist[0].count;
		}
		if (r->ring.boxes && missed)
			exemplars_miss(missed, &r->exemplar_bytes);
		slot_send(r, slot, sink);
	}
	late_events_drop(&r->late, i);
	return err;
}

int reader_finish(struct reader *r, __s64 now_ns, const struct batch_sink *sink)
{
	__u64 now_slot = now_ns / r->ring.plan.slot_ns;
	struct ring_late l;
	int err;

	classes_learn(r);
	while (r->ring.keys->late(r->ring.keys_arg, &l) > 0)
		late_take(r, &l);
	batch_builder_clear(&r->pieces);
	err = late_send(r, now_slot, sink);
	if (r->next_slot < now_slot) {
		empties_send(r, r->next_slot, now_slot, sink);
		r->next_slot = now_slot;
	}
	if (r->loss.n && r->next_slot > r->ring.state->first_slot)	/* no batch was due that could carry it */
		batch_send(r, r->next_slot - 1, 1, sink);
	classes_release(r, now_slot);
	r->stranded = 0;
	return err;
}
