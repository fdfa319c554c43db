#include "collector/mysql/mysql.h"
#include "collector/mysql/digest_text.h"
#include "collector/mysql/fields.h"
#include "collector/mysql/thd.h"
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

static int thd_find(int fd, void *ret_layout, char *reason)
{
	return mysql_thd_find(fd, ret_layout, reason);
}

static const struct layout_kind layouts = { thd_find, NULL };
static const struct server_protocol protocol = { "mysql.queries", names, &layouts, mysql_digest_read };

_Static_assert(sizeof(struct mysql_thd) <= sizeof(((struct layout_file *)0)->layout), "a layout fits");

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

	if (!bpf)
		return server_refused(&protocol, reason);
	programs = SERVER_PROGRAMS(bpf);
	programs.layouts = bpf->maps.layouts;
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
	[MYSQL_CGROUP ... MYSQL_CONTAINER_NAME] = &server_cgroup,
};

static void mysql_doctor(void *self, FILE *out)
{
	server_doctor(self, &protocol, out);
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
