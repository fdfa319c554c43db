#include "collector/server/server_tracer.h"
#include "collector/core/refuse.h"
#include "collector/trace/address.h"
#include "collector/server/digest.h"
#include "collector/metrics/fs_call.h"
#include "collector/ring/clean.h"
#include "collector/core/log.h"
#include "collector/probe/need.h"
#include "collector/trace/block_reason.h"
#include "collector/trace/cgroup.h"
#include "collector/core/show.h"
#include "collector/trace/text.h"
#include "collector/server/exchange_label.h"
#include "collector/ring/statement_text.h"
#include "collector/trace/wall.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FLUSH_AGE_NS 5000000000ull
#define FLUSH_EVERY_NS 900000000	/* at least; slots may be shorter */

const char *const server_tracepoints[] = { "sock_recv_length", "sock_send_length", NULL };	/* since Linux 6.3 */
const char *const server_calls[] = { "sys_exit", NULL };

static int give_ended(void *arg, void *record, size_t size);
static int give_filed(void *arg, void *record, size_t size);

/* ---- start and stop ---- */

void server_stop(void *self)
{
	struct server_tracer *s = self;

	bpf_link__destroy(s->data_ready.link);
	bpf_link__destroy(s->file_begins.link);
	bpf_link__destroy(s->file_ends.link);
	bpf_link__destroy(s->left.link);
	ring_buffer__free(s->ended_late);
	ring_buffer__free(s->filed);
	bpf_link__destroy(s->running);
	bpf_link__destroy(s->flush);
	bpf_object__destroy_skeleton(s->programs.skeleton);
	free(s->programs.bpf);
	census_free(s->census);
	free(s);
}

/* The servers that are known now. */
static void servers_take(struct server_tracer *s)
{
	servers_refresh(&s->servers);
	if (s->layouts.kind)
		layouts_scan(&s->layouts, s->servers.pid, s->servers.n_pids);
}

static struct bpf_program *program_of(const struct server_tracer *s, const char *name)
{
	return bpf_object__find_program_by_name(s->object, name);
}

static void autoload(struct server_tracer *s, const char *const *names, bool load)
{
	for (; *names; names++)
		bpf_program__set_autoload(program_of(s, *names), load);
}

enum { FLUSH, RUNNING };

/* The programs that iterate over the connections. */
static const char *const *iterators(const struct server_tracer *s)
{
	static const char *const sockets[] = { [FLUSH] = "flush", [RUNNING] = "running", NULL };
	static const char *const calls[] = { [FLUSH] = "flush_calls", [RUNNING] = "running_calls", NULL };
	static const char *const files[] = { [FLUSH] = "flush_files", [RUNNING] = "running_files", NULL };

	return s->by_file ? files : s->by_call ? calls : sockets;
}

/* Chooses programs that replace what this kernel lacks. */
static void server_choose(struct server_tracer *s)
{
	static const char *const switches[] = { "switched", "woken", NULL };
	static const char *const by_socket[] = { "sock_recv", "sock_send", NULL };
	static const char *const arrivals[] = { "data_ready", NULL };
	static const char *const by_call[] = { "call_ends", NULL };

	if (!need_split()) {
		*s->programs.by_switch = 1;
		autoload(s, switches, true);
	}
	s->by_file = !need_map_iterator(s->by_call ? "bpf_map_elem" : "bpf_sk_storage_map");
	autoload(s, iterators(s), true);
	if (!s->by_call) {
		autoload(s, arrivals, true);	/* the tracepoints are of the same age */
		/* All entries of this map are allocated at once. */
		bpf_map__set_max_entries(bpf_object__find_map_by_name(s->object, "call_conns"), 1);
		return;
	}
	*s->programs.by_call = 1;
	autoload(s, by_call, true);
	autoload(s, by_socket, false);
}

static int server_load(struct server_tracer *s)
{
	const char *const *names = s->protocol->names;
	int err;

	memcpy(s->programs.call_reason, reason_table(), REASON_CALLS);
	fs_calls_fill(s->programs.calls);
	bpf_program__set_autoattach(program_of(s, "left"), false);
	bpf_program__set_autoattach(program_of(s, "file_begins"), false);
	bpf_program__set_autoattach(program_of(s, "file_ends"), false);
	bpf_program__set_autoattach(program_of(s, "data_ready"), false);
	server_choose(s);
	err = bpf_object__load_skeleton(s->programs.skeleton);
	err = err ?: census_new(names, &s->census);
	s->servers.census = s->census;
	s->servers.names = names;
	return err;
}

static int map_fd(const struct server_tracer *s, const char *name)
{
	return bpf_object__find_map_fd_by_name(s->object, name);
}

static struct bpf_link *iter_attach(struct server_tracer *s, const char *name)
{
	struct bpf_program *program = program_of(s, name);
	union bpf_iter_link_info info = { .map.map_fd = map_fd(s, s->by_call ? "call_conns" : "conns") };
	LIBBPF_OPTS(bpf_iter_attach_opts, opts, .link_info = &info, .link_info_len = sizeof(info));

	bpf_program__set_autoattach(program, false);
	return bpf_program__attach_iter(program, s->by_file ? NULL : &opts);
}

/* Fills in the running servers first: the programs recognize older connections by where they listen. */
static int server_attach(struct server_tracer *s)
{
	s->texts_fd = map_fd(s, "texts");
	s->paths_fd = map_fd(s, "paths");
	s->digest_samples_fd = map_fd(s, "digest_samples");
	s->names_fd = map_fd(s, "names");
	s->addresses_fd = map_fd(s, "addresses");
	servers_forget_map(&s->servers, map_fd(s, "listeners"));
	servers_take(s);
	s->ended_late = ring_buffer__new(map_fd(s, "ended_late"), give_ended, s, NULL);
	if (map_fd(s, "filed") >= 0) {
		s->filed = ring_buffer__new(map_fd(s, "filed"), give_filed, s, NULL);
		if (!s->filed)
			return -errno;
	}
	s->flush = s->ended_late ? iter_attach(s, iterators(s)[FLUSH]) : NULL;
	if (s->flush)
		s->running = iter_attach(s, iterators(s)[RUNNING]);
	return s->running ? bpf_object__attach_skeleton(s->programs.skeleton) : -errno;
}

int server_refused(const struct server_protocol *protocol, char *reason)
{
	int err = -errno;

	return refuse_as(err, reason, "the programs for %s could not be opened: %s", protocol->metric, strerror(-err));
}

static void texts_keep(struct server_tracer *s, int text_full)
{
	struct bpf_map *map = bpf_object__find_map_by_name(s->object, "verbatims");

	*s->programs.text_full = text_full;
	if (text_full && map)
		bpf_map__set_max_entries(map, STATEMENT_TEXTS_MAX);
}

static struct tracer_programs tracer_programs(const struct server_tracer *s)
{
	struct tracer_programs programs = s->programs.tracer;

	programs.events_fd = map_fd(s, "events");
	programs.chain_fd = map_fd(s, "chain");
	programs.verbatims_fd = map_fd(s, "verbatims");
	return programs;
}

int server_start(const struct server_protocol *protocol, const struct server_programs *programs, void **ret_self,
		 struct tracer_programs *ret_programs, char *reason)
{
	struct server_tracer *s = calloc(1, sizeof(*s));
	int err;

	if (!s) {
		bpf_object__destroy_skeleton(programs->skeleton);
		free(programs->bpf);
		return -ENOMEM;
	}
	s->protocol = protocol;
	s->programs = *programs;
	s->object = *programs->skeleton->obj;
	s->layouts = (struct layouts){ .kind = protocol->layout, .metric = protocol->metric, .map = programs->layouts };
	s->by_call = ret_programs->instead;
	texts_keep(s, ret_programs->text_full);
	err = server_load(s);
	if (err)
		snprintf(reason, REASON_MAX, "the kernel refused the programs for %s: %s", protocol->metric,
			 strerror(-err));
	if (!err) {
		err = server_attach(s);
		if (err)
			snprintf(reason, REASON_MAX, "attaching to the tracepoints failed: %s", strerror(-err));
	}
	if (err) {
		server_stop(s);
		return err;
	}
	*ret_programs = tracer_programs(s);
	*ret_self = s;
	return 0;
}

static void link_drop(struct wanted_link *l)
{
	bpf_link__destroy(l->link);
	l->link = NULL;
}

/* Tries again whenever more is wanted; logs a reason once. */
static void link_want(const struct server_tracer *s, struct wanted_link *l, const char *name, const char *tracepoint)
{
	int err;

	if (l->link)
		return;
	if (need_pretends(tracepoint))
		errno = ENOENT;
	else
		l->link = bpf_program__attach(program_of(s, name));
	err = l->link ? 0 : -errno;
	if (err && err != l->err)
		log_error("%s: attaching to %s failed: %s", s->protocol->metric, tracepoint, strerror(-err));
	l->err = err;
}

/* Why calls on files cannot be seen. */
static int files_err(const struct server_tracer *s)
{
	return s->file_ends.err ?: s->file_begins.err;
}

static void files_drop(struct server_tracer *s)
{
	link_drop(&s->file_begins);
	link_drop(&s->file_ends);
}

/* Attaches both or none: with one alone, times would be wrong. */
static void files_want(struct server_tracer *s)
{
	if (!s->file_begins.link)
		*s->programs.files_since = clock_ns(CLOCK_MONOTONIC);
	link_want(s, &s->file_ends, "file_ends", "sys_exit");
	if (s->file_ends.link)
		link_want(s, &s->file_begins, "file_begins", "sys_enter");
	if (!s->file_begins.link)
		files_drop(s);
}

/* The programs use only times of one attachment, which has the number that they see after it is complete. */
static void arrivals_want(struct server_tracer *s, int wanted)
{
	volatile __u32 *arrivals = s->programs.arrivals;

	if (!wanted) {
		*arrivals = 0;
		link_drop(&s->data_ready);
	} else if (!s->data_ready.link && !s->by_call) {
		link_want(s, &s->data_ready, "data_ready", "sk_data_ready");
		if (s->data_ready.link)
			*arrivals = ++s->n_arrivals;
	} else if (s->by_call) {
		s->data_ready.err = -ENOENT;
	}
}

void server_want(void *self, __u64 wanted)
{
	struct server_tracer *s = self;

	if (wanted & TURN_PARTS)
		link_want(s, &s->left, "left", "sched_switch");
	else
		link_drop(&s->left);
	if (wanted & TURN_FILES)
		files_want(s);
	else
		files_drop(s);
	arrivals_want(s, (wanted & TURN_ARRIVALS) != 0);
}

static void lacking_add(struct server_tracer *s, const char *unseen, int err, const char *instead)
{
	size_t n = strlen(s->lacking);

	snprintf(s->lacking + n, sizeof(s->lacking) - n, "%s%s cannot be seen (%s): %s", n ? "; " : "", unseen,
		 strerror(-err), instead);
}

const char *server_lacking(void *self, __u64 wanted)
{
	struct server_tracer *s = self;

	s->lacking[0] = 0;
	if ((wanted & TURN_PARTS) && !s->left.link)
		lacking_add(s, "the scheduler's switches", s->left.err, "all time blocked is reported as other");
	if ((wanted & TURN_FILES) && !s->file_begins.link)
		lacking_add(s, "calls on files", files_err(s), "fs, n_fs and io_bytes are 0");
	if ((wanted & TURN_ARRIVALS) && !s->data_ready.link)
		lacking_add(s, "arrivals", s->data_ready.err, "arrival is 0");
	return s->lacking;
}

/* ---- labels ---- */

static void digest_label_of(void *self, unsigned field, __u64 code, char *out)
{
	const struct server_tracer *s = self;
	struct digest_sample tokens;

	if (code <= DIGEST_UNKNOWN || bpf_map_lookup_elem(s->digest_samples_fd, &code, &tokens))
		digest_label_unseen(code, out);
	else
		digest_label_by(s->protocol->read, code, &tokens, out);
}

static int digest_codes_of(void *self, unsigned field, const char *text, __u64 *ret_code, size_t max)
{
	return digest_codes_by(((const struct server_tracer *)self)->protocol->read, text, ret_code, max);
}

static void name_label_of(void *self, unsigned field, __u64 code, char *out)
{
	const struct server_tracer *s = self;
	struct name name;

	turn_label_name(code, bpf_map_lookup_elem(s->names_fd, &code, &name) ? NULL : &name, out);
}

static int name_codes_of(void *self, unsigned field, const char *text, __u64 *ret_code, size_t max)
{
	return turn_codes_name(text, ret_code, max);
}

static void client_label_of(void *self, unsigned field, __u64 code, char *out)
{
	if (code == CLIENT_LOCAL)
		snprintf(out, LABEL_MAX + 1, "local");
	else
		address_label(((const struct server_tracer *)self)->addresses_fd, code, out);
}

static int client_codes_of(void *self, unsigned field, const char *text, __u64 *ret_code, size_t max)
{
	return strcmp(text, "local") ? address_codes(text, ret_code, max) : codes_one(CLIENT_LOCAL, ret_code, max);
}

static void instance_label_of(void *self, unsigned field, __u64 code, char *out)
{
	struct server_tracer *s = self;

	if (code & INSTANCE_UNIX)
		text_label(s->texts_fd, code, out);
	else
		snprintf(out, LABEL_MAX + 1, "%s", servers_where(&s->servers, code >> 16, code & 0xffff));
}

static int instance_codes_of(void *self, unsigned field, const char *text, __u64 *ret_code, size_t max)
{
	const struct server_tracer *s = self;
	int n = text_codes(text, INSTANCE_UNIX, ret_code, max), more;

	if (n < 0)
		return n;
	more = servers_codes(&s->servers, text, ret_code + n, max - (size_t)n);
	return more < 0 ? more : n + more;
}

static void execname_label_of(void *self, unsigned field, __u64 code, char *out)
{
	text_label(((const struct server_tracer *)self)->texts_fd, code, out);
}

static int execname_codes_of(void *self, unsigned field, const char *text, __u64 *ret_code, size_t max)
{
	return text_codes(text, 0, ret_code, max);
}

static void cgroup_label_of(void *self, unsigned field, __u64 code, char *out)
{
	const struct server_tracer *s = self;

	cgroup_label(s->texts_fd, s->paths_fd, code, out);
}

static int cgroup_codes_of(void *self, unsigned field, const char *text, __u64 *ret_code, size_t max)
{
	int n = codes_one(cgroup_code(text), ret_code, max);

	return n == 1 && max > 1 && clean_code(text, &ret_code[1]) ? 2 : n;
}

const struct field_codes server_digest = { .label_of = digest_label_of, .codes_of = digest_codes_of };
const struct field_codes server_name = { .label_of = name_label_of, .codes_of = name_codes_of };
const struct field_codes server_client = { .label_of = client_label_of, .codes_of = client_codes_of };
const struct field_codes server_instance = { .label_of = instance_label_of, .codes_of = instance_codes_of };
const struct field_codes server_execname = { .label_of = execname_label_of, .codes_of = execname_codes_of };
const struct field_codes server_cgroup = { .label_of = cgroup_label_of, .codes_of = cgroup_codes_of };

/* ---- while it runs ---- */

static __u64 counted(const __u64 *counter)
{
	return *(const volatile __u64 *)counter;
}

/* Reads an iterator over the connections: gives each record of that size once.  -errno: records may be missing. */
static int iter_read(const struct server_tracer *s, struct bpf_link *link, size_t size,
		     void (*give)(void *arg, const void *record), void *arg)
{
	char buffer[32 * sizeof(struct turn_running)] __attribute__((aligned(8)));
	size_t room = sizeof(buffer) / size * size, at;
	ssize_t n;
	int fd, err;

	if (!counted(&s->programs.counts->connections))
		return 0;			/* there was no connection yet: spares a walk through all files */
	fd = bpf_iter_create(bpf_link__fd(link));
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

/* Records events that no receive or send has ended: of a pool's idle connections whose reply we did not see
 * complete.  The next flush reads the rest. */
static void flush_old(struct server_tracer *s, const struct tracer_filing *filing)
{
	*s->programs.flush_before = clock_ns(CLOCK_MONOTONIC) - FLUSH_AGE_NS;
	iter_read(s, s->flush, sizeof(struct event), give_flushed, (void *)filing);
}

static int give_filed(void *arg, void *record, size_t size)
{
	struct server_tracer *s = arg;
	const struct filed *f = record;

	for (__u64 i = 0; size >= sizeof(*f) && i < f->n; i++)
		give_flushed((void *)s->filing, &f->event);
	return 0;
}

static void filed_read(struct server_tracer *s, const struct tracer_filing *filing)
{
	if (!s->filed)
		return;
	s->filing = filing;
	ring_buffer__consume(s->filed);
	s->filing = NULL;
}

static void give_running(void *arg, const void *record)
{
	const struct tracer_running *running = arg;
	const struct turn_running *r = record;

	running->run(running->arg, &r->event, r->begin_ns + running->wall_offset,
		     r->end_ns ? r->end_ns + running->wall_offset : (__u64)running->now_ns);
}

static int give_ended(void *arg, void *record, size_t size)
{
	struct server_tracer *s = arg;

	if (size >= sizeof(struct turn_running))
		give_running((void *)s->scan, record);
	return 0;
}

/* A turn that ends during a scan is reported once, by the iterator or by the programs: they share the id of the scan,
 * which changes when the scan is over, after the next end of a slot is known. */
int server_running(void *self, __u64 since_ns, const struct tracer_running *running)
{
	struct server_tracer *s = self;
	__u64 unreported;
	int err, ended;

	*s->programs.running_since = since_ns - running->wall_offset;
	err = iter_read(s, s->running, sizeof(struct turn_running), give_running, (void *)running);
	*(volatile __u64 *)s->programs.running_end = running->next_ns - running->wall_offset;
	__sync_fetch_and_add(s->programs.running_scan, 1);
	s->scan = running;
	ended = ring_buffer__consume(s->ended_late);
	s->scan = NULL;
	unreported = counted(&s->programs.counts->unreported);
	if (!err && unreported != s->unreported)
		err = -ENOSPC;
	s->unreported = unreported;
	return err ?: ended < 0 ? ended : 0;
}

/* Is it due?  True also after the wall clock was set back. */
static int is_due(__s64 *last_ns, __s64 every_ns, __s64 now_ns)
{
	if (now_ns - *last_ns < every_ns && now_ns >= *last_ns)
		return 0;
	*last_ns = now_ns;
	return 1;
}

static void servers_refresh_due(struct server_tracer *s, __s64 now_ns)
{
	__u64 unlisted = counted(&s->programs.counts->unlisted), before = s->servers.n_changes;
	int due = is_due(&s->refreshed_ns, SERVERS_REFRESH_NS, now_ns);

	s->since_ns = s->listed_ns;
	if (due || (unlisted != s->unlisted && !s->in_vain)) {
		servers_take(s);
		s->in_vain = !due && s->servers.n_changes == before;
		if (!s->in_vain)
			s->unlisted = unlisted;
	}
	if (s->unlisted == unlisted)
		s->listed_ns = now_ns;
}

__s64 server_moved(void *self)
{
	return ((const struct server_tracer *)self)->since_ns;
}

void server_refresh(void *self, __s64 now_ns, const struct tracer_filing *filing)
{
	struct server_tracer *s = self;

	servers_refresh_due(s, now_ns);
	filed_read(s, filing);
	if (is_due(&s->flushed_ns, FLUSH_EVERY_NS, now_ns))
		flush_old(s, filing);
}

__u64 server_lost(void *self)
{
	const struct turn_counts *c = ((const struct server_tracer *)self)->programs.counts;

	return counted(&c->crowded) + counted(&c->unreadable) + counted(&c->unanswered);
}

/* ---- for people ---- */

int server_listeners(const char *const *names, struct listeners *ret)
{
	struct census *census = NULL;
	int err = census_new(names, &census);

	err = err ? listeners_find(names, ret) : census_take(census, ret);
	census_free(census);
	return err;
}

static void doctor_layout(const struct layout_kind *kind, __u32 pid, FILE *out)
{
	char reason[REASON_MAX];

	if (layout_possible(kind, pid, reason))
		show_print(out, "  statements within TLS of process %u cannot be read: %s\n", pid, reason);
	else
		show_print(out, "  statements within TLS of process %u can be read\n", pid);
}

static void doctor_servers(const struct server_protocol *protocol, FILE *out)
{
	const char *const *names = protocol->names;
	struct listeners now;
	size_t i;

	if (server_listeners(names, &now))
		return;
	show_print(out, "servers: %u (processes named %s", now.n_servers, names[0]);
	for (i = 1; names[i]; i++)
		show_print(out, " or %s", names[i]);
	show_print(out, ")\n");
	for (i = 0; i < now.n; i++)
		show_print(out, "  process %u listens on %s\n", now.listener[i].pid, now.listener[i].where);
	if (now.n_unreadable)
		show_print(out, "  the addresses of %u of them are visible only to their own user and to a collector "
			"that may trace\n",
			now.n_unreadable);
	for (i = 0; protocol->layout && i < now.n; i++)
		if (!i || now.listener[i].pid != now.listener[i - 1].pid)
			doctor_layout(protocol->layout, now.listener[i].pid, out);
	listeners_fini(&now);
}

static void doctor_counts(const struct turn_counts *c, FILE *out)
{
	show_print(out, "  connections: %llu, events ended by their age: %llu\n", (unsigned long long)c->connections,
		(unsigned long long)c->flushed);
	show_print(out, "  sends after the end: %llu, commands never answered: %llu, receives we could not read: %llu, "
		"events without space: %llu, connections that became opaque: %llu\n", (unsigned long long)c->late_sends,
		(unsigned long long)c->unanswered, (unsigned long long)c->unreadable, (unsigned long long)c->crowded,
		(unsigned long long)c->opaque);
	show_print(out, "  texts in a server's memory that we could not read: %llu\n",
		   (unsigned long long)c->unread_texts);
}

static void doctor_program(const struct server_tracer *s, FILE *out, const char *what, const char *name)
{
	tracer_doctor_program(out, what, bpf_program__fd(program_of(s, name)));
}

void server_doctor(struct server_tracer *s, const struct server_protocol *protocol, FILE *out)
{
	const char *lacking;

	doctor_servers(protocol, out);
	if (!s)
		return;
	if (s->by_call) {
		doctor_program(s, out, "system call", "call_ends");
	} else {
		doctor_program(s, out, "receive", "sock_recv");
		doctor_program(s, out, "send", "sock_send");
	}
	if (s->left.link)
		doctor_program(s, out, "leave", "left");
	if (s->data_ready.link)
		doctor_program(s, out, "arrival", "data_ready");
	if (s->file_begins.link) {
		doctor_program(s, out, "call's begin", "file_begins");
		doctor_program(s, out, "call's end", "file_ends");
	}
	lacking = server_lacking(s, (s->left.err ? TURN_PARTS : 0) | (files_err(s) ? TURN_FILES : 0) |
				    (s->data_ready.err ? TURN_ARRIVALS : 0));
	if (*lacking)
		show_print(out, "  %s\n", lacking);
	if (*s->programs.by_switch) {
		doctor_program(s, out, "switch", "switched");
		doctor_program(s, out, "wakeup", "woken");
	}
	doctor_counts(s->programs.counts, out);
}
