#include "collector/probe/programs.h"
#include "collector/metrics/syscall_label.h"
#include "collector/metrics/net/tcp.h"
#include "collector/metrics/net/connects.skel.h"

#include <string.h>

static const struct field fields[] = {
	PROCESS_FIELDS,
	{ "raddr", "remote address", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "rport", "remote port", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "lport", "local port", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "outcome", "outcome", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "latency", "latency", "time", FIELD_NUMERIC, UNIT_NS, 10, 39 },
};

static const struct metric metric = {
	"tcp", "connects", "TCP connections opened", "connections", fields, sizeof(fields) / sizeof(fields[0]),
	SCOPE_INTERVAL, NULL, NULL, NULL
};

/* ---- start ---- */

static int connects_start(void **ret_self, struct tracer_programs *ret_programs, char *reason)
{
	struct connects_bpf *bpf = connects_bpf__open();

	return PROGRAMS_START(bpf, &metric, ret_self, ret_programs, reason);
}

/* ---- labels ---- */

static void label_outcome(__u64 code, char *out)
{
	if (!code || code == TCP_CLOSED)
		snprintf(out, LABEL_MAX + 1, "%s", code ? "closed" : "established");
	else
		codes_label(&syscall_errno_codes, NULL, 0, code, out);
}

static int codes_outcome(const char *text, __u64 *ret_code, size_t max)
{
	if (strcmp(text, "closed") && strcmp(text, "established"))
		return strcmp(text, "0") ? codes_find(&syscall_errno_codes, NULL, 0, text, ret_code, max) : 0;
	return codes_one(text[0] == 'c' ? TCP_CLOSED : 0, ret_code, max);
}

static const struct field_codes outcome_codes = { .label = label_outcome, .codes = codes_outcome };

static const struct field_codes *const codes[] = {
	PROGRAMS_PROCESS_CODES,
	[TCP_RADDR] = &programs_address,
	[TCP_RPORT] = &codes_number,
	[TCP_LPORT] = &codes_number,
	[TCP_OUTCOME] = &outcome_codes,
};

/* ---- while it runs ---- */

static __u64 connects_lost(void *self)
{
	const struct programs *p = self;

	return *(volatile __u64 *)&((struct connects_bpf *)p->bpf)->bss->no_memory + programs_lost(self);
}

static const char *const tracepoints[] = { "inet_sock_set_state", NULL };

const struct tracer connects_tracer = {
	.metric = &metric,
	.tracepoints = tracepoints,
	.dispatch_ns = 20,
	.start = connects_start,
	PROGRAMS_TRACER(connects_lost, programs_doctor),
};
