/* symbols.bpf.c - asks the kernel about addresses; see symbols.h.
 *
 * A BPF program needs only the capabilities of tracing for that: /proc/PID/maps of other users and the addresses
 * in /proc/kallsyms need CAP_SYS_PTRACE and CAP_SYSLOG, too.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "collector/trace/symbols_kernel.h"
#include "collector/trace/vm.h"

char LICENSE[] SEC("license") = "GPL";

/* ---- of the kernel: one address at a time ---- */

__u64 address = 0;
char name[SYMBOLS_NAME] = "";

SEC("syscall")
int kernel_name(void *ctx)
{
	static const char format[] = "%ps";

	bpf_snprintf(name, sizeof(name), format, &address, sizeof(address));
	return 0;
}

/* ---- of a process: which file is mapped where ---- */

struct {				/* a record in the making: too long for the stack */
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct symbols_mapping);
} mapping SEC(".maps");

SEC("iter/task_vma")
int mappings(struct bpf_iter__task_vma *ctx)
{
	const __u32 zero = 0;
	struct symbols_mapping *m = bpf_map_lookup_elem(&mapping, &zero);
	struct vm_area_struct *area = ctx->vma;
	struct file *file;

	if (!m || !ctx->task || !area || !(area->vm_flags & VM_EXEC))
		return 0;
	file = area->vm_file;
	if (!file)
		return 0;
	m->from = area->vm_start;
	m->to = area->vm_end;
	m->offset = area->vm_pgoff << SYMBOLS_PAGE_BITS;
	m->inode = file->f_inode->i_ino;
	if (bpf_d_path((struct path *)&file->f_path, m->path, sizeof(m->path)) < 0)
		m->path[0] = 0;
	bpf_seq_write(ctx->meta->seq, m, sizeof(*m));
	return 0;
}
