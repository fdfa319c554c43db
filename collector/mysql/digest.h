/* digest.h - makes one hash of a MySQL statement's tokens without its literals: the dialect for server/digest.h.
 *
 *      "SELECT c FROM t WHERE id IN (5, 7) -- x"  -> digest_byte() each -> digest_code()
 *                                                    the hash of "select c from t where id in ( ? )"
 *
 * Words    are keywords and names, also between backquotes.  They are hashed in lower case, with one space between
 *          tokens.
 * Literals are hashed as `?`: numbers, texts, x'..', b'..', null, \N, true, false, the parameter of a prepared
 *          statement.
 *          A sign before a number belongs to the number, unless it stands between two operands.
 * Lists    as in server/digest.h: in (1, 2, 3) is hashed as in ( ? ), values (1, 'a'), (2, 'b') as values ( ? ).
 * Ignored  are white space, comments, optimizer hints and semicolons at the end.  The content of an executable comment
 *          is read.
 * Cut      if only the begin of the text is read, the word at the cut is left out, and the code differs from that of a
 *          text that ends there.
 * Quotes   a backslash escapes, and "" quote texts.  The caller changes this by `plain` and `ansi`, after
 *          digest_begin().  Comments are read as the servers read them; statement.h differs: it takes each "--" for a
 *          comment.
 * Table    digest_begin() may also ask for the first table that the statement names (table.h).
 * Pure     the kernel and the host compile it; fuzzed by fuzz_mysql_digest.  It is inlined where possible: the kernel
 *          allows 8 nested calls.
 *
 * The rules are those of MariaDB's and MySQL's performance_schema (sql/sql_digest.cc), except where the manual differs.
 */
#ifndef HEATSCOPE_MYSQL_DIGEST_H
#define HEATSCOPE_MYSQL_DIGEST_H

#define DIGEST_IS_MYSQL 1
#include "collector/server/digest.h"

enum digest_state {
	DIGEST_BETWEEN, DIGEST_WORD, DIGEST_WORD_DOT, DIGEST_AFTER_DOT, DIGEST_DOT,
	DIGEST_INTEGER, DIGEST_ZERO, DIGEST_HEX, DIGEST_BITS, DIGEST_POWER, DIGEST_POWER_SIGN, DIGEST_FRACTION,
	DIGEST_EXPONENT, DIGEST_DIGITS,
	DIGEST_STRING, DIGEST_ESCAPE, DIGEST_STRING_END, DIGEST_NAME, DIGEST_NAME_END,
	DIGEST_SIGN, DIGEST_DASHES, DIGEST_LINE, DIGEST_SLASH, DIGEST_OPEN, DIGEST_OPEN_M, DIGEST_VERSION, DIGEST_BLOCK,
	DIGEST_BLOCK_STAR, DIGEST_STAR, DIGEST_BACKSLASH,
};

/* ---- words ---- */

static __always_inline int digest_letter(__u8 byte)
{
	__u8 lower = byte | 32;

	return (lower >= 'a' && lower <= 'z') || byte == '_' || byte == '$' || byte == '@' || byte >= 0x80;
}

static __always_inline int digest_in_names(__u8 byte)
{
	return digest_letter(byte) || digest_digit(byte);
}

/* Does the word belong to the literal after it, as in x'..', b'..', n'..'? */
static __always_inline int digest_word_is_prefix(const struct digest *d)
{
	return d->n == 1 && (d->word == 'x' || d->word == 'b' || d->word == 'n');
}

/* _utf8'..': the character sets that MySQL and MariaDB know, by at most 8 letters.  A word like _id is a name.  The
 * hash table works like digest_operators. */
#define DIGEST_CHARSET_HASH(word) ((word) * 0x39597cca9e497ac1ull >> 58)

static const __u64 digest_charsets[64] = {
	[0] = STATEMENT_CODE("_big5"),
	[2] = STATEMENT_CODE("_latin5"),
	[4] = STATEMENT_CODE("_ujis"),
	[5] = STATEMENT_CODE("_utf8"),
	[6] = STATEMENT_CODE("_koi8u"),
	[7] = STATEMENT_CODE("_latin1"),
	[11] = STATEMENT_CODE("_utf16le"),
	[13] = STATEMENT_CODE("_gb2312"),
	[14] = STATEMENT_CODE("_macce"),
	[15] = STATEMENT_CODE("_koi8r"),
	[16] = STATEMENT_CODE("_utf16"),
	[18] = STATEMENT_CODE("_cp1256"),
	[21] = STATEMENT_CODE("_utf32"),
	[22] = STATEMENT_CODE("_cp850"),
	[23] = STATEMENT_CODE("_sjis"),
	[24] = STATEMENT_CODE("_ucs2"),
	[26] = STATEMENT_CODE("_cp1250"),
	[27] = STATEMENT_CODE("_swe7"),
	[29] = STATEMENT_CODE("_dec8"),
	[30] = STATEMENT_CODE("_cp932"),
	[32] = STATEMENT_CODE("_binary"),
	[34] = STATEMENT_CODE("_keybcs2"),
	[35] = STATEMENT_CODE("_hp8"),
	[36] = STATEMENT_CODE("_utf8mb4"),
	[38] = STATEMENT_CODE("_latin2"),
	[40] = STATEMENT_CODE("_eucjpms"),
	[42] = STATEMENT_CODE("_ascii"),
	[44] = STATEMENT_CODE("_cp866"),
	[47] = STATEMENT_CODE("_gbk"),
	[49] = STATEMENT_CODE("_cp1257"),
	[50] = STATEMENT_CODE("_tis620"),
	[51] = STATEMENT_CODE("_utf8mb3"),
	[54] = STATEMENT_CODE("_euckr"),
	[56] = STATEMENT_CODE("_gb18030"),
	[57] = STATEMENT_CODE("_cp1251"),
	[59] = STATEMENT_CODE("_cp852"),
	[60] = STATEMENT_CODE("_geostd8"),
	[61] = STATEMENT_CODE("_greek"),
	[62] = STATEMENT_CODE("_hebrew"),
	[63] = STATEMENT_CODE("_latin7"),
};

static __always_inline int digest_word_is_charset(const struct digest *d)
{
	return (d->word & 255) == '_' && d->n <= 8 && digest_charsets[DIGEST_CHARSET_HASH(d->word)] == d->word;
}

/* ---- bytes ---- */

static __always_inline __u8 digest_number_begin(struct digest *d, __u8 sign, __u8 first)
{
	if (d->introduces)
		digest_word_undo(d);
	digest_word_begin_signed(d, sign);
	digest_word_byte(d, first);
	return first == '0' ? DIGEST_ZERO : DIGEST_INTEGER;
}

static __always_inline void digest_number_over(struct digest *d)
{
	digest_word_undo(d);
	digest_literal(d);
}



static __always_inline __u8 digest_quote(struct digest *d, __u8 byte)
{
	d->quote = byte;
	if (byte == '`' || (byte == '"' && d->ansi)) {
		digest_word_begin(d);
		return DIGEST_NAME;
	}
	digest_literal(d);
	return DIGEST_STRING;
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
	if (digest_digit(byte))
		return digest_number_begin(d, 0, byte);
	switch (byte) {
	case '\'': case '"': case '`':
		return digest_quote(d, byte);
	case '?':
		digest_literal(d);
		return DIGEST_BETWEEN;
	case '-': case '+':
		d->sign = byte;
		return DIGEST_SIGN;
	case '.':
		return DIGEST_DOT;
	case '#':
		return DIGEST_LINE;
	case '/':
		return DIGEST_SLASH;
	case '\\':
		return DIGEST_BACKSLASH;
	case '*':
		if (d->executable)
			return DIGEST_STAR;
		break;
	}
	digest_punctuation(d, byte);
	return DIGEST_BETWEEN;
}

/* ---- words and names ---- */

static __always_inline void digest_word_over(struct digest *d)
{
	d->introduces = digest_word_is_charset(d);
	digest_word_end(d);
}

static __always_inline __u8 digest_in_word(struct digest *d, __u8 byte)
{
	if (digest_in_names(byte)) {
		digest_word_byte(d, byte);
		return DIGEST_WORD;
	}
	if (byte == '.')
		return DIGEST_WORD_DOT;
	if (byte == '\'' && digest_word_is_prefix(d))
		digest_word_undo(d);
	else
		digest_word_over(d);
	return DIGEST_AGAIN;
}

/* After a dot, a name can be any word: db.select, db.1e5, db.0x1. */
static __always_inline __u8 digest_dotted(struct digest *d, __u8 byte)
{
	digest_punctuation(d, '.');
	if (!digest_in_names(byte))
		return DIGEST_AGAIN;
	digest_word_begin(d);
	digest_word_byte(d, byte);
	return DIGEST_AFTER_DOT;
}

/* Takes the byte after a word and a dot.  The word is a name, too, if a name comes next. */
static __always_inline __u8 digest_after_word_dot(struct digest *d, __u8 byte)
{
	if (digest_in_names(byte) && (d->word & 255) != '@')
		digest_name_over(d);
	else
		digest_word_over(d);
	return digest_dotted(d, byte);
}

static __always_inline __u8 digest_in_dotted(struct digest *d, __u8 byte)
{
	if (digest_in_names(byte)) {
		digest_word_byte(d, byte);
		return DIGEST_AFTER_DOT;
	}
	if (byte == '.')
		return DIGEST_WORD_DOT;
	digest_name_over(d);
	return DIGEST_AGAIN;
}

/* Takes the byte after a dot that follows no unquoted word: a number may begin with that dot. */
static __always_inline __u8 digest_after_dot(struct digest *d, __u8 byte)
{
	if (!digest_digit(byte))
		return digest_dotted(d, byte);
	digest_literal(d);
	return DIGEST_FRACTION;
}

/* ---- numbers, and names that begin like one: 2020_sales, 1e, 0xfg, 0b012 ---- */

static __always_inline __u8 digest_is_number(struct digest *d, __u8 next)
{
	digest_number_over(d);
	return next;
}

/* Takes a byte that is no part of a number: the token continues as a name, or it was a complete number (`number`) or
 * name. */
static __always_inline __u8 digest_not_digit(struct digest *d, __u8 byte, int number)
{
	if (digest_in_names(byte)) {
		digest_word_byte(d, byte);
		return DIGEST_AFTER_DOT;
	}
	if (number)
		digest_number_over(d);
	else if (byte == '.')
		return DIGEST_WORD_DOT;
	else
		digest_name_over(d);
	return DIGEST_AGAIN;
}

static __always_inline __u8 digest_in_integer(struct digest *d, __u8 byte)
{
	int power = (byte | 32) == 'e';

	if (byte == '.')
		return digest_is_number(d, DIGEST_FRACTION);
	if (!power && !digest_digit(byte))
		return digest_not_digit(d, byte, 1);
	digest_word_byte(d, byte);
	return power ? DIGEST_POWER : DIGEST_INTEGER;
}

/* Takes the byte after the 0 that begins a number.  X and B in capitals make a name. */
static __always_inline __u8 digest_after_zero(struct digest *d, __u8 byte)
{
	if (byte != 'x' && byte != 'b')
		return digest_in_integer(d, byte);
	digest_word_byte(d, byte);
	return byte == 'x' ? DIGEST_HEX : DIGEST_BITS;
}

/* Takes the byte after 0x or 0b, which are names if no digit comes next. */
static __always_inline __u8 digest_in_radix(struct digest *d, __u8 byte)
{
	__u8 lower = byte | 32;
	int is_digit = d->state == DIGEST_BITS ? byte == '0' || byte == '1' :
		       digest_digit(byte) || (lower >= 'a' && lower <= 'f');

	if (!is_digit)
		return digest_not_digit(d, byte, d->n > 2);
	digest_word_byte(d, byte);
	return d->state;
}

/* Takes the byte after 1e. */
static __always_inline __u8 digest_in_power(struct digest *d, __u8 byte)
{
	if (digest_digit(byte))
		return digest_is_number(d, DIGEST_DIGITS);
	if (byte != '-' && byte != '+')
		return digest_not_digit(d, byte, 0);
	d->sign = byte;
	return DIGEST_POWER_SIGN;
}

/* Takes the byte after a number's decimal point. */
static __always_inline __u8 digest_in_fraction(__u8 byte)
{
	if ((byte | 32) == 'e')
		return DIGEST_EXPONENT;
	return digest_digit(byte) ? DIGEST_FRACTION : DIGEST_AGAIN;
}

/* ---- texts and quoted names ---- */

static __always_inline __u8 digest_in_string(const struct digest *d, __u8 byte)
{
	if (byte == '\\' && !d->plain)
		return DIGEST_ESCAPE;
	return byte == d->quote ? DIGEST_STRING_END : DIGEST_STRING;
}

/* Marks a byte in the hash that no unquoted name has, so that `a b` differs from a b. */
static __always_inline __u8 digest_in_name(struct digest *d, __u8 byte)
{
	if (byte == d->quote)
		return DIGEST_NAME_END;
	if (!digest_in_names(byte))
		digest_mark(d);
	digest_put(d, digest_lower(byte));
	table_word_byte(&d->table, byte);
	return DIGEST_NAME;
}

/* Takes the byte after a quote in a quoted name: a second quote goes on with the name, any other byte ends it. */
static __always_inline __u8 digest_after_name(struct digest *d, __u8 byte)
{
	if (byte != d->quote) {
		digest_name_over(d);
		return DIGEST_AGAIN;
	}
	digest_mark(d);
	digest_put(d, byte);
	table_word_byte(&d->table, byte);
	return DIGEST_NAME;
}

/* ---- signs and comments ---- */

/* Takes the byte after a sign and perhaps spaces. */
static __always_inline __u8 digest_after_sign(struct digest *d, __u8 byte)
{
	if (byte == '-' && d->sign == '-')
		return DIGEST_DASHES;
	if (!d->operand && digest_digit(byte))
		return digest_number_begin(d, d->sign & 127, byte);
	if (!d->operand && byte == '.') {
		digest_literal(d);
		return DIGEST_FRACTION;
	}
	if (!d->operand && byte <= ' ') {
		d->sign |= 128;		/* no longer a comment */
		return DIGEST_SIGN;
	}
	digest_punctuation(d, d->sign & 127);
	return DIGEST_AGAIN;
}

/* Takes the byte after 1e-. */
static __always_inline __u8 digest_after_power_sign(struct digest *d, __u8 byte)
{
	if (digest_digit(byte))
		return digest_is_number(d, DIGEST_DIGITS);
	digest_name_over(d);
	return digest_after_sign(d, byte);
}

/* Takes the byte after "--", which is a comment only before white space. */
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

/* Takes the byte just after slash-star, or slash-star-M. */
static __always_inline __u8 digest_after_open(struct digest *d, __u8 byte)
{
	if (byte == '!') {
		d->executable = 1;
		d->n = 0;
		return DIGEST_VERSION;
	}
	if (d->state == DIGEST_OPEN && byte == 'M')
		return DIGEST_OPEN_M;
	return byte == '*' ? DIGEST_BLOCK_STAR : DIGEST_BLOCK;
}

/* Takes a byte of a version, which has 5 or 6 digits; fewer digits are a number. */
static __always_inline __u8 digest_in_version(struct digest *d, __u8 byte)
{
	if (digest_digit(byte) && d->n < 6) {
		d->n++;
		return DIGEST_VERSION;
	}
	if (d->n && d->n < 5)
		digest_literal(d);
	return DIGEST_AGAIN;
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

/* Takes the byte after a backslash outside of quotes: \N is NULL. */
static __always_inline __u8 digest_after_backslash(struct digest *d, __u8 byte)
{
	if (byte == 'N') {
		digest_literal(d);
		return DIGEST_BETWEEN;
	}
	digest_punctuation(d, '\\');
	return DIGEST_AGAIN;
}

/* Takes a byte.  Returns the state after it, or DIGEST_AGAIN. */
static __always_inline __u8 digest_next(struct digest *d, __u8 byte)
{
	switch (d->state) {
	case DIGEST_BETWEEN: return DIGEST_AGAIN;
	case DIGEST_WORD: return digest_in_word(d, byte);
	case DIGEST_WORD_DOT: return digest_after_word_dot(d, byte);
	case DIGEST_AFTER_DOT: return digest_in_dotted(d, byte);
	case DIGEST_DOT: return digest_after_dot(d, byte);
	case DIGEST_INTEGER: return digest_in_integer(d, byte);
	case DIGEST_ZERO: return digest_after_zero(d, byte);
	case DIGEST_HEX: case DIGEST_BITS:
		return digest_in_radix(d, byte);
	case DIGEST_POWER: return digest_in_power(d, byte);
	case DIGEST_POWER_SIGN: return digest_after_power_sign(d, byte);
	case DIGEST_FRACTION: return digest_in_fraction(byte);
	case DIGEST_EXPONENT: return byte == '-' || byte == '+' || digest_digit(byte) ? DIGEST_DIGITS : DIGEST_AGAIN;
	case DIGEST_DIGITS: return digest_digit(byte) ? DIGEST_DIGITS : DIGEST_AGAIN;
	case DIGEST_STRING: return digest_in_string(d, byte);
	case DIGEST_ESCAPE: return DIGEST_STRING;
	case DIGEST_STRING_END: return byte == d->quote ? DIGEST_STRING : DIGEST_AGAIN;
	case DIGEST_NAME: return digest_in_name(d, byte);
	case DIGEST_NAME_END: return digest_after_name(d, byte);
	case DIGEST_SIGN: return digest_after_sign(d, byte);
	case DIGEST_DASHES: return digest_after_dashes(d, byte);
	case DIGEST_LINE: return byte == '\n' ? DIGEST_BETWEEN : DIGEST_LINE;
	case DIGEST_SLASH: return digest_after_slash(d, byte);
	case DIGEST_OPEN: case DIGEST_OPEN_M:
		return digest_after_open(d, byte);
	case DIGEST_VERSION: return digest_in_version(d, byte);
	case DIGEST_BLOCK: return byte == '*' ? DIGEST_BLOCK_STAR : DIGEST_BLOCK;
	case DIGEST_BLOCK_STAR: return digest_in_block_star(byte);
	case DIGEST_STAR: return digest_after_star(d, byte);
	case DIGEST_BACKSLASH: return digest_after_backslash(d, byte);
	}
	return d->state;
}

static __always_inline void digest_byte(struct digest *d, __u8 byte)
{
	__u8 next = digest_next(d, byte);

	d->state = next == DIGEST_AGAIN ? digest_between(d, byte) : next;
}

/* Does the last token wait for the next one, which shows what it is? */
static __always_inline int digest_waits(const struct digest *d)
{
	switch (d->state) {
	case DIGEST_WORD: case DIGEST_WORD_DOT: case DIGEST_AFTER_DOT: case DIGEST_DOT: case DIGEST_INTEGER:
	case DIGEST_ZERO: case DIGEST_HEX: case DIGEST_BITS: case DIGEST_POWER: case DIGEST_POWER_SIGN:
	case DIGEST_NAME_END: case DIGEST_SIGN: case DIGEST_SLASH: case DIGEST_STAR:
	case DIGEST_BACKSLASH:
		return 1;
	}
	return 0;
}

/* Is the text inside a word or name that is not complete? */
static __always_inline int digest_is_inside(const struct digest *d, int whole)
{
	return d->state == DIGEST_NAME ||
	       (!whole && digest_waits(d) && d->state != DIGEST_DOT && d->state < DIGEST_SIGN);
}

/* Returns the code, at the end of the text (`whole`) or of the bytes that are read.  Call it once: it ends the last
 * word. */
static __always_inline __u64 digest_code(struct digest *d, int whole)
{
	if (digest_is_inside(d, whole))
		digest_word_undo(d);
	else if (whole && digest_waits(d))
		digest_byte(d, '\n');
	if (whole && d->state == DIGEST_SIGN)
		digest_punctuation(d, d->sign & 127);
	return digest_sum(d, whole);
}

#endif
