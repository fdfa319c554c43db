/* symbols.h - finds the function that contains an address, of the kernel or of a process.
 *
 *      kernel   a BPF program asks the kernel's own table, so the kernel need not show us its addresses
 *      process  an iterator reads its mappings -> file and offset -> program_file.h
 *
 * Files   are opened by the path that the process mapped, as we see it, and used if the inode is the same.  A file has
 *         offsets and no names if our user may not read it, or if it is in a container with its own file system.
 * Kept    results of SYMBOLS_FILES files until the files change; results of SYMBOLS_PROCESSES processes for a second.
 *         Results of an ended process stay until another process takes their place.
 * Time    the first look-up in a file reads its tables, on the caller's thread; program_file.h says how long.
 * Errors  0 or -errno.
 * Thread  one thread.
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

/* Writes "do_sys_poll", or the address if the kernel has no name for it.  out: SYMBOL_TEXT bytes. */
void symbols_kernel(struct symbols *s, __u64 address, char *out);

/* Writes "main" or "[libc.so.6+0x1234]"; -ENOENT: the address is unknown.  out: SYMBOL_TEXT bytes. */
int symbols_user(struct symbols *s, __u32 pid, __u64 address, char *out);

#endif
