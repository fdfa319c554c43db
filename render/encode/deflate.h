/* deflate.h - packs and unpacks zlib streams in memory, and packs gzip files, with ISA-L; the input may come from outside.
 *
 * Errors  -ENOMEM; unpacking also -EBADMSG: no such stream, cut, damaged, or followed by other bytes; -E2BIG: the
 *         result is larger than `max` bytes.
 * Memory  the caller frees the bytes with free().  Equal input, equal bytes.
 */
#ifndef HEATSCOPE_DEFLATE_H
#define HEATSCOPE_DEFLATE_H

#include <linux/types.h>
#include <stddef.h>

enum deflate_effort {
	DEFLATE_FAST,			/* for pixels that are indices, DEFLATE_SMALL is no smaller */
	DEFLATE_SMALL			/* twice the time, three quarters of the bytes of a text */
};

int deflate_pack(const __u8 *data, size_t len, enum deflate_effort effort, __u8 **ret_data, size_t *ret_len);
int deflate_gzip(const __u8 *data, size_t len, __u8 **ret_data, size_t *ret_len);	/* small; without a name and a time */
int deflate_unpack(const __u8 *data, size_t len, size_t max, __u8 **ret_data, size_t *ret_len);

#endif
