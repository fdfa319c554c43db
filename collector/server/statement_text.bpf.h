/* statement_text.bpf.h - keeps statements as they are sent, in the kernel; see statement_text.h.  Each x.bpf.c includes
 * it once. */
#ifndef HEATSCOPE_STATEMENT_TEXT_BPF_H
#define HEATSCOPE_STATEMENT_TEXT_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "collector/ring/statement_text.h"

const volatile __u32 text_full = 0;	/* texts are kept */

struct {				/* the record programs read it, too */
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1);		/* STATEMENT_TEXTS_MAX, where texts are kept */
	__type(key, __u64);
	__type(value, struct statement_text);
} verbatims SEC(".maps");

struct {				/* buffer to put one text together */
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct statement_text);
} statement_text_here SEC(".maps");

/* Reads a text of len bytes, of which `there` are contiguous; `whole`: these are the whole text.  0, or -errno. */
static __always_inline long statement_text_read(struct as_sent *m, __u64 text, __u64 there, __u32 len, int whole)
{
	if (there > len)
		there = len;
	m->whole = whole && there == len && len < STATEMENT_TEXT_ROOM;
	if (there >= STATEMENT_TEXT_ROOM)
		there = STATEMENT_TEXT_ROOM - 1;
	m->len = there;
	barrier_var(there);
	return bpf_probe_read_user(m->text, there & (STATEMENT_TEXT_ROOM - 1), (void *)text);
}

/* Keeps those bytes of a text of len bytes that are contiguous, from `text` to text_end.  Returns its name; 0: it is
 * not kept. */
static __always_inline __u64 statement_text_keep(__u64 connection, __u32 number, __u64 text, __u64 text_end,
						 __u32 len, int whole)
{
	__u64 name = STATEMENT_TEXT_NAME(connection, number), key = STATEMENT_TEXT_KEY(name);
	const __u32 zero = 0;
	struct statement_text *v;

	if (!text_full || !text)
		return 0;
	v = bpf_map_lookup_elem(&statement_text_here, &zero);
	if (!v || statement_text_read(&v->as_sent, text, text_end - text, len, whole))
		return 0;
	v->name = name;
	return bpf_map_update_elem(&verbatims, &key, v, BPF_ANY) ? 0 : name;
}

#endif
