/* digests.bpf.h - the digests of the texts that servers are sent, fed by windows of them.
 *
 *      digest_window() ... -> digest_code() at the last byte that is looked at
 *                               `--> specimens: the first text of a code, for its label
 *
 * The protocol's digest_byte() comes before.  Functions that are not inlined are global ones: the verifier looks at each once,
 * not once per path to it.
 */
#ifndef HEATSCOPE_DIGESTS_BPF_H
#define HEATSCOPE_DIGESTS_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "feed.bpf.h"
#include "specimen.h"

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, SPECIMENS_MAX);
	__type(key, __u64);
	__type(value, struct specimen);
} specimens SEC(".maps");

struct {				/* where one is put together */
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct specimen);
} specimen SEC(".maps");

struct digesting {
	struct digest *digest;
	const struct window *window;
	__u32 at, end;
};

#define DIGEST_RUN 4			/* bytes of a step: a call costs more than a byte, but the verifier looks at each */

static long digest_step(__u32 i, struct digesting *d)
{
	__u32 at = d->at + i * DIGEST_RUN, k;

#pragma clang loop unroll(disable)
	for (k = 0; k < DIGEST_RUN && at + k < d->end; k++)
		digest_byte(d->digest, d->window->byte[(at + k) & (WINDOW - 1)]);
	return 0;
}

__noinline int digest_window(struct digest *digest, const struct window *window, __u32 at, __u32 n)
{
	struct digesting d = { digest, window, at, at + n };

	if (digest && window)
		bpf_loop((n + DIGEST_RUN - 1) / DIGEST_RUN, digest_step, &d, 0);
	return 0;
}

/* A text that is len bytes long, of which `there` lie together; `whole`: they are all of it.  0, or -errno. */
static __always_inline long specimen_read(struct specimen *m, __u64 text, __u64 there, __u32 len, int whole)
{
	if (there > len)
		there = len;
	m->whole = whole && there == len && len < SPECIMEN_MAX;
	if (there >= SPECIMEN_MAX)
		there = SPECIMEN_MAX - 1;
	m->len = there;
	barrier_var(there);
	return bpf_probe_read_user(m->text, there & (SPECIMEN_MAX - 1), (void *)text);
}

static __always_inline void specimen_put(struct specimen *m, __u64 code, __u64 text, __u64 there, __u32 len, int whole)
{
	if (!specimen_read(m, text, there, len, whole))
		bpf_map_update_elem(&specimens, &code, m, BPF_ANY);
}

/* The first of its kind is kept for its text: len bytes, which lie together from `text` on, up to text_end.  text 0: they are not at
 * hand. */
static __always_inline void specimen_keep(__u64 code, __u64 text, __u64 text_end, __u32 len, int whole)
{
	const __u32 zero = 0;
	struct specimen *m;

	if (!text || bpf_map_lookup_elem(&specimens, &code))
		return;
	m = bpf_map_lookup_elem(&specimen, &zero);
	if (m)
		specimen_put(m, code, text, text_end - text, len, whole);
}

#endif
