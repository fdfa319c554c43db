/* A program file of anybody's, and each of its functions' names. */
#include "collector/function_name.h"
#include "collector/program_file.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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

static void check_functions(const struct program_file *p)
{
	for (size_t i = 0; i < p->n_functions; i++) {
		const struct program_function *f = &p->function[i];
		const char *there = program_file_name(p, f->address);

		must(!i || p->function[i - 1].address <= f->address);
		must(there != NULL);
		check_name(p->names + f->name);
	}
	for (size_t i = 0; i < p->n_parts; i++)
		program_file_name(p, program_file_address(p, p->part[i].offset));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct program_file p;
	char symbol[256] = "_Z";
	int fd = memfd_create("program", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, len) != (ssize_t)len)
		abort();
	if (!program_file_load(fd, &p)) {
		check_functions(&p);
		program_file_fini(&p);
	}
	close(fd);
	memcpy(symbol + 2, data, len < sizeof(symbol) - 3 ? len : sizeof(symbol) - 3);
	check_name(symbol);
	check_name(symbol + 2);
	return 0;
}
