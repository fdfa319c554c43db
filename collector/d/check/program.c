#include "collector/d/check/program.h"
#include "collector/d/tree/function.h"
#include "collector/core/slice.h"

#include <string.h>

void d_program_init(struct d_program *p, struct d_types *types) { *p = (struct d_program){ .types = types }; }

__u32 d_aggregation_words(const struct d_aggregation *a)
{
	switch (a->function->id) {
	case FUNCTION_AVG: case FUNCTION_MIN: case FUNCTION_MAX: return 2;
	case FUNCTION_STDDEV: return D_WORDS;
	default: return 1;
	}
}

__u32 d_table_key_len(const struct d_table *t)
{
	__u32 len = 0;

	for (__u32 i = 0; i < t->n_keys; i++)
		len += t->key[i].room;
	return len;
}

struct d_table *d_table_add(struct d_program *p, __u32 value_len)
{
	struct d_table *t = d_alloc(p->types->arena, sizeof(*t)), **end = &p->tables;

	if (!t)
		return NULL;
	while (*end)
		end = &(*end)->next;
	*t = (struct d_table){ .id = p->n_tables++, .value_len = value_len };
	*end = t;
	return t;
}

enum d_stack d_stack_of(const struct d_node *n, __u32 *ret_room)
{
	bool is_user = n->kind == NODE_CALL && n->function && n->function->id == FUNCTION_USTACK;
	__u64 frames = is_user ? 100 : 20, most = is_user ? D_FRAMES_MAX : D_FRAMES_MAX - D_TRACING_FRAMES;

	if (!is_user && (n->kind != NODE_CALL || !n->function || n->function->id != FUNCTION_STACK))
		return STACK_NONE;
	if (n->list && n->list->kind == NODE_INT)
		frames = n->list->value;
	if (!frames || frames > most)
		frames = most;
	*ret_room = 8 * (frames + (is_user ? 1 : D_TRACING_FRAMES));
	return is_user ? STACK_USER : STACK_KERNEL;
}

bool d_is_probe_name(const struct d_node *n)
{
	return n->kind == NODE_NAME && n->variable && n->variable->builtin && n->variable->builtin->id == BUILTIN_PROBE;
}

const struct d_node *d_aggregation_increment(const struct d_node *call)
{
	static const unsigned at_of[] = { [FUNCTION_QUANTIZE] = 1, [FUNCTION_LQUANTIZE] = 4, [FUNCTION_LLQUANTIZE] = 5 };
	enum d_function_id id = call->function->id;
	unsigned at = id < sizeof(at_of) / sizeof(*at_of) ? at_of[id] : 0;
	const struct d_node *e = at ? call->list : NULL;

	while (e && at--)
		e = e->next;
	return e;
}

bool d_is_time(const struct d_node *n)
{
	const struct d_variable *v = n->kind == NODE_NAME ? n->variable : NULL;

	if (v && v->builtin)
		return v->builtin->id == BUILTIN_TIMESTAMP || v->builtin->id == BUILTIN_VTIMESTAMP || v->builtin->id == BUILTIN_WALLTIMESTAMP;
	if (n->kind == NODE_BINARY && (n->op == '+' || n->op == '-'))
		return d_is_time(n->a) || d_is_time(n->b);
	if (n->kind == NODE_CONDITION)
		return d_is_time(n->b) && d_is_time(n->c);
	return v && v->is_time;
}

static bool can_be_metric(const struct d_aggregation *a)
{
	if (!a->function || a->function->id == FUNCTION_COUNT || a->has_increment || a->table->n_keys - 1 > KEY_FIELDS_MAX)
		return false;
	for (__u32 i = 0; i + 1 < a->table->n_keys; i++)
		if (a->table->key[i].stack)
			return false;
	return true;
}

unsigned d_program_make_metrics(struct d_program *p)
{
	unsigned n = 0;

	for (struct d_aggregation *a = p->aggregations; a; a = a->next) {
		a->is_metric = can_be_metric(a);
		n += a->is_metric;
	}
	return n;
}

__u32 d_text_room(const struct d_node *n)
{
	size_t len;

	if (n->kind == NODE_NAME && n->variable && n->variable->builtin && n->variable->builtin->id == BUILTIN_EXECNAME)
		return D_EXECNAME_SIZE;
	if (n->kind == NODE_ASSIGN || (n->kind == NODE_BINARY && n->op == ','))
		return d_text_room(n->b);
	if (n->kind != NODE_STRING)
		return D_STRING_SIZE;
	len = strnlen(n->text, n->text_len);
	return len < D_STRING_SIZE ? (len + 8) / 8 * 8 : D_STRING_SIZE;
}

static bool texts_begin(struct d_program *p)
{
	if (!p->texts) {
		p->texts = d_alloc(p->types->arena, D_TEXTS_MAX);
		p->texts_len = p->texts ? D_STRING_SIZE : 0;
	}
	return p->texts;
}

bool d_program_words(struct d_program *p, const __u64 *words, size_t n, __u32 *ret_offset)
{
	if (!texts_begin(p) || n * sizeof(*words) > D_TEXTS_MAX - p->texts_len)
		return false;
	*ret_offset = p->texts_len;
	memcpy(p->texts + p->texts_len, words, n * sizeof(*words));
	p->texts_len += n * sizeof(*words);
	return true;
}

/* Where a text is, or could be added. */
static __u32 find_text(const struct d_program *p, const char *text, size_t len)
{
	__u32 room = (len + 8) / 8 * 8;
	char padded[D_STRING_SIZE] = "";

	memcpy(padded, text, len);
	for (__u32 at = D_STRING_SIZE; at + room <= p->texts_len; at += 8)
		if (!memcmp(p->texts + at, padded, room))
			return at;		/* also the end of a longer one, or words that have the same bytes */
	return p->texts_len;
}

bool d_program_text(struct d_program *p, const char *text, size_t len, __u32 *ret_offset)
{
	__u32 room, at = 0;

	if (!texts_begin(p))
		return false;
	len = strnlen(text, len);
	if (len > D_STRING_SIZE - 1)
		len = D_STRING_SIZE - 1;
	room = (len + 8) / 8 * 8;
	if (len)
		at = find_text(p, text, len);
	if (at + room > D_TEXTS_MAX)
		return false;
	if (at == p->texts_len) {
		memcpy(p->texts + at, text, len);
		p->texts_len += room;
	}
	*ret_offset = at;
	return true;
}
