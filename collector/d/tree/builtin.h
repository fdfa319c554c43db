/* builtin.h - lists the variables that D has by itself. */
#ifndef HEATSCOPE_TREE_BUILTIN_H
#define HEATSCOPE_TREE_BUILTIN_H

#include "collector/d/tree/type.h"

enum d_builtin_id {
	BUILTIN_PID, BUILTIN_TID, BUILTIN_UID, BUILTIN_GID, BUILTIN_TIMESTAMP, BUILTIN_CPU, BUILTIN_ARG, BUILTIN_ID,
	BUILTIN_EPID, BUILTIN_ERRNO, BUILTIN_WALLTIMESTAMP, BUILTIN_EXECNAME, BUILTIN_PROBE, BUILTIN_ZONENAME, BUILTIN_VTIMESTAMP,
	BUILTIN_THREAD_START,		/* of no script: when the thread started, as numbers are given again */
	BUILTIN_LATER,			/* known, but programs do not have it yet */
};

struct d_builtin {
	const char *name;
	const char *type;		/* a name of d_types */
	enum d_builtin_id id;
	__u32 index;			/* of BUILTIN_ARG; of BUILTIN_PROBE its enum d_probe_field */
};

const struct d_builtin *d_builtin_find(const char *name);	/* NULL: there is none */
const struct d_builtin *d_builtin_at(size_t i);			/* NULL: past the last */
const struct d_type *d_builtin_type(const struct d_builtin *b, const struct d_types *types);

#endif
