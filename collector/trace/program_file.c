#include "collector/trace/program_file.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- reading ---- */

static int read_at(int fd, void *to, size_t len, __u64 offset)
{
	ssize_t n = offset > INT64_MAX ? 0 : pread(fd, to, len, (off_t)offset);

	return n < 0 ? -errno : (size_t)n == len ? 0 : -EBADMSG;
}

/* Reads the bytes that are there, and appends a NUL. */
static int read_table(int fd, __u64 offset, __u64 len, char **ret)
{
	char *table;
	int err;

	if (len > PROGRAM_TABLE_MAX)
		return -EFBIG;
	table = malloc(len + 1);
	if (!table)
		return -ENOMEM;
	err = read_at(fd, table, len, offset);
	if (err) {
		free(table);
		return err;
	}
	table[len] = 0;
	*ret = table;
	return 0;
}

static int read_header(int fd, Elf64_Ehdr *ret)
{
	int err = read_at(fd, ret, sizeof(*ret), 0);

	if (err)
		return err;
	if (memcmp(ret->e_ident, ELFMAG, SELFMAG) || ret->e_ident[EI_CLASS] != ELFCLASS64 || ret->e_ident[EI_DATA] != ELFDATA2LSB)
		return -EBADMSG;
	if ((ret->e_shnum && ret->e_shentsize != sizeof(Elf64_Shdr)) || (ret->e_phnum && ret->e_phentsize != sizeof(Elf64_Phdr)))
		return -EBADMSG;
	return 0;
}

/* ---- parts ---- */

static int load_parts(int fd, const Elf64_Ehdr *e, struct program_file *p)
{
	Elf64_Phdr *part;
	char *table;
	int err = read_table(fd, e->e_phoff, (__u64)e->e_phnum * sizeof(*part), &table);

	if (err)
		return err;
	part = (Elf64_Phdr *)table;
	for (size_t i = 0; i < e->e_phnum && p->n_parts < PROGRAM_PARTS_MAX; i++)
		if (part[i].p_type == PT_LOAD)
			p->part[p->n_parts++] = (struct program_part){ part[i].p_offset, part[i].p_filesz, part[i].p_vaddr };
	for (size_t i = 0; i < e->e_phnum; i++)
		if (part[i].p_type == PT_TLS && part[i].p_memsz < INT32_MAX && part[i].p_align && part[i].p_align <= 4096)
			p->block = (part[i].p_memsz + part[i].p_align - 1) / part[i].p_align * part[i].p_align;
	free(table);
	return 0;
}

__u64 program_file_address(const struct program_file *p, __u64 offset)
{
	for (size_t i = 0; i < p->n_parts; i++)
		if (offset >= p->part[i].offset && offset - p->part[i].offset < p->part[i].size)
			return offset - p->part[i].offset + p->part[i].address;
	return offset;
}

int program_file_offset(const struct program_file *p, __u64 address, __u64 *ret_offset)
{
	for (size_t i = 0; i < p->n_parts; i++) {
		if (address < p->part[i].address || address - p->part[i].address >= p->part[i].size)
			continue;
		*ret_offset = address - p->part[i].address + p->part[i].offset;
		return 0;
	}
	return -ENOENT;
}

/* ---- functions ---- */

static int by_address(const void *a, const void *b)
{
	const struct program_function *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	if (x->size != y->size)
		return x->size < y->size ? -1 : 1;	/* the largest last, because a search finds that one */
	return x->name < y->name ? 1 : -(x->name > y->name);
}

static int is_function(const Elf64_Sym *s)
{
	unsigned type = ELF64_ST_TYPE(s->st_info);

	return type == STT_FUNC || type == STT_GNU_IFUNC;
}

static int is_variable(const Elf64_Sym *s)
{
	return ELF64_ST_TYPE(s->st_info) == STT_TLS;
}

static int is_object(const Elf64_Sym *s)
{
	return ELF64_ST_TYPE(s->st_info) == STT_OBJECT;
}

/* Takes the symbols that are defined here and are of a kind. */
static int take_symbols(const Elf64_Sym *symbol, size_t n, __u64 names_len, int (*is_kind)(const Elf64_Sym *s),
			struct program_function **ret, size_t *ret_n)
{
	size_t n_kind = 0, at = 0;

	for (size_t i = 0; i < n; i++)
		n_kind += is_kind(&symbol[i]);
	*ret = malloc((n_kind + 1) * sizeof(**ret));
	if (!*ret)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (is_kind(&symbol[i]) && symbol[i].st_shndx != SHN_UNDEF && symbol[i].st_name < names_len)
			(*ret)[at++] = (struct program_function){
				symbol[i].st_value, symbol[i].st_size < UINT32_MAX ? (__u32)symbol[i].st_size : UINT32_MAX,
				symbol[i].st_name, ELF64_ST_TYPE(symbol[i].st_info) == STT_GNU_IFUNC
			};
	*ret_n = at;
	return 0;
}

static int take_names(struct program_file *p, const Elf64_Sym *symbol, size_t n, __u64 names_len)
{
	int err = take_symbols(symbol, n, names_len, is_function, &p->function, &p->n_functions);

	err = err ?: take_symbols(symbol, n, names_len, is_variable, &p->variable, &p->n_variables);
	err = err ?: take_symbols(symbol, n, names_len, is_object, &p->object, &p->n_objects);
	if (err)
		return err;
	qsort(p->function, p->n_functions, sizeof(*p->function), by_address);
	return 0;
}

static const Elf64_Shdr *choose_table(const Elf64_Shdr *section, size_t n)
{
	const Elf64_Shdr *exported = NULL;

	for (size_t i = 0; i < n; i++) {
		if (section[i].sh_type == SHT_SYMTAB)
			return &section[i];
		if (section[i].sh_type == SHT_DYNSYM)
			exported = &section[i];
	}
	return exported;
}

static int load_functions(int fd, const Elf64_Ehdr *e, struct program_file *p)
{
	char *sections, *symbols = NULL;
	const Elf64_Shdr *section, *table;
	__u64 names_len = 0;
	int err = read_table(fd, e->e_shoff, (__u64)e->e_shnum * sizeof(*section), &sections);

	if (err)
		return err;
	section = (const Elf64_Shdr *)sections;
	table = choose_table(section, e->e_shnum);
	if (table && table->sh_link < e->e_shnum) {
		names_len = section[table->sh_link].sh_size;
		err = read_table(fd, section[table->sh_link].sh_offset, names_len, &p->names);
		err = err ?: read_table(fd, table->sh_offset, table->sh_size, &symbols);
	}
	if (!err && symbols)
		err = take_names(p, (const Elf64_Sym *)symbols, table->sh_size / sizeof(Elf64_Sym), names_len);
	free(symbols);
	free(sections);
	return err;
}

int program_file_load(int fd, struct program_file *ret)
{
	struct program_file p = { 0 };
	Elf64_Ehdr header;
	int err = read_header(fd, &header);

	p.machine = err ? EM_NONE : header.e_machine;
	p.entry = err ? 0 : header.e_entry;
	err = err ?: load_parts(fd, &header, &p);
	err = err ?: load_functions(fd, &header, &p);
	if (err)
		program_file_fini(&p);
	else
		*ret = p;
	return err;
}

void program_file_fini(struct program_file *p)
{
	free(p->function);
	free(p->variable);
	free(p->object);
	free(p->names);
	memset(p, 0, sizeof(*p));
}

int program_file_find(const struct program_file *p, const char *name, __u64 *ret_offset)
{
	for (size_t i = 0; i < p->n_functions; i++)
		if (!strcmp(p->names + p->function[i].name, name))
			return program_file_offset(p, p->function[i].address, ret_offset);
	return -ENOENT;
}

ssize_t program_file_code(const struct program_file *p, int fd, const char *name, __u8 *code, size_t max, __u64 *ret_address)
{
	const struct program_function *f = p->function, *end = f + p->n_functions;
	__u64 at;
	ssize_t n;

	while (f < end && strcmp(p->names + f->name, name))
		f++;
	if (f == end || program_file_offset(p, f->address, &at) || at > INT64_MAX)
		return -ENOENT;
	n = pread(fd, code, f->size && f->size < max ? f->size : max, (off_t)at);
	if (n < 0)
		return -ENOENT;
	*ret_address = f->address;
	return n;
}

int program_file_object(const struct program_file *p, const char *name, __u64 *ret_address)
{
	for (size_t i = 0; i < p->n_objects; i++) {
		if (strcmp(p->names + p->object[i].name, name))
			continue;
		*ret_address = p->object[i].address;
		return 0;
	}
	return -ENOENT;
}

int program_file_variable(const struct program_file *p, const char *name, __s32 *ret_from_thread)
{
	for (size_t i = 0; i < p->n_variables; i++) {
		if (p->variable[i].address >= p->block || strcmp(p->names + p->variable[i].name, name))
			continue;
		*ret_from_thread = (__s32)((__s64)p->variable[i].address - (__s64)p->block);
		return 0;
	}
	return -ENOENT;
}

const char *program_file_name(const struct program_file *p, __u64 address)
{
	size_t low = 0, high = p->n_functions;
	const struct program_function *f;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (p->function[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	f = &p->function[low - 1];
	return f->size && address - f->address >= f->size ? NULL : p->names + f->name;
}
