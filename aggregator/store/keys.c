#include "aggregator/store/keys.h"

#include <stdlib.h>
#include <string.h>

#define FEWEST_BUCKETS 64

void keys_fini(struct keys *k)
{
	for (size_t i = 0; i < k->n_buckets; i++) {
		struct kept_key *next;

		for (struct kept_key *key = k->bucket[i]; key; key = next) {
			next = key->next;
			free(key);
		}
	}
	free(k->bucket);
	memset(k, 0, sizeof(*k));
}

static __u32 hash_of(const struct labels *labels)	/* FNV-1a */
{
	__u32 hash = 2166136261u;

	for (size_t i = 0; i < labels->len; i++)
		hash = (hash ^ labels->bytes[i]) * 16777619u;
	return hash;
}

/* Doubles the buckets.  Without memory for that, the chains just get longer. */
static void grow_buckets(struct keys *k)
{
	size_t n = k->n_buckets ? 2 * k->n_buckets : FEWEST_BUCKETS;
	struct kept_key **bucket = calloc(n, sizeof(*bucket)), *next;

	if (!bucket)
		return;
	for (size_t i = 0; i < k->n_buckets; i++) {
		for (struct kept_key *key = k->bucket[i]; key; key = next) {
			next = key->next;
			key->next = bucket[key->hash & (n - 1)];
			bucket[key->hash & (n - 1)] = key;
		}
	}
	free(k->bucket);
	k->bucket = bucket;
	k->n_buckets = n;
}

static struct kept_key *key_new(const struct labels *labels, __u32 hash)
{
	struct kept_key *key = malloc(sizeof(*key) + labels->len);

	if (!key)
		return NULL;
	*key = (struct kept_key){ .hash = hash, .n_users = 1 };
	if (labels->len)
		memcpy(key->bytes, labels->bytes, labels->len);
	key->labels = (struct labels){ .bytes = key->bytes, .len = labels->len };
	return key;
}

struct kept_key *keys_take(struct keys *k, const struct labels *labels)
{
	__u32 hash = hash_of(labels);
	struct kept_key *key, **at;

	if (k->n_keys >= k->n_buckets)
		grow_buckets(k);
	if (!k->n_buckets)
		return NULL;
	at = &k->bucket[hash & (k->n_buckets - 1)];
	for (key = *at; key; key = key->next) {
		if (key->hash == hash && !labels_compare(&key->labels, labels)) {
			key->n_users++;
			return key;
		}
	}
	key = key_new(labels, hash);
	if (key) {
		key->next = *at;
		*at = key;
		k->n_keys++;
	}
	return key;
}

void keys_drop(struct keys *k, struct kept_key *key)
{
	struct kept_key **at = &k->bucket[key->hash & (k->n_buckets - 1)];

	if (--key->n_users)
		return;
	while (*at != key)
		at = &(*at)->next;
	*at = key->next;
	k->n_keys--;
	free(key);
}
