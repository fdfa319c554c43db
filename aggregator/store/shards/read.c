#include "aggregator/store/shards/private.h"

#include "collector/core/array.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct exemplar_set {			/* the exemplars of a batch */
	char source[SOURCE_MAX];
	__s64 slot;
	__u8 *data;
	size_t len;
};

struct shard_dropped {			/* as a shard gave it: once, or not at all */
	__s64 first, last;
};

struct reading {
	__u64 inst;
	const struct store_range *range;
	const struct store_reader *reader;
	pthread_mutex_t lock;		/* while the reader is called */
	size_t n_sets, sets_room;
	struct exemplar_set *set;
	size_t n_dropped;
	struct shard_dropped dropped[STORE_SHARDS_MAX];
	int err;
};

static const struct store_reader *lock_reader(struct reading *r)
{
	pthread_mutex_lock(&r->lock);
	return r->reader;
}

static void unlock_reader(struct reading *r)
{
	pthread_mutex_unlock(&r->lock);
}

static void on_slice(void *arg, __s64 slot, const struct slice *s)
{
	const struct store_reader *to = lock_reader(arg);

	to->slice(to->arg, slot, s);
	unlock_reader(arg);
}

static void on_count(void *arg, const struct slice *s, __u64 n)
{
	const struct store_reader *to = lock_reader(arg);

	to->count(to->arg, s, n);
	unlock_reader(arg);
}

static void on_cover(void *arg, const char *source, __s64 first, __s64 last)
{
	const struct store_reader *to = lock_reader(arg);

	to->cover(to->arg, source, first, last);
	unlock_reader(arg);
}

static void on_loss(void *arg, const char *source, const struct loss *loss)
{
	const struct store_reader *to = lock_reader(arg);

	to->loss(to->arg, source, loss);
	unlock_reader(arg);
}

static void on_mark(void *arg, const struct mark *mark)
{
	const struct store_reader *to = lock_reader(arg);

	to->mark(to->arg, mark);
	unlock_reader(arg);
}

static void on_sparse(void *arg, const char *source, __s64 first, __s64 last, __u64 n)
{
	const struct store_reader *to = lock_reader(arg);

	to->sparse(to->arg, source, first, last, n);
	unlock_reader(arg);
}

static bool on_wants(void *arg, const struct labels *key)
{
	const struct store_reader *to = lock_reader(arg);
	bool wants = to->wants(to->arg, key);

	unlock_reader(arg);
	return wants;
}

static void on_damaged(void *arg, __s64 first, __s64 last)
{
	const struct store_reader *to = lock_reader(arg);

	to->damaged(to->arg, first, last);
	unlock_reader(arg);
}

static void on_dropped(void *arg, __s64 first, __s64 last)
{
	struct reading *r = arg;

	lock_reader(r);
	if (r->n_dropped < STORE_SHARDS_MAX)
		r->dropped[r->n_dropped++] = (struct shard_dropped){ first, last };
	unlock_reader(r);
}

static int keep_exemplars(struct reading *r, const char *source, __s64 slot, const __u8 *data, size_t len)
{
	struct exemplar_set e = { .slot = slot, .data = malloc(len + 1), .len = len };
	int err = e.data ? array_grow(&r->set, r->n_sets, &r->sets_room, sizeof(e)) : -ENOMEM;

	if (err) {
		free(e.data);
		return err;
	}
	snprintf(e.source, sizeof(e.source), "%s", source);
	memcpy(e.data, data, len);
	r->set[r->n_sets++] = e;
	return 0;
}

/* They are kept until all shards have given theirs, and are sorted. */
static void on_exemplars(void *arg, const char *source, __s64 slot, const __u8 *data, size_t len)
{
	struct reading *r = arg;
	int err;

	lock_reader(r);
	err = keep_exemplars(r, source, slot, data, len);
	r->err = r->err ? r->err : err;
	unlock_reader(r);
}

static int read_shard(void *arg, struct shard *h)
{
	struct reading *r = arg;
	const struct store_reader *to = r->reader;
	const struct store_reader reader = {
		.arg = r,
		.slice = to->slice ? on_slice : NULL,
		.count = to->count ? on_count : NULL,
		.cover = to->cover ? on_cover : NULL,
		.loss = to->loss ? on_loss : NULL,
		.mark = to->mark ? on_mark : NULL,
		.sparse = to->sparse ? on_sparse : NULL,
		.dropped = to->dropped ? on_dropped : NULL,
		.wants = to->wants ? on_wants : NULL,
		.exemplars = to->exemplars ? on_exemplars : NULL,
		.damaged = to->damaged ? on_damaged : NULL,
	};

	return h->store->ops->read(h->store, r->inst, r->range, &reader);
}

static int by_slot(const void *a, const void *b)
{
	const struct exemplar_set *x = a, *y = b;

	return (x->slot > y->slot) - (x->slot < y->slot);
}

static void give_exemplars(struct reading *r)
{
	if (r->n_sets)
		qsort(r->set, r->n_sets, sizeof(*r->set), by_slot);
	for (size_t i = 0; i < r->n_sets; i++)
		r->reader->exemplars(r->reader->arg, r->set[i].source, r->set[i].slot, r->set[i].data, r->set[i].len);
}

static int by_first(const void *a, const void *b)
{
	const struct shard_dropped *x = a, *y = b;

	return (x->first > y->first) - (x->first < y->first);
}

/* Ranges that overlap or touch are given as one. */
static void give_dropped(struct reading *r)
{
	const struct shard_dropped *d = r->dropped;
	__s64 last;

	if (r->n_dropped)
		qsort(r->dropped, r->n_dropped, sizeof(*r->dropped), by_first);
	for (size_t i = 0, j; i < r->n_dropped; i = j) {
		last = d[i].last;
		for (j = i + 1; j < r->n_dropped && d[j].first <= last + 1; j++)
			last = d[j].last > last ? d[j].last : last;
		r->reader->dropped(r->reader->arg, d[i].first, last);
	}
}

int shards_read(struct store *s, __u64 inst, const struct store_range *range, const struct store_reader *reader)
{
	struct shards *g = shards_of(s);
	struct reading r = { .inst = inst, .range = range, .reader = reader, .lock = PTHREAD_MUTEX_INITIALIZER };
	int err = set_look(g, false);

	if (!err)
		err = call_all(g, read_shard, &r);
	err = err ? err : r.err;
	if (!err) {
		give_exemplars(&r);
		give_dropped(&r);
	}
	for (size_t i = 0; i < r.n_sets; i++)
		free(r.set[i].data);
	free(r.set);
	pthread_mutex_destroy(&r.lock);
	return err;
}
