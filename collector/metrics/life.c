#include "collector/metrics/life.h"
#include "collector/probe/need.h"
#include "collector/probe/programs.h"
#include "collector/core/slice.h"
#include "collector/metrics/life.skel.h"


/* ---- metrics ---- */

#define COUNT_AND_SUBSECOND                                                        \
	{ "count", "events", "number", FIELD_NUMERIC, UNIT_NONE, 0, 1 },           \
	{ "subsecond", "offset within the second", "time", FIELD_NUMERIC, UNIT_NS, 20, 30 }

static const struct field plain_fields[] = { PROCESS_FIELDS, COUNT_AND_SUBSECOND };

static const struct field exit_fields[] = {
	PROCESS_FIELDS,
	{ "status", "exit status", "string", FIELD_DISCRETE, 0, 0, 0 },
	COUNT_AND_SUBSECOND,
	{ "walltime", "life time", "time", FIELD_NUMERIC, UNIT_NS, 10, 43 },
};

#define LIFE_METRIC(name, module, stat, label, unit, fields)                       \
	static const struct metric name = {                                        \
		module, stat, label, unit, fields, sizeof(fields) / sizeof(*fields), SCOPE_INTERVAL, NULL, NULL, NULL \
	}

LIFE_METRIC(execs_metric, "proc", "execs", "programs run", "programs run", plain_fields);
LIFE_METRIC(forks_metric, "proc", "forks", "processes made", "processes", plain_fields);
LIFE_METRIC(exits_metric, "proc", "exits", "processes ended", "processes", exit_fields);
LIFE_METRIC(creates_metric, "thread", "creates", "threads made", "threads", plain_fields);

/* ---- start ---- */

static int life_start(const struct metric *m, const char *program, void **ret_self, struct tracer_programs *ret_programs,
		      char *reason)
{
	struct life_bpf *bpf = life_bpf__open();

	if (bpf) {
		programs_only(bpf->obj, program);
		*(__u32 *)&bpf->rodata->no_group_dead = need_pretends("groupdead");
	}
	return PROGRAMS_START(bpf, m, ret_self, ret_programs, reason);
}

/* ---- labels ---- */

static void status_label(__u64 code, char *out)
{
	const char *name = sigabbrev_np(code & 127);

	if (!(code & STATUS_SIGNAL))
		snprintf(out, LABEL_MAX + 1, "%llu", (unsigned long long)code);
	else if (name)
		snprintf(out, LABEL_MAX + 1, "SIG%s", name);
	else
		snprintf(out, LABEL_MAX + 1, "signal %llu", (unsigned long long)(code & 127));
}

static const struct field_codes status_codes = { .label = status_label, .n = STATUS_SIGNAL + 128 };

static const struct field_codes *const codes[] = {
	PROGRAMS_PROCESS_CODES,
	[LIFE_STATUS] = &status_codes,
};

/* ---- the tracers ---- */

#define LIFE_TRACER(name, point)                                                                            \
	static int name##_start(void **ret_self, struct tracer_programs *ret_programs, char *reason)        \
	{                                                                                                   \
		return life_start(&name##_metric, #name, ret_self, ret_programs, reason);                   \
	}                                                                                                   \
	const struct tracer name##_tracer = {                                                               \
		.metric = &name##_metric,                                                                   \
		.tracepoints = point,                                                                       \
		.dispatch_ns = 20,                                                                          \
		.start = name##_start,                                                                      \
		PROGRAMS_TRACER(programs_lost, programs_doctor),                                             \
	}

static const char *const exec_point[] = { "sched_process_exec", NULL };
static const char *const fork_point[] = { "sched_process_fork", NULL };
static const char *const exit_point[] = { "sched_process_exit", NULL };

LIFE_TRACER(execs, exec_point);
LIFE_TRACER(forks, fork_point);
LIFE_TRACER(exits, exit_point);
LIFE_TRACER(creates, fork_point);
