#include "collector/d/provider/operand.h"
#include "test/kit/check.h"

#include <errno.h>

TEST(operands_are_those_of_the_assembler)
{
	static const struct {
		const char *text;
		struct d_operand o;
	} rows[] = {
		{ "8@%rdi", { OPERAND_REGISTER, 8, false, 112, D_NO_REGISTER, 0, 0 } },
		{ "-4@%r10d", { OPERAND_REGISTER, 4, true, 56, D_NO_REGISTER, 0, 0 } },
		{ "1@%ah", { OPERAND_REGISTER, 1, false, 80, D_NO_REGISTER, 8, 0 } },
		{ "-2@$-17", { OPERAND_CONSTANT, 2, true, D_NO_REGISTER, D_NO_REGISTER, 0, -17 } },
		{ "4@-16(%rbp)", { OPERAND_MEMORY, 4, false, 32, D_NO_REGISTER, 0, -16 } },
		{ "8@(%rax)", { OPERAND_MEMORY, 8, false, 80, D_NO_REGISTER, 0, 0 } },
		{ "8@8(%rax,%rcx,4)", { OPERAND_MEMORY, 8, false, 80, 88, 2, 8 } },
		{ "8@0x10(,%rdx,8)", { OPERAND_MEMORY, 8, false, D_NO_REGISTER, 96, 3, 16 } },
		{ "4@1234(%rip)", { OPERAND_MEMORY, 4, false, 128, D_NO_REGISTER, 0, 1234 } },
		{ "1@%spl", { OPERAND_REGISTER, 1, false, 152, D_NO_REGISTER, 0, 0 } },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct d_operand o[D_OPERANDS_MAX];
		unsigned n;

		assert_int_equal(d_operands_parse(rows[i].text, o, &n), 0);
		assert_int_equal(n, 1);
		assert_int_equal(o->kind, rows[i].o.kind);
		assert_int_equal(o->size, rows[i].o.size);
		assert_int_equal(o->is_signed, rows[i].o.is_signed);
		assert_int_equal(o->base, rows[i].o.base);
		assert_int_equal(o->index, rows[i].o.index);
		assert_int_equal(o->shift, rows[i].o.shift);
		assert_int_equal(o->value, rows[i].o.value);
	}
}

TEST(refuses_others_and_keeps_those_before)
{
	static const char *const rows[] = {
		"8@%rax 4f@%xmm0", "8@%rax 4@sym(%rip)", "8@%rax 3@%rbx", "8@%rax 8@%rzz", "8@%rax 8@8(%rax", "8@%rax 8@8(%rax,%rbx,3)", "8@%rax x", "8@%rax 8@$",
		"8@%rax 8%rbx", "8@%rax 8@%rbxx",
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct d_operand o[D_OPERANDS_MAX];
		unsigned n;

		assert_int_equal(d_operands_parse(rows[i], o, &n), -EINVAL);
		assert_int_equal(n, 1);
	}
}

TEST(there_may_be_many_or_none)
{
	struct d_operand o[D_OPERANDS_MAX];
	unsigned n;

	assert_int_equal(d_operands_parse("", o, &n), 0);
	assert_int_equal(n, 0);
	assert_int_equal(d_operands_parse(" 8@%rax  8@%rbx ", o, &n), 0);
	assert_int_equal(n, 2);
	assert_int_equal(d_operands_parse("8@$1 8@$1 8@$1 8@$1 8@$1 8@$1 8@$1 8@$1 8@$1 8@$1 8@$1 8@$1 8@$1", o, &n), 0);
	assert_int_equal(n, D_OPERANDS_MAX);
}

TEST_MAIN()
