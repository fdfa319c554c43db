#include "aggregator/query/keytable.h"
#include "collector/core/key.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void keytable_fini(struct keytable *t)
{
	for (size_t i = 0; i < t->n_keys; i++)
		free((void *)t->key[i].bytes);
	free(t->key);
	free(t->place);
	memset(t, 0, sizeof(*t));
}

/* Returns the place of a key, or the free place where it belongs.  There is always a free one. */
static size_t place_of(const struct keytable *t, const struct labels *key)
{
	__u64 hash = HASH_SEED;
	size_t at;

	for (size_t i = 0; i < key->len; i++)
		hash = hash_byte(hash, key->bytes[i]);
	for (at = hash & (t->n_places - 1); t->place[at]; at = (at + 1) & (t->n_places - 1))
		if (!labels_compare(&t->key[t->place[at] - 1], key))
			break;
	return at;
}

static int grow(struct keytable *t)
{
	size_t n = t->n_places ? 2 * t->n_places : 64;
	__u32 *place = calloc(n, sizeof(*place));
	struct labels *key = realloc(t->key, n / 2 * sizeof(*key));

	if (key)
		t->key = key;
	if (!place || !key) {
		free(place);
		return -ENOMEM;
	}
	free(t->place);
	t->place = place;
	t->n_places = n;
	for (size_t i = 0; i < t->n_keys; i++)
		t->place[place_of(t, &t->key[i])] = (__u32)i + 1;
	return 0;
}

long keytable_find(const struct keytable *t, const struct labels *key)
{
	__u32 number = t->n_places ? t->place[place_of(t, key)] : 0;

	return number ? (long)number - 1 : -ENOENT;
}

long keytable_at(struct keytable *t, const struct labels *key)
{
	size_t at;
	__u8 *bytes;

	if (2 * t->n_keys >= t->n_places && grow(t))
		return -ENOMEM;
	at = place_of(t, key);
	if (t->place[at])
		return t->place[at] - 1;
	bytes = malloc(key->len + 1u);
	if (!bytes)
		return -ENOMEM;
	if (key->len)
		memcpy(bytes, key->bytes, key->len);
	t->key[t->n_keys++] = (struct labels){ .bytes = bytes, .len = key->len };
	t->place[at] = (__u32)t->n_keys;
	return (long)t->n_keys - 1;
}
