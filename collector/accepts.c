#include "address.h"
#include "tcp.h"
#include "text.h"
#include "tracer.h"
#include "collector/accepts.skel.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOOK_NS 2000000000ll		/* at the files of all processes */

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
	struct bpf_link *look;
	__s64 looked_ns;
};

/* ---- start and stop ---- */

/* Who listens: the iterator visits every open file when its descriptor is read. */
static int owners_look(struct accepts *a)
{
	int fd = bpf_iter_create(bpf_link__fd(a->look)), err = fd < 0 ? -errno : 0;
	char nothing[16];
	ssize_t n = 0;

	a->bpf->bss->pass++;
	while (!err && ((n = read(fd, nothing, sizeof(nothing))) > 0 || (n < 0 && errno == EAGAIN)))
		;
	if (!err && n < 0)
		err = -errno;
	if (fd >= 0)
		close(fd);
	return err;
}

static void accepts_stop(void *self)
{
	struct accepts *a = self;

	bpf_link__destroy(a->look);
	accepts_bpf__destroy(a->bpf);
	free(a);
}

static int accepts_attach(struct accepts *a)
{
	int err = accepts_bpf__attach(a->bpf);

	if (err)
		return err;
	a->look = bpf_program__attach_iter(a->bpf->progs.look, NULL);
	return a->look ? owners_look(a) : -errno;
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

/* Also after the wall clock was set back. */
static void accepts_look(void *self, __s64 now_ns, const struct tracer_filing *filing)
{
	struct accepts *a = self;

	if (now_ns - a->looked_ns < LOOK_NS && now_ns >= a->looked_ns)
		return;
	a->looked_ns = now_ns;
	owners_look(a);
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
