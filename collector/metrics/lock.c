#include "collector/metrics/lock.h"
#include "collector/probe/programs.h"
#include "collector/core/slice.h"
#include "collector/metrics/lock.skel.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static const struct field fields[] = {
	PROCESS_FIELDS,
	{ "type", "type of lock", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "lock", "lock", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "latency", "latency", "time", FIELD_NUMERIC, UNIT_NS, 7, 39 },
	{ "count", "waits", "number", FIELD_NUMERIC, UNIT_NONE, 0, 1 },
	{ "subsecond", "offset in the second", "time", FIELD_NUMERIC, UNIT_NS, 20, 30 },
};

static const struct metric metric = {
	"lock", "contention", "waits for the kernel's locks", "waits", fields, sizeof(fields) / sizeof(*fields), SCOPE_INTERVAL, NULL, NULL, NULL
};

static int lock_start(void **ret_self, struct tracer_programs *ret_programs, char *reason)
{
	struct lock_bpf *bpf = lock_bpf__open();
	struct programs *p;
	int err;

	if (bpf)
		*(int *)&bpf->rodata->collector = getpid();
	err = programs_start(bpf, bpf ? bpf->skeleton : NULL, &metric, &p, reason);
	if (err)
		return err;
	*ret_programs = TRACER_PROGRAMS(bpf);
	*ret_self = p;
	return 0;
}

static const char *const types[LOCK_N] = {
	[LOCK_SPIN] = "spinlock", [LOCK_RWLOCK_READ] = "rwlock read", [LOCK_RWLOCK_WRITE] = "rwlock write",
	[LOCK_MUTEX] = "mutex", [LOCK_RWSEM_READ] = "rwsem read", [LOCK_RWSEM_WRITE] = "rwsem write",
	[LOCK_PERCPU_READ] = "percpu-rwsem read", [LOCK_PERCPU_WRITE] = "percpu-rwsem write", [LOCK_RT] = "rtmutex",
	[LOCK_SEMAPHORE] = "semaphore",
};

static const char *const names[] = { [LOCK_ANY] = "other lock", [LOCK_MMAP] = "mmap_lock" };

static void lock_label(void *self, unsigned field, __u64 code, char *out)
{
	const struct programs *p = self;

	if (field == LOCK_TYPE)
		snprintf(out, LABEL_MAX + 1, "%s", types[code < LOCK_N ? code : LOCK_SEMAPHORE]);
	else if (field == LOCK_LOCK)
		snprintf(out, LABEL_MAX + 1, "%s", names[code == LOCK_MMAP]);
	else
		process_label(&p->texts, field, code, out);
}

static int lock_codes(void *self, unsigned field, const char *text, __u64 *ret_code, size_t max)
{
	if (field == LOCK_TYPE)
		return programs_code_of(types, LOCK_N, text, ret_code, max);
	if (field == LOCK_LOCK)
		return programs_code_of(names, 2, text, ret_code, max);
	return process_codes(field, text, ret_code, max);
}

static __u64 lock_lost(void *self)
{
	const struct programs *p = self;
	const struct lock_bpf *bpf = p->bpf;

	return programs_lost(self) + *(volatile __u64 *)&bpf->bss->unseen;
}

static const char *const tracepoints[] = { "contention_end", "contention_begin", NULL };

const struct tracer contention_tracer = {
	.metric = &metric,
	.tracepoints = tracepoints,
	.dispatch_ns = 20,
	.may_detach = 1,
	.start = lock_start,
	.stop = programs_stop,
	.label = lock_label,
	.codes = lock_codes,
	.lost = lock_lost,
	.doctor = programs_doctor,
};
