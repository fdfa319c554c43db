#include "collector/d/check/check_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct d_aggregation *find_aggregation(const struct d_checker *c, const char *name)
{
	for (struct d_aggregation *a = c->program->aggregations; a; a = a->next)
		if (!strcmp(a->name, name))
			return a;
	return NULL;
}

static struct d_aggregation *find_or_add(struct d_checker *c, const struct d_node *n)
{
	struct d_aggregation *a = find_aggregation(c, n->text), **end = &c->program->aggregations;

	if (a)
		return a;
	if (c->program->n_aggregations == D_AGGREGATIONS_MAX) {
		d_check_fail(c, n, "D_ID_OFLOW", "more than %u aggregations", D_AGGREGATIONS_MAX);
		return NULL;
	}
	a = d_alloc(c->arena, sizeof(*a));
	if (!a)
		return NULL;
	while (*end)
		end = &(*end)->next;
	*a = (struct d_aggregation){ .name = n->text, .id = c->program->n_aggregations++ };
	*end = a;
	return a;
}

/* ---- keys ---- */

static bool key_is_text(const struct d_node *n) { return d_type_resolve(n->type)->kind == TYPE_STRING; }

static bool check_key_types(struct d_checker *c, const struct d_node *n)
{
	for (const struct d_node *e = n->list; e; e = e->next)
		if (d_type_resolve(e->type)->kind == TYPE_VOID)
			return d_check_fail(c, e, "D_KEY_TYPE", "@%s[] key may not be of type void", n->text);
	return true;
}

static struct d_key make_key(const struct d_node *e)
{
	struct d_key k = { .type = e->type, .room = 8, .is_text = key_is_text(e) };

	if (k.is_text)
		k.room = d_text_room(e);
	k.stack = d_stack_of(e, &k.room);
	if (d_is_probe_name(e)) {
		k.is_probe = true;
		k.field = e->variable->builtin->index;
		k.room = 8;
	}
	return k;
}

/* The first use makes the table: a part for each key, then one for the cell. */
static bool add_table(struct d_checker *c, const struct d_node *n, struct d_aggregation *a)
{
	static const struct d_key cell = { .room = 8 };
	struct d_table *t = d_check_add_table(c, 0);

	if (!t)
		return false;
	for (const struct d_node *e = n->list; e; e = e->next) {
		if (t->n_keys == D_KEYS_MAX - 1)
			return d_check_fail(c, e, "D_PROTO_LEN", "@%s[] has more than %u keys", n->text, D_KEYS_MAX - 1);
		t->key[t->n_keys++] = make_key(e);
	}
	t->key[t->n_keys++] = cell;
	t->is_aggregation = true;
	a->table = t;
	return true;
}

/* Widens a part of the key for one more use. */
static void extend_key(struct d_key *k, const struct d_node *e)
{
	__u32 room;

	if (d_stack_of(e, &room) && room > k->room)
		k->room = room;
	if (k->is_probe && d_is_probe_name(e) && e->variable->builtin->index == k->field)
		return;
	if (k->is_probe)
		k->room = D_STRING_SIZE;
	k->is_probe = false;
	if (k->is_text && d_text_room(e) > k->room)
		k->room = d_text_room(e);
}

static bool key_fits(const struct d_key *k, const struct d_node *e)
{
	__u32 room;

	if (k->is_text != key_is_text(e) || k->stack != d_stack_of(e, &room))
		return false;
	return k->is_text || k->stack || d_type_same(e->type, k->type) ||
	       (d_type_is_integer(e->type) && d_type_is_integer(k->type));
}

static bool check_key(struct d_checker *c, const struct d_node *n, struct d_aggregation *a)
{
	const struct d_node *e = n->list;
	__u32 i;

	if (!check_key_types(c, n))
		return false;
	if (!a->table)
		return add_table(c, n, a);
	for (i = 0; e && i + 1 < a->table->n_keys; e = e->next, i++) {
		struct d_key *k = &a->table->key[i];

		if (!key_fits(k, e))
			return d_check_fail(c, e, "D_PROTO_ARG", "@%s[] key #%u is incompatible with its first use", n->text, i + 1);
		extend_key(k, e);
	}
	if (e || i + 1 < a->table->n_keys)
		return d_check_fail(c, n, "D_PROTO_LEN", "@%s[] prototype mismatch: other number of keys", n->text);
	return true;
}

/* ---- functions ---- */

static const struct d_node *argument(const struct d_node *call, unsigned i)
{
	const struct d_node *e = call->list;

	while (e && i--)
		e = e->next;
	return e;
}

static bool constant_argument(struct d_checker *c, const struct d_node *call, unsigned i, __s64 *ret_value)
{
	const struct d_node *e = argument(call, i);

	if (!e)
		return true;
	if (e->kind != NODE_INT)
		return d_check_fail(c, e, "D_PROTO_ARG", "%s( ) argument #%u must be an integer constant", call->text, i + 1);
	*ret_value = (__s64)e->value;
	return true;
}

static bool read_buckets(struct d_checker *c, const struct d_node *call, struct d_buckets *b)
{
	switch (call->function->id) {
	case FUNCTION_QUANTIZE:
		b->kind = BUCKETS_QUANTIZE;
		return true;
	case FUNCTION_LQUANTIZE:
		b->kind = BUCKETS_LINEAR;
		b->step = 1;
		return constant_argument(c, call, 1, &b->base) && constant_argument(c, call, 2, &b->limit) &&
		       constant_argument(c, call, 3, &b->step);
	case FUNCTION_LLQUANTIZE:
		b->kind = BUCKETS_LOG_LINEAR;
		return constant_argument(c, call, 1, &b->factor) && constant_argument(c, call, 2, &b->low) &&
		       constant_argument(c, call, 3, &b->high) && constant_argument(c, call, 4, &b->steps);
	default:
		return true;
	}
}

/* Keeps the edges that its programs search; n_edges is the next power of 2, and the rest is above all values. */
static bool keep_edges(struct d_checker *c, const struct d_node *call, struct d_aggregation *a)
{
	__u64 *edges, *padded;
	size_t n, room = 1;
	bool ok;

	if (a->buckets.kind != BUCKETS_QUANTIZE && a->buckets.kind != BUCKETS_LOG_LINEAR)
		return true;
	if (d_buckets_edges(&a->buckets, &edges, &n))
		return d_check_fail(c, call, "D_LLQUANT_STEPVAL", "%s( ) would have more than %u buckets", call->text, D_EDGES_MAX);
	while (room < n)
		room *= 2;
	padded = calloc(room, sizeof(*padded));
	for (size_t i = 0; padded && i < room; i++)
		padded[i] = i < n ? edges[i] : 1ull << 63;
	ok = padded && d_program_words(c->program, padded, room, &a->edges);
	a->n_edges = room;
	free(edges);
	free(padded);
	return ok || d_check_fail(c, call, "D_UNKNOWN", "the texts and buckets of the script have more than %u bytes", D_TEXTS_MAX);
}

static bool check_buckets(struct d_checker *c, const struct d_node *call, struct d_aggregation *a, bool is_first)
{
	const char *tag = call->function->id == FUNCTION_LQUANTIZE ? "D_LQUANT_STEPVAL" : "D_LLQUANT_STEPVAL", *wrong;
	struct d_buckets b = { 0 };

	if (!read_buckets(c, call, &b))
		return false;
	wrong = d_buckets_check(&b);
	if (wrong)
		return d_check_fail(c, call, tag, "%s( ): %s", call->text, wrong);
	if (!is_first && memcmp(&b, &a->buckets, sizeof(b)))
		return d_check_fail(c, call, call->function->id == FUNCTION_LQUANTIZE ? "D_LQUANT_MATCHBASE" : "D_LLQUANT_MATCHFACTOR",
				    "%s( ) parameters differ from those of an earlier use of @%s", call->text, a->name);
	a->buckets = b;
	return !is_first || keep_edges(c, call, a);
}

bool d_check_aggregation(struct d_checker *c, struct d_node *n)
{
	const struct d_function *f = n->b->kind == NODE_CALL ? d_function_find(n->b->text) : NULL;
	struct d_aggregation *a;
	bool is_first;

	if (n->op != '=')
		return d_check_fail(c, n, "D_OP_LVAL", "operator %s may not be applied to an aggregation", d_token_name(n->op));
	if (n->b->kind == NODE_CALL && !f)
		return d_check_undefined_function(c, n->b);
	if (!f || f->kind != FUNCTION_AGGREGATING)
		return d_check_fail(c, n, "D_AGG_FUNC", "@%s must be assigned the result of an aggregating function", n->a->text);
	n->b->function = f;
	a = find_or_add(c, n->a);
	if (!a || !d_check_list(c, n->a->list) || !d_check_arguments(c, n->b) || !check_key(c, n->a, a))
		return false;
	if (a->function && a->function != f)
		return d_check_fail(c, n, "D_AGG_REDEF", "aggregation redefined: @%s is %s( ), not %s( )", n->a->text,
				    a->function->name, f->name);
	is_first = !a->function;
	a->function = f;
	if (is_first) {
		a->keys = n->a->list;
		a->is_time = n->b->list && d_is_time(n->b->list);
	}
	a->has_increment |= d_aggregation_increment(n->b) != NULL;
	if (!check_buckets(c, n->b, a, is_first))
		return false;
	a->table->value_len = 8 * d_aggregation_words(a);
	n->a->aggregation = a;
	n->type = n->b->type = d_types_intrinsic(D_VOID);
	return true;
}

/* ---- actions ---- */

bool d_check_named_aggregation(struct d_checker *c, struct d_node *n)
{
	struct d_suggestion s = { .unknown = n->text };
	char meant[D_SUGGESTION_LEN];

	n->type = d_types_intrinsic(D_VOID);
	if (n->list)
		return d_check_fail(c, n, "D_AGG_KEY", "an aggregation that is an argument has no key: @%s", n->text);
	n->aggregation = find_aggregation(c, n->text);
	if (n->aggregation && n->aggregation->function)
		return true;
	for (const struct d_aggregation *a = c->program->aggregations; a; a = a->next)
		d_suggest(&s, a->name);
	return d_check_fail(c, n, "D_AGG_UNDEF", "undefined aggregation: @%s%s", n->text, d_suggestion_text(&s, "@", meant));
}

static bool same_keys(const struct d_aggregation *a, const struct d_aggregation *b)
{
	if (a->table->n_keys != b->table->n_keys)
		return false;
	for (__u32 i = 0; i + 1 < a->table->n_keys; i++)
		if (a->table->key[i].is_text != b->table->key[i].is_text || a->table->key[i].stack != b->table->key[i].stack)
			return false;
	return true;
}

/* Every conversion without @ takes the next key; with @ the next aggregation. */
static bool check_printa_format(struct d_checker *c, struct d_node *n, const struct d_aggregation *a)
{
	const struct d_type *value = d_types_find(c->types, TAG_NONE, "int64_t");
	const struct d_node *format = n->list;
	__u32 key = 0, i = 0;

	if (!d_check_format(c, n, format))
		return false;
	for (const struct d_directive *d = n->format; d; d = d->next) {
		if (!d->conversion || d->conversion == '%')
			continue;
		i++;
		if (d->has_star_width || d->has_star_precision)
			return d_check_fail(c, format, "D_PRINTF_DYN_PROTO", "printa( ) conversion #%u: * is not available", i);
		if (d->flags & FORMAT_AGG) {
			if (!d_check_value_fits(d, value))
				return d_check_fail(c, format, "D_PRINTF_ARG_TYPE", "printa( ) conversion #%u (%%@%c) is incompatible "
						    "with the value of an aggregation", i, d->conversion);
			continue;
		}
		if (key + 1 == a->table->n_keys)
			return d_check_fail(c, format, "D_PRINTF_ARG_PROTO", "printa( ) prototype mismatch: conversion #%u (%%%c) is missing a "
					    "corresponding key of @%s", i, d->conversion, a->name);
		if (!d_check_value_fits(d, a->table->key[key++].type))
			return d_check_fail(c, format, "D_PRINTF_ARG_TYPE", "printa( ) conversion #%u (%%%c) is incompatible with key #%u of @%s",
					    i, d->conversion, key, a->name);
	}
	return true;
}

bool d_check_printa(struct d_checker *c, struct d_node *n)
{
	const struct d_node *first = n->list && n->list->kind != NODE_AGG ? n->list->next : n->list;

	if (!first || (n->list != first && n->list->kind != NODE_STRING))
		return d_check_fail(c, n, "D_PRINTA_PROTO", "printa( ) takes a format, which may be left out, and aggregations");
	for (const struct d_node *e = first; e; e = e->next) {
		if (e->kind != NODE_AGG)
			return d_check_fail(c, e, "D_PRINTA_AGGARG", "printa( ) argument is no aggregation");
		if (!same_keys(e->aggregation, first->aggregation))
			return d_check_fail(c, e, "D_PRINTA_AGGKEY", "printa( ): @%s and @%s have other keys", e->text, first->text);
	}
	return n->list == first || check_printa_format(c, n, first->aggregation);
}
