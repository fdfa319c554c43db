#include "collector/d/provider/operand.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Names by offset in struct pt_regs of x86-64: of 8, 4, 2 and 1 bytes. */
static const struct {
	__u8 offset;
	const char *name[4];
} registers[] = {
	{ 0, { "r15", "r15d", "r15w", "r15b" } }, { 8, { "r14", "r14d", "r14w", "r14b" } }, { 16, { "r13", "r13d", "r13w", "r13b" } },
	{ 24, { "r12", "r12d", "r12w", "r12b" } }, { 32, { "rbp", "ebp", "bp", "bpl" } }, { 40, { "rbx", "ebx", "bx", "bl" } },
	{ 48, { "r11", "r11d", "r11w", "r11b" } }, { 56, { "r10", "r10d", "r10w", "r10b" } }, { 64, { "r9", "r9d", "r9w", "r9b" } },
	{ 72, { "r8", "r8d", "r8w", "r8b" } }, { 80, { "rax", "eax", "ax", "al" } }, { 88, { "rcx", "ecx", "cx", "cl" } },
	{ 96, { "rdx", "edx", "dx", "dl" } }, { 104, { "rsi", "esi", "si", "sil" } }, { 112, { "rdi", "edi", "di", "dil" } },
	{ 128, { "rip", "eip", "ip", "ip" } }, { 152, { "rsp", "esp", "sp", "spl" } },
	{ 80, { "ah", "ah", "ah", "ah" } }, { 88, { "ch", "ch", "ch", "ch" } }, { 96, { "dh", "dh", "dh", "dh" } }, { 40, { "bh", "bh", "bh", "bh" } },
};

/* Reads "%rdi".  Returns what follows; NULL: no register. */
static const char *parse_register(const char *at, __u8 *ret_offset, bool *ret_is_high)
{
	size_t len = *at == '%' ? strspn(at + 1, "abcdehilprswx0123456789") : 0;

	for (size_t i = 0; len && i < sizeof(registers) / sizeof(*registers); i++)
		for (unsigned n = 0; n < 4; n++)
			if (strlen(registers[i].name[n]) == len && !memcmp(registers[i].name[n], at + 1, len)) {
				*ret_offset = registers[i].offset;
				*ret_is_high = len == 2 && at[2] == 'h';
				return at + 1 + len;
			}
	return NULL;
}

/* Reads the rest of "(%rax,%rcx,8)" after the bracket. */
static const char *parse_address(const char *at, struct d_operand *o)
{
	bool high;

	o->kind = OPERAND_MEMORY;
	if (*at == '%' && !(at = parse_register(at, &o->base, &high)))
		return NULL;
	if (*at == ',') {
		at = parse_register(at + 1, &o->index, &high);
		if (!at)
			return NULL;
		if (*at == ',') {
			if (!strchr("1248", at[1]) || !at[1])
				return NULL;
			o->shift = at[1] == '8' ? 3 : at[1] == '4' ? 2 : at[1] == '2';
			at += 2;
		}
	}
	return *at == ')' ? at + 1 : NULL;
}

static const char *parse_place(const char *at, struct d_operand *o)
{
	bool is_high = false;
	char *end;

	if (*at == '$') {
		o->kind = OPERAND_CONSTANT;
		o->value = strtoll(at + 1, &end, 0);
		return end == at + 1 ? NULL : end;
	}
	if (*at == '%') {
		o->kind = OPERAND_REGISTER;
		at = parse_register(at, &o->base, &is_high);
		o->shift = is_high ? 8 : 0;
		return at;
	}
	o->value = strtoll(at, &end, 0);
	return *end == '(' ? parse_address(end + 1, o) : NULL;
}

/* One operand: "SIZE@PLACE", the size negative of a signed type. */
static const char *parse_operand(const char *at, struct d_operand *o)
{
	char *end;
	long size = strtol(at, &end, 10);

	*o = (struct d_operand){ .base = D_NO_REGISTER, .index = D_NO_REGISTER, .is_signed = size < 0 };
	if (size < -8 || size > 8)
		return NULL;
	size = size < 0 ? -size : size;
	if (end == at || *end != '@' || (size != 1 && size != 2 && size != 4 && size != 8))
		return NULL;
	o->size = size;
	at = parse_place(end + 1, o);
	return at && (!*at || *at == ' ') ? at : NULL;
}

int d_operands_parse(const char *text, struct d_operand *ret_operands, unsigned *ret_n)
{
	const char *at = text + strspn(text, " ");

	for (*ret_n = 0; *at; ++*ret_n) {
		if (*ret_n == D_OPERANDS_MAX)
			return 0;
		at = parse_operand(at, &ret_operands[*ret_n]);
		if (!at)
			return -EINVAL;
		at += strspn(at, " ");
	}
	return 0;
}
