#include "collector/metrics/net/net.h"
#include "collector/trace/address.h"
#include "collector/metrics/net/net_label.h"
#include "collector/trace/owners.h"
#include "collector/probe/programs.h"
#include "collector/trace/text.h"
#include "collector/metrics/net/net.skel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

struct net {
	struct programs *programs;
	struct net_bpf *bpf;
	struct owners owners;
};

/* ---- start and stop ---- */

static void net_stop(void *self)
{
	struct net *n = self;

	owners_close(&n->owners);
	programs_stop(n->programs);
	free(n);
}

static int net_start(void **ret_self, struct tracer_programs *ret_programs, char *reason)
{
	struct net *n = calloc(1, sizeof(*n));
	int err;

	if (!n) {
		snprintf(reason, REASON_MAX, "no memory");
		return -ENOMEM;
	}
	n->bpf = net_bpf__open();
	if (n->bpf)
		bpf_program__set_autoattach(n->bpf->progs.look, false);
	err = programs_start(n->bpf, n->bpf ? n->bpf->skeleton : NULL, &metric, &n->programs, reason);
	if (err) {
		free(n);
		return err;
	}
	err = owners_open(n->bpf->progs.look, &n->bpf->bss->pass, &n->owners);
	if (err) {
		snprintf(reason, REASON_MAX, "looking for the owners of sockets failed: %s", strerror(-err));
		net_stop(n);
		return err;
	}
	*ret_programs = TRACER_PROGRAMS(n->bpf);
	*ret_self = n;
	return 0;
}

/* ---- labels ---- */

static void net_label(void *self, unsigned field, __u64 code, char *out)
{
	const struct net *n = self;

	switch (field) {
	case NET_DIRECTION:
		net_label_direction(code, out);
		break;
	case NET_PROTOCOL:
		net_label_protocol(code, out);
		break;
	case NET_LADDR:
	case NET_RADDR:
		address_label(bpf_map__fd(n->bpf->maps.addresses), code, out);
		break;
	case NET_LPORT:
	case NET_RPORT:
		snprintf(out, LABEL_MAX + 1, "%llu", (unsigned long long)code);
		break;
	case NET_NIC:
		text_label(n->programs->texts.texts_fd, code, out);
		break;
	default:
		process_label(&n->programs->texts, field, code, out);
	}
}

static int net_codes(void *self, unsigned field, const char *text, __u64 *ret_code, size_t max)
{
	switch (field) {
	case NET_DIRECTION: return net_codes_direction(text, ret_code, max);
	case NET_PROTOCOL: return net_codes_protocol(text, ret_code, max);
	case NET_LADDR: case NET_RADDR: return address_codes(text, ret_code, max);
	case NET_LPORT: case NET_RPORT: return text_codes_number(text, ret_code, max);
	case NET_NIC: return text_codes(text, 0, ret_code, max);
	default: return process_codes(field, text, ret_code, max);
	}
}

/* ---- while it runs ---- */

static void net_look(void *self, __s64 now_ns, const struct tracer_filing *filing)
{
	struct net *n = self;

	if (n->bpf->bss->wanted & PROCESS_WANTED)
		owners_look(&n->owners, now_ns);
}

static __u64 net_lost(void *self)
{
	return programs_lost(((struct net *)self)->programs);
}

static void net_doctor(void *self, FILE *out)
{
	if (self)
		programs_doctor(((struct net *)self)->programs, out);
}

static const char *const tracepoints[] = { "netif_receive_skb", "net_dev_queue", "inet_sock_set_state", NULL };

const struct tracer net_tracer = {
	.metric = &metric,
	.tracepoints = tracepoints,
	.dispatch_ns = 20,
	.may_detach = 1,
	.start = net_start,
	.stop = net_stop,
	.label = net_label,
	.codes = net_codes,
	.lost = net_lost,
	.look = net_look,
	.doctor = net_doctor,
};
