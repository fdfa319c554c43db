/* listeners.h - finds the database servers of this host and where they listen, by reading /proc.
 *
 *      /proc/PID/comm -> servers;  /proc/PID/fd -> socket inodes;  x /proc/PID/net/{tcp,tcp6,unix}
 *
 * Shape   one entry per listening socket.  `where` is its usual name: "127.0.0.1:3306",
 *         "[::]:3306", "/run/mysqld/mysqld.sock", "@abstract".
 * Errors  It skips and counts a process that is gone or that we may not read.  census.h also sees the processes of
 *         other users.
 * Thread  any; no state.
 */
#ifndef HEATSCOPE_LISTENERS_H
#define HEATSCOPE_LISTENERS_H

#include <linux/types.h>
#include <stddef.h>

#define LISTENER_TEXT 112

struct listener {
	__u32 pid;
	__u32 port;			/* 0: a Unix socket */
	char where[LISTENER_TEXT];
};

struct listeners {
	struct listener *listener;
	size_t n, room;
	__u32 n_servers, n_unreadable;	/* processes; processes whose sockets we may not see */
};

/* Looks for processes with one of these names (NULL-terminated list).  A worker's sockets are its parent's, which
 * opened them: one entry for each, however many workers there are. */
int listeners_find(const char *const *names, struct listeners *ret);
void listeners_fini(struct listeners *l);

/* Reads one line of the kernel's tables: 1 and the socket, if it listens; else 0. */
struct listening {
	unsigned long inode;
	__u32 port;
	char where[LISTENER_TEXT];
};

/* Adds a socket of a process, once. */
int listeners_add(struct listeners *l, __u32 pid, const struct listening *s);

/* Is there a socket of this process? */
int listeners_have(const struct listeners *l, __u32 pid);

int listening_tcp(const char *line, struct listening *ret);	/* of /proc/net/tcp and tcp6 */
int listening_unix(const char *line, struct listening *ret);	/* of /proc/net/unix */

#endif
