#include "collector/probe/kernel_doctor.h"
#include "collector/probe/kernel.h"
#include "collector/probe/need.h"
#include "collector/ring/reader.h"
#include "collector/core/show.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <sys/utsname.h>

void tracer_doctor_program(FILE *out, const char *name, int program_fd)
{
	struct bpf_prog_info info = { 0 };
	__u32 len = sizeof(info);

	if (bpf_obj_get_info_by_fd(program_fd, &info, &len))
		return;
	if (info.run_cnt)
		show_print(out, "  %s: %llu runs, %.0f ns each, %llu missed\n", name, (unsigned long long)info.run_cnt,
			(double)info.run_time_ns / info.run_cnt, (unsigned long long)info.recursion_misses);
	else
		show_print(out, "  %s: loaded (run times: sysctl kernel.bpf_stats_enabled=1)\n", name);
}

__u64 tracer_missed(int program_fd)
{
	struct bpf_prog_info info = { 0 };
	__u32 len = sizeof(info);

	return bpf_obj_get_info_by_fd(program_fd, &info, &len) ? 0 : info.recursion_misses;
}

__u32 tracer_verified(const struct tracer_programs *programs)
{
	const struct bpf_object_skeleton *s = programs->skeleton;
	__u32 most = 0;

	for (int i = 0; i < s->prog_cnt; i++) {
		const struct bpf_prog_skeleton *p = (void *)((char *)s->progs + (size_t)i * s->prog_skel_sz);
		struct bpf_prog_info info = { 0 };
		__u32 len = sizeof(info);
		int fd = bpf_program__fd(*p->prog);

		if (fd >= 0 && !bpf_obj_get_info_by_fd(fd, &info, &len) && info.verified_insns > most)
			most = info.verified_insns;
	}
	return most;
}

static void traced_try(const struct kernel *k, struct traced *on)
{
	struct tracer_programs programs = { .instead = on->instead, .text_full = k->conf.text_full };
	char reason[REASON_MAX];
	void *started;

	if (on->tracer->start(&started, &programs, reason)) {
		snprintf(on->refusal, REASON_MAX, "%s", reason);
		return;
	}
	on->verified = tracer_verified(&programs);
	on->tracer->stop(started);
}

void kernel_try(void *self)
{
	struct kernel *k = self;

	for (size_t i = 0; i < k->n_traced; i++)
		if (!k->traced[i].refusal[0] && !k->traced[i].runs)
			traced_try(k, &k->traced[i]);
}

static void doctor_traced(const struct kernel *k, const struct traced *on, FILE *out)
{
	const struct metric *m = on->tracer->metric;
	const struct instrument *it;
	__u64 lost = 0, memory = 0;
	char names[NEED_NAMES_MAX];
	int n = 0;

	show_print(out, "%s.%s needs %s\n", m->module, m->stat, need_names(NEED_TRACING | on->tracer->caps, names));
	show_print(out, "%s.%s: %s\n", m->module, m->stat, on->refusal[0] ? on->refusal : on->runs ? "attached" :
		"possible; attached when an instrumentation needs it");
	if (on->verified)
		show_print(out, "  the verifier looked at %u instructions of a program at most, of 1000000\n", on->verified);
	if (on->tracer->doctor)
		on->tracer->doctor(on->self, out);
	for (it = k->instrument; it; it = it->next) {
		if (it->on != on)
			continue;
		n++;
		lost += reader_lost(it->reader);
		memory += it->memory;
	}
	if (on->runs)
		shed_doctor(&on->shed, out);
	if (n)
		show_print(out, "  instrumentations: %d, events lost: %llu, kernel memory: %.1f MB\n", n,
			(unsigned long long)lost, memory / 1e6);
}

void kernel_doctor(void *self, FILE *out)
{
	const struct kernel *k = self;
	struct utsname u;
	size_t i;

	if (!uname(&u))
		show_print(out, "kernel: %s\n", u.release);
	show_print(out, "type information (BTF): %s\n", need_btf() ? "present" : "missing");
	if (need_btf() && !need_missing(NEED_TRACING) && !need_map_iterator("bpf_sk_storage_map"))
		show_print(out, "iterators over maps: refused; servers' connections are found by their files\n");
	for (i = 0; i < k->n_traced; i++)
		doctor_traced(k, &k->traced[i], out);
}
