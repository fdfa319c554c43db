/* sample.bpf.c - makes the events of cpu.thread_samples; see sample.h. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "collector/trace/perf.bpf.h"
#include "collector/trace/process.bpf.h"
#include "collector/metrics/sample.h"
#include "collector/trace/stack.bpf.h"

char LICENSE[] SEC("license") = "GPL";

SEC("perf_event")
int samples(struct perf_data *ctx)
{
	struct task_struct *t = bpf_get_current_task_btf();
	struct run r;
	struct events *e = events_here(&r);
	struct event *event;
	__u64 now_ns;

	if (!e)
		return 0;
	if (t->pid) {
		now_ns = bpf_ktime_get_ns();
		event = event_now(e, now_ns);
		process_gather(event, t, now_ns);
		event->field[SAMPLE_MODE] = perf_in_user(ctx) ? MODE_USER : MODE_KERNEL;
		if (wanted & WANTED_FIELD(SAMPLE_STACK))
			event->field[SAMPLE_STACK] = stack_gather(ctx, t);
		event->measure[SAMPLE_COUNT] = 1;
		event_subsecond(event, SAMPLE_SUBSECOND);
	}
	tail_call_run(ctx, &r, e);
	return 0;
}
