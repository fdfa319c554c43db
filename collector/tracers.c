#include "collector/tracers.h"
#include "collector/probe/kernel.h"

extern const struct tracer mysql_tracer, postgresql_tracer, http_tracer, redis_tracer;
extern const struct tracer disk_tracer, syscall_tracer, fs_tracer, accepts_tracer, connects_tracer, net_tracer;
extern const struct tracer execs_tracer, forks_tracer, exits_tracer, creates_tracer;	/* life.c */
extern const struct tracer executions_tracer, offcpu_tracer, runqwait_tracer;		/* sched.c */
extern const struct tracer samples_tracer, faults_tracer, contention_tracer;

const struct tracer *const tracers[] = {
	&mysql_tracer, &postgresql_tracer, &http_tracer, &redis_tracer, &disk_tracer, &syscall_tracer, &fs_tracer,
	&accepts_tracer, &connects_tracer, &net_tracer,
	&execs_tracer, &forks_tracer, &exits_tracer, &creates_tracer,
	&executions_tracer, &offcpu_tracer, &runqwait_tracer, &samples_tracer, &faults_tracer, &contention_tracer,
	NULL
};

_Static_assert(sizeof(tracers) / sizeof(*tracers) <= TRACERS_MAX + 1, "TRACERS_MAX in kernel.h is too small");
