#include "collector/mysql/memory.h"
#include "collector/core/log.h"
#include "collector/core/refuse.h"
#include "collector/probe/need.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CAPS NEED_CAP(CAP_SYS_PTRACE)

static int executable_open(__u32 pid, struct stat *ret_stat, char *reason)
{
	char path[32], names[NEED_NAMES_MAX];
	int fd, err;

	snprintf(path, sizeof(path), "/proc/%u/exe", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	err = fd < 0 || fstat(fd, ret_stat) ? -errno : 0;
	if (!err)
		return fd;
	if (fd >= 0)
		close(fd);
	if (need_missing(CAPS))
		return refuse_as(err, reason, "its executable cannot be opened: %s; the collector lacks %s", strerror(-err),
				 need_names(need_missing(CAPS), names));
	return refuse_as(err, reason, "its executable cannot be opened: %s", strerror(-err));
}

int memory_possible(__u32 pid, char *reason)
{
	struct mysql_thd thd;
	struct stat stat;
	int fd = executable_open(pid, &stat, reason), err;

	if (fd < 0)
		return fd;
	err = mysql_thd_find(fd, &thd, reason);
	close(fd);
	return err;
}

/* Its entry, or a free one; NULL: there is none. */
static struct memory_file *file_find(struct memory *m, const struct stat *stat)
{
	struct memory_file *free = NULL;

	for (size_t i = 0; i < MEMORY_FILES_MAX; i++) {
		struct memory_file *f = &m->file[i];

		if (f->used && f->dev == stat->st_dev && f->ino == stat->st_ino)
			return f;
		if (!f->used)
			free = f;
	}
	return free;
}

static void log_once(struct memory *m, __u32 pid, const char *reason)
{
	if (!m->logged++)
		log_warning("mysql.queries: statements within TLS of process %u are not read: %s", pid, reason);
}

static void file_add(struct memory_file *f, const struct stat *stat, int fd, __u32 pid)
{
	*f = (struct memory_file){ .used = 1, .dev = stat->st_dev, .ino = stat->st_ino };
	if (mysql_thd_find(fd, &f->thd, f->reason))
		log_warning("mysql.queries: statements within TLS of process %u and others of its executable are not read: %s", pid, f->reason);
	else
		log_info("mysql.queries: statements within TLS of process %u and others of its executable are read", pid);
}

/* The executable of a process; NULL: none, and if the process has not ended the reason is logged. */
static struct memory_file *file_of(struct memory *m, __u32 pid)
{
	char reason[REASON_MAX];
	struct memory_file *f;
	struct stat stat;
	int fd = executable_open(pid, &stat, reason);

	if (fd < 0) {
		if (fd != -ENOENT && fd != -ESRCH)
			log_once(m, pid, reason);
		return NULL;
	}
	f = file_find(m, &stat);
	if (!f)
		log_once(m, pid, "there are too many executables of servers");
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

/* A process may have become another one with the same number, so its layout is written again each time. */
static void process_see(struct memory *m, __u32 pid)
{
	struct memory_file *f = file_of(m, pid);

	if (!f)
		return;
	f->seen = 1;
	if (f->reason[0])
		return;
	if (!listed(m->pid, m->n_pids, pid) && m->n_pids == MEMORY_SERVERS_MAX)
		log_once(m, pid, "there are too many servers");
	else if (bpf_map_update_elem(bpf_map__fd(m->layouts), &pid, &f->thd, BPF_ANY))
		log_once(m, pid, "the kernel refuses its layout");
	else if (!listed(m->pid, m->n_pids, pid))
		m->pid[m->n_pids++] = pid;
}

void memory_find(void *self, const __u32 *pid, size_t n_pids)
{
	struct memory *m = self;

	for (size_t i = 0; i < MEMORY_FILES_MAX; i++)
		m->file[i].seen = 0;
	for (size_t i = m->n_pids; i--;) {
		if (listed(pid, n_pids, m->pid[i]))
			continue;
		bpf_map_delete_elem(bpf_map__fd(m->layouts), &m->pid[i]);
		m->pid[i] = m->pid[--m->n_pids];
	}
	for (size_t i = 0; i < n_pids; i++)
		if (!listed(pid, i, pid[i]))
			process_see(m, pid[i]);
	for (size_t i = 0; i < MEMORY_FILES_MAX; i++)
		if (!m->file[i].seen)
			m->file[i].used = 0;
}

void memory_free(void *self)
{
	free(self);
}
