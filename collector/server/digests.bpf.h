/* digests.bpf.h - computes the digests of the texts that servers receive, one window of bytes at a time.
 *
 *      digest_window() ... -> digest_code() after the last byte of the text
 *                               `--> specimens: the first tokens of a code, for its label
 *
 * The protocol's digest_byte() comes before.  Functions that are not inlined are global: the verifier checks each once,
 * not once per path to it.
 */
#ifndef HEATSCOPE_DIGESTS_BPF_H
#define HEATSCOPE_DIGESTS_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "collector/server/feed.bpf.h"
#include "collector/server/digest_sample.h"
#include "collector/trace/intern.bpf.h"

INTERNED(specimens, struct digest_sample, DIGEST_SAMPLES_MAX);

struct digesting {
	struct digest *digest;
	const struct window *window;
	__u32 at, end;
};

#define DIGEST_RUN 4			/* bytes of a step: a call costs more than a byte; the verifier checks each */

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

/* Keeps the tokens of the first statement with this code, for its label. */
__noinline int digest_sample_keep(__u64 code, struct digest_sample *tokens)
{
	__u64 len, i;

	if (!tokens || bpf_map_lookup_elem(&specimens, &code))
		return 0;
	len = tokens->len;
	/* A number's digits lie after len until it is known to be a literal. */
#pragma clang loop unroll(disable)
	for (i = 0; i < DIGEST_SAMPLE_MAX; i++) {
		__u64 before = i - len;

		barrier_var(before);		/* or the compiler makes a branch: two paths per byte to verify */
		tokens->text[i] &= (__s64)before >> 63;		/* all bits before len, none after it */
	}
	bpf_map_update_elem(&specimens, &code, tokens, BPF_ANY);
	return 0;
}

#endif
