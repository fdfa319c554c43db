#include "fs.h"
#include "fs_call.h"
#include "tracer.h"
#include "collector/fs.skel.h"

#include <errno.h>
#include <string.h>

static const struct field fields[] = {
	PROCESS_FIELDS,
	{ "fstype", "type of file system", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "optype", "type of operation", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "latency", "latency", "time", FIELD_NUMERIC, UNIT_NS, 7, 37 },
	{ "size", "size", "size", FIELD_NUMERIC, UNIT_BYTES, 7, 33 },
};

static const struct metric metric = {
	"fs", "logical_ops", "file system operations", "operations", fields, sizeof(fields) / sizeof(fields[0]),
	SCOPE_INTERVAL
};

/* ---- start and stop ---- */

static int fs_load(struct fs_bpf *bpf)
{
	fs_calls_fill((struct fs_call *)bpf->rodata->calls);
	return fs_bpf__load(bpf);
}

static int fs_start(void **ret_self, struct tracer_programs *ret_programs, char *reason)
{
	struct fs_bpf *bpf = fs_bpf__open();
	int err = bpf ? fs_load(bpf) : -errno;

	if (err)
		snprintf(reason, REASON_MAX, "the kernel refused the programs for fs.logical_ops: %s", strerror(-err));
	if (!err) {
		err = fs_bpf__attach(bpf);
		if (err)
			snprintf(reason, REASON_MAX, "attaching to the system call tracepoints failed: %s", strerror(-err));
	}
	if (err) {
		fs_bpf__destroy(bpf);
		return err;
	}
	*ret_programs = TRACER_PROGRAMS(bpf);
	*ret_self = bpf;
	return 0;
}

static void fs_stop(void *self)
{
	fs_bpf__destroy(self);
}

/* ---- while it runs ---- */

static void fs_label(void *self, unsigned field, __u64 code, char *out)
{
	const struct fs_bpf *bpf = self;
	const struct process_texts texts = { bpf_map__fd(bpf->maps.texts), bpf_map__fd(bpf->maps.paths) };

	if (field == FS_FSTYPE)
		fs_label_fstype(code, out);
	else if (field == FS_OPTYPE)
		fs_label_optype(code, out);
	else
		process_label(&texts, field, code, out);
}

static int fs_codes(void *self, unsigned field, const char *text, __u64 *ret_code, size_t max)
{
	if (field == FS_FSTYPE)
		return fs_codes_fstype(text, ret_code, max);
	if (field == FS_OPTYPE)
		return fs_codes_optype(text, ret_code, max);
	return process_codes(field, text, ret_code, max);
}

static __u64 fs_lost(void *self)
{
	const struct fs_bpf *bpf = self;

	return *(volatile __u64 *)&bpf->bss->untold + tracer_missed(bpf_program__fd(bpf->progs.leave));
}

static void fs_doctor(void *self, FILE *out)
{
	const struct fs_bpf *bpf = self;

	if (!bpf)
		return;
	tracer_doctor_program(out, "enter", bpf_program__fd(bpf->progs.enter));
	tracer_doctor_program(out, "leave", bpf_program__fd(bpf->progs.leave));
}

static const char *const tracepoints[] = { "sys_exit", "sys_enter", NULL };

const struct tracer fs_tracer = {
	.metric = &metric,
	.tracepoints = tracepoints,
	.dispatch_ns = 20,
	.may_detach = 1,
	.start = fs_start,
	.stop = fs_stop,
	.label = fs_label,
	.codes = fs_codes,
	.lost = fs_lost,
	.doctor = fs_doctor,
};
