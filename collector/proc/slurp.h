/* slurp.h - a whole small file at once, as /proc and /sys want to be read.
 *
 * Errors  0 or -errno.
 */
#ifndef HEATSCOPE_SLURP_H
#define HEATSCOPE_SLURP_H

#include "collector/core/bytes.h"

#define SLURP_MAX (4u << 20)		/* what is longer is -EFBIG */

/* Replaces what is in the buffer; dir is a directory's descriptor or AT_FDCWD. */
int slurp(int dir, const char *path, struct bytes *out);

/* A file that holds one number; "max" is 2^64-1. */
int slurp_number(int dir, const char *path, struct bytes *scratch, __u64 *ret);

#endif
