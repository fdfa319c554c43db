/* lex_private.h - divides the lexer over its files: tokens, literals, control lines and macros. */
#ifndef HEATSCOPE_TEXT_LEX_PRIVATE_H
#define HEATSCOPE_TEXT_LEX_PRIVATE_H

#include "collector/d/text/lex.h"

#include <ctype.h>

static inline int lex_peek(const struct d_lexer *l, __u32 ahead)
{
	return l->at + ahead < l->script->len ? (unsigned char)l->script->text[l->at + ahead] : -1;
}

static inline bool is_name_begin(int c) { return c == '_' || c == '`' || (c > 0 && c < 128 && isalpha(c)); }
static inline bool is_name(int c) { return is_name_begin(c) || (c >= '0' && c <= '9'); }

struct d_token lex_error(struct d_lexer *l, __u32 at, const char *tag, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
struct d_token lex_full(struct d_lexer *l, __u32 at);		/* the arena is full */

/* lex_literal.c: each begins at l->at and moves it. */
struct d_token lex_integer(struct d_lexer *l);
struct d_token lex_string(struct d_lexer *l);
struct d_token lex_character(struct d_lexer *l);

/* lex_macro.c */
struct d_token lex_macro(struct d_lexer *l);			/* at a `$`, inside */
/* The text of a description, with its macros replaced. */
struct d_token lex_spec_macros(struct d_lexer *l, __u32 at, __u32 len);
int lex_control(struct d_lexer *l);				/* a line that begins with `#` */

#endif
