#include "collector/metrics/sched.h"
#include "collector/probe/programs.h"
#include "collector/trace/block_reason.h"
#include "collector/metrics/sched.skel.h"

#include <errno.h>
#include <string.h>

/* ---- metrics ---- */

#define TIME_FIELD(name, label) { name, label, "time", FIELD_NUMERIC, UNIT_NS, 10, 39 }
#define SUBSECOND_FIELD { "subsecond", "offset within the second", "time", FIELD_NUMERIC, UNIT_NS, 20, 30 }
#define LEAVE_FIELDS                                                                  \
	{ "leavereason", "how it left the CPU", "string", FIELD_DISCRETE, 0, 0, 0 },  \
	{ "reason", "blocked in", "string", FIELD_DISCRETE, 0, 0, 0 }

static const struct field execution_fields[] = {
	PROCESS_FIELDS, LEAVE_FIELDS, TIME_FIELD("runtime", "time on the CPU"), SUBSECOND_FIELD,
};

static const struct field offcpu_fields[] = {
	PROCESS_FIELDS, LEAVE_FIELDS, { "stack", "stack", "string", FIELD_DISCRETE, 0, 0, 0 },
	TIME_FIELD("offcpu", "time off the CPU"), TIME_FIELD("blocked", "time blocked"),
	TIME_FIELD("runqwait", "time in the run queue"), SUBSECOND_FIELD,
};

static const struct field runqwait_fields[] = {
	PROCESS_FIELDS, TIME_FIELD("runqwait", "time in the run queue"), SUBSECOND_FIELD,
};

#define N_FIELDS(fields) (sizeof(fields) / sizeof(*fields))

static const struct metric executions_metric = {
	"cpu", "thread_executions", "thread executions", "executions", execution_fields, N_FIELDS(execution_fields),
	SCOPE_INTERVAL, NULL, NULL, NULL
};
static const struct metric offcpu_metric = {
	"cpu", "offcpu", "time off the CPU", "times", offcpu_fields, N_FIELDS(offcpu_fields), SCOPE_INTERVAL, NULL, NULL, NULL
};
static const struct metric runqwait_metric = {
	"cpu", "runqwait", "waits in the run queue", "waits", runqwait_fields, N_FIELDS(runqwait_fields), SCOPE_INTERVAL, NULL, NULL, NULL
};

/* ---- start ---- */

static int sched_start(const struct metric *m, const char *program, void **ret_self, struct tracer_programs *ret_programs,
		       char *reason)
{
	struct sched_bpf *bpf = sched_bpf__open();
	int err;

	if (bpf) {
		memcpy((char *)bpf->rodata->call_reason, reason_table(), REASON_CALLS);
		programs_only(bpf->obj, program);
	}
	err = PROGRAMS_START(bpf, m, ret_self, ret_programs, reason);
	if (err == -EINVAL || err == -EACCES)
		snprintf(reason, REASON_MAX, "the kernel refused the programs for %s.%s: it needs CONFIG_SCHED_INFO and "
			 "CONFIG_FAIR_GROUP_SCHED", m->module, m->stat);
	return err;
}

static int executions_start(void **ret_self, struct tracer_programs *ret_programs, char *reason)
{
	return sched_start(&executions_metric, "executions", ret_self, ret_programs, reason);
}

static int offcpu_start(void **ret_self, struct tracer_programs *ret_programs, char *reason)
{
	return sched_start(&offcpu_metric, "offcpu", ret_self, ret_programs, reason);
}

static int runqwait_start(void **ret_self, struct tracer_programs *ret_programs, char *reason)
{
	return sched_start(&runqwait_metric, "runqwait", ret_self, ret_programs, reason);
}

/* ---- labels ---- */

static const char *const leaves[LEAVE_N] = {
	[LEAVE_PREEMPTED] = "preempted", [LEAVE_SLEEP] = "sleep", [LEAVE_UNINTERRUPTIBLE] = "uninterruptible",
	[LEAVE_IDLE] = "idle", [LEAVE_STOPPED] = "stopped", [LEAVE_TRACED] = "traced", [LEAVE_PARKED] = "parked",
	[LEAVE_FROZEN] = "frozen", [LEAVE_EXITED] = "exited", [LEAVE_OTHER] = "other state",
};

static const char *const reasons[] = { REASON_NAMES, [REASON_NONE] = "preempted" };

static const struct field_codes leave_codes = CODES_NAMES(leaves, LEAVE_OTHER);
static const struct field_codes reason_codes = CODES_NAMES(reasons, REASON_OTHER);

static const struct field_codes *const codes[] = {
	PROGRAMS_PROCESS_CODES,
	[SCHED_LEAVEREASON] = &leave_codes,
	[SCHED_REASON] = &reason_codes,
	[SCHED_STACK] = &programs_stack,
};

static void sched_want(void *self, __u64 wanted)
{
	programs_want_stacks(self, wanted & WANTED_FIELD(SCHED_STACK));
}

static __u64 sched_lost(void *self)
{
	const struct programs *p = self;
	const struct sched_bpf *bpf = p->bpf;

	return programs_lost(self) + *(volatile __u64 *)&bpf->bss->unseen;
}

/* ---- the tracers ---- */

static const char *const tracepoints[] = { "sched_switch", NULL };

#define SCHED_TRACER(name)                                                         \
	const struct tracer name##_tracer = {                                      \
		.metric = &name##_metric,                                          \
		.tracepoints = tracepoints,                                        \
		.dispatch_ns = 20,                                                 \
		.alone = 1,                                                        \
		.start = name##_start,                                             \
		.want = sched_want,                                                \
		PROGRAMS_TRACER(sched_lost, programs_doctor),                      \
	}

SCHED_TRACER(executions);
SCHED_TRACER(offcpu);
SCHED_TRACER(runqwait);
