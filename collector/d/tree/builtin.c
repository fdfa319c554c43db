#include "collector/d/tree/builtin.h"
#include "collector/d/tree/probe.h"

#include <string.h>

static const struct d_builtin builtins[] = {
	{ "arg0", "int64_t", BUILTIN_ARG, 0 }, { "arg1", "int64_t", BUILTIN_ARG, 1 }, { "arg2", "int64_t", BUILTIN_ARG, 2 },
	{ "arg3", "int64_t", BUILTIN_ARG, 3 }, { "arg4", "int64_t", BUILTIN_ARG, 4 }, { "arg5", "int64_t", BUILTIN_ARG, 5 },
	{ "arg6", "int64_t", BUILTIN_ARG, 6 }, { "arg7", "int64_t", BUILTIN_ARG, 7 }, { "arg8", "int64_t", BUILTIN_ARG, 8 },
	{ "arg9", "int64_t", BUILTIN_ARG, 9 },
	{ "args", "int64_t", BUILTIN_LATER, 0 },
	{ "caller", "uintptr_t", BUILTIN_LATER, 0 },
	{ "cpu", "int", BUILTIN_CPU, 0 },
	{ "curcpu", "uintptr_t", BUILTIN_LATER, 0 },
	{ "curlwpsinfo", "uintptr_t", BUILTIN_LATER, 0 },
	{ "curpsinfo", "uintptr_t", BUILTIN_LATER, 0 },
	{ "curthread", "uintptr_t", BUILTIN_LATER, 0 },
	{ "epid", "uint_t", BUILTIN_EPID, 0 },
	{ "errno", "int", BUILTIN_ERRNO, 0 },
	{ "execargs", "string", BUILTIN_LATER, 0 },
	{ "execname", "string", BUILTIN_EXECNAME, 0 },
	{ "fds", "uintptr_t", BUILTIN_LATER, 0 },
	{ "gid", "gid_t", BUILTIN_GID, 0 },
	{ "id", "uint_t", BUILTIN_ID, 0 },
	{ "ipl", "uint_t", BUILTIN_LATER, 0 },
	{ "pid", "pid_t", BUILTIN_PID, 0 },
	{ "ppid", "pid_t", BUILTIN_LATER, 0 },
	{ "probefunc", "string", BUILTIN_PROBE, FIELD_FUNCTION },
	{ "probemod", "string", BUILTIN_PROBE, FIELD_MODULE },
	{ "probename", "string", BUILTIN_PROBE, FIELD_NAME },
	{ "probeprov", "string", BUILTIN_PROBE, FIELD_PROVIDER },
	{ "stackdepth", "uint32_t", BUILTIN_LATER, 0 },
	{ "tid", "id_t", BUILTIN_TID, 0 },
	{ "timestamp", "uint64_t", BUILTIN_TIMESTAMP, 0 },
	{ "ucaller", "uint64_t", BUILTIN_LATER, 0 },
	{ "uid", "uid_t", BUILTIN_UID, 0 },
	{ "uregs", "uint64_t", BUILTIN_LATER, 0 },
	{ "ustackdepth", "uint32_t", BUILTIN_LATER, 0 },
	{ "vtimestamp", "uint64_t", BUILTIN_VTIMESTAMP, 0 },
	{ "walltimestamp", "int64_t", BUILTIN_WALLTIMESTAMP, 0 },
	{ "zonename", "string", BUILTIN_ZONENAME, 0 },
};
#define N_BUILTINS (sizeof(builtins) / sizeof(*builtins))

const struct d_builtin *d_builtin_find(const char *name)
{
	for (size_t i = 0; i < N_BUILTINS; i++)
		if (!strcmp(builtins[i].name, name))
			return &builtins[i];
	return NULL;
}

const struct d_builtin *d_builtin_at(size_t i) { return i < N_BUILTINS ? &builtins[i] : NULL; }

const struct d_type *d_builtin_type(const struct d_builtin *b, const struct d_types *types)
{
	if (!strcmp(b->type, "string"))
		return d_types_intrinsic(D_STRING);
	return strcmp(b->type, "int") ? d_types_find(types, TAG_NONE, b->type) : d_types_intrinsic(D_INT);
}
