#include "collector/metrics/lock.h"
#include "collector/probe/programs.h"
#include "collector/metrics/lock.skel.h"

#include <unistd.h>

static const struct field fields[] = {
	PROCESS_FIELDS,
	{ "type", "lock type", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "lock", "lock", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "latency", "latency", "time", FIELD_NUMERIC, UNIT_NS, 7, 39 },
	{ "count", "waits", "number", FIELD_NUMERIC, UNIT_NONE, 0, 1 },
	{ "subsecond", "offset within the second", "time", FIELD_NUMERIC, UNIT_NS, 20, 30 },
};

static const struct metric metric = {
	"lock", "contention", "waits for the kernel's locks", "waits", fields, sizeof(fields) / sizeof(*fields), SCOPE_INTERVAL, NULL, NULL, NULL
};

static int lock_start(void **ret_self, struct tracer_programs *ret_programs, char *reason)
{
	struct lock_bpf *bpf = lock_bpf__open();

	if (bpf)
		*(int *)&bpf->rodata->collector = getpid();
	return PROGRAMS_START(bpf, &metric, ret_self, ret_programs, reason);
}

static const char *const types[LOCK_N] = {
	[LOCK_SPIN] = "spinlock", [LOCK_RWLOCK_READ] = "rwlock read", [LOCK_RWLOCK_WRITE] = "rwlock write",
	[LOCK_MUTEX] = "mutex", [LOCK_RWSEM_READ] = "rwsem read", [LOCK_RWSEM_WRITE] = "rwsem write",
	[LOCK_PERCPU_READ] = "percpu-rwsem read", [LOCK_PERCPU_WRITE] = "percpu-rwsem write", [LOCK_RT] = "rtmutex",
	[LOCK_SEMAPHORE] = "semaphore",
};

static const char *const names[] = { [LOCK_ANY] = "other lock", [LOCK_MMAP] = "mmap_lock" };

static const struct field_codes type_codes = CODES_NAMES(types, LOCK_SEMAPHORE);
static const struct field_codes lock_codes = CODES_NAMES(names, LOCK_ANY);

static const struct field_codes *const codes[] = {
	PROGRAMS_PROCESS_CODES,
	[LOCK_TYPE] = &type_codes,
	[LOCK_LOCK] = &lock_codes,
};

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
	.start = lock_start,
	PROGRAMS_TRACER(lock_lost, programs_doctor),
};
