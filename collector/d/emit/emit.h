/* emit.h - makes BPF instructions of an IR program.
 *
 * Errors  -E2BIG: more values at once than the stack holds, or a jump too far.  -ENOMEM.
 * Memory  d_code_fini() frees the instructions.
 */
#ifndef HEATSCOPE_EMIT_EMIT_H
#define HEATSCOPE_EMIT_EMIT_H

#include "collector/d/emit/ir.h"

#include <linux/bpf.h>

/* Where the kernel has what programs read of a thread, in bytes. */
struct d_offsets {
	__u32 pid, tgid, comm, exec_start, sum_exec_runtime, cfs_rq, status, start_time;	/* in struct task_struct */
	__u32 rq;							/* in struct cfs_rq */
	__u32 clock, clock_task;					/* in struct rq */
};

/* Descriptors of the maps; -1: the program does not need it. */
struct d_maps {
	int state;			/* struct d_state */
	int globals;
	int self;			/* task storage */
	int ring;
	int texts;			/* d_program.texts; frozen */
	int scratch;			/* D_NESTING areas per CPU: a word that says that it is taken, this->, scratch */
	const int *table;		/* by its id */
	int probes;			/* struct d_entry of the program's probes */
	struct d_offsets offsets;
};

#define D_NESTING 4			/* programs that interrupt one another on a CPU; another one is counted and does not run */

struct d_code {
	struct bpf_insn *insns;
	size_t n, room;
	int err;
};

int d_emit(const struct d_ir *ir, const struct d_maps *maps, struct d_code *ret_code);
void d_code_fini(struct d_code *c);

#endif
