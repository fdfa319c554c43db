/* table.h - finds the first table that a statement names, among the tokens of its digest.
 *
 *      "SELECT c FROM (SELECT * FROM `a b`.T) x"  -> table_word_*(), table_mark() by digest.h -> table_code(): "a b.T"
 *
 * Rule     The first name after FROM, INTO, UPDATE, JOIN, TABLE or TABLES; after INSERT, REPLACE, TRUNCATE, DESCRIBE,
 *          DESC, EXPLAIN, HANDLER or COPY at the begin of a statement; after ON for a trigger or index.  In a bracket, FROM
 *          counts only after the SELECT of that bracket (not in extract(year from c)).  If a text has several
 *          statements, the first one that names a table counts.
 * Name     as it is written, without quotes, also with its database.  The names of a common table expression, of a
 *          function after FROM and of a cursor after MOVE count as tables.
 * Literals are no names: the digest has replaced them.
 * Between  SELECT INTO TEMP [TABLE] t, COPY BINARY t: words like ONLY, TEMP and BINARY may stand before the name.
 * None     Not tables: users (GRANT, REVOKE), databases (SHOW TABLES and the like), cursors (FETCH), the words after
 *          FOR UPDATE, IS DISTINCT FROM and FORMAT =, the functions of ROWS FROM, and DUAL in MySQL.
 * Both     The kernel and the host run the same pure code; fuzz_mysql_digest and fuzz_postgresql_digest fuzz it.
 */
#ifndef HEATSCOPE_TABLE_H
#define HEATSCOPE_TABLE_H

#include "collector/server/name.h"
#include "collector/server/statement.h"

enum table_state {
	TABLE_OFF,		/* not looked for */
	TABLE_SEEK,		/* a table's name follows the last word */
	TABLE_NEXT,		/* next comes its name, or a bracket or word before it */
	TABLE_NAMED,		/* found; the name may have been the database */
	TABLE_DOT,		/* it was the database */
	TABLE_DONE,
};

struct table {
	struct name name;
	__u64 hash_before;	/* hash of the name before its last word */
	__u64 selects;		/* a bit per open bracket, the innermost lowest: FROM names a table there */
	__u8 state;
	__u8 before;		/* the word before the next one; enum table_before */
	__u8 kind;		/* of statement: bits of enum table_kind */
	__u8 mysql;		/* the dialect is MySQL's */
	__u32 n_before;		/* length of the name before its last word */
};

enum table_before {
	BEFORE_NONE,		/* nothing of importance */
	BEFORE_FIRST,		/* a statement begins */
	BEFORE_INSERT,		/* INSERT or a similar word, perhaps with words before its INTO */
	BEFORE_FOR,		/* a word after which no word names a table */
	BEFORE_LOAD,
};

enum table_kind {
	KIND_SHOW = 1,
	KIND_HUNG = 2,		/* of a trigger or index, which is ON a table */
	KIND_CACHE = 4,		/* LOAD INDEX INTO CACHE */
	KIND_INTO = 8,		/* SELECT INTO: TEMP may stand before the table's name */
	KIND_EXPLAIN = 16,	/* DESCRIBE or EXPLAIN, of a table or a statement */
	KIND_ROWS = 32,		/* the name that is found is ROWS, which FROM may follow */
};

enum table_role {
	ROLE_NONE,
	ROLE_NAMES,		/* a table's name follows */
	ROLE_INTO,		/* the same */
	ROLE_FROM,		/* a table's name follows if there was a SELECT */
	ROLE_TABLES,		/* the same, but not in SHOW */
	ROLE_FIRST,		/* only at the begin of a statement */
	ROLE_SELECT,
	ROLE_FILLER,		/* may stand between that word and the name */
	ROLE_STOP,		/* may not */
	ROLE_OFF,		/* begins a statement that names no table */
	ROLE_SHOW,
	ROLE_SHOWN,		/* after SHOW: the name that follows is a database */
	ROLE_FOR,		/* the word after it names no table */
	ROLE_HUNG, ROLE_INDEX,	/* trigger and index, which are ON a table */
	ROLE_ON,
	ROLE_LOAD, ROLE_CACHE,
	ROLE_EXPLAIN,		/* as ROLE_FIRST, or a statement follows; MySQL only */
	ROLE_EXPLAINED,		/* may stand between that word and the statement */
	ROLE_TEMP,		/* may stand between SELECT INTO and the name */
	ROLE_ROWS,		/* ROWS FROM (functions) */
	ROLE_DUAL,		/* no table; MySQL only */
	ROLE_LONG = 128,	/* flag: the word has more than 8 letters */
};

/* Each word stands at its hash, so that the verifier sees one comparison; the multiplier was found by trying.  A
 * longer word counts by its first 8 letters. */
#define TABLE_WORD_HASH(word) ((word) * 0x320e6443f9a2a69dull >> 57)

static const struct table_word { __u64 word, role; } table_words[128] = {
	[7] = { STATEMENT_CODE("analyze"), ROLE_EXPLAINED },
	[13] = { STATEMENT_CODE("handler"), ROLE_FIRST },
	[19] = { STATEMENT_CODE("distinct"), ROLE_FOR },
	[20] = { STATEMENT_CODE("describe"), ROLE_EXPLAIN },
	[21] = { STATEMENT_CODE("revoke"), ROLE_OFF },
	[23] = { STATEMENT_CODE("not"), ROLE_FILLER },
	[27] = { STATEMENT_CODE("ignore"), ROLE_FILLER },
	[28] = { STATEMENT_CODE("with"), ROLE_STOP },
	[31] = { STATEMENT_CODE("low_prio"), ROLE_FILLER | ROLE_LONG },
	[33] = { STATEMENT_CODE("if"), ROLE_FILLER },
	[38] = { STATEMENT_CODE("join"), ROLE_NAMES },
	[39] = { STATEMENT_CODE("partitio"), ROLE_EXPLAINED | ROLE_LONG },
	[40] = { STATEMENT_CODE("only"), ROLE_FILLER },
	[42] = { STATEMENT_CODE("events"), ROLE_SHOWN },
	[43] = { STATEMENT_CODE("exists"), ROLE_FILLER },
	[47] = { STATEMENT_CODE("trigger"), ROLE_HUNG },
	[49] = { STATEMENT_CODE("update"), ROLE_NAMES },
	[51] = { STATEMENT_CODE("show"), ROLE_SHOW },
	[55] = { STATEMENT_CODE("where"), ROLE_STOP },
	[56] = { STATEMENT_CODE("insert"), ROLE_FIRST },
	[57] = { STATEMENT_CODE("values"), ROLE_STOP },
	[61] = { STATEMENT_CODE("merge"), ROLE_FIRST },
	[64] = { STATEMENT_CODE("temporar"), ROLE_TEMP | ROLE_LONG },
	[66] = { STATEMENT_CODE("select"), ROLE_SELECT },
	[68] = { STATEMENT_CODE("delayed"), ROLE_FILLER },
	[69] = { STATEMENT_CODE("outfile"), ROLE_STOP },
	[71] = { STATEMENT_CODE("desc"), ROLE_EXPLAIN },
	[74] = { STATEMENT_CODE("high_pri"), ROLE_FILLER | ROLE_LONG },
	[75] = { STATEMENT_CODE("copy"), ROLE_FIRST },
	[76] = { STATEMENT_CODE("set"), ROLE_STOP },
	[77] = { STATEMENT_CODE("extended"), ROLE_EXPLAINED },
	[79] = { STATEMENT_CODE("into"), ROLE_INTO },
	[81] = { STATEMENT_CODE("delete"), ROLE_SELECT },
	[86] = { STATEMENT_CODE("rows"), ROLE_ROWS },
	[87] = { STATEMENT_CODE("table"), ROLE_NAMES },
	[88] = { STATEMENT_CODE("cache"), ROLE_CACHE },
	[91] = { STATEMENT_CODE("index"), ROLE_INDEX },
	[93] = { STATEMENT_CODE("truncate"), ROLE_FIRST },
	[94] = { STATEMENT_CODE("replace"), ROLE_FIRST },
	[95] = { STATEMENT_CODE("tables"), ROLE_TABLES },
	[96] = { STATEMENT_CODE("fetch"), ROLE_OFF },
	[98] = { STATEMENT_CODE("from"), ROLE_FROM },
	[99] = { STATEMENT_CODE("unlogged"), ROLE_TEMP },
	[101] = { STATEMENT_CODE("temp"), ROLE_TEMP },
	[102] = { STATEMENT_CODE("dual"), ROLE_DUAL },
	[106] = { STATEMENT_CODE("for"), ROLE_FOR },
	[110] = { STATEMENT_CODE("grant"), ROLE_OFF },
	[113] = { STATEMENT_CODE("on"), ROLE_ON },
	[114] = { STATEMENT_CODE("triggers"), ROLE_SHOWN },
	[115] = { STATEMENT_CODE("load"), ROLE_LOAD },
	[116] = { STATEMENT_CODE("lateral"), ROLE_FILLER },
	[117] = { STATEMENT_CODE("to"), ROLE_STOP },
	[119] = { STATEMENT_CODE("explain"), ROLE_EXPLAIN },
	[121] = { STATEMENT_CODE("binary"), ROLE_FILLER },
	[122] = { STATEMENT_CODE("status"), ROLE_SHOWN },
	[123] = { STATEMENT_CODE("dumpfile"), ROLE_STOP },
};

static __always_inline __u8 table_role(const struct table *t, __u64 word, __u8 n)
{
	const struct table_word *w = &table_words[TABLE_WORD_HASH(word)];
	__u8 role = w->role & ~ROLE_LONG;

	if (!n || w->word != word || !!(w->role & ROLE_LONG) != (n > 8))
		return ROLE_NONE;
	return (role == ROLE_EXPLAIN || role == ROLE_DUAL) && !t->mysql ? ROLE_NONE : role;
}

static __always_inline void table_begin(struct table *t, int wanted, int mysql)
{
	t->mysql = mysql;
	t->state = wanted ? TABLE_SEEK : TABLE_OFF;
	t->before = BEFORE_FIRST;
	t->kind = 0;
	t->selects = 1;
	name_begin(&t->name);
}

/* Begins a word or quoted name. */
static __always_inline void table_word_begin(struct table *t)
{
	if (t->state == TABLE_NEXT)
		name_begin(&t->name);
	t->hash_before = t->name.hash;
	t->n_before = t->name.n;
	if (t->state == TABLE_NAMED)
		t->state = TABLE_DONE;
	else if (t->state == TABLE_DOT)
		name_byte(&t->name, '.');
}

/* Takes a word back that was a literal; the caller then calls table_other(). */
static __always_inline void table_word_undo(struct table *t)
{
	t->name.hash = t->hash_before;
	t->name.n = t->n_before;
}

static __always_inline void table_word_byte(struct table *t, __u8 byte)
{
	if (t->state == TABLE_NEXT || t->state == TABLE_DOT)
		name_byte(&t->name, byte);
}

/* Ends a name: the bytes since table_word_begin() are a name. */
static __always_inline void table_name_end(struct table *t)
{
	t->before = BEFORE_NONE;
	t->kind &= ~KIND_ROWS;
	if (t->state == TABLE_NEXT || t->state == TABLE_DOT)
		t->state = TABLE_NAMED;
}

/* Does a table's name follow that word? */
static __always_inline int table_is_sought(const struct table *t, __u8 role, __u8 before)
{
	switch (role) {
	case ROLE_NAMES: case ROLE_INTO: case ROLE_TABLES:
		return before != BEFORE_FOR && !(t->kind & KIND_HUNG);
	case ROLE_FROM: return before != BEFORE_FOR && (t->selects & 1);
	case ROLE_ON: return (t->kind & KIND_HUNG) != 0;
	case ROLE_FIRST: case ROLE_EXPLAIN: case ROLE_CACHE:
		return before == BEFORE_FIRST;
	default: return 0;
	}
}

/* May that word stand before the name? */
static __always_inline int table_is_passed(const struct table *t, __u8 role)
{
	switch (role) {
	case ROLE_NAMES: case ROLE_INTO: case ROLE_FROM: case ROLE_FILLER: case ROLE_INDEX:
		return 1;
	case ROLE_ON: return (t->kind & KIND_HUNG) != 0;
	case ROLE_CACHE: return (t->kind & KIND_CACHE) != 0;
	case ROLE_TEMP: return (t->kind & KIND_INTO) != 0;
	case ROLE_FIRST: case ROLE_EXPLAINED:
		return (t->kind & KIND_EXPLAIN) != 0;
	default: return 0;
	}
}

static __always_inline int table_is_stopped(__u64 word, __u8 role)
{
	return role == ROLE_STOP || role == ROLE_FOR || role == ROLE_ON || role == ROLE_DUAL || (word & 255) == '@';
}

/* Returns what matters of that word to the next one. */
static __always_inline __u8 table_before_next(__u8 role, __u8 before)
{
	switch (role) {
	case ROLE_FOR: return BEFORE_FOR;
	case ROLE_LOAD: return BEFORE_LOAD;
	case ROLE_FIRST: return BEFORE_INSERT;
	case ROLE_FILLER: return before == BEFORE_INSERT ? before : BEFORE_NONE;
	default: return BEFORE_NONE;
	}
}

/* Learns from that word about the words after it. */
static __always_inline void table_word_tells(struct table *t, __u8 role, __u8 before)
{
	t->before = table_before_next(role, before);
	if (role == ROLE_SELECT) {
		t->selects |= 1;
		t->kind &= ~KIND_EXPLAIN;
	} else if (role == ROLE_INTO || role == ROLE_NAMES) {
		t->kind &= ~KIND_INTO;
		t->kind |= role == ROLE_INTO && before != BEFORE_INSERT ? KIND_INTO : 0;
	} else if (role == ROLE_EXPLAIN && before == BEFORE_FIRST) {
		t->kind |= KIND_EXPLAIN;
	} else if (role == ROLE_SHOW && before == BEFORE_FIRST) {
		t->kind |= KIND_SHOW;
	} else if (role == ROLE_INDEX && before == BEFORE_LOAD) {
		t->kind |= KIND_CACHE;
	} else if (role == ROLE_HUNG || (role == ROLE_INDEX && t->state == TABLE_SEEK)) {
		t->kind |= KIND_HUNG;
	}
}

/* Takes ROWS back if that word is FROM: functions follow.  Returns 1 if it is. */
static __always_inline int table_rows_undo(struct table *t, __u8 role)
{
	int is = (t->kind & KIND_ROWS) && t->state == TABLE_DONE && role == ROLE_FROM;

	t->kind &= ~KIND_ROWS;
	if (!is)
		return 0;
	name_begin(&t->name);
	t->state = TABLE_SEEK;
	t->before = BEFORE_NONE;
	return 1;
}

/* Ends a word of n bytes that is no literal.  word: its first 8 bytes, in lower case. */
static __always_inline void table_word_end(struct table *t, __u64 word, __u8 n)
{
	__u8 role = t->state == TABLE_DOT ? ROLE_NONE : table_role(t, word, n), before = t->before;

	if (table_rows_undo(t, role) || t->state == TABLE_OFF || t->state == TABLE_DONE)
		return;
	table_word_tells(t, role, before);
	if ((before == BEFORE_FIRST && role == ROLE_OFF) ||
	    ((t->kind & KIND_SHOW) && (role == ROLE_TABLES || role == ROLE_SHOWN))) {
		name_begin(&t->name);
		t->state = TABLE_DONE;
	} else if (t->state == TABLE_SEEK || role == ROLE_SELECT) {
		t->state = table_is_sought(t, role, before) ? TABLE_NEXT : TABLE_SEEK;
	} else if (t->state == TABLE_NEXT && table_is_passed(t, role)) {
		return;
	} else {
		t->kind |= t->state == TABLE_NEXT && role == ROLE_ROWS ? KIND_ROWS : 0;
		t->state = t->state == TABLE_NEXT && table_is_stopped(word, role) ? TABLE_SEEK : TABLE_NAMED;
	}
}

/* Takes a literal, or a mark that table_mark() does not know. */
static __always_inline void table_other(struct table *t)
{
	t->before = BEFORE_NONE;
	t->kind &= ~KIND_ROWS;
	if (t->state == TABLE_NEXT)
		t->state = TABLE_SEEK;
	else if (t->state == TABLE_NAMED || t->state == TABLE_DOT)
		t->state = TABLE_DONE;
}

/* Takes a mark: a bracket, comma or operator, each byte of which is a token. */
static __always_inline void table_mark(struct table *t, __u8 byte)
{
	if (t->state == TABLE_OFF || t->state == TABLE_DONE)
		return;
	if (byte == '.' && t->state == TABLE_NAMED) {
		t->kind &= ~KIND_ROWS;
		t->state = TABLE_DOT;
	} else if (byte == '=' && t->state == TABLE_NAMED) {
		name_begin(&t->name);		/* an option's, as in DESC FORMAT = JSON SELECT */
		t->state = TABLE_SEEK;
	} else if (byte == '(' && (t->state == TABLE_SEEK || t->state == TABLE_NEXT)) {
		t->selects = t->selects << 1 | (t->state == TABLE_NEXT);	/* a list of tables, or a SELECT */
	} else {
		table_other(t);
		if (byte == ')')
			t->selects >>= 1;
		if (byte == ';') {
			t->before = BEFORE_FIRST;
			t->kind = 0;
			t->selects = 1;
		}
	}
}

/* Returns the code of the table, at the end of the text (`whole`) or of the bytes that are read. */
static __always_inline __u64 table_code(const struct table *t, int whole)
{
	int unsure = t->state == TABLE_NAMED || (t->kind & KIND_ROWS);

	if (unsure ? whole : t->state == TABLE_DONE && t->name.n)
		return name_code(&t->name);
	if (unsure)
		return NAME_UNKNOWN;
	return t->state != TABLE_OFF && (whole || t->state == TABLE_DONE) ? NAME_NONE : NAME_UNKNOWN;
}

#endif
