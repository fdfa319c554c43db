/* digest.h - makes one hash of a PostgreSQL statement's tokens without its literals: the dialect for server/digest.h.
 *
 *      "SELECT c FROM t WHERE id IN ($1, 7) -- x"  -> digest_byte() each -> digest_code()
 *                                                     the hash of "select c from t where id in ( ? )"
 *
 * Words    are hashed in lower case.  A name between double quotes keeps its quotes and its case.
 * Literals are hashed as `?`: numbers, '..', E'..', B'..', X'..', N'..', $$..$$, $tag$..$tag$, parameters ($1), null,
 *          true, false.  A sign before a number belongs to the number, unless it stands between two operands.  The
 *          operator `?` is a `?`, too, and so is the statement's name in DEALLOCATE: drivers make a new name each time.
 * Ignored  are white space, comments (also nested) and semicolons at the end.
 * Casts    `::` is one token.
 * Cut      if only the begin of the text is read, the word at the cut is left out, and the code differs from that of a
 *          text that ends there.
 * Strings  as with standard_conforming_strings, the default.  With other settings texts are not read (parse.h).
 * First    `first` has the text's first word, or STATEMENT_MISC if it begins with something else.
 *
 * The rules are those of the server's lexer (src/backend/parser/scan.l).
 */
#ifndef HEATSCOPE_POSTGRESQL_DIGEST_H
#define HEATSCOPE_POSTGRESQL_DIGEST_H

#define DIGEST_FOLDS_NAMES
#include "collector/server/digest.h"
#include "collector/postgresql/statement.h"

enum digest_state {
	DIGEST_BETWEEN, DIGEST_WORD, DIGEST_NUMBER, DIGEST_EXPONENT, DIGEST_ZERO, DIGEST_RADIX, DIGEST_DOT, DIGEST_STRING, DIGEST_ESCAPE,
	DIGEST_STRING_END, DIGEST_STRING_SPACE, DIGEST_STRING_LINE, DIGEST_AMPERSAND,
	DIGEST_NAME, DIGEST_NAME_END, DIGEST_DOLLAR, DIGEST_TAG, DIGEST_BODY, DIGEST_BODY_TAG, DIGEST_SIGN, DIGEST_COLON, DIGEST_LINE,
	DIGEST_SLASH, DIGEST_BLOCK, DIGEST_BLOCK_STAR, DIGEST_BLOCK_SLASH,
};

static __always_inline int digest_letter(__u8 byte)
{
	__u8 lower = byte | 32;

	return (lower >= 'a' && lower <= 'z') || byte == '_' || byte >= 0x80;
}

static __always_inline int digest_in_names(__u8 byte)
{
	return digest_letter(byte) || digest_digit(byte);
}

/* Notes that the text begins with something other than a word. */
static __always_inline void digest_first_is_no_word(struct digest *d)
{
	if (!d->first)
		d->first = STATEMENT_MISC;
}

/* Does the word belong to the literal after it, as in e'..', b'..', x'..', n'..'? */
static __always_inline int digest_word_is_prefix(const struct digest *d)
{
	return d->n == 1 && (d->word == 'e' || d->word == 'b' || d->word == 'x' || d->word == 'n');
}

/* Begins a text.  plain 0: a backslash escapes. */
static __always_inline __u8 digest_string(struct digest *d, int plain)
{
	digest_first_is_no_word(d);
	digest_literal(d);
	d->plain = plain;
	return DIGEST_STRING;
}

static __always_inline __u8 digest_quoted_name(struct digest *d)
{
	digest_first_is_no_word(d);
	digest_word_begin(d);
	digest_put(d, '"');
	return DIGEST_NAME;
}

static __always_inline __u8 digest_between(struct digest *d, __u8 byte)
{
	if (byte <= ' ')
		return DIGEST_BETWEEN;
	if (digest_letter(byte)) {
		digest_word_begin(d);
		digest_word_byte(d, byte);
		return DIGEST_WORD;
	}
	switch (byte) {
	case '\'':
		return digest_string(d, 1);
	case '"':
		return digest_quoted_name(d);
	case '-': case '+':
		d->sign = byte;
		return DIGEST_SIGN;
	case '/':
		return DIGEST_SLASH;
	case '(': case ')': case ';':
		digest_punctuation(d, byte);
		return DIGEST_BETWEEN;
	}
	digest_first_is_no_word(d);
	if (digest_digit(byte) || byte == '?') {
		digest_literal(d);
		return byte == '?' ? DIGEST_BETWEEN : byte == '0' ? DIGEST_ZERO : DIGEST_NUMBER;
	}
	if (byte == '$')
		return DIGEST_DOLLAR;
	if (byte == ':')
		return DIGEST_COLON;
	if (byte == '.' && !d->operand)
		return DIGEST_DOT;
	digest_punctuation(d, byte);
	return DIGEST_BETWEEN;
}

/* Is the word or name that ends now the name of a prepared statement in a DEALLOCATE? */
static __always_inline int digest_is_prepared_name(const struct digest *d)
{
	return d->first == STATEMENT_CODE("dealloca");
}

static __always_inline void digest_word_over(struct digest *d)
{
	if (digest_is_prepared_name(d) && d->word != STATEMENT_CODE("prepare") && d->word != STATEMENT_CODE("all")) {
		digest_word_undo(d);
		digest_literal(d);
		return;
	}
	if (!d->first)
		d->first = d->word;
	digest_word_end(d);
}

static __always_inline __u8 digest_in_word(struct digest *d, __u8 byte)
{
	if (digest_in_names(byte) || byte == '$') {
		digest_word_byte(d, byte);
		return DIGEST_WORD;
	}
	if (byte == '\'' && digest_word_is_prefix(d)) {
		digest_word_undo(d);
		return digest_string(d, d->word != 'e');
	}
	if (byte == '&' && d->n == 1 && d->word == 'u')
		return DIGEST_AMPERSAND;
	digest_word_over(d);
	return DIGEST_AGAIN;
}

/* Takes the byte after u&: u&'..' is a text, u&".." a name. */
static __always_inline __u8 digest_after_ampersand(struct digest *d, __u8 byte)
{
	if (byte == '\'' || byte == '"') {
		digest_word_undo(d);
		return byte == '"' ? digest_quoted_name(d) : digest_string(d, 1);
	}
	digest_word_over(d);
	digest_punctuation(d, '&');
	return DIGEST_AGAIN;
}

/* Does this byte after a 0 begin a number of another base?  So 0xe-5 is a difference, but 1e-5 a number. */
static __always_inline int digest_is_radix(__u8 byte)
{
	__u8 lower = byte | 32;

	return lower == 'x' || lower == 'o' || lower == 'b';
}

static __always_inline __u8 digest_in_number(struct digest *d, __u8 byte)
{
	if ((byte | 32) == 'e')
		return DIGEST_EXPONENT;
	return digest_in_names(byte) || byte == '.' ? DIGEST_NUMBER : DIGEST_AGAIN;
}

/* Takes the byte after a dot: a number may begin with its decimal point. */
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
	return byte == '\'' ? DIGEST_STRING_END : DIGEST_STRING;
}

/* Takes the byte after a text, which may continue on the next line, by the rules of its begin. */
static __always_inline __u8 digest_after_string(__u8 byte)
{
	if (byte == '\'')
		return DIGEST_STRING;
	if (byte == '\n' || byte == '\r')
		return DIGEST_STRING_LINE;
	return byte <= ' ' ? DIGEST_STRING_SPACE : DIGEST_AGAIN;
}

static __always_inline __u8 digest_in_name(struct digest *d, __u8 byte)
{
	digest_put(d, byte);
	if (byte == '"')
		return DIGEST_NAME_END;
	table_word_byte(&d->table, byte);
	return DIGEST_NAME;
}

static __always_inline __u8 digest_after_name(struct digest *d, __u8 byte)
{
	if (byte == '"') {
		digest_put(d, byte);
		table_word_byte(&d->table, byte);
		return DIGEST_NAME;
	}
	if (digest_is_prepared_name(d)) {
		digest_word_undo(d);
		digest_literal(d);
	} else {
		digest_name_over(d);
	}
	return DIGEST_AGAIN;
}

/* ---- texts quoted by dollars ---- */

static __always_inline __u8 digest_after_dollar(struct digest *d, __u8 byte)
{
	if (digest_digit(byte)) {
		digest_literal(d);
		return DIGEST_NUMBER;
	}
	d->tag = HASH_SEED;
	if (byte == '$') {
		digest_literal(d);
		return DIGEST_BODY;
	}
	if (digest_letter(byte)) {
		d->tag = hash_byte(d->tag, byte);
		return DIGEST_TAG;
	}
	digest_punctuation(d, '$');
	return DIGEST_AGAIN;
}

/* Takes a byte of a tag.  If it does not end with a dollar, it was no tag, and the statement is not valid either. */
static __always_inline __u8 digest_in_tag(struct digest *d, __u8 byte)
{
	if (byte == '$') {
		digest_literal(d);
		return DIGEST_BODY;
	}
	if (digest_in_names(byte)) {
		d->tag = hash_byte(d->tag, byte);
		return DIGEST_TAG;
	}
	digest_punctuation(d, '$');
	return DIGEST_AGAIN;
}

static __always_inline __u8 digest_in_body(struct digest *d, __u8 byte)
{
	if (byte != '$')
		return DIGEST_BODY;
	d->tag_seen = HASH_SEED;
	return DIGEST_BODY_TAG;
}

static __always_inline __u8 digest_in_body_tag(struct digest *d, __u8 byte)
{
	if (byte == '$') {
		if (d->tag_seen == d->tag)
			return DIGEST_BETWEEN;
		d->tag_seen = HASH_SEED;	/* it may begin the tag that ends the text */
		return DIGEST_BODY_TAG;
	}
	d->tag_seen = hash_byte(d->tag_seen, byte);
	return digest_in_names(byte) ? DIGEST_BODY_TAG : DIGEST_BODY;
}

/* ---- signs, casts, comments ---- */

/* Takes the byte after a sign and perhaps spaces. */
static __always_inline __u8 digest_after_sign(struct digest *d, __u8 byte)
{
	if (byte == '-' && d->sign == '-')
		return DIGEST_LINE;
	if (!d->operand && (digest_digit(byte) || byte == '.')) {
		digest_first_is_no_word(d);
		digest_literal(d);
		return DIGEST_NUMBER;
	}
	if (!d->operand && byte <= ' ') {
		d->sign |= 128;		/* no longer a comment */
		return DIGEST_SIGN;
	}
	digest_first_is_no_word(d);
	digest_punctuation(d, d->sign & 127);
	return DIGEST_AGAIN;
}

static __always_inline __u8 digest_after_colon(struct digest *d, __u8 byte)
{
	digest_punctuation(d, ':');
	if (byte != ':')
		return DIGEST_AGAIN;
	digest_put(d, ':');
	return DIGEST_BETWEEN;
}

static __always_inline __u8 digest_after_slash(struct digest *d, __u8 byte)
{
	if (byte == '*') {
		d->depth = 1;
		return DIGEST_BLOCK;
	}
	digest_first_is_no_word(d);
	digest_punctuation(d, '/');
	return DIGEST_AGAIN;
}

static __always_inline __u8 digest_in_block(__u8 byte)
{
	return byte == '*' ? DIGEST_BLOCK_STAR : byte == '/' ? DIGEST_BLOCK_SLASH : DIGEST_BLOCK;
}

static __always_inline __u8 digest_in_block_star(struct digest *d, __u8 byte)
{
	if (byte != '/')
		return byte == '*' ? DIGEST_BLOCK_STAR : DIGEST_BLOCK;
	return --d->depth ? DIGEST_BLOCK : DIGEST_BETWEEN;
}

static __always_inline __u8 digest_in_block_slash(struct digest *d, __u8 byte)
{
	if (byte != '*')
		return byte == '/' ? DIGEST_BLOCK_SLASH : DIGEST_BLOCK;
	d->depth++;
	return DIGEST_BLOCK;
}

/* Takes a byte.  Returns the state after it, or DIGEST_AGAIN. */
static __always_inline __u8 digest_next(struct digest *d, __u8 byte)
{
	switch (d->state) {
	case DIGEST_BETWEEN: return DIGEST_AGAIN;
	case DIGEST_WORD: return digest_in_word(d, byte);
	case DIGEST_NUMBER: return digest_in_number(d, byte);
	case DIGEST_EXPONENT: return byte == '-' || byte == '+' ? DIGEST_NUMBER : digest_in_number(d, byte);
	case DIGEST_DOT: return digest_after_dot(d, byte);
	case DIGEST_STRING: return digest_in_string(d, byte);
	case DIGEST_ESCAPE: return DIGEST_STRING;
	case DIGEST_STRING_END: return digest_after_string(byte);
	case DIGEST_STRING_SPACE: return byte == '\'' ? DIGEST_AGAIN : digest_after_string(byte);
	case DIGEST_STRING_LINE: return byte == '\'' ? DIGEST_STRING : byte <= ' ' ? DIGEST_STRING_LINE : DIGEST_AGAIN;
	case DIGEST_AMPERSAND: return digest_after_ampersand(d, byte);
	case DIGEST_ZERO: return digest_is_radix(byte) ? DIGEST_RADIX : digest_in_number(d, byte);
	case DIGEST_RADIX: return digest_in_names(byte) ? DIGEST_RADIX : DIGEST_AGAIN;
	case DIGEST_NAME: return digest_in_name(d, byte);
	case DIGEST_NAME_END: return digest_after_name(d, byte);
	case DIGEST_DOLLAR: return digest_after_dollar(d, byte);
	case DIGEST_TAG: return digest_in_tag(d, byte);
	case DIGEST_BODY: return digest_in_body(d, byte);
	case DIGEST_BODY_TAG: return digest_in_body_tag(d, byte);
	case DIGEST_SIGN: return digest_after_sign(d, byte);
	case DIGEST_COLON: return digest_after_colon(d, byte);
	case DIGEST_LINE: return byte == '\n' || byte == '\r' ? DIGEST_BETWEEN : DIGEST_LINE;
	case DIGEST_SLASH: return digest_after_slash(d, byte);
	case DIGEST_BLOCK: return digest_in_block(byte);
	case DIGEST_BLOCK_STAR: return digest_in_block_star(d, byte);
	case DIGEST_BLOCK_SLASH: return digest_in_block_slash(d, byte);
	}
	return d->state;
}

static __always_inline void digest_byte(struct digest *d, __u8 byte)
{
	__u8 next = digest_next(d, byte);

	d->state = next == DIGEST_AGAIN ? digest_between(d, byte) : next;
}

/* Returns the code, at the end of the text (`whole`) or of the bytes that are read.  Call it once: it ends the last
 * word. */
static __always_inline __u64 digest_code(struct digest *d, int whole)
{
	__u8 state = d->state;

	if (state == DIGEST_WORD && whole)
		digest_word_over(d);
	else if (state == DIGEST_WORD || state == DIGEST_NAME || (state == DIGEST_AMPERSAND && !whole) || (state == DIGEST_NAME_END && !whole))
		digest_word_undo(d);
	else if (state == DIGEST_NAME_END)
		digest_name_over(d);
	else if (whole && state == DIGEST_SIGN)
		digest_punctuation(d, d->sign & 127);
	else if (whole && (state == DIGEST_SLASH || state == DIGEST_DOT || state == DIGEST_COLON || state == DIGEST_AMPERSAND || state == DIGEST_DOLLAR || state == DIGEST_TAG))
		digest_byte(d, ' ');
	return digest_sum(d, whole);
}

/* Returns the kind of statement, after digest_code(). */
static __always_inline __u64 digest_statement(const struct digest *d, int whole)
{
	return !d->first && !whole ? STATEMENT_UNKNOWN : statement_of_word(d->first);
}

#endif
