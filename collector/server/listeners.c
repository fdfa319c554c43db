#include "collector/server/listeners.h"
#include "collector/core/array.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TCP_LISTEN 0x0a
#define UNIX_ACCEPTS 0x00010000		/* __SO_ACCEPTCON */

/* ---- lines of the kernel's tables ---- */

/* The kernel prints an address as 32-bit words in host order. */
static int address_text(const char *hex, char *out, size_t room)
{
	unsigned word[4];
	int n = strlen(hex) / 8, i;

	if (strlen(hex) != 8 && strlen(hex) != 32)
		return -EINVAL;
	for (i = 0; i < n; i++)
		if (sscanf(hex + 8 * i, "%8x", &word[i]) != 1)
			return -EINVAL;
	return inet_ntop(n == 1 ? AF_INET : AF_INET6, word, out, room) ? 0 : -EINVAL;
}

int listening_tcp(const char *line, struct listening *ret)
{
	char hex[33], address[64];
	unsigned port, state;
	unsigned long inode;

	if (sscanf(line, " %*d: %32[0-9A-Fa-f]:%x %*[0-9A-Fa-f]:%*x %x %*x:%*x %*x:%*x %*x %*u %*u %lu",
		   hex, &port, &state, &inode) != 4)
		return 0;
	if (state != TCP_LISTEN || port > 65535 || address_text(hex, address, sizeof(address)))
		return 0;
	memset(ret, 0, sizeof(*ret));
	ret->inode = inode;
	ret->port = port;
	snprintf(ret->where, sizeof(ret->where), strlen(hex) > 8 ? "[%s]:%u" : "%s:%u", address, port);
	return 1;
}

int listening_unix(const char *line, struct listening *ret)
{
	unsigned flags, type;
	unsigned long inode;
	int path = 0;

	/* Num: RefCount Protocol Flags Type St Inode Path */
	if (sscanf(line, "%*x: %*x %*x %x %x %*x %lu %n", &flags, &type, &inode, &path) != 3)
		return 0;
	if (!(flags & UNIX_ACCEPTS) || type != 1 || !path || !line[path])
		return 0;
	memset(ret, 0, sizeof(*ret));
	ret->inode = inode;
	snprintf(ret->where, sizeof(ret->where), "%.*s", (int)strcspn(line + path, "\n"), line + path);
	return 1;
}

/* ---- processes ---- */

int listeners_have(const struct listeners *l, __u32 pid)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->listener[i].pid == pid)
			return 1;
	return 0;
}

int listeners_add(struct listeners *l, __u32 pid, const struct listening *s)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->listener[i].pid == pid && !strcmp(l->listener[i].where, s->where))
			return 0;
	if (array_grow(&l->listener, l->n, &l->room, sizeof(*l->listener)))
		return -ENOMEM;
	l->listener[l->n] = (struct listener){ .pid = pid, .port = s->port };
	memcpy(l->listener[l->n].where, s->where, sizeof(s->where));
	l->n++;
	return 0;
}

static int is_server(const char *pid, const char *const *names)
{
	char path[64], comm[32] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%.20s/comm", pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	if (!fgets(comm, sizeof(comm), f))
		comm[0] = 0;
	fclose(f);
	comm[strcspn(comm, "\n")] = 0;
	for (; *names; names++)
		if (!strcmp(comm, *names))
			return 1;
	return 0;
}

/* Its parent, if that is a server too; else the process itself. */
static int listening_pid(const char *pid, const char *const *names)
{
	char path[64], line[512] = "", parent[16];
	const char *after;
	int ppid = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return atoi(pid);
	if (!fgets(line, sizeof(line), f))
		line[0] = 0;
	fclose(f);
	after = strrchr(line, ')');		/* the name may have any character */
	if (after)
		sscanf(after, ") %*c %d", &ppid);
	snprintf(parent, sizeof(parent), "%d", ppid);
	return is_server(parent, names) ? ppid : atoi(pid);
}

struct inodes {
	unsigned long *inode;
	size_t n, room;
};

/* The sockets that a process has open. */
static int inodes_of(const char *pid, struct inodes *ret)
{
	char path[96], target[64];
	struct dirent *d;
	DIR *dir;
	int err = 0;

	snprintf(path, sizeof(path), "/proc/%.20s/fd", pid);
	dir = opendir(path);
	if (!dir)
		return -errno;
	while (!err && (d = readdir(dir))) {
		unsigned long inode;
		ssize_t len = readlinkat(dirfd(dir), d->d_name, target, sizeof(target) - 1);

		if (len < 0)
			continue;
		target[len] = 0;
		if (sscanf(target, "socket:[%lu]", &inode) != 1)
			continue;
		err = array_grow(&ret->inode, ret->n, &ret->room, sizeof(*ret->inode));
		if (err)
			break;
		ret->inode[ret->n++] = inode;
	}
	closedir(dir);
	return err;
}

static int inodes_have(const struct inodes *i, unsigned long inode)
{
	size_t at;

	for (at = 0; at < i->n; at++)
		if (i->inode[at] == inode)
			return 1;
	return 0;
}

static int table_read(const char *pid, int listens, const char *table,
		      int (*listening)(const char *, struct listening *), const struct inodes *inodes,
		      struct listeners *l)
{
	char path[96], line[512];
	struct listening s;
	int err = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%.20s/net/%s", pid, table);
	f = fopen(path, "re");
	if (!f)
		return 0;
	while (!err && fgets(line, sizeof(line), f))
		if (listening(line, &s) && inodes_have(inodes, s.inode))
			err = listeners_add(l, (__u32)listens, &s);
	fclose(f);
	return err;
}

static int server_read(const char *pid, int listens, struct listeners *l)
{
	struct inodes inodes = { 0 };
	int err = inodes_of(pid, &inodes), is_first = listens == atoi(pid);

	l->n_servers += is_first;
	if (err && err != -ENOMEM) {
		l->n_unreadable += is_first;
		err = 0;
	}
	if (!err)
		err = table_read(pid, listens, "tcp", listening_tcp, &inodes, l);
	if (!err)
		err = table_read(pid, listens, "tcp6", listening_tcp, &inodes, l);
	if (!err)
		err = table_read(pid, listens, "unix", listening_unix, &inodes, l);
	free(inodes.inode);
	return err;
}

int listeners_find(const char *const *names, struct listeners *ret)
{
	struct listeners l = { 0 };
	DIR *proc = opendir("/proc");
	struct dirent *d;
	int err = proc ? 0 : -errno;

	while (!err && (d = readdir(proc)))
		if (isdigit((unsigned char)d->d_name[0]) && is_server(d->d_name, names))
			err = server_read(d->d_name, listening_pid(d->d_name, names), &l);
	if (proc)
		closedir(proc);
	if (err)
		listeners_fini(&l);
	else
		*ret = l;
	return err;
}

void listeners_fini(struct listeners *l)
{
	free(l->listener);
	memset(l, 0, sizeof(*l));
}
