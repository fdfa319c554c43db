/* check.h - gives names their meaning and expressions their types, and folds constants.
 *
 *      tree of a script --d_check()--> the same tree, with types; variables and clauses of the program
 *
 * After it a node has `type`, a name its `variable`, and a constant is a NODE_INT.
 * Errors  -EINVAL: the script is refused, *error says why with DTrace's tag.  -ENOMEM.
 */
#ifndef HEATSCOPE_CHECK_CHECK_H
#define HEATSCOPE_CHECK_CHECK_H

#include "collector/d/check/program.h"

int d_check(struct d_program *p, struct d_unit *u, struct d_error *error);

#endif
