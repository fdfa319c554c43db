/* scan.h - reads the words and numbers of a text of /proc or /sys, line by line.
 *
 *      struct scan text = scan_of(data, len), line, word;
 *      while (scan_line(&text, &line))
 *              if (scan_word(&line, &word) && scan_number(&line, &n)) ...
 *
 * A piece borrows from the text; it has no NUL at its end, and may contain any byte.
 * Pure    no file.  Each function returns 0 if the piece is missing, and reads nothing beyond the text.
 */
#ifndef HEATSCOPE_SCAN_H
#define HEATSCOPE_SCAN_H

#include <linux/types.h>
#include <stddef.h>
#include <string.h>

struct scan {
	const char *at, *end;
};

static inline struct scan scan_of(const void *data, size_t len)
{
	return (struct scan){ data, (const char *)data + len };
}

static inline size_t scan_len(const struct scan *s) { return (size_t)(s->end - s->at); }

/* Takes the next line, without its newline; 0: no line is left. */
static inline int scan_line(struct scan *text, struct scan *ret_line)
{
	const char *newline;

	if (text->at == text->end)
		return 0;
	newline = memchr(text->at, '\n', scan_len(text));
	*ret_line = (struct scan){ text->at, newline ? newline : text->end };
	text->at = newline ? newline + 1 : text->end;
	return 1;
}

/* Takes the text up to the next blank, tab or one of `stops` (which may be ""), and that character, too. */
static inline int scan_until(struct scan *line, const char *stops, struct scan *ret_word)
{
	while (line->at < line->end && (*line->at == ' ' || *line->at == '\t'))
		line->at++;
	if (line->at == line->end)
		return 0;
	ret_word->at = line->at;
	while (line->at < line->end && *line->at && *line->at != ' ' && *line->at != '\t' && !strchr(stops, *line->at))
		line->at++;
	ret_word->end = line->at;
	if (line->at < line->end)
		line->at++;
	return 1;
}

static inline int scan_word(struct scan *line, struct scan *ret_word)
{
	return scan_until(line, "", ret_word);
}

static inline int scan_is(const struct scan *word, const char *text)
{
	return scan_len(word) == strlen(text) && !memcmp(word->at, text, scan_len(word));
}

/* Reads the whole piece as a number; 0: it is not a number, or does not fit in 64 bits. */
static inline int scan_digits(const struct scan *word, __u64 *ret)
{
	__u64 n = 0;

	if (word->at == word->end)
		return 0;
	for (const char *c = word->at; c < word->end; c++) {
		if (*c < '0' || *c > '9' || n > (~0ull - 9) / 10)
			return 0;
		n = n * 10 + (__u64)(*c - '0');
	}
	*ret = n;
	return 1;
}

/* Takes the next word as a number. */
static inline int scan_number(struct scan *line, __u64 *ret)
{
	struct scan word;

	return scan_word(line, &word) && scan_digits(&word, ret);
}

/* Takes n numbers: number i is value[column[i]]; a column below 0 is passed over.  0: one is missing. */
static inline int scan_columns(struct scan *line, const int *column, size_t n, __u64 *value)
{
	__u64 number;

	for (size_t i = 0; i < n; i++) {
		if (!scan_number(line, &number))
			return 0;
		if (column[i] >= 0)
			value[column[i]] = number;
	}
	return 1;
}

#endif
