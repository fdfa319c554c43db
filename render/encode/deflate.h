/* deflate.h - zlib streams in memory, by ISA-L: packed as fast as it goes, unpacked without trust.
 *
 * Errors  -ENOMEM; unpacking also -EBADMSG: no such stream, cut, damaged, or something behind it;
 *         -E2BIG: more than `max` bytes come out.
 * Memory  the bytes are the caller's, to be freed with free().  Equal input, equal bytes.
 */
#ifndef HEATSCOPE_DEFLATE_H
#define HEATSCOPE_DEFLATE_H

#include <linux/types.h>
#include <stddef.h>

enum deflate_effort {
	DEFLATE_FAST,			/* of pixels that are indices the others leave as much */
	DEFLATE_SMALL			/* twice the time, three quarters of the bytes of a text */
};

int deflate_pack(const __u8 *data, size_t len, enum deflate_effort effort, __u8 **ret_data, size_t *ret_len);
int deflate_unpack(const __u8 *data, size_t len, size_t max, __u8 **ret_data, size_t *ret_len);

#endif
