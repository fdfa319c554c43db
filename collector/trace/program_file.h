/* program_file.h - reads the functions of a program or library file from its ELF symbol table.
 *
 *      file --program_file_load()--> functions by address;  offset in the file -> address in it -> name
 *                                                           name -> offset in the file
 *                                    variables of threads by name -> bytes from the thread pointer
 *                                    other variables by name -> address in the file
 *
 * Shape   64-bit, little-endian.  The functions are those of .symtab.  If the file is stripped, they are the exported
 *         ones (.dynsym).
 * Trust   none: any user may have made the file.  The reader stays within the file and reads no table larger than
 *         PROGRAM_TABLE_MAX. It does not map the file: if someone cut a mapped file, the access would kill us.
 * Time    reading waits for the disk.  Then 20,000 functions take 5 ms (mariadbd, LLVM), and a made-up file with tables
 *         of PROGRAM_TABLE_MAX takes 0.4 to 0.7 s.  A caller that cannot wait must not call it.
 * Errors  -EBADMSG: not such a file; -EFBIG: a table is too large; else -errno.  After an error there is nothing to
 *         free.
 * Memory  program_file_fini() frees; a zeroed one has no functions.
 */
#ifndef HEATSCOPE_PROGRAM_FILE_H
#define HEATSCOPE_PROGRAM_FILE_H

#include <linux/types.h>
#include <stddef.h>
#include <sys/types.h>

#define PROGRAM_TABLE_MAX (32u << 20)	/* bytes of a table, also of its names */
#define PROGRAM_PARTS_MAX 16

struct program_function {
	__u64 address;
	__u32 size;			/* 0: up to the next function */
	__u32 name;			/* offset in names */
};

struct program_file {
	struct program_function *function;	/* sorted by address */
	size_t n_functions;
	char *names;			/* ends with NUL */
	__u16 machine;			/* EM_X86_64 ... */
	struct program_function *variable;	/* of each thread; their address is in the thread's block */
	size_t n_variables;
	struct program_function *object;	/* variables of the program; their address is the file's own */
	size_t n_objects;
	__u64 entry;			/* the address at which the program begins */
	__u64 block;			/* bytes of that block, which ends at the thread pointer; 0: there is none */
	struct program_part {		/* a part of the file that is loaded */
		__u64 offset, size, address;
	} part[PROGRAM_PARTS_MAX];
	size_t n_parts;
};

int program_file_load(int fd, struct program_file *ret);
void program_file_fini(struct program_file *p);

/* Returns the file's own address of the byte at this offset; the offset itself if nothing is loaded from there. */
__u64 program_file_address(const struct program_file *p, __u64 offset);

/* Finds the first of at most `max` bytes of the function of that name, and reads as many as it has.  Returns how many, or
 * -ENOENT: no such function, or not loaded from the file. */
ssize_t program_file_code(const struct program_file *p, int fd, const char *name, __u8 *code, size_t max, __u64 *ret_address);

/* Finds the address of the program's variable of that name.  -ENOENT: no such variable. */
int program_file_object(const struct program_file *p, const char *name, __u64 *ret_address);

/* Finds the offset at which the function of that name begins.  -ENOENT: no such function, or not loaded from the
 * file. */
int program_file_find(const struct program_file *p, const char *name, __u64 *ret_offset);

/* Finds where a program's own variable of that name is in each thread, in bytes from the thread pointer, as the x86-64
 * ABI lays a program out (Drepper, ELF Handling For Thread-Local Storage, variant II).  -ENOENT: no such variable. */
int program_file_variable(const struct program_file *p, const char *name, __s32 *ret_from_thread);

/* Returns the name of the function at an address; NULL: no known function. */
const char *program_file_name(const struct program_file *p, __u64 address);

#endif
