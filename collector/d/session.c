#include "collector/d/session.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define RING_LEN (4u << 20)		/* -x bufsize */
#define LOG_LEN (1u << 20)

static int fail(char *reason, int err, const char *what)
{
	if (err == -EPERM)
		snprintf(reason, D_REASON_MAX, "%s: the kernel refuses it; run as root, or with CAP_BPF and CAP_PERFMON", what);
	else
		snprintf(reason, D_REASON_MAX, "%s: %s", what, strerror(-err));
	return err;
}

/* ---- maps ---- */

static void *map_shared(int fd, size_t len)
{
	void *data = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return data == MAP_FAILED ? NULL : data;
}

static int shared_new(const char *name, size_t len, void *ret_memory)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, name, sizeof(__u32), len, 1, &opts);
	void *memory;

	if (fd < 0)
		return -errno;
	memory = map_shared(fd, len);
	if (!memory) {
		int err = -errno;

		close(fd);
		return err;
	}
	memcpy(ret_memory, &memory, sizeof(memory));
	return fd;
}

/* Task storage needs the types of its key, an int, and of its value, here an array of 8-byte words. */
static int self_new(size_t len)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_NO_PREALLOC);
	struct btf *btf = btf__new_empty();
	int key, word, value, fd = -ENOMEM;

	if (!btf)
		return -ENOMEM;
	key = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	word = btf__add_int(btf, "unsigned long", 8, 0);
	value = btf__add_array(btf, key, word, len / 8);
	if (key > 0 && word > 0 && value > 0)
		fd = btf__load_into_kernel(btf);
	if (fd >= 0) {
		opts.btf_fd = btf__fd(btf);
		opts.btf_key_type_id = key;
		opts.btf_value_type_id = value;
		fd = bpf_map_create(BPF_MAP_TYPE_TASK_STORAGE, "d_self", sizeof(int), len, 0, &opts);
		if (fd < 0)
			fd = -errno;
	}
	btf__free(btf);
	return fd;
}

static int on_record(void *context, void *data, size_t len)
{
	struct d_session *s = context;

	if (len >= sizeof(struct d_record))
		d_consume(s->consumer, data);
	return 0;
}

static int ring_open(struct d_session *s)
{
	s->maps.ring = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "d_ring", 0, 0, RING_LEN, NULL);
	if (s->maps.ring < 0)
		return -errno;
	s->ring = ring_buffer__new(s->maps.ring, on_record, s, NULL);
	return s->ring ? 0 : -errno;
}

static __u64 now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static size_t words(size_t len) { return (len + 7) / 8 * 8; }

int d_session_open(struct d_session *s, const struct d_program *p, struct d_consumer *consumer, char *reason)
{
	int err;

	*s = (struct d_session){ .maps = { -1, -1, -1, -1 }, .consumer = consumer, .this_len = p->memory[SCOPE_THIS] };
	libbpf_set_print(NULL);
	s->maps.state = shared_new("d_state", words(sizeof(*s->state)), &s->state);
	err = s->maps.state < 0 ? s->maps.state : ring_open(s);
	if (!err && p->memory[SCOPE_GLOBAL]) {
		s->globals_len = words(p->memory[SCOPE_GLOBAL]);
		s->maps.globals = shared_new("d_globals", s->globals_len, &s->globals);
		err = s->maps.globals < 0 ? s->maps.globals : 0;
	}
	if (!err && p->memory[SCOPE_SELF]) {
		s->maps.self = self_new(words(p->memory[SCOPE_SELF]));
		err = s->maps.self < 0 ? s->maps.self : 0;
	}
	if (err) {
		d_session_close(s);
		return fail(reason, err, "cannot make the maps");
	}
	s->state->wall_offset_ns = now_ns(CLOCK_REALTIME) - now_ns(CLOCK_MONOTONIC);
	return 0;
}

void d_session_close(struct d_session *s)
{
	ring_buffer__free(s->ring);
	if (s->state)
		munmap(s->state, words(sizeof(*s->state)));
	if (s->globals)
		munmap(s->globals, s->globals_len);
	for (int *fd = (int *)&s->maps; fd < (int *)(&s->maps + 1); fd++)
		if (*fd >= 0)
			close(*fd);
	*s = (struct d_session){ .maps = { -1, -1, -1, -1 } };
}

/* ---- programs ---- */

/* The last lines of the verifier's log: the reason of its refusal. */
static void explain(char *log, char *reason)
{
	const size_t len = strlen(log), keep = D_REASON_MAX - 64;

	snprintf(reason, D_REASON_MAX, "the verifier refuses the program (please report it): %.*s", (int)keep,
		 len > keep ? log + len - keep : log);
}

static int load(const struct d_code *c, char *log)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .log_level = log ? 1 : 0, .log_buf = log, .log_size = log ? LOG_LEN : 0);
	int fd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "d_clauses", "GPL", c->insns, c->n, &opts);

	return fd < 0 ? -errno : fd;
}

int d_session_load(struct d_session *s, const struct d_ir *ir, int *ret_fd, char *reason)
{
	struct d_code code = { 0 };
	char *log;
	int err = d_emit(ir, &s->maps, s->this_len, &code), fd;

	if (err == -E2BIG)
		snprintf(reason, D_REASON_MAX, "an expression needs more values at once than the stack of a BPF program holds");
	else if (err)
		fail(reason, err, "cannot make the program");
	if (err)
		return err;
	fd = load(&code, NULL);
	if (fd < 0 && fd != -EPERM) {
		log = calloc(1, LOG_LEN);
		fd = log ? load(&code, log) : -ENOMEM;
		if (fd < 0 && log)
			explain(log, reason);
		free(log);
	} else if (fd < 0) {
		fail(reason, fd, "cannot load the program");
	}
	d_code_fini(&code);
	if (fd < 0)
		return fd;
	*ret_fd = fd;
	return 0;
}

int d_session_fire(struct d_session *s, int fd, char *reason)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);

	return bpf_prog_test_run_opts(fd, &opts) ? fail(reason, -errno, "cannot run the program") : 0;
}

int d_session_drain(struct d_session *s)
{
	int n = ring_buffer__consume(s->ring);

	return n < 0 ? n : 0;
}
