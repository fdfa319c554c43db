#include "collector/core/array.h"
#include "collector/d/session.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Keeps a link; closes it if there is no memory.  Returns 0 or -errno; fd is that of a call which may have failed. */
static int keep(struct d_session *s, int fd)
{
	int err = fd < 0 ? -errno : array_grow(&s->links, s->n_links, &s->links_room, sizeof(*s->links));

	if (err && fd >= 0)
		close(fd);
	if (!err)
		s->links[s->n_links++] = fd;
	return err;
}

void d_session_detach(struct d_session *s)
{
	while (s->n_links)
		close(s->links[--s->n_links]);
}

/* ---- timers ---- */

static int attach_timer(struct d_session *s, int program, __u64 period_ns, int cpu)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = PERF_COUNT_SW_CPU_CLOCK,
					.sample_period = period_ns, .disabled = 1 };
	int fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC), err = keep(s, fd);

	if (!err && (ioctl(fd, PERF_EVENT_IOC_SET_BPF, program) || ioctl(fd, PERF_EVENT_IOC_ENABLE, 0)))
		err = -errno;
	return err;
}

/* On the first CPU that is there, or on all.  -ENODEV: a CPU that is not. */
static int attach_timers(struct d_session *s, const struct d_group *g)
{
	long n = sysconf(_SC_NPROCESSORS_CONF);
	int err = -ENODEV;

	for (int cpu = 0; cpu < n; cpu++) {
		err = attach_timer(s, g->fd, g->probes[0]->detail, cpu);
		if (err && err != -ENODEV)
			return err;
		if (!err && g->context == CONTEXT_TICK)
			return 0;
	}
	return s->n_links ? 0 : err;
}

/* ---- functions ---- */

/* bpf(BPF_LINK_CREATE) for functions, Linux 6.6. */
struct uprobe_multi {
	__u32 program, target, attach_type, flags;
	__u64 path, offsets, semaphores, cookies;
	__u32 n, multi_flags, pid, unused;
};

#define MULTI_RETURN 1
#define NO_PROBE_THERE 524		/* ENOTSUPP: the kernel cannot put a probe on this instruction */

/* Probes of one file and process. */
struct sites {
	const struct d_group *group;
	const char *file;
	__u32 pid;
	__u64 *offset, *semaphore, *cookie;
	__u32 n;
};

static int link_sites(struct d_session *s, const struct sites *sites, __u32 from, __u32 n)
{
	struct uprobe_multi attr = { .program = sites->group->fd, .attach_type = ATTACH_UPROBE_MULTI, .path = (__u64)(size_t)sites->file,
				     .offsets = (__u64)(size_t)(sites->offset + from), .cookies = (__u64)(size_t)(sites->cookie + from),
				     .semaphores = (__u64)(size_t)(sites->semaphore + from), .n = n, .pid = sites->pid };

	if (sites->group->context == CONTEXT_FUNCTION_RETURN)
		attr.multi_flags = MULTI_RETURN;
	return keep(s, syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr)));
}

/* One place where no probe can be makes the kernel refuse all: then halves, down to that place, which is left out. */
static int attach_sites(struct d_session *s, const struct sites *sites, __u32 from, __u32 n, __u32 *n_left_out)
{
	int err = n ? link_sites(s, sites, from, n) : 0;

	if (err != -NO_PROBE_THERE && err != -EINVAL && err != -EOPNOTSUPP)
		return err;
	if (n == 1) {
		++*n_left_out;
		return 0;
	}
	err = attach_sites(s, sites, from, n / 2, n_left_out);
	return err ? err : attach_sites(s, sites, from + n / 2, n - n / 2, n_left_out);
}

static bool is_of(const struct sites *sites, const struct d_probe *p) { return p->pid == sites->pid && !strcmp(p->file, sites->file); }

/* Marks the probes of a file as done, and attaches them. */
static int attach_file(struct d_session *s, struct sites *sites, bool *done, __u32 *n_left_out)
{
	const struct d_group *g = sites->group;

	sites->n = 0;
	for (size_t i = 0; i < g->n_probes; i++) {
		if (done[i] || !is_of(sites, g->probes[i]))
			continue;
		done[i] = true;
		sites->offset[sites->n] = g->probes[i]->detail;
		sites->semaphore[sites->n] = g->probes[i]->semaphore;
		sites->cookie[sites->n++] = i;
	}
	return attach_sites(s, sites, 0, sites->n, n_left_out);
}

static int attach_functions(struct d_session *s, const struct d_group *g, __u32 *n_left_out)
{
	struct sites sites = { .group = g, .offset = calloc(g->n_probes, sizeof(__u64)), .cookie = calloc(g->n_probes, sizeof(__u64)),
			       .semaphore = calloc(g->n_probes, sizeof(__u64)) };
	bool *done = calloc(g->n_probes, sizeof(*done));
	int err = sites.offset && sites.cookie && sites.semaphore && done ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < g->n_probes; i++) {
		if (done[i])
			continue;
		sites.file = g->probes[i]->file;
		sites.pid = g->probes[i]->pid;
		err = attach_file(s, &sites, done, n_left_out);
	}
	free(sites.offset);
	free(sites.cookie);
	free(sites.semaphore);
	free(done);
	return err;
}

/* Some of many places are left out silently, as it is with DTrace; a program that has none left is an error. */
static int attach_function_group(struct d_session *s, const struct d_group *g, char *reason)
{
	__u32 n_left_out = 0;
	int err = attach_functions(s, g, &n_left_out);

	if (err == -EPERM || err == -EACCES) {
		snprintf(reason, D_REASON_MAX, "cannot attach to functions: the kernel refuses it; run as root, or with CAP_SYS_ADMIN");
		return err;
	}
	if (err)
		return d_session_fail(reason, err, "cannot attach to functions");
	if (n_left_out == g->n_probes) {
		snprintf(reason, D_REASON_MAX, "cannot attach to %s:%s: the kernel cannot put a probe on its first instruction",
			 g->probes[0]->field[FIELD_MODULE], g->probes[0]->field[FIELD_FUNCTION]);
		return -ENOTSUP;
	}
	return 0;
}

int d_session_attach(struct d_session *s, const struct d_group *g, char *reason)
{
	int err = 0;

	switch (g->context) {
	case CONTEXT_DTRACE:
		return 0;
	case CONTEXT_PROFILE: case CONTEXT_TICK:
		err = attach_timers(s, g);
		return err ? d_session_fail(reason, err, "cannot start a timer") : 0;
	case CONTEXT_SYSCALL_ENTRY: case CONTEXT_SYSCALL_RETURN: case CONTEXT_OFF_CPU: case CONTEXT_ON_CPU:
		err = keep(s, bpf_raw_tracepoint_open(NULL, g->fd));
		return err ? d_session_fail(reason, err, "cannot attach to a tracepoint") : 0;
	case CONTEXT_FUNCTION_ENTRY: case CONTEXT_FUNCTION_RETURN: case CONTEXT_STATIC:
		return attach_function_group(s, g, reason);
	}
	return -EINVAL;
}
