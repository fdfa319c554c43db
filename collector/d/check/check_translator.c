/* xlate <type> (expression)->member becomes the expression of that member, with the argument in the place of the
 * translator's parameter. */
#include "collector/d/check/check_private.h"

#include <string.h>

#define NESTED_MAX 32			/* a translator may use others, also itself */

struct translation {
	struct d_checker *c;
	const char *parameter;
	const struct d_type *type;	/* of the parameter */
	struct d_node *argument;
};

static struct d_node *copy_node(struct translation *t, const struct d_node *n);

static struct d_node *copy_list(struct translation *t, const struct d_node *n)
{
	struct d_node *first = NULL, **end = &first;

	for (; n; n = n->next) {
		*end = copy_node(t, n);
		if (!*end)
			return NULL;
		end = &(*end)->next;
	}
	return first;
}

static struct d_node *copy_argument(struct translation *t, const struct d_node *n)
{
	struct d_node *cast = d_alloc(t->c->arena, sizeof(*cast)), *argument = d_alloc(t->c->arena, sizeof(*argument));

	if (!cast || !argument)
		return NULL;
	*argument = *t->argument;
	argument->next = NULL;
	*cast = (struct d_node){ .kind = NODE_CAST, .at = n->at, .named = t->type, .a = argument };
	return cast;
}

static struct d_node *copy_node(struct translation *t, const struct d_node *n)
{
	struct d_node *own;

	if (n->kind == NODE_NAME && n->scope == SCOPE_GLOBAL && !strcmp(n->text, t->parameter))
		return copy_argument(t, n);
	own = d_alloc(t->c->arena, sizeof(*own));
	if (!own)
		return NULL;
	*own = *n;
	own->next = NULL;
	if ((n->a && !(own->a = copy_node(t, n->a))) || (n->b && !(own->b = copy_node(t, n->b))) ||
	    (n->c && !(own->c = copy_node(t, n->c))) || (n->list && !(own->list = copy_list(t, n->list))))
		return NULL;
	return own;
}

/* The translator to that type whose input can be the argument. */
static const struct d_item *find_translator(const struct d_checker *c, const struct d_type *to, const struct d_type *from)
{
	for (const struct d_item *item = c->items; item; item = item->next)
		if (item->kind == ITEM_TRANSLATOR && d_type_same(item->type, to) &&
		    (d_type_same(item->from, from) || (d_type_is_integer(item->from) && d_type_is_integer(from))))
			return item;
	return NULL;
}

static const struct d_node *find_member(const struct d_item *translator, const char *name)
{
	const struct d_node *n = translator->value;

	while (n && strcmp(n->text, name))
		n = n->next;
	return n;
}

bool d_check_translation(struct d_checker *c, struct d_node *n)
{
	const struct d_type *to = n->a->named, *from;
	const struct d_item *translator;
	const struct d_member *member;
	const struct d_node *value;
	struct translation t;
	char a[64], b[64];
	bool ok;

	if (!d_check_node(c, n->a->a))
		return false;
	from = n->a->a->type;
	if (n->op == TOKEN_ARROW && d_type_resolve(to)->kind == TYPE_POINTER)
		to = d_type_resolve(to)->base;
	translator = find_translator(c, to, from);
	if (!translator)
		return d_check_fail(c, n->a, "D_XLATE_NONE", "no translator from %s to %s", d_check_type_text(from, a), d_check_type_text(to, b));
	value = find_member(translator, n->text);
	member = d_type_member(translator->type, n->text);
	if (!value || !member)
		return d_check_fail(c, n, "D_XLATE_MEMB", "translator of %s does not define its member %s", d_check_type_text(to, b), n->text);
	if (c->n_translations == NESTED_MAX)
		return d_check_fail(c, n, "D_SYNTAX", "translators nested more than %d deep", NESTED_MAX);
	t = (struct translation){ c, translator->name, translator->from, n->a->a };
	n->a = copy_node(&t, value->a);
	n->kind = d_check_is_string(member->type) ? NODE_STRINGOF : NODE_CAST;
	n->named = member->type;
	c->n_translations++;
	ok = n->a && d_check_node(c, n);
	c->n_translations--;
	return ok;
}
