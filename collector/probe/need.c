#include "collector/probe/need.h"
#include "collector/core/instrumentation.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <cap-ng.h>
#include <ctype.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <stdlib.h>
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

int need_pretends(const char *feature)
{
	const char *at = getenv("HEATSCOPE_WITHOUT");
	size_t len = strlen(feature);

	for (; at && *at; at += strcspn(at, ","), at += *at == ',')
		if (strcspn(at, ",") == len && !strncmp(at, feature, len))
			return 1;
	return 0;
}

int need_btf(void)
{
	return !need_pretends("btf") && !access("/sys/kernel/btf/vmlinux", R_OK);
}

static int has_member(const struct btf *btf, const char *type, const char *name)
{
	const struct btf_type *t = btf__type_by_id(btf, btf__find_by_name_kind(btf, type, BTF_KIND_STRUCT));

	for (int i = 0; t && i < btf_vlen(t); i++)
		if (!strcmp(btf__name_by_offset(btf, btf_members(t)[i].name_off), name))
			return 1;
	return 0;
}

int need_split(void)
{
	struct btf *btf = need_pretends("split") ? NULL : btf__load_vmlinux_btf();
	int has = btf && has_member(btf, "sched_entity", "cfs_rq") && has_member(btf, "sched_entity", "exec_start") &&
		  has_member(btf, "rq", "clock_task") && has_member(btf, "sched_info", "run_delay");

	btf__free(btf);
	return has;
}

int need_map_iterator(const char *name)
{
	const struct bpf_insn nothing[] = { { .code = BPF_ALU64 | BPF_MOV | BPF_K }, { .code = BPF_JMP | BPF_EXIT } };
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_TRACE_ITER);
	int type = libbpf_find_vmlinux_btf_id(name, BPF_TRACE_ITER), fd;

	if (type < 0 || need_pretends("map_elements"))
		return 0;
	opts.attach_btf_id = (__u32)type;
	fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, "nothing", "GPL", nothing, sizeof(nothing) / sizeof(*nothing), &opts);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
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
