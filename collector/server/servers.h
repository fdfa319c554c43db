/* servers.h - keeps the listening sockets that the kernel side knows, and their labels.
 *
 *      census --servers_refresh()--> kernel map `listeners` {process, port}
 *                              +-> servers_where(): "127.0.0.1:3306", also after the server has gone
 *
 * Cost    servers_refresh() passes over all open files of the machine, so it is rare.  Nothing is missed meanwhile: a
 *         new connection is recognized by its greeting, and the map serves only connections that are older than the
 *         collector.  The label of a new listener is looked up when its first event asks for it.
 * Errors  if the census sees nothing, the known servers stay.
 * Thread  one thread.
 */
#ifndef HEATSCOPE_SERVERS_H
#define HEATSCOPE_SERVERS_H

#include "collector/server/census.h"

#define SERVERS_KNOWN_MAX 1024
#define SERVERS_PIDS_MAX 64
#define SERVERS_REFRESH_NS 10000000000ll		/* from one servers_refresh() to the next */

struct known {
	struct listener listener;
	int live;				/* it is in the kernel's map */
};

struct servers {
	int map_fd;
	const char *const *names;		/* of their processes; NULL at the end */
	const struct census *census;		/* NULL: read /proc, which shows our own user's processes only */
	__u64 n_changes;			/* how often a server appeared or went away */
	size_t n_pids;
	__u32 pid[SERVERS_PIDS_MAX];		/* processes that listen, also only at Unix sockets; as of the last
						 * refresh */
	size_t n_known;
	struct known known[SERVERS_KNOWN_MAX];
};

void servers_refresh(struct servers *s);

/* Sets a new, empty map of the kernel. */
void servers_forget_map(struct servers *s, int map_fd);

/* Finds the codes of an `instance` (exchange.h) that are shown as `where`, among the sockets that listen now;
 * returns how many, or -E2BIG. */
int servers_codes(const struct servers *s, const char *where, __u64 *ret_code, size_t max);

/* Returns the address, valid until the next call; "port 3306 of process 77" if it cannot be found. */
const char *servers_where(struct servers *s, __u32 pid, __u32 port);

#endif
