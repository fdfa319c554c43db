/* fuzz_program - reads any bytes as a program file, and looks up the name of each of its functions. */
#include "collector/trace/function_name.h"
#include "collector/trace/program_file.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define FOUND_MAX 16			/* each takes a look at all of them */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(int holds)
{
	if (!holds)
		abort();
}

static void check_name(const char *symbol)
{
	char name[48];

	memset(name, 1, sizeof(name));
	function_name(symbol, name, sizeof(name));
	must(memchr(name, 0, sizeof(name)) != NULL);
	must(strlen(name) < sizeof(name));
	for (const char *at = name; *at; at++)
		must(*at > ' ' && *at <= '~' && *at != ';');
}

static int is_loaded(const struct program_file *p, uint64_t offset)
{
	for (size_t i = 0; i < p->n_parts; i++)
		if (offset - p->part[i].offset < p->part[i].size)
			return 1;
	return 0;
}

static void check_functions(const struct program_file *p)
{
	for (size_t i = 0; i < p->n_functions; i++) {
		const struct program_function *f = &p->function[i];
		const char *there = program_file_name(p, f->address);
		__u64 at;

		must(!i || p->function[i - 1].address <= f->address);
		must(there != NULL);
		check_name(p->names + f->name);
		if (i < FOUND_MAX && !program_file_find(p, p->names + f->name, &at))
			must(is_loaded(p, at));
	}
	for (size_t i = 0; i < p->n_parts; i++)
		program_file_name(p, program_file_address(p, p->part[i].offset));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static int fd = -1;
	struct program_file p;
	char symbol[256] = "_Z";

	if (fd < 0)
		fd = memfd_create("program", MFD_CLOEXEC);
	must(fd >= 0 && !ftruncate(fd, 0) && pwrite(fd, data, len, 0) == (ssize_t)len);
	if (!program_file_load(fd, &p)) {
		check_functions(&p);
		program_file_fini(&p);
	}
	memcpy(symbol + 2, data, len < sizeof(symbol) - 3 ? len : sizeof(symbol) - 3);
	check_name(symbol);
	check_name(symbol + 2);
	return 0;
}
