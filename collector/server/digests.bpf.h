/* digests.bpf.h - feeds a window of bytes to the dialect's digest_byte(), in the kernel.
 *
 *      digest_begin(); digest_window() per window; digest_code()      digest_sample_keep(): the code's first tokens
 *
 * Include it after the digest.h of the dialect.  Functions that are not inlined are global: the verifier checks each
 * once, not once per path to it.
 */
#ifndef HEATSCOPE_DIGESTS_BPF_H
#define HEATSCOPE_DIGESTS_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "collector/server/feed.bpf.h"
#include "collector/server/digest_samples.bpf.h"

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

/* Digests n bytes of the window, from byte `at` on. */
__noinline int digest_window(struct digest *digest, const struct window *window, __u32 at, __u32 n)
{
	struct digesting d = { digest, window, at, at + n };

	if (digest && window)
		bpf_loop((n + DIGEST_RUN - 1) / DIGEST_RUN, digest_step, &d, 0);
	return 0;
}

#endif
