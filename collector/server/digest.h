/* digest.h - reduces the tokens of a statement to one hash that does not depend on its literals, for every dialect of
 * SQL.
 *
 *      the dialect's digest_byte() each -> digest_word_begin(), digest_literal(), digest_punctuation() ...
 *                                       -> the dialect's digest_code()
 *
 * Words    are in lower case, with one space between tokens.
 * Literals are `?`.  Literals with commas between them are one `?`, and several "( ? )" with commas between them are
 *          one group: in (1, 2, 3), values (1, 'a'), (2, 'b').
 * Table    digest_begin() may also ask for the first table that the statement names (table.h).  It is in lower case if
 *          the dialect defines DIGEST_FOLDS_NAMES.
 * Cut      A text may come in pieces, cut anywhere: the struct is the whole state.  A text that was read in part has
 *          another code than a complete text of the same bytes.
 * Text     The first tokens are also written down, for the label (digest_sample.h): it depends on the tokens alone.
 * Both     The kernel and the host run the same pure code.  It is inlined where possible: the kernel allows 8 nested
 *          calls.
 */
#ifndef HEATSCOPE_DIGEST_H
#define HEATSCOPE_DIGEST_H

#include "collector/server/digest_sample.h"
#include "collector/server/table.h"

enum { DIGEST_NONE = 0, DIGEST_UNKNOWN = 1 };	/* as STATEMENT_NONE and STATEMENT_UNKNOWN */

#define DIGEST_LOOK 65536		/* bytes of a text that are read */
#define DIGEST_AGAIN 255		/* no state of the dialect: the token has ended, this byte begins the next */

/* The tokens put last, and (after the bar) those that wait until the next token shows whether the list goes on. */
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
	__u64 before;			/* the hash before the word that is being read */
	__u64 word;			/* the first 8 bytes of that word */
	__u8 state;			/* the dialect's; 0 between tokens */
	__u8 list;
	__u8 list_before;		/* the list before that word */
	__u8 n;				/* bytes in word; 255: more */
	__u8 quote;			/* the byte that ends the quoted text */
	__u8 sign;			/* a sign that waits */
	__u8 operand;			/* a sign that comes now is an operator, not part of a number */
	__u8 executable;		/* in an executable comment */
	__u8 plain;			/* a backslash in a quoted text is an ordinary byte */
	__u8 ansi;			/* "" quote names */
	__u8 introduces;		/* the last token is the first part of a literal, if the rest comes next */
	__u8 dotted;			/* the last token is a dot: the next word is a name */
	__u32 depth;			/* of nested comments, in a dialect that has them */
	__u64 first;			/* the first word of the text, where it is asked for; 0: none yet */
	__u64 tag, tag_seen;		/* of dollar quotes: hash of the opening tag, and of a possible closing one */
	struct table table;
	__u32 len_before;		/* length of the tokens before the word */
	struct digest_sample tokens;
};

static __always_inline void digest_begin(struct digest *d, int table_wanted)
{
	d->hash = HASH_SEED;
	d->state = 0;
	d->list = LIST_NONE;
	d->operand = 0;
	d->executable = 0;
	d->plain = 0;
	d->ansi = 0;
	d->introduces = 0;
	d->dotted = 0;
	d->depth = 0;
	d->first = 0;
	d->tokens.len = 0;
	d->tokens.cut = 0;
	table_begin(&d->table, table_wanted);
}

/* A step of the tokens.  In the kernel it is a global function, so that the verifier checks it once and not in each
 * state of its callers.  d is never NULL, but the verifier does not know that. */
#ifdef __bpf__
#define DIGEST_STEP __noinline int
#define DIGEST_STEP_END return 0;
#define DIGEST_IS(d) if (!(d)) return 0
#else
#define DIGEST_STEP static inline void
#define DIGEST_STEP_END
#define DIGEST_IS(d) (void)(d)
#endif

/* ---- tokens ---- */

static __always_inline void digest_put(struct digest *d, __u8 byte)
{
	/* No branch for `over`: the verifier would follow both. */
	__u64 len = d->tokens.len, over = (DIGEST_SAMPLE_MAX - 1 - len) >> 63;

	d->hash = hash_byte(d->hash, byte);
	d->tokens.text[(len | -over) & (DIGEST_SAMPLE_MAX - 1)] = (char)byte;
	d->tokens.len = len + 1;
}

static __always_inline void digest_put_token(struct digest *d, __u8 byte)
{
	digest_put(d, ' ');
	digest_put(d, byte);
}

/* Puts the tokens that waited: they did not continue the list. */
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

/* Forgets the word: it was no word after all. */
static __always_inline void digest_word_undo(struct digest *d)
{
	d->hash = d->before;
	d->list = d->list_before;
	table_word_undo(&d->table);
	d->tokens.len = d->len_before;
}

DIGEST_STEP digest_literal(struct digest *d)
{
	__u8 list;

	DIGEST_IS(d);
	if (d->introduces)
		digest_word_undo(d);
	list = d->list;
	d->introduces = 0;
	d->dotted = 0;
	d->operand = 1;
	table_other(&d->table);
	if (list == LIST_LITERAL_COMMA || list == LIST_INNER_COMMA || list == LIST_GROUP_LITERAL_COMMA) {
		d->list = list - 1;
	} else if (list == LIST_GROUP_OPEN) {
		d->list = LIST_GROUP_LITERAL;
	} else {
		digest_flush(d);
		digest_put_token(d, '?');
		d->list = list == LIST_OPEN ? LIST_INNER : LIST_LITERAL;
	}
	DIGEST_STEP_END
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
DIGEST_STEP digest_punctuation(struct digest *d, __u8 byte)
{
	DIGEST_IS(d);
	d->operand = byte == ')';
	d->introduces = 0;
	d->dotted = byte == '.';
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
	DIGEST_STEP_END
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

static __always_inline void digest_word_byte(struct digest *d, __u8 byte)
{
	__u8 lower = digest_lower(byte);

	digest_put(d, lower);
#ifdef DIGEST_FOLDS_NAMES
	byte = lower;
#endif
	table_word_byte(&d->table, byte);
	if (d->n < 8)
		d->word |= (__u64)lower << (8 * d->n);
	if (d->n < 255)
		d->n++;
}

/* A word begins.  sign: a sign that waits before the word and is dropped if the word is undone; 0: none. */
DIGEST_STEP digest_word_begin_signed(struct digest *d, __u8 sign)
{
	DIGEST_IS(d);
	d->before = d->hash;
	d->list_before = d->list;
	d->len_before = d->tokens.len;
	digest_flush(d);
	if (sign) {
		table_mark(&d->table, sign);
		digest_put_token(d, sign);
	}
	digest_put(d, ' ');
	table_word_begin(&d->table);
	d->introduces = 0;
	d->word = 0;
	d->n = 0;
	DIGEST_STEP_END
}

static __always_inline void digest_word_begin(struct digest *d)
{
	digest_word_begin_signed(d, 0);
}

/* Marks a byte of a token that the text cannot show. */
static __always_inline void digest_mark(struct digest *d)
{
	d->hash = hash_byte(d->hash, 0);
}

#define DIGEST_WORD4(a, b, c, d) ((__u64)(a) | (__u64)(b) << 8 | (__u64)(c) << 16 | (__u64)(d) << 24)

static __always_inline int digest_word_is_literal(const struct digest *d)
{
	return (d->n == 4 && (d->word == DIGEST_WORD4('n', 'u', 'l', 'l') || d->word == DIGEST_WORD4('t', 'r', 'u', 'e'))) ||
	       (d->n == 5 && d->word == (DIGEST_WORD4('f', 'a', 'l', 's') | (__u64)'e' << 32));
}

/* Words after which a value comes, so a sign there belongs to the value.  Each stands at its hash, so that the
 * verifier sees one comparison.  The multiplier was found by trying; the table of cases in mysql/test_digest.c has
 * all words. */
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

DIGEST_STEP digest_word_end(struct digest *d)
{
	int name;

	DIGEST_IS(d);
	name = d->dotted;
	d->dotted = 0;
	d->operand = name || !digest_word_is_operator(d);
	if (name || !digest_word_is_literal(d)) {
		table_word_end(&d->table, d->word, d->n);
	} else {
		digest_word_undo(d);
		digest_literal(d);
	}
	DIGEST_STEP_END
}

/* Ends a name: the bytes since digest_word_begin() are a name, even if they read like a keyword or number. */
static __always_inline void digest_name_over(struct digest *d)
{
	d->operand = 1;
	d->dotted = 0;
	table_name_end(&d->table);
}

/* The code, after the last token. */
static __always_inline __u64 digest_sum(struct digest *d, int whole)
{
	d->tokens.cut = !whole;
	if (!whole)
		d->hash = hash_byte(d->hash, 1);	/* no token has this byte */
	return d->hash > DIGEST_UNKNOWN ? d->hash : DIGEST_UNKNOWN + 1;
}

#endif
