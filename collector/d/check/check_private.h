/* check_private.h - divides the checker over its files: names, operators, calls, translators, aggregations. */
#ifndef HEATSCOPE_CHECK_CHECK_PRIVATE_H
#define HEATSCOPE_CHECK_CHECK_PRIVATE_H

#include "collector/d/check/check.h"
#include "collector/d/text/format.h"
#include "collector/d/tree/function.h"

struct d_checker {
	struct d_program *program;
	struct d_types *types;
	struct d_arena *arena;
	const struct d_script *script;
	struct d_error *error;
	__u32 at;			/* of what is checked now */
	const struct d_item *items;	/* of the script: its translators */
	unsigned depth;			/* expressions that are being checked */
	unsigned n_translations;	/* translators among them */
	struct d_clause **clauses_end;
	__u32 n_nodes;			/* checked so far, with those of each use of an inline */
};

/* Each function returns false if the node is refused. */
bool d_check_fail(struct d_checker *c, const struct d_node *n, const char *tag, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* For a script that DTrace refuses and we take; keeps the first one. */
void d_check_warn(struct d_checker *c, const struct d_node *n, const char *tag, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
bool d_check_node(struct d_checker *c, struct d_node *n);		/* an expression of which the value is used */
bool d_check_statement(struct d_checker *c, struct d_node *n);		/* an expression that stands alone */
bool d_check_list(struct d_checker *c, struct d_node *list);

/* check_name.c */
bool d_check_name(struct d_checker *c, struct d_node *n);
/* A variable that is assigned: made with this type, if there is none.  NULL: refused. */
struct d_variable *d_check_assigned(struct d_checker *c, const struct d_node *n, const struct d_type *type);
struct d_variable *d_check_find(struct d_checker *c, enum d_scope scope, const char *name);
struct d_variable *d_check_add(struct d_checker *c, enum d_scope scope, const char *name, const struct d_type *type);
void d_check_keep(struct d_checker *c, struct d_variable *v);		/* into the lists of the program */
struct d_table *d_check_add_table(struct d_checker *c, __u32 value_len);	/* NULL: refused */

/* check_operator.c */
bool d_check_unary(struct d_checker *c, struct d_node *n);
bool d_check_binary(struct d_checker *c, struct d_node *n);
bool d_check_assignment(struct d_checker *c, struct d_node *n);
bool d_check_condition(struct d_checker *c, struct d_node *n, bool is_statement);
bool d_check_member(struct d_checker *c, struct d_node *n);
bool d_check_index(struct d_checker *c, struct d_node *n);
bool d_check_cast(struct d_checker *c, struct d_node *n);
bool d_check_sizes(struct d_checker *c, struct d_node *n);		/* sizeof, offsetof */
const char *d_check_type_text(const struct d_type *type, char *out);	/* out: 64 bytes */
bool d_check_is_string(const struct d_type *type);			/* string, array of char, pointer to char */
bool d_check_can_assign(const struct d_type *to, const struct d_node *value);

/* check_translator.c */
bool d_check_translation(struct d_checker *c, struct d_node *n);	/* a member of xlate <type> (expression) */

/* check_call.c */
bool d_check_call(struct d_checker *c, struct d_node *n, bool is_statement);
bool d_check_arguments(struct d_checker *c, struct d_node *n);
bool d_check_undefined_function(struct d_checker *c, const struct d_node *n);
bool d_check_value_fits(const struct d_directive *d, const struct d_type *type);
/* Parses the format of printf() or printa(), a NODE_STRING, into call->format. */
bool d_check_format(struct d_checker *c, struct d_node *call, const struct d_node *format);

/* check_aggregation.c */
bool d_check_aggregation(struct d_checker *c, struct d_node *n);	/* @a[key] = function(...) */
bool d_check_named_aggregation(struct d_checker *c, struct d_node *n);	/* as an argument */
bool d_check_printa(struct d_checker *c, struct d_node *n);

static inline void d_check_fold(struct d_node *n, __u64 value)
{
	n->kind = NODE_INT;
	n->value = value;
	n->a = n->b = n->c = n->list = NULL;
}

#endif
