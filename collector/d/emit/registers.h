/* registers.h - gives the registers of an IR program places: BPF's r6, r7, r8, or 8 bytes of the stack.
 *
 * A linear scan: a register lives from its first to its last instruction and has one place all its life; if BPF has none
 * free at its first, that is on the stack.
 * Errors  -E2BIG: more live at once than fit into the stack.  -ENOMEM.
 * Memory  free() the places.
 */
#ifndef HEATSCOPE_EMIT_REGISTERS_H
#define HEATSCOPE_EMIT_REGISTERS_H

#include "collector/d/emit/ir.h"

#define D_STACK_LEN 512

struct d_register_place {
	__u8 bpf;			/* 6..8; 0: on the stack */
	__s16 offset;			/* from r10 */
};

/* `used` bytes at the top of the stack are taken; a multiple of 8.  *ret_places has n_registers + 1 elements. */
int d_registers_assign(const struct d_ir *ir, unsigned used, struct d_register_place **ret_places);

#endif
