/* disk.bpf.c - makes the events of disk.physio_ops; see disk.h.
 *
 *      block_rq_issue -> `notes`, only for requests whose issue the kernel does not note itself
 *      block_rq_complete -> events (per CPU) --tail call--> record programs
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>
#include "collector/metrics/disk.h"
#include "collector/ring/events.bpf.h"
#include "collector/trace/text.bpf.h"
#include "collector/trace/vm.h"

char LICENSE[] SEC("license") = "GPL";

enum req_flag_bits { __REQ_SYNC, __REQ_META, __REQ_FUA, __REQ_RAHEAD, __REQ_BACKGROUND };

#define OP_MASK 0xff
#define SECTOR 512

/* Flags of this kernel; 0: it has none of that name. */
const volatile __u64 queue_stats = 0;	/* of a queue: it notes when requests are issued */
const volatile __u32 request_stat = 0;	/* of a request: its creation was noted */

const volatile __u32 no_times = 0;	/* for tests: treats the kernel as if it noted no issue at all */

struct disk_counts counts = { 0 };

struct note {
	__u64 since;			/* when it was made; an older note is another request's */
	__u64 issue;			/* 0: not noted */
	__u64 done;			/* bytes, in earlier parts */
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 8192);
	__type(key, __u64);
	__type(value, struct note);
} notes SEC(".maps");

static __always_inline void count(__u64 *counter)
{
	__sync_fetch_and_add(counter, 1);
}

static __always_inline struct note *note_of(struct request *rq)
{
	__u64 key = (__u64)rq;
	struct note *n = bpf_map_lookup_elem(&notes, &key);

	return n && n->since >= attached_ns ? n : 0;
}

static __always_inline struct note *note_make(struct request *rq)
{
	struct note fresh = { .since = bpf_ktime_get_ns() }, *n = note_of(rq);
	__u64 key = (__u64)rq;

	if (n)
		return n;
	bpf_map_update_elem(&notes, &key, &fresh, BPF_ANY);
	return bpf_map_lookup_elem(&notes, &key);
}

static __always_inline __u32 op_of(struct request *rq)
{
	return rq->cmd_flags & OP_MASK;
}

/* Does the kernel note the issue? */
static __always_inline int notes_issue(struct request *rq)
{
	return !no_times && queue_stats && (rq->q->queue_flags & queue_stats) && op_of(rq) < OP_DRIVER_IN;
}

static __always_inline __u64 noted_issue(struct request *rq)
{
	return no_times ? 0 : rq->io_start_time_ns;
}

/* Without this flag the time belongs to an earlier request.  A flush has no such flag, and always has its time. */
static __always_inline int noted_begin(struct request *rq)
{
	return rq->start_time_ns && (!request_stat || rq->rq_flags & request_stat || op_of(rq) == OP_FLUSH);
}

SEC("tp_btf/block_rq_issue")
int BPF_PROG(issue, struct request *rq)
{
	struct note *n;
	struct run r;

	if (run_begin(&r))
		return 0;
	n = notes_issue(rq) ? 0 : note_make(rq);
	if (n)
		n->issue = bpf_ktime_get_ns();
	run_end(&r);
	return 0;
}

/* A flag's bit differs between kernels. */
static __always_inline __u64 flags_of(__u32 flags)
{
	__u64 code = 0;

	code |= flags >> bpf_core_enum_value(enum req_flag_bits, __REQ_SYNC) & 1 ? DISK_SYNC : 0;
	code |= flags >> bpf_core_enum_value(enum req_flag_bits, __REQ_META) & 1 ? DISK_META : 0;
	code |= flags >> bpf_core_enum_value(enum req_flag_bits, __REQ_RAHEAD) & 1 ? DISK_AHEAD : 0;
	code |= flags >> bpf_core_enum_value(enum req_flag_bits, __REQ_FUA) & 1 ? DISK_FUA : 0;
	code |= flags >> bpf_core_enum_value(enum req_flag_bits, __REQ_BACKGROUND) & 1 ? DISK_BACKGROUND : 0;
	return code;
}

static __noinline __u64 disk_of(struct request *rq)
{
	struct gendisk *disk = rq->q->disk;
	struct text text = { { 0 } };

	if (!disk)
		return DISK_NONE;
	bpf_probe_read_kernel_str(&text, sizeof(disk->disk_name), &disk->disk_name);
	return text_remember(&text, 0);
}

/* Fills in the times: 0, or -1 if it was never at the device or the time of issue is not known. */
static __always_inline int times_fill(struct event *e, struct request *rq, const struct note *n, __u64 now)
{
	__u64 issue = noted_issue(rq), begin;

	if (!issue && n && n->issue) {
		issue = n->issue;
		count(&counts.noted);
	}
	if (!issue) {
		if (!notes_issue(rq))
			count(&counts.untimed);
		return -1;
	}
	if (issue > now)
		issue = now;
	begin = rq->start_time_ns;
	if (!noted_begin(rq))
		count(&counts.unmade);
	if (!noted_begin(rq) || begin > issue)
		begin = issue;
	e->measure[DISK_LATENCY] = now - begin;
	e->measure[DISK_QUEUE] = issue - begin;
	e->measure[DISK_SERVICE] = now - issue;
	e->end_ns = now + wall_offset;
	return 0;
}

static __always_inline void event_fill(struct event *e, struct request *rq, __u64 size, __u64 done)
{
	__u32 op = op_of(rq);

	if (wanted & WANTED_FIELD(DISK_DISK))
		e->field[DISK_DISK] = disk_of(rq);
	e->field[DISK_OPTYPE] = op;
	e->field[DISK_FLAGS] = flags_of(rq->cmd_flags);
	e->measure[DISK_SIZE] = size + done;
	e->measure[DISK_OFFSET] = op == OP_FLUSH ? 0 : rq->__sector * SECTOR - done;
}

/* A part of the request is done.  Returns 1 if it was the last; ret_done: bytes done before. */
static __always_inline int is_last_part(struct request *rq, struct note *n, __u32 n_bytes, __u64 *ret_done)
{
	if (n_bytes >= rq->__data_len) {
		*ret_done = n ? n->done : 0;
		return 1;
	}
	n = note_make(rq);
	if (n)
		n->done += n_bytes;
	count(&counts.parts);
	return 0;
}

static __always_inline void request_end(struct events *e, struct request *rq, __u32 n_bytes)
{
	struct note *n = !noted_issue(rq) || counts.parts ? note_of(rq) : 0;
	__u64 key = (__u64)rq, done;

	if (!is_last_part(rq, n, n_bytes, &done))
		return;
	e->n = !times_fill(&e->event[0], rq, n, bpf_ktime_get_ns());
	if (n)
		bpf_map_delete_elem(&notes, &key);
	if (!e->n)
		return;
	event_fill(&e->event[0], rq, n_bytes, done);
}

SEC("tp_btf/block_rq_complete")
int BPF_PROG(complete, struct request *rq, int error, unsigned int n_bytes)
{
	struct events *e = 0;
	__u32 op = op_of(rq);
	struct run r;

	if (run_begin(&r))
		return 0;
	/* A write that asked for flushes passes here again, empty, after its last flush. */
	if (n_bytes || (op != OP_READ && op != OP_WRITE))
		e = run_events(&r);
	if (e)
		request_end(e, rq, n_bytes);
	tail_call_run(ctx, &r, e);
	return 0;
}
