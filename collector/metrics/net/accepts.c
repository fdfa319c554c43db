#include "collector/probe/programs.h"
#include "collector/metrics/net/tcp.h"
#include "collector/metrics/net/accepts.skel.h"

static const struct field fields[] = {
	PROCESS_FIELDS,
	{ "raddr", "remote address", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "rport", "remote port", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "lport", "local port", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "latency", "handshake's round trip", "time", FIELD_NUMERIC, UNIT_NS, 10, 39 },
};

static const struct metric metric = {
	"tcp", "accepts", "TCP connections accepted", "connections", fields, sizeof(fields) / sizeof(fields[0]),
	SCOPE_INTERVAL, NULL, NULL, NULL
};

/* ---- start ---- */

static int accepts_start(void **ret_self, struct tracer_programs *ret_programs, char *reason)
{
	struct accepts_bpf *bpf = accepts_bpf__open();
	int err;

	if (bpf)
		bpf_program__set_autoattach(bpf->progs.open_sockets, false);
	err = PROGRAMS_START(bpf, &metric, ret_self, ret_programs, reason);
	return err ?: programs_open_owners(ret_self, bpf->progs.open_sockets, &bpf->bss->pass, reason);
}

/* ---- while it runs ---- */

static const struct field_codes *const codes[] = {
	PROGRAMS_PROCESS_CODES,
	[TCP_RADDR] = &programs_address,
	[TCP_RPORT] = &codes_number,
	[TCP_LPORT] = &codes_number,
};

static void accepts_refresh(void *self, __s64 now_ns, const struct tracer_filing *filing)
{
	owners_refresh(&((struct programs *)self)->owners, now_ns);
}

static const char *const tracepoints[] = { "inet_sock_set_state", NULL };

const struct tracer accepts_tracer = {
	.metric = &metric,
	.tracepoints = tracepoints,
	.dispatch_ns = 20,
	.start = accepts_start,
	PROGRAMS_TRACER(programs_lost, programs_doctor),
	.refresh = accepts_refresh,
};
