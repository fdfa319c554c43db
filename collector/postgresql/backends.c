#include "collector/postgresql/backends.h"
#include "collector/core/refuse.h"
#include "collector/postgresql/backend.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define AUXV_MAX 64

struct backend_layout {
	struct postgresql_backend backend;
	__u64 program_entry;		/* where the file says that the program begins */
};

_Static_assert(sizeof(struct backend_layout) <= sizeof(((struct layout_file *)0)->layout), "a layout fits");

static int process_open(__u32 pid, const char *file)
{
	char path[48];

	snprintf(path, sizeof(path), "/proc/%u/%s", pid, file);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* Where the process begins to run; 0: not known. */
static __u64 process_entry(__u32 pid)
{
	Elf64_auxv_t auxv[AUXV_MAX];
	int fd = process_open(pid, "auxv");
	ssize_t n = fd < 0 ? 0 : read(fd, auxv, sizeof(auxv));

	if (fd >= 0)
		close(fd);
	for (size_t i = 0; n > 0 && i < (size_t)n / sizeof(*auxv); i++)
		if (auxv[i].a_type == AT_ENTRY)
			return auxv[i].a_un.a_val;
	return 0;
}

static int process_read(__u32 pid, __u64 address, void *to, size_t len)
{
	int fd = process_open(pid, "mem");
	ssize_t n = fd < 0 || address > INT64_MAX ? -1 : pread(fd, to, len, (off_t)address);

	if (fd >= 0)
		close(fd);
	return n == (ssize_t)len ? 0 : -EIO;
}

static int backend_find(int fd, void *ret_layout, char *reason)
{
	struct backend_layout *l = ret_layout;

	return postgresql_backend_find(fd, &l->backend, &l->program_entry, reason);
}

static int backend_place(__u32 pid, void *layout, char *reason)
{
	struct backend_layout *l = layout;
	struct postgresql_backend *b = &l->backend;
	__u64 moved = process_entry(pid) - l->program_entry;

	b->entry += moved;
	b->port += moved;
	b->pid += moved;
	b->tracks += moved;
	b->plain_strings += moved;
	b->text_room += moved;
	if (process_read(pid, b->text_room, &b->text_max, sizeof(b->text_max)))
		return refuse_as(-EPERM, reason, "its memory cannot be read");
	if (b->text_max < 2)
		return refuse_as(-ENOTSUP, reason, "it keeps no texts");
	b->text_max--;
	return 0;
}

const struct layout_kind backend_layouts = { backend_find, backend_place };
