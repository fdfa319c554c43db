/* feed_line.bpf.h - helps the parsers move a feed (feed.bpf.h): skips the rest of a line, refills the window. */
#ifndef HEATSCOPE_HTTP_FEED_LINE_BPF_H
#define HEATSCOPE_HTTP_FEED_LINE_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "collector/http/message.h"
#include "collector/server/feed.bpf.h"

#define MESSAGE_STEPS 32768		/* of a receive or send; a step takes up to MESSAGE_RUN bytes, a line, or a body */
#define MESSAGE_RUN 16

/* Returns the result of a step: bytes that it took << 32 | the parser's flags. */
static __always_inline __u64 eaten(__u32 n, __u32 out)
{
	return (__u64)n << 32 | out;
}

static __always_inline __u8 window_byte(const struct window *w, __u32 at)
{
	return w->byte[at & (WINDOW - 1)];
}

/* Skips the rest of a line, but not its \n.  Returns how many bytes. */
static __always_inline __u32 line_skip(struct http_message *m, const struct window *w, __u32 at, __u32 n)
{
	__u32 i;

#pragma clang loop unroll(disable)
	for (i = 0; i < WINDOW && i < n; i++)
		if (window_byte(w, at + i) == '\n')
			break;
	m->head += i;
	return i;
}

/* Makes the window hold the byte at f->at.  Returns 1: it does; 0: call again; -1: the bytes cannot be read. */
static __always_inline int feed_ready(struct feed *f)
{
	if (f->at >= f->src.from + f->src.len)
		return source_next(&f->src);
	return f->at - f->window_at < f->window_n || !feed_refill(f) ? 1 : -1;
}

#endif
