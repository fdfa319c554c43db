/* This probe replays a recording, without the kernel: it folds the recorded batches to the fields, measures, ruler and
 * keys that are wanted now.
 *
 * With follow_clock, it shifts the recording by whole seconds, which every slot length divides: the recording begins
 * when the first instrumentation is enabled.  One that is enabled later joins in the middle. */
#include "collector/core/log.h"
#include "collector/core/refuse.h"
#include "collector/probe/probe.h"
#include "collector/probe/recording.h"
#include "collector/core/show.h"
#include "collector/probe/replay_filter.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SECOND_NS 1000000000ll
#define BATCHES_AT_ONCE 256		/* per drain(), if it does not follow a clock */

struct known_key {
	struct known_key *next;
	struct labels labels;		/* its bytes follow the struct */
};

struct playing {			/* an enabled instrumentation */
	struct playing *next;
	struct instrumentation in;
	const struct recorded *from;
	struct replay_filter sieve;
	unsigned field_from[KEY_FIELDS_MAX];	/* wanted field -> recorded one */
	int axis_to[MEASURES_MAX];	/* recorded measure -> wanted one; -1: not wanted */
	int weight_to[MEASURES_MAX + 1];	/* recorded weight of a slice -> wanted one; < 0: not wanted */
	__s64 joined_ns;		/* batches that were over before are not handed over */
	size_t at;			/* next batch */
	__u32 seq;
	struct known_key *keys;
	size_t n_keys;
};

struct replay {
	char source[SOURCE_MAX];
	const struct host_labels *labels;
	__u64 incarnation;
	int follow_clock, started;
	__s64 shift_ns;
	struct recording *recording;
	struct metric *metric;
	size_t n_metrics;
	struct playing *playing;
};

/* --- what is offered: the fields, measures and weights that were recorded --- */

static struct metric *offered(struct replay *r, const struct metric *m)
{
	for (size_t i = 0; i < r->n_metrics; i++)
		if (!strcmp(r->metric[i].module, m->module) && !strcmp(r->metric[i].stat, m->stat))
			return &r->metric[i];
	return NULL;
}

/* Does a recording have it as a field, measure or weight, in its predicate (so that the same one can be requested), or
 * in its exemplars? */
static int recorded_has(const struct recorded *rec, const char *name)
{
	for (size_t i = 0; i < rec->in.n_fields; i++)
		if (!strcmp(rec->in.field[i], name))
			return 1;
	for (size_t i = 0; i < rec->in.predicate.n_terms; i++)
		if (!strcmp(rec->in.predicate.term[i].field, name))
			return 1;
	if (rec->in.n_exemplars && rec->metric.text && !strcmp(name, rec->metric.text))
		return 1;
	return instrumentation_axis(&rec->in, name) >= 0 || instrumentation_weight(&rec->in, name) >= 0;
}

/* Adds the recorded fields of one instrumentation, in the order of its metric, because parts are parts of the first
 * measure. */
static int offer_fields(struct metric *m, const struct recorded *rec)
{
	struct field *field = calloc(m->n_fields + rec->metric.n_fields + 1, sizeof(*field));
	struct metric more = *m;

	if (!field)
		return -ENOMEM;
	more.field = field;
	more.n_fields = 0;
	for (size_t i = 0; i < rec->metric.n_fields; i++) {
		const struct field *f = &rec->metric.field[i];

		if ((recorded_has(rec, f->name) || metric_field(m, f->name)) && !metric_field(&more, f->name))
			field[more.n_fields++] = *f;
	}
	for (size_t i = 0; i < m->n_fields; i++)
		if (!metric_field(&more, m->field[i].name))
			field[more.n_fields++] = m->field[i];
	free((struct field *)m->field);
	*m = more;
	return 0;
}

/* Declares as parts the recorded parts among the offered measures, if the measure of which they are parts is offered
 * too. */
static int offer_parts(struct metric *m, const struct recorded *rec)
{
	const char *all = rec->metric.parts, *whole = metric_first_measure(&rec->metric);
	char *parts = all ? calloc(1, strlen(all) + 1) : NULL;
	size_t at = 0;

	if (!all)
		return 0;
	if (!parts)
		return -ENOMEM;
	for (size_t i = 0; i < m->n_fields && !strcmp(metric_first_measure(m), whole); i++)
		if (metric_is_part(&rec->metric, m->field[i].name))
			at += (size_t)sprintf(parts + at, "%s%s", at ? " " : "", m->field[i].name);
	free((char *)m->parts);
	m->parts = at ? parts : NULL;
	if (!at)
		free(parts);
	return 0;
}

static int offer(struct replay *r, const struct recorded *rec)
{
	struct metric *m = offered(r, &rec->metric);
	int err;

	if (!m) {
		m = &r->metric[r->n_metrics++];
		*m = rec->metric;
		m->field = NULL;
		m->n_fields = 0;
		m->point = m->parts = m->text = NULL;
	}
	err = offer_fields(m, rec);
	if (!err)
		err = offer_parts(m, rec);
	if (!err && rec->metric.point && metric_field(m, rec->metric.point))
		m->point = rec->metric.point;
	if (!err && rec->metric.text && metric_field(m, rec->metric.text))
		m->text = rec->metric.text;
	return err;
}

static const struct metric *replay_metrics(void *self, size_t *ret_n)
{
	struct replay *r = self;

	*ret_n = r->n_metrics;
	return r->metric;
}

static const char *replay_refusal(void *self, const struct metric *m)
{
	return NULL;
}

/* --- open, close --- */

static void playing_free(struct playing *p)
{
	while (p->keys) {
		struct known_key *key = p->keys;

		p->keys = key->next;
		free(key);
	}
	free(p);
}

static void replay_close(void *self)
{
	struct replay *r = self;

	if (!r)
		return;
	while (r->playing) {
		struct playing *p = r->playing;

		r->playing = p->next;
		playing_free(p);
	}
	for (size_t i = 0; i < r->n_metrics; i++) {
		free((struct field *)r->metric[i].field);
		free((char *)r->metric[i].parts);
	}
	free(r->metric);
	recording_free(r->recording);
	free(r);
}

static int replay_open(const struct probe_conf *conf, void **ret_self, char *reason)
{
	struct replay *r = calloc(1, sizeof(*r));
	int err;

	snprintf(reason, REASON_MAX, "no memory for the recording");
	if (!r)
		return -ENOMEM;
	snprintf(r->source, sizeof(r->source), "%s", conf->source);
	r->labels = conf->labels;
	r->incarnation = conf->incarnation;
	r->follow_clock = conf->follow_clock;
	err = recording_read(conf->recording, &r->recording, reason);
	if (!err && r->recording->cut_len)
		log_warning("%s: offset %zu: the recording ends in the middle of a frame: it is read as far as it is whole, without its last "
			    "%zu bytes", conf->recording, r->recording->cut_at, r->recording->cut_len);
	if (!err) {
		r->metric = calloc(r->recording->n_insts, sizeof(*r->metric));
		err = r->metric ? 0 : -ENOMEM;
	}
	for (size_t i = 0; !err && i < r->recording->n_insts; i++)
		err = offer(r, &r->recording->inst[i]);
	if (err) {
		replay_close(r);
		return err;
	}
	*ret_self = r;
	return 0;
}

/* --- enable, disable --- */

static int map_field(struct playing *p, const struct recorded *rec, size_t i)
{
	for (unsigned j = 0; j < rec->in.n_fields; j++)
		if (!strcmp(rec->in.field[j], p->in.field[i])) {
			p->field_from[i] = j;
			return 0;
		}
	return -ENOENT;
}

static int missing(const struct recorded *rec, const char *what, const char *name, char *reason)
{
	return refuse_as(-ENOENT, reason, "the recording of %s.%s has no %s \"%s\" in the same instrumentation",
		 rec->in.module, rec->in.stat, what, name);
}

/* With another predicate or first measure, exemplars would have to be chosen again, from events that were not
 * recorded. */
static int has_exemplars(const struct recorded *rec, const struct instrumentation *wanted)
{
	return rec->in.n_exemplars >= wanted->n_exemplars && !strcmp(rec->in.measure[0], wanted->measure[0]) &&
	       !memcmp(&rec->in.predicate, &wanted->predicate, sizeof(wanted->predicate));
}

/* Can this recorded instrumentation give the wanted one? */
static int playing_map(struct playing *p, const struct recorded *rec, const struct replay *r, char *reason)
{
	if (rec->in.slot_ns != p->in.slot_ns)
		return refuse_as(-ENOENT, reason, "the recording of %s.%s has slots of %g s, not of %g s", rec->in.module,
			 rec->in.stat, (double)rec->in.slot_ns / 1e9, (double)p->in.slot_ns / 1e9);
	for (size_t i = 0; i < p->in.n_fields; i++)
		if (map_field(p, rec, i))
			return missing(rec, "field", p->in.field[i], reason);
	for (size_t i = 0; i < p->in.n_measures; i++)
		if (instrumentation_axis(&rec->in, p->in.measure[i]) < 0)
			return missing(rec, "measure", p->in.measure[i], reason);
	for (size_t i = 0; i < p->in.n_weights; i++)
		if (instrumentation_weight(&rec->in, p->in.weight[i]) < 0 || strcmp(rec->in.measure[0], p->in.measure[0]))
			return missing(rec, "weight", p->in.weight[i], reason);
	if (p->in.n_exemplars && !has_exemplars(rec, &p->in))
		return refuse_as(-ENOENT, reason, "the recording of %s.%s has %u exemplars, by %s and its own predicate", rec->in.module,
			 rec->in.stat, rec->in.n_exemplars, rec->in.measure[0]);
	if (replay_filter_init(&p->sieve, &p->in.predicate, &rec->in, r->source, r->labels, reason))
		return -ENOENT;
	for (size_t i = 0; i < rec->in.n_measures; i++)
		p->axis_to[i] = instrumentation_axis(&p->in, rec->in.measure[i]);
	p->weight_to[0] = 0;
	for (size_t i = 0; i < rec->in.n_weights; i++)
		p->weight_to[i + 1] = strcmp(rec->in.measure[0], p->in.measure[0]) ? -1 : instrumentation_weight(&p->in, rec->in.weight[i]);
	p->from = rec;
	return instrumentation_bind(&p->in, &rec->metric, reason);
}

static int playing_find(struct replay *r, struct playing *p, char *reason)
{
	int err = -ENOENT;

	snprintf(reason, REASON_MAX, "%s.%s is not in the recording", p->in.module, p->in.stat);
	for (size_t i = 0; i < r->recording->n_insts && err; i++) {
		const struct recorded *rec = &r->recording->inst[i];

		if (!strcmp(rec->in.module, p->in.module) && !strcmp(rec->in.stat, p->in.stat))
			err = playing_map(p, rec, r, reason);
	}
	return err;
}

/* Returns the end of the slots that a batch stands for, in recorded time. */
static __s64 batch_end_ns(const struct recorded *rec, const struct batch *b)
{
	return (b->slot + (b->run ? b->run : 1)) * (__s64)rec->in.slot_ns;
}

static void replay_start(struct replay *r, __s64 now_ns)
{
	__s64 first_ns = INT64_MAX;

	if (r->started || !r->follow_clock)
		return;
	for (size_t i = 0; i < r->recording->n_insts; i++) {
		const struct recorded *rec = &r->recording->inst[i];
		__s64 at_ns = rec->n_batches ? rec->first_slot * (__s64)rec->in.slot_ns : INT64_MAX;

		first_ns = at_ns < first_ns ? at_ns : first_ns;
	}
	if (first_ns == INT64_MAX)
		return;
	r->shift_ns = (now_ns / SECOND_NS - first_ns / SECOND_NS) * SECOND_NS;
	r->started = 1;
}

static int playing_batch(const struct playing *p, size_t i, struct batch *ret_batch)
{
	return batch_decode(p->from->batch[i].data, p->from->batch[i].len, ret_batch);
}

static int replay_enable(void *self, const struct instrumentation *in, __s64 now_ns, char *reason)
{
	struct replay *r = self;
	struct playing *p = calloc(1, sizeof(*p));
	int err;

	snprintf(reason, REASON_MAX, "no memory for an instrumentation");
	if (!p)
		return -ENOMEM;
	p->in = *in;
	instrumentation_strip(&p->in);
	err = playing_find(r, p, reason);
	if (err) {
		playing_free(p);
		return err;
	}
	replay_start(r, now_ns);
	p->joined_ns = r->follow_clock ? now_ns : INT64_MIN;
	p->next = r->playing;
	r->playing = p;
	return 0;
}

static void replay_disable(void *self, __u64 inst)
{
	struct replay *r = self;

	for (struct playing **at = &r->playing; *at; at = &(*at)->next)
		if ((*at)->in.id == inst) {
			struct playing *p = *at;

			*at = p->next;
			playing_free(p);
			return;
		}
}

/* --- folding a recorded batch to the wanted instrumentation --- */

struct cell {				/* a slice in the making */
	size_t key_at;
	__u16 key_len, axis, weight;
	struct hist hist;
};

struct folded {
	struct cell *cell;
	size_t n;
	__u64 n_lost, lost_sum;		/* events that may match or not */
	struct bytes bytes;		/* keys, then encoded histograms */
	struct slice *slice;
};

static void folded_fini(struct folded *f)
{
	for (size_t i = 0; i < f->n; i++)
		hist_fini(&f->cell[i].hist);
	free(f->cell);
	free(f->slice);
	bytes_fini(&f->bytes);
}

static void put_label(const struct labels *key, unsigned index, struct bytes *out)
{
	labels_keep(key, 1u << index, out);
}

/* Is it one of the first n_keys of its instrumentation?  The others become `other`. */
static int key_admitted(struct playing *p, const struct labels *key)
{
	struct known_key *new;

	for (const struct known_key *k = p->keys; k; k = k->next)
		if (!labels_compare(&k->labels, key))
			return 1;
	if (p->n_keys >= p->in.n_keys)
		return 0;
	new = malloc(sizeof(*new) + key->len);
	if (!new)
		return 0;
	new->labels = (struct labels){ (__u8 *)(new + 1), key->len };
	if (key->len)
		memcpy(new + 1, key->bytes, key->len);
	new->next = p->keys;
	p->keys = new;
	p->n_keys++;
	return 1;
}

static void fold_key(struct playing *p, const struct labels *key, struct bytes *out)
{
	size_t start = out->len;
	struct labels kept;

	for (size_t i = 0; i < p->in.n_fields; i++)
		put_label(key, p->field_from[i], out);
	if (out->err || out->len == start)
		return;
	kept = (struct labels){ out->data + start, (__u16)(out->len - start) };
	if (key_admitted(p, &kept))
		return;
	out->len = start;
	for (size_t i = 0; i < p->in.n_fields; i++)
		labels_put(out, NULL);
}

static int cell_is(const struct folded *f, const struct cell *c, size_t key_at, __u16 axis, __u16 weight)
{
	size_t len = f->bytes.len - key_at;

	return c->axis == axis && c->weight == weight && c->key_len == len &&
	       (!len || !memcmp(f->bytes.data + c->key_at, f->bytes.data + key_at, len));
}

/* Returns the cell of a key that was just put at key_at; the memory for it is there. */
static struct cell *folded_cell(struct playing *p, struct folded *f, size_t key_at, __u16 axis, __u16 weight)
{
	struct cell *c;

	for (size_t i = f->n; i--;)
		if (cell_is(f, &f->cell[i], key_at, axis, weight)) {
			f->bytes.len = key_at;
			return &f->cell[i];
		}
	c = &f->cell[f->n];
	*c = (struct cell){ key_at, (__u16)(f->bytes.len - key_at), axis, weight, { 0 } };
	if (hist_init(&c->hist, weight ? p->in.weight_ruler : p->in.ruler[axis]))
		return NULL;
	f->n++;
	return c;
}

/* Counts a slice as lost; every event is in the first measure's slice of its key, so only that counts. */
static void fold_lose(struct folded *f, const struct slice *s)
{
	struct hist_reader h;

	if (s->axis || s->weight || hist_reader_open(&h, s->ruler, s->hist, s->hist_len))
		return;
	f->n_lost += h.count;
	f->lost_sum += h.sum;
}

static int fold_slice(struct playing *p, struct folded *f, const struct slice *s)
{
	int axis = p->axis_to[s->axis], weight = p->weight_to[s->weight];
	int passes = replay_filter_passes(&p->sieve, &s->key);
	size_t key_at = f->bytes.len;
	struct cell *c;

	if (passes < 0)
		fold_lose(f, s);
	if (axis < 0 || weight < 0 || passes <= 0)
		return 0;
	fold_key(p, &s->key, &f->bytes);
	c = f->bytes.err ? NULL : folded_cell(p, f, key_at, (__u16)axis, (__u16)weight);
	return c ? hist_decode_add(&c->hist, s->ruler, s->hist, s->hist_len) : -ENOMEM;
}

/* Makes slices of the cells.  Cells have offsets, because the bytes move while they grow. */
static int folded_finish(struct folded *f)
{
	f->slice = calloc(f->n + 1, sizeof(*f->slice));
	if (!f->slice)
		return -ENOMEM;
	for (size_t i = 0; i < f->n; i++) {
		size_t at = f->bytes.len;

		hist_encode(&f->cell[i].hist, &f->bytes);
		f->slice[i].hist_len = (__u32)(f->bytes.len - at);
	}
	if (f->bytes.err)
		return f->bytes.err;
	for (size_t i = f->n, at = f->bytes.len; i--;) {
		const struct cell *c = &f->cell[i];
		struct slice *s = &f->slice[i];

		at -= s->hist_len;
		s->hist = f->bytes.data + at;
		s->ruler = c->hist.ruler;
		s->key = (struct labels){ f->bytes.data + c->key_at, c->key_len };
		s->axis = c->axis;
		s->weight = c->weight;
	}
	return 0;
}

static int fold_batch(struct playing *p, const struct batch *b, struct folded *f)
{
	int err = 0;

	f->cell = calloc(b->n_slices + 1, sizeof(*f->cell));
	if (!f->cell)
		return -ENOMEM;
	for (size_t i = 0; i < b->n_slices && !err; i++)
		err = fold_slice(p, f, &b->slice[i]);
	return err ? err : folded_finish(f);
}

/* --- drain --- */

static void lose(struct batch *b, const struct folded *f)
{
	if (!f->n_lost)
		return;
	if (!b->loss.n || b->slot < b->loss.first)
		b->loss.first = b->slot;
	if (!b->loss.n || b->slot > b->loss.last)
		b->loss.last = b->slot;
	b->loss.n += f->n_lost;
	b->loss.sum += f->lost_sum;
}

static void shift_batch(const struct replay *r, const struct playing *p, struct batch *b)
{
	__s64 slots = r->shift_ns / (__s64)p->in.slot_ns;

	b->slot += slots;
	b->loss.first += b->loss.n ? slots : 0;
	b->loss.last += b->loss.n ? slots : 0;
}

static int hand_over(struct replay *r, struct playing *p, const struct batch *recorded,
		     const struct batch_sink *sink)
{
	struct batch b = *recorded;
	struct folded f = { 0 };
	int err = fold_batch(p, recorded, &f);

	if (!err) {
		memcpy(b.source, r->source, sizeof(b.source));
		b.incarnation = r->incarnation;
		b.inst = p->in.id;
		b.seq = p->seq++;
		b.slice = f.slice;
		b.n_slices = f.n;
		b.exemplars_len = p->in.n_exemplars ? b.exemplars_len : 0;
		lose(&b, &f);
		shift_batch(r, p, &b);
		sink->batch(sink->arg, &b);
	}
	folded_fini(&f);
	return err;
}

/* Hands over the next batch if it is over by now: 1; 0 if it is not; or -errno: then the batch
 * stays, and the next drain tries it again. */
static int playing_next(struct replay *r, struct playing *p, __s64 now_ns, const struct batch_sink *sink)
{
	struct batch b;
	__s64 end_ns;
	int err = playing_batch(p, p->at, &b), due;

	if (err)
		return err;
	end_ns = batch_end_ns(p->from, &b) + r->shift_ns;
	due = !r->follow_clock || end_ns <= now_ns;
	if (due && end_ns > p->joined_ns)
		err = hand_over(r, p, &b, sink);
	batch_fini(&b);
	return err ? err : due;
}

static int playing_drain(struct replay *r, struct playing *p, __s64 now_ns, size_t *left,
			 const struct batch_sink *sink)
{
	int due = 1;

	while (*left && p->at < p->from->n_batches) {
		due = playing_next(r, p, now_ns, sink);
		if (due <= 0)
			break;
		p->at++;
		--*left;
	}
	return due < 0 ? due : 0;
}

static int replay_drain(void *self, __s64 now_ns, const struct batch_sink *sink)
{
	struct replay *r = self;
	size_t left = r->follow_clock ? (size_t)-1 : BATCHES_AT_ONCE;
	int err = 0;

	for (struct playing *p = r->playing; p && !err; p = p->next)
		err = playing_drain(r, p, now_ns, &left, sink);
	return err;
}

/* Has it handed over the whole recording, for at least one instrumentation? */
static int replay_finished(const void *self)
{
	const struct replay *r = self;

	for (const struct playing *p = r->playing; p; p = p->next)
		if (p->at < p->from->n_batches)
			return 0;
	return r->playing != NULL;
}

/* --- for people --- */

static void doctor_one(const struct recorded *rec, FILE *out)
{
	show_print(out, "replay: %s.%s by", rec->in.module, rec->in.stat);
	for (size_t i = 0; i < rec->in.n_fields; i++)
		show_print(out, " %s", rec->in.field[i]);
	show_print(out, ", measuring");
	for (size_t i = 0; i < rec->in.n_measures; i++)
		show_print(out, " %s", rec->in.measure[i]);
	for (size_t i = 0; i < rec->in.n_weights; i++)
		show_print(out, "%s %s", i ? "" : ", weighing", rec->in.weight[i]);
	show_print(out, "; %zu batches, slots of %g s\n", rec->n_batches, (double)rec->in.slot_ns / 1e9);
}

static void replay_doctor(void *self, FILE *out)
{
	const struct replay *r = self;

	for (size_t i = 0; i < r->recording->n_insts; i++)
		doctor_one(&r->recording->inst[i], out);
}

const struct probe replay_probe = {
	.name = "replay",
	.filters = 1,
	.open = replay_open,
	.close = replay_close,
	.metrics = replay_metrics,
	.refusal = replay_refusal,
	.enable = replay_enable,
	.disable = replay_disable,
	.drain = replay_drain,
	.finished = replay_finished,
	.doctor = replay_doctor,
};
