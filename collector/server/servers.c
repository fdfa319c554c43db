#include "collector/server/servers.h"
#include "collector/server/exchange.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static int known_find(const struct servers *s, __u32 pid, __u32 port)
{
	size_t i;

	for (i = 0; i < s->n_known; i++)
		if (s->known[i].listener.pid == pid && s->known[i].listener.port == port)
			return i;
	return -1;
}

/* An entry for one more socket; if all are taken, that of a socket that is gone.  -1: none. */
static int known_room(struct servers *s)
{
	size_t i;

	if (s->n_known < SERVERS_KNOWN_MAX)
		return s->n_known++;
	for (i = 0; i < s->n_known; i++)
		if (!(s->known[i].live & 1))
			return i;
	return -1;
}

static void known_set(struct servers *s, size_t i, int live)
{
	struct server_listener key = { .pid = s->known[i].listener.pid, .port = s->known[i].listener.port };
	__u32 one = 1;

	if (live)
		bpf_map_update_elem(s->map_fd, &key, &one, BPF_ANY);
	else
		bpf_map_delete_elem(s->map_fd, &key);
	s->known[i].live = live;
	s->n_changes++;
}

static void pids_take(struct servers *s, const struct listeners *now)
{
	size_t i, at;

	s->n_pids = 0;
	for (i = 0; i < now->n && s->n_pids < SERVERS_PIDS_MAX; i++) {
		for (at = 0; at < s->n_pids && s->pid[at] != now->listener[i].pid; at++)
			;
		if (at == s->n_pids)
			s->pid[s->n_pids++] = now->listener[i].pid;
	}
}

void servers_refresh(struct servers *s)
{
	struct listeners now;
	size_t i;
	int at;

	if (s->census ? census_take(s->census, &now) : listeners_find(s->names, &now))
		return;
	pids_take(s, &now);
	for (i = 0; i < s->n_known; i++)
		s->known[i].live |= 2;			/* not seen yet */
	for (i = 0; i < now.n; i++) {
		if (!now.listener[i].port)
			continue;			/* the kernel reports the path of a Unix socket itself */
		at = known_find(s, now.listener[i].pid, now.listener[i].port);
		if (at < 0) {
			at = known_room(s);
			if (at >= 0)
				s->known[at] = (struct known){ .listener = now.listener[i] };
		}
		if (at >= 0 && (s->known[at].live & 1)) {
			s->known[at].live = 1;
		} else if (at >= 0) {
			s->known[at].listener = now.listener[i];
			known_set(s, at, 1);
		}
	}
	for (i = 0; i < s->n_known; i++) {
		if (s->known[i].live == 3)
			known_set(s, i, 0);
		else
			s->known[i].live &= 1;
	}
	listeners_fini(&now);
}

void servers_forget_map(struct servers *s, int map_fd)
{
	size_t i;

	for (i = 0; i < s->n_known; i++)
		s->known[i].live = 0;
	s->map_fd = map_fd;
}

/* Remembers a socket that cannot be found, too: one search for each, not one per slot. */
static int known_unfound(struct servers *s, __u32 pid, __u32 port)
{
	struct known unfound = { .listener = { .pid = pid, .port = port } };
	int at = known_room(s);

	snprintf(unfound.listener.where, sizeof(unfound.listener.where), "port %u of process %u", port, pid);
	if (at >= 0)
		s->known[at] = unfound;
	return at;
}

const char *servers_where(struct servers *s, __u32 pid, __u32 port)
{
	int at = known_find(s, pid, port);

	if (at < 0) {
		servers_refresh(s);
		at = known_find(s, pid, port);
	}
	if (at < 0)
		at = known_unfound(s, pid, port);
	return at >= 0 ? s->known[at].listener.where : "unknown";
}

int servers_codes(const struct servers *s, const char *where, __u64 *ret_code, size_t max)
{
	unsigned port, pid;
	char shown[64];
	size_t i;
	int n = 0;

	for (i = 0; i < s->n_known; i++) {
		if (!s->known[i].live || strcmp(s->known[i].listener.where, where))
			continue;
		if ((size_t)n == max)
			return -E2BIG;
		ret_code[n++] = (__u64)s->known[i].listener.pid << 16 | s->known[i].listener.port;
	}
	if (n || sscanf(where, "port %u of process %u", &port, &pid) != 2)
		return n;
	snprintf(shown, sizeof(shown), "port %u of process %u", port, pid);
	if (strcmp(shown, where) || port > 0xffff || !max)
		return 0;
	*ret_code = (__u64)pid << 16 | port;
	return 1;
}
