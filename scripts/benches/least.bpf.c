/* The least that tells a latency from the sockets of a server: its name, a start per socket, two clocks, a histogram of powers of two.
 * No protocol, no connection's state, no key, no time.  What bench overhead calls "the least": nothing at these tracepoints can cost less.
 * With `parts` it also looks once at the bytes of each receive and send, without which no protocol is followed, and tells the time on
 * the CPU and in the run queue, by the thread's own clocks: nothing that splits a command's time can cost less.
 * With `digest` it does so by digest: of a statement's text 127 bytes are copied and each looked at once, digits are what literals are made of, and
 * each digest has histograms of its own.  No comments, strings, names, lists; one command, never a prepared one. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include "../../collector/quantize.h"
#include "../../collector/stamp.bpf.h"

char LICENSE[] SEC("license") = "GPL";

#define MARIADBD 0x646264616972616dull	/* "mariadbd" */

#define LOOK 8
#define TEXT_LOOK 128			/* bytes of a statement, a power of two */
#define DIGESTS_MAX 256
#define QUERY 3				/* COM_QUERY */

const volatile int parts = 0, digest = 0;

struct start {
	struct stamp stamp;
	__u64 digest;
};

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct start);
} starts SEC(".maps");

struct hists {
	__u64 latency[64], off[64], delay[64];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct hists);
} hist SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, DIGESTS_MAX);
	__type(key, __u64);
	__type(value, struct hists);
} by_digest SEC(".maps");

struct {				/* of a digest that is new */
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
	__u8 head[LOOK] = { 0 };

	if (parts && bpf_probe_read_user(head, sizeof(head), buffer(t)))
		return 0;
	return 1 + head[3];
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

static __always_inline struct hists *hists_of(const struct start *start)
{
	const __u32 zero = 0;
	struct hists *h;

	if (!digest)
		return bpf_map_lookup_elem(&hist, &zero);
	h = bpf_map_lookup_elem(&by_digest, &start->digest);
	if (h)
		return h;
	h = bpf_map_lookup_elem(&empty, &zero);
	if (h)
		bpf_map_update_elem(&by_digest, &start->digest, h, BPF_NOEXIST);	/* or another CPU was first */
	return bpf_map_lookup_elem(&by_digest, &start->digest);
}

static __always_inline int is_server(struct task_struct *t)
{
	const __u64 *name = (const __u64 *)t->group_leader->comm;

	return name[0] == MARIADBD && !name[1];
}

SEC("tp_btf/sock_recv_length")
int BPF_PROG(received, struct sock *sk, int ret, int flags)
{
	struct task_struct *t = bpf_get_current_task_btf();
	struct start *start = ret > 0 && is_server(t) ? bpf_sk_storage_get(&starts, sk, 0, BPF_SK_STORAGE_GET_F_CREATE) : 0;

	if (!start)
		return 0;
	if (digest && start->stamp.ns)
		start->digest = digest_of(t, ret);	/* behind its header, which is received by itself */
	else if (bytes(t) && !start->stamp.ns)
		stamp(&start->stamp, t);
	return 0;
}

SEC("tp_btf/sock_send_length")
int BPF_PROG(sent, struct sock *sk, int ret, int flags)
{
	struct task_struct *t = bpf_get_current_task_btf();
	struct start *start = is_server(t) ? bpf_sk_storage_get(&starts, sk, 0, 0) : 0;
	struct stamp end;
	struct hists *h;

	if (!start || !start->stamp.ns || !bytes(t))
		return 0;
	stamp(&end, t);
	h = hists_of(start);
	if (h) {
		h->latency[highest_bit((end.ns - start->stamp.ns) | 1) & 63]++;
		if (parts) {
			h->off[highest_bit((end.off - start->stamp.off) | 1) & 63]++;
			h->delay[highest_bit((end.delay - start->stamp.delay) | 1) & 63]++;
		}
	}
	start->stamp.ns = 0;
	return 0;
}
