/* statement.h - finds the kind of a statement, which is its first word if that is a keyword of the list below.
 *
 * Rule    The first word after white space, comments, brackets and stray semicolons, as digest.h finds it.
 * Code    as in server/statement.h.  Other words are `misc`: clients must not be able to make keys.
 */
#ifndef HEATSCOPE_POSTGRESQL_STATEMENT_H
#define HEATSCOPE_POSTGRESQL_STATEMENT_H

#include "collector/server/statement.h"

#define STATEMENT_KEYWORDS(X)                                                                       \
	X("abort", "abort") X("alter", "alter") X("analyze", "analyze") X("begin", "begin")         \
	X("call", "call") X("checkpoint", "checkpoi") X("close", "close") X("cluster", "cluster")   \
	X("comment", "comment") X("commit", "commit") X("copy", "copy") X("create", "create")       \
	X("deallocate", "dealloca") X("declare", "declare") X("delete", "delete")                   \
	X("discard", "discard") X("do", "do") X("drop", "drop") X("end", "end")                     \
	X("execute", "execute") X("explain", "explain") X("fetch", "fetch") X("grant", "grant")     \
	X("import", "import") X("insert", "insert") X("listen", "listen") X("load", "load")         \
	X("lock", "lock") X("merge", "merge") X("move", "move") X("notify", "notify")               \
	X("prepare", "prepare") X("reassign", "reassign") X("refresh", "refresh")                   \
	X("reindex", "reindex") X("release", "release") X("reset", "reset") X("revoke", "revoke")   \
	X("rollback", "rollback") X("savepoint", "savepoin") X("security", "security")              \
	X("select", "select") X("set", "set") X("show", "show") X("start", "start")                 \
	X("table", "table") X("truncate", "truncate") X("unlisten", "unlisten")                     \
	X("update", "update") X("vacuum", "vacuum") X("values", "values") X("with", "with")

/* Returns the kind of a text with this first word; 0: it has no word. */
static inline __u64 statement_of_word(__u64 word)
{
	int known = 0;
#define STATEMENT_TEST(name, letters) known |= word == STATEMENT_CODE(letters);
	STATEMENT_KEYWORDS(STATEMENT_TEST)
#undef STATEMENT_TEST
	return known ? word : STATEMENT_MISC;
}

#endif
