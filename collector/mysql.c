#include "mysql.h"
#include "event.h"
#include "log.h"
#include "mysql_label.h"
#include "mysql_metric.h"
#include "need.h"
#include "probe.h"
#include "reader.h"
#include "record.h"
#include "servers.h"
#include "wall.h"
#include "collector/mysql.skel.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/membarrier.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#define FLUSH_AGE_NS 5000000000ull
#define CLOCK_STEP_NS 1000000
#define FLUSH_EVERY_NS 900000000	/* at least; slots may be shorter */

/* ---- the probe ---- */

struct instrument {			/* an instrumentation that is enabled */
	int used;
	__u64 inst;
	__u32 fields;			/* bits of enum mysql_field */
	__u64 memory;
	struct record record;
	struct reader *reader;
};

struct mysql {
	struct probe_conf conf;
	char refusal[REASON_MAX];
	struct mysql_bpf *bpf;
	struct bpf_link *recv, *send, *flush;
	struct instrument instrument[CHAIN_MAX];
	struct servers servers;
	__s64 wall_offset;
	__s64 looked_ns, flushed_ns;	/* at the servers; for old events */
	__s64 drained_ns;
	__u64 n_told;			/* of the events lost by the event programs */
};

static int mysql_used(const struct mysql *m)
{
	int i, n = 0;

	for (i = 0; i < CHAIN_MAX; i++)
		n += m->instrument[i].used;
	return n;
}

/* ---- clocks and barriers ---- */

static void clock_refresh(struct mysql *m, __s64 now_ns)
{
	__s64 offset = wall_offset(), step = offset - m->wall_offset;
	int i;

	m->wall_offset = offset;
	m->bpf->bss->wall_offset = offset;
	if (step < CLOCK_STEP_NS && step > -CLOCK_STEP_NS)
		return;
	log_warning("the wall clock stepped by %+.3f ms", step / 1e6);
	for (i = 0; i < CHAIN_MAX; i++)
		if (m->instrument[i].used)
			reader_clock_stepped(m->instrument[i].reader, now_ns, step);
}

/* Waits until every program that runs now has finished. */
static void grace_period(void)
{
	syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
}

static int libbpf_says(enum libbpf_print_level level, const char *format, va_list args)
{
	char line[1024];

	vsnprintf(line, sizeof(line), format, args);
	line[strcspn(line, "\n")] = 0;
	log_debug("libbpf: %s", line);
	return 0;
}

/* ---- loading and attaching ---- */

static void mysql_unload(struct mysql *m)
{
	bpf_link__destroy(m->recv);
	bpf_link__destroy(m->send);
	bpf_link__destroy(m->flush);
	m->recv = m->send = m->flush = NULL;
	mysql_bpf__destroy(m->bpf);
	m->bpf = NULL;
}

static int mysql_load(struct mysql *m, char *reason)
{
	int i, err;

	m->bpf = mysql_bpf__open();
	err = m->bpf ? 0 : -errno;
	for (i = 0; !err && servers_names[i]; i++)
		strncpy((char *)m->bpf->rodata->server_name[i], servers_names[i], 16);
	if (!err)
		err = mysql_bpf__load(m->bpf);
	if (err) {
		snprintf(reason, REASON_MAX, "the kernel refused the programs for mysql.queries: %s (tracepoints "
			 "sock_recv_length and sock_send_length need Linux 6.3)", strerror(-err));
		mysql_unload(m);
		return err;
	}
	servers_forget_map(&m->servers, bpf_map__fd(m->bpf->maps.listeners));
	m->wall_offset = wall_offset();
	m->bpf->bss->wall_offset = m->wall_offset;
	m->n_told = 0;
	return 0;
}

static int mysql_attach(struct mysql *m, char *reason)
{
	union bpf_iter_link_info info = { .map.map_fd = bpf_map__fd(m->bpf->maps.conns) };
	LIBBPF_OPTS(bpf_iter_attach_opts, opts, .link_info = &info, .link_info_len = sizeof(info));

	int err;

	m->flush = bpf_program__attach_iter(m->bpf->progs.flush, &opts);
	if (m->flush)
		m->recv = bpf_program__attach(m->bpf->progs.sock_recv);
	if (m->recv)
		m->send = bpf_program__attach(m->bpf->progs.sock_send);
	if (m->send)
		return 0;
	err = errno ? -errno : -EINVAL;
	snprintf(reason, REASON_MAX, "attaching to the socket tracepoints failed: %s", strerror(-err));
	return err;
}

/* ---- labels ---- */

/* A text that the kernel remembered; #hash if it has been forgotten. */
static void label_text(const struct mysql *m, __u64 code, char *out)
{
	struct mysql_text text;

	if (bpf_map_lookup_elem(bpf_map__fd(m->bpf->maps.texts), &code, &text)) {
		snprintf(out, LABEL_MAX + 1, "#%016llx", (unsigned long long)code);
		return;
	}
	if (!text.text[0] && text.text[1])
		text.text[0] = '@';		/* an abstract Unix name */
	snprintf(out, LABEL_MAX + 1, "%.*s", (int)sizeof(text.text), text.text);
}

static void label_instance(struct mysql *m, __u64 code, char *out)
{
	if (code & INSTANCE_UNIX)
		label_text(m, code, out);
	else
		snprintf(out, LABEL_MAX + 1, "%s", servers_where(&m->servers, code >> 16, code & 0xffff));
}

static void label(void *arg, unsigned field, __u64 code, char *out)
{
	switch (field) {
	case MYSQL_COMMAND:
		mysql_label_command(code, out);
		break;
	case MYSQL_STATEMENT:
		mysql_label_statement(code, out);
		break;
	case MYSQL_INSTANCE:
		label_instance(arg, code, out);
		break;
	case MYSQL_PID:
		snprintf(out, LABEL_MAX + 1, "%llu", (unsigned long long)code);
		break;
	case MYSQL_EXECNAME:
		label_text(arg, code, out);
		break;
	}
}

/* ---- a ring's keys, in the kernel's maps ---- */

static int keys_next(void *arg, const struct key *prev, struct key *ret_key, __u32 *ret_class)
{
	struct record *r = arg;
	__u64 word = 0;

	if (bpf_map_get_next_key(r->classes_fd, prev, ret_key))
		return -ENOENT;
	bpf_map_lookup_elem(r->classes_fd, ret_key, &word);
	*ret_class = (__u32)word;
	return 0;
}

static void keys_forget(void *arg, const struct key *key)
{
	bpf_map_delete_elem(((struct record *)arg)->classes_fd, key);
}

static void keys_give(void *arg, __u32 class_)
{
	bpf_map_update_elem(((struct record *)arg)->free_fd, NULL, &class_, BPF_ANY);
}

static int keys_late(void *arg, struct ring_late *ret_late)
{
	return !bpf_map_lookup_and_delete_elem(((struct record *)arg)->late_fd, NULL, ret_late);
}

static const struct reader_keys keys = { keys_next, keys_forget, keys_give, keys_late };

/* ---- enabling ---- */

static void need_refresh(struct mysql *m)
{
	__u32 need = 0, bits = 0;
	int i;

	for (i = 0; i < CHAIN_MAX; i++) {
		if (!m->instrument[i].used)
			continue;
		bits |= 1u << i;
		need |= m->instrument[i].fields;
	}
	m->bpf->bss->need_statement = need >> MYSQL_STATEMENT & 1;
	__atomic_store_n(&m->bpf->bss->active, bits, __ATOMIC_SEQ_CST);
}

static int plan_make(const struct instrumentation *in, __u64 limit, struct ring_plan *ret_plan, char *reason)
{
	int err = reader_plan(in, libbpf_num_possible_cpus(), ret_plan, reason), index;
	size_t i;

	if (err)
		return err;
	for (i = 0; i < in->n_fields; i++) {
		index = mysql_field_index(in->field[i]);
		if (index >= 0)			/* hostname is not ours */
			ret_plan->field[ret_plan->n_fields++] = index;
	}
	if (!ret_plan->n_fields)
		ret_plan->n_classes = 2;
	for (i = 0; i < in->n_measures; i++) {
		index = mysql_measure_index(in->measure[i]);
		if (index < 0) {
			snprintf(reason, REASON_MAX, "\"%s\" is not a measure of mysql.queries", in->measure[i]);
			return -EINVAL;
		}
		ret_plan->measure[i] = index;
	}
	while (limit && record_memory(ret_plan) > limit && ret_plan->n_shards > 1)
		ret_plan->n_shards--;
	if (limit && record_memory(ret_plan) > limit) {
		snprintf(reason, REASON_MAX, "it would take %.1f MB of kernel memory (%u slots, %u keys, %u measures, "
			 "%u cells), the limit is %.1f MB: fewer keys, slots or measures, or fewer ruler bits",
			 record_memory(ret_plan) / 1e6, ret_plan->n_slots, ret_plan->n_classes - 1,
			 ret_plan->n_measures, ret_plan->n_cells, limit / 1e6);
		return -ENOMEM;
	}
	return 0;
}

static int instrument_open(struct mysql *m, struct instrument *it, const struct ring_plan *plan,
			   const struct instrumentation *in, __s64 now_ns, char *reason)
{
	struct record_target target = { bpf_map__fd(m->bpf->maps.events), bpf_map__fd(m->bpf->maps.chain),
					"sock_recv_length" };
	struct reader_labels labels = { label, m };
	struct reader_ring ring = { .plan = *plan, .keys = &keys, .keys_arg = &it->record };
	int err = record_load(plan, &target, it - m->instrument, &it->record, reason);

	__s64 wall_ns;

	if (err)
		return err;
	ring.state = it->record.state;
	ring.entry = it->record.entry;
	ring.cells = it->record.cells;
	ring.cells_stride = it->record.cells_stride;
	ring.totals = it->record.totals;
	/* Loading takes a while; a slot that began before we were attached would be a partial one. */
	wall_ns = clock_ns(CLOCK_MONOTONIC) + m->wall_offset;
	reader_ring_init(&ring, (now_ns > wall_ns ? now_ns : wall_ns) / plan->slot_ns + 1);
	err = reader_new(&ring, in->id, &m->conf, &labels, &it->reader);
	if (err) {
		snprintf(reason, REASON_MAX, "no memory");
		record_unchain(&it->record);
		record_unload(&it->record);
	}
	return err;
}

static void instrument_close(struct mysql *m, struct instrument *it)
{
	it->used = 0;
	need_refresh(m);
	grace_period();
	record_unchain(&it->record);
	grace_period();
	reader_free(it->reader);
	record_unload(&it->record);
	memset(it, 0, sizeof(*it));
	if (!mysql_used(m))
		mysql_unload(m);
}

static int mysql_enable(void *self, const struct instrumentation *in, __s64 now_ns, char *reason)
{
	struct mysql *m = self;
	struct instrument *it = m->instrument;
	struct ring_plan plan;
	int err = 0;
	__u32 i;

	if (m->refusal[0]) {
		snprintf(reason, REASON_MAX, "%s", m->refusal);
		return -EPERM;
	}
	while (it < m->instrument + CHAIN_MAX && it->used)
		it++;
	if (it == m->instrument + CHAIN_MAX) {
		snprintf(reason, REASON_MAX, "%d instrumentations are enabled, more cannot be", CHAIN_MAX);
		return -ENOSPC;
	}
	err = plan_make(in, m->conf.memory_limit, &plan, reason);
	if (!err && !m->bpf)
		err = mysql_load(m, reason);
	if (!err)
		servers_refresh(&m->servers);
	if (!err && !m->send)
		err = mysql_attach(m, reason);
	if (!err)
		err = instrument_open(m, it, &plan, in, now_ns, reason);
	if (err) {
		if (m->bpf && !mysql_used(m))
			mysql_unload(m);
		return err;
	}
	it->used = 1;
	it->inst = in->id;
	it->memory = record_memory(&plan);
	for (i = 0; i < plan.n_fields; i++)
		it->fields |= 1u << plan.field[i];
	log_info("instrumentation %llu: %.1f MB of kernel memory (%u slots, %u shards, %u keys, %u measures, %u cells)",
		 (unsigned long long)in->id, it->memory / 1e6, plan.n_slots, plan.n_shards, plan.n_classes - 1,
		 plan.n_measures, plan.n_cells);
	need_refresh(m);
	return 0;
}

static void mysql_disable(void *self, __u64 inst)
{
	struct mysql *m = self;
	int i;

	for (i = 0; i < CHAIN_MAX; i++)
		if (m->instrument[i].used && m->instrument[i].inst == inst)
			instrument_close(m, &m->instrument[i]);
}

/* ---- draining ---- */

static void flushed_file(struct mysql *m, const struct event *e)
{
	int i;

	for (i = 0; i < CHAIN_MAX; i++)
		if (m->instrument[i].used)
			reader_file(m->instrument[i].reader, e);
}

/* Events that nobody ended: a pool's idle connections whose reply we did not see complete. */
static void flush_old(struct mysql *m)
{
	struct event e[32];
	ssize_t n;
	size_t i;
	int fd;

	m->bpf->bss->flush_before = clock_ns(CLOCK_MONOTONIC) - FLUSH_AGE_NS;
	fd = bpf_iter_create(bpf_link__fd(m->flush));
	if (fd < 0)
		return;
	while ((n = read(fd, e, sizeof(e))) > 0 || (n < 0 && errno == EAGAIN))
		for (i = 0; n > 0 && i < n / sizeof(e[0]); i++)
			flushed_file(m, &e[i]);
	close(fd);
}

/* What the event programs lost is a loss of every instrumentation, some time since the last drain. */
static void losses_tell(struct mysql *m, __s64 now_ns)
{
	const struct mysql_counts *c = &m->bpf->bss->counts;
	__u64 n = *(volatile __u64 *)&c->crowded + *(volatile __u64 *)&c->unreadable;
	__s64 since_ns = m->drained_ns && m->drained_ns < now_ns ? m->drained_ns : now_ns;
	int i;

	for (i = 0; n > m->n_told && i < CHAIN_MAX; i++)
		if (m->instrument[i].used)
			reader_lose(m->instrument[i].reader, n - m->n_told, since_ns, now_ns);
	m->n_told = n;
	m->drained_ns = now_ns;
}

static int rows_take(struct mysql *m, __s64 now_ns, const struct probe_sink *sink)
{
	int i, n_out, err = 0, e;

	do {
		n_out = 0;
		for (i = 0; i < CHAIN_MAX; i++)
			if (m->instrument[i].used)
				n_out += reader_swap(m->instrument[i].reader, now_ns);
		if (n_out)
			grace_period();
		for (i = 0; n_out && i < CHAIN_MAX; i++) {
			e = m->instrument[i].used ? reader_take(m->instrument[i].reader, sink) : 0;
			err = err ? err : e;
		}
	} while (n_out);
	return err;
}

/* Also after the wall clock was set back. */
static int is_due(__s64 *last_ns, __s64 every_ns, __s64 now_ns)
{
	if (now_ns - *last_ns < every_ns && now_ns >= *last_ns)
		return 0;
	*last_ns = now_ns;
	return 1;
}

static int mysql_drain(void *self, __s64 now_ns, const struct probe_sink *sink)
{
	struct mysql *m = self;
	int i, err, e;

	if (!mysql_used(m))
		return 0;
	clock_refresh(m, now_ns);
	if (is_due(&m->looked_ns, SERVERS_LOOK_NS, now_ns))
		servers_refresh(&m->servers);
	if (is_due(&m->flushed_ns, FLUSH_EVERY_NS, now_ns))
		flush_old(m);
	losses_tell(m, now_ns);
	err = rows_take(m, now_ns, sink);
	for (i = 0; i < CHAIN_MAX; i++) {
		e = m->instrument[i].used ? reader_finish(m->instrument[i].reader, now_ns, sink) : 0;
		err = err ? err : e;
	}
	return err;
}

/* ---- for people ---- */

static void doctor_program(FILE *out, const char *name, int fd)
{
	struct bpf_prog_info info = { 0 };
	__u32 len = sizeof(info);

	if (bpf_obj_get_info_by_fd(fd, &info, &len))
		return;
	if (info.run_cnt)
		fprintf(out, "  %s: %llu runs, %.0f ns each, %llu missed\n", name, (unsigned long long)info.run_cnt,
			(double)info.run_time_ns / info.run_cnt, (unsigned long long)info.recursion_misses);
	else
		fprintf(out, "  %s: loaded (run times: sysctl kernel.bpf_stats_enabled=1)\n", name);
}

static void doctor_servers(struct mysql *m, FILE *out)
{
	struct listeners now;
	size_t i;

	if (listeners_find(servers_names, &now))
		return;
	fprintf(out, "servers: %u (processes named %s or %s)\n", now.n_servers, servers_names[0], servers_names[1]);
	for (i = 0; i < now.n; i++)
		fprintf(out, "  process %u listens on %s\n", now.listener[i].pid, now.listener[i].where);
	if (now.n_unreadable)
		fprintf(out, "  %u of them may not be looked into (needs CAP_SYS_PTRACE or the same user): "
			"their connections are seen from their greeting on\n", now.n_unreadable);
	listeners_fini(&now);
}

static void doctor_counts(const struct mysql *m, FILE *out)
{
	const struct mysql_counts *c = &m->bpf->bss->counts;
	__u64 lost = 0, memory = 0;
	int i;

	for (i = 0; i < CHAIN_MAX; i++) {
		if (!m->instrument[i].used)
			continue;
		lost += reader_lost(m->instrument[i].reader);
		memory += m->instrument[i].memory;
	}
	fprintf(out, "events: %llu on %llu connections; lost: %llu\n", (unsigned long long)c->events,
		(unsigned long long)c->connections, (unsigned long long)lost);
	fprintf(out, "  sends after the end: %llu, commands never answered: %llu, receives we could not read: %llu, "
		"connections that became opaque: %llu\n", (unsigned long long)c->late_sends,
		(unsigned long long)c->unanswered, (unsigned long long)c->unreadable, (unsigned long long)c->opaque);
	fprintf(out, "kernel memory of %d instrumentations: %.1f MB\n", mysql_used(m), memory / 1e6);
}

static void mysql_doctor(void *self, FILE *out)
{
	struct mysql *m = self;
	const char *caps = need_caps();
	struct utsname u;

	if (!uname(&u))
		fprintf(out, "kernel: %s (needs 6.3)\n", u.release);
	fprintf(out, "type information (BTF): %s\n", need_btf() ? "present" : "missing");
	fprintf(out, "capabilities: %s%s\n", caps ? "missing " : "CAP_BPF and CAP_PERFMON present", caps ? caps : "");
	fprintf(out, "mysql.queries: %s\n", m->refusal[0] ? m->refusal : m->send ? "attached to sock_recv_length and "
		"sock_send_length" : "possible; attached when an instrumentation needs it");
	doctor_servers(m, out);
	if (!m->bpf)
		return;
	doctor_program(out, "receive", bpf_program__fd(m->bpf->progs.sock_recv));
	doctor_program(out, "send", bpf_program__fd(m->bpf->progs.sock_send));
	doctor_counts(m, out);
}

/* ---- open and close ---- */

static int mysql_open(const struct probe_conf *conf, void **ret_self, char *reason)
{
	struct mysql *m = calloc(1, sizeof(*m));

	if (!m) {
		snprintf(reason, REASON_MAX, "no memory");
		return -ENOMEM;
	}
	m->conf = *conf;
	libbpf_set_print(libbpf_says);
	need_check(m->refusal);
	if (!m->refusal[0] && !mysql_load(m, m->refusal))
		mysql_unload(m);		/* it can be had; loaded again when it is wanted */
	*ret_self = m;
	return 0;
}

static void mysql_close(void *self)
{
	struct mysql *m = self;
	int i;

	for (i = 0; i < CHAIN_MAX; i++)
		if (m->instrument[i].used)
			instrument_close(m, &m->instrument[i]);
	mysql_unload(m);
	free(m);
}

static const struct metric *mysql_metrics(void *self, size_t *ret_n)
{
	*ret_n = 1;
	return &mysql_metric;
}

static const char *mysql_refusal(void *self, const struct metric *metric)
{
	struct mysql *m = self;

	return m->refusal[0] ? m->refusal : NULL;
}

const struct probe mysql_probe = {
	.name = "mysql",
	.open = mysql_open,
	.close = mysql_close,
	.metrics = mysql_metrics,
	.refusal = mysql_refusal,
	.enable = mysql_enable,
	.disable = mysql_disable,
	.drain = mysql_drain,
	.doctor = mysql_doctor,
};
