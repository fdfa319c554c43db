#include "collector/mysql/mysql.h"
#include "collector/mysql/detail.h"
#include "collector/mysql/digest_text.h"
#include "collector/mysql/fields.h"
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
static const struct server_probe detail_probe = { "statement_ended", "statement's end", details_look, details_free };
static const struct server_protocol protocol = { "mysql.queries", names, &detail_probe, mysql_digest_read };

/* Chooses the data that the program in the servers needs; NULL: it is not asked for. */
static int detail_choose(struct mysql_bpf *bpf, int detail, void **ret)
{
	struct details *d = detail ? calloc(1, sizeof(*d)) : NULL;

	if (detail && !d)
		return -ENOMEM;
	bpf->rodata->detail = detail;
	bpf_program__set_autoattach(bpf->progs.statement_ended, false);
	bpf_program__set_autoload(bpf->progs.statement_ended, detail);
	if (d)
		*d = (struct details){ .program = bpf->progs.statement_ended, .layouts = bpf->maps.layouts };
	else
		bpf_map__set_max_entries(bpf->maps.details, 1);
	*ret = d;
	return 0;
}

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
	struct server_programs programs;
	int err;

	if (!bpf)
		return server_refused(&protocol, reason);
	programs = SERVER_PROGRAMS(bpf);
	bpf->rodata->fingerprint_salt = fingerprint_salt();
	err = detail_choose(bpf, ret_programs->detail, &programs.probe);
	if (err) {
		mysql_bpf__destroy(bpf);
		return err;
	}
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

/* The fields that the server can give where the bytes hide a statement. */
#define DETAILED (WANTED_FIELD(MYSQL_COMMAND) | WANTED_FIELD(MYSQL_STATEMENT) | WANTED_FIELD(MYSQL_DIGEST) | WANTED_FIELD(MYSQL_TABLE) | \
		  WANTED_FIELD(MYSQL_USER) | WANTED_FIELD(MYSQL_DATABASE))

static const char *mysql_lacking(void *self, __u64 wanted)
{
	const struct details *d = ((const struct server_tracer *)self)->programs.probe;

	return d && d->lacking[0] && (wanted & DETAILED) ? d->lacking : server_lacking(self, wanted);
}

static void doctor_detail(__u32 pid, FILE *out)
{
	char reason[REASON_MAX];

	if (details_possible(pid, reason))
		show_print(out, "  no detail of process %u (--detail): %s\n", pid, reason);
	else
		show_print(out, "  detail of process %u is available (--detail)\n", pid);
}

static void mysql_doctor(void *self, FILE *out)
{
	struct listeners now;

	server_doctor(self, &protocol, out);
	if (server_listeners(names, &now))
		return;
	for (size_t i = 0; i < now.n; i++)
		if (!i || now.listener[i].pid != now.listener[i - 1].pid)
			doctor_detail(now.listener[i].pid, out);
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
	.look = server_look,
	.running = server_running,
	.lacking = mysql_lacking,
	.doctor = mysql_doctor,
};
