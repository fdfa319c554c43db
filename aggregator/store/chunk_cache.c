#include "aggregator/store/chunk_cache.h"

#include <errno.h>
#include <search.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static int by_name(const void *a, const void *b)
{
	const struct chunk_cache_entry *x = a, *y = b;

	return memcmp(&x->name, &y->name, sizeof(x->name));
}

static struct chunk_cache_kind *kind_of(struct chunk_cache *m, const struct chunk_cache_entry *e)
{
	return e->name.grain == 1 ? &m->slots : &m->sums;
}

static size_t most_of(const struct chunk_cache *m, const struct chunk_cache_kind *kind)
{
	return kind == &m->slots ? CHUNK_CACHE_SLOTS : CHUNK_CACHE_SUMS;
}

size_t chunk_cache_bytes(const struct chunk_cache *m)
{
	return m->sums.bytes + m->slots.bytes;
}

static void unlink_entry(struct chunk_cache_kind *kind, struct chunk_cache_entry *e)
{
	*(e->older ? &e->older->newer : &kind->oldest) = e->newer;
	*(e->newer ? &e->newer->older : &kind->newest) = e->older;
}

static void link_newest(struct chunk_cache_kind *kind, struct chunk_cache_entry *e)
{
	e->older = kind->newest;
	e->newer = NULL;
	*(kind->newest ? &kind->newest->newer : &kind->oldest) = e;
	kind->newest = e;
}

static void drop_entry(struct chunk_cache *m, struct chunk_cache_entry *e)
{
	struct chunk_cache_kind *kind = kind_of(m, e);

	tdelete(e, &m->tree, by_name);
	unlink_entry(kind, e);
	kind->bytes -= e->bytes;
	free(e);
}

void chunk_cache_fini(struct chunk_cache *m)
{
	while (m->sums.oldest)
		drop_entry(m, m->sums.oldest);
	while (m->slots.oldest)
		drop_entry(m, m->slots.oldest);
	sum_fini(&m->sum);
	bytes_fini(&m->made);
	memset(m, 0, sizeof(*m));
}

static struct chunk_cache_entry *find_entry(struct chunk_cache *m, const struct chunk_cache_name *name)
{
	const struct chunk_cache_entry wanted = { .name = *name };
	struct chunk_cache_entry **found = tfind(&wanted, &m->tree, by_name);

	return found ? *found : NULL;
}

const struct chunk_cache_entry *chunk_cache_find(struct chunk_cache *m, const struct chunk_cache_name *name)
{
	struct chunk_cache_entry *e = find_entry(m, name);

	if (e) {
		unlink_entry(kind_of(m, e), e);
		link_newest(kind_of(m, e), e);
	}
	return e;
}

/* The pieces to add up: slots of a chunk, or sums of them. */
struct pieces {
	__u64 ruler;
	__u16 axis, weight;
	struct labels key;
	const struct chunk_part *part;
	unsigned per;			/* so many become one */
};

static int copy_piece(struct chunk_cache *m, const struct chunk_part *part, __u32 *ret_len)
{
	*ret_len = part->hist_len;
	if (part->hist_len)
		bytes_put(&m->made, part->hist, part->hist_len);
	return m->made.err;
}

/* Adds up `per` pieces at the end of m->made; *ret_len 0: they are empty. */
static int add_pieces(struct chunk_cache *m, const struct pieces *p, unsigned from, __u32 *ret_len)
{
	bool some = false;
	int err = 0;

	for (unsigned i = from; i < from + p->per && !err; i++) {
		if (!p->part[i].hist_len)
			continue;
		if (!some)
			err = sum_begin(&m->sum, p->ruler);
		some = true;
		if (!err)
			err = sum_add(&m->sum, p->part[i].hist, p->part[i].hist_len);
	}
	if (!err && some)
		err = sum_end(&m->sum);
	*ret_len = some ? (__u32)m->sum.bytes.len : 0;
	if (!err && some)
		bytes_put(&m->made, m->sum.bytes.data, m->sum.bytes.len);
	return err ? err : m->made.err;
}

/* Makes one piece of memory: the entry, its sums, the key's bytes, the histograms' bytes. */
static struct chunk_cache_entry *entry_of(const struct chunk_cache *m, const struct chunk_cache_name *name, const struct pieces *p, const __u32 *len)
{
	unsigned n = CHUNK_SLOTS / name->grain;
	size_t bytes = sizeof(struct chunk_cache_entry) + n * sizeof(struct chunk_part) + p->key.len + m->made.len;
	struct chunk_cache_entry *e = malloc(bytes);
	__u8 *key, *hist;

	if (!e)
		return NULL;
	*e = (struct chunk_cache_entry){ .name = *name, .n = n, .sum = (struct chunk_part *)(e + 1), .bytes = bytes };
	key = (__u8 *)(e->sum + n);
	hist = key + p->key.len;
	if (p->key.len)
		memcpy(key, p->key.bytes, p->key.len);
	if (m->made.len)
		memcpy(hist, m->made.data, m->made.len);
	e->slice = (struct slice){ .ruler = p->ruler, .axis = p->axis, .weight = p->weight, .key = { key, p->key.len } };
	for (unsigned i = 0; i < n; hist += len[i++])
		e->sum[i] = (struct chunk_part){ hist, len[i] };
	return e;
}

/* Replaces the entry of the same name; drops the oldest of the same kind where space is short. */
static const struct chunk_cache_entry *keep_entry(struct chunk_cache *m, struct chunk_cache_entry *e)
{
	struct chunk_cache_entry *old = e ? find_entry(m, &e->name) : NULL;
	struct chunk_cache_kind *kind = e ? kind_of(m, e) : NULL;

	if (!e)
		return NULL;
	if (old)
		drop_entry(m, old);
	while (kind->oldest && kind->bytes + e->bytes > most_of(m, kind))
		drop_entry(m, kind->oldest);
	if (kind->bytes + e->bytes > most_of(m, kind) || !tsearch(e, &m->tree, by_name)) {
		free(e);
		return NULL;
	}
	link_newest(kind, e);
	kind->bytes += e->bytes;
	return e;
}

/* The pieces may belong to another entry, which may be dropped here: by then they are copied. */
static const struct chunk_cache_entry *remember_pieces(struct chunk_cache *m, const struct chunk_cache_name *name, const struct pieces *p)
{
	__u32 len[CHUNK_SLOTS];
	int err = 0;

	bytes_clear(&m->made);
	for (unsigned i = 0; i < CHUNK_SLOTS / name->grain && !err; i++)
		err = p->per == 1 ? copy_piece(m, &p->part[i], &len[i]) : add_pieces(m, p, i * p->per, &len[i]);
	return err ? NULL : keep_entry(m, entry_of(m, name, p, len));
}

const struct chunk_cache_entry *chunk_cache_make(struct chunk_cache *m, const struct chunk_cache_name *name, const struct chunk *c)
{
	const struct pieces p = { c->name.ruler, c->name.axis, c->name.weight, c->name.key, c->slot, name->grain };

	return remember_pieces(m, name, &p);
}

/* One piece of memory: the entry, its counts, the key's bytes. */
const struct chunk_cache_entry *chunk_cache_count(struct chunk_cache *m, const struct chunk_cache_name *name, const struct chunk *c)
{
	size_t bytes = sizeof(struct chunk_cache_entry) + CHUNK_SLOTS * sizeof(__u64) + c->name.key.len;
	struct chunk_cache_entry *e = malloc(bytes);
	struct hist_reader r = { .count = 0 };
	int err = e ? 0 : -ENOMEM;
	__u8 *key;

	if (err)
		return NULL;
	*e = (struct chunk_cache_entry){ .name = *name, .n = CHUNK_SLOTS, .count = (__u64 *)(e + 1), .bytes = bytes };
	key = (__u8 *)(e->count + CHUNK_SLOTS);
	if (c->name.key.len)
		memcpy(key, c->name.key.bytes, c->name.key.len);
	e->slice = (struct slice){ .ruler = c->name.ruler, .axis = c->name.axis, .weight = c->name.weight,
				   .key = { key, c->name.key.len } };
	for (unsigned i = 0; i < CHUNK_SLOTS && !err; i++) {
		if (c->slot[i].hist_len)
			err = hist_reader_open(&r, c->name.ruler, c->slot[i].hist, c->slot[i].hist_len);
		e->count[i] = c->slot[i].hist_len ? r.count : 0;
	}
	if (err) {
		free(e);
		return NULL;
	}
	return keep_entry(m, e);
}

/* Finds the coarsest entry whose grain divides this one. */
static const struct chunk_cache_entry *find_finer(struct chunk_cache *m, const struct chunk_cache_name *name)
{
	struct chunk_cache_name finer = *name;
	const struct chunk_cache_entry *e = NULL;

	for (finer.grain = name->grain / 2; finer.grain && !e; finer.grain--)
		e = name->grain % finer.grain ? NULL : find_entry(m, &finer);
	return e;
}

const struct chunk_cache_entry *chunk_cache_coarser(struct chunk_cache *m, const struct chunk_cache_name *name)
{
	const struct chunk_cache_entry *e = find_finer(m, name);
	struct pieces p;

	if (!e)
		return NULL;
	p = (struct pieces){ e->slice.ruler, e->slice.axis, e->slice.weight, e->slice.key, e->sum, name->grain / e->name.grain };
	return remember_pieces(m, name, &p);
}

void chunk_cache_forget(struct chunk_cache *m, const struct chunk_cache_name *name)
{
	struct chunk_cache_name one = *name;

	for (one.grain = 0; one.grain <= CHUNK_SLOTS; one.grain++) {
		struct chunk_cache_entry *e = one.grain && CHUNK_SLOTS % one.grain ? NULL : find_entry(m, &one);

		if (e)
			drop_entry(m, e);
	}
}
