/* words.h - turns texts into codes, and codes back into texts, until words_clear().
 *
 *      words_clear(), code = words_code("eth0"), ... words_text(code) -> "eth0"
 *
 * The texts of one snapshot (the current interfaces, the current cgroups) are needed as labels only until its events
 * are sent.  A code is key.h's hash, so a predicate's constant has the same code.
 * Memory  words_fini() frees; a zeroed one is empty.
 */
#ifndef HEATSCOPE_WORDS_H
#define HEATSCOPE_WORDS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

struct word {
	__u64 code;
	__u32 at;			/* offset of its text, NUL-terminated */
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

/* Returns the code of a text.  If there is no memory for the text, it is later shown as #hash. */
__u64 words_code(struct words *w, const char *text, size_t len);

/* Copies the text of a code, cut to LABEL_MAX bytes, into out[LABEL_MAX + 1].  words_find(): false: there is none. */
bool words_find(const struct words *w, __u64 code, char *out);
void words_text(const struct words *w, __u64 code, char *out);

#endif
