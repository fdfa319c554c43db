/* feed.bpf.h - feeds the bytes of a receive or send, one window at a time, to a parser that steps through them.
 *
 *      source_open(&f.src) -> feed_refill(): f.window has window_n bytes from f.at on -> bpf_loop() moves f.at
 */
#ifndef HEATSCOPE_FEED_BPF_H
#define HEATSCOPE_FEED_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "collector/server/user_bytes.bpf.h"

#define FEED_STEPS 2048
#define HOPS_MAX 8192			/* packets of a receive that are counted but not parsed */
#define WINDOW 64

struct window {
	__u8 byte[WINDOW];
};

struct feed {
	struct server_conn *s;
	struct events *e;
	struct task_struct *t;
	struct source src;
	__u64 at, total;
	__u64 window_at, window_n;
	__u32 failed, ready;		/* the bytes could not be read; the parser has completed something */
	struct window window;
};

/* Is the window empty, or does it have fewer than n bytes although the piece has more? */
static __always_inline int feed_short(const struct feed *f, __u64 n)
{
	__u64 offset = f->at - f->window_at;

	return offset >= f->window_n ||
	       (offset + n > f->window_n && f->window_at + f->window_n < f->src.from + f->src.len);
}

static __always_inline int feed_refill(struct feed *f)
{
	__u64 n;

	if (f->at >= f->src.from + f->src.len && source_next(&f->src))
		return -1;
	if (f->at < f->src.from || f->at >= f->src.from + f->src.len)
		return -1;
	n = f->src.from + f->src.len - f->at;
	if (n > f->total - f->at)
		n = f->total - f->at;
	if (n > WINDOW)
		n = WINDOW;
	if (bpf_probe_read_user(&f->window, n & 127, f->src.at + (f->at - f->src.from)))
		return -1;
	f->window_at = f->at;
	f->window_n = n;
	return 0;
}

/* Not inlined: its stack frame is free again when a step needs one. */
static __noinline int feed_open(struct feed *f)
{
	return source_open(&f->src, f->t, f->total) || feed_refill(f);
}

#endif
