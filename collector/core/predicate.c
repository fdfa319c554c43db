#include "collector/core/predicate.h"

#include "collector/core/host_labels.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const op_names[PREDICATE_N_OPS] = { "eq", "ne", "lt", "le", "gt", "ge" };

static int refuse(char *reason, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int refuse(char *reason, const char *format, ...)
{
	int n = snprintf(reason, REASON_MAX, "predicate: ");
	va_list args;

	va_start(args, format);
	vsnprintf(reason + n, REASON_MAX - (size_t)n, format, args);
	va_end(args);
	return -EINVAL;
}

/* An outside text, quoted in a sentence: its beginning, in whole characters. */
struct quote {
	char text[44];
};

static struct quote quote(const char *text)
{
	struct quote q;
	size_t len = strlen(text);

	if (len > 40) {
		for (len = 37; len && (text[len] & 0xc0) == 0x80; len--)
			;
		snprintf(q.text, sizeof(q.text), "%.*s...", (int)len, text);
	} else {
		snprintf(q.text, sizeof(q.text), "%s", text);
	}
	return q;
}

/* ---- reading ---- */

struct parse {
	struct predicate *p;
	size_t n_leaves;
	char *reason;
};

static int parse_node(struct parse *parse, const json_t *json, unsigned depth);

/* A tree has fewer other nodes than leaves: too many leaves show when the space for other nodes runs out. */
static int node_add(struct parse *parse, __u8 kind, __u8 n)
{
	parse->n_leaves += kind < PREDICATE_AND;
	if (parse->n_leaves > PREDICATE_TERMS || n > PREDICATE_TERMS || parse->p->n_nodes == PREDICATE_NODES)
		return refuse(parse->reason, "more than %d comparisons", PREDICATE_TERMS);
	parse->p->node[parse->p->n_nodes++] = (struct predicate_node){ kind, n };
	return 0;
}

static int get_field(struct parse *parse, const json_t *json, const char *op, struct predicate_term *t)
{
	const char *name = json_string_value(json);

	if (!name)
		return refuse(parse->reason, "\"%s\" must have the name of a field first", op);
	if (!*name || json_string_length(json) >= NAME_MAX_LEN || strlen(name) != json_string_length(json))
		return refuse(parse->reason, "\"%s\" is not the name of a field", quote(name).text);
	strcpy(t->field, name);
	return 0;
}

static int get_text(struct parse *parse, const json_t *json, struct predicate_term *t)
{
	const char *text = json_string_value(json);

	if (json_string_length(json) > LABEL_MAX)
		return refuse(parse->reason, "the constant \"%s\" is longer than %d bytes", quote(text).text, LABEL_MAX);
	if (strlen(text) != json_string_length(json))
		return refuse(parse->reason, "the constant \"%s\" contains a zero byte", quote(text).text);
	strcpy(t->text, text);
	t->is_text = 1;
	return 0;
}

/* 5e6 is a whole number, too. */
static int get_number(struct parse *parse, const json_t *json, struct predicate_term *t)
{
	double number = json_number_value(json);

	if (json_is_integer(json) && json_integer_value(json) >= 0) {
		t->number = (__u64)json_integer_value(json);
		return 0;
	}
	if (json_is_integer(json) || !(number >= 0 && number < 9e18) || number != (double)(__u64)number)
		return refuse(parse->reason, "value %.17g for field \"%s\" is invalid: must be a whole number, at least 0", number,
			      t->field);
	t->number = (__u64)number;
	return 0;
}

static int parse_term(struct parse *parse, enum predicate_op op, const json_t *json)
{
	struct predicate_term *t;
	const json_t *constant;
	int err;

	if (!json_is_array(json) || json_array_size(json) != 2)
		return refuse(parse->reason, "\"%s\" must be an array of a field name and a constant", op_names[op]);
	err = node_add(parse, PREDICATE_COMPARE, (__u8)parse->p->n_terms);
	if (err)
		return err;
	t = &parse->p->term[parse->p->n_terms++];
	t->op = op;
	err = get_field(parse, json_array_get(json, 0), op_names[op], t);
	if (err)
		return err;
	constant = json_array_get(json, 1);
	if (json_is_string(constant))
		return get_text(parse, constant, t);
	if (json_is_number(constant))
		return get_number(parse, constant, t);
	return refuse(parse->reason, "the constant for field \"%s\" must be a number or a string", t->field);
}

static int parse_members(struct parse *parse, __u8 kind, const json_t *json, unsigned depth)
{
	size_t n, i;
	int err;

	if (!json_is_array(json) || json_array_size(json) < 2)
		return refuse(parse->reason, "\"%s\" must be an array of at least two predicates", kind == PREDICATE_AND ? "and" : "or");
	if (depth == PREDICATE_DEPTH)
		return refuse(parse->reason, "nested deeper than %d", PREDICATE_DEPTH);
	n = json_array_size(json);
	err = node_add(parse, kind, n > PREDICATE_TERMS ? PREDICATE_TERMS + 1 : (__u8)n);
	for (i = 0; i < n && !err; i++)
		err = parse_node(parse, json_array_get(json, i), depth + 1);
	return err;
}

static int parse_node(struct parse *parse, const json_t *json, unsigned depth)
{
	const char *key;
	void *at;

	if (!json_is_object(json))
		return refuse(parse->reason, "must be a JSON object, {} or {operator: [...]}");
	if (!json_object_size(json))
		return node_add(parse, PREDICATE_ANY, 0);
	at = json_object_iter((json_t *)json);
	key = json_object_iter_key(at);
	if (json_object_size(json) > 1)
		return refuse(parse->reason, "exactly one key per object, but there are %zu (\"%s\", \"%s\"): join "
			"them with \"and\"",
			      json_object_size(json), quote(key).text,
			      quote(json_object_iter_key(json_object_iter_next((json_t *)json, at))).text);
	if (!strcmp(key, "and"))
		return parse_members(parse, PREDICATE_AND, json_object_iter_value(at), depth);
	if (!strcmp(key, "or"))
		return parse_members(parse, PREDICATE_OR, json_object_iter_value(at), depth);
	for (unsigned op = 0; op < PREDICATE_N_OPS; op++)
		if (!strcmp(key, op_names[op]))
			return parse_term(parse, op, json_object_iter_value(at));
	return refuse(parse->reason, "\"%s\" is not an operator; the operators are eq, ne, lt, le, gt, ge, and, or",
		quote(key).text);
}

/* ---- the decision form ---- */

/* Returns the node after this one and its members. */
static size_t node_next(const struct predicate *p, size_t at)
{
	size_t left = 1;

	for (; left; at++, left--)
		if (p->node[at].kind >= PREDICATE_AND)
			left += p->node[at].n;
	return at;
}

/* Links the node so that it goes on to `yes` or `no`; returns the place where its decision begins. */
static __u8 link_node(struct predicate *p, size_t at, __u8 yes, __u8 no)
{
	const struct predicate_node node = p->node[at];
	size_t member[PREDICATE_TERMS], i;

	if (node.kind == PREDICATE_ANY)
		return yes;
	if (node.kind == PREDICATE_COMPARE) {
		p->term[node.n].yes = yes;
		p->term[node.n].no = no;
		return (__u8)(PREDICATE_TERM + node.n);
	}
	member[0] = at + 1;
	for (i = 1; i < node.n; i++)
		member[i] = node_next(p, member[i - 1]);
	for (i = node.n; i--;) {
		__u8 entry = link_node(p, member[i], yes, no);

		if (node.kind == PREDICATE_AND)
			yes = entry;
		else
			no = entry;
	}
	return node.kind == PREDICATE_AND ? yes : no;
}

int predicate_from_json(const json_t *json, struct predicate *ret, char *reason)
{
	struct predicate p;
	struct parse parse = { &p, 0, reason };
	int err;

	memset(&p, 0, sizeof(p));
	err = parse_node(&parse, json, 1);
	if (err)
		return err;
	if (p.node[0].kind == PREDICATE_ANY)
		memset(&p, 0, sizeof(p));
	else
		p.start = link_node(&p, 0, PREDICATE_ACCEPT, PREDICATE_REJECT);
	memcpy(ret, &p, sizeof(p));
	return 0;
}

int predicate_from_text(const char *text, struct predicate *ret, char *reason)
{
	json_error_t error;
	json_t *json = json_loads(*text ? text : "{}", JSON_REJECT_DUPLICATES, &error);
	const char *near = json ? NULL : strstr(error.text, " near ");	/* after it come bytes, cut at any place */
	int err;

	if (!json)
		return refuse(reason, "not JSON: %.*s (column %d)", near ? (int)(near - error.text) : 40, error.text, error.column);
	err = predicate_from_json(json, ret, reason);
	json_decref(json);
	return err;
}

/* ---- writing ---- */

static json_t *node_to_json(const struct predicate *p, size_t *at)
{
	const struct predicate_node node = p->node[(*at)++];
	const struct predicate_term *t = &p->term[node.n];
	json_t *list;

	if (node.kind == PREDICATE_ANY)
		return json_object();
	if (node.kind == PREDICATE_COMPARE)
		return json_pack("{s:[s, o]}", op_names[t->op], t->field,
				 t->is_text ? json_string(t->text) : json_integer((json_int_t)t->number));
	list = json_array();
	for (__u8 i = 0; i < node.n; i++)
		json_array_append_new(list, node_to_json(p, at));
	return json_pack("{s:o}", node.kind == PREDICATE_AND ? "and" : "or", list);
}

json_t *predicate_to_json(const struct predicate *p)
{
	size_t at = 0;

	return p->n_nodes ? node_to_json(p, &at) : json_object();
}

/* ---- checking against the metric ---- */

static int term_unknown(const struct predicate_term *t, const struct metric *m, char *reason)
{
	char have[128] = "";
	size_t at = 0;

	for (size_t i = 0; i < m->n_fields && at < sizeof(have); i++)
		at += (size_t)snprintf(have + at, sizeof(have) - at, "%s%s", at ? ", " : "", m->field[i].name);
	return refuse(reason, "\"%s\" is not a field of %s.%s; it has: %s%s", t->field, m->module, m->stat, have,
		      at >= sizeof(have) ? "..." : "");
}

static int term_check(const struct predicate_term *t, const struct metric *m, char *reason)
{
	static const struct field of_host = { .arity = FIELD_DISCRETE };
	const struct field *f = metric_field(m, t->field) ?: host_field_is(t->field) ? &of_host : NULL;

	if (!f)
		return term_unknown(t, m, reason);
	if (f->arity == FIELD_DISCRETE && !t->is_text)
		return refuse(reason, "field \"%s\" is discrete: its constant must be a string, not %llu", t->field,
			      (unsigned long long)t->number);
	if (f->arity == FIELD_DISCRETE && t->op > PREDICATE_NE)
		return refuse(reason, "field \"%s\" is discrete: only eq and ne are possible, not %s", t->field, op_names[t->op]);
	if (f->arity == FIELD_NUMERIC && t->is_text)
		return refuse(reason, "field \"%s\" is numeric: its constant must be a number, not \"%s\"", t->field,
			      quote(t->text).text);
	if (f->arity == FIELD_NUMERIC && f->high < 64 && t->number > 1ull << f->high)
		return refuse(reason, "value %llu for field \"%s\" is invalid: maximum is %llu", (unsigned long long)t->number,
			      t->field, 1ull << f->high);
	return 0;
}

int predicate_check(const struct predicate *p, const struct metric *m, char *reason)
{
	int err = 0;

	for (__u32 i = 0; i < p->n_terms && !err; i++)
		err = term_check(&p->term[i], m, reason);
	return err;
}

/* ---- deciding ---- */

int predicate_decide(const struct predicate *p, int (*test)(void *arg, const struct predicate_term *t), void *arg)
{
	__u32 to = p->start;

	while (to >= PREDICATE_TERM) {
		const struct predicate_term *t = &p->term[to - PREDICATE_TERM];
		int holds = test(arg, t);

		if (holds < 0)
			return holds;
		to = holds ? t->yes : t->no;
	}
	return to == PREDICATE_ACCEPT;
}

int predicate_holds_text(const struct predicate_term *t, const char *text)
{
	return !strcmp(t->text, text) == (t->op == PREDICATE_EQ);
}

/* ---- the title: as people read it, and as `heatscope create --where` reads it ---- */

struct title {
	const struct predicate *p;
	const struct metric *m;
	char *out;
	size_t room, len;
	int full;
};

/* Appends text; ends with an ellipsis if it does not fit, never inside a character. */
static void title_put(struct title *t, const char *text)
{
	static const char ellipsis[] = "…";
	size_t len = strlen(text), end;

	if (t->full)
		return;
	if (t->len + len < t->room) {
		memcpy(t->out + t->len, text, len + 1);
		t->len += len;
		return;
	}
	t->full = 1;
	len = t->room - 1 - t->len;
	memcpy(t->out + t->len, text, len);
	end = t->room >= sizeof(ellipsis) ? t->room - sizeof(ellipsis) : 0;
	while (end && (t->out[end] & 0xc0) == 0x80)
		end--;
	snprintf(t->out + end, t->room - end, "%s", t->room >= sizeof(ellipsis) ? ellipsis : "");
}

/* Writes a single word as it is, any other text as JSON does. */
static void title_put_text(struct title *t, const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:@#*+%";
	json_t *json;
	char *quoted;

	if (*text && strspn(text, plain) == strlen(text) && strcasecmp(text, "and") && strcasecmp(text, "or")) {
		title_put(t, text);
		return;
	}
	json = json_string(text);
	quoted = json_dumps(json, JSON_ENCODE_ANY);
	title_put(t, quoted ? quoted : "?");
	free(quoted);
	json_decref(json);
}

/* Writes n / unit with all its decimals. */
static void put_decimal(struct title *t, __u64 n, __u64 unit, const char *name)
{
	char text[64];
	int len = snprintf(text, sizeof(text), "%llu", (unsigned long long)(n / unit));
	__u64 rest = n % unit;

	if (rest) {
		text[len++] = '.';
		for (; rest; rest = rest * 10 % unit)
			text[len++] = (char)('0' + rest * 10 / unit);
	}
	snprintf(text + len, sizeof(text) - (size_t)len, " %s", name);
	title_put(t, text);
}

static void put_bytes(struct title *t, __u64 n)
{
	static const char *const name[] = { "B", "KiB", "MiB", "GiB" };
	unsigned i = 0;

	while (i < 3 && n && !(n & 1023)) {
		n >>= 10;
		i++;
	}
	put_decimal(t, n, 1, name[i]);
}

static void title_put_number(struct title *t, const struct predicate_term *term)
{
	const struct field *f = t->m ? metric_field(t->m, term->field) : NULL;
	__u64 n = term->number;
	char text[24];

	if (f && f->unit == UNIT_NS && n)
		n >= 1000000000 ? put_decimal(t, n, 1000000000, "s") :
		n >= 1000000 ? put_decimal(t, n, 1000000, "ms") :
		n >= 1000 ? put_decimal(t, n, 1000, "us") : put_decimal(t, n, 1, "ns");
	else if (f && f->unit == UNIT_BYTES && n)
		put_bytes(t, n);
	else {
		snprintf(text, sizeof(text), "%llu", (unsigned long long)n);
		title_put(t, text);
	}
}

/* `and` binds closer than `or`; any other nesting is in parentheses. */
static void title_put_node(struct title *t, size_t *at, __u8 within)
{
	static const char *const op[] = { " = ", " != ", " < ", " <= ", " > ", " >= " };
	const struct predicate_node node = t->p->node[(*at)++];
	const struct predicate_term *term = &t->p->term[node.n];
	int nested = within && !(node.kind == PREDICATE_AND && within == PREDICATE_OR);

	if (node.kind == PREDICATE_ANY) {
		title_put(t, "anything");
		return;
	}
	if (node.kind == PREDICATE_COMPARE) {
		title_put(t, term->field);
		title_put(t, op[term->op]);
		if (term->is_text)
			title_put_text(t, term->text);
		else
			title_put_number(t, term);
		return;
	}
	title_put(t, nested ? "(" : "");
	for (__u8 i = 0; i < node.n; i++) {
		title_put(t, !i ? "" : node.kind == PREDICATE_AND ? " and " : " or ");
		title_put_node(t, at, node.kind);
	}
	title_put(t, nested ? ")" : "");
}

void predicate_title(const struct predicate *p, const struct metric *m, char *out, size_t room)
{
	struct title t = { .p = p, .m = m, .out = out, .room = room };
	size_t at = 0;

	out[0] = 0;
	if (p->n_nodes)
		title_put_node(&t, &at, 0);
}
