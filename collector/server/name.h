/* name.h - reads a name (user, database, table) among a client's bytes, and gives its code and its bytes.
 *
 *      name_begin() -> name_byte() each -> name_code()
 *
 * Cut     a longer name counts as its first NAME_ROOM bytes.
 * Bytes   are the client's, in its character set; any byte may come.
 * Both    The kernel and the host run the same pure code; the tests and fuzz targets of its users cover it.
 */
#ifndef HEATSCOPE_NAME_H
#define HEATSCOPE_NAME_H

#include "collector/core/key.h"

enum {				/* codes that belong to no name; the rest are hashes */
	NAME_UNKNOWN,		/* no byte that we have seen says it */
	NAME_NONE,		/* there is no name */
	NAME_ENCRYPTED,		/* the name was sent within TLS */
};

#define NAME_ROOM 128		/* a power of 2 */
#define NAMES_MAX 4096		/* names kept for their labels; the map evicts those not seen for longest, which are
				 * then shown as their code */

struct name {
	__u64 hash;
	__u32 n;		/* bytes in text */
	__u32 pad;
	char text[NAME_ROOM];	/* bytes after n are left over from another name */
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
