#include "collector/trace/symbols.h"
#include "collector/core/array.h"
#include "collector/trace/function_name.h"
#include "collector/trace/program_file.h"
#include "collector/trace/symbols_kernel.h"
#include "collector/trace/wall.h"
#include "collector/trace/symbols.skel.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FRESH_NS 1000000000

struct file {
	struct stat is;			/* identifies the file and its version */
	struct program_file program;
	int used;
};

struct process {
	__u32 pid;			/* 0: unused */
	__s64 taken_ns;
	struct symbols_mapping *mapping;
	size_t n;
};

struct symbols {
	struct symbols_bpf *bpf;
	struct file file[SYMBOLS_FILES];
	struct process process[SYMBOLS_PROCESSES];
	size_t next_file, next_process;	/* the next new one replaces these */
};

int symbols_new(struct symbols **ret_symbols)
{
	struct symbols *s = calloc(1, sizeof(*s));
	int err = s ? 0 : -ENOMEM;

	if (!err) {
		s->bpf = symbols_bpf__open();
		err = s->bpf ? 0 : -errno;
	}
	err = err ?: symbols_bpf__load(s->bpf);
	if (err)
		symbols_free(s);
	else
		*ret_symbols = s;
	return err;
}

void symbols_free(struct symbols *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < SYMBOLS_FILES; i++)
		program_file_fini(&s->file[i].program);
	for (size_t i = 0; i < SYMBOLS_PROCESSES; i++)
		free(s->process[i].mapping);
	symbols_bpf__destroy(s->bpf);
	free(s);
}

/* ---- the kernel ---- */

void symbols_kernel(struct symbols *s, __u64 address, char *out)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);

	s->bpf->bss->address = address;
	s->bpf->bss->name[0] = 0;
	bpf_prog_test_run_opts(bpf_program__fd(s->bpf->progs.kernel_name), &opts);
	s->bpf->bss->name[strcspn(s->bpf->bss->name, " ")] = 0;	/* cuts the module's name, which follows */
	if (s->bpf->bss->name[0])
		function_name(s->bpf->bss->name, out, SYMBOL_TEXT);
	else
		snprintf(out, SYMBOL_TEXT, "0x%llx", (unsigned long long)address);
}

/* ---- a process' mappings ---- */

static int mapping_add(struct process *p, const struct symbols_mapping *m)
{
	if (array_resize(&p->mapping, p->n + 1, sizeof(*p->mapping)))
		return -ENOMEM;
	p->mapping[p->n++] = *m;
	return 0;
}

/* Reads the mappings of a process; a process that has ended has none. */
static void mappings_take(struct symbols *s, __u32 pid, struct process *ret)
{
	union bpf_iter_link_info info = { .task.pid = pid };
	LIBBPF_OPTS(bpf_iter_attach_opts, opts, .link_info = &info, .link_info_len = sizeof(info));
	struct bpf_link *link = bpf_program__attach_iter(s->bpf->progs.mappings, &opts);
	int fd = link ? bpf_iter_create(bpf_link__fd(link)) : -1, err = 0;
	struct symbols_mapping m[8];
	ssize_t n;

	while (fd >= 0 && !err && ((n = read(fd, m, sizeof(m))) > 0 || (n < 0 && errno == EAGAIN)))
		for (size_t i = 0; n > 0 && !err && i < n / sizeof(m[0]); i++)
			err = mapping_add(ret, &m[i]);
	if (fd >= 0)
		close(fd);
	bpf_link__destroy(link);
}

static struct process *process_place(struct symbols *s, __u32 pid)
{
	for (size_t i = 0; i < SYMBOLS_PROCESSES; i++)
		if (s->process[i].pid == pid)
			return &s->process[i];
	return &s->process[s->next_process++ % SYMBOLS_PROCESSES];
}

static const struct process *process_of(struct symbols *s, __u32 pid)
{
	struct process *p = process_place(s, pid), now = { .pid = pid, .taken_ns = clock_ns(CLOCK_MONOTONIC) };

	if (p->pid == pid && now.taken_ns - p->taken_ns < FRESH_NS)
		return p;
	mappings_take(s, pid, &now);
	if (p->pid == pid && !now.n) {	/* the process has ended */
		p->taken_ns = now.taken_ns;
		return p;
	}
	free(p->mapping);
	*p = now;
	return p;
}

static const struct symbols_mapping *mapping_at(const struct process *p, __u64 address)
{
	for (size_t i = 0; i < p->n; i++)
		if (address >= p->mapping[i].from && address < p->mapping[i].to)
			return &p->mapping[i];
	return NULL;
}

/* ---- files ---- */

static int is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	       a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static const struct program_file *file_keep(struct symbols *s, int fd, const struct stat *is)
{
	struct file *f;

	for (size_t i = 0; i < SYMBOLS_FILES; i++)
		if (s->file[i].used && is_same(&s->file[i].is, is))
			return &s->file[i].program;
	f = &s->file[s->next_file++ % SYMBOLS_FILES];
	program_file_fini(&f->program);
	f->is = *is;
	f->used = 1;
	program_file_load(fd, &f->program);	/* an unsuitable file has no functions */
	return &f->program;
}

/* NULL: the file cannot be read, or another file has taken its place. */
static const struct program_file *file_of(struct symbols *s, const struct symbols_mapping *m)
{
	int fd = m->path[0] == '/' ? open(m->path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1;
	const struct program_file *program = NULL;
	struct stat is;

	if (fd >= 0 && !fstat(fd, &is) && S_ISREG(is.st_mode) && is.st_ino == m->inode)
		program = file_keep(s, fd, &is);
	if (fd >= 0)
		close(fd);
	return program;
}

static void put_offset(const struct symbols_mapping *m, __u64 address, char *out)
{
	const char *slash = memrchr(m->path, '/', strnlen(m->path, sizeof(m->path)));

	snprintf(out, SYMBOL_TEXT, "[%.64s+0x%llx]", slash ? slash + 1 : "?", (unsigned long long)address);
	function_name_clean(out);
}

int symbols_user(struct symbols *s, __u32 pid, __u64 address, char *out)
{
	const struct symbols_mapping *m = mapping_at(process_of(s, pid), address);
	const struct program_file *file;
	const char *name;
	__u64 at;

	if (!m)
		return -ENOENT;
	at = address - m->from + m->offset;
	file = file_of(s, m);
	if (file)
		at = program_file_address(file, at);
	name = file ? program_file_name(file, at) : NULL;
	if (name && *name)
		function_name(name, out, SYMBOL_TEXT);
	else
		put_offset(m, at, out);
	return 0;
}
