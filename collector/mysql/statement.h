/* statement.h - finds the kind of a statement, which is its first keyword.
 *
 *      "-- a\n (SELECT c ..."  -> statement_byte() each -> statement_code() == STATEMENT_CODE("select")
 *
 * Rule    The kind is the first word after white space, comments (--, #, slash-star), opening parentheses and stray
 *         semicolons.  The content of an executable comment (slash-star followed by ! or M! and an optional version)
 *         counts: the server runs it.
 * Code    The first 8 letters in lower case, the first one in the lowest byte.  Words that are not
 *         in the list below are `misc`: clients must not be able to make keys.
 * Both    All state is in the struct, so a text may be cut anywhere; fuzzed by fuzz_mysql_parse.
 */
#ifndef HEATSCOPE_MYSQL_STATEMENT_H
#define HEATSCOPE_MYSQL_STATEMENT_H

#include "collector/server/statement.h"

struct statement {
	__u64 word;
	__u64 known;		/* the last word that was a keyword: the next one is often the same */
	__u8 state;
	__u8 n;			/* letters in word */
	__u16 pad;
	__u32 pad2;
};

enum statement_state {
	STATEMENT_SPACE, STATEMENT_WORD, STATEMENT_DASH, STATEMENT_LINE, STATEMENT_SLASH,
	STATEMENT_OPEN, STATEMENT_BLOCK, STATEMENT_BLOCK_STAR, STATEMENT_OPEN_M, STATEMENT_VERSION,
	STATEMENT_STAR, STATEMENT_DONE,
};

#define STATEMENT_KEYWORDS(X)                                                                       \
	X("alter", "alter") X("analyze", "analyze") X("backup", "backup") X("begin", "begin")       \
	X("binlog", "binlog") X("cache", "cache") X("call", "call") X("change", "change")           \
	X("check", "check") X("checksum", "checksum") X("clone", "clone") X("commit", "commit")     \
	X("create", "create") X("deallocate", "dealloca") X("delete", "delete") X("desc", "desc")   \
	X("describe", "describe") X("do", "do") X("drop", "drop") X("execute", "execute")           \
	X("explain", "explain") X("flush", "flush") X("get", "get") X("grant", "grant")             \
	X("handler", "handler") X("help", "help") X("insert", "insert") X("install", "install")     \
	X("kill", "kill") X("load", "load") X("lock", "lock") X("optimize", "optimize")             \
	X("prepare", "prepare") X("purge", "purge") X("release", "release") X("rename", "rename")   \
	X("repair", "repair") X("replace", "replace") X("reset", "reset")                           \
	X("resignal", "resignal") X("revoke", "revoke") X("rollback", "rollback")                   \
	X("savepoint", "savepoin") X("select", "select") X("set", "set") X("show", "show")          \
	X("shutdown", "shutdown") X("signal", "signal") X("start", "start") X("stop", "stop")       \
	X("table", "table") X("truncate", "truncate") X("uninstall", "uninstal")                    \
	X("unlock", "unlock") X("update", "update") X("use", "use") X("values", "values")           \
	X("with", "with") X("xa", "xa")

static inline int statement_known(__u64 word)
{
	int known = 0;
#define STATEMENT_TEST(name, letters) known |= word == STATEMENT_CODE(letters);
	STATEMENT_KEYWORDS(STATEMENT_TEST)
#undef STATEMENT_TEST
	return known;
}

static inline int statement_done(const struct statement *s)
{
	return s->state == STATEMENT_DONE;
}

static inline __u8 statement_lower(__u8 byte)
{
	return byte >= 'A' && byte <= 'Z' ? byte + 32 : byte;
}

static inline int statement_letter(__u8 lower)
{
	return (lower >= 'a' && lower <= 'z') || lower == '_';
}

/* Takes a byte between tokens: white space, brackets, and the end of an executable comment. */
static inline __u8 statement_between(struct statement *s, __u8 byte)
{
	__u8 lower = statement_lower(byte);

	if (statement_letter(lower)) {
		s->word = lower;
		s->n = 1;
		return STATEMENT_WORD;
	}
	if (byte <= ' ' || byte == '(' || byte == ')' || byte == ';')
		return STATEMENT_SPACE;
	if (byte == '-')
		return STATEMENT_DASH;
	if (byte == '#')
		return STATEMENT_LINE;
	if (byte == '/')
		return STATEMENT_SLASH;
	if (byte == '*')
		return STATEMENT_STAR;
	return STATEMENT_DONE;
}

static inline __u8 statement_word(struct statement *s, __u8 byte)
{
	__u8 lower = statement_lower(byte);

	if (!statement_letter(lower) && !(byte >= '0' && byte <= '9'))
		return STATEMENT_DONE;
	s->word |= (__u64)lower << (8 * (s->n & 7));
	return ++s->n >= 8 ? STATEMENT_DONE : STATEMENT_WORD;
}

/* Takes the byte just after slash-star. */
static inline __u8 statement_open(__u8 byte)
{
	if (byte == '!')
		return STATEMENT_VERSION;
	if (byte == 'M')
		return STATEMENT_OPEN_M;
	return byte == '*' ? STATEMENT_BLOCK_STAR : STATEMENT_BLOCK;
}

static inline __u8 statement_block_star(__u8 byte)
{
	if (byte == '/')
		return STATEMENT_SPACE;
	return byte == '*' ? STATEMENT_BLOCK_STAR : STATEMENT_BLOCK;
}

#define STATEMENT_AHEAD 8

/* Takes the first STATEMENT_AHEAD bytes of a text at once, if it begins with its word: the result is that of
 * statement_byte() for each up to the end of the word.  Returns bytes taken, 0 if it begins with something else. */
static inline __u32 statement_ahead(struct statement *s, const __u8 *text)
{
	__u64 word = 0;
	__u32 i;

	for (i = 0; i < STATEMENT_AHEAD; i++) {
		__u8 lower = statement_lower(text[i]);

		if (!statement_letter(lower) && !(i && lower >= '0' && lower <= '9'))
			break;
		word |= (__u64)lower << (8 * i);
	}
	if (!i)
		return 0;
	s->word = word;
	s->n = i;
	s->state = STATEMENT_DONE;
	return i < STATEMENT_AHEAD ? i + 1 : i;
}

static inline void statement_byte(struct statement *s, __u8 byte)
{
	switch (s->state) {
	case STATEMENT_SPACE: s->state = statement_between(s, byte); break;
	case STATEMENT_WORD: s->state = statement_word(s, byte); break;
	case STATEMENT_DASH: s->state = byte == '-' ? STATEMENT_LINE : STATEMENT_DONE; break;
	case STATEMENT_LINE: s->state = byte == '\n' ? STATEMENT_SPACE : STATEMENT_LINE; break;
	case STATEMENT_SLASH: s->state = byte == '*' ? STATEMENT_OPEN : STATEMENT_DONE; break;
	case STATEMENT_OPEN: s->state = statement_open(byte); break;
	case STATEMENT_OPEN_M:
		s->state = byte == '!' ? STATEMENT_VERSION : statement_block_star(byte) == STATEMENT_SPACE ?
			   STATEMENT_BLOCK : statement_block_star(byte);
		break;
	case STATEMENT_VERSION:
		if (byte < '0' || byte > '9')
			s->state = statement_between(s, byte);
		break;
	case STATEMENT_BLOCK: s->state = byte == '*' ? STATEMENT_BLOCK_STAR : STATEMENT_BLOCK; break;
	case STATEMENT_BLOCK_STAR: s->state = statement_block_star(byte); break;
	case STATEMENT_STAR: s->state = byte == '/' ? STATEMENT_SPACE : statement_between(s, byte); break;
	}
}

/* Returns the code, at the end of the text (`whole`) or of the bytes that are read. */
static inline __u64 statement_code(struct statement *s, int whole)
{
	if (!whole && !statement_done(s))
		return STATEMENT_UNKNOWN;
	if (!s->word || (s->word != s->known && !statement_known(s->word)))
		return STATEMENT_MISC;
	s->known = s->word;
	return s->word;
}

#endif
