#include "address.h"
#include "owners.h"
#include "tcp.h"
#include "text.h"
#include "tracer.h"
#include "collector/accepts.skel.h"

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
	SCOPE_INTERVAL
};

struct accepts {
	struct accepts_bpf *bpf;
	struct owners owners;
};

/* ---- start and stop ---- */

static void accepts_stop(void *self)
{
	struct accepts *a = self;

	owners_close(&a->owners);
	accepts_bpf__destroy(a->bpf);
	free(a);
}

static int accepts_attach(struct accepts *a)
{
	int err = accepts_bpf__attach(a->bpf);

	return err ?: owners_open(a->bpf->progs.look, &a->bpf->bss->pass, &a->owners);
}

static int accepts_start(void **ret_self, struct tracer_programs *ret_programs, char *reason)
{
	struct accepts *a = calloc(1, sizeof(*a));
	int err = -ENOMEM;

	if (a) {
		a->bpf = accepts_bpf__open();
		err = a->bpf ? 0 : -errno;
	}
	if (!err) {
		bpf_program__set_autoattach(a->bpf->progs.look, false);
		err = accepts_bpf__load(a->bpf);
	}
	if (err)
		snprintf(reason, REASON_MAX, "the kernel refused the programs for tcp.accepts: %s", strerror(-err));
	if (!err) {
		err = accepts_attach(a);
		if (err)
			snprintf(reason, REASON_MAX, "attaching to inet_sock_set_state failed: %s", strerror(-err));
	}
	if (err) {
		if (a)
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
	const struct process_texts texts = { bpf_map__fd(a->bpf->maps.texts), bpf_map__fd(a->bpf->maps.paths) };

	if (field == TCP_RADDR)
		address_label(bpf_map__fd(a->bpf->maps.addresses), code, out);
	else if (field == TCP_RPORT || field == TCP_LPORT)
		snprintf(out, LABEL_MAX + 1, "%llu", (unsigned long long)code);
	else
		process_label(&texts, field, code, out);
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
	const struct accepts *a = self;

	return tracer_missed(bpf_program__fd(a->bpf->progs.state));
}

static void accepts_doctor(void *self, FILE *out)
{
	const struct accepts *a = self;

	if (a)
		tracer_doctor_program(out, "state", bpf_program__fd(a->bpf->progs.state));
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
