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
 * Cut      A text may be cut anywhere: the struct is all there is.  Of one that is longer than what is looked at, a word that
 *          was begun last does not count.
 * Text     Where DIGEST_TEXT is defined the tokens are also written down (mysql_digest_text.c): the same code tells
 *          kernel and host what a literal is, so that no literal is in a text.
 * Quotes   A backslash escapes and "" are texts, as by default; where the server says otherwise, digest_byte() is told.
 *          Comments are read as the servers do; mysql_statement.h, which looks for a first word only, takes "--" for one always.
 * Table    The first table that is named is found beside (mysql_table.h), where digest_begin() is told so.
 * Both     pure; fuzzed by fuzz_mysql_digest.  Inlined where they can be: the kernel allows 8 calls in each other.
 *
 * The rules are those of MariaDB's and MySQL's performance_schema (sql/sql_digest.cc) but where the manual says otherwise.
 */
#ifndef HEATSCOPE_MYSQL_DIGEST_H
#define HEATSCOPE_MYSQL_DIGEST_H

#include "mysql_table.h"

enum { DIGEST_NONE = 0, DIGEST_UNKNOWN = 1 };	/* as STATEMENT_NONE and STATEMENT_UNKNOWN */

#define DIGEST_LOOK 4096		/* bytes of a text that are looked at */

enum digest_state {
	DIGEST_BETWEEN, DIGEST_WORD, DIGEST_ZERO, DIGEST_NUMBER, DIGEST_EXPONENT, DIGEST_HEX, DIGEST_DOT, DIGEST_STRING, DIGEST_ESCAPE, DIGEST_STRING_END, DIGEST_NAME,
	DIGEST_SIGN, DIGEST_DASHES, DIGEST_LINE, DIGEST_SLASH, DIGEST_OPEN, DIGEST_OPEN_M, DIGEST_VERSION, DIGEST_BLOCK,
	DIGEST_BLOCK_STAR, DIGEST_STAR,
};

/* What has been put last, and what waits (after the bar) for the next token to show whether it is more of the same. */
enum digest_list {
	LIST_NONE,
	LIST_OPEN,			/* ( */
	LIST_LITERAL,			/* ? */
	LIST_LITERAL_COMMA,		/* ? | , */
	LIST_INNER,			/* ( ? */
	LIST_INNER_COMMA,		/* ( ? | , */
	LIST_GROUP,			/* ( ? ) */
	LIST_GROUP_COMMA,		/* ( ? ) | , */
	LIST_GROUP_OPEN,		/* ( ? ) | , ( */
	LIST_GROUP_LITERAL,		/* ( ? ) | , ( ? */
	LIST_GROUP_LITERAL_COMMA,	/* ( ? ) | , ( ? , */
	LIST_SEMICOLON,			/* | ; */
};

struct digest {
	__u64 hash;			/* of all tokens put so far */
	__u64 before;			/* the same before the word that is being read */
	__u64 word;			/* its first 8 bytes */
	__u8 state, list;
	__u8 list_before;		/* as `before` */
	__u8 n;				/* bytes in word; 255: more */
	__u8 quote;			/* that ends the text */
	__u8 sign;			/* that waits in DIGEST_SIGN */
	__u8 operand;			/* a sign that comes now is an operator */
	__u8 executable;		/* in an executable comment */
	__u8 plain;			/* a backslash is a byte like others: NO_BACKSLASH_ESCAPES */
	struct table table;
#ifdef DIGEST_TEXT
	__u32 at, at_before;		/* bytes written, also beyond room; before the word */
	__u32 room;
	char *text;
#endif
};

static __always_inline void digest_begin(struct digest *d, int table_wanted)
{
	d->hash = HASH_SEED;
	d->state = DIGEST_BETWEEN;
	d->list = LIST_NONE;
	d->operand = 0;
	d->executable = 0;
	d->plain = 0;
	table_begin(&d->table, table_wanted);
}

/* ---- tokens ---- */

static __always_inline void digest_put(struct digest *d, __u8 byte)
{
	d->hash = hash_byte(d->hash, byte);
#ifdef DIGEST_TEXT
	if (d->at < d->room)
		d->text[d->at] = (char)byte;
	d->at++;
#endif
}

static __always_inline void digest_put_token(struct digest *d, __u8 byte)
{
	digest_put(d, ' ');
	digest_put(d, byte);
}

/* What waited was not more of the same. */
static __always_inline void digest_flush(struct digest *d)
{
	__u8 list = d->list;

	d->list = LIST_NONE;
	if (list == LIST_SEMICOLON)
		digest_put_token(d, ';');
	if (list == LIST_LITERAL_COMMA || list == LIST_INNER_COMMA || (list >= LIST_GROUP_COMMA && list <= LIST_GROUP_LITERAL_COMMA))
		digest_put_token(d, ',');
	if (list >= LIST_GROUP_OPEN && list <= LIST_GROUP_LITERAL_COMMA)
		digest_put_token(d, '(');
	if (list == LIST_GROUP_LITERAL || list == LIST_GROUP_LITERAL_COMMA)
		digest_put_token(d, '?');
	if (list == LIST_GROUP_LITERAL_COMMA)
		digest_put_token(d, ',');
}

static __always_inline void digest_literal(struct digest *d)
{
	__u8 list = d->list;

	d->operand = 1;
	table_other(&d->table);
	if (list == LIST_LITERAL_COMMA || list == LIST_INNER_COMMA || list == LIST_GROUP_LITERAL_COMMA) {
		d->list = list - 1;
		return;
	}
	if (list == LIST_GROUP_OPEN) {
		d->list = LIST_GROUP_LITERAL;
		return;
	}
	digest_flush(d);
	digest_put_token(d, '?');
	d->list = list == LIST_OPEN ? LIST_INNER : LIST_LITERAL;
}

static __always_inline void digest_comma(struct digest *d)
{
	__u8 list = d->list;

	if (list == LIST_LITERAL || list == LIST_INNER || list == LIST_GROUP || list == LIST_GROUP_LITERAL) {
		d->list = list + 1;
		return;
	}
	digest_flush(d);
	digest_put_token(d, ',');
}

static __always_inline void digest_open(struct digest *d)
{
	if (d->list == LIST_GROUP_COMMA) {
		d->list = LIST_GROUP_OPEN;
		return;
	}
	digest_flush(d);
	digest_put_token(d, '(');
	d->list = LIST_OPEN;
}

static __always_inline void digest_close(struct digest *d)
{
	if (d->list == LIST_GROUP_LITERAL) {
		d->list = LIST_GROUP;
		return;
	}
	if (d->list != LIST_INNER)
		digest_flush(d);
	digest_put_token(d, ')');
	d->list = d->list == LIST_INNER ? LIST_GROUP : LIST_NONE;
}

/* Brackets, commas, operators: each byte is a token. */
static __always_inline void digest_punctuation(struct digest *d, __u8 byte)
{
	d->operand = byte == ')';
	table_mark(&d->table, byte);
	if (byte == ',') {
		digest_comma(d);
	} else if (byte == '(') {
		digest_open(d);
	} else if (byte == ')') {
		digest_close(d);
	} else if (byte == ';') {
		if (d->list != LIST_SEMICOLON)
			digest_flush(d);
		d->list = LIST_SEMICOLON;
	} else {
		digest_flush(d);
		digest_put_token(d, byte);
	}
}

/* ---- words ---- */

static __always_inline __u8 digest_lower(__u8 byte)
{
	return byte >= 'A' && byte <= 'Z' ? byte + 32 : byte;
}

static __always_inline int digest_digit(__u8 byte)
{
	return byte >= '0' && byte <= '9';
}

static __always_inline int digest_letter(__u8 byte)
{
	__u8 lower = byte | 32;

	return (lower >= 'a' && lower <= 'z') || byte == '_' || byte == '$' || byte == '@' || byte >= 0x80;
}

static __always_inline void digest_word_byte(struct digest *d, __u8 byte)
{
	__u8 lower = digest_lower(byte);

	digest_put(d, lower);
	table_word_byte(&d->table, byte);
	if (d->n < 8)
		d->word |= (__u64)lower << (8 * d->n);
	if (d->n < 255)
		d->n++;
}

static __always_inline void digest_word_begin(struct digest *d)
{
	d->before = d->hash;
	d->list_before = d->list;
#ifdef DIGEST_TEXT
	d->at_before = d->at;
#endif
	digest_flush(d);
	digest_put(d, ' ');
	table_word_begin(&d->table);
	d->word = 0;
	d->n = 0;
}

/* It was no word: as if it had not begun. */
static __always_inline void digest_word_undo(struct digest *d)
{
	d->hash = d->before;
	d->list = d->list_before;
#ifdef DIGEST_TEXT
	d->at = d->at_before;
#endif
}

#define DIGEST_WORD4(a, b, c, d) ((__u64)(a) | (__u64)(b) << 8 | (__u64)(c) << 16 | (__u64)(d) << 24)

static __always_inline int digest_word_is_literal(const struct digest *d)
{
	return (d->n == 4 && (d->word == DIGEST_WORD4('n', 'u', 'l', 'l') || d->word == DIGEST_WORD4('t', 'r', 'u', 'e'))) ||
	       (d->n == 5 && d->word == (DIGEST_WORD4('f', 'a', 'l', 's') | (__u64)'e' << 32));
}

/* x'..', b'..', n'..', _utf8'..': the word before the quote belongs to the literal. */
static __always_inline int digest_word_is_prefix(const struct digest *d)
{
	return (d->word & 255) == '_' || (d->n == 1 && (d->word == 'x' || d->word == 'b' || d->word == 'n'));
}

/* Words behind which a value comes, so that a sign there is the value's; each where its hash has it, so that the verifier
 * sees one comparison.  The multiplier was found by trying; the table of cases in test_mysql_digest.c has them all. */
#define DIGEST_OPERATOR_HASH(word) ((word) * 0x803468b6b610a9f7ull >> 59)

static const __u64 digest_operators[32] = {
	[0] = DIGEST_WORD4('a', 'n', 'd', 0),
	[2] = DIGEST_WORD4('h', 'a', 'v', 'i') | DIGEST_WORD4('n', 'g', 0, 0) << 32,
	[6] = DIGEST_WORD4('t', 'h', 'e', 'n'),
	[8] = DIGEST_WORD4('n', 'o', 't', 0),
	[12] = DIGEST_WORD4('w', 'h', 'e', 'r') | DIGEST_WORD4('e', 0, 0, 0) << 32,
	[13] = DIGEST_WORD4('l', 'i', 'k', 'e'),
	[15] = DIGEST_WORD4('s', 'e', 'l', 'e') | DIGEST_WORD4('c', 't', 0, 0) << 32,
	[18] = DIGEST_WORD4('b', 'e', 't', 'w') | DIGEST_WORD4('e', 'e', 'n', 0) << 32,
	[19] = DIGEST_WORD4('l', 'i', 'm', 'i') | DIGEST_WORD4('t', 0, 0, 0) << 32,
	[22] = DIGEST_WORD4('w', 'h', 'e', 'n'),
	[26] = DIGEST_WORD4('e', 'l', 's', 'e'),
	[27] = DIGEST_WORD4('b', 'y', 0, 0),
	[29] = DIGEST_WORD4('o', 'r', 0, 0),
	[30] = DIGEST_WORD4('r', 'e', 't', 'u') | DIGEST_WORD4('r', 'n', 0, 0) << 32,
	[31] = DIGEST_WORD4('i', 'n', 't', 'e') | DIGEST_WORD4('r', 'v', 'a', 'l') << 32,
};

static __always_inline int digest_word_is_operator(const struct digest *d)
{
	return d->n <= 8 && digest_operators[DIGEST_OPERATOR_HASH(d->word)] == d->word;
}

static __always_inline void digest_word_end(struct digest *d)
{
	d->operand = !digest_word_is_operator(d);
	if (!digest_word_is_literal(d)) {
		table_word_end(&d->table, d->word, d->n);
		return;
	}
	digest_word_undo(d);
	digest_literal(d);
}

/* ---- bytes ---- */

static __attribute__((noinline)) __u8 digest_between(struct digest *d, __u8 byte)
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
	return digest_between(d, byte);
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
	return digest_letter(byte) || digest_digit(byte) || byte == '.' ? DIGEST_NUMBER : digest_between(d, byte);
}

/* A number that begins with its point. */
static __always_inline __u8 digest_after_dot(struct digest *d, __u8 byte)
{
	if (digest_digit(byte)) {
		digest_literal(d);
		return DIGEST_NUMBER;
	}
	digest_punctuation(d, '.');
	return digest_between(d, byte);
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
	return digest_between(d, byte);
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
	return digest_between(d, byte);
}

static __always_inline __u8 digest_after_star(struct digest *d, __u8 byte)
{
	if (byte == '/') {
		d->executable = 0;
		return DIGEST_BETWEEN;
	}
	digest_punctuation(d, '*');
	return digest_between(d, byte);
}

static __always_inline void digest_byte(struct digest *d, __u8 byte)
{
	switch (d->state) {
	case DIGEST_BETWEEN:
		d->state = digest_between(d, byte);
		break;
	case DIGEST_WORD:
		d->state = digest_in_word(d, byte);
		break;
	case DIGEST_ZERO:
		d->state = (byte | 32) == 'x' ? DIGEST_HEX : digest_in_number(d, byte);
		break;
	case DIGEST_NUMBER:
		d->state = digest_in_number(d, byte);
		break;
	case DIGEST_HEX:
		if (!digest_letter(byte) && !digest_digit(byte))
			d->state = digest_between(d, byte);
		break;
	case DIGEST_DOT:
		d->state = digest_after_dot(d, byte);
		break;
	case DIGEST_EXPONENT:
		d->state = byte == '-' || byte == '+' ? DIGEST_NUMBER : digest_in_number(d, byte);
		break;
	case DIGEST_STRING:
		d->state = digest_in_string(d, byte);
		break;
	case DIGEST_ESCAPE:
		d->state = DIGEST_STRING;
		break;
	case DIGEST_STRING_END:
		d->state = byte == d->quote ? DIGEST_STRING : digest_between(d, byte);
		break;
	case DIGEST_NAME:
		d->state = digest_in_name(d, byte);
		break;
	case DIGEST_SIGN:
		d->state = digest_after_sign(d, byte);
		break;
	case DIGEST_DASHES:
		d->state = digest_after_dashes(d, byte);
		break;
	case DIGEST_LINE:
		d->state = byte == '\n' ? DIGEST_BETWEEN : DIGEST_LINE;
		break;
	case DIGEST_SLASH:
		d->state = digest_after_slash(d, byte);
		break;
	case DIGEST_OPEN: case DIGEST_OPEN_M:
		d->state = digest_after_open(d, byte);
		break;
	case DIGEST_VERSION:
		if (!digest_digit(byte))
			d->state = digest_between(d, byte);
		break;
	case DIGEST_BLOCK:
		d->state = byte == '*' ? DIGEST_BLOCK_STAR : DIGEST_BLOCK;
		break;
	case DIGEST_BLOCK_STAR:
		d->state = digest_in_block_star(byte);
		break;
	case DIGEST_STAR:
		d->state = digest_after_star(d, byte);
		break;
	}
}

/* The code, at the end of the text (`whole`) or of what is looked at.  Once: the last word is ended by it. */
static __always_inline __u64 digest_code(struct digest *d, int whole)
{
	if (d->state == DIGEST_WORD && whole)
		digest_word_end(d);
	else if (d->state == DIGEST_WORD || d->state == DIGEST_NAME)
		digest_word_undo(d);
	else if (whole && d->state == DIGEST_SIGN)
		digest_punctuation(d, d->sign & 127);
	else if (whole && (d->state == DIGEST_SLASH || d->state == DIGEST_STAR || d->state == DIGEST_DOT))
		digest_byte(d, ' ');
	return d->hash > DIGEST_UNKNOWN ? d->hash : DIGEST_UNKNOWN + 1;
}

#endif
