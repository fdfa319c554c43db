#include "collector/postgresql/backends.h"
#include "collector/core/log.h"
#include "collector/core/refuse.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define AUXV_MAX 64

static int process_open(__u32 pid, const char *file)
{
	char path[48];
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/%s", pid, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int executable_open(__u32 pid, struct stat *ret_stat, char *reason)
{
	int fd = process_open(pid, "exe"), err = fd < 0 ? fd : fstat(fd, ret_stat) ? -errno : 0;

	if (!err)
		return fd;
	if (fd >= 0)
		close(fd);
	return refuse_as(err, reason, "its executable cannot be opened: %s", strerror(-err));
}

/* Where the process begins to run; 0: not known. */
static __u64 process_entry(__u32 pid)
{
	Elf64_auxv_t auxv[AUXV_MAX];
	int fd = process_open(pid, "auxv");
	ssize_t n = fd < 0 ? 0 : read(fd, auxv, sizeof(auxv));

	if (fd >= 0)
		close(fd);
	for (size_t i = 0; n > 0 && i < (size_t)n / sizeof(*auxv); i++)
		if (auxv[i].a_type == AT_ENTRY)
			return auxv[i].a_un.a_val;
	return 0;
}

static int process_read(__u32 pid, __u64 address, void *to, size_t len)
{
	int fd = process_open(pid, "mem");
	ssize_t n = fd < 0 || address > INT64_MAX ? -1 : pread(fd, to, len, (off_t)address);

	if (fd >= 0)
		close(fd);
	return n == (ssize_t)len ? 0 : -EIO;
}

/* The executable's places, in this process. */
static int process_places(__u32 pid, const struct backend_file *f, struct postgresql_backend *ret, char *reason)
{
	struct postgresql_backend b = f->backend;
	__u64 moved = process_entry(pid) - f->program_entry;

	b.entry += moved;
	b.port += moved;
	b.pid += moved;
	b.tracks += moved;
	b.plain_strings += moved;
	b.text_room += moved;
	if (process_read(pid, b.text_room, &b.text_max, sizeof(b.text_max)))
		return refuse_as(-EPERM, reason, "its memory cannot be read");
	if (b.text_max < 2)
		return refuse_as(-ENOTSUP, reason, "it keeps no texts");
	b.text_max--;
	*ret = b;
	return 0;
}

static void file_read(int fd, struct backend_file *f)
{
	if (!postgresql_backend_find(fd, &f->backend, &f->program_entry, f->reason))
		f->reason[0] = 0;
}

int backends_possible(__u32 pid, char *reason)
{
	struct backend_file f = { 0 };
	struct postgresql_backend b;
	struct stat stat;
	int fd = executable_open(pid, &stat, reason);

	if (fd < 0)
		return fd;
	file_read(fd, &f);
	close(fd);
	if (f.reason[0])
		return refuse_as(-ENOTSUP, reason, "%s", f.reason);
	return process_places(pid, &f, &b, reason);
}

/* Its entry, or a free one; NULL: there is none. */
static struct backend_file *file_find(struct backends *b, const struct stat *stat)
{
	struct backend_file *free = NULL;

	for (size_t i = 0; i < BACKEND_FILES_MAX; i++) {
		struct backend_file *f = &b->file[i];

		if (f->used && f->dev == stat->st_dev && f->ino == stat->st_ino)
			return f;
		if (!f->used)
			free = f;
	}
	return free;
}

static void log_once(struct backends *b, __u32 pid, const char *reason)
{
	if (!b->logged++)
		log_warning("postgresql.queries: statements within TLS of server %u are not read: %s", pid, reason);
}

static void file_add(struct backend_file *f, const struct stat *stat, int fd, __u32 pid)
{
	*f = (struct backend_file){ .used = 1, .dev = stat->st_dev, .ino = stat->st_ino };
	file_read(fd, f);
	if (f->reason[0])
		log_warning("postgresql.queries: statements within TLS of server %u and others of its executable are not read: "
			    "%s", pid, f->reason);
	else
		log_info("postgresql.queries: statements within TLS of server %u and others of its executable are read",
			 pid);
}

/* The executable of a process; NULL: none, and if the process has not ended the reason is logged. */
static struct backend_file *file_of(struct backends *b, __u32 pid)
{
	char reason[REASON_MAX];
	struct backend_file *f;
	struct stat stat;
	int fd = executable_open(pid, &stat, reason);

	if (fd < 0) {
		if (fd != -ENOENT && fd != -ESRCH)
			log_once(b, pid, reason);
		return NULL;
	}
	f = file_find(b, &stat);
	if (!f)
		log_once(b, pid, "there are too many executables of servers");
	else if (!f->used)
		file_add(f, &stat, fd, pid);
	close(fd);
	return f;
}

static int listed(const __u32 *pid, size_t n, __u32 one)
{
	for (size_t i = 0; i < n; i++)
		if (pid[i] == one)
			return 1;
	return 0;
}

/* A process may have become another one with the same number, so its places are written again each time. */
static void process_see(struct backends *b, __u32 pid)
{
	struct backend_file *f = file_of(b, pid);
	struct postgresql_backend places;
	char reason[REASON_MAX];

	if (!f)
		return;
	f->seen = 1;
	if (f->reason[0])
		return;
	if (process_places(pid, f, &places, reason))
		log_once(b, pid, reason);
	else if (!listed(b->pid, b->n_pids, pid) && b->n_pids == BACKEND_SERVERS_MAX)
		log_once(b, pid, "there are too many servers");
	else if (bpf_map_update_elem(bpf_map__fd(b->map), &pid, &places, BPF_ANY))
		log_once(b, pid, "the kernel refuses its places");
	else if (!listed(b->pid, b->n_pids, pid))
		b->pid[b->n_pids++] = pid;
}

void backends_find(void *self, const __u32 *pid, size_t n_pids)
{
	struct backends *b = self;

	for (size_t i = 0; i < BACKEND_FILES_MAX; i++)
		b->file[i].seen = 0;
	for (size_t i = b->n_pids; i--;) {
		if (listed(pid, n_pids, b->pid[i]))
			continue;
		bpf_map_delete_elem(bpf_map__fd(b->map), &b->pid[i]);
		b->pid[i] = b->pid[--b->n_pids];
	}
	for (size_t i = 0; i < n_pids; i++)
		if (!listed(pid, i, pid[i]))
			process_see(b, pid[i]);
	for (size_t i = 0; i < BACKEND_FILES_MAX; i++)
		if (!b->file[i].seen)
			b->file[i].used = 0;
}

void backends_free(void *self)
{
	free(self);
}
