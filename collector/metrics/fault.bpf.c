/* fault.bpf.c - makes the events of memory.faults; see fault.h.
 *
 *      page_fault_user, page_fault_kernel -> begins       perf's events page-faults-maj, -min -> events
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include "collector/metrics/fault.h"
#include "collector/trace/perf.bpf.h"
#include "collector/trace/process.bpf.h"

char LICENSE[] SEC("license") = "GPL";

struct begin {
	__u64 ns, address;
	__u64 access;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct begin);
} begins SEC(".maps");

static __always_inline int fault_begins(unsigned long address, unsigned long error_code)
{
	struct begin *b;

	if (!(wanted & (WANTED_MEASURE(FAULT_LATENCY) | WANTED_FIELD(FAULT_ACCESS))))
		return 0;
	b = bpf_task_storage_get(&begins, bpf_get_current_task_btf(), 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!b)
		return 0;
	b->ns = bpf_ktime_get_ns();
	b->address = address;
	b->access = fault_executes(error_code) ? ACCESS_EXECUTE : fault_writes(error_code) ? ACCESS_WRITE : ACCESS_READ;
	return 0;
}

SEC("tp_btf/page_fault_user")
int BPF_PROG(user, unsigned long address, struct pt_regs *regs, unsigned long error_code)
{
	return fault_begins(address, error_code);
}

SEC("tp_btf/page_fault_kernel")
int BPF_PROG(kernel, unsigned long address, struct pt_regs *regs, unsigned long error_code)
{
	return fault_begins(address, error_code);
}

static __always_inline void fault_event(struct events *e, struct perf_data *ctx, __u64 type)
{
	struct task_struct *t = bpf_get_current_task_btf();
	__u64 now_ns = bpf_ktime_get_ns();
	struct event *event = event_now(e, now_ns);
	struct begin *b;

	process_gather(event, t, now_ns);
	b = bpf_task_storage_get(&begins, t, 0, 0);
	if (b && (b->address != ctx->addr || b->ns < attached_ns))
		b = 0;
	event->field[FAULT_TYPE] = type;
	event->field[FAULT_ACCESS] = b ? b->access : ACCESS_UNKNOWN;
	event->field[FAULT_MODE] = perf_in_user(ctx) ? FAULT_USER : FAULT_KERNEL;
	event->measure[FAULT_LATENCY] = b ? now_ns - b->ns : 0;
	event->measure[FAULT_COUNT] = 1;
	event_subsecond(event, FAULT_SUBSECOND);
	if (b)
		b->address = 0;
}

static __always_inline int fault_ends(struct perf_data *ctx, __u64 type)
{
	struct events *e;
	__u32 weight;
	struct run r;

	if (run_begin(&r))
		return 0;
	weight = sample_weight(r.cpu);
	e = weight ? run_events(&r) : 0;
	if (e) {
		e->weight = weight;
		fault_event(e, ctx, type);
	}
	tail_call_run(ctx, &r, e);
	return 0;
}

SEC("perf_event")
int major(struct perf_data *ctx)
{
	return fault_ends(ctx, FAULT_MAJOR);
}

SEC("perf_event")
int minor(struct perf_data *ctx)
{
	return fault_ends(ctx, FAULT_MINOR);
}
