/* key.h - defines a key inside the kernel: one code per decomposed field.
 *
 * A code is a number, an enumeration or a 64-bit hash.  Only the metric's own functions know what a code means
 * (field_codes.h).  Outside the host a key is the bytes of its labels (slice.h).
 */
#ifndef HEATSCOPE_KEY_H
#define HEATSCOPE_KEY_H

#include <linux/types.h>

#define KEY_CODES 4			/* == KEY_FIELDS_MAX */

struct key {
	__u64 code[KEY_CODES];		/* unused ones are 0 */
};

/* Replaces the code of a field that is left out because it costs too much (budget.h). */
#define KEY_SHED (~0ull - 1)
#define KEY_SHED_LABEL "shed"

/* FNV-1a, 64 bits, the hash of every text that becomes a code (Fowler, Noll, Vo 1991;
 * draft-eastlake-fnv).  Function and seed are part of the recording format. */
#define HASH_SEED 0xcbf29ce484222325ull

static inline __u64 hash_byte(__u64 hash, __u8 byte)
{
	return (hash ^ byte) * 0x100000001b3ull;
}

#endif
