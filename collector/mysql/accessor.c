#include "collector/mysql/accessor.h"

#include <errno.h>
#include <string.h>

enum { REG_AX, REG_DX = 2, REG_SP = 4, REG_BP, REG_SI, REG_DI };
enum { MOD_BARE, MOD_NEAR, MOD_FAR };

#define OBJECT_MAX (1u << 20)		/* bytes */
#define RET 0xc3
#define LEAVE 0xc9

static const __u8 endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };

struct code {
	const __u8 *at, *end;
	__u8 base;			/* the register that the next step starts from */
};

static int code_begins(const struct code *c, const __u8 *bytes, __u64 n)
{
	return (__u64)(c->end - c->at) >= n && !memcmp(c->at, bytes, n);
}

static __u32 code_u32(const __u8 *b)
{
	return b[0] | b[1] << 8 | b[2] << 16 | (__u32)b[3] << 24;
}

/* Decodes the operand [base + displacement], from its modrm byte on.  Returns the bytes it takes; 0: it is another
 * operand. */
static int operand(const struct code *c, const __u8 *modrm, __u32 *ret_displacement)
{
	int mod = *modrm >> 6;

	if ((*modrm & 7) != c->base || c->base == REG_SP)	/* REG_SP would mean that another byte follows */
		return 0;
	if (mod == MOD_NEAR && c->end - modrm >= 2 && modrm[1] < 0x80) {
		*ret_displacement = modrm[1];
		return 2;
	}
	if (mod == MOD_FAR && c->end - modrm >= 5 && code_u32(modrm + 1) < OBJECT_MAX) {
		*ret_displacement = code_u32(modrm + 1);
		return 5;
	}
	if (mod == MOD_BARE && c->base != REG_BP) {	/* REG_BP would mean the instruction's own address */
		*ret_displacement = 0;
		return 1;
	}
	return 0;
}

/* mov or lea with 64 bits. */
static int step(struct code *c, struct accessor *a)
{
	__u32 displacement;
	int n;

	if (c->end - c->at < 3 || c->at[0] != 0x48 || (c->at[1] != 0x8b && c->at[1] != 0x8d) ||
	    a->n == ACCESSOR_STEPS || a->kind != ACCESSOR_LOAD)
		return -EINVAL;
	n = operand(c, c->at + 2, &displacement);
	if (!n)
		return -EINVAL;
	a->kind = c->at[1] == 0x8b ? ACCESSOR_LOAD : ACCESSOR_ADDRESS;
	a->at[a->n++] = displacement;
	c->base = c->at[2] >> 3 & 7;
	c->at += 2 + n;
	return 0;
}

/* test base, base; je to the return: a NULL is returned as it is. */
static void null_skip(struct code *c)
{
	const __u8 test_je[] = { 0x48, 0x85, 0xc0 | c->base << 3 | c->base, 0x74 };

	if (code_begins(c, test_je, sizeof(test_je)) && c->end - c->at >= 6 && c->at[4] < c->end - c->at - 5 &&
	    c->at[5 + c->at[4]] == RET)
		c->at += 5;
}

/* Decodes a function that only tests bits in the object itself, of a byte, of 32 or of 64 bits: test, setne, ret. */
static int test(const struct code *c, struct accessor *ret)
{
	static const __u8 setne_ret[] = { 0x0f, 0x95, 0xc0, RET };
	int wide = code_begins(c, (const __u8[]){ 0x48 }, 1), byte, n, n_mask;
	struct accessor a = { .kind = ACCESSOR_TEST, .n = 1 };
	const __u8 *modrm = c->at + wide + 1, *mask;

	if (c->end - c->at < 3 || *modrm >> 3 & 7)
		return -EINVAL;
	byte = !wide && *c->at == 0xf6;
	n_mask = byte ? 1 : 4;
	n = byte || c->at[wide] == 0xf7 ? operand(c, modrm, &a.at[0]) : 0;
	mask = modrm + n;
	if (!n || c->end - mask < n_mask + (long)sizeof(setne_ret) ||
	    memcmp(mask + n_mask, setne_ret, sizeof(setne_ret)))
		return -EINVAL;
	a.mask = byte ? *mask : code_u32(mask);
	*ret = a;
	return 0;
}

/* mov a(%rdi),%rax; mov a+8(%rdi),%rdx; ret.  c->base may stand in place of rdi. */
static int pair(const struct code *c, struct accessor *ret)
{
	struct accessor a = { .kind = ACCESSOR_PAIR, .n = 1 };
	struct code at = *c;
	__u32 second;
	int n;

	if (at.end - at.at < 8 || at.at[0] != 0x48 || at.at[1] != 0x8b || (at.at[2] >> 3 & 7) != REG_AX)
		return -EINVAL;
	n = operand(&at, at.at + 2, &a.at[0]);
	at.at += 2 + n;
	if (!n || at.end - at.at < 4 || at.at[0] != 0x48 || at.at[1] != 0x8b || (at.at[2] >> 3 & 7) != REG_DX)
		return -EINVAL;
	n = operand(&at, at.at + 2, &second);
	at.at += 2 + n;
	at.at += at.at < at.end && *at.at == LEAVE;
	if (!n || second != a.at[0] + 8 || at.at >= at.end || *at.at != RET)
		return -EINVAL;
	*ret = a;
	return 0;
}

/* test %rsi,%rsi; je; mov a(%rdi),%rax; mov %rax,(%rsi); xor %eax,%eax; ret */
static int store(const struct code *c, struct accessor *ret)
{
	static const __u8 test_je[] = { 0x48, 0x85, 0xf6, 0x74 }, load[] = { 0x48, 0x8b };
	static const __u8 rest[] = { 0x48, 0x89, 0x06, 0x31, 0xc0, RET };
	struct accessor a = { .kind = ACCESSOR_STORE, .n = 1 };
	struct code at = *c;
	int n;

	if (!code_begins(&at, test_je, sizeof(test_je)))
		return -EINVAL;
	at.at += sizeof(test_je) + 1;
	if (at.end - at.at < 3 || !code_begins(&at, load, sizeof(load)) || (at.at[2] >> 3 & 7) != REG_AX)
		return -EINVAL;
	n = operand(&at, at.at + 2, &a.at[0]);
	at.at += 2 + n;
	if (!n || !code_begins(&at, rest, sizeof(rest)))
		return -EINVAL;
	*ret = a;
	return 0;
}

/* mov a(%rdi),%eax; ret   or   mov %esi,a(%rdi); mov %esi,%edi; jmp */
static int word(const struct code *c, struct accessor *ret)
{
	static const __u8 jump[] = { 0x89, 0xf7, 0xe9 };
	struct accessor a = { .kind = ACCESSOR_WORD, .n = 1 };
	struct code rest = *c;
	int n, load;

	if (c->end - c->at < 2 || (c->at[0] != 0x8b && c->at[0] != 0x89))
		return -EINVAL;
	load = c->at[0] == 0x8b;
	n = operand(c, c->at + 1, &a.at[0]);
	rest.at += 1 + n;
	if (!n || (c->at[1] >> 3 & 7) != (load ? REG_AX : REG_SI) || rest.at >= rest.end)
		return -EINVAL;
	if (load ? *rest.at != RET : !code_begins(&rest, jump, sizeof(jump)))
		return -EINVAL;
	*ret = a;
	return 0;
}

/* cmpl $value,a(%rax); sete %al; ret.  c->base may be another register than rax. */
static int equal(const struct code *c, struct accessor *ret)
{
	static const __u8 sete_ret[] = { 0x0f, 0x94, 0xc0, RET };
	struct accessor a = { .kind = ACCESSOR_EQUAL, .n = 1 };
	struct code rest = *c;
	int n;

	if (c->end - c->at < 2 || c->at[0] != 0x83 || (c->at[1] >> 3 & 7) != 7)
		return -EINVAL;
	n = operand(c, c->at + 1, &a.at[0]);
	rest.at += 1 + n;
	if (!n || rest.at >= rest.end || *rest.at >= 0x80)
		return -EINVAL;
	a.mask = *rest.at++;
	if (!code_begins(&rest, sete_ret, sizeof(sete_ret)))
		return -EINVAL;
	*ret = a;
	return 0;
}

/* Reads an instruction on 32 bits in the object that `a` has loaded.  Returns 0, or -EINVAL: it is another one. */
static int word_inner(const struct code *c, const struct accessor *a, struct accessor *ret)
{
	struct accessor last;

	if (a->n != 1 || a->kind != ACCESSOR_LOAD || c->at >= c->end || *c->at == 0x89 ||
	    (word(c, &last) && equal(c, &last)))
		return -EINVAL;
	last.n = 2;
	last.at[1] = last.at[0];
	last.at[0] = a->at[0];
	*ret = last;
	return 0;
}

static struct code code_of(const __u8 *code, __u64 n)
{
	struct code c = { code, code + n, REG_DI };

	if (code_begins(&c, endbr64, sizeof(endbr64)))
		c.at += sizeof(endbr64);
	return c;
}

int accessor_decode(const __u8 *code, __u64 n, struct accessor *ret)
{
	struct accessor a = { .kind = ACCESSOR_LOAD };
	struct code c = code_of(code, n);

	if (!test(&c, ret) || !pair(&c, ret) || !store(&c, ret) || !word(&c, ret) || !equal(&c, ret))
		return 0;
	while (!step(&c, &a))
		null_skip(&c);
	if (!word_inner(&c, &a, ret))
		return 0;
	if (!a.n || c.base != REG_AX || c.at == c.end || *c.at != RET)
		return -EINVAL;
	*ret = a;
	return 0;
}

int accessor_decode_inner(const __u8 *code, __u64 n, struct accessor *ret)
{
	static const __u8 load[] = { 0x48, 0x8b, 0x97 };	/* mov a(%rdi),%rdx, four bytes of a; then the pair */
	struct code c = code_of(code, n);

	for (; c.end - c.at > (long)sizeof(load) + 4; c.at++) {
		struct code inner = { c.at + sizeof(load) + 4, c.end, REG_DX };

		if (code_begins(&c, load, sizeof(load)) && !pair(&inner, ret))
			return 0;
	}
	return -EINVAL;
}

/* Skips an instruction of the frame.  Returns 0: the next one is another. */
static int frame_skip(struct code *c)
{
	static const __u8 push[] = { 0x55 }, move[] = { 0x48, 0x89, 0xe5 }, pop[] = { 0x5d };
	static const struct { const __u8 *bytes; __u64 n; } known[] = { { push, 1 }, { move, 3 }, { pop, 1 } };

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (code_begins(c, known[i].bytes, known[i].n)) {
			c->at += known[i].n;
			return 1;
		}
	return 0;
}

int accessor_decode_thread(const __u8 *code, __u64 n, __s32 *ret_from_thread)
{
	static const __u8 pointer[] = { 0x64, 0x48, 0x8b, 0x04, 0x25 }, load[] = { 0x48, 0x8b, 0x80 };
	struct code c = code_of(code, n);
	__u32 from;

	while (frame_skip(&c))
		;
	while (c.at < c.end && *c.at == 0x66)
		c.at++;
	if (!code_begins(&c, pointer, sizeof(pointer)) || c.end - c.at < 9)
		return -EINVAL;
	from = code_u32(c.at + 5);
	c.at += 9;
	while (frame_skip(&c))
		;
	if (!from && code_begins(&c, load, sizeof(load)) && c.end - c.at >= 7) {
		from = code_u32(c.at + 3);
		c.at += 7;
	}
	while (frame_skip(&c))
		;
	if ((__s32)from >= 0 || c.at >= c.end || *c.at != RET)
		return -EINVAL;
	*ret_from_thread = (__s32)from;
	return 0;
}
