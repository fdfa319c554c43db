#include "collector/postgresql/postgresql.h"
#include "collector/postgresql/digest.h"
#include "collector/postgresql/digest_text.h"
#include "collector/postgresql/label.h"
#include "collector/postgresql/metric.h"
#include "collector/server/server_tracer.h"
#include "collector/server/digest_sample.h"
#include "collector/trace/text.h"
#include "collector/server/exchange_label.h"
#include "collector/postgresql/postgresql.skel.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>

static const char *const names[] = { POSTGRESQL_SERVERS, NULL };
static const struct server_protocol protocol = { "postgresql.queries", names, NULL };

static int postgresql_start(void **ret_self, struct tracer_programs *ret_programs, char *reason)
{
	struct postgresql_bpf *bpf = postgresql_bpf__open();

	if (!bpf)
		return server_refused(&protocol, reason);
	return server_start(&protocol, &SERVER_PROGRAMS(bpf), ret_self, ret_programs, reason);
}

/* ---- labels ---- */

static void label_digest(const struct server_tracer *t, __u64 code, char *out)
{
	struct specimen s;

	if (code <= DIGEST_UNKNOWN || bpf_map_lookup_elem(t->specimens_fd, &code, &s))
		digest_label_unseen(code, out);
	else
		postgresql_digest_label(code, &s, out);
}

static void postgresql_label(void *self, unsigned field, __u64 code, char *out)
{
	struct server_tracer *t = self;

	switch (field) {
	case POSTGRESQL_COMMAND:
		postgresql_label_command(code, out);
		break;
	case POSTGRESQL_STATEMENT:
		postgresql_label_statement(code, out);
		break;
	case POSTGRESQL_DIGEST:
		label_digest(t, code, out);
		break;
	case POSTGRESQL_STATUS:
		postgresql_label_status(code, out);
		break;
	case POSTGRESQL_TABLE: case POSTGRESQL_DATABASE: case POSTGRESQL_USER:
		server_label_name(t, code, out);
		break;
	case POSTGRESQL_CLIENT:
		server_label_client(t, code, out);
		break;
	case POSTGRESQL_INSTANCE:
		server_label_instance(t, code, out);
		break;
	case POSTGRESQL_PID:
		snprintf(out, LABEL_MAX + 1, "%llu", (unsigned long long)code);
		break;
	case POSTGRESQL_EXECNAME:
		text_label(t->texts_fd, code, out);
		break;
	case POSTGRESQL_BLOCKED_IN:
		turn_label_blocked_in(code, out);
		break;
	}
}

static int postgresql_codes(void *self, unsigned field, const char *text, __u64 *ret_code, size_t max)
{
	switch (field) {
	case POSTGRESQL_COMMAND: return postgresql_codes_command(text, ret_code, max);
	case POSTGRESQL_STATEMENT: return postgresql_codes_statement(text, ret_code, max);
	case POSTGRESQL_DIGEST: return postgresql_digest_codes(text, ret_code, max);
	case POSTGRESQL_STATUS: return postgresql_codes_status(text, ret_code, max);
	case POSTGRESQL_TABLE: case POSTGRESQL_DATABASE: case POSTGRESQL_USER: return turn_codes_name(text, ret_code, max);
	case POSTGRESQL_CLIENT: return turn_codes_client(text, ret_code, max);
	case POSTGRESQL_INSTANCE: return server_codes_instance(self, text, ret_code, max);
	case POSTGRESQL_PID: return text_codes_number(text, ret_code, max);
	case POSTGRESQL_BLOCKED_IN: return turn_codes_blocked_in(text, ret_code, max);
	case POSTGRESQL_EXECNAME: return text_codes(text, 0, ret_code, max);
	default: return -EOPNOTSUPP;
	}
}

static void postgresql_doctor(void *self, FILE *out)
{
	server_doctor(self, &protocol, out);
}

const struct tracer postgresql_tracer = {
	.metric = &postgresql_metric,
	.tracepoints = server_tracepoints,
	.instead = server_calls,
	.dispatch_ns = 20,
	.dear = WANTED_FIELD(POSTGRESQL_STATEMENT) | WANTED_FIELD(POSTGRESQL_DIGEST) | WANTED_FIELD(POSTGRESQL_TABLE),
	.dear_ns = 40,
	.spared_ns = 35,
	.alone = 1,
	.has_texts = 1,
	.start = postgresql_start,
	.want = server_want,
	.stop = server_stop,
	.label = postgresql_label,
	.codes = postgresql_codes,
	.moving = WANTED_FIELD(POSTGRESQL_INSTANCE),
	.moved = server_moved,
	.lost = server_lost,
	.look = server_look,
	.running = server_running,
	.lacking = server_lacking,
	.doctor = postgresql_doctor,
};
