/* mysql_cpu.h - measures the server's CPU time as the kernel's scheduler counts it, to compare a tracer with it.
 *
 * Queries that only compute run on one connection.  Before and after, /proc/PID/task/TID/schedstat gives each thread's
 * time on the CPU and in the run queue.  The thread whose time grew most is the one that served the connection.
 */
#ifndef HEATSCOPE_MYSQL_CPU_H
#define HEATSCOPE_MYSQL_CPU_H

#include "test/tools/mysql_session.h"

struct cpu_use {
	int pid, tid;
	__u64 run_ns, wait_ns;		/* of the thread, over both queries and a little around them */
	__u64 elapsed_ns;		/* of both, send to reply, by our clock */
	__u64 n_loops;			/* of BENCHMARK, in the long one */
};

/* Computes for about `seconds`, as two text queries: a short trial and the rest.  pid 0: the process that
 * listens on the Unix socket.
 * -ESRCH: no such process, or it is not known (TCP). */
int cpu_measure(struct session *s, int pid, double seconds, struct cpu_use *ret_use);

#endif
