#include "mysql.h"
#include "mysql_digest.h"
#include "mysql_digest_text.h"
#include "mysql_label.h"
#include "mysql_metric.h"
#include "server_tracer.h"
#include "specimen.h"
#include "text.h"
#include "turn_label.h"
#include "collector/mysql.skel.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>

static const char *const names[] = { MYSQL_SERVERS, NULL };

static int mysql_start(void **ret_self, struct tracer_programs *ret_programs, char *reason)
{
	struct mysql_bpf *bpf = mysql_bpf__open();
	int by_call = ret_programs->instead, err = bpf ? 0 : -errno;
	struct server_tracer *s = NULL;

	if (err)
		snprintf(reason, REASON_MAX, "the programs for mysql.queries could not be opened: %s", strerror(-err));
	else
		err = server_start("mysql.queries", names, &SERVER_PROGRAMS(bpf), by_call, &s, reason);
	if (err)
		return err;
	*ret_programs = TRACER_PROGRAMS(bpf);
	*ret_self = s;
	return 0;
}

/* ---- labels ---- */

static void label_digest(const struct server_tracer *t, __u64 code, char *out)
{
	struct specimen s;

	if (code <= DIGEST_UNKNOWN || bpf_map_lookup_elem(t->specimens_fd, &code, &s))
		digest_label_unseen(code, out);
	else
		digest_label(code, s.text, s.len < sizeof(s.text) ? s.len : sizeof(s.text), s.whole, out);
}

static void mysql_label(void *self, unsigned field, __u64 code, char *out)
{
	switch (field) {
	case MYSQL_COMMAND:
		mysql_label_command(code, out);
		break;
	case MYSQL_STATEMENT:
		mysql_label_statement(code, out);
		break;
	case MYSQL_DIGEST:
		label_digest(self, code, out);
		break;
	case MYSQL_STATUS:
		mysql_label_status(code, out);
		break;
	case MYSQL_BLOCKED_IN:
		turn_label_blocked_in(code, out);
		break;
	case MYSQL_TABLE: case MYSQL_USER: case MYSQL_DATABASE:
		server_label_name(self, code, out);
		break;
	case MYSQL_CLIENT:
		server_label_client(self, code, out);
		break;
	case MYSQL_INSTANCE:
		server_label_instance(self, code, out);
		break;
	case MYSQL_PID:
		snprintf(out, LABEL_MAX + 1, "%llu", (unsigned long long)code);
		break;
	case MYSQL_EXECNAME:
		text_label(((const struct server_tracer *)self)->texts_fd, code, out);
		break;
	}
}

static int mysql_codes(void *self, unsigned field, const char *text, __u64 *ret_code, size_t max)
{
	switch (field) {
	case MYSQL_COMMAND: return mysql_codes_command(text, ret_code, max);
	case MYSQL_STATEMENT: return mysql_codes_statement(text, ret_code, max);
	case MYSQL_DIGEST: return digest_codes(text, ret_code, max);
	case MYSQL_STATUS: return mysql_codes_status(text, ret_code, max);
	case MYSQL_BLOCKED_IN: return turn_codes_blocked_in(text, ret_code, max);
	case MYSQL_TABLE: case MYSQL_USER: case MYSQL_DATABASE: return turn_codes_name(text, ret_code, max);
	case MYSQL_CLIENT: return turn_codes_client(text, ret_code, max);
	case MYSQL_INSTANCE: return server_codes_instance(self, text, ret_code, max);
	case MYSQL_PID: return text_codes_number(text, ret_code, max);
	case MYSQL_EXECNAME: return text_codes(text, 0, ret_code, max);
	default: return -EOPNOTSUPP;
	}
}

static void mysql_doctor(void *self, FILE *out)
{
	server_doctor(self, names, out);
}

const struct tracer mysql_tracer = {
	.metric = &mysql_metric,
	.tracepoints = server_tracepoints,
	.instead = server_calls,
	.dispatch_ns = 20,
	.dear = WANTED_FIELD(MYSQL_STATEMENT) | MYSQL_TOKENS,
	.dear_ns = 30,
	.spared_ns = 25,
	.alone = 1,
	.start = mysql_start,
	.want = server_want,
	.stop = server_stop,
	.label = mysql_label,
	.codes = mysql_codes,
	.moving = WANTED_FIELD(MYSQL_INSTANCE),
	.moved = server_moved,
	.lost = server_lost,
	.look = server_look,
	.running = server_running,
	.doctor = mysql_doctor,
};
