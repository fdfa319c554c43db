/* slurp.h - reads a whole file of /proc or /sys at once.
 *
 * Errors  0 or -errno.
 */
#ifndef HEATSCOPE_SLURP_H
#define HEATSCOPE_SLURP_H

#include "collector/core/bytes.h"

#define SLURP_MAX (4u << 20)		/* a longer file gives -EFBIG */

/* Replaces the content of the buffer; dir is a directory's descriptor or AT_FDCWD. */
int slurp(int dir, const char *path, struct bytes *out);

/* Reads a file that contains one number; "max" is 2^64-1. */
int slurp_number(int dir, const char *path, struct bytes *scratch, __u64 *ret);

#endif
