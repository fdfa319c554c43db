/* dynsym.h - where in an executable a function begins that it names in .dynsym.
 *
 *      bytes of an ELF file -> dynsym_open() -> dynsym_find("thd_charset") -> its bytes' place in the file
 *
 * Bytes   are anybody's: nothing is read beyond them, and where they contradict themselves nothing is found.
 * Both    pure; fuzzed by fuzz_mysql_thd.
 */
#ifndef HEATSCOPE_DYNSYM_H
#define HEATSCOPE_DYNSYM_H

#include <elf.h>
#include <linux/types.h>

struct dynsym {
	const __u8 *bytes;
	__u64 n;
	Elf64_Ehdr head;
	Elf64_Shdr symbols, names;
};

/* -ENOEXEC: it is no 64-bit ELF file of this byte order; -ENOENT: it has no .dynsym. */
int dynsym_open(const __u8 *bytes, __u64 n, struct dynsym *ret);

/* Of a function; 0: there is none of that name. */
__u64 dynsym_find(const struct dynsym *d, const char *name);

#endif
