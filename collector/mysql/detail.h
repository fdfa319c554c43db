/* detail.h - probes the end of a statement in the executables of servers: with --detail only.
 *
 *      processes of servers --details_look()--> /proc/PID/exe -> mysql_thd_find() -> one entry probe per executable
 *
 * Probe   at the entry, never at the return: a probe at a return can kill a server (an exception that passes through).
 * Once    An executable is read when it is first seen; if it cannot be probed, the reason is logged then.  It is
 *         released when no process runs it any longer.
 * Log     A server without detail is logged; `lacking` names one and says why.
 * Cost    attaching takes about 16 ms, releasing about 110; reading an executable about 5 (thd.h).
 * Thread  one thread.
 */
#ifndef HEATSCOPE_MYSQL_DETAIL_H
#define HEATSCOPE_MYSQL_DETAIL_H

#include "collector/core/metric.h"
#include "collector/mysql/mysql.h"
#include "collector/mysql/conn.h"

#include <stddef.h>
#include <sys/types.h>

struct bpf_link;
struct bpf_map;
struct bpf_program;

struct detailed {			/* an executable */
	int used, seen;			/* seen: by this look */
	dev_t dev;
	ino_t ino;
	struct bpf_link *link;		/* NULL: it cannot be probed, */
	char reason[REASON_MAX];	/* for this reason */
};

struct details {
	struct bpf_program *program;
	struct bpf_map *layouts;	/* struct mysql_thd by the executable's index, which is the probe's cookie */
	int logged;			/* logged: there are too many, or one may not be read */
	struct detailed of[DETAILS_MAX];
	char lacking[REASON_MAX];	/* one of the running servers without detail, and why; "": all are probed */
};

/* As server_probe in server_tracer.h describes them; self: struct details. */
void details_look(void *self, const __u32 *pid, size_t n_pids);
void details_free(void *self);

/* Can this process' executable be probed?  -errno: no; reason (REASON_MAX bytes) says why. */
int details_possible(__u32 pid, char *reason);

#endif
