#include "collector/metrics/disk.h"
#include "collector/metrics/disk_label.h"
#include "collector/probe/need.h"
#include "collector/probe/programs.h"
#include "collector/core/show.h"
#include "collector/trace/text.h"
#include "collector/metrics/disk.skel.h"

#include <bpf/btf.h>
#include <string.h>

static const struct field fields[] = {
	{ "disk", "disk", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "optype", "operation", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "flags", "request flags", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "hostname", "host", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "latency", "latency", "time", FIELD_NUMERIC, UNIT_NS, 10, 39 },
	{ "queue", "time until issued", "time", FIELD_NUMERIC, UNIT_NS, 10, 39 },
	{ "service", "time at the device", "time", FIELD_NUMERIC, UNIT_NS, 10, 39 },
	{ "size", "size", "size", FIELD_NUMERIC, UNIT_BYTES, 9, 33 },
	{ "offset", "offset on the disk", "size", FIELD_NUMERIC, UNIT_BYTES, 20, 48 },
};

static const struct metric metric = {
	"disk", "physio_ops", "disk I/O operations", "operations", fields, sizeof(fields) / sizeof(fields[0]),
	SCOPE_INTERVAL, NULL, NULL, NULL
};

/* ---- start ---- */

/* 1 << the value of an enumerator, whatever its enum is called; 0: this kernel has none. */
static __u64 kernel_flag(const struct btf *btf, const char *name)
{
	__u32 id, i, n = btf__type_cnt(btf);

	for (id = 1; id < n; id++) {
		const struct btf_type *t = btf__type_by_id(btf, id);
		const struct btf_enum *e = btf_enum(t);

		for (i = 0; btf_is_enum(t) && i < btf_vlen(t); i++)
			if (!strcmp(btf__name_by_offset(btf, e[i].name_off), name))
				return 1ull << e[i].val;
	}
	return 0;
}

static void disk_flags(struct disk_bpf *bpf)
{
	struct btf *btf = btf__load_vmlinux_btf();

	if (btf) {
		*(__u64 *)&bpf->rodata->queue_stats = kernel_flag(btf, "QUEUE_FLAG_STATS");
		*(__u32 *)&bpf->rodata->request_stat = kernel_flag(btf, "__RQF_IO_STAT");
	}
	btf__free(btf);
	*(__u32 *)&bpf->rodata->no_times = need_pretends("iotimes");
}

static int disk_start(void **ret_self, struct tracer_programs *ret_programs, char *reason)
{
	struct disk_bpf *bpf = disk_bpf__open();

	if (bpf)
		disk_flags(bpf);
	return PROGRAMS_START(bpf, &metric, ret_self, ret_programs, reason);
}

/* ---- while it runs ---- */

static void label_disk(void *self, unsigned field, __u64 code, char *out)
{
	if (code == DISK_NONE)
		snprintf(out, LABEL_MAX + 1, "none");
	else
		programs_text.label_of(self, field, code, out);
}

static int codes_disk(void *self, unsigned field, const char *text, __u64 *ret_code, size_t max)
{
	return strcmp(text, "none") ? text_codes(text, 0, ret_code, max) : codes_one(DISK_NONE, ret_code, max);
}

static const struct field_codes disk_codes = { .label_of = label_disk, .codes_of = codes_disk };

static const struct field_codes *const codes[] = {
	[DISK_DISK] = &disk_codes,
	[DISK_OPTYPE] = &disk_optype_codes,
	[DISK_FLAGS] = &disk_flags_codes,
};

static const struct disk_counts *counts_of(void *self)
{
	const struct programs *p = self;

	return &((struct disk_bpf *)p->bpf)->bss->counts;
}

static __u64 disk_lost(void *self)
{
	return *(volatile __u64 *)&counts_of(self)->untimed + programs_lost(self);
}

static void disk_doctor(void *self, FILE *out)
{
	const struct disk_counts *c = self ? counts_of(self) : NULL;

	if (!c)
		return;
	programs_doctor(self, out);
	show_print(out, "  completions of a part: %llu, issue noted by us: %llu, begin unknown: %llu, "
		"issue unknown: %llu\n", (unsigned long long)c->parts,
		(unsigned long long)c->noted, (unsigned long long)c->unmade, (unsigned long long)c->untimed);
}

static const char *const tracepoints[] = { "block_rq_complete", "block_rq_issue", NULL };

const struct tracer disk_tracer = {
	.metric = &metric,
	.tracepoints = tracepoints,
	.dispatch_ns = 20,
	.start = disk_start,
	PROGRAMS_TRACER(disk_lost, disk_doctor),
};
