/* predicate_title() writes a predicate as people read it, and as `heatscope create --where` reads it. */
#include "collector/core/predicate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct title {
	const struct predicate *p;
	const struct metric *m;
	char *out;
	size_t room, len;
	int full;
};

/* Appends text; ends with an ellipsis if it does not fit, never inside a character. */
static void put(struct title *t, const char *text)
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
static void put_text(struct title *t, const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:@#*+%";
	json_t *json;
	char *quoted;

	if (*text && strspn(text, plain) == strlen(text) && strcasecmp(text, "and") && strcasecmp(text, "or")) {
		put(t, text);
		return;
	}
	json = json_string(text);
	quoted = json_dumps(json, JSON_ENCODE_ANY);
	put(t, quoted ? quoted : "?");
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
	put(t, text);
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

static void put_number(struct title *t, const struct predicate_term *term)
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
		put(t, text);
	}
}

/* `and` binds closer than `or`; any other nesting is in parentheses. */
static void put_node(struct title *t, size_t *at, __u8 within)
{
	static const char *const op[] = { " = ", " != ", " < ", " <= ", " > ", " >= " };
	const struct predicate_node node = t->p->node[(*at)++];
	const struct predicate_term *term = &t->p->term[node.n];
	int nested = within && !(node.kind == PREDICATE_AND && within == PREDICATE_OR);

	if (node.kind == PREDICATE_ANY) {
		put(t, "anything");
		return;
	}
	if (node.kind == PREDICATE_COMPARE) {
		put(t, term->field);
		put(t, op[term->op]);
		if (term->is_text)
			put_text(t, term->text);
		else
			put_number(t, term);
		return;
	}
	put(t, nested ? "(" : "");
	for (__u8 i = 0; i < node.n; i++) {
		put(t, !i ? "" : node.kind == PREDICATE_AND ? " and " : " or ");
		put_node(t, at, node.kind);
	}
	put(t, nested ? ")" : "");
}

void predicate_title(const struct predicate *p, const struct metric *m, char *out, size_t room)
{
	struct title t = { .p = p, .m = m, .out = out, .room = room };
	size_t at = 0;

	out[0] = 0;
	if (p->n_nodes)
		put_node(&t, &at, 0);
}
