#include "need.h"
#include "instrumentation.h"

#include <linux/membarrier.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static __u64 capabilities(void)
{
	unsigned long long caps = 0;
	FILE *f = fopen("/proc/self/status", "re");
	char line[128];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "CapEff: %llx", &caps) == 1)
			break;
	if (f)
		fclose(f);
	return caps;
}

enum { CAP_SYS_ADMIN_BIT = 21, CAP_PERFMON_BIT = 38, CAP_BPF_BIT = 39 };

const char *need_caps(void)
{
	__u64 caps = capabilities();
	int bpf, perfmon;

	if (caps >> CAP_SYS_ADMIN_BIT & 1)
		return NULL;
	bpf = caps >> CAP_BPF_BIT & 1;
	perfmon = caps >> CAP_PERFMON_BIT & 1;
	return bpf && perfmon ? NULL : bpf ? "CAP_PERFMON" : perfmon ? "CAP_BPF" : "CAP_BPF and CAP_PERFMON";
}

int need_btf(void)
{
	return !access("/sys/kernel/btf/vmlinux", R_OK);
}

static int barrier_offered(void)
{
	long offered = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);

	return offered > 0 && (offered & MEMBARRIER_CMD_GLOBAL);
}

void need_check(char *reason)
{
	const char *caps = need_caps();

	reason[0] = 0;
	if (caps)
		snprintf(reason, REASON_MAX, "the collector lacks %s: run it as root, or give it CAP_BPF and CAP_PERFMON",
			 caps);
	else if (!need_btf())
		snprintf(reason, REASON_MAX, "the kernel has no type information (/sys/kernel/btf/vmlinux): "
			 "it needs CONFIG_DEBUG_INFO_BTF");
	else if (!barrier_offered())
		snprintf(reason, REASON_MAX, "the kernel does not offer membarrier(MEMBARRIER_CMD_GLOBAL), "
			 "which reading without loss needs (nohz_full kernels do not)");
}
