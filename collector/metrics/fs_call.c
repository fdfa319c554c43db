#include "collector/metrics/fs_call.h"
#include "collector/core/slice.h"
#include "collector/metrics/syscall_label.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *name;
	struct fs_call call;
} calls[] = {
	{ "read", { FS_READ, 0 } }, { "pread64", { FS_READ, 0 } }, { "readv", { FS_READ, 0 } },
	{ "preadv", { FS_READ, 0 } }, { "preadv2", { FS_READ, 0 } }, { "sendfile", { FS_READ, 1 } },
	{ "write", { FS_WRITE, 0 } }, { "pwrite64", { FS_WRITE, 0 } }, { "writev", { FS_WRITE, 0 } },
	{ "pwritev", { FS_WRITE, 0 } }, { "pwritev2", { FS_WRITE, 0 } },
	{ "open", { FS_OPEN, FS_RETURN } }, { "openat", { FS_OPEN, FS_RETURN } }, { "openat2", { FS_OPEN, FS_RETURN } },
	{ "creat", { FS_OPEN, FS_RETURN } }, { "open_by_handle_at", { FS_OPEN, FS_RETURN } },
	{ "close", { FS_CLOSE, 0 } },
	{ "fsync", { FS_SYNC, 0 } }, { "fdatasync", { FS_SYNC, 0 } }, { "sync_file_range", { FS_SYNC, 0 } },
	{ "syncfs", { FS_SYNC, 0 } },
	{ "fstat", { FS_STAT, 0 } }, { "newfstatat", { FS_STAT, FS_STATAT } }, { "statx", { FS_STAT, FS_STATAT } },
	{ "fstatfs", { FS_STAT, 0 } },
	{ "getdents", { FS_READDIR, 0 } }, { "getdents64", { FS_READDIR, 0 } },
	{ "ftruncate", { FS_TRUNCATE, 0 } }, { "fallocate", { FS_ALLOCATE, 0 } },
	{ "copy_file_range", { FS_COPY, 2 } },
	{ "mmap", { FS_MAP, FS_MAPPED } },
	{ "fchmod", { FS_SETATTR, 0 } }, { "fchown", { FS_SETATTR, 0 } }, { "fsetxattr", { FS_SETATTR, 0 } },
	{ "fremovexattr", { FS_SETATTR, 0 } },
	{ "ioctl", { FS_IOCTL, 0 } },
};

void fs_calls_fill(struct fs_call call[FS_CALLS])
{
	size_t i;
	int number;

	memset(call, 0, FS_CALLS * sizeof(*call));
	for (i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		number = syscall_number(calls[i].name, 0);
		if (number >= 0 && number < FS_CALLS)
			call[number] = calls[i].call;
	}
}

/* ---- operations ---- */

static const char *const ops[FS_N_OPS] = {
	[FS_NONE] = "none", [FS_READ] = "read", [FS_WRITE] = "write", [FS_OPEN] = "open", [FS_CREATE] = "create",
	[FS_CLOSE] = "close", [FS_SYNC] = "sync", [FS_STAT] = "stat", [FS_READDIR] = "readdir",
	[FS_TRUNCATE] = "truncate", [FS_ALLOCATE] = "allocate", [FS_COPY] = "copy", [FS_MAP] = "map",
	[FS_SETATTR] = "setattr", [FS_IOCTL] = "ioctl",
};

const struct field_codes fs_optype_codes = CODES_NAMES(ops, FS_NONE);

/* ---- types of file systems ---- */

/* As the kernel reads it: cut, with a NUL at the end. */
static __u64 code_of(const char *text)
{
	struct fs_name name = { { 0 } };

	strncpy((char *)&name, text, FS_NAME_MAX - 1);
	return fs_code(&name);
}

/* Lines are "nodev\tproc" or "\text4". */
static int type_find(__u64 code, char *out)
{
	FILE *f = fopen("/proc/filesystems", "r");
	char line[256], *name;
	int found = 0;

	while (f && !found && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = 0;
		name = strchr(line, '\t');
		found = name && code_of(name + 1) == code;
		if (found)
			snprintf(out, LABEL_MAX + 1, "%s", name + 1);
	}
	if (f)
		fclose(f);
	return found;
}

static void fstype_label(__u64 code, char *out)
{
	char name[9] = "";

	if (type_find(code, out))
		return;
	memcpy(name, &code, 8);
	if (name[0] > ' ' && code_of(name) == code)
		snprintf(out, LABEL_MAX + 1, "%s", name);
	else
		codes_hash_label(code, out);
}

static int fstype_codes(const char *text, __u64 *ret_code, size_t max)
{
	__u64 forgotten;

	return codes_one(codes_hash_find(text, &forgotten) ? forgotten : code_of(text), ret_code, max);
}

const struct field_codes fs_fstype_codes = { .label = fstype_label, .codes = fstype_codes };
