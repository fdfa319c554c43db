#include "collector/d/tree/type.h"

#include <errno.h>
#include <string.h>

#define PAIRS_MAX 1000			/* of types that d_type_same() compares; beyond them types are different */

#define INTEGER(n, s) { .kind = TYPE_INTEGER, .name = n, .size = s, .align = s, .is_complete = true }
#define SIGNED(n, s) { .kind = TYPE_INTEGER, .name = n, .size = s, .align = s, .is_signed = true, .is_complete = true }
#define FLOAT(n, s) { .kind = TYPE_FLOAT, .name = n, .size = s, .align = s, .is_signed = true, .is_complete = true }

static const struct d_type intrinsics[D_N_INTRINSICS] = {
	[D_VOID] = { .kind = TYPE_VOID, .name = "void" },
	[D_CHAR] = SIGNED("char", 1), [D_SCHAR] = SIGNED("signed char", 1), [D_UCHAR] = INTEGER("unsigned char", 1),
	[D_BOOL] = INTEGER("_Bool", 1),
	[D_SHORT] = SIGNED("short", 2), [D_USHORT] = INTEGER("unsigned short", 2),
	[D_INT] = SIGNED("int", 4), [D_UINT] = INTEGER("unsigned int", 4),
	[D_LONG] = SIGNED("long", 8), [D_ULONG] = INTEGER("unsigned long", 8),
	[D_LLONG] = SIGNED("long long", 8), [D_ULLONG] = INTEGER("unsigned long long", 8),
	[D_FLOAT] = FLOAT("float", 4), [D_DOUBLE] = FLOAT("double", 8), [D_LDOUBLE] = FLOAT("long double", 16),
	[D_STRING] = { .kind = TYPE_STRING, .name = "string", .size = D_STRING_SIZE, .align = 1, .is_complete = true },
	[D_STACK] = { .kind = TYPE_STACK, .name = "stack", .size = 8, .align = 8, .is_complete = true },
};

/* The names that D knows without a declaration. */
static const struct {
	const char *name;
	enum d_intrinsic type;
} aliases[] = {
	{ "int8_t", D_CHAR }, { "int16_t", D_SHORT }, { "int32_t", D_INT }, { "int64_t", D_LLONG },
	{ "uint8_t", D_UCHAR }, { "uint16_t", D_USHORT }, { "uint32_t", D_UINT }, { "uint64_t", D_ULLONG },
	{ "intptr_t", D_LONG }, { "uintptr_t", D_ULONG }, { "size_t", D_ULONG }, { "ssize_t", D_LONG },
	{ "ptrdiff_t", D_LONG }, { "uchar_t", D_UCHAR }, { "ushort_t", D_USHORT }, { "uint_t", D_UINT },
	{ "ulong_t", D_ULONG }, { "longlong_t", D_LLONG }, { "u_longlong_t", D_ULLONG }, { "id_t", D_INT }, { "pid_t", D_INT },
	{ "uid_t", D_UINT }, { "gid_t", D_UINT }, { "time_t", D_LONG }, { "clock_t", D_LONG }, { "off_t", D_LONG },
	{ "dev_t", D_ULONG }, { "hrtime_t", D_LLONG }, { "caddr_t", D_ULONG }, { "_Bool", D_BOOL },
};

const struct d_type *d_types_intrinsic(enum d_intrinsic which) { return &intrinsics[which]; }

/* ---- names ---- */

unsigned d_name_hash(const char *name)
{
	unsigned h = 2166136261u;

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 16777619u;
	return h;
}

const struct d_type *d_types_find(const struct d_types *t, enum d_tag tag, const char *name)
{
	for (const struct d_types_entry *e = t->bucket[d_name_hash(name) % D_TYPES_BUCKETS]; e; e = e->next)
		if (e->tag == tag && !strcmp(e->name, name))
			return e->type;
	return NULL;
}

int d_types_add(struct d_types *t, enum d_tag tag, const char *name, const struct d_type *type)
{
	struct d_types_entry *e;
	unsigned bucket = d_name_hash(name) % D_TYPES_BUCKETS;

	if (d_types_find(t, tag, name))
		return -EEXIST;
	e = d_alloc(t->arena, sizeof(*e));
	if (!e)
		return -ENOMEM;
	*e = (struct d_types_entry){ t->bucket[bucket], name, tag, type };
	t->bucket[bucket] = e;
	return 0;
}

int d_types_init(struct d_types *t, struct d_arena *a)
{
	int err = 0;

	memset(t, 0, sizeof(*t));
	t->arena = a;
	for (size_t i = 0; !err && i < sizeof(aliases) / sizeof(*aliases); i++) {
		const struct d_type *type = d_type_alias(t, aliases[i].name, &intrinsics[aliases[i].type]);

		err = type ? d_types_add(t, TAG_NONE, aliases[i].name, type) : -ENOMEM;
	}
	return err;
}

const struct d_enumerator *d_types_enumerator(const struct d_types *t, const char *name)
{
	for (const struct d_enumerator *e = t->enumerators[d_name_hash(name) % D_ENUMERATORS_BUCKETS]; e; e = e->next)
		if (!strcmp(e->name, name))
			return e;
	return NULL;
}

int d_types_add_enumerator(struct d_types *t, const char *name, __s32 value)
{
	struct d_enumerator **bucket = &t->enumerators[d_name_hash(name) % D_ENUMERATORS_BUCKETS], *e;

	if (d_types_enumerator(t, name))
		return -EEXIST;
	e = d_alloc(t->arena, sizeof(*e));
	if (!e)
		return -ENOMEM;
	*e = (struct d_enumerator){ *bucket, name, value };
	*bucket = e;
	return 0;
}

/* ---- types built on others ---- */

static struct d_type *type_new(struct d_types *t, enum d_type_kind kind, const struct d_type *base, __u32 size, __u32 align)
{
	struct d_type *type = base && base->depth >= D_TYPE_DEPTH_MAX ? NULL : d_alloc(t->arena, sizeof(*type));

	if (type)
		*type = (struct d_type){ .kind = kind, .base = base, .size = size, .align = align, .is_complete = true,
					 .depth = base ? base->depth + 1 : 0 };
	return type;
}

/* A type with parameters or a key. */
static struct d_type *type_with(struct d_types *t, enum d_type_kind kind, const struct d_type *base, struct d_member *members)
{
	struct d_type *type = base ? type_new(t, kind, base, 0, 1) : NULL;

	if (!type)
		return NULL;
	type->members = members;
	for (const struct d_member *m = members; m; m = m->next)
		if (m->type->depth >= type->depth)
			type->depth = m->type->depth + 1;
	return type->depth > D_TYPE_DEPTH_MAX ? NULL : type;
}

const struct d_type *d_type_pointer(struct d_types *t, const struct d_type *base)
{
	return base ? type_new(t, TYPE_POINTER, base, 8, 8) : NULL;
}

const struct d_type *d_type_array(struct d_types *t, const struct d_type *base, __u32 n)
{
	const struct d_type *element = base ? d_type_resolve(base) : NULL;
	struct d_type *type = base ? type_new(t, TYPE_ARRAY, base, element->size * n, element->align) : NULL;

	if (type)
		type->n_elements = n;
	return type;
}

const struct d_type *d_type_associative(struct d_types *t, const struct d_type *base, struct d_member *key)
{
	return type_with(t, TYPE_ASSOCIATIVE, base, key);
}

const struct d_type *d_type_function(struct d_types *t, const struct d_type *base, struct d_member *parameters, bool is_variadic)
{
	struct d_type *type = type_with(t, TYPE_FUNCTION, base, parameters);

	if (type)
		type->is_variadic = is_variadic;
	return type;
}

const struct d_type *d_type_alias(struct d_types *t, const char *name, const struct d_type *base)
{
	struct d_type *type = base ? type_new(t, TYPE_TYPEDEF, base, base->size, base->align) : NULL;

	if (type) {
		type->name = name;
		type->is_signed = base->is_signed;
	}
	return type;
}

struct d_type *d_type_tagged(struct d_types *t, enum d_tag tag, const char *name)
{
	static const enum d_type_kind kind[] = { [TAG_STRUCT] = TYPE_STRUCT, [TAG_UNION] = TYPE_UNION, [TAG_ENUM] = TYPE_ENUM };
	struct d_type *type = type_new(t, kind[tag], NULL, 0, 1);

	if (type) {
		type->name = name;
		type->is_complete = false;
	}
	return type;
}

/* ---- the layout of a struct ---- */

struct layout {
	__u64 bits;			/* used so far */
	__u64 size;			/* bytes, of a union */
	__u32 align;
};

static void place_member(struct layout *l, struct d_member *m)
{
	const struct d_type *type = d_type_resolve(m->type);
	__u64 unit = 8ull * type->size, align = 8ull * type->align;

	if (m->n_bits && unit) {
		if (l->bits / unit != (l->bits + m->n_bits - 1) / unit)	/* a bit field does not cross a unit of its type */
			l->bits = (l->bits + unit - 1) / unit * unit;
		m->offset = l->bits / unit * (unit / 8);
		m->bit_offset = l->bits % unit;
		l->bits += m->n_bits;
	} else {
		l->bits = (l->bits + align - 1) / align * align;
		m->offset = l->bits / 8;
		l->bits += unit;
	}
	if (type->align > l->align)
		l->align = type->align;
}

int d_type_complete(struct d_type *type, struct d_member *members)
{
	struct layout l = { .align = 1 };
	__u64 size;

	for (struct d_member *m = members; m; m = m->next) {
		if (type->kind == TYPE_UNION)
			l.bits = 0;
		place_member(&l, m);
		if ((l.bits + 7) / 8 > l.size)
			l.size = (l.bits + 7) / 8;
		if (l.size >> 31)
			return -EFBIG;
	}
	size = (l.size + l.align - 1) / l.align * l.align;
	type->size = size;
	type->align = l.align;
	type->members = members;
	type->is_complete = true;
	return 0;
}

/* ---- questions ---- */

const struct d_type *d_type_resolve(const struct d_type *type)
{
	while (type->kind == TYPE_TYPEDEF)
		type = type->base;
	return type;
}

static bool is_same_type(const struct d_type *a, const struct d_type *b, unsigned *budget);

static bool are_same_members(const struct d_member *a, const struct d_member *b, unsigned *budget)
{
	for (; a && b; a = a->next, b = b->next)
		if (!is_same_type(a->type, b->type, budget))
			return false;
	return !a && !b;
}

/* *budget: pairs that it may still compare.  Typedefs may make a tree of 2^n types of n lines. */
static bool is_same_type(const struct d_type *a, const struct d_type *b, unsigned *budget)
{
	a = d_type_resolve(a);
	b = d_type_resolve(b);
	if (a == b)
		return true;
	if (a->kind != b->kind || !*budget)
		return false;
	--*budget;
	switch (a->kind) {
	case TYPE_INTEGER:
		return a->size == b->size && a->is_signed == b->is_signed;
	case TYPE_POINTER:
		return is_same_type(a->base, b->base, budget);
	case TYPE_ARRAY:
		return a->n_elements == b->n_elements && is_same_type(a->base, b->base, budget);
	case TYPE_FUNCTION:
	case TYPE_ASSOCIATIVE:
		return is_same_type(a->base, b->base, budget) && are_same_members(a->members, b->members, budget);
	case TYPE_VOID:
	case TYPE_STRING:
	case TYPE_STACK:
		return true;
	default:
		return false;
	}
}

bool d_type_same(const struct d_type *a, const struct d_type *b)
{
	unsigned budget = PAIRS_MAX;

	return is_same_type(a, b, &budget);
}

bool d_type_is_integer(const struct d_type *type)
{
	type = d_type_resolve(type);
	return type->kind == TYPE_INTEGER || type->kind == TYPE_ENUM;
}

bool d_type_is_arithmetic(const struct d_type *type)
{
	return d_type_is_integer(type) || d_type_resolve(type)->kind == TYPE_FLOAT;
}

bool d_type_is_scalar(const struct d_type *type)
{
	return d_type_is_integer(type) || d_type_resolve(type)->kind == TYPE_POINTER;
}

const struct d_type *d_type_promote(const struct d_type *type)
{
	const struct d_type *r = d_type_resolve(type);

	return d_type_is_integer(r) && (r->size < 4 || r->kind == TYPE_ENUM) ? &intrinsics[D_INT] : type;
}

const struct d_type *d_type_usual(const struct d_type *a, const struct d_type *b)
{
	const struct d_type *x, *y;

	a = d_type_promote(a);
	b = d_type_promote(b);
	x = d_type_resolve(a);
	y = d_type_resolve(b);
	if (x->size != y->size)
		return x->size > y->size ? a : b;
	return y->is_signed ? a : b;		/* of equal sizes the unsigned one */
}

const struct d_member *d_type_member(const struct d_type *type, const char *name)
{
	for (const struct d_member *m = d_type_resolve(type)->members; m; m = m->next)
		if (!strcmp(m->name, name))
			return m;
	return NULL;
}
