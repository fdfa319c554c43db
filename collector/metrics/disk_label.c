#include "collector/metrics/disk_label.h"
#include "collector/metrics/disk.h"
#include "collector/core/slice.h"

#include <stdio.h>

static void optype_label(__u64 code, char *out)
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

static void flags_label(__u64 code, char *out)
{
	static const char *const names[] = { "sync", "meta", "ahead", "fua", "background" };
	size_t i, at = 0;

	snprintf(out, LABEL_MAX + 1, "none");
	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (code >> i & 1)
			at += snprintf(out + at, LABEL_MAX + 1 - at, "%s%s", at ? "+" : "", names[i]);
}

const struct field_codes disk_optype_codes = { .label = optype_label, .n = OP_N };
const struct field_codes disk_flags_codes = { .label = flags_label, .n = 2 * DISK_BACKGROUND };
