#include "collector/d/output/stack_print.h"
#include "collector/d/check/program.h"

#include <string.h>

#define INDENT 14
#define WORD sizeof(__u64)

static __u64 word_at(const void *words, size_t i)
{
	__u64 word;

	memcpy(&word, (const __u8 *)words + i * WORD, WORD);
	return word;
}

static bool is_tracing(const char *symbol)
{
	const char *name = strchr(symbol, '`');

	return name && (!strncmp(name, "`bpf_", 5) || !strncmp(name, "`__traceiter_", 13) || !strncmp(name, "`__bpf_", 7));
}

/* How many frames of the tracing itself are on top of a kernel's stack. */
static size_t top_of(struct d_symbols *s, const void *words)
{
	char text[D_SYMBOL_TEXT];
	size_t top = 0;

	while (top < D_TRACING_FRAMES && word_at(words, top) && is_tracing(d_symbols_kernel(s, word_at(words, top), text)))
		top++;
	return top;
}

void d_stack_trim(struct d_symbols *s, void *words, size_t len)
{
	size_t top = top_of(s, words), frames = len / WORD - D_TRACING_FRAMES;

	memmove(words, (__u8 *)words + top * WORD, frames * WORD);
	memset((__u8 *)words + frames * WORD, 0, D_TRACING_FRAMES * WORD);
}

void d_stack_print(struct d_symbols *s, bool is_user, const void *words, size_t len, FILE *out)
{
	__u32 pid = is_user ? (__u32)word_at(words, 0) : 0;
	size_t i = is_user ? 1 : top_of(s, words), end = is_user ? len / WORD : len / WORD - D_TRACING_FRAMES + i;
	char text[D_SYMBOL_TEXT];

	fputc('\n', out);
	for (; i < end && word_at(words, i); i++)
		fprintf(out, "%*s%s\n", INDENT, "",
			is_user ? d_symbols_user(s, pid, word_at(words, i), text) : d_symbols_kernel(s, word_at(words, i), text));
}
