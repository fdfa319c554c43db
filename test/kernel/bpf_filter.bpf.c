/* bpf_filter.bpf.c - runs filter_accepts() in the kernel, with a constant filter and with a variable one.  Its event
 * program gives record programs the events that the test wants. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "collector/ring/events.bpf.h"
#include "collector/ring/filter.h"

char LICENSE[] SEC("license") = "GPL";

#define N_EVENTS 64

const volatile struct filter constant = { 0 };
struct filter variable = { 0 };
struct filter_lists lists = { 0 };
struct event event[N_EVENTS] = { 0 };
__u8 accepted[N_EVENTS] = { 0 };

/* Global functions: the verifier checks each once. */
__noinline int accepts_variable(struct event *e)
{
	return e ? filter_accepts(&variable, e, &lists) : 0;
}

__noinline int accepts_constant(struct event *e)
{
	return e ? filter_accepts(&constant, e, &lists) : 0;
}

static long step_variable(__u32 i, void *ctx)
{
	if (i >= N_EVENTS)
		return 1;
	accepted[i] = accepts_variable(&event[i]);
	return 0;
}

static long step_constant(__u32 i, void *ctx)
{
	if (i >= N_EVENTS)
		return 1;
	accepted[i] = accepts_constant(&event[i]);
	return 0;
}

SEC("raw_tp")
int filter_variable(void *ctx)
{
	bpf_loop(N_EVENTS, step_variable, 0, 0);
	return 0;
}

SEC("raw_tp")
int filter_constant(void *ctx)
{
	bpf_loop(N_EVENTS, step_constant, 0, 0);
	return 0;
}

__u32 giver = 0;			/* the test's process: its receives are the events */
struct event given = { 0 };

SEC("tp_btf/sock_recv_length")
int give(void *ctx)
{
	struct run r;
	struct events *e = bpf_get_current_pid_tgid() >> 32 == giver ? events_here(&r) : 0;

	if (!e)
		return 0;
	e->event[0] = given;
	e->n = 1;
	tail_call_run(ctx, &r, e);
	return 0;
}
