/* symbols_kernel.h - defines the record that symbols.bpf.c sends to symbols.c: a mapped part of a program file. */
#ifndef HEATSCOPE_SYMBOLS_KERNEL_H
#define HEATSCOPE_SYMBOLS_KERNEL_H

#include <linux/types.h>

#define SYMBOLS_NAME 128
#define SYMBOLS_PATH 256
#define SYMBOLS_PAGE_BITS 12		/* of x86-64, and of aarch64 in Debian */

struct symbols_mapping {
	__u64 from, to;			/* addresses, half-open */
	__u64 offset;			/* of `from`, in the file */
	__u64 inode;
	char path[SYMBOLS_PATH];	/* as we see it; NUL-terminated */
};

#endif
