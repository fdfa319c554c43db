#include "collector/metrics/fs.h"
#include "collector/metrics/fs_call.h"
#include "collector/probe/programs.h"
#include "collector/metrics/fs.skel.h"

static const struct field fields[] = {
	PROCESS_FIELDS,
	{ "fstype", "file system", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "optype", "operation", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "latency", "latency", "time", FIELD_NUMERIC, UNIT_NS, 6, 37 },
	{ "size", "size", "size", FIELD_NUMERIC, UNIT_BYTES, 0, 33 },
};

static const struct metric metric = {
	"fs", "logical_ops", "file system operations", "operations", fields, sizeof(fields) / sizeof(fields[0]),
	SCOPE_INTERVAL, NULL, NULL, NULL
};

/* ---- start ---- */

static int fs_start(void **ret_self, struct tracer_programs *ret_programs, char *reason)
{
	struct fs_bpf *bpf = fs_bpf__open();

	if (bpf)
		fs_calls_fill((struct fs_call *)bpf->rodata->calls);
	return PROGRAMS_START(bpf, &metric, ret_self, ret_programs, reason);
}

/* ---- while it runs ---- */

static const struct field_codes *const codes[] = {
	PROGRAMS_PROCESS_CODES,
	[FS_FSTYPE] = &fs_fstype_codes,
	[FS_OPTYPE] = &fs_optype_codes,
};

static __u64 fs_lost(void *self)
{
	const struct programs *p = self;

	return *(volatile __u64 *)&((struct fs_bpf *)p->bpf)->bss->no_memory + programs_lost(self);
}

static const char *const tracepoints[] = { "sys_exit", "sys_enter", NULL };

const struct tracer fs_tracer = {
	.metric = &metric,
	.tracepoints = tracepoints,
	.dispatch_ns = 20,
	.alone = 1,
	.start = fs_start,
	PROGRAMS_TRACER(fs_lost, programs_doctor),
};
