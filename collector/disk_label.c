#include "disk_label.h"
#include "disk.h"
#include "slice.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

void disk_label_disk(__u64 code, char *out)
{
	char path[64], target[256];
	const char *name;
	ssize_t n;

	if (code == DISK_NONE) {
		snprintf(out, LABEL_MAX + 1, "none");
		return;
	}
	snprintf(path, sizeof(path), "/sys/dev/block/%llu:%llu", (unsigned long long)code >> 20,
		 (unsigned long long)code & 0xfffff);
	n = readlink(path, target, sizeof(target) - 1);
	if (n < 0) {
		snprintf(out, LABEL_MAX + 1, "%s", path + sizeof("/sys/dev/block/") - 1);
		return;
	}
	target[n] = 0;
	name = strrchr(target, '/');
	snprintf(out, LABEL_MAX + 1, "%s", name ? name + 1 : target);
}

void disk_label_optype(__u64 code, char *out)
{
	static const char *const names[] = {
		[OP_READ] = "read", [OP_WRITE] = "write", [OP_FLUSH] = "flush", [OP_DISCARD] = "discard",
		[OP_SECURE_ERASE] = "secure erase", [OP_ZONE_APPEND] = "zone append",
		[OP_WRITE_ZEROES] = "write zeroes",
		[OP_DRIVER_IN] = "command (in)", [OP_DRIVER_OUT] = "command (out)",
	};

	if (code < sizeof(names) / sizeof(*names) && names[code])
		snprintf(out, LABEL_MAX + 1, "%s", names[code]);
	else if (code >= OP_ZONE_FIRST && code <= OP_ZONE_LAST)
		snprintf(out, LABEL_MAX + 1, "zone management");
	else
		snprintf(out, LABEL_MAX + 1, "operation %llu", (unsigned long long)code);
}

void disk_label_flags(__u64 code, char *out)
{
	static const char *const names[] = { "sync", "meta", "ahead", "fua", "background" };
	size_t i, at = 0;

	snprintf(out, LABEL_MAX + 1, "none");
	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (code >> i & 1)
			at += snprintf(out + at, LABEL_MAX + 1 - at, "%s%s", at ? "+" : "", names[i]);
}
