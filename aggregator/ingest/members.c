#include "aggregator/ingest/members.h"

#include "collector/core/key.h"

#include <stdio.h>
#include <string.h>

struct member *members_find(struct members *m, const char *id)
{
	for (size_t i = 0; i < m->n; i++)
		if (!strcmp(m->other[i].id, id))
			return &m->other[i];
	return NULL;
}

struct member *members_see(struct members *m, const char *id, __u64 now_ms)
{
	struct member *known = members_find(m, id);

	if (!known && m->n == MEMBERS_MAX)
		return NULL;
	if (!known) {
		known = &m->other[m->n++];
		*known = (struct member){ .next_feed = 1 };
		snprintf(known->id, sizeof(known->id), "%s", id);
	}
	known->seen_ms = now_ms;
	return known;
}

void members_remove(struct members *m, struct member *gone)
{
	*gone = m->other[--m->n];
}

struct member *members_silent(struct members *m, __u64 now_ms)
{
	for (size_t i = 0; i < m->n; i++)
		if (now_ms - m->other[i].seen_ms > MEMBER_AGE_MS)
			return &m->other[i];
	return NULL;
}

const struct member *members_leader(const struct members *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->other[i].leads)
			return &m->other[i];
	return NULL;
}

/* FNV-1a of the id, then the partition; the last steps are those of SplitMix64 (Steele, Lea, Flood 2014), so that
 * neighbouring partitions and similar ids get unrelated numbers. */
static __u64 claim(const char *id, unsigned partition)
{
	__u64 hash = HASH_SEED;

	for (const char *c = id; *c; c++)
		hash = hash_byte(hash, (__u8)*c);
	hash += (partition + 1) * 0x9e3779b97f4a7c15ull;
	hash = (hash ^ hash >> 30) * 0xbf58476d1ce4e5b9ull;
	hash = (hash ^ hash >> 27) * 0x94d049bb133111ebull;
	return hash ^ hash >> 31;
}

bool members_owns(const struct members *m, unsigned partition)
{
	__u64 ours = claim(m->self, partition);

	for (size_t i = 0; i < m->n; i++) {
		__u64 theirs = claim(m->other[i].id, partition);

		if (theirs > ours || (theirs == ours && strcmp(m->other[i].id, m->self) > 0))
			return false;
	}
	return true;
}
