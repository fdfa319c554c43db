/* text.bpf.h - turns texts into codes, in the kernel; see text.h.  Each x.bpf.c includes it once. */
#ifndef HEATSCOPE_TEXT_BPF_H
#define HEATSCOPE_TEXT_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "collector/core/key.h"
#include "collector/trace/intern.bpf.h"
#include "collector/trace/text.h"

INTERNED(texts, struct text, TEXTS_MAX);

struct text_hashing {
	const char *text;
	__u64 hash;
};

static long text_hash_step(__u32 i, struct text_hashing *h)
{
	char byte = 0;

	if (i >= TEXT_MAX)
		return 1;
	bpf_probe_read_kernel(&byte, 1, h->text + i);
	if (!byte && i)			/* an abstract name begins with NUL */
		return 1;
	h->hash = hash_byte(h->hash, byte);
	return 0;
}

/* Keeps a text and returns its code.  `mark`: bits to set in the code, to distinguish it from other codes of the
 * field. */
static __always_inline __u64 text_remember(const struct text *text, __u64 mark)
{
	struct text_hashing h = { text->text, HASH_SEED };
	__u64 code;

	bpf_loop(TEXT_MAX, text_hash_step, &h, 0);
	code = h.hash | mark;
	intern(&texts, &code, text);
	return code;
}

#endif
