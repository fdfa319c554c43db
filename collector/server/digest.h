/* digest.h - makes one hash of a statement's tokens without its literals, for every dialect of SQL.
 *
 *      digest_begin() -> the dialect's digest_byte() each -> its digest_code() -> the hash
 *                        digest_byte() calls digest_word_begin(), digest_literal(), digest_punctuation() ...
 *
 * Words    are hashed in lower case, with one space between tokens.
 * Literals are hashed as `?`.  Several literals with commas between them are one `?`.  Several groups "( ? )" with
 *          commas between them are one group.  So (1, 2, 3) has the hash of (1), and (1, 'a'), (2, 'b') that
 *          of (1, 'a').
 * Table    digest_begin() may also ask for the first table that the statement names (table.h).  It is in lower case if
 *          the dialect defines DIGEST_FOLDS_NAMES.
 * Pieces   the struct is the whole state, so the text may come in pieces, cut at any byte.
 * Cut      if only the begin of a text is read, its code differs from that of a text that ends there.
 * Sample   the struct also keeps the first tokens, for the label (digest_sample.h).
 * Pure     the kernel and the host compile it.  It is inlined where possible: the kernel allows 8 nested calls.
 */
#ifndef HEATSCOPE_DIGEST_H
#define HEATSCOPE_DIGEST_H

#include "collector/server/digest_sample.h"
#include "collector/server/table.h"

#ifndef DIGEST_IS_MYSQL
#define DIGEST_IS_MYSQL 0		/* mysql/digest.h defines it as 1 */
#endif

enum { DIGEST_NONE = 0, DIGEST_UNKNOWN = 1 };	/* codes that are no hashes; equal to STATEMENT_NONE,
						 * STATEMENT_UNKNOWN */

#define DIGEST_LOOK 65536		/* bytes of a text that are read */
#define DIGEST_AGAIN 255		/* instead of a dialect's state: the token has ended before this byte; read it
					 * once more */

/* The tokens that were hashed last.  Tokens after the bar wait: the next token shows whether they belong to the
 * list. */
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
	__u64 hash;			/* of all tokens so far, without those that wait */
	__u64 before;			/* the hash before the word that is being read */
	__u64 word;			/* the first 8 bytes of that word */
	__u8 state;			/* the dialect's; 0 between tokens */
	__u8 list;
	__u8 list_before;		/* the list before that word */
	__u8 n;				/* bytes in word; 255: more */
	__u8 quote;			/* the byte that ends the quoted text */
	__u8 sign;			/* a sign that waits: the next token shows whether it belongs to a number */
	__u8 operand;			/* the last token is an operand: a sign after it is an operator, not part of a
					 * number */
	__u8 executable;		/* in an executable comment */
	__u8 plain;			/* a backslash in a quoted text is an ordinary byte */
	__u8 ansi;			/* "" quote names */
	__u8 introduces;		/* the last token is the first part of a literal if the rest comes next, as in
					 * _utf8'x' */
	__u8 dotted;			/* the last token is a dot: the next word is a name */
	__u32 depth;			/* of nested comments, in a dialect that has them */
	__u64 first;			/* the first word of the text, if the dialect keeps it; 0: no word yet */
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
	table_begin(&d->table, table_wanted, DIGEST_IS_MYSQL);
}

/* Declares a function that hashes tokens.  In the kernel it is a global function, so that the verifier checks it once
 * and not in each state of its callers.  d is never NULL, but the verifier does not know that. */
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

/* Hashes the tokens that waited, because the next token does not belong to the list. */
static __always_inline void digest_flush(struct digest *d)
{
	__u8 list = d->list;

	d->list = LIST_NONE;
	if (list == LIST_SEMICOLON)
		digest_put_token(d, ';');
	if (list == LIST_LITERAL_COMMA || list == LIST_INNER_COMMA ||
	    (list >= LIST_GROUP_COMMA && list <= LIST_GROUP_LITERAL_COMMA))
		digest_put_token(d, ',');
	if (list >= LIST_GROUP_OPEN && list <= LIST_GROUP_LITERAL_COMMA)
		digest_put_token(d, '(');
	if (list == LIST_GROUP_LITERAL || list == LIST_GROUP_LITERAL_COMMA)
		digest_put_token(d, '?');
	if (list == LIST_GROUP_LITERAL_COMMA)
		digest_put_token(d, ',');
}

/* Takes the word out of the hash again: it is part of a literal. */
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

/* Hashes a bracket, comma or operator: each byte is a token. */
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

/* Begins a word.  sign: a sign directly before it, which digest_word_undo() takes out, too; 0: there is no sign. */
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

/* Hashes a mark for a byte of a token that the label cannot show. */
static __always_inline void digest_mark(struct digest *d)
{
	d->hash = hash_byte(d->hash, 0);
}

#define DIGEST_WORD4(a, b, c, d) ((__u64)(a) | (__u64)(b) << 8 | (__u64)(c) << 16 | (__u64)(d) << 24)

static __always_inline int digest_word_is_literal(const struct digest *d)
{
	return (d->n == 4 &&
		(d->word == DIGEST_WORD4('n', 'u', 'l', 'l') || d->word == DIGEST_WORD4('t', 'r', 'u', 'e'))) ||
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

/* Returns the code, after the last token.  whole 0: the text goes on. */
static __always_inline __u64 digest_sum(struct digest *d, int whole)
{
	d->tokens.cut = !whole;
	if (!whole)
		d->hash = hash_byte(d->hash, 1);	/* no token has this byte */
	return d->hash > DIGEST_UNKNOWN ? d->hash : DIGEST_UNKNOWN + 1;
}

#endif
