/* tree.h - is a D script after parsing: what it declares, and expressions as a tree.
 *
 *      BEGIN /$1/ { x = 6 * 7; }      ->      clause
 *                                               probe BEGIN
 *                                               predicate ...
 *                                               (= x (* 6 7))
 *
 * Shape   lists are linked by `next`, in the order of the text.  `at` is a byte of the script: that of the operator for
 *         binary operators, assignments, ?:, members and postfix operators, else the first one.
 * Memory  everything is in the arena of the compilation.
 * Thread  one at a time.
 */
#ifndef HEATSCOPE_TREE_TREE_H
#define HEATSCOPE_TREE_TREE_H

#include "collector/d/text/lex.h"
#include "collector/d/tree/type.h"

#include <stdio.h>

enum d_scope { SCOPE_GLOBAL, SCOPE_SELF, SCOPE_THIS };

enum d_node_kind {
	NODE_INT,			/* value */
	NODE_STRING,			/* text, text_len */
	NODE_NAME,			/* scope, text */
	NODE_AGG,			/* text; list: its key */
	NODE_INDEX,			/* a[list] */
	NODE_CALL,			/* text(list) */
	NODE_MEMBER,			/* a.text or a->text: op is '.' or TOKEN_ARROW */
	NODE_UNARY,			/* op a: ! ~ - + & * ++ -- */
	NODE_POSTFIX,			/* a op: ++ -- */
	NODE_BINARY,			/* a op b */
	NODE_ASSIGN,			/* a op b */
	NODE_CONDITION,			/* a ? b : c */
	NODE_CAST,			/* (named) a */
	NODE_SIZEOF,			/* of `named`, or of the type of a */
	NODE_OFFSETOF,			/* of text in `named` */
	NODE_STRINGOF,			/* stringof(a) */
	NODE_XLATE,			/* xlate <named> (a) */
	NODE_IF,			/* statement: a, list, otherwise */
};

struct d_variable;
struct d_function;
struct d_directive;

struct d_node {
	__u8 kind;			/* enum d_node_kind */
	__u8 scope;			/* enum d_scope */
	__u16 depth;			/* of its tree; at most D_DEPTH_MAX after parsing, CHECK_DEPTH_MAX after checking */
	int op;				/* a token's kind */
	__u32 at;
	struct d_node *next;
	struct d_node *a, *b, *c, *list, *otherwise;
	const char *text;
	size_t text_len;
	__u64 value;
	const struct d_type *named;
	/* the checker's */
	const struct d_type *type;
	struct d_variable *variable;
	struct d_aggregation *aggregation;	/* NODE_AGG */
	const struct d_function *function;	/* NODE_CALL */
	struct d_directive *format;		/* of printf */
	__u32 size;			/* nodes of the tree, those of an inline as often as it is used */
	bool is_signed;			/* the operation: division, comparison, right shift */
};

struct d_spec {
	struct d_spec *next;
	__u32 at;
	const char *text;
};

enum d_item_kind { ITEM_CLAUSE, ITEM_VARIABLE, ITEM_TYPE, ITEM_INLINE, ITEM_TRANSLATOR, ITEM_PROVIDER };

struct d_item {
	enum d_item_kind kind;
	struct d_item *next;
	__u32 at;
	struct d_spec *specs;			/* clause; provider: its probes */
	struct d_node *predicate;		/* NULL: none */
	struct d_node *statements;
	bool has_body;				/* clause: false: default action */
	enum d_scope scope;			/* variable */
	const char *name;			/* variable, type, inline, provider; translator: of its parameter */
	const struct d_type *type;		/* variable, type, inline; translator: what it makes */
	const struct d_type *from;		/* translator */
	struct d_member *parameters;		/* inline */
	struct d_node *value;			/* inline: its expression; translator: assignments of members */
};

/* A script that was parsed. */
struct d_unit {
	struct d_script script;
	struct d_item *items;
	struct d_pragma *pragmas;
};

const char *d_scope_prefix(enum d_scope scope);	/* "", "self->", "this->" */

/* Writes the tree as text, as the golden files have it. */
void d_tree_print(const struct d_unit *u, FILE *out);
void d_node_print(const struct d_node *n, FILE *out);

/* Whether an expression, statement, or a list of them, has such a node in it. */
bool d_node_has(const struct d_node *list, bool (*is_such)(const struct d_node *n));

#endif
