/* emit.h - makes BPF instructions of an IR program.
 *
 *      r6 r7 r8   values             r9   the record          r0-r5   scratch
 *      stack      the memory of this->, then values
 *
 * Errors  -E2BIG: more values at once than the stack holds, or a jump too far.  -ENOMEM.
 * Memory  d_code_fini() frees the instructions.
 */
#ifndef HEATSCOPE_D_EMIT_H
#define HEATSCOPE_D_EMIT_H

#include "collector/d/ir.h"

#include <linux/bpf.h>

/* Descriptors of the maps; -1: the program does not need it. */
struct d_maps {
	int state;			/* struct d_state */
	int globals;
	int self;			/* task storage */
	int ring;
};

struct d_code {
	struct bpf_insn *insns;
	size_t n, room;
	int err;
};

/* this_len: bytes of this->. */
int d_emit(const struct d_ir *ir, const struct d_maps *maps, unsigned this_len, struct d_code *ret_code);
void d_code_fini(struct d_code *c);

#endif
