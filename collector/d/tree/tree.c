#include "collector/d/tree/tree.h"

const char *d_scope_prefix(enum d_scope scope) { return (const char *const[]){ "", "self->", "this->" }[scope]; }

static void print_list(const struct d_node *n, FILE *out)
{
	for (; n; n = n->next) {
		fputc(' ', out);
		d_node_print(n, out);
	}
}

static void print_string(const char *text, size_t len, FILE *out)
{
	fputc('"', out);
	for (size_t i = 0; i < len; i++) {
		unsigned char c = text[i];

		if (c == '"' || c == '\\')
			fprintf(out, "\\%c", c);
		else if (c < ' ' || c > '~')
			fprintf(out, "\\%03o", c);
		else
			fputc(c, out);
	}
	fputc('"', out);
}

static void print_operation(const char *name, const struct d_node *n, FILE *out)
{
	fprintf(out, "(%s", name);
	for (const struct d_node *const *operand = (const struct d_node *[]){ n->a, n->b, n->c, NULL }; *operand; operand++) {
		fputc(' ', out);
		d_node_print(*operand, out);
	}
	fputc(')', out);
}

static void print_named(const char *name, const struct d_node *n, FILE *out)
{
	char text[256];

	fprintf(out, "(%s", name);
	if (n->named)
		fprintf(out, " <%s>", d_type_print(n->named, text, sizeof(text)));
	if (n->kind == NODE_OFFSETOF)
		fprintf(out, " %s", n->text);
	if (n->a) {
		fputc(' ', out);
		d_node_print(n->a, out);
	}
	fputc(')', out);
}

void d_node_print(const struct d_node *n, FILE *out)
{
	switch ((enum d_node_kind)n->kind) {
	case NODE_INT:
		fprintf(out, "%lld", (long long)n->value);
		return;
	case NODE_STRING:
		print_string(n->text, n->text_len, out);
		return;
	case NODE_NAME:
		fprintf(out, "%s%s", d_scope_prefix(n->scope), n->text);
		return;
	case NODE_AGG:
		fprintf(out, "(@%s", n->text);
		print_list(n->list, out);
		fputc(')', out);
		return;
	case NODE_INDEX:
		fputs("([] ", out);
		d_node_print(n->a, out);
		print_list(n->list, out);
		fputc(')', out);
		return;
	case NODE_CALL:
		fprintf(out, "(call %s", n->text);
		print_list(n->list, out);
		fputc(')', out);
		return;
	case NODE_MEMBER:
		fprintf(out, "(%s ", d_token_name(n->op));
		d_node_print(n->a, out);
		fprintf(out, " %s)", n->text);
		return;
	case NODE_POSTFIX:
		print_operation(n->op == TOKEN_INC ? "post++" : "post--", n, out);
		return;
	case NODE_UNARY:
	case NODE_BINARY:
	case NODE_ASSIGN:
		print_operation(d_token_name(n->op), n, out);
		return;
	case NODE_CONDITION:
		print_operation("?:", n, out);
		return;
	case NODE_CAST:
		print_named("cast", n, out);
		return;
	case NODE_SIZEOF:
		print_named("sizeof", n, out);
		return;
	case NODE_OFFSETOF:
		print_named("offsetof", n, out);
		return;
	case NODE_STRINGOF:
		print_operation("stringof", n, out);
		return;
	case NODE_XLATE:
		print_named("xlate", n, out);
		return;
	case NODE_IF:
		fputs("(if ", out);
		d_node_print(n->a, out);
		fputs(" (do", out);
		print_list(n->list, out);
		fputs(")", out);
		if (n->otherwise) {
			fputs(" (do", out);
			print_list(n->otherwise, out);
			fputs(")", out);
		}
		fputc(')', out);
		return;
	}
}

static void print_clause(const struct d_item *item, FILE *out)
{
	fputs("clause\n", out);
	for (const struct d_spec *s = item->specs; s; s = s->next)
		fprintf(out, "  probe %s\n", s->text);
	if (item->predicate) {
		fputs("  predicate ", out);
		d_node_print(item->predicate, out);
		fputc('\n', out);
	}
	if (!item->has_body)
		fputs("  default action\n", out);
	for (const struct d_node *n = item->statements; n; n = n->next) {
		fputs("  ", out);
		d_node_print(n, out);
		fputc('\n', out);
	}
}

static void print_struct(const struct d_type *type, FILE *out)
{
	char text[256];

	for (const struct d_member *m = type->members; m; m = m->next) {
		fprintf(out, "  %u", m->offset);
		if (m->n_bits)
			fprintf(out, ".%u:%u", m->bit_offset, m->n_bits);
		fprintf(out, " %s <%s>\n", m->name, d_type_print(m->type, text, sizeof(text)));
	}
}

static void print_type(const struct d_item *item, FILE *out)
{
	char text[256];

	fprintf(out, "type %s<%s> size %u\n", item->name ? item->name : "", d_type_print(item->type, text, sizeof(text)),
		item->type->size);
	if (!item->name && item->type->kind != TYPE_ENUM)
		print_struct(item->type, out);
}

static void print_inline(const struct d_item *item, FILE *out)
{
	char text[256];

	fprintf(out, "inline %s <%s>", item->name, d_type_print(item->type, text, sizeof(text)));
	for (const struct d_member *m = item->parameters; m; m = m->next)
		fprintf(out, " %s <%s>", m->name, d_type_print(m->type, text, sizeof(text)));
	fputs(" = ", out);
	d_node_print(item->value, out);
	fputc('\n', out);
}

static void print_translator(const struct d_item *item, FILE *out)
{
	char to[256], from[256];

	fprintf(out, "translator <%s> of %s <%s>\n", d_type_print(item->type, to, sizeof(to)), item->name,
		d_type_print(item->from, from, sizeof(from)));
	for (const struct d_node *n = item->value; n; n = n->next) {
		fprintf(out, "  %s = ", n->text);
		d_node_print(n->a, out);
		fputc('\n', out);
	}
}

static void print_item(const struct d_item *item, FILE *out)
{
	char text[256];

	switch (item->kind) {
	case ITEM_CLAUSE:
		print_clause(item, out);
		return;
	case ITEM_VARIABLE:
		fprintf(out, "variable %s%s <%s>\n", d_scope_prefix(item->scope), item->name,
			d_type_print(item->type, text, sizeof(text)));
		return;
	case ITEM_TYPE:
		print_type(item, out);
		return;
	case ITEM_INLINE:
		print_inline(item, out);
		return;
	case ITEM_TRANSLATOR:
		print_translator(item, out);
		return;
	case ITEM_PROVIDER:
		fprintf(out, "provider %s\n", item->name);
		for (const struct d_spec *s = item->specs; s; s = s->next)
			fprintf(out, "  probe %s\n", s->text);
		return;
	}
}

void d_tree_print(const struct d_unit *u, FILE *out)
{
	for (const struct d_pragma *p = u->pragmas; p; p = p->next)
		fprintf(out, "option %s%s%s\n", p->key, p->value ? "=" : "", p->value ? p->value : "");
	for (const struct d_item *item = u->items; item; item = item->next)
		print_item(item, out);
}

bool d_node_has(const struct d_node *n, bool (*is_such)(const struct d_node *n))
{
	for (; n; n = n->next)
		if (is_such(n) || d_node_has(n->a, is_such) || d_node_has(n->b, is_such) || d_node_has(n->c, is_such) ||
		    d_node_has(n->list, is_such) || d_node_has(n->otherwise, is_such))
			return true;
	return false;
}
