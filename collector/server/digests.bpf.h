/* digests.bpf.h - computes the digests of the texts that servers receive, one window of bytes at a time.
 *
 *      digest_window() ... -> digest_code() after the last byte of the text
 *                               `--> digest_samples: the first tokens of a code, for its label
 *
 * The protocol's digest_byte() comes before.  Functions that are not inlined are global: the verifier checks each once,
 * not once per path to it.
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

__noinline int digest_window(struct digest *digest, const struct window *window, __u32 at, __u32 n)
{
	struct digesting d = { digest, window, at, at + n };

	if (digest && window)
		bpf_loop((n + DIGEST_RUN - 1) / DIGEST_RUN, digest_step, &d, 0);
	return 0;
}

#endif
