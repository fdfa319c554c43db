/* table.h - the first table that a statement names, found among the tokens of its digest.
 *
 *      "SELECT c FROM (SELECT * FROM `a b`.T) x"  -> table_word_*(), table_mark() by mysql_digest.h -> table_code(): "a b.T"
 *
 * Rule     The first name behind FROM, INTO, UPDATE, JOIN, TABLE or TABLES, or behind INSERT, REPLACE, TRUNCATE, DESCRIBE, DESC or
 *          HANDLER at the begin; in a bracket FROM counts behind its SELECT only (not in extract(year from c)).  Of several
 *          statements in one text, the first one that names any.
 * Name     as it is written, without quotes, also where it says a database.  A common table expression's counts as one.
 * Literals are no words to the digest, so they are none here.
 * None     GRANT and REVOKE name users, SHOW TABLES and the like a database.
 * Both     pure; fuzzed by fuzz_mysql_digest.
 */
#ifndef HEATSCOPE_TABLE_H
#define HEATSCOPE_TABLE_H

#include "name.h"
#include "statement.h"

enum table_state {
	TABLE_OFF,		/* not looked for */
	TABLE_SEEK,		/* a word behind which a table is named */
	TABLE_NEXT,		/* its name comes, or a bracket or word before it */
	TABLE_NAMED,		/* found; it may have been the database */
	TABLE_DOT,		/* it was */
	TABLE_DONE,
};

struct table {
	struct name name;
	__u64 selects;		/* a bit per open bracket, the innermost lowest: FROM names a table there */
	__u8 state;
	__u8 first;		/* the next word begins a statement */
	__u8 shows;		/* this one is a SHOW */
	__u8 pad;
	__u32 pad2;
};

enum table_role {
	ROLE_NONE,
	ROLE_NAMES,		/* a table's name follows */
	ROLE_FROM,		/* so it does where there was a SELECT */
	ROLE_TABLES,		/* and so, but in SHOW */
	ROLE_FIRST,		/* at the begin of a statement only */
	ROLE_SELECT,
	ROLE_FILLER,		/* it may stand between */
	ROLE_STOP,		/* it cannot */
	ROLE_OFF,		/* a statement that names none */
	ROLE_SHOW,
	ROLE_SHOWN,		/* behind SHOW: what is named then is a database */
};

/* Each word where its hash has it, so that the verifier sees one comparison; the multiplier was found by trying.  Of a longer word
 * the first 8 letters. */
#define TABLE_WORD_HASH(word) ((word) * 0xc8b98de149b53505ull >> 58)

static const struct table_word { __u64 word, role; } table_words[64] = {
	[0] = { STATEMENT_CODE("lateral"), ROLE_FILLER },
	[1] = { STATEMENT_CODE("handler"), ROLE_FIRST },
	[2] = { STATEMENT_CODE("into"), ROLE_NAMES },
	[3] = { STATEMENT_CODE("from"), ROLE_FROM },
	[4] = { STATEMENT_CODE("where"), ROLE_STOP },
	[6] = { STATEMENT_CODE("tables"), ROLE_TABLES },
	[8] = { STATEMENT_CODE("values"), ROLE_STOP },
	[11] = { STATEMENT_CODE("status"), ROLE_SHOWN },
	[13] = { STATEMENT_CODE("dumpfile"), ROLE_STOP },
	[14] = { STATEMENT_CODE("with"), ROLE_STOP },
	[15] = { STATEMENT_CODE("delete"), ROLE_SELECT },
	[16] = { STATEMENT_CODE("if"), ROLE_FILLER },
	[19] = { STATEMENT_CODE("events"), ROLE_SHOWN },
	[22] = { STATEMENT_CODE("grant"), ROLE_OFF },
	[23] = { STATEMENT_CODE("exists"), ROLE_FILLER },
	[25] = { STATEMENT_CODE("truncate"), ROLE_FIRST },
	[27] = { STATEMENT_CODE("triggers"), ROLE_SHOWN },
	[30] = { STATEMENT_CODE("desc"), ROLE_FIRST },
	[31] = { STATEMENT_CODE("outfile"), ROLE_STOP },
	[34] = { STATEMENT_CODE("low_prio"), ROLE_FILLER },
	[35] = { STATEMENT_CODE("high_pri"), ROLE_FILLER },
	[36] = { STATEMENT_CODE("join"), ROLE_NAMES },
	[37] = { STATEMENT_CODE("update"), ROLE_NAMES },
	[39] = { STATEMENT_CODE("insert"), ROLE_FIRST },
	[40] = { STATEMENT_CODE("replace"), ROLE_FIRST },
	[42] = { STATEMENT_CODE("set"), ROLE_STOP },
	[44] = { STATEMENT_CODE("table"), ROLE_NAMES },
	[46] = { STATEMENT_CODE("select"), ROLE_SELECT },
	[50] = { STATEMENT_CODE("show"), ROLE_SHOW },
	[55] = { STATEMENT_CODE("delayed"), ROLE_FILLER },
	[56] = { STATEMENT_CODE("describe"), ROLE_FIRST },
	[60] = { STATEMENT_CODE("ignore"), ROLE_FILLER },
	[62] = { STATEMENT_CODE("revoke"), ROLE_OFF },
	[63] = { STATEMENT_CODE("not"), ROLE_FILLER },
};

static __always_inline __u8 table_role(__u64 word, __u8 n)
{
	const struct table_word *w = &table_words[TABLE_WORD_HASH(word)];
	int is_long = word == STATEMENT_CODE("low_prio") || word == STATEMENT_CODE("high_pri");

	return n && w->word == word && is_long == (n > 8) ? w->role : ROLE_NONE;
}

static __always_inline void table_begin(struct table *t, int wanted)
{
	t->state = wanted ? TABLE_SEEK : TABLE_OFF;
	t->first = 1;
	t->shows = 0;
	t->selects = 1;
	name_begin(&t->name);
}

/* A word or quoted name begins. */
static __always_inline void table_word_begin(struct table *t)
{
	if (t->state == TABLE_NAMED)
		t->state = TABLE_DONE;
	else if (t->state == TABLE_NEXT)
		name_begin(&t->name);
	else if (t->state == TABLE_DOT)
		name_byte(&t->name, '.');
}

static __always_inline void table_word_byte(struct table *t, __u8 byte)
{
	if (t->state == TABLE_NEXT || t->state == TABLE_DOT)
		name_byte(&t->name, byte);
}

/* What was read since table_word_begin() is a name. */
static __always_inline void table_name_end(struct table *t)
{
	t->first = 0;
	if (t->state == TABLE_NEXT || t->state == TABLE_DOT)
		t->state = TABLE_NAMED;
}

/* A word where none was a name. */
static __always_inline __u8 table_sought(struct table *t, __u8 role, int first)
{
	if (role == ROLE_SELECT)
		t->selects |= 1;
	return role == ROLE_NAMES || role == ROLE_TABLES || (role == ROLE_FIRST && first) || (role == ROLE_FROM && (t->selects & 1)) ?
	       TABLE_NEXT : TABLE_SEEK;
}

/* A word of n bytes, the first 8 of them in `word` in lower case; no literal. */
static __always_inline void table_word_end(struct table *t, __u64 word, __u8 n)
{
	__u8 role = t->state == TABLE_DOT ? ROLE_NONE : table_role(word, n);
	int first = t->first;

	if (t->state == TABLE_OFF || t->state == TABLE_DONE)
		return;
	t->first = 0;
	if (first)
		t->shows = role == ROLE_SHOW;
	if ((first && role == ROLE_OFF) || (t->shows && (role == ROLE_TABLES || role == ROLE_SHOWN))) {
		name_begin(&t->name);
		t->state = TABLE_DONE;
	} else if (t->state == TABLE_SEEK || role == ROLE_SELECT) {
		t->state = table_sought(t, role, first);
	} else if (role == ROLE_STOP || (t->state == TABLE_NEXT && (word & 255) == '@')) {
		t->state = TABLE_SEEK;
	} else if (role != ROLE_NAMES && role != ROLE_FROM && role != ROLE_FILLER) {
		t->state = TABLE_NAMED;
	}
}

/* A literal, or a mark that is none of those below. */
static __always_inline void table_other(struct table *t)
{
	t->first = 0;
	if (t->state == TABLE_NEXT)
		t->state = TABLE_SEEK;
	else if (t->state == TABLE_NAMED || t->state == TABLE_DOT)
		t->state = TABLE_DONE;
}

/* Brackets, commas, operators: each byte is a token. */
static __always_inline void table_mark(struct table *t, __u8 byte)
{
	if (t->state == TABLE_OFF || t->state == TABLE_DONE)
		return;
	if (byte == '.' && t->state == TABLE_NAMED) {
		t->state = TABLE_DOT;
	} else if (byte == '(' && (t->state == TABLE_SEEK || t->state == TABLE_NEXT)) {
		t->selects = t->selects << 1 | (t->state == TABLE_NEXT);	/* a list of tables, or a SELECT */
	} else {
		table_other(t);
		if (byte == ')')
			t->selects >>= 1;
		if (byte == ';') {
			t->first = 1;
			t->shows = 0;
			t->selects = 1;
		}
	}
}

/* At the end of the text (`whole`) or of what is looked at. */
static __always_inline __u64 table_code(const struct table *t, int whole)
{
	if (t->state == TABLE_NAMED || (t->state == TABLE_DONE && t->name.n))
		return name_code(&t->name);
	return t->state != TABLE_OFF && (whole || t->state == TABLE_DONE) ? NAME_NONE : NAME_UNKNOWN;
}

#endif
