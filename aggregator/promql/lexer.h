/* lexer.h - cuts an expression of PromQL into tokens.
 *
 *      sum by (le) (rate(x_bucket{a="b"}[1m]))  --lexer_next()-->  name, name, (, name, ), ...
 *
 * Errors  lexer_next() returns a token of kind TOKEN_WRONG, and the sentence is in `reason`.
 * Memory  the text is borrowed; it ends with a NUL.
 * Pure    no loop, file or clock.  Thread: any.
 */
#ifndef HEATSCOPE_LEXER_H
#define HEATSCOPE_LEXER_H

#include "collector/core/metric.h"

#define LEXER_TEXT_MAX 1025		/* of a string, with its NUL */

enum token_kind {
	TOKEN_END, TOKEN_WRONG,
	TOKEN_NAME,			/* letters, digits, _ and : */
	TOKEN_NUMBER, TOKEN_DURATION,	/* 1.5; 1h30m */
	TOKEN_TEXT,			/* within quotes */
	TOKEN_SIGN,			/* one or two characters: ( ) { } [ ] , = != =~ !~ + - * / % ^ == > ... */
};

struct lexeme {
	enum token_kind kind;
	size_t at, len;			/* bytes of the expression */
	double number;
	__s64 duration_ns;
	char text[LEXER_TEXT_MAX];	/* of a string: what it says; of a name and a sign: itself */
};

struct lexer {
	const char *text;
	size_t at;
	char reason[REASON_MAX];
};

void lexer_next(struct lexer *l, struct lexeme *ret_lexeme);

/* Reads a whole text as a duration of Prometheus, such as 1h30m; -EINVAL: it is not one, or longer than 100 years. */
int duration_parse(const char *text, __s64 *ret_ns);

/* Writes it, as 1h30m. */
void duration_print(__s64 ns, char *out, size_t room);

#endif
