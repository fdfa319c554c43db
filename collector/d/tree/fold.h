/* fold.h - computes operations on integers as D does.
 *
 * Shape   a value is 64 bits, also that of a narrower type: results are cut only where they are stored or cast, by
 *         d_fold_cut().  Division, remainder, comparison and right shift are signed if the operands' type is.
 * Errors  false: no value (division by zero, or no operation on integers).
 */
#ifndef HEATSCOPE_TREE_FOLD_H
#define HEATSCOPE_TREE_FOLD_H

#include "collector/d/tree/tree.h"

bool d_fold_binary(int op, bool is_signed, __u64 a, __u64 b, __u64 *ret_value);
bool d_fold_unary(int op, __u64 a, __u64 *ret_value);

/* The value as a type of `size` bytes has it. */
__u64 d_fold_cut(__u64 value, __u32 size, bool is_signed);

/* The value of an expression of constants, before its types are known: sizes of arrays, enumerators.  Its operands are
 * taken as long. */
bool d_fold_tree(const struct d_node *n, const struct d_types *types, __u64 *ret_value);

/* The operator of an assignment: '+' for +=; 0: it only assigns. */
int d_fold_assignment(int op);

#endif
