#include "collector/d/provider/instruction.h"

#include <capstone/capstone.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define FUNCTION_MAX (1u << 20)		/* bytes; the rest of a longer one has no probes */

static int each_of(csh decoder, const __u8 *code, size_t len, int (*each)(void *context, const struct d_instruction *i), void *context)
{
	cs_insn *decoded = cs_malloc(decoder);
	const __u8 *at = code;
	uint64_t address = 0;
	size_t left = len;
	int err = decoded ? 0 : -ENOMEM;

	while (!err && left) {
		struct d_instruction i = { (__u32)(at - code), 0, at };

		if (!cs_disasm_iter(decoder, &at, &left, &address, decoded)) {
			err = -ENOTSUP;
			continue;
		}
		i.len = decoded->size;
		err = each(context, &i);
	}
	if (decoded)
		cs_free(decoded, 1);
	return err;
}

int d_instructions_each(int fd, __u64 offset, __u32 size, int (*each)(void *context, const struct d_instruction *i), void *context)
{
	__u32 len = size < FUNCTION_MAX ? size : FUNCTION_MAX;
	__u8 *code = malloc(len + 1);
	ssize_t n = code ? pread(fd, code, len, (off_t)offset) : -1;
	csh decoder;
	int err;

	if (!code || cs_open(CS_ARCH_X86, CS_MODE_64, &decoder)) {
		free(code);
		return -ENOMEM;
	}
	err = n < 0 ? -errno : each_of(decoder, code, (size_t)n, each, context);
	cs_close(&decoder);
	free(code);
	return err;
}
