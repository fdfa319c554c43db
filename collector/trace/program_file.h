/* program_file.h - reads the functions and variables of a program or library from the ELF symbol table of its file.
 *
 *      program_file_load(): file -> struct program_file
 *      program_file_address(): offset in the file -> address        program_file_name(): address -> function
 *      program_file_find(): function -> offset in the file          program_file_code(): function -> its first bytes
 *      program_file_variable(): thread-local variable -> bytes from the thread pointer
 *      program_file_object(): other variable -> address
 *
 * Address as the file states it, before the kernel moves the program.
 * Shape   64-bit, little-endian.  The symbols are those of .symtab.  A stripped file has no .symtab: then they are the
 *         exported symbols (.dynsym).
 * Trust   none: any user may have made the file.  The reader stays within the file and reads no table larger than
 *         PROGRAM_TABLE_MAX.  It does not map the file: if someone cut a mapped file, the access would kill us.
 * Time    program_file_load() waits for the disk, so no caller may use it that must not wait.  With the file in memory
 *         it takes 5 ms for 20,000 functions (mariadbd, LLVM), and 0.4 to 0.7 s for a made-up file whose tables have
 *         PROGRAM_TABLE_MAX bytes.
 * Errors  of program_file_load(): -EBADMSG: not such a file; -EFBIG: a table is too large; else -errno.  After an error
 *         there is nothing to free.
 * Memory  program_file_fini() frees.  A struct of zeros has no functions.
 */
#ifndef HEATSCOPE_PROGRAM_FILE_H
#define HEATSCOPE_PROGRAM_FILE_H

#include <linux/types.h>
#include <stddef.h>
#include <sys/types.h>

#define PROGRAM_TABLE_MAX (32u << 20)	/* bytes of a table, also of its names */
#define PROGRAM_PARTS_MAX 16		/* loaded parts; later ones are ignored */

struct program_function {		/* a symbol: a function or a variable */
	__u64 address;
	__u32 size;			/* 0: up to the next function */
	__u32 name;			/* offset in names */
	__u8 is_resolver;		/* it returns which of several functions has its name (STT_GNU_IFUNC) */
};

struct program_file {
	struct program_function *function;	/* sorted by address */
	size_t n_functions;
	char *names;			/* ends with NUL */
	__u16 machine;			/* EM_X86_64 ... */
	struct program_function *variable;	/* thread-local; address: bytes from the block's begin */
	size_t n_variables;
	struct program_function *object;	/* the other variables */
	size_t n_objects;
	__u64 entry;			/* the address at which the program begins */
	__u64 block;			/* bytes of a thread's block of variables, which ends at the thread pointer;
					 * 0: there is no block */
	struct program_part {		/* a part of the file that the kernel loads at an address */
		__u64 offset, size, address;
	} part[PROGRAM_PARTS_MAX];
	size_t n_parts;
};

int program_file_load(int fd, struct program_file *ret);
void program_file_fini(struct program_file *p);

/* Returns the address of the byte at this offset; the offset itself if no part has that byte. */
__u64 program_file_address(const struct program_file *p, __u64 offset);

/* Finds the offset in the file of one of its addresses.  -ENOENT: no part of the file has it. */
int program_file_offset(const struct program_file *p, __u64 address, __u64 *ret_offset);

/* Reads the first bytes of the function of that name: at most `max`, and none beyond its end.  Returns how many;
 * -ENOENT: no such function, or its bytes cannot be read from the file. */
ssize_t program_file_code(const struct program_file *p, int fd, const char *name, __u8 *code, size_t max, __u64 *ret_address);

/* Finds the address of a variable that is not thread-local.  -ENOENT: no such variable. */
int program_file_object(const struct program_file *p, const char *name, __u64 *ret_address);

/* Finds the offset at which the function of that name begins.  -ENOENT: no such function, or no part of
 * the file has it. */
int program_file_find(const struct program_file *p, const char *name, __u64 *ret_offset);

/* Finds how many bytes from the thread pointer a thread-local variable of a program is; not of a library, whose block
 * has another place.  This is the layout of the x86-64 ABI (Drepper, ELF Handling For Thread-Local Storage, variant
 * II).  -ENOENT: no such variable. */
int program_file_variable(const struct program_file *p, const char *name, __s32 *ret_from_thread);

/* Returns the name of the function at an address; NULL: no known function. */
const char *program_file_name(const struct program_file *p, __u64 address);

#endif
