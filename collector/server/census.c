#include "collector/server/census.h"
#include "collector/server/census_socket.h"
#include "collector/server/census.skel.h"

#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct census {
	struct census_bpf *bpf;
	struct bpf_link *link;
};

int census_new(const char *const *names, struct census **ret_census)
{
	struct census *c = calloc(1, sizeof(*c));
	int err = c ? 0 : -ENOMEM;

	if (!err) {
		c->bpf = census_bpf__open();
		err = c->bpf ? 0 : -errno;
	}
	for (int i = 0; !err && i < CENSUS_NAMES && names[i]; i++)
		strncpy((char *)c->bpf->rodata->name[i], names[i], 16);
	if (!err)
		err = census_bpf__load(c->bpf);
	if (!err) {
		c->link = bpf_program__attach_iter(c->bpf->progs.census, NULL);
		err = c->link ? 0 : -errno;
	}
	if (err)
		census_free(c);
	else
		*ret_census = c;
	return err;
}

void census_free(struct census *c)
{
	if (!c)
		return;
	bpf_link__destroy(c->link);
	census_bpf__destroy(c->bpf);
	free(c);
}

/* Writes the address as listeners.h has it. */
static void where_put(const struct census_socket *s, char out[LISTENER_TEXT])
{
	char address[INET6_ADDRSTRLEN] = "?";

	if (s->family == AF_UNIX) {
		size_t len = s->path_len < CENSUS_PATH ? s->path_len : CENSUS_PATH;

		snprintf(out, LISTENER_TEXT, "%.*s", (int)len, s->path);
		if (len && !s->path[0])
			snprintf(out, LISTENER_TEXT, "@%.*s", (int)len - 1, s->path + 1);
		return;
	}
	inet_ntop(s->family, s->address, address, sizeof(address));
	snprintf(out, LISTENER_TEXT, s->family == AF_INET6 ? "[%s]:%u" : "%s:%u", address, s->port);
}

static int socket_add(struct listeners *l, const struct census_socket *s)
{
	struct listening one = { .port = s->port };

	where_put(s, one.where);
	l->n_servers += !listeners_have(l, s->pid);
	return listeners_add(l, s->pid, &one);
}

int census_take(const struct census *c, struct listeners *ret)
{
	struct census_socket s[32];
	struct listeners l = { 0 };
	int fd = bpf_iter_create(bpf_link__fd(c->link)), err = fd < 0 ? -errno : 0;
	ssize_t n = 0;

	while (!err && ((n = read(fd, s, sizeof(s))) > 0 || (n < 0 && errno == EAGAIN)))
		for (size_t i = 0; n > 0 && !err && i < n / sizeof(s[0]); i++)
			err = socket_add(&l, &s[i]);
	if (!err && n < 0)
		err = -errno;
	if (fd >= 0)
		close(fd);
	if (err)
		listeners_fini(&l);
	else
		*ret = l;
	return err;
}
