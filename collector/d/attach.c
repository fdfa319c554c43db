#include "collector/core/array.h"
#include "collector/d/session.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
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

int d_session_attach(struct d_session *s, const struct d_group *g, char *reason)
{
	int err = 0;

	switch (g->context) {
	case CONTEXT_DTRACE:
		return 0;
	case CONTEXT_PROFILE: case CONTEXT_TICK:
		err = attach_timers(s, g);
		return err ? d_session_fail(reason, err, "cannot start a timer") : 0;
	case CONTEXT_SYSCALL_ENTRY: case CONTEXT_SYSCALL_RETURN:
		err = keep(s, bpf_raw_tracepoint_open(NULL, g->fd));
		return err ? d_session_fail(reason, err, "cannot attach to system calls") : 0;
	case CONTEXT_FUNCTION_ENTRY: case CONTEXT_FUNCTION_RETURN:
		break;
	}
	snprintf(reason, D_REASON_MAX, "functions are not available yet");
	return -ENOTSUP;
}
