#include "collector/d/tree/builtin.h"
#include "collector/d/session.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOG_LEN (1u << 20)

/* The kind of program that a probe has. */
static const struct kind {
	enum bpf_prog_type type;
	__u32 attach;				/* enum bpf_attach_type */
	const char *tracepoint;			/* with types; NULL */
} kinds[] = {
	[CONTEXT_DTRACE] = { BPF_PROG_TYPE_RAW_TRACEPOINT, 0, NULL },
	[CONTEXT_PROFILE] = { BPF_PROG_TYPE_PERF_EVENT, 0, NULL },
	[CONTEXT_TICK] = { BPF_PROG_TYPE_PERF_EVENT, 0, NULL },
	[CONTEXT_SYSCALL_ENTRY] = { BPF_PROG_TYPE_TRACING, BPF_TRACE_RAW_TP, "btf_trace_sys_enter" },
	[CONTEXT_SYSCALL_RETURN] = { BPF_PROG_TYPE_TRACING, BPF_TRACE_RAW_TP, "btf_trace_sys_exit" },
	[CONTEXT_FUNCTION_ENTRY] = { BPF_PROG_TYPE_KPROBE, ATTACH_UPROBE_MULTI, NULL },
	[CONTEXT_FUNCTION_RETURN] = { BPF_PROG_TYPE_KPROBE, ATTACH_UPROBE_MULTI, NULL },
	[CONTEXT_OFF_CPU] = { BPF_PROG_TYPE_TRACING, BPF_TRACE_RAW_TP, "btf_trace_sched_switch" },
	[CONTEXT_ON_CPU] = { BPF_PROG_TYPE_TRACING, BPF_TRACE_RAW_TP, "btf_trace_sched_switch" },
	[CONTEXT_STATIC] = { BPF_PROG_TYPE_KPROBE, ATTACH_UPROBE_MULTI, NULL },
};

/* ---- the probes of a program ---- */

/* System calls are found by their number, others by the cookie, which is their place in the group. */
static __u32 index_of(const struct d_group *g, size_t i)
{
	bool is_syscall = g->context == CONTEXT_SYSCALL_ENTRY || g->context == CONTEXT_SYSCALL_RETURN;

	return is_syscall ? (__u32)g->probes[i]->detail : (__u32)i;
}

static int table_new(struct d_group *g)
{
	__u32 n = 0;

	for (size_t i = 0; i < g->n_probes; i++)
		n = index_of(g, i) >= n ? index_of(g, i) + 1 : n;
	g->table = bpf_map_create(BPF_MAP_TYPE_ARRAY, "d_probes", sizeof(__u32), sizeof(struct d_entry), n, NULL);
	if (g->table < 0)
		return -errno;
	for (size_t i = 0; i < g->n_probes; i++) {
		__u32 at = index_of(g, i);

		if (bpf_map_update_elem(g->table, &at, &g->entries[i], BPF_ANY))
			return -errno;
	}
	return 0;
}

/* ---- programs ---- */

/* The last lines of the verifier's log: the reason of its refusal. */
static void explain(char *log, char *reason)
{
	const size_t len = strlen(log), keep = D_REASON_MAX - 64;

	if (strstr(log, "total number of maps per program")) {
		snprintf(reason, D_REASON_MAX, "the clauses of a probe use too many associative arrays and aggregations: the kernel allows a "
			 "program 64 maps, of which a few are ours");
		return;
	}
	if (strstr(log, "BPF program is too large")) {
		snprintf(reason, D_REASON_MAX, "the clauses of a probe have too many branches for the kernel to verify");
		return;
	}
	snprintf(reason, D_REASON_MAX, "the verifier refuses the program (please report it): %.*s", (int)keep,
		 len > keep ? log + len - keep : log);
}

static int load(const struct d_code *c, const struct kind *k, __u32 btf_id, char *log)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .log_level = log ? 1 : 0, .log_buf = log, .log_size = log ? LOG_LEN : 0,
		    .expected_attach_type = k->attach, .attach_btf_id = btf_id);
	int fd = bpf_prog_load(k->type, "d_clauses", "GPL", c->insns, c->n, &opts);

	return fd < 0 ? -errno : fd;
}

static int open_btf(struct d_session *s, char *reason)
{
	if (!s->btf)
		s->btf = btf__load_vmlinux_btf();
	return s->btf ? 0 : d_session_fail(reason, -errno, "cannot read the kernel's types (/sys/kernel/btf/vmlinux)");
}

static int find_tracepoint(struct d_session *s, const char *name, __u32 *ret_id, char *reason)
{
	int id, err = open_btf(s, reason);

	if (err)
		return err;
	id = btf__find_by_name_kind(s->btf, name, BTF_KIND_TYPEDEF);
	if (id < 0) {
		snprintf(reason, D_REASON_MAX, "this kernel has no tracepoint %s", name + strlen("btf_trace_"));
		return -ENOENT;
	}
	*ret_id = id;
	return 0;
}

static const struct btf_type *skip_names(const struct btf *btf, __u32 id)
{
	const struct btf_type *t = btf__type_by_id(btf, id);

	while (t && (btf_is_typedef(t) || btf_is_mod(t)))
		t = btf__type_by_id(btf, t->type);
	return t;
}

/* Finds a member, also in structs and unions without a name.  NULL: there is none. */
static const struct btf_type *find_member(const struct btf *btf, const struct btf_type *t, const char *name, size_t len, __u32 *offset)
{
	const struct btf_member *m = btf_members(t);

	for (int i = 0; i < btf_vlen(t); i++) {
		const char *own = btf__name_by_offset(btf, m[i].name_off);
		const struct btf_type *type = skip_names(btf, m[i].type), *found;
		__u32 at = *offset + btf_member_bit_offset(t, i) / 8;

		if (!*own && type && btf_is_composite(type) && (found = find_member(btf, type, name, len, &at))) {
			*offset = at;
			return found;
		}
		if (strlen(own) == len && !memcmp(own, name, len)) {
			*offset = at;
			return type;
		}
	}
	return NULL;
}

/* Finds where a member such as "se.exec_start" is. */
static bool find_offset(const struct btf *btf, const char *type, const char *path, __u32 *ret_offset)
{
	int id = btf__find_by_name_kind(btf, type, BTF_KIND_STRUCT);
	const struct btf_type *t = id < 0 ? NULL : btf__type_by_id(btf, id);
	__u32 offset = 0;

	for (const char *at = path; t && *at; at += strcspn(at, "."), at += *at == '.')
		t = btf_is_composite(t) ? find_member(btf, t, at, strcspn(at, "."), &offset) : NULL;
	*ret_offset = offset;
	return t;
}

/* Parts of a program that read the kernel's structs. */
enum { NEEDS_THREAD = 1, NEEDS_STATUS = 2, NEEDS_RUNTIME = 4, NEEDS_START = 8 };
static const char *const needed_by[] = { [NEEDS_THREAD] = "sched:::on-cpu", [NEEDS_STATUS] = "syscall", [NEEDS_RUNTIME] = "vtimestamp",
					 [NEEDS_START] = "an array of self->" };

static unsigned needs_of(const struct d_ir *ir)
{
	unsigned needs = 0;

	if (ir->context == CONTEXT_ON_CPU)
		needs |= NEEDS_THREAD;
	if (ir->context == CONTEXT_SYSCALL_ENTRY || ir->context == CONTEXT_SYSCALL_RETURN)
		needs |= NEEDS_STATUS;
	for (size_t i = 0; i < ir->n; i++)
		if (ir->ins[i].op == IR_BUILTIN)
			needs |= ir->ins[i].value == BUILTIN_VTIMESTAMP ? NEEDS_RUNTIME : ir->ins[i].value == BUILTIN_THREAD_START ? NEEDS_START : 0;
	return needs;
}

static int find_offsets(struct d_session *s, unsigned needs, char *reason)
{
	struct d_offsets *o = &s->maps.offsets;
	const struct {
		unsigned need;
		const char *type, *path;
		__u32 *offset;
	} rows[] = {
		{ NEEDS_THREAD, "task_struct", "pid", &o->pid }, { NEEDS_THREAD, "task_struct", "tgid", &o->tgid },
		{ NEEDS_THREAD, "task_struct", "comm", &o->comm }, { NEEDS_STATUS, "task_struct", "thread_info.status", &o->status },
		{ NEEDS_RUNTIME, "task_struct", "se.exec_start", &o->exec_start },
		{ NEEDS_RUNTIME, "task_struct", "se.sum_exec_runtime", &o->sum_exec_runtime },
		{ NEEDS_RUNTIME, "task_struct", "se.cfs_rq", &o->cfs_rq }, { NEEDS_RUNTIME, "cfs_rq", "rq", &o->rq },
		{ NEEDS_START, "task_struct", "start_time", &o->start_time }, { NEEDS_RUNTIME, "rq", "clock", &o->clock }, { NEEDS_RUNTIME, "rq", "clock_task", &o->clock_task },
	};
	int err = needs ? open_btf(s, reason) : 0;

	for (size_t i = 0; !err && i < sizeof(rows) / sizeof(*rows); i++)
		if (needs & rows[i].need && !find_offset(s->btf, rows[i].type, rows[i].path, rows[i].offset)) {
			snprintf(reason, D_REASON_MAX, "this kernel has no %s.%s, which %s needs", rows[i].type, rows[i].path,
				 needed_by[rows[i].need]);
			err = -ENOENT;
		}
	return err;
}

static int load_code(const struct d_code *code, const struct kind *k, __u32 btf_id, char *reason)
{
	int fd = load(code, k, btf_id, NULL);
	char *log;

	if (fd >= 0 || fd == -EPERM)
		return fd < 0 ? d_session_fail(reason, fd, "cannot load the program") : fd;
	log = calloc(1, LOG_LEN);
	fd = log ? load(code, k, btf_id, log) : -ENOMEM;
	if (fd < 0 && log)
		explain(log, reason);
	free(log);
	return fd;
}

/* Where registers are is known for x86-64 only. */
static bool has_registers(enum d_context context)
{
#ifdef __x86_64__
	(void)context;
	return true;
#else
	return context == CONTEXT_DTRACE || context == CONTEXT_OFF_CPU || context == CONTEXT_ON_CPU;
#endif
}

int d_session_load(struct d_session *s, struct d_group *g, char *reason)
{
	const struct kind *k = &kinds[g->context];
	struct d_maps maps;
	struct d_code code = { 0 };
	__u32 btf_id = 0;
	int err = k->tracepoint ? find_tracepoint(s, k->tracepoint, &btf_id, reason) : 0;

	if (!g->ir.n)			/* ERROR: its clauses are in the other programs */
		return 0;
	if (!has_registers(g->context)) {
		snprintf(reason, D_REASON_MAX, "probes of %s are available on x86-64 only", g->probes[0]->field[FIELD_PROVIDER]);
		return -ENOTSUP;
	}
	if (!err)
		err = find_offsets(s, needs_of(&g->ir), reason);
	if (err)
		return err;
	maps = s->maps;
	if (!d_group_is_single(g) && (err = table_new(g)))
		return d_session_fail(reason, err, "cannot make the table of probes");
	maps.probes = g->table;
	err = d_emit(&g->ir, &maps, &code);
	if (err == -E2BIG)
		snprintf(reason, D_REASON_MAX, "an expression needs more values at once than the stack of a BPF program holds");
	else if (err == -EFBIG)
		snprintf(reason, D_REASON_MAX, "the clauses of a probe are too long for a BPF program: a jump is limited to 32,767 instructions");
	else if (err)
		d_session_fail(reason, err, "cannot make the program");
	if (err)
		return err;
	g->fd = load_code(&code, k, btf_id, reason);
	d_code_fini(&code);
	return g->fd < 0 ? g->fd : 0;
}

int d_session_fire(struct d_session *s, const struct d_group *g, char *reason)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);

	(void)s;
	return bpf_prog_test_run_opts(g->fd, &opts) ? d_session_fail(reason, -errno, "cannot run the program") : 0;
}
