/* mysql_digest.h - which statement a text is, whatever its literals: its tokens, read byte by byte, as one hash.
 *
 *      "SELECT c FROM t WHERE id IN (5, 7) -- x"  -> digest_byte() each -> digest_code()
 *                                                    the hash of "select c from t where id in ( ? )"
 *
 * Words    (keywords, names, numbers in names) in lower case, also between backquotes; between tokens one space.
 * Literals numbers, texts, x'..', b'..', null, true, false, a prepared statement's parameter, and a sign before one that is
 *          not an operator between two: all `?`.
 * Lists    literals with commas between are one literal, and "( ? )" with commas between one group: in (1, 2, 3),
 *          values (1, 'a'), (2, 'b').
 * Nothing  white space, comments, optimizer hints, semicolons at the end.  The content of an executable comment counts.
 * Cut      Of a text that is longer than what is looked at, a word that was begun last does not count.
 * Quotes   A backslash escapes and "" are texts, as by default; where the server says otherwise, digest_byte() is told.
 *          Comments are read as the servers do; mysql_statement.h, which looks for a first word only, takes "--" for one always.
 * Table    The first table that is named is found beside (table.h), where digest_begin() is told so.
 * Both     pure; fuzzed by fuzz_mysql_digest.  Inlined where they can be: the kernel allows 8 calls in each other.
 *
 * The rules are those of MariaDB's and MySQL's performance_schema (sql/sql_digest.cc) but where the manual says otherwise.
 */
#ifndef HEATSCOPE_MYSQL_DIGEST_H
#define HEATSCOPE_MYSQL_DIGEST_H

#include "digest.h"

enum digest_state {
	DIGEST_BETWEEN, DIGEST_WORD, DIGEST_ZERO, DIGEST_NUMBER, DIGEST_EXPONENT, DIGEST_HEX, DIGEST_DOT,
	DIGEST_STRING, DIGEST_ESCAPE, DIGEST_STRING_END, DIGEST_NAME,
	DIGEST_SIGN, DIGEST_DASHES, DIGEST_LINE, DIGEST_SLASH, DIGEST_OPEN, DIGEST_OPEN_M, DIGEST_VERSION, DIGEST_BLOCK,
	DIGEST_BLOCK_STAR, DIGEST_STAR,
};

/* ---- words ---- */

static __always_inline int digest_letter(__u8 byte)
{
	__u8 lower = byte | 32;

	return (lower >= 'a' && lower <= 'z') || byte == '_' || byte == '$' || byte == '@' || byte >= 0x80;
}

/* x'..', b'..', n'..', _utf8'..': the word before the quote belongs to the literal. */
static __always_inline int digest_word_is_prefix(const struct digest *d)
{
	return (d->word & 255) == '_' || (d->n == 1 && (d->word == 'x' || d->word == 'b' || d->word == 'n'));
}

/* ---- bytes ---- */

static __always_inline __u8 digest_between(struct digest *d, __u8 byte)
{
	if (byte <= ' ')
		return DIGEST_BETWEEN;
	if (digest_letter(byte)) {
		digest_word_begin(d);
		digest_word_byte(d, byte);
		return DIGEST_WORD;
	}
	if (digest_digit(byte)) {
		digest_literal(d);
		return byte == '0' ? DIGEST_ZERO : DIGEST_NUMBER;
	}
	switch (byte) {
	case '\'': case '"':
		digest_literal(d);
		d->quote = byte;
		return DIGEST_STRING;
	case '`':
		digest_word_begin(d);
		return DIGEST_NAME;
	case '?':
		digest_literal(d);
		return DIGEST_BETWEEN;
	case '-': case '+':
		d->sign = byte;
		return DIGEST_SIGN;
	case '.':
		if (!d->operand)
			return DIGEST_DOT;
		break;
	case '#':
		return DIGEST_LINE;
	case '/':
		return DIGEST_SLASH;
	case '*':
		if (d->executable)
			return DIGEST_STAR;
		break;
	}
	digest_punctuation(d, byte);
	return DIGEST_BETWEEN;
}

static __always_inline __u8 digest_after_word(struct digest *d, __u8 byte)
{
	if ((byte == '\'' || byte == '"') && digest_word_is_prefix(d))
		digest_word_undo(d);
	else
		digest_word_end(d);
	return DIGEST_AGAIN;
}

static __always_inline __u8 digest_in_word(struct digest *d, __u8 byte)
{
	if (!digest_letter(byte) && !digest_digit(byte))
		return digest_after_word(d, byte);
	digest_word_byte(d, byte);
	return DIGEST_WORD;
}

static __always_inline __u8 digest_in_number(struct digest *d, __u8 byte)
{
	if ((byte | 32) == 'e')
		return DIGEST_EXPONENT;
	return digest_letter(byte) || digest_digit(byte) || byte == '.' ? DIGEST_NUMBER : DIGEST_AGAIN;
}

/* A number that begins with its point. */
static __always_inline __u8 digest_after_dot(struct digest *d, __u8 byte)
{
	if (digest_digit(byte)) {
		digest_literal(d);
		return DIGEST_NUMBER;
	}
	digest_punctuation(d, '.');
	return DIGEST_AGAIN;
}

static __always_inline __u8 digest_in_string(const struct digest *d, __u8 byte)
{
	if (byte == '\\' && !d->plain)
		return DIGEST_ESCAPE;
	return byte == d->quote ? DIGEST_STRING_END : DIGEST_STRING;
}

static __always_inline __u8 digest_in_name(struct digest *d, __u8 byte)
{
	if (byte == '`') {
		d->operand = 1;
		table_name_end(&d->table);
		return DIGEST_BETWEEN;
	}
	digest_put(d, digest_lower(byte));
	table_word_byte(&d->table, byte);
	return DIGEST_NAME;
}

/* After a sign, perhaps with spaces behind it. */
static __always_inline __u8 digest_after_sign(struct digest *d, __u8 byte)
{
	if (byte == '-' && d->sign == '-')
		return DIGEST_DASHES;
	if (!d->operand && (digest_digit(byte) || byte == '.')) {
		digest_literal(d);
		return DIGEST_NUMBER;
	}
	if (!d->operand && byte <= ' ') {
		d->sign |= 128;		/* no comment any more */
		return DIGEST_SIGN;
	}
	digest_punctuation(d, d->sign & 127);
	return DIGEST_AGAIN;
}

/* "--" is a comment only with white space behind it. */
static __always_inline __u8 digest_after_dashes(struct digest *d, __u8 byte)
{
	if (byte == '\n')
		return DIGEST_BETWEEN;
	if (byte <= ' ')
		return DIGEST_LINE;
	digest_punctuation(d, '-');
	d->sign = '-';
	return digest_after_sign(d, byte);
}

static __always_inline __u8 digest_in_block_star(__u8 byte)
{
	if (byte == '/')
		return DIGEST_BETWEEN;
	return byte == '*' ? DIGEST_BLOCK_STAR : DIGEST_BLOCK;
}

/* Just after slash-star, or slash-star-M. */
static __always_inline __u8 digest_after_open(struct digest *d, __u8 byte)
{
	if (byte == '!') {
		d->executable = 1;
		return DIGEST_VERSION;
	}
	if (d->state == DIGEST_OPEN && byte == 'M')
		return DIGEST_OPEN_M;
	return byte == '*' ? DIGEST_BLOCK_STAR : DIGEST_BLOCK;
}

static __always_inline __u8 digest_after_slash(struct digest *d, __u8 byte)
{
	if (byte == '*')
		return DIGEST_OPEN;
	digest_punctuation(d, '/');
	return DIGEST_AGAIN;
}

static __always_inline __u8 digest_after_star(struct digest *d, __u8 byte)
{
	if (byte == '/') {
		d->executable = 0;
		return DIGEST_BETWEEN;
	}
	digest_punctuation(d, '*');
	return DIGEST_AGAIN;
}

/* The state after a byte, or DIGEST_AGAIN. */
static __always_inline __u8 digest_next(struct digest *d, __u8 byte)
{
	switch (d->state) {
	case DIGEST_BETWEEN:
		return DIGEST_AGAIN;
	case DIGEST_WORD:
		return digest_in_word(d, byte);
	case DIGEST_ZERO:
		return (byte | 32) == 'x' ? DIGEST_HEX : digest_in_number(d, byte);
	case DIGEST_NUMBER:
		return digest_in_number(d, byte);
	case DIGEST_HEX:
		return digest_letter(byte) || digest_digit(byte) ? DIGEST_HEX : DIGEST_AGAIN;
	case DIGEST_DOT:
		return digest_after_dot(d, byte);
	case DIGEST_EXPONENT:
		return byte == '-' || byte == '+' ? DIGEST_NUMBER : digest_in_number(d, byte);
	case DIGEST_STRING:
		return digest_in_string(d, byte);
	case DIGEST_ESCAPE:
		return DIGEST_STRING;
	case DIGEST_STRING_END:
		return byte == d->quote ? DIGEST_STRING : DIGEST_AGAIN;
	case DIGEST_NAME:
		return digest_in_name(d, byte);
	case DIGEST_SIGN:
		return digest_after_sign(d, byte);
	case DIGEST_DASHES:
		return digest_after_dashes(d, byte);
	case DIGEST_LINE:
		return byte == '\n' ? DIGEST_BETWEEN : DIGEST_LINE;
	case DIGEST_SLASH:
		return digest_after_slash(d, byte);
	case DIGEST_OPEN: case DIGEST_OPEN_M:
		return digest_after_open(d, byte);
	case DIGEST_VERSION:
		return digest_digit(byte) ? DIGEST_VERSION : DIGEST_AGAIN;
	case DIGEST_BLOCK:
		return byte == '*' ? DIGEST_BLOCK_STAR : DIGEST_BLOCK;
	case DIGEST_BLOCK_STAR:
		return digest_in_block_star(byte);
	case DIGEST_STAR:
		return digest_after_star(d, byte);
	}
	return d->state;
}

static __always_inline void digest_byte(struct digest *d, __u8 byte)
{
	__u8 next = digest_next(d, byte);

	d->state = next == DIGEST_AGAIN ? digest_between(d, byte) : next;
}

/* A mark that waits for what comes behind it; 0: none. */
static __always_inline __u8 digest_waits(const struct digest *d)
{
	switch (d->state) {
	case DIGEST_SIGN:
		return d->sign & 127;
	case DIGEST_SLASH:
		return '/';
	case DIGEST_STAR:
		return '*';
	case DIGEST_DOT:
		return '.';
	}
	return 0;
}

/* The code, at the end of the text (`whole`) or of what is looked at.  Once: the last word is ended by it. */
static __always_inline __u64 digest_code(struct digest *d, int whole)
{
	if (d->state == DIGEST_WORD && whole)
		digest_word_end(d);
	else if (d->state == DIGEST_WORD || d->state == DIGEST_NAME)
		digest_word_undo(d);
	else if (whole && digest_waits(d))
		digest_punctuation(d, digest_waits(d));
	return d->hash > DIGEST_UNKNOWN ? d->hash : DIGEST_UNKNOWN + 1;
}

#endif
