#include "collector/trace/owners.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <unistd.h>

#define REFRESH_NS 2000000000ll

/* The iterator visits every open file while we read its descriptor; it writes nothing. */
static int owners_pass(struct owners *o)
{
	int fd = bpf_iter_create(bpf_link__fd(o->link)), err = fd < 0 ? -errno : 0;
	char nothing[16];
	ssize_t n = 0;

	if (err)
		return err;
	++*o->pass;
	while ((n = read(fd, nothing, sizeof(nothing))) > 0 || (n < 0 && errno == EAGAIN))
		;
	if (n < 0)
		err = -errno;
	close(fd);
	return err;
}

int owners_open(struct bpf_program *program, __u32 *pass, struct owners *ret)
{
	struct owners o = { .pass = pass };
	int err;

	o.link = bpf_program__attach_iter(program, NULL);
	if (!o.link)
		return -errno;
	err = owners_pass(&o);
	if (err)
		bpf_link__destroy(o.link);
	else
		*ret = o;
	return err;
}

void owners_close(struct owners *o)
{
	bpf_link__destroy(o->link);
}

/* Works also after the wall clock was set back. */
void owners_refresh(struct owners *o, __s64 now_ns)
{
	if (now_ns - o->refreshed_ns < REFRESH_NS && now_ns >= o->refreshed_ns)
		return;
	o->refreshed_ns = now_ns;
	owners_pass(o);
}
