#include "collector/metrics/fault.h"
#include "collector/probe/programs.h"
#include "collector/metrics/fault.skel.h"

#include <linux/perf_event.h>

static const struct field fields[] = {
	PROCESS_FIELDS,
	{ "type", "fault type", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "access", "access", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "mode", "mode", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "latency", "latency", "time", FIELD_NUMERIC, UNIT_NS, 7, 36 },
	{ "count", "faults", "number", FIELD_NUMERIC, UNIT_NONE, 0, 1 },
	{ "subsecond", "offset within the second", "time", FIELD_NUMERIC, UNIT_NS, 20, 30 },
};

static const struct metric metric = {
	"memory", "faults", "page faults", "faults", fields, sizeof(fields) / sizeof(*fields), SCOPE_INTERVAL, NULL, NULL, NULL
};

static int fault_start(void **ret_self, struct tracer_programs *ret_programs, char *reason)
{
	static const struct programs_event events[] = {
		{ .program = "major", .config = PERF_COUNT_SW_PAGE_FAULTS_MAJ, .period = 1 },
		{ .program = "minor", .config = PERF_COUNT_SW_PAGE_FAULTS_MIN, .period = 1 },
	};
	struct fault_bpf *bpf = fault_bpf__open();
	int err;

	if (bpf && libbpf_find_vmlinux_btf_id("page_fault_user", BPF_TRACE_RAW_TP) < 0)
		programs_only(bpf->obj, "major minor");		/* then no program sees them begin */
	err = PROGRAMS_START(bpf, &metric, ret_self, ret_programs, reason);
	return err ?: programs_attach_events(ret_self, events, 2, ret_programs, reason);
}

static const char *const types[] = { [FAULT_MINOR] = "minor", [FAULT_MAJOR] = "major" };
static const char *const accesses[] = {
	[ACCESS_READ] = "read", [ACCESS_WRITE] = "write", [ACCESS_EXECUTE] = "execute", [ACCESS_UNKNOWN] = "unknown",
};
static const char *const modes[] = { [FAULT_KERNEL] = "kernel", [FAULT_USER] = "user" };

static const struct field_codes type_codes = CODES_NAMES(types, FAULT_MINOR);
static const struct field_codes access_codes = CODES_NAMES(accesses, ACCESS_UNKNOWN);
static const struct field_codes mode_codes = CODES_NAMES(modes, FAULT_KERNEL);

static const struct field_codes *const codes[] = {
	PROGRAMS_PROCESS_CODES,
	[FAULT_TYPE] = &type_codes,
	[FAULT_ACCESS] = &access_codes,
	[FAULT_MODE] = &mode_codes,
};

/* Its events end at a perf event, so the record programs are of that type. */
static const char *const tracepoints[] = { NULL };

const struct tracer faults_tracer = {
	.metric = &metric,
	.tracepoints = tracepoints,
	.dispatch_ns = 200,
	.start = fault_start,
	PROGRAMS_TRACER(programs_lost, programs_doctor),
};
