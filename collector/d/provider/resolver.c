#include "collector/d/provider/resolver.h"
#include "collector/core/array.h"

#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#define SECTIONS_MAX 4096
#define RELOCATIONS_MAX (1u << 20)

void d_resolvers_fini(struct d_resolvers *r)
{
	free(r->relocations);
	if (r->memory >= 0)
		close(r->memory);
	*r = (struct d_resolvers){ .memory = -1 };
}

static int read_relocations(struct d_resolvers *r, int fd, const Elf64_Shdr *section)
{
	size_t n = section->sh_size / sizeof(Elf64_Rela);
	Elf64_Rela a;

	if (n > RELOCATIONS_MAX || section->sh_offset > INT64_MAX - section->sh_size)
		return -EBADMSG;
	for (size_t i = 0; i < n; i++) {
		if (pread(fd, &a, sizeof(a), (off_t)(section->sh_offset + i * sizeof(a))) != sizeof(a))
			return -EBADMSG;
		if (ELF64_R_TYPE(a.r_info) != R_X86_64_IRELATIVE)
			continue;
		if (array_grow(&r->relocations, r->n, &r->room, sizeof(*r->relocations)))
			return -ENOMEM;
		r->relocations[r->n++] = (struct d_relocation){ a.r_offset, (__u64)a.r_addend };
	}
	return 0;
}

/* Those of .rela.plt and the like: few, and those of data are many and have no resolvers. */
static int read_sections(struct d_resolvers *r, int fd)
{
	Elf64_Ehdr e;
	int err = 0;

	if (pread(fd, &e, sizeof(e), 0) != sizeof(e) || e.e_machine != EM_X86_64 || e.e_shentsize != sizeof(Elf64_Shdr) ||
	    e.e_shnum > SECTIONS_MAX || e.e_shoff > INT32_MAX)
		return -EBADMSG;
	for (unsigned i = 0; !err && i < e.e_shnum; i++) {
		Elf64_Shdr section;

		if (pread(fd, &section, sizeof(section), (off_t)(e.e_shoff + i * sizeof(section))) != sizeof(section))
			return -EBADMSG;
		if (section.sh_type == SHT_RELA && section.sh_flags & SHF_ALLOC)
			err = read_relocations(r, fd, &section);
	}
	return err;
}

int d_resolvers_load(struct d_resolvers *r, const struct d_module *m, const struct program_file *p, int fd)
{
	char path[64];
	int err;

	*r = (struct d_resolvers){ .memory = -1, .bias = m->from - program_file_address(p, m->offset) };
	err = read_sections(r, fd);
	if (err) {
		d_resolvers_fini(r);
		return err;
	}
	snprintf(path, sizeof(path), "/proc/%u/mem", m->pid);
	r->memory = open(path, O_RDONLY | O_CLOEXEC);
	return 0;
}

int d_resolvers_find(const struct d_resolvers *r, __u64 resolver, __u64 *ret_address)
{
	for (size_t i = 0; r->memory >= 0 && i < r->n; i++) {
		__u64 chosen;

		if (r->relocations[i].resolver != resolver)
			continue;
		if (pread(r->memory, &chosen, sizeof(chosen), (off_t)(r->relocations[i].place + r->bias)) != sizeof(chosen))
			return -ENOENT;
		*ret_address = chosen - r->bias;
		return 0;
	}
	return -ENOENT;
}
