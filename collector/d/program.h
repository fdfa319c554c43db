/* program.h - is a D program: what all scripts of a run declare together, and their clauses.
 *
 *      tree of each script --d_check()--> program: variables, aggregations, inlines, clauses, options
 *
 * Shape   a variable's memory begins at `offset` in the memory of its scope; `memory` is how long that is.
 * Memory  everything is in the arena of `types`; the trees and texts of the scripts too, or they live as long.
 */
#ifndef HEATSCOPE_D_PROGRAM_H
#define HEATSCOPE_D_PROGRAM_H

#include "collector/d/builtin.h"
#include "collector/d/tree.h"

#define D_MEMORY_MAX (16u << 10)	/* bytes of the variables of one scope; of this->: D_THIS_MAX */
#define D_THIS_MAX 256

struct d_action;

struct d_variable {
	struct d_variable *next;
	const char *name;
	enum d_scope scope;
	const struct d_type *type;
	const struct d_builtin *builtin;	/* NULL: the script's */
	const struct d_item *inlined;		/* an inline; NULL */
	__u32 offset;
};

struct d_aggregation {
	struct d_aggregation *next;
	const char *name;
	const struct d_function *function;	/* NULL: not assigned so far */
	const struct d_node *key;		/* of its first use: numbers and types of later ones agree */
	__u32 id;
};

struct d_clause {
	struct d_clause *next;
	const struct d_unit *unit;
	const struct d_item *item;
	__u32 id;				/* from 0 */
	struct d_action *actions;		/* of its records, after lowering */
};

struct d_program {
	struct d_types *types;
	struct d_variable *variables;
	struct d_aggregation *aggregations;
	struct d_clause *clauses;
	__u32 n_clauses, n_aggregations;
	__u32 memory[SCOPE_THIS + 1];
};

#endif
