#include "aggregator/base/endpoint.h"
#include "collector/core/refuse.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/types.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define BACKLOG 128

static int parse_unix(const char *path, struct endpoint *ret, char *reason, size_t room)
{
	struct sockaddr_un *un = (struct sockaddr_un *)&ret->addr;
	size_t len = strlen(path);

	if (!len || len >= sizeof(un->sun_path))
		return refuse_in(-EINVAL, reason, room, "a Unix socket's path must have 1 to %zu bytes: \"%s\"",
			sizeof(un->sun_path) - 1, path);
	un->sun_family = AF_UNIX;
	memcpy(un->sun_path, path, len + 1);
	ret->len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len + 1);
	return 0;
}

static int parse_port(const char *text, in_port_t *ret)
{
	char *end;
	unsigned long port;

	if (*text < '0' || *text > '9')
		return -EINVAL;
	port = strtoul(text, &end, 10);
	if (*end || port > 65535)
		return -EINVAL;
	*ret = htons((uint16_t)port);
	return 0;
}

/* Understands "::1" and "[::1]".  Of names it takes only localhost: others can change what a name means. */
static int parse_host(const char *host, in_port_t port, struct endpoint *ret)
{
	struct sockaddr_in *in = (struct sockaddr_in *)&ret->addr;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&ret->addr;

	if (!strcmp(host, "localhost"))
		host = "127.0.0.1";
	if (inet_pton(AF_INET, host, &in->sin_addr) == 1) {
		in->sin_family = AF_INET;
		in->sin_port = port;
		ret->len = sizeof(*in);
		return 0;
	}
	if (inet_pton(AF_INET6, host, &in6->sin6_addr) == 1) {
		in6->sin6_family = AF_INET6;
		in6->sin6_port = port;
		ret->len = sizeof(*in6);
		return 0;
	}
	return -EINVAL;
}

static int parse_inet(const char *text, struct endpoint *ret, char *reason, size_t room)
{
	const char *colon = strrchr(text, ':');
	char host[64] = "";
	in_port_t port = 0;
	int err = -EINVAL;

	if (colon && colon > text && (size_t)(colon - text) < sizeof(host) && !parse_port(colon + 1, &port)) {
		memcpy(host, text, (size_t)(colon - text));
		if (host[0] == '[' && host[strlen(host) - 1] == ']') {
			host[strlen(host) - 1] = 0;
			memmove(host, host + 1, strlen(host));
		}
		err = parse_host(host, port, ret);
	}
	if (err)
		snprintf(reason, room, "\"%s\" is not an address to listen on: it must be ADDR:PORT, such as "
			"127.0.0.1:23181, or unix:PATH",
			 text);
	return err;
}

int endpoint_parse(const char *text, struct endpoint *ret_endpoint, char *reason, size_t room)
{
	struct endpoint e = { 0 };
	int err = strncmp(text, "unix:", 5) ? parse_inet(text, &e, reason, room) :
					      parse_unix(text + 5, &e, reason, room);

	if (!err)
		*ret_endpoint = e;
	return err;
}

bool endpoint_is_tcp(const struct endpoint *e)
{
	return e->addr.ss_family == AF_INET || e->addr.ss_family == AF_INET6;
}

bool endpoint_is_beyond(const struct endpoint *e)
{
	const struct sockaddr_in *in = (const struct sockaddr_in *)&e->addr;
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)&e->addr;

	if (e->addr.ss_family == AF_INET)
		return ntohl(in->sin_addr.s_addr) >> 24 != 127;
	return e->addr.ss_family != AF_UNIX && !(e->addr.ss_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&in6->sin6_addr));
}

static bool is_link_local_4(const __u8 *a)
{
	return a[0] == 169 && a[1] == 254;
}

bool endpoint_is_link_local(const struct sockaddr *addr)
{
	static const __u8 nat64[12] = { 0, 0x64, 0xff, 0x9b }, metadata[16] = { 0xfd, 0, 0x0e, 0xc2, [14] = 0x02, 0x54 };
	const struct sockaddr_in *in = (const struct sockaddr_in *)addr;
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)addr;
	const __u8 *a = in6->sin6_addr.s6_addr;

	if (addr->sa_family == AF_INET)
		return is_link_local_4((const __u8 *)&in->sin_addr);
	if (addr->sa_family != AF_INET6)
		return false;
	if (IN6_IS_ADDR_V4MAPPED(&in6->sin6_addr) || IN6_IS_ADDR_V4COMPAT(&in6->sin6_addr) || !memcmp(a, nat64, sizeof(nat64)))
		return is_link_local_4(a + 12);
	return IN6_IS_ADDR_LINKLOCAL(&in6->sin6_addr) || !memcmp(a, metadata, sizeof(metadata));
}

static const char *unix_path(const struct endpoint *e)
{
	return e->addr.ss_family == AF_UNIX ? ((const struct sockaddr_un *)&e->addr)->sun_path : NULL;
}

/* Removes a socket file at which no process answers, so that we can listen there. */
static int replace_stale(const struct endpoint *e, char *reason, size_t room)
{
	const char *path = unix_path(e);
	struct stat st;
	int fd, err = 0;

	if (lstat(path, &st))
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISSOCK(st.st_mode))
		return refuse_in(-EEXIST, reason, room, "%s exists and is not a socket: it is left alone", path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	if (!connect(fd, (const struct sockaddr *)&e->addr, e->len) || errno != ECONNREFUSED)
		err = refuse_in(-EADDRINUSE, reason, room, "another program listens on %s already", path);
	close(fd);
	return err || !unlink(path) || errno == ENOENT ? err : -errno;
}

/* Sets the file's mode before any process can connect: between bind and listen none can. */
static int bind_and_listen(const struct endpoint *e, mode_t mode, int fd)
{
	const char *path = unix_path(e);
	int one = 1;

	if (!path && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)))
		return -errno;
	if (bind(fd, (const struct sockaddr *)&e->addr, e->len))
		return -errno;
	if (path && chmod(path, mode))
		return -errno;
	return listen(fd, BACKLOG) ? -errno : 0;
}

static void describe_endpoint(const struct endpoint *e, char *out, size_t room)
{
	const struct sockaddr_in *in = (const struct sockaddr_in *)&e->addr;
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)&e->addr;
	char host[INET6_ADDRSTRLEN] = "?";

	if (unix_path(e)) {
		snprintf(out, room, "%s", unix_path(e));
	} else if (e->addr.ss_family == AF_INET) {
		inet_ntop(AF_INET, &in->sin_addr, host, sizeof(host));
		snprintf(out, room, "%s:%u", host, ntohs(in->sin_port));
	} else {
		inet_ntop(AF_INET6, &in6->sin6_addr, host, sizeof(host));
		snprintf(out, room, "[%s]:%u", host, ntohs(in6->sin6_port));
	}
}

int endpoint_listen(const struct endpoint *e, mode_t mode, int *ret_fd, char *reason, size_t room)
{
	char where[128];
	int fd = -1, err = 0;

	reason[0] = 0;
	describe_endpoint(e, where, sizeof(where));
	if (unix_path(e))
		err = replace_stale(e, reason, room);
	if (!err) {
		fd = socket(e->addr.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		err = fd < 0 ? -errno : bind_and_listen(e, mode, fd);
	}
	if (err) {
		if (!reason[0])
			snprintf(reason, room, "cannot listen on %s: %s", where, strerror(-err));
		if (fd >= 0)
			close(fd);
		return err;
	}
	*ret_fd = fd;
	return 0;
}

void endpoint_remove(const struct endpoint *e)
{
	if (unix_path(e))
		unlink(unix_path(e));
}
