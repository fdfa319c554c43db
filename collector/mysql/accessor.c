#include "collector/mysql/accessor.h"

#include <errno.h>
#include <string.h>

enum { REG_AX, REG_SP = 4, REG_BP, REG_DI = 7 };
enum { MOD_BARE, MOD_NEAR, MOD_FAR };

#define OBJECT_MAX (1u << 20)		/* bytes */
#define RET 0xc3

static const __u8 endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa }, nop5[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };

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

	if (c->end - c->at < 3 || c->at[0] != 0x48 || (c->at[1] != 0x8b && c->at[1] != 0x8d) || a->n == ACCESSOR_STEPS ||
	    a->kind != ACCESSOR_LOAD)
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

int accessor_decode(const __u8 *code, __u64 n, struct accessor *ret)
{
	struct code c = { code, code + n, REG_DI };
	struct accessor a = { .kind = ACCESSOR_LOAD };

	if (code_begins(&c, endbr64, sizeof(endbr64)))
		c.at += sizeof(endbr64);
	if (!test(&c, ret))
		return 0;
	while (!step(&c, &a))
		null_skip(&c);
	if (!a.n || c.base != REG_AX || c.at == c.end || *c.at != RET)
		return -EINVAL;
	*ret = a;
	return 0;
}

static int is_cheap(const struct code *c)
{
	__u64 n = c->end - c->at;

	return (n >= 1 && (c->at[0] & 0xf8) == 0x50) || (n >= 2 && c->at[0] == 0x41 && (c->at[1] & 0xf8) == 0x50) ||
	       code_begins(c, nop5, sizeof(nop5));
}

int entry_offset(const __u8 *code, __u64 n)
{
	struct code c = { code, code + n, REG_DI };
	int offset = code_begins(&c, endbr64, sizeof(endbr64)) ? sizeof(endbr64) : 0;

	c.at += offset;
	return is_cheap(&c) ? offset : -EINVAL;
}
