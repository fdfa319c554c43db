/* program_file.h - the functions of a program or library file: its ELF symbol table.
 *
 *      file --program_file_load()--> functions by address;  offset in the file -> address in it -> name
 *                                                           name -> offset in the file
 *
 * Shape   64-bit, little-endian.  The functions are those of .symtab, or where the file is stripped those it exports (.dynsym).
 * Trust   none: a file may be anybody's.  Nothing is read beyond it, and nothing larger than PROGRAM_TABLE_MAX; it is read and not mapped,
 *         so that one that is cut meanwhile cannot end us.
 * Time    reading waits for the disk; then 5 ms for 20,000 functions (mariadbd, LLVM), 0.4 to 0.7 s at the most, of a made-up file with
 *         tables of PROGRAM_TABLE_MAX.  What is large is read whole: who cannot wait must not call it.
 * Errors  -EBADMSG: not such a file; -EFBIG: a table is too large; else -errno.  After an error there is nothing to free.
 * Memory  program_file_fini() frees; a zeroed one has no functions.
 */
#ifndef HEATSCOPE_PROGRAM_FILE_H
#define HEATSCOPE_PROGRAM_FILE_H

#include <linux/types.h>
#include <stddef.h>

#define PROGRAM_TABLE_MAX (32u << 20)	/* bytes of a table, and of its names */
#define PROGRAM_PARTS_MAX 16

struct program_function {
	__u64 address;
	__u32 size;			/* 0: up to the next one */
	__u32 name;			/* place in names */
};

struct program_file {
	struct program_function *function;	/* by address */
	size_t n_functions;
	char *names;			/* ends with NUL */
	__u16 machine;			/* EM_X86_64 ... */
	struct program_part {		/* of the file, as it is loaded */
		__u64 offset, size, address;
	} part[PROGRAM_PARTS_MAX];
	size_t n_parts;
};

int program_file_load(int fd, struct program_file *ret);
void program_file_fini(struct program_file *p);

/* The file's own address of the byte at this offset; the offset itself where nothing is loaded from there. */
__u64 program_file_address(const struct program_file *p, __u64 offset);

/* Where in the file the function of that name begins.  -ENOENT: it has none, or does not load it from the file. */
int program_file_find(const struct program_file *p, const char *name, __u64 *ret_offset);

/* The function there; NULL: none that is known. */
const char *program_file_name(const struct program_file *p, __u64 address);

#endif
