#include "dynsym.h"

#include <errno.h>
#include <string.h>

/* Copied, because nothing says that they are aligned; -1: they are not all there. */
static int bytes_copy(const struct dynsym *d, __u64 at, void *to, __u64 n)
{
	if (at > d->n || n > d->n - at)
		return -1;
	memcpy(to, d->bytes + at, n);
	return 0;
}

static int section_read(const struct dynsym *d, __u32 i, Elf64_Shdr *ret)
{
	Elf64_Shdr section;

	if (i >= d->head.e_shnum || d->head.e_shoff > d->n ||
	    bytes_copy(d, d->head.e_shoff + (__u64)i * sizeof(section), &section, sizeof(section)) ||
	    section.sh_offset > d->n || section.sh_size > d->n - section.sh_offset)
		return -1;
	*ret = section;
	return 0;
}

static int symbols_find(struct dynsym *d)
{
	for (__u32 i = 0; i < d->head.e_shnum; i++)
		if (!section_read(d, i, &d->symbols) && d->symbols.sh_type == SHT_DYNSYM)
			return section_read(d, d->symbols.sh_link, &d->names) ? -ENOENT : 0;
	return -ENOENT;
}

int dynsym_open(const __u8 *bytes, __u64 n, struct dynsym *ret)
{
	struct dynsym d = { .bytes = bytes, .n = n };
	int err;

	if (bytes_copy(&d, 0, &d.head, sizeof(d.head)) || memcmp(d.head.e_ident, ELFMAG, SELFMAG) ||
	    d.head.e_ident[EI_CLASS] != ELFCLASS64 || d.head.e_ident[EI_DATA] != ELFDATA2LSB ||
	    d.head.e_shentsize != sizeof(Elf64_Shdr) || d.head.e_phentsize != sizeof(Elf64_Phdr))
		return -ENOEXEC;
	err = symbols_find(&d);
	if (!err)
		*ret = d;
	return err;
}

/* Where in the file that address is; 0: nowhere. */
static __u64 address_place(const struct dynsym *d, __u64 address)
{
	Elf64_Phdr p;

	if (d->head.e_phoff > d->n)
		return 0;
	for (__u32 i = 0; i < d->head.e_phnum; i++) {
		if (bytes_copy(d, d->head.e_phoff + (__u64)i * sizeof(p), &p, sizeof(p)))
			return 0;
		if (p.p_type == PT_LOAD && address >= p.p_vaddr && address - p.p_vaddr < p.p_filesz && p.p_offset < d->n &&
		    address - p.p_vaddr < d->n - p.p_offset)
			return p.p_offset + (address - p.p_vaddr);
	}
	return 0;
}

static int is_named(const struct dynsym *d, __u32 at, const char *name, size_t len)
{
	return at < d->names.sh_size && len < d->names.sh_size - at && !memcmp(d->bytes + d->names.sh_offset + at, name, len + 1);
}

__u64 dynsym_find(const struct dynsym *d, const char *name)
{
	size_t len = strlen(name);
	Elf64_Sym s;

	for (__u64 i = 0; i < d->symbols.sh_size / sizeof(s); i++) {
		memcpy(&s, d->bytes + d->symbols.sh_offset + i * sizeof(s), sizeof(s));
		if (ELF64_ST_TYPE(s.st_info) == STT_FUNC && s.st_shndx != SHN_UNDEF && is_named(d, s.st_name, name, len))
			return address_place(d, s.st_value);
	}
	return 0;
}
