/* memory.h - finds where the memory of each server process has the statement, user and database of a connection.
 *
 *      servers --memory_find()--> /proc/PID/exe -> mysql_thd_find() -> the layout, by process, for memory.bpf.h
 *
 * Once    It reads an executable when it first sees it, and forgets it when no process runs it any longer.
 * Log     If it cannot read a server's memory, it logs the server and the reason, once.
 * Cost    An executable takes about 5 ms (thd.h).  Nothing is attached to a server.
 * Thread  one thread.
 */
#ifndef HEATSCOPE_MYSQL_MEMORY_H
#define HEATSCOPE_MYSQL_MEMORY_H

#include "collector/core/metric.h"
#include "collector/mysql/conn.h"
#include "collector/mysql/thd.h"

#include <stddef.h>
#include <sys/types.h>

struct bpf_map;

struct memory_file {			/* an executable */
	int used, seen;			/* seen: by this call of memory_find() */
	dev_t dev;
	ino_t ino;
	struct mysql_thd thd;
	char reason[REASON_MAX];	/* why it has no layout; "": it has */
};

struct memory {
	struct bpf_map *layouts;	/* struct mysql_thd by process */
	int logged;			/* there are too many, or one may not be read */
	struct memory_file file[MEMORY_FILES_MAX];
	__u32 pid[MEMORY_SERVERS_MAX];	/* of the layouts in the map */
	size_t n_pids;
};

/* As struct server_memory in server_tracer.h describes them; self: struct memory. */
void memory_find(void *self, const __u32 *pid, size_t n_pids);
void memory_free(void *self);

/* Can this process' memory be read?  -errno: no; reason (REASON_MAX bytes) says why. */
int memory_possible(__u32 pid, char *reason);

#endif
