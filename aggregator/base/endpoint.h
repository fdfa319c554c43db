/* endpoint.h - parses an address or the path of a Unix socket, and listens there.
 *
 * Shape   "127.0.0.1:23181", "[::1]:23181", "localhost:23181" (= 127.0.0.1), "0.0.0.0:443", "unix:/path".
 * Safety  the file of a Unix socket is replaced if no process listens on it.  If a process answers, or the file is not
 *         a socket, it stays (-EADDRINUSE).
 * Errors  0 or -errno, with one sentence in `reason` (room bytes).
 */
#ifndef HEATSCOPE_ENDPOINT_H
#define HEATSCOPE_ENDPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/types.h>

struct endpoint {
	struct sockaddr_storage addr;
	socklen_t len;
};

int endpoint_parse(const char *text, struct endpoint *ret_endpoint, char *reason, size_t room);

bool endpoint_is_tcp(const struct endpoint *e);

/* Can other machines reach it?  True for everything but loopback addresses and Unix sockets. */
bool endpoint_is_beyond(const struct endpoint *e);

/* Is it an address at which clouds give a machine's secrets to each of its processes?  These are the link-local ones,
 * 169.254.0.0/16 and fe80::/10, also IPv4 as IPv6 writes it (::ffff:a.b.c.d, 64:ff9b::a.b.c.d), and fd00:ec2::254. */
bool endpoint_is_link_local(const struct sockaddr *addr);

/* Opens a listening, non-blocking, close-on-exec socket; `mode` is the mode of a Unix socket's file. */
int endpoint_listen(const struct endpoint *e, mode_t mode, int *ret_fd, char *reason, size_t room);

/* Removes the file of a Unix socket; does nothing for an address. */
void endpoint_remove(const struct endpoint *e);

#endif
