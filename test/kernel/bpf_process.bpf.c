/* bpf_process.bpf.c - gathers the process fields of children that make a system call; see bpf_process.c. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <asm/unistd.h>
#include "collector/trace/process.bpf.h"

char LICENSE[] SEC("license") = "GPL";

__u32 parent = 0;			/* its children are seen */
__u32 n_seen = 0;
struct event seen[16] = { 0 };

SEC("tp_btf/sys_enter")
int BPF_PROG(enter, struct pt_regs *regs, long id)
{
	struct task_struct *t = bpf_get_current_task_btf();
	__u32 at;

	if (id != __NR_getpriority || t->group_leader->real_parent->tgid != (int)parent)
		return 0;
	at = __sync_fetch_and_add(&n_seen, 1);
	if (at < 16)
		process_gather(&seen[at], t, bpf_ktime_get_ns());
	return 0;
}
