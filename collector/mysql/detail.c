#include "collector/mysql/detail.h"
#include "collector/core/instrumentation.h"
#include "collector/core/log.h"
#include "collector/mysql/thd.h"
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

#define CAPS (NEED_CAP(CAP_SYS_PTRACE) | NEED_CAP(CAP_SYS_ADMIN))

struct executable {
	int fd;
	struct stat stat;
	struct mysql_thd thd;
	__u64 entry;			/* in the file */
};

/* Writes which step the kernel has refused, and the reason as far as we know it. */
static void refusal(const char *what, int err, char *reason)
{
	char names[NEED_NAMES_MAX];
	__u64 missing = need_missing(CAPS);

	if (missing)
		snprintf(reason, REASON_MAX, "%s: %s; the collector lacks %s", what, strerror(-err), need_names(missing, names));
	else
		snprintf(reason, REASON_MAX, "%s: %s", what, strerror(-err));
}

static int executable_open(__u32 pid, struct executable *ret, char *reason)
{
	struct executable e;
	char path[32];
	int err = 0;

	snprintf(path, sizeof(path), "/proc/%u/exe", pid);
	e.fd = open(path, O_RDONLY | O_CLOEXEC);
	if (e.fd < 0 || fstat(e.fd, &e.stat))
		err = -errno;
	if (err && e.fd >= 0)
		close(e.fd);
	if (err)
		refusal("its executable cannot be opened", err, reason);
	else
		*ret = e;
	return err;
}

int details_possible(__u32 pid, char *reason)
{
	char names[NEED_NAMES_MAX];
	__u64 missing = need_missing(CAPS);
	struct executable e;
	int err = missing ? -EPERM : executable_open(pid, &e, reason);

	if (missing)
		snprintf(reason, REASON_MAX, "the collector lacks %s", need_names(missing, names));
	if (!err) {
		err = mysql_thd_find(e.fd, &e.thd, &e.entry, reason);
		close(e.fd);
	}
	return err;
}

/* Attaches by our own descriptor, so that it is the file we have read, even if another process has that number now. */
static int executable_attach(const struct details *d, const struct executable *e, __u32 index, struct bpf_link **ret, char *reason)
{
	LIBBPF_OPTS(bpf_uprobe_opts, opts, .bpf_cookie = index);
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", e->fd);
	if (bpf_map_update_elem(bpf_map__fd(d->layouts), &index, &e->thd, BPF_ANY))
		*ret = NULL;
	else
		*ret = bpf_program__attach_uprobe_opts(d->program, -1, path, e->entry, &opts);
	if (*ret)
		return 0;
	refusal("the kernel has refused the probe", -errno, reason);
	return -EPERM;
}

static void detailed_release(struct detailed *of)
{
	bpf_link__destroy(of->link);
	*of = (struct detailed){ 0 };
}

/* Its entry, or a free one; DETAILS_MAX: none. */
static __u32 detailed_find(const struct details *d, const struct stat *stat)
{
	__u32 i;

	for (i = 0; i < DETAILS_MAX; i++)
		if (d->of[i].used && d->of[i].dev == stat->st_dev && d->of[i].ino == stat->st_ino)
			return i;
	for (i = 0; i < DETAILS_MAX && d->of[i].used; i++)
		;
	return i;
}

static void lack(struct details *d, __u32 pid, const char *reason)
{
	if (!d->lacking[0])
		snprintf(d->lacking, sizeof(d->lacking), "no detail of process %u: %.200s", pid, reason);
}

static void log_once(struct details *d, __u32 pid, const char *reason)
{
	if (!d->logged++)
		log_warning("mysql.queries: no detail of process %u: %s", pid, reason);
	lack(d, pid, reason);
}

static void detailed_add(struct details *d, __u32 index, __u32 pid, struct executable *e)
{
	struct detailed *of = &d->of[index];
	int err;

	*of = (struct detailed){ .used = 1, .dev = e->stat.st_dev, .ino = e->stat.st_ino };
	err = mysql_thd_find(e->fd, &e->thd, &e->entry, of->reason);
	err = err ?: executable_attach(d, e, index, &of->link, of->reason);
	if (err)
		log_warning("mysql.queries: no detail of process %u and others of its executable: %s", pid, of->reason);
	else
		log_info("mysql.queries: detail of process %u and others of its executable", pid);
}

static void details_see(struct details *d, __u32 pid)
{
	char reason[REASON_MAX];
	struct executable e;
	__u32 index;
	int err = executable_open(pid, &e, reason);

	if (err) {
		if (err != -ENOENT && err != -ESRCH)	/* those mean that the process has ended */
			log_once(d, pid, reason);
		return;
	}
	index = detailed_find(d, &e.stat);
	if (index == DETAILS_MAX)
		log_once(d, pid, "there are too many executables of servers");
	else if (!d->of[index].used)
		detailed_add(d, index, pid, &e);
	if (index < DETAILS_MAX) {
		d->of[index].seen = 1;
		if (!d->of[index].link)
			lack(d, pid, d->of[index].reason);
	}
	close(e.fd);
}

void details_look(void *self, const __u32 *pid, size_t n_pids)
{
	struct details *d = self;
	size_t i;

	d->lacking[0] = 0;
	for (i = 0; i < DETAILS_MAX; i++)
		d->of[i].seen = 0;
	for (i = 0; i < n_pids; i++)
		details_see(d, pid[i]);
	for (i = 0; i < DETAILS_MAX; i++)
		if (d->of[i].used && !d->of[i].seen)
			detailed_release(&d->of[i]);
}

void details_free(void *self)
{
	struct details *d = self;

	for (size_t i = 0; d && i < DETAILS_MAX; i++)
		detailed_release(&d->of[i]);
	free(d);
}
