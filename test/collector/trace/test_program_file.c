#include "collector/trace/program_file.h"
#include "test/kit/check.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

/* A file with one part and three functions: two at one address, and one without a size. */
struct small {
	Elf64_Ehdr header;
	Elf64_Phdr part[2];
	Elf64_Shdr section[3];
	Elf64_Sym symbol[5];
	char names[32];
};

#define AT(member) offsetof(struct small, member)

static struct small small_file(void)
{
	struct small f = {
		.header = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT }, .e_phoff = AT(part), .e_shoff = AT(section),
			    .e_phnum = 2, .e_phentsize = sizeof(Elf64_Phdr), .e_shnum = 3, .e_shentsize = sizeof(Elf64_Shdr) },
		.part = { { .p_type = PT_NOTE }, { .p_type = PT_LOAD, .p_offset = 0x1000, .p_filesz = 0x2000, .p_vaddr = 0x401000 } },
		.section = { { .sh_type = SHT_NULL },
			     { .sh_type = SHT_SYMTAB, .sh_offset = AT(symbol), .sh_size = sizeof(f.symbol), .sh_link = 2 },
			     { .sh_type = SHT_STRTAB, .sh_offset = AT(names), .sh_size = sizeof(f.names) } },
		.symbol = { { .st_name = 1, .st_info = STT_FUNC, .st_shndx = 1, .st_value = 0x401100, .st_size = 16 },
			    { .st_name = 5, .st_info = STT_FUNC, .st_shndx = 1, .st_value = 0x401100, .st_size = 32 },
			    { .st_name = 9, .st_info = STT_FUNC, .st_shndx = 1, .st_value = 0x401200 },
			    { .st_name = 1, .st_info = STT_OBJECT, .st_shndx = 1, .st_value = 0x401180, .st_size = 64 },
			    { .st_name = 1, .st_info = STT_FUNC, .st_value = 0x401190 } },
		.names = "\0one\0two\0end",
	};

	return f;
}

static int load(const void *data, size_t len, struct program_file *ret)
{
	int fd = memfd_create("program", 0), err;

	assert_int_equal(write(fd, data, len), len);
	err = program_file_load(fd, ret);
	close(fd);
	return err;
}

static const char *name_at(const struct program_file *p, __u64 address) { return program_file_name(p, address) ?: "none"; }

static void functions_are_found_by_address(void **state)
{
	static const struct { __u64 address; const char *name; } cases[] = {
		{ 0, "none" }, { 0x4010ff, "none" }, { 0x401100, "two" }, { 0x40111f, "two" }, { 0x401120, "none" },
		{ 0x401190, "none" }, { 0x4011ff, "none" }, { 0x401200, "end" }, { ~0ull, "end" },
	};
	struct small f = small_file();
	struct program_file p;

	assert_int_equal(load(&f, sizeof(f), &p), 0);
	assert_int_equal(p.n_functions, 3);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_string_equal(name_at(&p, cases[i].address), cases[i].name);
	assert_int_equal(program_file_address(&p, 0x1100), 0x401100);
	assert_int_equal(program_file_address(&p, 0x2fff), 0x402fff);
	assert_int_equal(program_file_address(&p, 0x3000), 0x3000);
	assert_int_equal(program_file_address(&p, 0xfff), 0xfff);
	program_file_fini(&p);
	assert_null(program_file_name(&p, 0x401100));
}

static void functions_are_found_by_name(void **state)
{
	struct small f = small_file();
	struct program_file p;
	__u64 at = 77;

	f.symbol[2].st_value = 0x403000;		/* after the loaded part */
	assert_int_equal(load(&f, sizeof(f), &p), 0);
	assert_int_equal(p.machine, EM_NONE);
	assert_int_equal(program_file_find(&p, "three", &at), -ENOENT);
	assert_int_equal(program_file_find(&p, "end", &at), -ENOENT);
	assert_int_equal(program_file_find(&p, "", &at), -ENOENT);
	assert_int_equal(at, 77);
	assert_int_equal(program_file_find(&p, "two", &at), 0);
	assert_int_equal(at, 0x1100);
	program_file_fini(&p);
}

static void a_stripped_file_has_the_functions_it_exports(void **state)
{
	struct small f = small_file();
	struct program_file p;

	f.section[1].sh_type = SHT_DYNSYM;
	assert_int_equal(load(&f, sizeof(f), &p), 0);
	assert_string_equal(name_at(&p, 0x401100), "two");
	program_file_fini(&p);
	f.section[1].sh_type = SHT_NOTE;
	assert_int_equal(load(&f, sizeof(f), &p), 0);
	assert_int_equal(p.n_functions, 0);
	program_file_fini(&p);
}

static void refuses_a_file_that_is_not_a_program(void **state)
{
	struct small f = small_file();
	struct program_file p;

	for (size_t len = 0; len < sizeof(f); len++)
		assert_int_equal(load(&f, len, &p), -EBADMSG);
	f.header.e_ident[EI_CLASS] = ELFCLASS32;
	assert_int_equal(load(&f, sizeof(f), &p), -EBADMSG);
	f = small_file();
	f.header.e_shentsize = 8;
	assert_int_equal(load(&f, sizeof(f), &p), -EBADMSG);
	f = small_file();
	f.header.e_shoff = ~0ull;
	assert_int_equal(load(&f, sizeof(f), &p), -EBADMSG);
	f = small_file();
	f.section[1].sh_size = PROGRAM_TABLE_MAX + 1ull;
	assert_int_equal(load(&f, sizeof(f), &p), -EFBIG);
	assert_int_equal(program_file_load(-1, &p), -EBADF);
}

static void names_beyond_the_table_are_no_names(void **state)
{
	struct small f = small_file();
	struct program_file p;

	f.symbol[0].st_name = sizeof(f.names);
	f.symbol[1].st_name = ~0u;
	memset(f.names + 9, 'x', sizeof(f.names) - 9);	/* a name without an end */
	assert_int_equal(load(&f, sizeof(f), &p), 0);
	assert_int_equal(p.n_functions, 1);
	assert_int_equal(strlen(name_at(&p, 0x401200)), sizeof(f.names) - 9);
	program_file_fini(&p);
}

__attribute__((noinline)) int known_function(int x);
int known_function(int x) { return x + 1; }

static void this_program_has_its_functions(void **state)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), found = 0;
	struct program_file p;

	assert_int_equal(program_file_load(fd, &p), 0);
	close(fd);
	for (size_t i = 0; i < p.n_functions; i++) {
		assert_true(!i || p.function[i - 1].address <= p.function[i].address);
		found += !strcmp(p.names + p.function[i].name, "known_function");
	}
	assert_int_equal(found, 1);
	program_file_fini(&p);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(functions_are_found_by_address),
	cmocka_unit_test(functions_are_found_by_name),
	cmocka_unit_test(a_stripped_file_has_the_functions_it_exports),
	cmocka_unit_test(refuses_a_file_that_is_not_a_program),
	cmocka_unit_test(names_beyond_the_table_are_no_names),
	cmocka_unit_test(this_program_has_its_functions),
};

CHECK_MAIN(tests)
