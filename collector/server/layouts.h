/* layouts.h - finds for each server process where its memory has the statement, user and database of a connection.
 *
 *      processes of servers --layouts_scan()--> /proc/PID/exe -> kind->find() -> kind->place() -> the layout, by
 *                                               process, in a map that the protocol's memory.bpf.h reads
 *
 * Once    We read an executable when we first see it, and log the reason if its layout is not found.  We forget it when
 *         no server runs it any longer.
 * Log     A server whose memory is not read is logged, with the reason.
 * Cost    Reading an executable takes about 5 ms (program_file.h).  Nothing is attached to a server.
 * Thread  one thread.
 */
#ifndef HEATSCOPE_LAYOUTS_H
#define HEATSCOPE_LAYOUTS_H

#include "collector/core/metric.h"
#include "collector/server/exchange.h"

#include <stddef.h>
#include <sys/types.h>

struct bpf_map;

#define LAYOUT_WORDS 16			/* of 8 bytes: the largest layout */
#define LAYOUT_FILES_MAX 16		/* executables of servers whose memory is read */

/* A protocol's part of it; constant, in its x.c.  Both functions return 0, or -errno with a reason (REASON_MAX
 * bytes).  The map's value is the first part of the layout. */
struct layout_kind {
	/* fd: of an executable, which may come from any user. */
	int (*find)(int fd, void *ret_layout, char *reason);
	/* Changes the layout of an executable into that of a process which runs it; NULL: it is the same. */
	int (*place)(__u32 pid, void *layout, char *reason);
};

struct layout_file {			/* an executable */
	int used, seen;			/* seen: by this scan */
	dev_t dev;
	ino_t ino;
	__u64 layout[LAYOUT_WORDS];
	char reason[REASON_MAX];	/* why it has no layout; "": it has */
};

struct layouts {
	const struct layout_kind *kind;
	const char *metric;		/* its name, for the log */
	struct bpf_map *map;
	int logged;			/* there are too many, or one may not be read */
	struct layout_file file[LAYOUT_FILES_MAX];
	__u32 pid[LAYOUT_SERVERS_MAX];	/* of the entries of the map */
	size_t n_pids;
};

/* Looks at these processes, the servers that run now. */
void layouts_scan(struct layouts *l, const __u32 *pid, size_t n_pids);

/* Can this process' memory be read?  -errno: no; reason (REASON_MAX bytes) says why. */
int layout_possible(const struct layout_kind *kind, __u32 pid, char *reason);

#endif
