/* fuzz_d_note - reads any bytes as a program file with static probes, and the places of their arguments. */
#include "collector/d/provider/note.h"
#include "collector/d/provider/operand.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void check_operands(const char *text)
{
	struct d_operand o[D_OPERANDS_MAX];
	unsigned n;

	d_operands_parse(text, o, &n);
	for (unsigned i = 0; i < n; i++)
		if ((o[i].base != D_NO_REGISTER && o[i].base > 152) || (o[i].index != D_NO_REGISTER && o[i].index > 152) || o[i].size > 8 || o[i].shift > 8)
			abort();
}

static int on_note(void *context, const struct d_note *n)
{
	size_t *len = context;

	*len += strlen(n->provider) + strlen(n->name);
	check_operands(n->arguments);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	char text[256] = "";
	size_t sum = 0;

	if (fd < 0 || write(fd, data, len) != (ssize_t)len)
		abort();
	d_notes_each(fd, on_note, &sum);
	close(fd);
	memcpy(text, data, len < sizeof(text) ? len : sizeof(text) - 1);
	check_operands(text);
	return 0;
}
