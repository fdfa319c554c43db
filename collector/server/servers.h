/* servers.h - the listening sockets that the kernel side is told of, and their labels.
 *
 *      census --servers_refresh()--> kernel map `listeners` {process, port}
 *                              +-> servers_where(): "127.0.0.1:3306", also after the server has gone
 *
 * Cost    a look goes over all open files of the machine, so it is rare.
 *         Nothing is missed between two looks: a connection that begins is known by its greeting,
 *         the map is only for those that were there before us; a new listener's label is looked up when
 *         its first event asks for it.
 * Errors  where nothing can be seen, what was known stays.
 * Thread  one thread.
 */
#ifndef HEATSCOPE_SERVERS_H
#define HEATSCOPE_SERVERS_H

#include "collector/server/census.h"

#define SERVERS_KNOWN_MAX 1024
#define SERVERS_PIDS_MAX 64
#define SERVERS_LOOK_NS 10000000000ll		/* from one servers_refresh() to the next */

struct known {
	struct listener listener;
	int live;				/* it is in the map */
};

struct servers {
	int map_fd;
	const char *const *names;		/* of their processes; NULL at the end */
	const struct census *census;		/* NULL: look into /proc, which shows our own user's only */
	__u64 n_changes;			/* how often something was new or gone */
	size_t n_pids;
	__u32 pid[SERVERS_PIDS_MAX];		/* who listens, also where at Unix sockets only; as of the last look */
	size_t n_known;
	struct known known[SERVERS_KNOWN_MAX];
};

void servers_refresh(struct servers *s);

/* There is a new, empty map. */
void servers_forget_map(struct servers *s, int map_fd);

/* The codes of an `instance` (exchange.h) that are shown so, of those who listen now; how many, or -E2BIG. */
int servers_codes(const struct servers *s, const char *where, __u64 *ret_code, size_t max);

/* The address; "port 3306 of process 77" where it cannot be found.  Valid until the next call. */
const char *servers_where(struct servers *s, __u32 pid, __u32 port);

#endif
