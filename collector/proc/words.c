#include "collector/proc/words.h"
#include "collector/core/field_codes.h"
#include "collector/core/key.h"
#include "collector/core/slice.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void words_fini(struct words *w)
{
	free(w->word);
	free(w->text);
	memset(w, 0, sizeof(*w));
}

void words_clear(struct words *w)
{
	if (w->n_words)
		memset(w->word, 0, w->n_buckets * sizeof(*w->word));
	w->n_words = w->len = 0;
}

__u64 words_hash(const char *text, size_t len)
{
	__u64 hash = HASH_SEED;

	while (len--)
		hash = hash_byte(hash, (__u8)*text++);
	return hash ? hash : 1;
}

static struct word *word_at(const struct words *w, __u64 code)
{
	size_t at = code & (w->n_buckets - 1);

	while (w->word[at].code && w->word[at].code != code)
		at = (at + 1) & (w->n_buckets - 1);
	return &w->word[at];
}

static int words_grow(struct words *w)
{
	struct words more = { .n_buckets = w->n_buckets ? 2 * w->n_buckets : 64 };

	more.word = calloc(more.n_buckets, sizeof(*more.word));
	if (!more.word)
		return -ENOMEM;
	for (size_t i = 0; i < w->n_buckets; i++)
		if (w->word[i].code)
			*word_at(&more, w->word[i].code) = w->word[i];
	free(w->word);
	w->word = more.word;
	w->n_buckets = more.n_buckets;
	return 0;
}

static int text_grow(struct words *w, size_t len)
{
	size_t room = w->room ? 2 * w->room : 4096;
	char *text;

	if (w->len + len <= w->room)
		return 0;
	if (room < w->len + len)
		room = w->len + len;
	text = realloc(w->text, room);
	if (!text)
		return -ENOMEM;
	w->text = text;
	w->room = room;
	return 0;
}

__u64 words_code(struct words *w, const char *text, size_t len)
{
	__u64 code = words_hash(text, len);
	struct word *word;
	size_t kept = len < LABEL_MAX ? len : LABEL_MAX;

	if (2 * w->n_words >= w->n_buckets && words_grow(w))
		return code;
	word = word_at(w, code);
	if (word->code || text_grow(w, kept + 1))
		return code;
	*word = (struct word){ code, (__u32)w->len };
	memcpy(w->text + w->len, text, kept);
	w->text[w->len + kept] = 0;
	w->len += kept + 1;
	w->n_words++;
	return code;
}

bool words_find(const struct words *w, __u64 code, char *out)
{
	const struct word *word = w->n_buckets && code ? word_at(w, code) : NULL;

	if (!word || !word->code)
		return false;
	snprintf(out, LABEL_MAX + 1, "%s", w->text + word->at);
	return true;
}

void words_text(const struct words *w, __u64 code, char *out)
{
	if (!words_find(w, code, out))
		codes_hash_label(code, out);
}
