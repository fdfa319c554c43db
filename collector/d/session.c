#include "collector/d/session.h"
#include "collector/trace/wall.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define RING_LEN (4u << 20)		/* -x bufsize */
#define RECORDS_AT_ONCE 4096		/* printing one may make the next, so the ring need not ever be empty */

int d_session_fail(char *reason, int err, const char *what)
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

static int take(void *context, struct d_totals *t) { return d_session_take(context, t); }

static int on_record(void *context, void *data, size_t len)
{
	struct d_session *s = context;

	if (len >= sizeof(struct d_record))
		d_consume(s->consumer, data);
	return ++s->n_records < RECORDS_AT_ONCE ? 0 : -EAGAIN;
}

static int ring_open(struct d_session *s)
{
	s->maps.ring = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "d_ring", 0, 0, RING_LEN, NULL);
	if (s->maps.ring < 0)
		return -errno;
	s->ring = ring_buffer__new(s->maps.ring, on_record, s, NULL);
	return s->ring ? 0 : -errno;
}

static size_t words(size_t len) { return (len + 7) / 8 * 8; }

/* Memory that programs only read: the kernel knows its values when it verifies them. */
static int texts_new(const struct d_program *p)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_RDONLY_PROG);
	size_t len = p->texts_len > D_STRING_SIZE ? p->texts_len : D_STRING_SIZE;
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "d_texts", sizeof(__u32), len, 1, &opts), err = 0;
	const __u32 zero = 0;

	if (fd < 0)
		return -errno;
	if ((p->texts_len && bpf_map_update_elem(fd, &zero, p->texts, BPF_ANY)) || bpf_map_freeze(fd))
		err = -errno;
	if (err)
		close(fd);
	return err ? err : fd;
}

static int scratch_new(const struct d_program *p)
{
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "d_scratch", sizeof(__u32), 8 + p->scratch_len,
				D_NESTING * libbpf_num_possible_cpus(), NULL);

	return fd < 0 ? -errno : fd;
}

static int hash_new(enum bpf_map_type type, const char *name, const struct d_table *t, __u32 elements_max)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_NO_PREALLOC);
	int fd = bpf_map_create(type, name, d_table_key_len(t), t->value_len, elements_max, &opts);

	return fd < 0 ? -errno : fd;
}

int d_session_interval(const struct d_session *s, const struct d_table *t)
{
	return hash_new(BPF_MAP_TYPE_PERCPU_HASH, "d_interval", t, s->elements_max);
}

/* An array of one map, which is *ret_inner. */
static int aggregation_new(const struct d_session *s, const struct d_table *t, int *ret_inner)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts);
	int inner = d_session_interval(s, t), outer, err;
	const __u32 zero = 0;

	if (inner < 0)
		return inner;
	opts.inner_map_fd = inner;
	outer = bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, "d_aggregation", sizeof(__u32), sizeof(__u32), 1, &opts);
	err = outer < 0 || bpf_map_update_elem(outer, &zero, &inner, BPF_ANY) ? -errno : 0;
	if (err) {
		close(inner);
		if (outer >= 0)
			close(outer);
		return err;
	}
	*ret_inner = inner;
	return outer;
}

static int tables_new(struct d_session *s, const struct d_program *p)
{
	s->tables = calloc(p->n_tables + 1, sizeof(*s->tables));
	s->inner = calloc(p->n_tables + 1, sizeof(*s->inner));
	if (!s->tables || !s->inner)
		return -ENOMEM;
	s->maps.table = s->tables;
	s->elements_max = p->n_tables <= D_TABLES_FEW ? D_ELEMENTS_MAX : D_ELEMENTS_OF_MANY;
	for (const struct d_table *t = p->tables; t; t = t->next) {
		int *inner = &s->inner[s->n_tables], fd;

		*inner = -1;
		fd = t->is_aggregation ? aggregation_new(s, t, inner) : hash_new(BPF_MAP_TYPE_HASH, "d_array", t, s->elements_max);
		if (fd < 0)
			return fd;
		s->tables[s->n_tables++] = fd;
	}
	return 0;
}

/* Keeps a descriptor in *ret_fd; returns the error that it is. */
static int keep(int fd, int *ret_fd)
{
	*ret_fd = fd < 0 ? -1 : fd;
	return fd < 0 ? fd : 0;
}

static int maps_new(struct d_session *s, const struct d_program *p)
{
	int err = keep(shared_new("d_state", words(sizeof(*s->state)), &s->state), &s->maps.state);

	if (!err)
		err = ring_open(s);
	if (!err)
		err = keep(texts_new(p), &s->maps.texts);
	if (!err && p->scratch_len)
		err = keep(scratch_new(p), &s->maps.scratch);
	s->globals_len = words(p->memory[SCOPE_GLOBAL]);
	if (!err && s->globals_len)
		err = keep(shared_new("d_globals", s->globals_len, &s->globals), &s->maps.globals);
	if (!err && p->memory[SCOPE_SELF])
		err = keep(self_new(words(p->memory[SCOPE_SELF])), &s->maps.self);
	return err ? err : tables_new(s, p);
}

static int put_names(struct d_session *s, const struct d_program *p)
{
	__u8 names[D_NAMES_LEN];

	for (size_t i = 0; i < s->probes->n; i++) {
		const struct d_probe *probe = s->probes->probe[i];
		__u64 id = probe->id;

		memset(names, 0, sizeof(names));
		for (unsigned field = 0; field < D_FIELDS; field++)
			memcpy(names + d_names_offset(field), probe->field[field],
			       strnlen(probe->field[field], d_names_offset(field + 1) - d_names_offset(field) - 1));
		if (bpf_map_update_elem(s->tables[p->names->id], &id, names, BPF_ANY))
			return -errno;
	}
	return 0;
}

static const struct d_maps no_maps = { -1, -1, -1, -1, -1, -1, NULL, -1, { 0 } };

int d_session_open(struct d_session *s, const struct d_program *p, struct d_consumer *consumer, char *reason)
{
	int err;

	*s = (struct d_session){ .maps = no_maps, .consumer = consumer };
	s->probes = consumer->probes;
	consumer->take = take;
	consumer->take_context = s;
	libbpf_set_print(NULL);
	err = maps_new(s, p);
	if (!err && p->names)
		err = put_names(s, p);
	if (err) {
		d_session_close(s);
		return d_session_fail(reason, err, "cannot make the maps");
	}
	s->state->wall_offset_ns = (__u64)wall_offset();
	return 0;
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

void d_session_close(struct d_session *s)
{
	ring_buffer__free(s->ring);
	if (s->state)
		munmap(s->state, words(sizeof(*s->state)));
	if (s->globals)
		munmap(s->globals, s->globals_len);
	close_fd(s->maps.state);
	close_fd(s->maps.globals);
	close_fd(s->maps.self);
	close_fd(s->maps.ring);
	close_fd(s->maps.texts);
	close_fd(s->maps.scratch);
	d_session_detach(s);
	free(s->links);
	btf__free(s->btf);
	for (__u32 i = 0; i < s->n_tables; i++) {
		close_fd(s->tables[i]);
		close_fd(s->inner[i]);
	}
	free(s->tables);
	free(s->inner);
	*s = (struct d_session){ .maps = no_maps };
}

/* ---- records ---- */

int d_session_poll(struct d_session *s, int timeout_ms)
{
	int n;

	s->n_records = 0;
	n = ring_buffer__poll(s->ring, timeout_ms);
	return n < 0 && n != -EAGAIN ? n : 0;
}

int d_session_drain(struct d_session *s)
{
	int n;

	do {
		s->n_records = 0;
		n = ring_buffer__consume(s->ring);
	} while (n == -EAGAIN);
	return n < 0 ? n : 0;
}
