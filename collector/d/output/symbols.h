/* symbols.h - names addresses of the kernel and of processes as DTrace does: "libc.so.6`write+0x14".
 *
 *      kernel    /proc/kallsyms, read at the first question; "vmlinux" is the module of what belongs to none
 *      process   its mappings, read when it is first named (or held), so they are known after its end; names from its files
 *
 * Shape   an address without a name is "0x7f..." or "libc.so.6`0x7f...".
 * Limits  D_SYMBOLS_PROCESSES processes; of later ones there are only addresses.
 * Memory  begins zeroed, ends with d_symbols_fini().
 */
#ifndef HEATSCOPE_OUTPUT_SYMBOLS_H
#define HEATSCOPE_OUTPUT_SYMBOLS_H

#include <linux/types.h>
#include <stddef.h>

#define D_SYMBOL_TEXT 512
#define D_SYMBOLS_PROCESSES 1024

struct d_kernel_symbol {
	__u64 address;
	__u32 name, module;		/* offsets in the text */
};

struct d_symbols {
	struct d_kernel_symbol *kernel;	/* sorted */
	size_t n_kernel, kernel_room;
	char *kernel_text;		/* /proc/kallsyms, its fields ended by NUL */
	struct d_process *processes;
	size_t n_processes, processes_room;
	struct d_symbol_file *files;
	size_t n_files, files_room;
};

void d_symbols_fini(struct d_symbols *s);
void d_symbols_hold(struct d_symbols *s, __u32 pid);		/* keeps the mappings that the process has now */

/* out: D_SYMBOL_TEXT bytes.  Return it. */
const char *d_symbols_kernel(struct d_symbols *s, __u64 address, char *out);
const char *d_symbols_user(struct d_symbols *s, __u32 pid, __u64 address, char *out);

#endif
