/* The smallest programs that measure a latency at a server's sockets: a start per socket, two clocks, a histogram of
 * powers of two.
 * No protocol, no connection's state, no key, no time.  bench overhead calls them "the least": nothing at these
 * tracepoints can cost less.
 * With `parts` they also look once at the bytes of each command and send, as every protocol requires, and measure the
 * time on the CPU and in the run queue by the thread's own clocks: nothing that splits a command's time can cost less.
 * They do not look at a command's header, which is received by itself.
 * With `statement` they do so by the first bytes of a command, in slots of a second: each pair has its own histograms.
 * With `digest`, by digest instead: 127 bytes of a statement are copied, the command first, and each is looked at once;
 * only digits are literals.  No comments, strings, names, lists; one command, never a prepared one.
 * With `reasons` a program at sched_switch divides the time off the CPU by the system call in which the thread left it.
 * Calls are folded to eight, and neither preemption nor the run queue's share is separated: less than is required. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include "collector/core/quantize.h"
#include "collector/trace/thread_clock.bpf.h"

char LICENSE[] SEC("license") = "GPL";

#define MARIADBD 0x646264616972616dull	/* "mariadbd" */

#define TEXT_LOOK 128			/* bytes of a statement, a power of two */
#define KEYS_MAX 256
#define CALLS 8				/* system calls, folded by their lowest bits */
#define NS_PER_SLOT 1000000000ull
#define QUERY 3				/* COM_QUERY */

const volatile int parts = 0, statement = 0, digest = 0, reasons = 0;

struct start {
	struct stamp stamp;
	__u64 command;			/* its first bytes, or its digest */
};

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct start);
} starts SEC(".maps");

struct away {				/* of a server's thread */
	__u64 off, call;		/* counted up to here; the call it left in */
	__u64 ns[CALLS];		/* of this command, which it works at */
	int working;
};

struct task_struct___storage {		/* most threads have none */
	void *bpf_storage;
} __attribute__((preserve_access_index));

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct away);
} aways SEC(".maps");

struct hists {
	__u64 latency[64], off[64], delay[64], by_call[CALLS][64];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct hists);
} hist SEC(".maps");

struct key {
	__u64 command, slot;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, KEYS_MAX);
	__type(key, struct key);
	__type(value, struct hists);
} by_key SEC(".maps");

struct {				/* of a key that is new */
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct hists);
} empty SEC(".maps");

static __always_inline void stamp(struct stamp *s, struct task_struct *t)
{
	s->ns = bpf_ktime_get_ns();
	if (parts)
		stamp_clocks(s, t);
}

static __always_inline const char *buffer(struct task_struct *t)
{
	const struct pt_regs *regs = (const struct pt_regs *)bpf_task_pt_regs(t);

	return (const char *)regs->si;
}

/* As much of a receive or send as its first look takes. */
static __always_inline __u64 bytes(struct task_struct *t)
{
	__u64 head = 0;

	bpf_probe_read_user(&head, sizeof(head), buffer(t));
	return head;
}

/* FNV-1a of a statement's text, each run of digits as one. */
static __always_inline __u64 digest_of(struct task_struct *t, int ret)
{
	__u64 n = ret < TEXT_LOOK ? ret : TEXT_LOOK - 1, hash = 0xcbf29ce484222325ull, i;
	__u8 text[TEXT_LOOK], before = 0;

	n &= TEXT_LOOK - 1;
	if (bpf_probe_read_user(text, n, buffer(t)) || text[0] != QUERY)
		return 0;
	for (i = 1; i < TEXT_LOOK && i < n; i++) {
		__u8 byte = (__u8)(text[i] - '0') < 10 ? '?' : text[i];

		if (byte != '?' || before != '?')
			hash = (hash ^ byte) * 0x100000001b3ull;
		before = byte;
	}
	return hash;
}

static __always_inline struct hists *hists_of(const struct start *start, __u64 end_ns)
{
	struct key key = { start->command, end_ns / NS_PER_SLOT };
	const __u32 zero = 0;
	struct hists *h;

	if (!statement && !digest)
		return bpf_map_lookup_elem(&hist, &zero);
	h = bpf_map_lookup_elem(&by_key, &key);
	if (h)
		return h;
	h = bpf_map_lookup_elem(&empty, &zero);
	if (h)
		bpf_map_update_elem(&by_key, &key, h, BPF_NOEXIST);	/* or another CPU was first */
	return bpf_map_lookup_elem(&by_key, &key);
}

static __always_inline int is_server(struct task_struct *t)
{
	const __u64 *name = (const __u64 *)t->group_leader->comm;

	return name[0] == MARIADBD && !name[1];
}

/* At a socket of which nothing is known it matters whose process it is. */
static __always_inline struct start *start_at(struct sock *sk, struct task_struct *t)
{
	struct start *start = sk->sk_bpf_storage ? bpf_sk_storage_get(&starts, sk, 0, 0) : 0;

	return start || !is_server(t) ? start : bpf_sk_storage_get(&starts, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);
}

static __always_inline void away_tell(struct away *a, __u64 off)
{
	a->ns[a->call & (CALLS - 1)] += off - a->off;
	a->off = off;
}

static __always_inline void away_begin(struct task_struct *t, __u64 off)
{
	struct away *a = bpf_task_storage_get(&aways, t, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!a)
		return;
	a->off = off;
	a->call = 0;
	a->working = 1;
}

/* Most commands were never off the CPU. */
static __always_inline void away_end(struct hists *h, struct task_struct *t, __u64 began_off, __u64 off)
{
	struct away *a = bpf_task_storage_get(&aways, t, 0, 0);
	int i;

	if (!a)
		return;
	a->working = 0;
	if (off == began_off)
		return;
	away_tell(a, off);
	for (i = 0; i < CALLS; i++) {
		if (a->ns[i])
			h->by_call[i][highest_bit(a->ns[i]) & 63]++;
		a->ns[i] = 0;
	}
}

SEC("tp_btf/sched_switch")
int BPF_PROG(left, _Bool preempt, struct task_struct *prev, struct task_struct *next)
{
	struct away *a = ((struct task_struct___storage *)prev)->bpf_storage ? bpf_task_storage_get(&aways, prev, 0, 0) : 0;
	struct stamp now;

	if (!a || !a->working)
		return 0;
	stamp_clocks(&now, prev);
	away_tell(a, now.off);
	a->call = ((const struct pt_regs *)bpf_task_pt_regs(prev))->orig_ax;
	return 0;
}

SEC("tp_btf/sock_recv_length")
int BPF_PROG(received, struct sock *sk, int ret, int flags)
{
	struct task_struct *t = bpf_get_current_task_btf();
	struct start *start = ret > 0 ? start_at(sk, t) : 0;

	if (!start)
		return 0;
	if (!start->stamp.ns) {
		stamp(&start->stamp, t);
		if (reasons)
			away_begin(t, start->stamp.off);
	} else if (parts)
		start->command = digest ? digest_of(t, ret) : bytes(t);
	return 0;
}

SEC("tp_btf/sock_send_length")
int BPF_PROG(sent, struct sock *sk, int ret, int flags)
{
	struct task_struct *t = bpf_get_current_task_btf();
	struct start *start = start_at(sk, t);
	struct stamp end;
	struct hists *h;

	if (!start || !start->stamp.ns || (parts && !bytes(t)))
		return 0;
	stamp(&end, t);
	h = hists_of(start, end.ns);
	if (h) {
		h->latency[highest_bit((end.ns - start->stamp.ns) | 1) & 63]++;
		if (parts) {
			h->off[highest_bit((end.off - start->stamp.off) | 1) & 63]++;
			h->delay[highest_bit((end.delay - start->stamp.delay) | 1) & 63]++;
		}
		if (reasons)
			away_end(h, t, start->stamp.off, end.off);
	}
	start->stamp.ns = 0;
	return 0;
}
