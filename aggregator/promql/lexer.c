#include "aggregator/promql/lexer.h"

#include "collector/core/refuse.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- durations ---- */

static const struct unit {
	const char *name;
	__s64 ns;
} units[] = {				/* in the order in which a duration has them */
	{ "y", 31536000000000000 }, { "w", 604800000000000 }, { "d", 86400000000000 }, { "h", 3600000000000 },
	{ "m", 60000000000 }, { "s", 1000000000 }, { "ms", 1000000 },
};
#define N_UNITS (sizeof(units) / sizeof(*units))
#define DURATION_MAX (100 * units[0].ns)

/* Returns the index of the unit that begins here; N_UNITS: none. */
static size_t unit_at(const char *text)
{
	size_t len = strspn(text, "ywdhms"), i = 0;

	len = len > 1 && strncmp(text, "ms", 2) ? 1 : len > 2 ? 2 : len;
	while (i < N_UNITS && (strlen(units[i].name) != len || strncmp(units[i].name, text, len)))
		i++;
	return i;
}

/* Returns the length of the duration that begins here; 0: none. */
static size_t duration_at(const char *text, __s64 *ret_ns)
{
	size_t at = 0, from = 0;
	__s64 ns = 0;

	while (isdigit((unsigned char)text[at])) {
		char *end;
		unsigned long long n = strtoull(text + at, &end, 10);
		size_t unit = unit_at(end);

		if (unit == N_UNITS || unit < from || n > (unsigned long long)(DURATION_MAX / units[unit].ns))
			return 0;
		ns += (__s64)n * units[unit].ns;
		if (ns > DURATION_MAX)
			return 0;
		from = unit + 1;
		at = (size_t)(end - text) + strlen(units[unit].name);
	}
	*ret_ns = ns;
	return at;
}

int duration_parse(const char *text, __s64 *ret_ns)
{
	__s64 ns;
	size_t len = duration_at(text, &ns);

	if (!len || text[len])
		return -EINVAL;
	*ret_ns = ns;
	return 0;
}

void duration_print(__s64 ns, char *out, size_t room)
{
	size_t at = 0;

	snprintf(out, room, "0s");
	for (size_t i = 0; i < N_UNITS && at < room; ns %= units[i].ns, i++)
		if (ns / units[i].ns)
			at += (size_t)snprintf(out + at, room - at, "%lld%s", (long long)(ns / units[i].ns), units[i].name);
}

/* ---- texts ---- */

static int digits_at(const char *text, size_t n, int base)
{
	int value = 0;

	for (size_t i = 0; i < n; i++) {
		int c = tolower((unsigned char)text[i]), digit = c >= 'a' ? c - 'a' + 10 : c - '0';

		if (!isxdigit(c) || digit >= base)
			return -1;
		value = value * base + digit;
	}
	return value;
}

static size_t put_code(unsigned code, char *out)
{
	if (code < 0x80) {
		out[0] = (char)code;
		return 1;
	}
	if (code < 0x800) {
		out[0] = (char)(0xc0 | code >> 6);
		out[1] = (char)(0x80 | (code & 63));
		return 2;
	}
	if (code < 0x10000) {
		out[0] = (char)(0xe0 | code >> 12);
		out[1] = (char)(0x80 | (code >> 6 & 63));
		out[2] = (char)(0x80 | (code & 63));
		return 3;
	}
	out[0] = (char)(0xf0 | code >> 18);
	out[1] = (char)(0x80 | (code >> 12 & 63));
	out[2] = (char)(0x80 | (code >> 6 & 63));
	out[3] = (char)(0x80 | (code & 63));
	return 4;
}

/* Reads what follows a backslash, as in Go.  Returns its length; 0: it is invalid. */
static size_t escape_at(const char *text, char quote, char *out, size_t *ret_len)
{
	static const char names[] = "abfnrtv\\", codes[] = "\a\b\f\n\r\t\v\\";
	const char *name = *text ? strchr(names, *text) : NULL;
	size_t n = *text == 'x' ? 2 : *text == 'u' ? 4 : *text == 'U' ? 8 : isdigit((unsigned char)*text) ? 3 : 0;
	bool is_octal = n == 3;
	int value;

	*ret_len = 1;
	if (name || (*text && *text == quote)) {
		*out = name ? codes[name - names] : quote;
		return 1;
	}
	value = n ? digits_at(text + !is_octal, n, is_octal ? 8 : 16) : -1;
	if (value <= 0 || value > 0x10ffff || (n < 4 && value > 255) || (n >= 4 && value >= 0xd800 && value < 0xe000))
		return 0;
	if (n < 4)
		*out = (char)value;
	else
		*ret_len = put_code((unsigned)value, out);
	return n + !is_octal;
}

static void read_text(struct lexer *l, struct lexeme *t)
{
	const char *at = l->text + l->at + 1;
	char quote = at[-1];
	size_t len = 0;

	for (; *at && *at != quote; at++) {
		size_t n = 1, used;

		if (len + 5 > sizeof(t->text)) {
			t->kind = TOKEN_WRONG;
			refuse_because(l->reason, REASON_MAX, "a text has more than %d bytes", LEXER_TEXT_MAX - 5);
			return;
		}
		if (quote != '`' && *at == '\n')
			break;
		if (quote == '`' || *at != '\\') {
			t->text[len++] = *at;
			continue;
		}
		used = escape_at(at + 1, quote, t->text + len, &n);
		if (!used) {
			t->kind = TOKEN_WRONG;
			refuse_because(l->reason, REASON_MAX, "the text has an invalid escape: \\%.1s", at + 1);
			return;
		}
		len += n;
		at += used;
	}
	t->text[len] = 0;
	t->kind = *at == quote ? TOKEN_TEXT : TOKEN_WRONG;
	if (t->kind == TOKEN_WRONG)
		refuse_because(l->reason, REASON_MAX, "the text has no closing quote");
	t->len = (size_t)(at + 1 - l->text) - t->at;
}

/* ---- the others ---- */

static bool is_name(char c) { return isalnum((unsigned char)c) || c == '_' || c == ':'; }

static void take(const struct lexer *l, struct lexeme *t, enum token_kind kind, size_t len)
{
	t->kind = kind;
	t->len = len;
	snprintf(t->text, sizeof(t->text), "%.*s", (int)(len < sizeof(t->text) ? len : sizeof(t->text) - 1), l->text + t->at);
}

static void read_number(struct lexer *l, struct lexeme *t)
{
	const char *text = l->text + l->at;
	size_t len = duration_at(text, &t->duration_ns);
	char *end;

	if (len && (!is_name(text[len]) || text[len] == ':') && text[len] != '.') {
		take(l, t, TOKEN_DURATION, len);
		return;
	}
	t->number = strtod(text, &end);
	take(l, t, TOKEN_NUMBER, (size_t)(end - text));
	if (end == text || is_name(*end) || memchr(text, 'p', (size_t)(end - text))) {
		t->kind = TOKEN_WRONG;
		refuse_because(l->reason, REASON_MAX, "this is no number");
	}
}

static void read_name(struct lexer *l, struct lexeme *t)
{
	const char *text = l->text + l->at;
	size_t len = 0;

	while (is_name(text[len]))
		len++;
	take(l, t, TOKEN_NAME, len);
	if (len >= LEXER_TEXT_MAX) {
		t->kind = TOKEN_WRONG;
		refuse_because(l->reason, REASON_MAX, "a name has more than %d bytes", LEXER_TEXT_MAX - 1);
	}
}

static void read_sign(struct lexer *l, struct lexeme *t)
{
	static const char *const two[] = { "!=", "=~", "!~", "==", "<=", ">=" };
	const char *text = l->text + l->at;
	size_t len = 1;

	for (size_t i = 0; i < sizeof(two) / sizeof(*two); i++)
		if (!strncmp(text, two[i], 2))
			len = 2;
	take(l, t, TOKEN_SIGN, len);
	if (len == 1 && !strchr("(){}[],=+-*/%^<>@:", *text)) {
		t->kind = TOKEN_WRONG;
		if (isprint((unsigned char)*text))
			refuse_because(l->reason, REASON_MAX, "the character %c does not belong here", *text);
		else
			refuse_because(l->reason, REASON_MAX, "the byte 0x%02x does not belong here", (unsigned char)*text);
	}
}

static void skip_blanks(struct lexer *l)
{
	while (l->text[l->at] && strchr(" \t\r\n#", l->text[l->at]))
		l->at += l->text[l->at] == '#' ? strcspn(l->text + l->at, "\n") : 1;
}

void lexer_next(struct lexer *l, struct lexeme *ret_lexeme)
{
	struct lexeme *t = ret_lexeme;
	char c;

	skip_blanks(l);
	c = l->text[l->at];
	t->at = l->at;
	t->len = 0;
	t->text[0] = 0;
	t->kind = TOKEN_END;
	if (!c)
		return;
	if (c == '"' || c == '\'' || c == '`')
		read_text(l, t);
	else if (isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)l->text[l->at + 1])))
		read_number(l, t);
	else if (isalpha((unsigned char)c) || c == '_' || (c == ':' && is_name(l->text[l->at + 1])))
		read_name(l, t);
	else
		read_sign(l, t);
	l->at = t->at + t->len;
}
