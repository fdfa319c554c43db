/* parse.h - makes the tree of a D script.
 *
 * Errors  -EINVAL: the script is refused, *error says where and why.  -ENOMEM, also if it would take more than the arena
 *         may have; *error says so.
 * Limits  scripts of D_SCRIPT_MAX bytes; D_DEPTH_MAX nested expressions, statements or declarators.
 * Memory  the tree is in types->arena.  Types that the script declares are added to *types.
 */
#ifndef HEATSCOPE_TREE_PARSE_H
#define HEATSCOPE_TREE_PARSE_H

#include "collector/d/tree/tree.h"

#define D_DEPTH_MAX 200

/* From the command line (-n): names are descriptions of probes, and a clause may lack its body. */
enum { D_PARSE_SPECS = 1 };

int d_parse(const struct d_script *s, unsigned flags, struct d_types *types, struct d_macros *macros, struct d_unit *ret_unit,
	    struct d_error *error);

#endif
