#include "mysql.h"
#include "address.h"
#include "fs_call.h"
#include "listeners.h"
#include "log.h"
#include "mysql_digest.h"
#include "mysql_digest_text.h"
#include "mysql_label.h"
#include "mysql_metric.h"
#include "need.h"
#include "reason.h"
#include "servers.h"
#include "text.h"
#include "tracer.h"
#include "wall.h"
#include "collector/mysql.skel.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FLUSH_AGE_NS 5000000000ull
#define FLUSH_EVERY_NS 900000000	/* at least; slots may be shorter */

struct mysql {
	struct mysql_bpf *bpf;
	struct bpf_link *flush;
	struct bpf_link *running;
	struct bpf_link *left;		/* while somebody asks why threads were blocked */
	struct bpf_link *file_ends, *file_begins;	/* or what they had of files */
	int left_failed, files_failed;	/* times these could not be had */
	int by_call;			/* this kernel lacks the socket tracepoints: system calls tell */
	struct census *census;
	struct servers servers;
	__s64 looked_ns, flushed_ns;	/* at the servers; for old events */

	/* A connection to a server that is not listed asks for a look before its time; one that finds
	 * nothing (we may not look into it) is not repeated before that. */
	__u64 unlisted;
	int in_vain;
	__s64 listed_ns, since_ns;	/* all connections were to known servers: now, and before the last look */
};

/* ---- start and stop ---- */

static void mysql_stop(void *self)
{
	struct mysql *m = self;

	bpf_link__destroy(m->file_begins);
	bpf_link__destroy(m->file_ends);
	bpf_link__destroy(m->left);
	bpf_link__destroy(m->running);
	bpf_link__destroy(m->flush);
	mysql_bpf__destroy(m->bpf);
	census_free(m->census);
	free(m);
}

/* What this kernel has not got is done in another way. */
static void mysql_choose(struct mysql *m, int by_call)
{
	if (!need_split()) {
		m->bpf->rodata->by_switch = 1;
		bpf_program__set_autoload(m->bpf->progs.switched, true);
		bpf_program__set_autoload(m->bpf->progs.woken, true);
	}
	m->by_call = by_call;
	if (!by_call) {
		bpf_map__set_max_entries(m->bpf->maps.call_conns, 1);	/* its memory is taken at once */
		return;
	}
	bpf_program__set_autoload(m->bpf->progs.call_ends, true);
	bpf_program__set_autoload(m->bpf->progs.flush_calls, true);
	bpf_program__set_autoload(m->bpf->progs.running_calls, true);
	bpf_program__set_autoload(m->bpf->progs.sock_recv, false);
	bpf_program__set_autoload(m->bpf->progs.sock_send, false);
	bpf_program__set_autoload(m->bpf->progs.flush, false);
	bpf_program__set_autoload(m->bpf->progs.running, false);
}

static int mysql_load(struct mysql *m, int by_call)
{
	int err;

	m->bpf = mysql_bpf__open();
	err = m->bpf ? 0 : -errno;
	if (!err) {
		memcpy((char *)m->bpf->rodata->call_reason, reason_table(), REASON_CALLS);
		fs_calls_fill((struct fs_call *)m->bpf->rodata->calls);
		bpf_program__set_autoattach(m->bpf->progs.left, false);
		bpf_program__set_autoattach(m->bpf->progs.file_begins, false);
		bpf_program__set_autoattach(m->bpf->progs.file_ends, false);
		mysql_choose(m, by_call);
	}
	err = err ?: mysql_bpf__load(m->bpf);
	err = err ?: census_new(servers_names, &m->census);
	m->servers.census = m->census;
	return err;
}

/* Over the connections. */
static struct bpf_link *iter_attach(struct mysql *m, int by_call, struct bpf_program *program)
{
	union bpf_iter_link_info info = { .map.map_fd = bpf_map__fd(by_call ? m->bpf->maps.call_conns : m->bpf->maps.conns) };
	LIBBPF_OPTS(bpf_iter_attach_opts, opts, .link_info = &info, .link_info_len = sizeof(info));

	bpf_program__set_autoattach(program, false);
	return bpf_program__attach_iter(program, &opts);
}

/* The servers that are there first: their connections are told by where they listen. */
static int mysql_attach(struct mysql *m, int by_call)
{
	servers_forget_map(&m->servers, bpf_map__fd(m->bpf->maps.listeners));
	servers_refresh(&m->servers);
	m->flush = iter_attach(m, by_call, by_call ? m->bpf->progs.flush_calls : m->bpf->progs.flush);
	if (m->flush)
		m->running = iter_attach(m, by_call, by_call ? m->bpf->progs.running_calls : m->bpf->progs.running);
	return m->running ? mysql_bpf__attach(m->bpf) : -errno;
}

static int mysql_start(void **ret_self, struct tracer_programs *ret_programs, char *reason)
{
	struct mysql *m = calloc(1, sizeof(*m));
	int by_call = ret_programs->instead, err = m ? mysql_load(m, by_call) : -ENOMEM;

	if (err)
		snprintf(reason, REASON_MAX, "the kernel refused the programs for mysql.queries: %s", strerror(-err));
	if (!err) {
		err = mysql_attach(m, by_call);
		if (err)
			snprintf(reason, REASON_MAX, "attaching to the tracepoints failed: %s", strerror(-err));
	}
	if (err) {
		if (m)
			mysql_stop(m);
		return err;
	}
	*ret_programs = TRACER_PROGRAMS(m->bpf);
	*ret_self = m;
	return 0;
}

static void link_drop(struct bpf_link **link)
{
	bpf_link__destroy(*link);
	*link = NULL;
}

/* Attached while it is wanted; what cannot be is told once. */
static void link_want(struct bpf_link **link, const struct bpf_program *program, int *n_failed, const char *consequence)
{
	if (*link)
		return;
	*link = bpf_program__attach(program);
	if (!*link && !(*n_failed)++)
		log_error("mysql.queries: attaching %s failed (%s): %s", bpf_program__name(program), strerror(errno), consequence);
}

static void mysql_want(void *self, __u64 wanted)
{
	struct mysql *m = self;

	if (wanted & MYSQL_PARTS)
		link_want(&m->left, m->bpf->progs.left, &m->left_failed, "time blocked is all told as other");
	else
		link_drop(&m->left);
	if (!(wanted & MYSQL_FILES)) {
		link_drop(&m->file_begins);
		link_drop(&m->file_ends);
		return;
	}
	if (!m->file_begins)
		m->bpf->bss->files_since = clock_ns(CLOCK_MONOTONIC);
	link_want(&m->file_ends, m->bpf->progs.file_ends, &m->files_failed, "nothing is told of files");
	link_want(&m->file_begins, m->bpf->progs.file_begins, &m->files_failed, "nothing is told of files");
}

/* ---- labels ---- */

static void label_instance(struct mysql *m, __u64 code, char *out)
{
	if (code & INSTANCE_UNIX)
		text_label(bpf_map__fd(m->bpf->maps.texts), code, out);
	else
		snprintf(out, LABEL_MAX + 1, "%s", servers_where(&m->servers, code >> 16, code & 0xffff));
}

static void label_name(struct mysql *m, __u64 code, char *out)
{
	struct name name;

	mysql_label_name(code, bpf_map_lookup_elem(bpf_map__fd(m->bpf->maps.names), &code, &name) ? NULL : &name, out);
}

static void label_client(struct mysql *m, __u64 code, char *out)
{
	if (code == CLIENT_LOCAL)
		snprintf(out, LABEL_MAX + 1, "local");
	else
		address_label(bpf_map__fd(m->bpf->maps.addresses), code, out);
}

static void label_digest(struct mysql *m, __u64 code, char *out)
{
	struct mysql_specimen s;

	if (code <= DIGEST_UNKNOWN || bpf_map_lookup_elem(bpf_map__fd(m->bpf->maps.specimens), &code, &s))
		digest_label_unseen(code, out);
	else
		digest_label(code, s.text, s.len < sizeof(s.text) ? s.len : sizeof(s.text), s.whole, out);
}

static void mysql_label(void *arg, unsigned field, __u64 code, char *out)
{
	switch (field) {
	case MYSQL_COMMAND:
		mysql_label_command(code, out);
		break;
	case MYSQL_STATEMENT:
		mysql_label_statement(code, out);
		break;
	case MYSQL_DIGEST:
		label_digest(arg, code, out);
		break;
	case MYSQL_STATUS:
		mysql_label_status(code, out);
		break;
	case MYSQL_BLOCKED_IN:
		mysql_label_blocked_in(code, out);
		break;
	case MYSQL_TABLE: case MYSQL_USER: case MYSQL_DATABASE:
		label_name(arg, code, out);
		break;
	case MYSQL_CLIENT:
		label_client(arg, code, out);
		break;
	case MYSQL_INSTANCE:
		label_instance(arg, code, out);
		break;
	case MYSQL_PID:
		snprintf(out, LABEL_MAX + 1, "%llu", (unsigned long long)code);
		break;
	case MYSQL_EXECNAME:
		text_label(bpf_map__fd(((struct mysql *)arg)->bpf->maps.texts), code, out);
		break;
	}
}

static int codes_instance(const struct mysql *m, const char *text, __u64 *ret_code, size_t max)
{
	int n = text_codes(text, INSTANCE_UNIX, ret_code, max), more;

	if (n < 0)
		return n;
	more = servers_codes(&m->servers, text, ret_code + n, max - (size_t)n);
	return more < 0 ? more : n + more;
}

static int codes_client(const char *text, __u64 *ret_code, size_t max)
{
	if (strcmp(text, "local"))
		return address_codes(text, ret_code, max);
	if (!max)
		return -E2BIG;
	*ret_code = CLIENT_LOCAL;
	return 1;
}

static int mysql_codes(void *self, unsigned field, const char *text, __u64 *ret_code, size_t max)
{
	switch (field) {
	case MYSQL_COMMAND: return mysql_codes_command(text, ret_code, max);
	case MYSQL_STATEMENT: return mysql_codes_statement(text, ret_code, max);
	case MYSQL_DIGEST: return digest_codes(text, ret_code, max);
	case MYSQL_STATUS: return mysql_codes_status(text, ret_code, max);
	case MYSQL_BLOCKED_IN: return mysql_codes_blocked_in(text, ret_code, max);
	case MYSQL_TABLE: case MYSQL_USER: case MYSQL_DATABASE: return mysql_codes_name(text, ret_code, max);
	case MYSQL_CLIENT: return codes_client(text, ret_code, max);
	case MYSQL_INSTANCE: return codes_instance(self, text, ret_code, max);
	case MYSQL_PID: return text_codes_number(text, ret_code, max);
	case MYSQL_EXECNAME: return text_codes(text, 0, ret_code, max);
	default: return -EOPNOTSUPP;
	}
}

/* ---- while it runs ---- */

/* What an iterator over the connections tells: records of that size, each given once.  -errno: perhaps not all. */
static int iter_read(struct bpf_link *link, size_t size, void (*give)(void *arg, const void *record), void *arg)
{
	char buffer[32 * sizeof(struct mysql_running)] __attribute__((aligned(8)));
	size_t room = sizeof(buffer) / size * size, at;
	int fd = bpf_iter_create(bpf_link__fd(link)), err;
	ssize_t n;

	if (fd < 0)
		return -errno;
	while ((n = read(fd, buffer, room)) > 0 || (n < 0 && errno == EAGAIN))
		for (at = 0; n > 0 && at + size <= (size_t)n; at += size)
			give(arg, buffer + at);
	err = n ? -errno : 0;
	close(fd);
	return err;
}

static void give_flushed(void *arg, const void *record)
{
	const struct tracer_filing *filing = arg;

	filing->event(filing->arg, record);
}

/* Events that nobody ended: a pool's idle connections whose reply we did not see complete.  What is not read now is read the
 * next time. */
static void flush_old(struct mysql *m, const struct tracer_filing *filing)
{
	m->bpf->bss->flush_before = clock_ns(CLOCK_MONOTONIC) - FLUSH_AGE_NS;
	iter_read(m->flush, sizeof(struct event), give_flushed, (void *)filing);
}

static void give_running(void *arg, const void *record)
{
	const struct tracer_running *running = arg;
	const struct mysql_running *r = record;

	running->run(running->arg, &r->event, r->begin_ns + running->wall_offset,
		     r->end_ns ? r->end_ns + running->wall_offset : (__u64)running->now_ns);
}

static int mysql_running(void *self, __u64 since_ns, const struct tracer_running *running)
{
	struct mysql *m = self;

	m->bpf->bss->running_since = since_ns - running->wall_offset;
	return iter_read(m->running, sizeof(struct mysql_running), give_running, (void *)running);
}

/* Also after the wall clock was set back. */
static int is_due(__s64 *last_ns, __s64 every_ns, __s64 now_ns)
{
	if (now_ns - *last_ns < every_ns && now_ns >= *last_ns)
		return 0;
	*last_ns = now_ns;
	return 1;
}

static void servers_look(struct mysql *m, __s64 now_ns)
{
	__u64 unlisted = *(volatile __u64 *)&m->bpf->bss->counts.unlisted, before = m->servers.n_changes;
	int due = is_due(&m->looked_ns, SERVERS_LOOK_NS, now_ns);

	m->since_ns = m->listed_ns;
	if (due || (unlisted != m->unlisted && !m->in_vain)) {
		servers_refresh(&m->servers);
		m->in_vain = !due && m->servers.n_changes == before;
		if (!m->in_vain)
			m->unlisted = unlisted;
	}
	if (m->unlisted == unlisted)
		m->listed_ns = now_ns;
}

static __s64 mysql_moved(void *self)
{
	return ((const struct mysql *)self)->since_ns;
}

static void mysql_look(void *self, __s64 now_ns, const struct tracer_filing *filing)
{
	struct mysql *m = self;

	servers_look(m, now_ns);
	if (is_due(&m->flushed_ns, FLUSH_EVERY_NS, now_ns))
		flush_old(m, filing);
}

static __u64 mysql_lost(void *self)
{
	const struct mysql *m = self;
	const struct mysql_counts *c = &m->bpf->bss->counts;

	return *(volatile __u64 *)&c->crowded + *(volatile __u64 *)&c->unreadable;
}

/* ---- for people ---- */

/* As the kernel sees them; where we may not ask it, as far as /proc shows them to us. */
static int doctor_look(struct listeners *ret)
{
	struct census *census = NULL;
	int err = census_new(servers_names, &census);

	err = err ? listeners_find(servers_names, ret) : census_take(census, ret);
	census_free(census);
	return err;
}

static void doctor_servers(FILE *out)
{
	struct listeners now;
	size_t i;

	if (doctor_look(&now))
		return;
	fprintf(out, "servers: %u (processes named %s or %s)\n", now.n_servers, servers_names[0], servers_names[1]);
	for (i = 0; i < now.n; i++)
		fprintf(out, "  process %u listens on %s\n", now.listener[i].pid, now.listener[i].where);
	if (now.n_unreadable)
		fprintf(out, "  where %u of them listen is seen by their own user and by a collector that may trace\n",
			now.n_unreadable);
	listeners_fini(&now);
}

static void doctor_counts(const struct mysql *m, FILE *out)
{
	const struct mysql_counts *c = &m->bpf->bss->counts;

	fprintf(out, "  connections: %llu, events ended by their age: %llu\n", (unsigned long long)c->connections,
		(unsigned long long)c->flushed);
	fprintf(out, "  sends after the end: %llu, commands never answered: %llu, receives we could not read: %llu, "
		"connections that became opaque: %llu\n", (unsigned long long)c->late_sends,
		(unsigned long long)c->unanswered, (unsigned long long)c->unreadable, (unsigned long long)c->opaque);
}

static void mysql_doctor(void *self, FILE *out)
{
	struct mysql *m = self;

	doctor_servers(out);
	if (!m)
		return;
	if (m->by_call) {
		tracer_doctor_program(out, "system call", bpf_program__fd(m->bpf->progs.call_ends));
	} else {
		tracer_doctor_program(out, "receive", bpf_program__fd(m->bpf->progs.sock_recv));
		tracer_doctor_program(out, "send", bpf_program__fd(m->bpf->progs.sock_send));
	}
	if (m->left)
		tracer_doctor_program(out, "leave", bpf_program__fd(m->bpf->progs.left));
	if (m->file_begins && m->file_ends) {
		tracer_doctor_program(out, "call's begin", bpf_program__fd(m->bpf->progs.file_begins));
		tracer_doctor_program(out, "call's end", bpf_program__fd(m->bpf->progs.file_ends));
	}
	if (m->bpf->rodata->by_switch) {
		tracer_doctor_program(out, "switch", bpf_program__fd(m->bpf->progs.switched));
		tracer_doctor_program(out, "wakeup", bpf_program__fd(m->bpf->progs.woken));
	}
	doctor_counts(m, out);
}

static const char *const tracepoints[] = { "sock_recv_length", "sock_send_length", NULL };	/* since Linux 6.3 */
static const char *const system_calls[] = { "sys_exit", NULL };

const struct tracer mysql_tracer = {
	.metric = &mysql_metric,
	.tracepoints = tracepoints,
	.instead = system_calls,
	.dispatch_ns = 20,
	.dear = WANTED_FIELD(MYSQL_STATEMENT) | MYSQL_TOKENS,
	.dear_ns = 30,
	.spared_ns = 25,
	.alone = 1,
	.start = mysql_start,
	.want = mysql_want,
	.stop = mysql_stop,
	.label = mysql_label,
	.codes = mysql_codes,
	.moving = WANTED_FIELD(MYSQL_INSTANCE),
	.moved = mysql_moved,
	.lost = mysql_lost,
	.look = mysql_look,
	.running = mysql_running,
	.doctor = mysql_doctor,
};
