/* lower.h - lowers the clauses of a probe to one IR program, and lists the actions of their records.
 *
 *      clause 0: predicate, actions ---.
 *      clause 1: ...                   +--d_lower()--> ir      clause->actions: how to print a record
 *
 * The program runs the clauses in order; after exit() the later ones do not run.  `this->` is shared by them.
 * Errors  -EINVAL: an expression that programs do not have yet, or too large; *error says where.  -ENOMEM.
 */
#ifndef HEATSCOPE_D_LOWER_H
#define HEATSCOPE_D_LOWER_H

#include "collector/d/ir.h"
#include "collector/d/program.h"
#include "collector/d/record.h"

/* A probe that fires: its number, and when its clauses run. */
struct d_firing {
	__u32 probe;
	enum d_activity activity;
};

int d_lower(struct d_program *p, struct d_clause *const *clauses, size_t n, struct d_firing firing, struct d_ir *ret_ir,
	    struct d_error *error);

#endif
