#include "collector/spool.h"

#include "collector/core/array.h"
#include "collector/core/refuse.h"
#include "collector/core/saturating.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AGGREGATOR_MAX 64		/* bytes of an aggregator's name, including NUL */
#define MARK_EVERY 64			/* acknowledgements */
#define HEAD_ROOM 4096			/* bytes for a half's head and some 30 losses */

/* Addresses count bytes from the first byte ever spooled, so that positions survive a rotation:
 * a half contains the addresses base .. base + segment_len(). */
struct half {
	struct segment segment;
	__u64 number;			/* grows by one with every rotation; 0: empty */
	__u64 base;
	__u64 mark_number, mark_at;	/* the latest mark found in it when it was opened */
};

struct flight {				/* a batch in flight */
	__u64 at;
	struct ack name;
	int acked;
};

struct spool {
	struct half half[2], *newer;
	__u64 limit, incarnation;
	__u64 front, next;		/* the oldest one not acknowledged; the oldest one not sent */
	unsigned unmarked;		/* acknowledgements since the latest mark */
	__u32 loss_seq;
	char aggregator[AGGREGATOR_MAX];
	struct flight flight[FLIGHT_MAX];
	size_t first_flight, n_flight;
	struct spool_stats stats;
};

/* --- the two halves --- */

static __u64 half_end(const struct half *h)
{
	return h->base + segment_len(&h->segment);
}

static void half_clear(struct half *h, __u64 base)
{
	segment_cut(&h->segment, 0);
	h->number = 0;
	h->base = base;
}

static struct half *spool_older(struct spool *s)
{
	return &s->half[s->newer == &s->half[0]];
}

static __u64 spool_end(const struct spool *s)
{
	return half_end(s->newer);
}

static struct half *half_of(struct spool *s, __u64 at)
{
	return at < s->newer->base ? spool_older(s) : s->newer;
}

/* Frees halves in which every batch is acknowledged. */
static void spool_release(struct spool *s)
{
	__u64 end = spool_end(s);

	if (spool_older(s)->number && s->front >= s->newer->base)
		half_clear(spool_older(s), s->newer->base);
	if (s->newer->number && s->front >= end)
		half_clear(s->newer, end);
}

/* --- dropped events are counted --- */

struct toll {				/* losses by source and instrumentation */
	struct batch *batch;
	size_t n;
};

/* Returns the loss if this batch is dropped: its events and the losses that it reports. */
static struct loss batch_loss(const struct batch *b)
{
	struct loss loss = { .n = b->loss.n, .sum = b->loss.sum, .first = b->slot, .last = b->slot };
	struct hist_reader r;

	if (b->loss.n) {
		loss.first = b->loss.first;
		loss.last = b->loss.last;
	}
	for (size_t i = 0; i < b->n_slices; i++) {
		const struct slice *slice = &b->slice[i];

		if (slice->axis || slice->weight || hist_reader_open(&r, slice->ruler, slice->hist, slice->hist_len))
			continue;
		loss.n = saturating_add(loss.n, r.count);
		loss.sum = saturating_add(loss.sum, r.sum);
		loss.first = b->slot < loss.first ? b->slot : loss.first;
		loss.last = b->slot > loss.last ? b->slot : loss.last;
	}
	return loss;
}

static struct batch *toll_of(struct toll *t, const struct batch *b)
{
	struct batch *more;

	for (size_t i = 0; i < t->n; i++)
		if (t->batch[i].inst == b->inst && t->batch[i].slot_ns == b->slot_ns &&
		    !strcmp(t->batch[i].source, b->source))
			return &t->batch[i];
	if (array_resize(&t->batch, t->n + 1, sizeof(*t->batch)))
		return NULL;
	more = &t->batch[t->n++];
	*more = (struct batch){ .inst = b->inst, .slot_ns = b->slot_ns };
	memcpy(more->source, b->source, sizeof(more->source));
	return more;
}

static int toll_add(struct spool *s, struct toll *t, const struct batch *b)
{
	struct loss loss = batch_loss(b);
	struct batch *at;

	s->stats.dropped_batches++;
	s->stats.dropped_events = saturating_add(s->stats.dropped_events, loss.n);
	if (!loss.n)
		return 0;
	at = toll_of(t, b);
	if (!at)
		return -ENOMEM;
	if (!at->loss.n || loss.first < at->loss.first)
		at->loss.first = loss.first;
	if (!at->loss.n || loss.last > at->loss.last)
		at->loss.last = loss.last;
	at->loss.n = saturating_add(at->loss.n, loss.n);
	at->loss.sum = saturating_add(at->loss.sum, loss.sum);
	return 0;
}

/* All frames with batches are made here. */
static int batch_frame(const struct batch *b, struct bytes *out)
{
	struct bytes payload = { 0 };
	int err;

	batch_encode(b, &payload);
	err = payload.err;
	if (!err) {
		frame_put(out, FRAME_BATCH, payload.data, payload.len);
		err = out->err;
	}
	bytes_fini(&payload);
	return err;
}

static int spool_append(struct spool *s, const struct batch *b)
{
	struct bytes frame = { 0 };
	int err = batch_frame(b, &frame);

	if (!err)
		err = segment_append(&s->newer->segment, &frame);
	bytes_fini(&frame);
	return err;
}

/* Puts the losses into the spool as batches of their own. */
static int toll_put(struct spool *s, struct toll *t)
{
	int err = 0;

	for (size_t i = 0; i < t->n && !err; i++) {
		struct batch *b = &t->batch[i];

		b->incarnation = s->incarnation;
		b->slot = b->loss.last;
		b->seq = LOSS_SEQ + s->loss_seq++;
		err = spool_append(s, b);
	}
	return err;
}

static int flight_acked(const struct spool *s, __u64 at)
{
	for (size_t i = 0; i < s->n_flight; i++) {
		const struct flight *f = &s->flight[(s->first_flight + i) % FLIGHT_MAX];

		if (f->at == at)
			return f->acked;
	}
	return 0;
}

/* Visits every batch of a half that is not acknowledged. */
static int half_each(struct spool *s, struct half *h,
		     int (*each)(struct spool *s, struct toll *t, const struct batch *b), struct toll *t)
{
	struct bytes buffer = { 0 };
	struct frame frame;
	struct batch b;
	long len = 0;
	int err = 0;

	for (__u64 at = h->base; at < half_end(h) && !err; at += (__u64)len) {
		len = segment_frame(&h->segment, at - h->base, &buffer, &frame);
		if (len < 0)
			break;
		if (at < s->front || frame.type != FRAME_BATCH || flight_acked(s, at) ||
		    batch_decode(frame.data, frame.len, &b))
			continue;
		err = each(s, t, &b);
		batch_fini(&b);
	}
	bytes_fini(&buffer);
	return err;
}

/* --- putting --- */

static int half_start(struct spool *s, struct half *h, __u64 number)
{
	json_t *json = json_pack("{s:i, s:s, s:I}", "format", FRAME_VERSION, "aggregator", s->aggregator, "segment",
				 (json_int_t)number);
	char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;
	struct bytes head = { 0 };
	int err = text ? 0 : -ENOMEM;

	if (!err) {
		frame_put(&head, FRAME_HELLO, text, strlen(text));
		err = head.err ? head.err : segment_append(&h->segment, &head);
	}
	if (!err)
		h->number = number;
	bytes_fini(&head);
	free(text);
	json_decref(json);
	return err;
}

static void flight_forget_before(struct spool *s, __u64 at)
{
	while (s->n_flight && s->flight[s->first_flight].at < at) {
		s->first_flight = (s->first_flight + 1) % FLIGHT_MAX;
		s->n_flight--;
	}
}

/* Replaces the older half by a new one, and counts the data that it still contained. */
static int spool_rotate(struct spool *s, struct toll *t)
{
	struct half *older = spool_older(s);
	__u64 number = s->newer->number + 1, base = s->newer->base;
	int err = older->number ? half_each(s, older, toll_add, t) : 0;

	if (err)
		return err;
	if (older->number) {
		flight_forget_before(s, base);
		s->front = s->front > base ? s->front : base;
		s->next = s->next > base ? s->next : base;
	}
	half_clear(older, spool_end(s));
	s->newer = older;
	return half_start(s, older, number);
}

/* Is there space for one more frame and, at the start of a half, for its head and a few losses? */
static int frame_fits_anywhere(const struct spool *s, size_t size)
{
	const struct segment empty = { .fd = s->newer->segment.fd };

	return size <= FRAME_MAX && segment_fits(&empty, size + HEAD_ROOM, s->limit / 2);
}

int spool_put(struct spool *s, const struct batch *b)
{
	struct bytes frame = { 0 };
	struct toll toll = { 0 };
	int err = batch_frame(b, &frame), fits = !err && frame_fits_anywhere(s, frame.len);

	if (err == -EMSGSIZE)
		err = 0;
	if (!err && !fits)
		err = toll_add(s, &toll, b);
	if (!err && !s->newer->number)
		err = half_start(s, s->newer, spool_older(s)->number + 1);
	if (!err && !segment_fits(&s->newer->segment, fits ? frame.len : HEAD_ROOM, s->limit / 2))
		err = spool_rotate(s, &toll);
	if (!err)
		err = toll_put(s, &toll);
	if (!err && fits)
		err = segment_append(&s->newer->segment, &frame);
	free(toll.batch);
	bytes_fini(&frame);
	return err;
}

/* --- sending --- */

static void flight_push(struct spool *s, __u64 at, const struct frame *frame)
{
	struct flight *f = &s->flight[(s->first_flight + s->n_flight++) % FLIGHT_MAX];
	struct batch b;

	memset(f, 0, sizeof(*f));
	f->at = at;
	f->acked = batch_decode(frame->data, frame->len, &b) != 0;	/* the aggregator cannot acknowledge it */
	if (f->acked)
		return;
	f->name = ack_of(&b);
	batch_fini(&b);
}

/* Writes how far the batches are acknowledged, for the next start. */
static void spool_mark(struct spool *s)
{
	const struct half *h = half_of(s, s->front);
	struct bytes payload = { 0 }, frame = { 0 };

	s->unmarked = 0;
	if (s->newer->segment.fd < 0)
		return;
	bytes_put_int(&payload, h->number, 8);
	bytes_put_int(&payload, s->front - h->base, 8);
	frame_put(&frame, FRAME_ACK, payload.data, payload.len);
	if (!payload.err && !frame.err)
		segment_append(&s->newer->segment, &frame);
	bytes_fini(&frame);
	bytes_fini(&payload);
}

/* Drops acknowledged batches from the front. */
static void flight_advance(struct spool *s)
{
	while (s->n_flight && s->flight[s->first_flight].acked) {
		s->first_flight = (s->first_flight + 1) % FLIGHT_MAX;
		s->n_flight--;
		s->unmarked++;
	}
	s->front = s->n_flight ? s->flight[s->first_flight].at : s->next;
	spool_release(s);
	if (s->unmarked >= MARK_EVERY && s->front < spool_end(s))
		spool_mark(s);
}

int spool_next(struct spool *s, struct bytes *ret_frame)
{
	while (s->next < spool_end(s) && s->n_flight < FLIGHT_MAX) {
		struct half *h = half_of(s, s->next);
		__u64 at = s->next;
		struct frame frame;
		long len = segment_frame(&h->segment, at - h->base, ret_frame, &frame);

		if (len < 0) {		/* the disk returned other bytes than we wrote */
			s->stats.cut_bytes += half_end(h) - at;
			s->next = half_end(h);
			continue;
		}
		s->next += (__u64)len;
		if (frame.type != FRAME_BATCH)
			continue;
		flight_push(s, at, &frame);
		if (!s->flight[(s->first_flight + s->n_flight - 1) % FLIGHT_MAX].acked)
			return 1;
	}
	flight_advance(s);
	return 0;
}

static int ack_same(const struct ack *a, const struct ack *b)
{
	return a->inst == b->inst && a->slot == b->slot && a->seq == b->seq && a->incarnation == b->incarnation &&
	       !strcmp(a->source, b->source);
}

void spool_ack(struct spool *s, const struct ack *a)
{
	for (size_t i = 0; i < s->n_flight; i++) {
		struct flight *f = &s->flight[(s->first_flight + i) % FLIGHT_MAX];

		if (!f->acked && ack_same(&f->name, a)) {
			f->acked = 1;
			break;
		}
	}
	flight_advance(s);
}

void spool_rewind(struct spool *s)
{
	s->n_flight = 0;
	s->next = s->front;
}

struct spool_stats spool_stats(const struct spool *s)
{
	struct spool_stats stats = s->stats;

	stats.waiting = spool_end(s) - s->front;
	stats.in_flight = s->n_flight;
	stats.file_err = s->newer->segment.file_err;
	return stats;
}

/* --- opening --- */

static int count_foreign(struct spool *s, struct toll *t, const struct batch *b)
{
	s->stats.foreign_batches++;
	return 0;
}

static void half_discard(struct spool *s, struct half *h)
{
	if (h->number)
		half_each(s, h, count_foreign, NULL);
	half_clear(h, h->base);
}

void spool_bind(struct spool *s, const char *aggregator)
{
	if (!strcmp(s->aggregator, aggregator))
		return;
	half_discard(s, spool_older(s));
	half_discard(s, s->newer);
	s->n_flight = 0;
	s->front = s->next = spool_end(s);
	snprintf(s->aggregator, sizeof(s->aggregator), "%s", aggregator);
}

/* Reads {"aggregator", "segment"}; 0 or -EBADMSG. */
static int head_read(const struct frame *frame, __u64 *ret_number, char aggregator[AGGREGATOR_MAX])
{
	json_t *json = frame->type == FRAME_HELLO ? json_loadb((const char *)frame->data, frame->len, 0, NULL) : NULL;
	const char *uuid = json_string_value(json_object_get(json, "aggregator"));
	json_int_t number = json_integer_value(json_object_get(json, "segment"));
	int ok = uuid && strlen(uuid) < AGGREGATOR_MAX && number > 0;

	if (ok) {
		strcpy(aggregator, uuid);
		*ret_number = (__u64)number;
	}
	json_decref(json);
	return ok ? 0 : -EBADMSG;
}

static int mark_read(struct half *h, const struct frame *frame)
{
	struct cursor c = { .data = frame->data, .len = frame->len };

	h->mark_number = cursor_get_int(&c, 8);
	h->mark_at = cursor_get_int(&c, 8);
	return c.err;
}

/* Finds the end of the complete frames in a file, and cuts the rest. */
static void half_scan(struct spool *s, struct half *h, char aggregator[AGGREGATOR_MAX])
{
	struct bytes buffer = { 0 };
	struct frame frame;
	__u64 at = 0, n_batches = 0;
	long len;

	while ((len = segment_frame(&h->segment, at, &buffer, &frame)) > 0) {
		if (!at ? head_read(&frame, &h->number, aggregator) :
		    frame.type == FRAME_ACK ? mark_read(h, &frame) : frame.type != FRAME_BATCH)
			break;
		n_batches += frame.type == FRAME_BATCH;
		at += (__u64)len;
	}
	bytes_fini(&buffer);
	s->stats.cut_bytes += segment_len(&h->segment) - at;
	if (!n_batches)
		half_clear(h, 0);
	else if (at < segment_len(&h->segment))
		segment_cut(&h->segment, at);
}

static int half_open(struct spool *s, int i, const char *path, char aggregator[AGGREGATOR_MAX], char *reason)
{
	struct half *h = &s->half[i];
	char name[PATH_MAX];
	int err = snprintf(name, sizeof(name), "%s.%d", path, i) < (int)sizeof(name) ? 0 : -ENAMETOOLONG;

	if (!err)
		err = segment_open(&h->segment, name);
	if (!err)
		half_scan(s, h, aggregator);
	else
		snprintf(reason, REASON_MAX, "spool %s.%d: %s", path, i,
			 err == -EBUSY ? "another collector is using it" : strerror(-err));
	return err;
}

/* The latest mark says which batches were acknowledged: they are not sent again. */
static void mark_apply(struct spool *s, const struct half *mark)
{
	for (int i = 0; i < 2; i++) {
		const struct half *h = &s->half[i];

		if (h->number && h->number == mark->mark_number && mark->mark_at <= segment_len(&h->segment) &&
		    h->base + mark->mark_at > s->front)
			s->front = s->next = h->base + mark->mark_at;
	}
}

/* Called after both files were read: which one is newer, and do they belong together? */
static void spool_arrange(struct spool *s, char aggregator[2][AGGREGATOR_MAX])
{
	struct half *older;

	s->newer = &s->half[s->half[1].number > s->half[0].number];
	older = spool_older(s);
	strcpy(s->aggregator, aggregator[s->newer == &s->half[1]]);
	if (older->number && strcmp(aggregator[0], aggregator[1]))
		half_discard(s, older);
	s->newer->base = half_end(older);
	mark_apply(s, older);
	mark_apply(s, s->newer);
	spool_release(s);
}

int spool_open(const struct spool_conf *conf, struct spool **ret_spool, char reason[REASON_MAX])
{
	struct spool *s = calloc(1, sizeof(*s));
	char aggregator[2][AGGREGATOR_MAX] = { "", "" };
	int err = 0;

	if (!s)
		return refuse_as(-ENOMEM, reason, "spool: no memory");
	s->limit = conf->limit;
	s->incarnation = conf->incarnation;
	for (int i = 0; i < 2; i++)
		segment_init(&s->half[i].segment);
	for (int i = 0; i < 2 && !err && conf->path && *conf->path; i++)
		err = half_open(s, i, conf->path, aggregator[i], reason);
	if (err) {
		spool_close(s);
		return err;
	}
	spool_arrange(s, aggregator);
	*ret_spool = s;
	return 0;
}

void spool_close(struct spool *s)
{
	if (!s)
		return;
	if (s->unmarked && s->front < spool_end(s))
		spool_mark(s);
	for (int i = 0; i < 2; i++)
		segment_close(&s->half[i].segment);
	free(s);
}
