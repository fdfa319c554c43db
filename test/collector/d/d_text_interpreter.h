/* d_text_interpreter.h - computes expressions of strings from their tree, as a reference for what the kernel computes.
 *
 * It works on the parser's tree, before the checker.  A text has at most D_STRING_SIZE - 1 bytes; longer ones are cut.
 */
#ifndef HEATSCOPE_D_TEXT_INTERPRETER_H
#define HEATSCOPE_D_TEXT_INTERPRETER_H

#include "collector/d/tree/tree.h"
#include "test/kit/check.h"

#include <stdio.h>
#include <string.h>

#define D_TEXT_VARIABLES 6

struct d_text_interpreter {
	char variable[D_TEXT_VARIABLES][D_STRING_SIZE];		/* t0, t1 ...: a third each global, self-> and this-> */
};

static inline void d_text_of(struct d_text_interpreter *d, const struct d_node *n, char *out);

static inline long long d_number_of(struct d_text_interpreter *d, const struct d_node *n)
{
	char a[D_STRING_SIZE], b[D_STRING_SIZE];
	int order;

	if (n->kind == NODE_INT)
		return (long long)n->value;
	if (n->kind == NODE_UNARY)
		return -d_number_of(d, n->a);
	if (n->kind == NODE_CALL) {
		d_text_of(d, n->list, a);
		return (long long)strlen(a);
	}
	assert_int_equal(n->kind, NODE_BINARY);
	d_text_of(d, n->a, a);
	d_text_of(d, n->b, b);
	order = strcmp(a, b);
	switch (n->op) {
	case '<': return order < 0;
	case '>': return order > 0;
	case TOKEN_LE: return order <= 0;
	case TOKEN_GE: return order >= 0;
	case TOKEN_EQ: return order == 0;
	}
	return order != 0;
}

/* substr() as DTrace defines it. */
static inline void d_slice(const char *text, long long index, long long rest, char *out)
{
	long long len = (long long)strlen(text);

	if (index < 0) {
		index += len;
		if (index < 0 && index + rest > 0) {
			rest += index;
			index = 0;
		}
	}
	if (index >= len || index < 0)
		rest = 0;
	else if (rest < 0)
		rest += len - index;
	snprintf(out, D_STRING_SIZE, "%.*s", rest > 0 ? (int)rest : 0, index >= 0 && index < len ? text + index : "");
}

static inline void d_call_of(struct d_text_interpreter *d, const struct d_node *n, char *out)
{
	const struct d_node *second = n->list->next;
	char a[D_STRING_SIZE], b[D_STRING_SIZE], both[2 * D_STRING_SIZE];
	int index;

	if (!strcmp(n->text, "lltostr")) {
		snprintf(out, D_STRING_SIZE, "%lld", d_number_of(d, n->list));
		return;
	}
	d_text_of(d, n->list, a);
	if (!strcmp(n->text, "strjoin")) {
		d_text_of(d, second, b);
		snprintf(both, sizeof(both), "%s%s", a, b);
		snprintf(out, D_STRING_SIZE, "%.*s", D_STRING_SIZE - 1, both);
		return;
	}
	index = (int)d_number_of(d, second);
	d_slice(a, index, second->next ? (int)d_number_of(d, second->next) : D_STRING_SIZE, out);
}

static inline void d_text_of(struct d_text_interpreter *d, const struct d_node *n, char *out)
{
	char *variable;

	switch (n->kind) {
	case NODE_STRING:
		snprintf(out, D_STRING_SIZE, "%.*s", D_STRING_SIZE - 1, n->text);
		return;
	case NODE_NAME:
		snprintf(out, D_STRING_SIZE, "%s", d->variable[atoi(n->text + 1)]);
		return;
	case NODE_ASSIGN:
		variable = d->variable[atoi(n->a->text + 1)];
		d_text_of(d, n->b, out);
		memcpy(variable, out, D_STRING_SIZE);
		return;
	case NODE_CONDITION:
		d_text_of(d, d_number_of(d, n->a) ? n->b : n->c, out);
		return;
	}
	assert_int_equal(n->kind, NODE_CALL);
	d_call_of(d, n, out);
}

#endif
