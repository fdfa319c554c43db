/* instruction.h - finds where the instructions of a function begin, by libcapstone.
 *
 * Only there may a probe be: at another byte, the breakpoint would be a part of an instruction, and change what it does.
 * Known   x86-64.  A function that has data between its instructions is read up to there.
 * Errors  what each() returns; -ENOMEM; -ENOTSUP: bytes that are no instruction.
 */
#ifndef HEATSCOPE_PROVIDER_INSTRUCTION_H
#define HEATSCOPE_PROVIDER_INSTRUCTION_H

#include <linux/types.h>
#include <stddef.h>

struct d_instruction {
	__u32 at;			/* bytes from the function's begin */
	__u32 len;
	const __u8 *code;
};

/* Calls each() for the instructions of the function that is at `offset` in a file, until it does not return 0. */
int d_instructions_each(int fd, __u64 offset, __u32 size, int (*each)(void *context, const struct d_instruction *i), void *context);

#endif
