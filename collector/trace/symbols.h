/* symbols.h - which function an address is in: of the kernel, or of a process.
 *
 *      kernel   its own table, asked by a BPF program, so that its addresses need not be shown to us
 *      process  its mappings, asked by an iterator -> file and offset -> program_file.h
 *
 * Files are opened by the path that the process mapped, as we see it, and used if they are the ones: by their inode.
 * So what lies in a container with files of its own, or may not be read by our user, has no names, but offsets.
 * What was looked up is kept: of SYMBOLS_FILES files until they change, of SYMBOLS_PROCESSES processes for a second, or,
 * once they have ended, until others take their place.
 * Time    the first look into a file reads its tables, on the caller's thread; program_file.h says how long.
 * Errors  0 or -errno.
 * Thread  one.
 */
#ifndef HEATSCOPE_SYMBOLS_H
#define HEATSCOPE_SYMBOLS_H

#include <linux/types.h>

#define SYMBOL_TEXT 128
#define SYMBOLS_FILES 64
#define SYMBOLS_PROCESSES 16

struct symbols;				/* its fields are in symbols.c */

int symbols_new(struct symbols **ret_symbols);
void symbols_free(struct symbols *s);	/* NULL is fine */

/* "do_sys_poll"; the address where the kernel has no name for it.  out: SYMBOL_TEXT bytes. */
void symbols_kernel(struct symbols *s, __u64 address, char *out);

/* "main", "[libc.so.6+0x1234]"; -ENOENT: nothing is known of it.  out: SYMBOL_TEXT bytes. */
int symbols_user(struct symbols *s, __u32 pid, __u64 address, char *out);

#endif
