/* keys.h - keeps one counted copy of each key in use.
 *
 *      labels --keys_take()--> one shared copy --keys_drop()--> freed with its last user
 *
 * Why     The slots of an hour name the same few keys thousands of times.  Over weeks keys come and go (a pid, a
 *         connection), so a key that no slot uses must be freed.
 * Memory  a zeroed one is empty; keys_fini() frees all keys, even those still in use.
 * Thread  any, one at a time.
 */
#ifndef HEATSCOPE_KEYS_H
#define HEATSCOPE_KEYS_H

#include "collector/core/slice.h"

struct kept_key {
	struct kept_key *next;		/* in its bucket */
	__u32 hash;
	__u32 n_users;
	struct labels labels;		/* borrow from `bytes` */
	__u8 bytes[];
};

struct keys {
	size_t n_keys, n_buckets;	/* buckets: 0 or a power of two */
	struct kept_key **bucket;
};

void keys_fini(struct keys *k);
struct kept_key *keys_take(struct keys *k, const struct labels *labels);	/* NULL: no memory */
void keys_drop(struct keys *k, struct kept_key *key);

#endif
