#include "collector/metrics/syscall.h"
#include "collector/probe/need.h"
#include "collector/probe/programs.h"
#include "collector/metrics/syscall_label.h"
#include "collector/metrics/syscall.skel.h"

static const struct field fields[] = {
	PROCESS_FIELDS,
	{ "syscall", "system call", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "errno", "error", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "latency", "latency", "time", FIELD_NUMERIC, UNIT_NS, 6, 37 },
	{ "cputime", "time on the CPU", "time", FIELD_NUMERIC, UNIT_NS, 6, 37 },
	{ "subsecond", "offset within the second", "time", FIELD_NUMERIC, UNIT_NS, 20, 30 },
};

static const struct metric metric = {
	"syscall", "syscalls", "system calls", "calls", fields, sizeof(fields) / sizeof(fields[0]), SCOPE_INTERVAL, NULL, NULL, NULL
};

/* ---- start ---- */

static int syscall_start(void **ret_self, struct tracer_programs *ret_programs, char *reason)
{
	struct syscall_bpf *bpf = syscall_bpf__open();

	if (bpf) {
		*(__s32 *)&bpf->rodata->sigreturn = syscall_number("rt_sigreturn", 0);
		*(__s32 *)&bpf->rodata->sigreturn_compat[0] = syscall_number("rt_sigreturn", 1);
		*(__s32 *)&bpf->rodata->sigreturn_compat[1] = syscall_number("sigreturn", 1);
		if (!need_split()) {
			*(__u32 *)&bpf->rodata->by_switch = 1;
			bpf_program__set_autoload(bpf->progs.switched, true);
		}
	}
	return PROGRAMS_START(bpf, &metric, ret_self, ret_programs, reason);
}

/* ---- while it runs ---- */

static const struct field_codes *const codes[] = {
	PROGRAMS_PROCESS_CODES,
	[SYSCALL_SYSCALL] = &syscall_name_codes,
	[SYSCALL_ERRNO] = &syscall_errno_codes,
};

static __u64 syscall_lost(void *self)
{
	const struct programs *p = self;

	return *(volatile __u64 *)&((struct syscall_bpf *)p->bpf)->bss->no_memory + programs_lost(self);
}

static const char *const tracepoints[] = { "sys_exit", "sys_enter", NULL };

const struct tracer syscall_tracer = {
	.metric = &metric,
	.tracepoints = tracepoints,
	.dispatch_ns = 60,
	.alone = 1,
	.start = syscall_start,
	PROGRAMS_TRACER(syscall_lost, programs_doctor),
};
