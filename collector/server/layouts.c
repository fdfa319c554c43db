#include "collector/server/layouts.h"
#include "collector/core/log.h"
#include "collector/core/refuse.h"
#include "collector/probe/need.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
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
		return refuse_as(err, reason, "its executable cannot be opened: %s; the collector lacks %s",
				 strerror(-err), need_names(need_missing(CAPS), names));
	return refuse_as(err, reason, "its executable cannot be opened: %s", strerror(-err));
}

static int layout_place(const struct layout_kind *kind, __u32 pid, __u64 *layout, char *reason)
{
	return kind->place ? kind->place(pid, layout, reason) : 0;
}

int layout_possible(const struct layout_kind *kind, __u32 pid, char *reason)
{
	__u64 layout[LAYOUT_WORDS] = { 0 };
	struct stat stat;
	int fd = executable_open(pid, &stat, reason), err;

	if (fd < 0)
		return fd;
	err = kind->find(fd, layout, reason);
	close(fd);
	return err ? err : layout_place(kind, pid, layout, reason);
}

/* Its entry, or a free one; NULL: there is none. */
static struct layout_file *file_find(struct layouts *l, const struct stat *stat)
{
	struct layout_file *free = NULL;

	for (size_t i = 0; i < LAYOUT_FILES_MAX; i++) {
		struct layout_file *f = &l->file[i];

		if (f->used && f->dev == stat->st_dev && f->ino == stat->st_ino)
			return f;
		if (!f->used)
			free = f;
	}
	return free;
}

static void log_once(struct layouts *l, __u32 pid, const char *reason)
{
	if (!l->logged++)
		log_warning("%s: statements within TLS of process %u are not read: %s", l->metric, pid, reason);
}

static void file_add(const struct layouts *l, struct layout_file *f, const struct stat *stat, int fd, __u32 pid)
{
	*f = (struct layout_file){ .used = 1, .dev = stat->st_dev, .ino = stat->st_ino };
	if (l->kind->find(fd, f->layout, f->reason)) {
		log_warning("%s: statements within TLS of process %u and others of its executable are not read: %s",
			    l->metric, pid, f->reason);
		return;
	}
	f->reason[0] = 0;
	log_info("%s: statements within TLS of process %u and others of its executable are read", l->metric, pid);
}

/* The executable of a process; NULL: none, and if the process has not ended the reason is logged. */
static struct layout_file *file_of(struct layouts *l, __u32 pid)
{
	char reason[REASON_MAX];
	struct layout_file *f;
	struct stat stat;
	int fd = executable_open(pid, &stat, reason);

	if (fd < 0) {
		if (fd != -ENOENT && fd != -ESRCH)
			log_once(l, pid, reason);
		return NULL;
	}
	f = file_find(l, &stat);
	if (!f)
		log_once(l, pid, "there are too many executables of servers");
	else if (!f->used)
		file_add(l, f, &stat, fd, pid);
	close(fd);
	return f;
}

static int is_listed(const __u32 *pid, size_t n, __u32 one)
{
	for (size_t i = 0; i < n; i++)
		if (pid[i] == one)
			return 1;
	return 0;
}

/* A process may have become another one with the same number, so its layout is written again at each scan. */
static void process_scan(struct layouts *l, __u32 pid)
{
	struct layout_file *f = file_of(l, pid);
	__u64 layout[LAYOUT_WORDS];
	char reason[REASON_MAX];

	if (!f)
		return;
	f->seen = 1;
	if (f->reason[0])
		return;
	memcpy(layout, f->layout, sizeof(layout));
	if (layout_place(l->kind, pid, layout, reason))
		log_once(l, pid, reason);
	else if (!is_listed(l->pid, l->n_pids, pid) && l->n_pids == LAYOUT_SERVERS_MAX)
		log_once(l, pid, "there are too many servers");
	else if (bpf_map_update_elem(bpf_map__fd(l->map), &pid, layout, BPF_ANY))
		log_once(l, pid, "the kernel refuses its layout");
	else if (!is_listed(l->pid, l->n_pids, pid))
		l->pid[l->n_pids++] = pid;
}

void layouts_scan(struct layouts *l, const __u32 *pid, size_t n_pids)
{
	for (size_t i = 0; i < LAYOUT_FILES_MAX; i++)
		l->file[i].seen = 0;
	for (size_t i = l->n_pids; i--;) {
		if (is_listed(pid, n_pids, l->pid[i]))
			continue;
		bpf_map_delete_elem(bpf_map__fd(l->map), &l->pid[i]);
		l->pid[i] = l->pid[--l->n_pids];
	}
	for (size_t i = 0; i < n_pids; i++)
		if (!is_listed(pid, i, pid[i]))
			process_scan(l, pid[i]);
	for (size_t i = 0; i < LAYOUT_FILES_MAX; i++)
		if (!l->file[i].seen)
			l->file[i].used = 0;
}
