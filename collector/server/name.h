/* name.h - a name among a client's bytes, a user's, database's or table's: as a code, and its bytes for its label.
 *
 *      name_begin() -> name_byte() each -> name_code()
 *
 * Cut     a name that is longer than NAME_ROOM is told by its first NAME_ROOM bytes.
 * Bytes   are the client's: in its character set, whatever they are.
 * Both    pure; tested and fuzzed by whoever reads names.
 */
#ifndef HEATSCOPE_NAME_H
#define HEATSCOPE_NAME_H

#include "collector/core/key.h"

enum {				/* codes that are no name's; the rest are hashes */
	NAME_UNKNOWN,		/* nothing we have seen says */
	NAME_NONE,		/* there is none */
	NAME_ENCRYPTED,		/* it was said within TLS */
};

#define NAME_ROOM 128		/* a power of 2 */
#define NAMES_MAX 4096		/* kept for their labels; those not seen for longest are forgotten, and shown as their code */

struct name {
	__u64 hash;
	__u32 n;		/* bytes in text */
	__u32 pad;
	char text[NAME_ROOM];	/* what is behind n was another one's */
};

static __always_inline void name_begin(struct name *name)
{
	name->hash = HASH_SEED;
	name->n = 0;
}

static __always_inline void name_byte(struct name *name, __u8 byte)
{
	__u32 n = name->n;

	if (n >= NAME_ROOM)
		return;
	name->hash = hash_byte(name->hash, byte);
	name->text[n & (NAME_ROOM - 1)] = (char)byte;
	name->n = n + 1;
}

static __always_inline __u64 name_code(const struct name *name)
{
	if (!name->n)
		return NAME_NONE;
	return name->hash > NAME_ENCRYPTED ? name->hash : NAME_ENCRYPTED + 1;
}

#endif
