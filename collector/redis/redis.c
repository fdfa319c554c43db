#include "collector/redis/redis.h"
#include "collector/redis/fields.h"
#include "collector/server/server_tracer.h"
#include "collector/server/exchange_label.h"
#include "collector/redis/redis.skel.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char *const names[] = { REDIS_SERVERS, NULL };
static const struct server_protocol protocol = { "redis.commands", names, NULL, NULL };

static int redis_start(void **ret_self, struct tracer_programs *ret_programs, char *reason)
{
	struct redis_bpf *bpf = redis_bpf__open();

	if (!bpf)
		return server_refused(&protocol, reason);
	if (commands_fill((struct command_row *)bpf->rodata->rows)) {
		redis_bpf__destroy(bpf);
		snprintf(reason, REASON_MAX, "the table of commands is too small");
		return -ENOSPC;
	}
	return server_start(&protocol, &SERVER_PROGRAMS(bpf), ret_self, ret_programs, reason);
}

/* Prefixes are parts of keys, so customers' data. */
static const char *redis_lacking(void *self, __u64 wanted)
{
	const struct server_tracer *s = self;
	const char *lacking = server_lacking(self, wanted);

	if (!(wanted & WANTED_FIELD(REDIS_PREFIX)) || *s->programs.text_full)
		return lacking;
	return *lacking ? lacking : "key prefixes are read only with --text full: prefix is unknown";
}

/* ---- labels ---- */

static const struct field_codes *const codes[] = {
	[REDIS_COMMAND] = &redis_command_codes,
	[REDIS_PREFIX] = &server_name,
	[REDIS_STATUS] = &redis_status_codes,
	[REDIS_WAITS] = &redis_waits_codes,
	[REDIS_DATABASE] = &redis_database_codes,
	[REDIS_CLIENT] = &server_client,
	[REDIS_INSTANCE] = &server_instance,
	[REDIS_PID] = &codes_number,
	[REDIS_EXECNAME] = &server_execname,
	[REDIS_BLOCKED_IN] = &turn_blocked_in,
	[REDIS_CGROUP ... REDIS_CONTAINER_NAME] = &server_cgroup,
};

static void redis_doctor(void *self, FILE *out)
{
	server_doctor(self, &protocol, out);
}

const struct tracer redis_tracer = {
	.metric = &redis_metric,
	.tracepoints = server_tracepoints,
	.instead = server_calls,
	.dispatch_ns = 20,
	.costly = WANTED_FIELD(REDIS_PREFIX),
	.costly_ns = 40,
	.spared_ns = 35,
	.alone = 1,
	.start = redis_start,
	.want = server_want,
	.stop = server_stop,
	.codes = codes,
	.n_codes = CODES_N(codes),
	.moving = WANTED_FIELD(REDIS_INSTANCE),
	.moved = server_moved,
	.lost = server_lost,
	.refresh = server_refresh,
	.running = server_running,
	.lacking = redis_lacking,
	.doctor = redis_doctor,
};
