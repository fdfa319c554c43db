/* lower.h - lowers the clauses of a group of probes to one IR program, and lists the actions of their records.
 *
 *      clause 0: predicate, actions ---.
 *      clause 1: ...                   +--d_lower()--> ir      clause->actions: how to print a record
 *
 * The program runs the clauses in order; after exit() the later ones do not run.  `this->` is shared by them.
 * Errors  -EINVAL: an expression that programs do not have yet, or too large; *error says where.  -ENOMEM.
 */
#ifndef HEATSCOPE_EMIT_LOWER_H
#define HEATSCOPE_EMIT_LOWER_H

#include "collector/d/emit/plan.h"

/* Makes the group's `ir`.  errors: the clauses of ERROR, which run in it after a fault; NULL: there are none. */
int d_lower(struct d_program *p, struct d_group *g, const struct d_group *errors, struct d_error *error);

#endif
