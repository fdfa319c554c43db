/* operand.h - reads where the arguments of a static probe are, as the assembler of x86-64 wrote it into the program's notes.
 *
 *      "4@%edi -8@-16(%rbp) 8@$5 2@table(,%rax,8)"  --d_operands_parse()-->  operands
 *
 * Errors  -EINVAL: an operand that is not known, such as one with a symbol or of a floating-point type; *ret_n have been read.
 */
#ifndef HEATSCOPE_PROVIDER_OPERAND_H
#define HEATSCOPE_PROVIDER_OPERAND_H

#include <linux/types.h>
#include <stdbool.h>

#define D_OPERANDS_MAX 12
#define D_NO_REGISTER 0xff

enum d_operand_kind { OPERAND_CONSTANT, OPERAND_REGISTER, OPERAND_MEMORY };

struct d_operand {
	__u8 kind;			/* enum d_operand_kind */
	__u8 size;			/* bytes of the value */
	bool is_signed;
	__u8 base, index;		/* offsets in struct pt_regs; D_NO_REGISTER */
	__u8 shift;			/* of a register: bits below its value: 8 of %ah; of memory: of the index */
	__s64 value;			/* the constant; of memory: what is added to the address */
};

int d_operands_parse(const char *text, struct d_operand *ret_operands, unsigned *ret_n);

#endif
