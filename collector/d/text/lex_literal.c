#include "collector/d/text/lex_private.h"

#include <limits.h>
#include <string.h>

#define CHARACTER_MAX 8			/* bytes of a character constant */

/* ---- integers ---- */

static int digit_value(int c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

/* The first of int, unsigned int, long, unsigned long that holds the value; a decimal constant is unsigned only if its
 * suffix says so, or nothing else holds it. */
static void integer_type(struct d_token *t, bool decimal)
{
	__u64 v = t->value;

	if (!t->is_unsigned && !decimal && !t->is_long && v > INT_MAX && v <= UINT_MAX)
		t->is_unsigned = true;
	if (v > (t->is_unsigned ? UINT_MAX : INT_MAX))
		t->is_long = true;
	if (v > LONG_MAX)
		t->is_unsigned = true;
}

static bool integer_suffix(struct d_lexer *l, struct d_token *t)
{
	int n_long = 0, n_unsigned = 0;

	for (;; l->at++) {
		int c = lex_peek(l, 0);

		if (c == 'u' || c == 'U')
			n_unsigned++;
		else if (c == 'l' || c == 'L')
			n_long++;
		else
			break;
	}
	t->is_unsigned = n_unsigned;
	t->is_long = n_long;
	return n_unsigned <= 1 && n_long <= 2 && !is_name(lex_peek(l, 0));
}

struct d_token lex_integer(struct d_lexer *l)
{
	struct d_token t = { .kind = TOKEN_INT, .at = l->at };
	unsigned base = 10, digit;

	if (lex_peek(l, 0) == '0') {
		base = 8;
		if ((lex_peek(l, 1) == 'x' || lex_peek(l, 1) == 'X') && digit_value(lex_peek(l, 2)) < 16) {
			base = 16;
			l->at += 2;
		}
	}
	while ((digit = digit_value(lex_peek(l, 0))) < (base == 16 ? 16u : 10u)) {
		if (digit >= base)
			return lex_error(l, l->at, "D_INT_DIGIT", "octal constant contains invalid digit %u", digit);
		if (__builtin_mul_overflow(t.value, base, &t.value) || __builtin_add_overflow(t.value, digit, &t.value))
			return lex_error(l, t.at, "D_INT_OFLOW", "integer constant cannot be represented in 64 bits");
		l->at++;
	}
	if (lex_peek(l, 0) == '.' && base != 16)
		return lex_error(l, t.at, "D_SYNTAX", "floating-point constants are not permitted");
	if (!integer_suffix(l, &t))
		return lex_error(l, l->at, "D_SYNTAX", "invalid suffix of an integer constant");
	integer_type(&t, base == 10);
	t.len = l->at - t.at;
	return t;
}

/* ---- strings and characters ---- */

static int octal_escape(struct d_lexer *l)
{
	int value = 0;

	for (int i = 0; i < 3 && lex_peek(l, 0) >= '0' && lex_peek(l, 0) <= '7'; i++)
		value = value * 8 + lex_peek(l, 0) - '0', l->at++;
	return value & 255;
}

static int hex_escape(struct d_lexer *l)
{
	int value = 0;

	for (; digit_value(lex_peek(l, 0)) < 16; l->at++)
		value = (value * 16 + digit_value(lex_peek(l, 0))) & 255;
	return value;
}

/* After a backslash; moves over the escape.  -1: an escaped newline, which adds no character. */
static int escape(struct d_lexer *l)
{
	static const char letters[] = "abfnrtv", values[] = "\a\b\f\n\r\t\v";
	int c = lex_peek(l, 0);
	const char *at = c > 0 ? strchr(letters, c) : NULL;

	if (c >= '0' && c <= '7')
		return octal_escape(l);
	l->at++;
	if (c == 'x')
		return hex_escape(l);
	if (c == '\n')
		return -1;
	return at ? values[at - letters] : c;
}

struct d_token lex_string(struct d_lexer *l)
{
	struct d_token t = { .kind = TOKEN_STRING, .at = l->at++ };
	__u32 end = l->at;
	char *text;
	int c;

	while (end < l->script->len && l->script->text[end] != '"' && l->script->text[end] != '\n')
		end += l->script->text[end] == '\\' ? 2 : 1;
	text = d_alloc(l->arena, end - t.at + 1);
	if (!text)
		return lex_full(l, t.at);
	while ((c = lex_peek(l, 0)) != '"') {
		if (c < 0)
			return lex_error(l, t.at, "D_SYNTAX", "end-of-file encountered before matching \"");
		if (c == '\n')
			return lex_error(l, t.at, "D_STR_NL", "newline encountered in string literal");
		l->at++;
		if (c == '\\' && (lex_peek(l, 0) < 0 || (c = escape(l)) < 0))
			continue;
		text[t.text_len++] = c;
	}
	l->at++;
	t.text = text;
	t.len = l->at - t.at;
	return t;
}

/* A constant of several characters has the first one in its highest byte. */
struct d_token lex_character(struct d_lexer *l)
{
	struct d_token t = { .kind = TOKEN_INT, .at = l->at++ };
	int c, n = 0;

	while ((c = lex_peek(l, 0)) != '\'') {
		if (c < 0)
			return lex_error(l, t.at, "D_SYNTAX", "end-of-file encountered before matching '");
		if (c == '\n')
			return lex_error(l, t.at, "D_CHR_NL", "newline encountered in character constant");
		l->at++;
		if (c == '\\' && (lex_peek(l, 0) < 0 || (c = escape(l)) < 0))
			continue;
		if (n++ == CHARACTER_MAX)
			return lex_error(l, t.at, "D_CHR_OFLOW", "character constant is too long");
		t.value = t.value << 8 | (c & 255);
	}
	if (!n)
		return lex_error(l, t.at, "D_CHR_NULL", "empty character constant");
	if (n == 1)
		t.value = (__u64)(__s64)(signed char)t.value;		/* as in C: char is signed */
	l->at++;
	t.is_long = n > 4;
	t.len = l->at - t.at;
	return t;
}
