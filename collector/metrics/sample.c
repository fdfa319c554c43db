#include "collector/metrics/sample.h"
#include "collector/probe/programs.h"
#include "collector/metrics/sample.skel.h"

#include <linux/perf_event.h>

static const struct field fields[] = {
	PROCESS_FIELDS,
	{ "mode", "mode", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "stack", "stack", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "count", "samples", "number", FIELD_NUMERIC, UNIT_NONE, 0, 1 },
	{ "subsecond", "offset within the second", "time", FIELD_NUMERIC, UNIT_NS, 20, 30 },
};

static const struct metric metric = {
	"cpu", "thread_samples", "thread samples", "samples", fields, sizeof(fields) / sizeof(*fields),
	SCOPE_INTERVAL, NULL, NULL, NULL
};

static int sample_start(void **ret_self, struct tracer_programs *ret_programs, char *reason)
{
	static const struct programs_event clock = {
		.program = "samples", .config = PERF_COUNT_SW_CPU_CLOCK, .frequency = SAMPLE_HZ,
	};
	struct sample_bpf *bpf = sample_bpf__open();
	int err = PROGRAMS_START(bpf, &metric, ret_self, ret_programs, reason);

	return err ?: programs_attach_events(ret_self, &clock, 1, ret_programs, reason);
}

static const char *const modes[] = { [MODE_KERNEL] = "kernel", [MODE_USER] = "user" };

static const struct field_codes mode_codes = CODES_NAMES(modes, MODE_KERNEL);

static const struct field_codes *const codes[] = {
	PROGRAMS_PROCESS_CODES,
	[SAMPLE_MODE] = &mode_codes,
	[SAMPLE_STACK] = &programs_stack,
};

static void sample_want(void *self, __u64 wanted)
{
	programs_want_stacks(self, wanted & WANTED_FIELD(SAMPLE_STACK));
}

static const char *const tracepoints[] = { NULL };

const struct tracer samples_tracer = {
	.metric = &metric,
	.tracepoints = tracepoints,
	.dispatch_ns = 200,
	.start = sample_start,
	.want = sample_want,
	PROGRAMS_TRACER(programs_lost, programs_doctor),
};
