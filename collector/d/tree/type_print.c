#include "collector/d/tree/type.h"

#include <stdio.h>
#include <string.h>

#define DEPTH_MAX 32

struct printer {
	char *out;
	size_t len, room;
};

static void put(struct printer *p, const char *text)
{
	size_t n = strlen(text);

	if (n > p->room - 1 - p->len)
		n = p->room - 1 - p->len;
	memcpy(p->out + p->len, text, n);
	p->len += n;
	p->out[p->len] = '\0';
}

static void put_type(struct printer *p, const struct d_type *type, unsigned depth);

static void put_members(struct printer *p, const struct d_type *type, unsigned depth)
{
	for (const struct d_member *m = type->members; m; m = m->next) {
		put_type(p, m->type, depth + 1);
		if (m->next || type->is_variadic)
			put(p, ", ");
	}
	if (type->is_variadic)
		put(p, "...");
}

static void put_tagged(struct printer *p, const char *tag, const struct d_type *type)
{
	put(p, tag);
	put(p, " ");
	put(p, type->name ? type->name : "{}");
}

static void put_array(struct printer *p, const struct d_type *type, unsigned depth)
{
	char n[24];

	snprintf(n, sizeof(n), " [%u]", type->n_elements);
	put_type(p, type->base, depth + 1);
	put(p, n);
}

static void put_list(struct printer *p, const struct d_type *type, const char *open, const char *close, unsigned depth)
{
	put_type(p, type->base, depth + 1);
	put(p, open);
	put_members(p, type, depth);
	put(p, close);
}

static void put_type(struct printer *p, const struct d_type *type, unsigned depth)
{
	if (depth > DEPTH_MAX) {
		put(p, "...");
		return;
	}
	switch (type->kind) {
	case TYPE_STRUCT:
		put_tagged(p, "struct", type);
		return;
	case TYPE_UNION:
		put_tagged(p, "union", type);
		return;
	case TYPE_ENUM:
		put_tagged(p, "enum", type);
		return;
	case TYPE_POINTER:
		put_type(p, type->base, depth + 1);
		put(p, type->base->kind == TYPE_POINTER ? "*" : " *");
		return;
	case TYPE_ARRAY:
		put_array(p, type, depth);
		return;
	case TYPE_FUNCTION:
		put_list(p, type, " (", ")", depth);
		return;
	case TYPE_ASSOCIATIVE:
		put_list(p, type, " [", "]", depth);
		return;
	default:
		put(p, type->name);
	}
}

char *d_type_print(const struct d_type *type, char *out, size_t room)
{
	struct printer p = { out, 0, room };

	out[0] = '\0';
	put_type(&p, type, 0);
	return out;
}
