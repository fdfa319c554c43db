#include "collector/metrics/net/net.h"
#include "collector/metrics/net/net_label.h"
#include "collector/probe/programs.h"
#include "collector/metrics/net/net.skel.h"

static const struct field fields[] = {
	PROCESS_FIELDS,
	{ "direction", "direction", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "protocol", "protocol", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "laddr", "local address", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "raddr", "remote address", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "lport", "local port", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "rport", "remote port", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "nic", "network device", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "size", "size", "size", FIELD_NUMERIC, UNIT_BYTES, 0, 20 },
	{ "packets", "packets on the wire", "number", FIELD_NUMERIC, UNIT_NONE, 0, 10 },
};

static const struct metric metric = {
	"net", "packets", "network packets", "packets", fields, sizeof(fields) / sizeof(fields[0]), SCOPE_INTERVAL, NULL, NULL, NULL
};

/* ---- start ---- */

static int net_start(void **ret_self, struct tracer_programs *ret_programs, char *reason)
{
	struct net_bpf *bpf = net_bpf__open();
	int err;

	if (bpf)
		bpf_program__set_autoattach(bpf->progs.open_sockets, false);
	err = PROGRAMS_START(bpf, &metric, ret_self, ret_programs, reason);
	return err ?: programs_open_owners(ret_self, bpf->progs.open_sockets, &bpf->bss->pass, reason);
}

/* ---- while it runs ---- */

static const struct field_codes *const codes[] = {
	PROGRAMS_PROCESS_CODES,
	[NET_DIRECTION] = &net_direction_codes,
	[NET_PROTOCOL] = &net_protocol_codes,
	[NET_LADDR] = &programs_address,
	[NET_RADDR] = &programs_address,
	[NET_LPORT] = &codes_number,
	[NET_RPORT] = &codes_number,
	[NET_NIC] = &programs_text,
};

static void net_refresh(void *self, __s64 now_ns, const struct tracer_filing *filing)
{
	struct programs *p = self;
	const struct net_bpf *bpf = p->bpf;

	if (bpf->bss->wanted & PROCESS_WANTED)
		owners_refresh(&p->owners, now_ns);
}

static const char *const tracepoints[] = { "netif_receive_skb", "net_dev_queue", "inet_sock_set_state", NULL };

const struct tracer net_tracer = {
	.metric = &metric,
	.tracepoints = tracepoints,
	.dispatch_ns = 20,
	.start = net_start,
	PROGRAMS_TRACER(programs_lost, programs_doctor),
	.refresh = net_refresh,
};
