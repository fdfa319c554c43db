/* accessor.h - what the instructions of a short function tell: where in an object the thing is that it returns, and
 * whether its entry can be probed at little cost.
 *
 *      48 8b 87 98 0b 00 00  mov  0xb98(%rdi),%rax         accessor_decode() -> load what is at 0xb98
 *      c3                    ret
 *
 * Known   x86-64: loads (8b) and addresses (8d) relative to the object or to what was loaded last, up to ACCESSOR_STEPS of
 *         them, a test for NULL between, or one test of bits (f6, f7) that is all there is; then the return.  endbr64 before
 *         it is passed over.  Anything else is refused: to guess would be to read what is somewhere else.
 * Both    pure; fuzzed by fuzz_mysql_thd.
 */
#ifndef HEATSCOPE_ACCESSOR_H
#define HEATSCOPE_ACCESSOR_H

#include <linux/types.h>

#define ACCESSOR_STEPS 2

enum accessor_kind {
	ACCESSOR_LOAD,			/* it returns what lies at the last place */
	ACCESSOR_ADDRESS,		/* the last place itself */
	ACCESSOR_TEST,			/* whether bits of `mask` are set in the word there */
};

struct accessor {
	enum accessor_kind kind;
	__u32 n;			/* steps; all but the last are loads */
	__u32 at[ACCESSOR_STEPS];	/* bytes from the object, from what was loaded first */
	__u64 mask;
};

/* code: n bytes from the function's begin.  -EINVAL: it is none that we know. */
int accessor_decode(const __u8 *code, __u64 n, struct accessor *ret);

/* Bytes behind the begin of a function at which a probe is cheap: the kernel does not step through an instruction there, but
 * does itself what it does (push, a nop of 5 bytes).  -EINVAL: at neither place. */
int entry_offset(const __u8 *code, __u64 n);

#endif
