/* fs.bpf.c - makes the events of fs.logical_ops; see fs.h.
 *
 *      sys_enter -> is it one of `calls`, on a file?  the thread's `ops`
 *      sys_exit -> events (per CPU) --tail call--> record programs
 *
 * Both run at every system call of the machine.  They return at once if the call's number is no file operation.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>
#include "collector/ring/events.bpf.h"
#include "collector/metrics/fs_call.bpf.h"
#include "collector/trace/process.bpf.h"
#include "collector/trace/vm.h"

char LICENSE[] SEC("license") = "GPL";

#define FMODE_CREATED 0x100000

__u64 no_memory = 0;		/* operations for which there was no memory */

/* as libbpf 1.5 declares it; libbpf 1.1 does not */
extern void *bpf_rdonly_cast(const void *obj, __u32 btf_id) __ksym __weak;

struct op {
	__u64 begin_ns;			/* 0: no operation is under way that we look at */
	__u64 fstype;
	__u32 number;			/* of the system call */
	__u32 weight;			/* how many operations it stands for */
	struct fs_call call;
	__u16 pad[3];
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct op);
} ops SEC(".maps");

/* ---- files ---- */

static __always_inline struct file *file_of(struct task_struct *t, __s32 fd)
{
	struct fdtable *fdt = t->files->fdt;
	struct file *file = 0;

	if (fd < 0 || (__u32)fd >= fdt->max_fds)
		return 0;
	bpf_probe_read_kernel(&file, sizeof(file), fdt->fd + fd);
	return file ? bpf_rdonly_cast(file, bpf_core_type_id_kernel(struct file)) : 0;
}

/* The type of the file system; 0: the file belongs to none. */
static __always_inline __u64 fstype_of(struct file *file)
{
	struct inode *inode = file->f_inode;
	struct super_block *sb = inode->i_sb;
	struct fs_name name = { { 0 } };

	if (!is_fs_file(inode->i_mode, sb->s_flags))
		return 0;
	if (!(wanted & WANTED_FIELD(FS_FSTYPE)))
		return 1;
	bpf_probe_read_kernel_str(&name, sizeof(name), sb->s_type->name);
	return fs_code(&name);
}

/* ---- calls ---- */

static __always_inline void op_begin(const struct run *r, struct task_struct *t, const struct pt_regs *regs, __u64 number)
{
	struct fs_call call = call_of(t, number);
	__u32 weight = call.op ? sample_weight(r->cpu) : 0;
	__u64 fstype = 0;
	struct file *file;
	struct op *op;

	if (!weight)
		return;
	if (call.where != FS_RETURN) {
		file = file_of(t, descriptor(regs, call.where));
		fstype = file ? fstype_of(file) : 0;
		if (!fstype)
			return;
	}
	op = bpf_task_storage_get(&ops, t, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!op) {
		__sync_fetch_and_add(&no_memory, weight);
		return;
	}
	op->fstype = fstype;
	op->number = number;
	op->weight = weight;
	op->call = call;
	op->begin_ns = bpf_ktime_get_ns();
}

SEC("tp_btf/sys_enter")
int BPF_PROG(enter, struct pt_regs *regs, long id)
{
	struct run r;

	if (run_begin(&r))
		return 0;
	op_begin(&r, bpf_get_current_task_btf(), regs, id);
	run_end(&r);
	return 0;
}

/* Takes an opened file: 0, or -1 if it is no file. */
static __always_inline int opened(struct op *op, struct task_struct *t, long fd)
{
	struct file *file = fd < 0 ? 0 : file_of(t, fd);

	if (!file)
		return -1;
	op->fstype = fstype_of(file);
	if (file->f_mode & FMODE_CREATED)
		op->call.op = FS_CREATE;
	return op->fstype ? 0 : -1;
}

static __always_inline void op_end(struct events *e, struct op *op, struct task_struct *t, long ret)
{
	__u64 now = bpf_ktime_get_ns();
	struct event *at = &e->event[0];

	if (op->call.where == FS_RETURN && opened(op, t, ret))
		return;
	at->end_ns = now + wall_offset;
	at->measure[FS_LATENCY] = now - op->begin_ns;
	at->measure[FS_SIZE] = call_bytes(op->call.op, ret);
	at->field[FS_FSTYPE] = op->fstype;
	at->field[FS_OPTYPE] = op->call.op;
	process_gather(at, t, now);
	e->n = 1;
	e->weight = op->weight;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(leave, struct pt_regs *regs, long ret)
{
	struct task_struct *t = bpf_get_current_task_btf();
	__u64 number = call_number(regs);
	struct events *e = 0;
	struct op *op;
	struct run r;

	if (run_begin(&r))
		return 0;
	op = call_of(t, number).op ? bpf_task_storage_get(&ops, t, 0, 0) : 0;
	if (op && op->begin_ns) {
		if (op->begin_ns >= attached_ns && op->number == number)
			e = run_events(&r);
		if (e)
			op_end(e, op, t, ret);
		op->begin_ns = 0;
	}
	tail_call_run(ctx, &r, e);
	return 0;
}
