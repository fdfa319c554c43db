/* text.h - turns a text into a code, its hash, and a code back into its text.
 *
 *      kernel: text_remember() -> code, map `texts` {code: text}       host: text_label()
 *
 * The map keeps each text once and forgets those that were unused for longest.  The host shows the code of a forgotten
 * text as #hash.  A text that is one of our own words (clean.h) has its hash after it: "other #0123...".
 */
#ifndef HEATSCOPE_TEXT_H
#define HEATSCOPE_TEXT_H

#include <linux/types.h>

#define TEXT_MAX 108			/* the longest path of a Unix socket */
#define TEXTS_MAX 1024

struct text {
	char text[TEXT_MAX];		/* NUL-terminated; an abstract Unix name begins with NUL */
};

/* If the text fills all its bytes, it may end in the middle of a character: removes the incomplete character. */
static inline void text_cut(char *text)
{
	int i;

	if (!(text[TEXT_MAX - 2] & 0x80))
		return;
	for (i = TEXT_MAX - 2; i > TEXT_MAX - 6; i--) {
		int begins = (text[i] & 0xc0) == 0xc0;

		text[i] = 0;
		if (begins)
			return;
	}
}

#ifndef __bpf__
#include <stddef.h>

void text_label(int texts_fd, __u64 code, char *out);	/* LABEL_MAX + 1 bytes */

/* Finds the codes that text_label() may show as this text.  mark: the bits that text_remember() sets in the codes of
 * this field (text.bpf.h).  Returns how many there are, at most 3; -E2BIG: max is less than 3. */
int text_codes(const char *text, __u64 mark, __u64 *ret_code, size_t max);
#endif

#endif
