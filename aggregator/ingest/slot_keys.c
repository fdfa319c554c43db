#include "aggregator/ingest/slot_keys.h"

#include "aggregator/store/incoming_batch.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define BUCKETS 4096
#define ROOM_LEAST 16

/* The keys of one slot of a source: an open hash table; 0 marks a free place. */
struct key_table {
	struct key_table *next;		/* of the bucket */
	struct key_table *older, *newer;	/* in the order of last use */
	__u64 inst, source;		/* source: hash of the source's name */
	__s64 slot;
	size_t n, room;
	__u64 *hash;
};

struct slot_keys {
	size_t most, hashes, n_room;	/* n_room: of all tables together */
	__u64 seed;
	struct key_table *bucket[BUCKETS];
	struct key_table *oldest, *newest;
};

static __u64 mix_hash(__u64 z)		/* of splitmix64 */
{
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

static __u64 hash_of(const struct slot_keys *k, const void *data, size_t len)
{
	const __u8 *at = data;
	__u64 h = k->seed ^ len, word;

	for (; len >= sizeof(word); at += sizeof(word), len -= sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		h = mix_hash(h + word) + k->seed;
	}
	word = 0;
	memcpy(&word, at, len);
	h = mix_hash(h + word);
	return h ? h : 1;
}

static struct key_table **bucket_of(struct slot_keys *k, __u64 inst, __s64 slot, __u64 source)
{
	return &k->bucket[mix_hash(source + mix_hash(inst + mix_hash((__u64)slot))) % BUCKETS];
}

/* --- by last use --- */

static void unlink_age(struct slot_keys *k, struct key_table *d)
{
	*(d->older ? &d->older->newer : &k->oldest) = d->newer;
	*(d->newer ? &d->newer->older : &k->newest) = d->older;
}

static void link_newest(struct slot_keys *k, struct key_table *d)
{
	d->older = k->newest;
	d->newer = NULL;
	*(k->newest ? &k->newest->newer : &k->oldest) = d;
	k->newest = d;
}

static void forget_table(struct slot_keys *k, struct key_table *d)
{
	struct key_table **at = bucket_of(k, d->inst, d->slot, d->source);

	while (*at != d)
		at = &(*at)->next;
	*at = d->next;
	unlink_age(k, d);
	k->n_room -= d->room;
	free(d->hash);
	free(d);
}

/* Forgets the oldest tables, except the present one. */
static void forget_oldest(struct slot_keys *k, const struct key_table *but)
{
	while (k->n_room > k->hashes && k->oldest && k->oldest != but)
		forget_table(k, k->oldest);
}

/* --- one slot's keys --- */

static bool put_hash(__u64 *table, size_t room, __u64 hash)
{
	size_t at = hash & (room - 1);

	while (table[at] && table[at] != hash)
		at = (at + 1) & (room - 1);
	if (table[at])
		return false;
	table[at] = hash;
	return true;
}

static bool has_hash(const struct key_table *d, __u64 hash)
{
	size_t at = hash & (d->room - 1);

	while (d->hash[at] && d->hash[at] != hash)
		at = (at + 1) & (d->room - 1);
	return d->hash[at] != 0;
}

/* At least half of a table stays free. */
static int grow_table(struct slot_keys *k, struct key_table *d, size_t n)
{
	size_t room = d->room ? d->room : ROOM_LEAST;
	__u64 *table;

	while (room < 2 * n)
		room *= 2;
	if (room == d->room)
		return 0;
	table = calloc(room, sizeof(*table));
	if (!table)
		return -ENOMEM;
	for (size_t i = 0; i < d->room; i++)
		if (d->hash[i])
			put_hash(table, room, d->hash[i]);
	free(d->hash);
	k->n_room += room - d->room;
	d->hash = table;
	d->room = room;
	return 0;
}

static struct key_table *drawer_of(struct slot_keys *k, const struct batch *b)
{
	__u64 source = hash_of(k, b->source, strlen(b->source));
	struct key_table **at = bucket_of(k, b->inst, b->slot, source), *d = *at;

	while (d && (d->inst != b->inst || d->slot != b->slot || d->source != source))
		d = d->next;
	if (d) {
		unlink_age(k, d);
	} else {
		d = calloc(1, sizeof(*d));
		if (!d)
			return NULL;
		*d = (struct key_table){ .next = *at, .inst = b->inst, .slot = b->slot, .source = source };
		*at = d;
	}
	link_newest(k, d);
	return d;
}

/* --- a batch --- */

static void lose_slice(struct batch *b, const struct slice *s, __u64 *n_events)
{
	struct loss *l = &b->loss;
	struct hist_reader r;
	__u64 n = 0, sum = 0;

	if (!s->axis && !s->weight && !hist_reader_open(&r, s->ruler, s->hist, s->hist_len)) {
		n = r.count;
		sum = r.sum;
	}
	l->first = l->n && l->first < b->slot ? l->first : b->slot;
	l->last = l->n && l->last > b->slot ? l->last : b->slot;
	l->n = events_add(l->n, n);
	l->sum = events_add(l->sum, sum);
	*n_events = events_add(*n_events, n);
}

/* For slices of other measures only: at least one event is lost. */
static void lose_something(struct batch *b, __u64 *n_events)
{
	if (!*n_events) {
		*n_events = 1;
		b->loss.n = events_add(b->loss.n, 1);
	}
}

int slot_keys_cut(struct slot_keys *k, struct batch *b, __u64 *ret_n_events)
{
	struct key_table *d;
	size_t kept = 0;
	int err;

	*ret_n_events = 0;
	if (!b->n_slices)
		return 0;
	d = drawer_of(k, b);
	if (!d)
		return -ENOMEM;
	err = grow_table(k, d, d->n + b->n_slices < k->most ? d->n + b->n_slices : k->most);
	if (err)
		return err;
	for (size_t i = 0; i < b->n_slices; i++) {
		__u64 hash = hash_of(k, b->slice[i].key.bytes, b->slice[i].key.len);

		if (d->n < k->most)
			d->n += put_hash(d->hash, d->room, hash);
		if (has_hash(d, hash))
			b->slice[kept++] = b->slice[i];
		else
			lose_slice(b, &b->slice[i], ret_n_events);
	}
	if (kept < b->n_slices)
		lose_something(b, ret_n_events);
	b->n_slices = kept;
	forget_oldest(k, d);
	return 0;
}

int slot_keys_new(size_t most, size_t hashes, struct slot_keys **ret_keys)
{
	struct slot_keys *k = calloc(1, sizeof(*k));

	if (!k)
		return -ENOMEM;
	k->most = most;
	k->hashes = hashes;
	if (getrandom(&k->seed, sizeof(k->seed), 0) != sizeof(k->seed))
		k->seed = (__u64)(uintptr_t)k;
	*ret_keys = k;
	return 0;
}

void slot_keys_free(struct slot_keys *k)
{
	while (k && k->oldest)
		forget_table(k, k->oldest);
	free(k);
}
