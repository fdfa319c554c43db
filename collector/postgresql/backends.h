/* backends.h - finds, for each PostgreSQL server, where the memory of its backends has statements and names.
 *
 *      processes that listen --backends_find()--> /proc/PID/exe, auxv, mem -> struct postgresql_backend, by process,
 *                                                 for memory.bpf.h
 *
 * Once    It reads an executable when it first sees it, and forgets it when no server runs it any longer.  If the
 *         executable shows no places, it logs the reason, once.
 * Forks   A backend is a fork of the process that listens, so one reading of that process serves all its backends.
 * Cost    An executable takes about 5 ms.  Nothing is attached to a server.
 * Thread  one thread.
 */
#ifndef HEATSCOPE_POSTGRESQL_BACKENDS_H
#define HEATSCOPE_POSTGRESQL_BACKENDS_H

#include "collector/core/metric.h"
#include "collector/core/instrumentation.h"
#include "collector/postgresql/backend.h"
#include "collector/postgresql/conn.h"

#include <stddef.h>
#include <sys/types.h>

struct bpf_map;

struct backend_file {			/* an executable */
	int used, seen;			/* seen: by this call of backends_find() */
	dev_t dev;
	ino_t ino;
	struct postgresql_backend backend;
	__u64 program_entry;
	char reason[REASON_MAX];	/* why it shows no places; "": it does */
};

struct backends {
	struct bpf_map *map;		/* struct postgresql_backend by process */
	int logged;			/* one may not be read, or there are too many */
	struct backend_file file[BACKEND_FILES_MAX];
	__u32 pid[BACKEND_SERVERS_MAX];	/* of the entries of the map */
	size_t n_pids;
};

/* As struct server_memory in server_tracer.h describes them; self: struct backends. */
void backends_find(void *self, const __u32 *pid, size_t n_pids);
void backends_free(void *self);

/* Can the texts of this server's backends be read?  -errno: no; reason (REASON_MAX bytes) says why. */
int backends_possible(__u32 pid, char *reason);

#endif
