/* digest_samples.bpf.h - keeps the first tokens of each digest; the host makes its label of them (digest_sample.h). */
#ifndef HEATSCOPE_DIGEST_SAMPLES_BPF_H
#define HEATSCOPE_DIGEST_SAMPLES_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "collector/server/digest_sample.h"
#include "collector/trace/intern.bpf.h"

INTERNED(digest_samples, struct digest_sample, DIGEST_SAMPLES_MAX);

/* Keeps the tokens of the first statement with this code, for its label. */
__noinline int digest_sample_keep(__u64 code, struct digest_sample *tokens)
{
	__u64 len, i;

	if (!tokens || bpf_map_lookup_elem(&digest_samples, &code))
		return 0;
	len = tokens->len;
	/* After len lie the digits of a number that may have become a literal: clear them. */
#pragma clang loop unroll(disable)
	for (i = 0; i < DIGEST_SAMPLE_MAX; i++) {
		__u64 before = i - len;

		barrier_var(before);		/* or the compiler makes a branch: two paths per byte to verify */
		tokens->text[i] &= (__s64)before >> 63;		/* all bits if i < len, else none */
	}
	bpf_map_update_elem(&digest_samples, &code, tokens, BPF_ANY);
	return 0;
}

#endif
