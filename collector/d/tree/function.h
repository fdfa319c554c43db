/* function.h - lists the functions of D: actions, aggregating functions and subroutines, with their arguments.
 *
 * Shape   `arguments` has a letter per argument: s string, c string constant, i integer, p pointer or integer, x any
 *         value, @ aggregation, b string constant or a name such as true; ? before the optional ones, * for any number
 *         of any.
 */
#ifndef HEATSCOPE_TREE_FUNCTION_H
#define HEATSCOPE_TREE_FUNCTION_H

#include "collector/d/tree/type.h"

enum d_function_kind { FUNCTION_ACTION, FUNCTION_AGGREGATING, FUNCTION_SUBROUTINE };

enum d_function_id {
	FUNCTION_LATER,				/* known, but programs do not have it yet */
	FUNCTION_PRINTF, FUNCTION_TRACE, FUNCTION_EXIT,
	FUNCTION_STRLEN, FUNCTION_STRJOIN, FUNCTION_SUBSTR, FUNCTION_LLTOSTR, FUNCTION_COPYINSTR, FUNCTION_COPYIN, FUNCTION_STACK, FUNCTION_USTACK,
	FUNCTION_COUNT, FUNCTION_SUM, FUNCTION_MIN, FUNCTION_MAX, FUNCTION_AVG, FUNCTION_STDDEV, FUNCTION_QUANTIZE,
	FUNCTION_LQUANTIZE, FUNCTION_LLQUANTIZE,
	FUNCTION_PRINTA, FUNCTION_CLEAR, FUNCTION_TRUNC, FUNCTION_NORMALIZE, FUNCTION_DENORMALIZE, FUNCTION_SETOPT,
};

struct d_function {
	const char *name;
	enum d_function_kind kind;
	enum d_intrinsic result;
	const char *arguments;
	enum d_function_id id;
};

const struct d_function *d_function_find(const char *name);	/* NULL: there is none */
const struct d_function *d_function_at(size_t i);		/* NULL: past the last */

#endif
