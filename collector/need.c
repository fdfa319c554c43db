#include "need.h"
#include "instrumentation.h"

#include <cap-ng.h>
#include <ctype.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- capabilities ---- */

static int effective(unsigned cap)
{
	return capng_have_capability(CAPNG_EFFECTIVE, cap) == 1;
}

__u64 need_missing(__u64 caps)
{
	__u64 missing = 0;

	capng_clear(CAPNG_SELECT_ALL);
	if (capng_get_caps_process())
		return caps;
	for (unsigned cap = 0; cap < 64; cap++)
		if (caps >> cap & 1 && !effective(cap))
			missing |= NEED_CAP(cap);
	return effective(CAP_SYS_ADMIN) ? missing & ~NEED_TRACING : missing;
}

static void name_put(unsigned cap, char *out)
{
	const char *name = capng_capability_to_name(cap);

	if (!name) {
		snprintf(out, 24, "capability %u", cap);
		return;
	}
	snprintf(out, 24, "CAP_%.19s", name);
	for (; *out; out++)
		*out = toupper((unsigned char)*out);
}

const char *need_names(__u64 caps, char *out)
{
	char name[24];
	size_t len = 0;

	snprintf(out, NEED_NAMES_MAX, "none");
	for (unsigned cap = 0; cap < 64 && len < NEED_NAMES_MAX; cap++) {
		if (!(caps >> cap & 1))
			continue;
		name_put(cap, name);
		len += snprintf(out + len, NEED_NAMES_MAX - len, "%s%s",
				!len ? "" : caps >> cap >> 1 ? ", " : " and ", name);
	}
	return out;
}

/* ---- the kernel ---- */

int need_btf(void)
{
	return !access("/sys/kernel/btf/vmlinux", R_OK);
}

static int barrier_offered(void)
{
	long offered = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);

	return offered > 0 && (offered & MEMBARRIER_CMD_GLOBAL);
}

void need_check(__u64 caps, char *reason)
{
	char all[NEED_NAMES_MAX], missing[NEED_NAMES_MAX];
	__u64 lacks = need_missing(caps);

	reason[0] = 0;
	if (lacks)
		snprintf(reason, REASON_MAX, "the collector lacks %s: run it as root, or give it %s",
			 need_names(lacks, missing), need_names(caps, all));
	else if (!need_btf())
		snprintf(reason, REASON_MAX, "the kernel has no type information (/sys/kernel/btf/vmlinux): "
			 "it needs CONFIG_DEBUG_INFO_BTF");
	else if (!barrier_offered())
		snprintf(reason, REASON_MAX, "the kernel does not offer membarrier(MEMBARRIER_CMD_GLOBAL), "
			 "which reading without loss needs (nohz_full kernels do not)");
}
