/* statement.h - makes a code of a kind of statement: the first 8 letters of its first word, in lower case.  The first
 * letter is in the lowest byte. */
#ifndef HEATSCOPE_STATEMENT_H
#define HEATSCOPE_STATEMENT_H

#include <linux/types.h>

enum {				/* codes that no word has */
	STATEMENT_NONE = 0,	/* a command that has no statement */
	STATEMENT_UNKNOWN = 1,	/* no text was seen: prepared before the collector began, or 1 kB of comment */
	STATEMENT_MISC = 2,	/* text, but no keyword we know */
};

/* The code of a literal of at most 8 letters; a constant expression. */
#define STATEMENT_LETTER(s, i) ((i) < sizeof(s) - 1 ? (__u64)(__u8)(s)[(i) < sizeof(s) ? (i) : 0] << 8 * (i) : 0)
#define STATEMENT_CODE(s)                                                                           \
	(STATEMENT_LETTER(s, 0) | STATEMENT_LETTER(s, 1) | STATEMENT_LETTER(s, 2) |                 \
	 STATEMENT_LETTER(s, 3) | STATEMENT_LETTER(s, 4) | STATEMENT_LETTER(s, 5) |                 \
	 STATEMENT_LETTER(s, 6) | STATEMENT_LETTER(s, 7))

/* Rows {name, code} of all kinds: the three above, then the protocol's STATEMENT_KEYWORDS. */
#define STATEMENT_NAME(name, letters) { name, STATEMENT_CODE(letters) },
#define STATEMENT_NAMES                                                                             \
	{ "none", STATEMENT_NONE }, { "unknown", STATEMENT_UNKNOWN }, { "misc", STATEMENT_MISC },   \
	STATEMENT_KEYWORDS(STATEMENT_NAME)

#endif
