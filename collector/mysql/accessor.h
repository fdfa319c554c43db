/* accessor.h - decodes the machine code of a short function, to learn at which offset of an object its result lies.
 *
 *      48 8b 87 98 0b 00 00  mov  0xb98(%rdi),%rax         accessor_decode() -> load the value at 0xb98
 *      c3                    ret
 *
 * Known   x86-64 only.  A function may begin with endbr64, and does one of these before it returns:
 *           loads (8b) and addresses (8d) relative to the object or to the value loaded last, at most ACCESSOR_STEPS,
 *             with a test for NULL in between
 *           two neighbours, loaded into rax and rdx
 *           one load, stored through the second argument
 *           32 bits, loaded or compared with a number (83), perhaps after a load
 *           32 bits, written from the second argument before a jump to another function
 *           one test of bits (f6, f7)
 *         Anything else is refused: a guess would read other memory.
 * Both    pure; fuzzed by fuzz_mysql_thd.
 */
#ifndef HEATSCOPE_ACCESSOR_H
#define HEATSCOPE_ACCESSOR_H

#include <linux/types.h>

#define ACCESSOR_STEPS 2

enum accessor_kind {
	ACCESSOR_LOAD,			/* it returns the value at the last place */
	ACCESSOR_ADDRESS,		/* it returns the last place itself */
	ACCESSOR_TEST,			/* it returns whether bits of `mask` are set in the word there */
	ACCESSOR_PAIR,			/* it returns the two values there: a text and its length */
	ACCESSOR_STORE,			/* it stores the value there through its second argument */
	ACCESSOR_WORD,			/* it returns the 32 bits there, or writes its second argument there */
	ACCESSOR_EQUAL,			/* it returns whether the 32 bits there are `mask`, a number below 128 */
};

struct accessor {
	enum accessor_kind kind;
	__u32 n;			/* steps; all but the last are loads */
	__u32 at[ACCESSOR_STEPS];	/* bytes from the object, from the value loaded first ... */
	__u64 mask;
};

/* Decodes a function.  code: n bytes from its begin.  -EINVAL: it has none of the known forms. */
int accessor_decode(const __u8 *code, __u64 n, struct accessor *ret);

/* Finds the pair that a function returns, of the object that its argument points to; the function checks the argument
 * first.  -EINVAL. */
int accessor_decode_inner(const __u8 *code, __u64 n, struct accessor *ret);

/* Finds the thread-local variable that a function returns, in bytes from the thread pointer.  -EINVAL. */
int accessor_decode_thread(const __u8 *code, __u64 n, __s32 *ret_from_thread);

#endif
