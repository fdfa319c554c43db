#include "syscall.h"
#include "syscall_label.h"
#include "tracer.h"
#include "collector/syscall.skel.h"

#include <errno.h>
#include <string.h>

static const struct field fields[] = {
	PROCESS_FIELDS,
	{ "syscall", "system call", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "errno", "error", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "latency", "latency", "time", FIELD_NUMERIC, UNIT_NS, 7, 37 },
	{ "cputime", "time on the CPU", "time", FIELD_NUMERIC, UNIT_NS, 7, 37 },
	{ "subsecond", "offset in the second", "time", FIELD_NUMERIC, UNIT_NS, 20, 30 },
};

static const struct metric metric = {
	"syscall", "syscalls", "system calls", "calls", fields, sizeof(fields) / sizeof(fields[0]), SCOPE_INTERVAL
};

/* ---- start and stop ---- */

static int syscall_load(struct syscall_bpf *bpf)
{
	*(__s32 *)&bpf->rodata->sigreturn = syscall_number("rt_sigreturn", 0);
	*(__s32 *)&bpf->rodata->sigreturn_compat[0] = syscall_number("rt_sigreturn", 1);
	*(__s32 *)&bpf->rodata->sigreturn_compat[1] = syscall_number("sigreturn", 1);
	return syscall_bpf__load(bpf);
}

static int syscall_start(void **ret_self, struct tracer_programs *ret_programs, char *reason)
{
	struct syscall_bpf *bpf = syscall_bpf__open();
	int err = bpf ? syscall_load(bpf) : -errno;

	if (err)
		snprintf(reason, REASON_MAX, "the kernel refused the programs for syscall.syscalls: %s", strerror(-err));
	if (!err) {
		err = syscall_bpf__attach(bpf);
		if (err)
			snprintf(reason, REASON_MAX, "attaching to the system call tracepoints failed: %s", strerror(-err));
	}
	if (err) {
		syscall_bpf__destroy(bpf);
		return err;
	}
	*ret_programs = TRACER_PROGRAMS(bpf);
	*ret_self = bpf;
	return 0;
}

static void syscall_stop(void *self)
{
	syscall_bpf__destroy(self);
}

/* ---- while it runs ---- */

static void syscall_label(void *self, unsigned field, __u64 code, char *out)
{
	const struct syscall_bpf *bpf = self;
	const struct process_texts texts = { bpf_map__fd(bpf->maps.texts), bpf_map__fd(bpf->maps.paths) };

	if (field == SYSCALL_SYSCALL)
		syscall_label_name(code, out);
	else if (field == SYSCALL_ERRNO)
		syscall_label_errno(code, out);
	else
		process_label(&texts, field, code, out);
}

static int syscall_codes(void *self, unsigned field, const char *text, __u64 *ret_code, size_t max)
{
	if (field == SYSCALL_SYSCALL)
		return syscall_codes_name(text, ret_code, max);
	if (field == SYSCALL_ERRNO)
		return syscall_codes_errno(text, ret_code, max);
	return process_codes(field, text, ret_code, max);
}

static __u64 syscall_lost(void *self)
{
	const struct syscall_bpf *bpf = self;

	return *(volatile __u64 *)&bpf->bss->untold + tracer_missed(bpf_program__fd(bpf->progs.leave));
}

static void syscall_doctor(void *self, FILE *out)
{
	const struct syscall_bpf *bpf = self;

	if (!bpf)
		return;
	tracer_doctor_program(out, "enter", bpf_program__fd(bpf->progs.enter));
	tracer_doctor_program(out, "leave", bpf_program__fd(bpf->progs.leave));
}

static const char *const tracepoints[] = { "sys_exit", "sys_enter", NULL };

const struct tracer syscall_tracer = {
	.metric = &metric,
	.tracepoints = tracepoints,
	.dispatch_ns = 60,
	.may_detach = 1,
	.start = syscall_start,
	.stop = syscall_stop,
	.label = syscall_label,
	.codes = syscall_codes,
	.lost = syscall_lost,
	.doctor = syscall_doctor,
};
