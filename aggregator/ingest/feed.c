#include "aggregator/ingest/feed.h"

#include "aggregator/store/slot_slices.h"
#include "collector/core/array.h"
#include "collector/core/frame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FULL_BYTES (1u << 20)
#define FULL_FOLDS 256
#define FOLD_BYTES (64u << 10)		/* a frame has about so many bytes of slices at most */
#define SLICE_BYTES 24			/* of a slice in a batch, besides key and histogram */

struct fold {
	__u64 inst, slot_ns;
	__s64 slot;
	struct slot_slices slices;
};

struct feed {
	struct bytes facts;		/* frames */
	size_t n_folds, folds_room;
	struct fold *fold;
	struct keys keys;
	struct sum scratch;
	struct bytes batch, frame;	/* scratch, while pieces are made */
};

static struct fold *fold_of(struct feed *f, const struct batch *b)
{
	struct fold *fold;

	for (size_t i = f->n_folds; i-- > 0;)
		if (f->fold[i].inst == b->inst && f->fold[i].slot == b->slot)
			return &f->fold[i];
	if (array_grow(&f->fold, f->n_folds, &f->folds_room, sizeof(*f->fold)))
		return NULL;
	fold = &f->fold[f->n_folds++];
	*fold = (struct fold){ .inst = b->inst, .slot_ns = b->slot_ns, .slot = b->slot };
	return fold;
}

static void put_frame(struct feed *f, struct bytes *out, enum frame_type type, const struct batch *b)
{
	bytes_clear(&f->batch);
	batch_encode(b, &f->batch);
	frame_put(out, type, f->batch.data, f->batch.len);
	out->err = out->err ? out->err : f->batch.err;
}

int feed_add(struct feed *f, const struct batch *b)
{
	struct batch facts = *b;
	struct fold *fold = b->n_slices ? fold_of(f, b) : NULL;

	facts.n_slices = 0;
	put_frame(f, &f->facts, FRAME_BATCH, &facts);
	if (f->facts.err || (b->n_slices && !fold))
		return -ENOMEM;
	return fold ? slot_slices_add(&fold->slices, &f->keys, &f->scratch, b->slice, b->n_slices) : 0;
}

bool feed_is_empty(const struct feed *f)
{
	return !f->facts.len;
}

bool feed_is_full(const struct feed *f)
{
	return f->facts.len >= FULL_BYTES || f->n_folds >= FULL_FOLDS;
}

/* --- pieces --- */

struct pieces {
	struct feed *feed;
	const struct fold *fold;
	struct slice slice[FOLD_BYTES / SLICE_BYTES];
	size_t n, bytes;		/* slices that wait, and about how many bytes they will be */
	struct bytes out;
	size_t most;
	void (*piece)(void *arg, const __u8 *data, size_t len);
	void *arg;
};

static void end_piece(struct pieces *p)
{
	if (p->out.err)
		p->piece(p->arg, NULL, 0);
	else if (p->out.len)
		p->piece(p->arg, p->out.data, p->out.len);
	bytes_clear(&p->out);
}

static void add_frame(struct pieces *p, const __u8 *data, size_t len)
{
	if (p->out.len + len > p->most)
		end_piece(p);
	if (len > p->most)
		p->piece(p->arg, NULL, 0);
	else
		bytes_put(&p->out, data, len);
}

/* The source of a fold is not read. */
static void end_fold(struct pieces *p)
{
	struct batch b = { .source = "-", .inst = p->fold->inst, .slot_ns = p->fold->slot_ns, .slot = p->fold->slot, .run = 1, .slice = p->slice,
			   .n_slices = p->n };

	if (!p->n)
		return;
	bytes_clear(&p->feed->frame);
	put_frame(p->feed, &p->feed->frame, FRAME_FOLD, &b);
	if (p->feed->frame.err)
		p->piece(p->arg, NULL, 0);
	else
		add_frame(p, p->feed->frame.data, p->feed->frame.len);
	p->n = p->bytes = 0;
}

static void add_slice(void *arg, __s64 slot, const struct slice *s)
{
	struct pieces *p = arg;
	size_t len = SLICE_BYTES + s->key.len + s->hist_len;

	if (p->n == sizeof(p->slice) / sizeof(*p->slice) || p->bytes + len > FOLD_BYTES)
		end_fold(p);
	p->slice[p->n++] = *s;
	p->bytes += len;
}

static void add_facts(struct pieces *p)
{
	const struct feed *f = p->feed;
	struct frame frame;

	for (size_t at = 0; at < f->facts.len;) {
		long len = frame_get(f->facts.data + at, f->facts.len - at, &frame);

		if (len <= 0)
			break;		/* we wrote them */
		add_frame(p, f->facts.data + at, (size_t)len);
		at += (size_t)len;
	}
}

void feed_take(struct feed *f, size_t most, void (*piece)(void *arg, const __u8 *data, size_t len), void *arg)
{
	struct pieces *p = calloc(1, sizeof(*p));
	const struct store_reader reader = { .arg = p, .slice = add_slice };

	if (!p) {
		piece(arg, NULL, 0);
		feed_clear(f);
		return;
	}
	*p = (struct pieces){ .feed = f, .most = most, .piece = piece, .arg = arg };
	for (size_t i = 0; i < f->n_folds; i++) {
		p->fold = &f->fold[i];
		slot_slices_read(&p->fold->slices, p->fold->slot, -1, -1, &reader);
		end_fold(p);
	}
	add_facts(p);
	end_piece(p);
	bytes_fini(&p->out);
	free(p);
	feed_clear(f);
}

/* --- begin and end --- */

void feed_clear(struct feed *f)
{
	for (size_t i = 0; i < f->n_folds; i++)
		slot_slices_fini(&f->fold[i].slices, &f->keys);
	f->n_folds = 0;
	bytes_clear(&f->facts);
}

int feed_new(struct feed **ret_feed)
{
	*ret_feed = calloc(1, sizeof(**ret_feed));
	return *ret_feed ? 0 : -ENOMEM;
}

void feed_free(struct feed *f)
{
	if (!f)
		return;
	feed_clear(f);
	keys_fini(&f->keys);
	sum_fini(&f->scratch);
	bytes_fini(&f->facts);
	bytes_fini(&f->batch);
	bytes_fini(&f->frame);
	free(f->fold);
	free(f);
}
