#include "collector/metrics/disk_label.h"
#include "collector/metrics/disk.h"
#include "collector/core/slice.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

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

/* Codes are few: those below `n` whose label is this. */
static int codes(void (*label)(__u64 code, char *out), __u64 n, const char *text, __u64 *ret_code, size_t max)
{
	char out[LABEL_MAX + 1];
	size_t found = 0;
	__u64 code;

	for (code = 0; code < n; code++) {
		label(code, out);
		if (strcmp(out, text))
			continue;
		if (found == max)
			return -E2BIG;
		ret_code[found++] = code;
	}
	return found;
}

int disk_codes_optype(const char *text, __u64 *ret_code, size_t max)
{
	return codes(disk_label_optype, OP_N, text, ret_code, max);
}

int disk_codes_flags(const char *text, __u64 *ret_code, size_t max)
{
	return codes(disk_label_flags, 2 * DISK_BACKGROUND, text, ret_code, max);
}
