#include "collector/trace/address.h"
#include "collector/trace/owners.h"
#include "collector/probe/programs.h"
#include "collector/metrics/net/tcp.h"
#include "collector/trace/text.h"
#include "collector/metrics/net/accepts.skel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

struct accepts {
	struct programs *programs;
	struct accepts_bpf *bpf;
	struct owners owners;
};

/* ---- start and stop ---- */

static void accepts_stop(void *self)
{
	struct accepts *a = self;

	owners_close(&a->owners);
	programs_stop(a->programs);
	free(a);
}

static int accepts_start(void **ret_self, struct tracer_programs *ret_programs, char *reason)
{
	struct accepts *a = calloc(1, sizeof(*a));
	int err;

	if (!a) {
		snprintf(reason, REASON_MAX, "no memory");
		return -ENOMEM;
	}
	a->bpf = accepts_bpf__open();
	if (a->bpf)
		bpf_program__set_autoattach(a->bpf->progs.look, false);
	err = programs_start(a->bpf, a->bpf ? a->bpf->skeleton : NULL, &metric, &a->programs, reason);
	if (err) {
		free(a);
		return err;
	}
	err = owners_open(a->bpf->progs.look, &a->bpf->bss->pass, &a->owners);
	if (err) {
		snprintf(reason, REASON_MAX, "looking for the owners of sockets failed: %s", strerror(-err));
		accepts_stop(a);
		return err;
	}
	*ret_programs = TRACER_PROGRAMS(a->bpf);
	*ret_self = a;
	return 0;
}

/* ---- while it runs ---- */

static void accepts_label(void *self, unsigned field, __u64 code, char *out)
{
	const struct accepts *a = self;

	if (field == TCP_RADDR)
		address_label(bpf_map__fd(a->bpf->maps.addresses), code, out);
	else if (field == TCP_RPORT || field == TCP_LPORT)
		snprintf(out, LABEL_MAX + 1, "%llu", (unsigned long long)code);
	else
		process_label(&a->programs->texts, field, code, out);
}

static int accepts_codes(void *self, unsigned field, const char *text, __u64 *ret_code, size_t max)
{
	if (field == TCP_RADDR)
		return address_codes(text, ret_code, max);
	if (field == TCP_RPORT || field == TCP_LPORT)
		return text_codes_number(text, ret_code, max);
	return process_codes(field, text, ret_code, max);
}

static void accepts_look(void *self, __s64 now_ns, const struct tracer_filing *filing)
{
	struct accepts *a = self;

	owners_look(&a->owners, now_ns);
}

static __u64 accepts_lost(void *self)
{
	return programs_lost(((struct accepts *)self)->programs);
}

static void accepts_doctor(void *self, FILE *out)
{
	if (self)
		programs_doctor(((struct accepts *)self)->programs, out);
}

static const char *const tracepoints[] = { "inet_sock_set_state", NULL };

const struct tracer accepts_tracer = {
	.metric = &metric,
	.tracepoints = tracepoints,
	.dispatch_ns = 20,
	.may_detach = 1,
	.start = accepts_start,
	.stop = accepts_stop,
	.label = accepts_label,
	.codes = accepts_codes,
	.lost = accepts_lost,
	.look = accepts_look,
	.doctor = accepts_doctor,
};
