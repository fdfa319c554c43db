/* servers.h - the listening sockets that the kernel side is told of, and their labels.
 *
 *      /proc --servers_refresh()--> kernel map `listeners` {process, port}
 *                              +-> servers_where(): "127.0.0.1:3306", also after the server has gone
 *
 * Thread  one thread.
 */
#ifndef HEATSCOPE_SERVERS_H
#define HEATSCOPE_SERVERS_H

#include "listeners.h"

#define SERVERS_KNOWN_MAX 1024

extern const char *const servers_names[];	/* of their processes; NULL at the end */

struct known {
	struct listener listener;
	int live;				/* it is in the map */
};

struct servers {
	int map_fd;
	size_t n_known;
	struct known known[SERVERS_KNOWN_MAX];
};

void servers_refresh(struct servers *s);

/* There is a new, empty map. */
void servers_forget_map(struct servers *s, int map_fd);

/* NULL: not known. */
const char *servers_where(const struct servers *s, __u32 pid, __u32 port);

#endif
