#include "collector/d/output/stack_print.h"

#include <string.h>

#define INDENT 14

/* Frames of the tracing itself are on top of a tracepoint's. */
static bool is_tracing(const char *symbol)
{
	const char *name = strchr(symbol, '`');

	return name && (!strncmp(name, "`bpf_", 5) || !strncmp(name, "`__traceiter_", 13) || !strncmp(name, "`__bpf_", 7));
}

void d_stack_print(struct d_symbols *s, bool is_user, const void *words, size_t len, FILE *out)
{
	const __u8 *at = words, *end = at + len;
	char text[D_SYMBOL_TEXT];
	bool on_top = !is_user;
	__u64 word, pid = 0;

	if (is_user) {
		memcpy(&pid, at, sizeof(pid));
		at += sizeof(pid);
	}
	fputc('\n', out);
	for (; at < end; at += sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		if (!word)
			return;
		if (is_user)
			d_symbols_user(s, (__u32)pid, word, text);
		else
			d_symbols_kernel(s, word, text);
		on_top = on_top && is_tracing(text);
		if (!on_top)
			fprintf(out, "%*s%s\n", INDENT, "", text);
	}
}
