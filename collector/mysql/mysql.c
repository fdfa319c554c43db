#include "collector/mysql/mysql.h"
#include "collector/mysql/digest_text.h"
#include "collector/mysql/fields.h"
#include "collector/mysql/memory.h"
#include "collector/server/server_tracer.h"
#include "collector/core/show.h"
#include "collector/server/exchange_label.h"
#include "collector/mysql/mysql.skel.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

static const char *const names[] = { MYSQL_SERVERS, NULL };
static const struct server_memory server_memory = { memory_find, memory_free };
static const struct server_protocol protocol = { "mysql.queries", names, &server_memory, mysql_digest_read };

/* No salt is not an error: fingerprints of two texts collide only by chance, but an attacker who knows them all could
 * find such texts. */
static __u64 fingerprint_salt(void)
{
	__u64 salt = 0;

	if (getrandom(&salt, sizeof(salt), GRND_NONBLOCK) != sizeof(salt))
		return 0;
	return salt & ~3ull;
}

static int mysql_start(void **ret_self, struct tracer_programs *ret_programs, char *reason)
{
	struct mysql_bpf *bpf = mysql_bpf__open();
	struct memory *memory = bpf ? calloc(1, sizeof(*memory)) : NULL;
	struct server_programs programs;

	if (!memory) {
		mysql_bpf__destroy(bpf);
		return server_refused(&protocol, reason);
	}
	memory->layouts = bpf->maps.layouts;
	programs = SERVER_PROGRAMS(bpf);
	programs.memory = memory;
	bpf->rodata->fingerprint_salt = fingerprint_salt();
	return server_start(&protocol, &programs, ret_self, ret_programs, reason);
}

/* ---- labels ---- */

static const struct field_codes *const codes[] = {
	[MYSQL_COMMAND] = &mysql_command_codes,
	[MYSQL_STATEMENT] = &mysql_statement_codes,
	[MYSQL_DIGEST] = &server_digest,
	[MYSQL_TABLE] = &server_name,
	[MYSQL_STATUS] = &mysql_status_codes,
	[MYSQL_USER] = &server_name,
	[MYSQL_DATABASE] = &server_name,
	[MYSQL_CLIENT] = &server_client,
	[MYSQL_INSTANCE] = &server_instance,
	[MYSQL_PID] = &codes_number,
	[MYSQL_EXECNAME] = &server_execname,
	[MYSQL_BLOCKED_IN] = &turn_blocked_in,
};

static void doctor_memory(__u32 pid, FILE *out)
{
	char reason[REASON_MAX];

	if (memory_possible(pid, reason))
		show_print(out, "  statements within TLS of process %u cannot be read: %s\n", pid, reason);
	else
		show_print(out, "  statements within TLS of process %u can be read\n", pid);
}

static void mysql_doctor(void *self, FILE *out)
{
	struct listeners now;

	server_doctor(self, &protocol, out);
	if (server_listeners(names, &now))
		return;
	for (size_t i = 0; i < now.n; i++)
		if (!i || now.listener[i].pid != now.listener[i - 1].pid)
			doctor_memory(now.listener[i].pid, out);
	listeners_fini(&now);
}

const struct tracer mysql_tracer = {
	.metric = &mysql_metric,
	.tracepoints = server_tracepoints,
	.instead = server_calls,
	.dispatch_ns = 20,
	.costly = WANTED_FIELD(MYSQL_STATEMENT) | MYSQL_TOKENS,
	.costly_ns = 40,
	.spared_ns = 35,
	.alone = 1,
	.has_texts = 1,
	.start = mysql_start,
	.want = server_want,
	.stop = server_stop,
	.codes = codes,
	.n_codes = CODES_N(codes),
	.moving = WANTED_FIELD(MYSQL_INSTANCE),
	.moved = server_moved,
	.lost = server_lost,
	.refresh = server_refresh,
	.running = server_running,
	.lacking = server_lacking,
	.doctor = mysql_doctor,
};
