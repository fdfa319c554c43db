/* name.h - reads a name (user, database, table, ...) byte by byte, and makes its code.
 *
 *      name_begin() -> name_byte() each -> name_code()
 *
 * Cut     names that agree in their first NAME_ROOM bytes have one code, and only these bytes are kept.
 * Bytes   any, in the client's character set.
 * Code    a hash above NAME_ENCRYPTED, or NAME_NONE if there was no byte.
 * Pure    the kernel and the host compile it.  The tests and fuzz targets of its users cover it.
 */
#ifndef HEATSCOPE_NAME_H
#define HEATSCOPE_NAME_H

#include "collector/core/key.h"

enum {				/* codes that are no hashes */
	NAME_UNKNOWN,		/* there may be a name, but we have not seen it */
	NAME_NONE,		/* there is no name */
	NAME_ENCRYPTED,		/* the name was sent within TLS */
};

#define NAME_ROOM 128		/* a power of 2 */
#define NAMES_MAX 4096		/* names that the kernel keeps for their labels; the map evicts those that were
				 * unused for longest, and their codes are then shown as #hash */

struct name {
	__u64 hash;
	__u32 n;		/* bytes in text */
	__u32 pad;
	char text[NAME_ROOM];	/* the bytes after n belong to an earlier name */
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
