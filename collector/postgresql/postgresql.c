#include "collector/postgresql/postgresql.h"
#include "collector/postgresql/backends.h"
#include "collector/postgresql/digest_text.h"
#include "collector/postgresql/fields.h"
#include "collector/server/server_tracer.h"
#include "collector/core/show.h"
#include "collector/server/exchange_label.h"
#include "collector/postgresql/postgresql.skel.h"

#include <bpf/bpf.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = { POSTGRESQL_SERVERS, NULL };
static const struct server_protocol protocol = { "postgresql.queries", names, &backend_layouts, postgresql_digest_read };

static int postgresql_start(void **ret_self, struct tracer_programs *ret_programs, char *reason)
{
	struct postgresql_bpf *bpf = postgresql_bpf__open();
	struct server_programs programs;

	if (!bpf)
		return server_refused(&protocol, reason);
	programs = SERVER_PROGRAMS(bpf);
	programs.layouts = bpf->maps.backends;
	return server_start(&protocol, &programs, ret_self, ret_programs, reason);
}

/* ---- labels ---- */

static const struct field_codes *const codes[] = {
	[POSTGRESQL_COMMAND] = &postgresql_command_codes,
	[POSTGRESQL_STATEMENT] = &postgresql_statement_codes,
	[POSTGRESQL_DIGEST] = &server_digest,
	[POSTGRESQL_TABLE] = &server_name,
	[POSTGRESQL_STATUS] = &postgresql_status_codes,
	[POSTGRESQL_DATABASE] = &server_name,
	[POSTGRESQL_USER] = &server_name,
	[POSTGRESQL_CLIENT] = &server_client,
	[POSTGRESQL_INSTANCE] = &server_instance,
	[POSTGRESQL_PID] = &codes_number,
	[POSTGRESQL_EXECNAME] = &server_execname,
	[POSTGRESQL_BLOCKED_IN] = &turn_blocked_in,
	[POSTGRESQL_CGROUP ... POSTGRESQL_CONTAINER_NAME] = &server_cgroup,
};

static void postgresql_doctor(void *self, FILE *out)
{
	server_doctor(self, &protocol, out);
}

const struct tracer postgresql_tracer = {
	.metric = &postgresql_metric,
	.tracepoints = server_tracepoints,
	.instead = server_calls,
	.dispatch_ns = 20,
	.costly = WANTED_FIELD(POSTGRESQL_STATEMENT) | WANTED_FIELD(POSTGRESQL_DIGEST) | WANTED_FIELD(POSTGRESQL_TABLE),
	.costly_ns = 40,
	.spared_ns = 35,
	.alone = 1,
	.has_texts = 1,
	.start = postgresql_start,
	.want = server_want,
	.stop = server_stop,
	.codes = codes,
	.n_codes = CODES_N(codes),
	.moving = WANTED_FIELD(POSTGRESQL_INSTANCE),
	.moved = server_moved,
	.lost = server_lost,
	.refresh = server_refresh,
	.running = server_running,
	.lacking = server_lacking,
	.doctor = postgresql_doctor,
};
