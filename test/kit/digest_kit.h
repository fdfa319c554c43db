/* digest_kit.h - makes random statements whose digest is known, for test_digest of mysql/ and of postgresql/.
 *
 *      digests_are_of_the_tokens(mysql_digest_read, &mysql_style)
 *
 * Each statement is written twice, with other literals, lengths of lists, white space, comments and capitals.  Both
 * have one code, and their label has the tokens that the generator put together.
 */
#ifndef HEATSCOPE_DIGEST_KIT_H
#define HEATSCOPE_DIGEST_KIT_H

#include "collector/server/digest_text.h"
#include "collector/core/slice.h"
#include "test/kit/check.h"
#include "test/kit/digest_text_kit.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct digest_style {
	const char *words[12], *literals[12], *blanks[8];	/* NULL at the end */
};

struct written {
	char sql[8192], want[1024];
	size_t n;
};

static const char *one_of(const char *const *of, unsigned *seed)
{
	size_t n = 0;

	while (of[n])
		n++;
	return of[(size_t)rand_r(seed) % n];
}

static void write_text(struct written *w, const char *text)
{
	strcpy(w->sql + w->n, text);
	w->n += strlen(text);
}

static void write_blank(struct written *w, const struct digest_style *style, unsigned *seed)
{
	write_text(w, " ");
	if (rand_r(seed) % 4 == 0)
		write_text(w, one_of(style->blanks, seed));
}

static void write_list(struct written *w, const struct digest_style *style, unsigned *seed)
{
	write_text(w, "(");
	for (unsigned n = 1 + (unsigned)rand_r(seed) % 9; n; n--) {
		write_blank(w, style, seed);
		write_text(w, one_of(style->literals, seed));
		write_blank(w, style, seed);
		write_text(w, n > 1 ? "," : ")");
	}
}

static void write_value(struct written *w, const struct digest_style *style, unsigned kind, unsigned *seed)
{
	static const char *const marks[] = { "=", "<", ">", "%", "( )" };

	if (kind < 5) {
		write_text(w, marks[kind]);
		strcat(strcat(w->want, " "), marks[kind]);
	} else if (kind < 8) {
		write_text(w, one_of(style->literals, seed));
		strcat(w->want, " ?");
	} else {
		for (unsigned n = kind == 8 ? 1 : 1 + (unsigned)rand_r(seed) % 5; n; n--) {
			write_list(w, style, seed);
			write_text(w, n > 1 ? " , " : "");
		}
		strcat(w->want, " ( ? )");
	}
}

/* shape: which tokens; seed: how they are written. */
static void statement_write(struct written *w, const struct digest_style *style, unsigned shape, unsigned seed)
{
	w->n = 0;
	w->want[0] = 0;
	for (unsigned n = 1 + (unsigned)rand_r(&shape) % 10; n; n--) {
		const char *word = one_of(style->words, &shape);
		size_t at;

		write_blank(w, style, &seed);
		at = w->n;
		write_text(w, word);
		strcat(strcat(w->want, " "), word);
		for (; word[0] != '"' && at < w->n; at++)
			w->sql[at] = (char)(rand_r(&seed) % 2 ? toupper(w->sql[at]) : w->sql[at]);
		write_blank(w, style, &seed);
		if (rand_r(&shape) % 3)
			write_value(w, style, (unsigned)rand_r(&shape) % 10, &seed);
	}
	write_text(w, rand_r(&seed) % 3 ? "" : " ; ");
}

static void digests_are_of_the_tokens(digest_reader *read, const struct digest_style *style)
{
	static struct written a, b;
	char label[LABEL_MAX + 1], other[LABEL_MAX + 1];

	for (unsigned i = 0; i < 50000; i++) {
		statement_write(&a, style, i, 2 * i);
		statement_write(&b, style, i, 2 * i + 1);
		if (digest_text_by(read, a.sql, a.n, 1, label) != digest_text_by(read, b.sql, b.n, 1, other) || strcmp(label, other))
			fail_msg("\"%s\" and \"%s\"", a.sql, b.sql);
		if (strcmp(label, a.want + 1))
			fail_msg("\"%s\" is \"%s\", not \"%s\"", a.sql, label, a.want + 1);
	}
}

#endif
