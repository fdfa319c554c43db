/* lex.h - cuts a D script into tokens.
 *
 *      script ->  outside braces: descriptions of probes, declarations   d_lex_top()
 *                 inside:         operators, names, literals             d_lex()
 *
 * D has two vocabularies: `syscall::*read*:entry` is one token outside braces and eight inside.  The parser knows where
 * it is, so it says which one it wants.  Comments and `#!` lines are skipped; `#pragma` lines are kept in a list.
 *
 * Shape   positions are bytes from the script's begin.  Literals are decoded.  `$1`, `$$1`, `$target` are replaced here.
 * Errors  TOKEN_ERROR, and *error says why; afterwards every token is TOKEN_ERROR.
 * Memory  texts of tokens are in the arena.
 */
#ifndef HEATSCOPE_TEXT_LEX_H
#define HEATSCOPE_TEXT_LEX_H

#include "collector/d/text/arena.h"
#include "collector/d/text/error.h"

#include <stdbool.h>

/* A token of one character has that character as its kind. */
enum d_token_kind {
	TOKEN_END = 256, TOKEN_ERROR,
	TOKEN_SPEC,			/* text: the description of a probe, or its number */
	TOKEN_NAME, TOKEN_AGG,		/* text: the name; of `@` alone it is "_" */
	TOKEN_INT, TOKEN_STRING,
	TOKEN_PREDICATE_END,		/* a slash before `{`, `;`, `/` or the end */
	TOKEN_ARROW, TOKEN_INC, TOKEN_DEC, TOKEN_SHL, TOKEN_SHR, TOKEN_LE, TOKEN_GE, TOKEN_EQ, TOKEN_NE,
	TOKEN_AND, TOKEN_OR, TOKEN_XOR, TOKEN_ELLIPSIS,
	TOKEN_ADD_TO, TOKEN_SUB_TO, TOKEN_MUL_TO, TOKEN_DIV_TO, TOKEN_MOD_TO,	/* += -= *= /= %= */
	TOKEN_AND_TO, TOKEN_OR_TO, TOKEN_XOR_TO, TOKEN_SHL_TO, TOKEN_SHR_TO,
	/* keywords, in the order of the table in lex.c */
	KEY_AUTO, KEY_BREAK, KEY_CASE, KEY_CHAR, KEY_CONST, KEY_CONTINUE, KEY_COUNTER, KEY_DEFAULT, KEY_DO, KEY_DOUBLE,
	KEY_ELSE, KEY_ENUM, KEY_EXTERN, KEY_FLOAT, KEY_FOR, KEY_GOTO, KEY_IF, KEY_IMPORT, KEY_INLINE, KEY_INT, KEY_LONG,
	KEY_OFFSETOF, KEY_PROBE, KEY_PROVIDER, KEY_REGISTER, KEY_RESTRICT, KEY_RETURN, KEY_SELF, KEY_SHORT, KEY_SIGNED,
	KEY_SIZEOF, KEY_STATIC, KEY_STRING, KEY_STRINGOF, KEY_STRUCT, KEY_SWITCH, KEY_THIS, KEY_TRANSLATOR, KEY_TYPEDEF,
	KEY_UNION, KEY_UNSIGNED, KEY_USERLAND, KEY_VOID, KEY_VOLATILE, KEY_WHILE, KEY_XLATE, KEY_END,
};

struct d_token {
	int kind;
	__u32 at, len;			/* of its text in the script */
	const char *text;		/* name, decoded string, description */
	size_t text_len;
	__u64 value;			/* TOKEN_INT */
	bool is_unsigned, is_long;	/* TOKEN_INT: its type is int, unsigned int, long or unsigned long */
};

/* The texts and numbers that `$1` and `$name` stand for. */
struct d_macros {
	const char *script;		/* $0 */
	const char *const *argument;	/* $1 is [0] */
	unsigned n_arguments;
	int target;			/* 0: there is none */
	bool default_arguments;		/* a missing $1 is 0, a missing $$1 is "" */
	__u64 used;			/* out: bit n: $n+1 occurs, of the first 64 */
};

struct d_pragma {
	struct d_pragma *next;
	__u32 at;
	const char *key, *value;	/* `#pragma D option key=value`; value NULL: no `=` */
};

struct d_lexer {
	const struct d_script *script;
	struct d_arena *arena;
	struct d_macros *macros;
	struct d_error *error;
	struct d_pragma *pragmas, **pragmas_end;
	__u32 at;
};

void d_lex_init(struct d_lexer *l, const struct d_script *s, struct d_arena *a, struct d_macros *m, struct d_error *e);

/* The next token inside braces, predicates and declarations. */
struct d_token d_lex(struct d_lexer *l);

/* The next token outside braces: a description, a keyword or name that can only begin a declaration, or one of , ; { } /
 * `is_type` says whether a name is a type's.  only_specs: a name is a description, also that of a type (-n). */
struct d_token d_lex_top(struct d_lexer *l, bool (*is_type)(const void *types, const char *name), const void *types,
			 bool only_specs);

const char *d_token_name(int kind);	/* for messages: "+=", "sizeof", "identifier" */

#endif
