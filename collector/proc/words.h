/* words.h - texts as codes, for a while: the hash of a text, and the text to find it by again.
 *
 *      words_clear(), code = words_code("eth0"), ... words_text(code) -> "eth0"
 *
 * Texts of this moment (the interfaces there are, the cgroups there are) are needed as labels in the
 * same moment, and never again.  The hash is key.h's, so a predicate's constant has the same code.
 * Memory  words_fini() frees; a zeroed one is empty.
 */
#ifndef HEATSCOPE_WORDS_H
#define HEATSCOPE_WORDS_H

#include <linux/types.h>
#include <stddef.h>

struct word {
	__u64 code;
	__u32 at;			/* of its text, NUL-terminated */
};

struct words {
	struct word *word;		/* open addressing; code 0: free */
	size_t n_words, n_buckets;
	char *text;
	size_t len, room;
};

void words_fini(struct words *w);
void words_clear(struct words *w);

__u64 words_hash(const char *text, size_t len);	/* never 0 */

/* Its code; where there is no memory for the text, it is shown as #hash. */
__u64 words_code(struct words *w, const char *text, size_t len);

/* The text of a code, cut to LABEL_MAX bytes, into out[LABEL_MAX + 1]. */
void words_text(const struct words *w, __u64 code, char *out);

#endif
