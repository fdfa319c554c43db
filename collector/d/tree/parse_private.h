/* parse_private.h - divides the parser over its files: clauses, expressions, declarations. */
#ifndef HEATSCOPE_TREE_PARSE_PRIVATE_H
#define HEATSCOPE_TREE_PARSE_PRIVATE_H

#include "collector/d/tree/parse.h"

struct d_parser {
	struct d_lexer lexer;
	struct d_types *types;
	struct d_arena *arena;
	struct d_token token;		/* the next one inside braces, if has_token */
	bool has_token;
	unsigned depth;
	struct d_item **items_end;	/* where the next item is put */
};

/* A function that fails returns NULL or false; d_parser.lexer.error has the reason. */

/* parse.c: tokens */
const struct d_token *d_parser_peek(struct d_parser *p);
struct d_token d_parser_next(struct d_parser *p);
bool d_parser_accept(struct d_parser *p, int kind);
bool d_parser_expect(struct d_parser *p, int kind);
void *d_parser_near(struct d_parser *p, const struct d_token *t);	/* syntax error near the token; NULL */
void *d_parser_fail(struct d_parser *p, __u32 at, const char *tag, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
bool d_parser_enter(struct d_parser *p, __u32 at);			/* false: nested too deep; else d_parser_leave() */
static inline void d_parser_leave(struct d_parser *p) { p->depth--; }
const char *d_parser_name(struct d_parser *p, bool also_keywords);	/* an identifier */
struct d_item *d_parser_item(struct d_parser *p, enum d_item_kind kind, __u32 at);
void d_parser_add(struct d_parser *p, struct d_item *item);

/* parse_expression.c */
struct d_node *d_parse_expression(struct d_parser *p);		/* with commas */
struct d_node *d_parse_assignment(struct d_parser *p);		/* without */
struct d_node *d_parse_condition(struct d_parser *p);
struct d_node *d_node_new(struct d_parser *p, enum d_node_kind kind, __u32 at);

/* parse_type.c */
struct d_specifiers {
	const struct d_type *type;
	int storage;			/* KEY_TYPEDEF, KEY_SELF, KEY_THIS, KEY_STATIC or 0 */
	bool declares;			/* it has a struct, union or enum with a body or a name */
};

bool d_parse_begins_type(struct d_parser *p);			/* the next token does */
bool d_parse_specifiers(struct d_parser *p, struct d_specifiers *ret_specifiers);
/* Type and name of a declarator on a base; *ret_name "": it has none. */
const struct d_type *d_parse_declarator(struct d_parser *p, const struct d_type *base, const char **ret_name);
const struct d_type *d_parse_type_name(struct d_parser *p);
bool d_parse_parameters(struct d_parser *p, int end, struct d_member **ret_list, bool *ret_is_variadic);

/* parse_struct.c */
const struct d_type *d_parse_tagged(struct d_parser *p, enum d_tag tag);

/* parse_declaration.c */
bool d_parse_declaration(struct d_parser *p);

#endif
