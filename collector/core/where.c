#include "collector/core/where.h"

#include "collector/core/amount.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define DEPTH_MAX 32

enum token_kind { TOKEN_END, TOKEN_WORD, TOKEN_QUOTED, TOKEN_OPEN, TOKEN_CLOSE, TOKEN_OP };

struct token {
	enum token_kind kind;
	const char *at;
	size_t len;
};

struct where {
	const char *text;
	const char *next;		/* after the token */
	struct token token;		/* the next token to read */
	const struct where_fields *fields;
	unsigned depth;
	char *reason;
	int err;
};

/* ---- errors ---- */

static int refuse(struct where *w, const char *at, const char *format, ...) __attribute__((format(printf, 3, 4)));
static int refuse(struct where *w, const char *at, const char *format, ...)
{
	unsigned character = 1;
	va_list args;
	int n;

	for (const char *c = w->text; c < at; c++)
		character += (*c & 0xc0) != 0x80;
	n = snprintf(w->reason, WHERE_REASON, "character %u: ", character);
	va_start(args, format);
	vsnprintf(w->reason + n, (size_t)(WHERE_REASON - n), format, args);
	va_end(args);
	w->err = -EINVAL;
	return w->err;
}

/* Describes the token at this place, for a sentence. */
static const char *found(const struct where *w, char out[64])
{
	if (w->token.kind == TOKEN_END)
		snprintf(out, 64, "the end");
	else
		snprintf(out, 64, "\"%.*s\"", (int)(w->token.len < 48 ? w->token.len : 48), w->token.at);
	return out;
}

/* ---- tokens ---- */

static int advance(struct where *w)
{
	const char *at = w->next + strspn(w->next, " \t\r\n");
	struct token t = { TOKEN_WORD, at, strcspn(at, " \t\r\n()=!<>\"'") };

	if (!*at) {
		t = (struct token){ TOKEN_END, at, 0 };
	} else if (*at == '(' || *at == ')') {
		t.kind = *at == '(' ? TOKEN_OPEN : TOKEN_CLOSE;
		t.len = 1;
	} else if (strchr("=!<>", *at)) {
		t.kind = TOKEN_OP;
		t.len = strspn(at, "=!<>");
	} else if (*at == '"' || *at == '\'') {
		const char *end = at + 1;

		while (*end && *end != *at)
			end += *at == '"' && *end == '\\' && end[1] ? 2 : 1;
		if (!*end)
			return refuse(w, at, "this quotation mark is not closed");
		t.kind = TOKEN_QUOTED;
		t.len = (size_t)(end - at) + 1;
	}
	w->token = t;
	w->next = t.at + t.len;
	return 0;
}

static int token_is(const struct where *w, const char *word)
{
	return w->token.kind == TOKEN_WORD && w->token.len == strlen(word) && !strncasecmp(w->token.at, word, w->token.len);
}

/* ---- values ---- */

static enum ruler_unit unit_of(const char *type)
{
	return !strcmp(type, "time") ? UNIT_NS : !strcmp(type, "size") ? UNIT_BYTES : !strcmp(type, "percent") ? UNIT_PERCENT : UNIT_NONE;
}

/* Reads 10ms, 10 ms, 1.5 s, 0: the unit follows in the same word, or as the next word. */
static json_t *read_number(struct where *w, const char *field, const char *type)
{
	const char *first = w->token.at, *last = first + w->token.len, *at;
	char reason[AMOUNT_REASON];
	__u64 value;

	if (w->token.kind != TOKEN_WORD || *first < '0' || *first > '9') {
		refuse(w, first, "%s is a number and cannot be compared with a text", field);
		return NULL;
	}
	if (advance(w))
		return NULL;
	if (strchr("0123456789.", last[-1]) && w->token.kind == TOKEN_WORD && !token_is(w, "and") && !token_is(w, "or")) {
		last = w->token.at + w->token.len;
		if (advance(w))
			return NULL;
	}
	if (amount_parse(first, (size_t)(last - first), unit_of(type), field, &value, &at, reason)) {
		refuse(w, at, "%s", reason);
		return NULL;
	}
	return json_integer((json_int_t)value);
}

static json_t *read_text(struct where *w)
{
	const struct token t = w->token;
	json_t *text = NULL;

	if (t.kind == TOKEN_WORD)
		text = json_stringn(t.at, t.len);
	else if (*t.at == '\'')
		text = json_stringn(t.at + 1, t.len - 2);
	else
		text = json_loadb(t.at, t.len, JSON_DECODE_ANY, NULL);
	if (!text)
		refuse(w, t.at, "this text cannot be read: it must be UTF-8, and \\ within \"\" as in JSON");
	else if (advance(w)) {
		json_decref(text);
		text = NULL;
	}
	return text;
}

static json_t *read_value(struct where *w, const char *field, const char *type)
{
	char what[64];

	if ((w->token.kind != TOKEN_WORD && w->token.kind != TOKEN_QUOTED) || token_is(w, "and") || token_is(w, "or")) {
		refuse(w, w->token.at, "a value is missing before %s", found(w, what));
		return NULL;
	}
	return strcmp(type, "string") ? read_number(w, field, type) : read_text(w);
}

/* ---- expressions ---- */

static json_t *read_or(struct where *w);

static const char *read_operator(struct where *w, const char *type)
{
	static const char *const op[][2] = {
		{ "=", "eq" }, { "==", "eq" }, { "!=", "ne" }, { "<>", "ne" }, { "<", "lt" }, { "<=", "le" }, { ">", "gt" }, { ">=", "ge" },
	};
	char what[64];

	if (w->token.kind != TOKEN_OP) {
		refuse(w, w->token.at, "one of = != < <= > >= is missing before %s", found(w, what));
		return NULL;
	}
	for (size_t i = 0; i < sizeof(op) / sizeof(*op); i++) {
		if (strlen(op[i][0]) != w->token.len || strncmp(op[i][0], w->token.at, w->token.len))
			continue;
		if (!strcmp(type, "string") && i > 3) {
			refuse(w, w->token.at, "texts are compared by = and != only");
			return NULL;
		}
		return advance(w) ? NULL : op[i][1];
	}
	refuse(w, w->token.at, "%s is not one of = != < <= > >=", found(w, what));
	return NULL;
}

static json_t *read_comparison(struct where *w)
{
	const char *type, *op;
	char field[64], what[64];
	json_t *value;

	if (w->token.kind != TOKEN_WORD || token_is(w, "and") || token_is(w, "or")) {
		refuse(w, w->token.at, "a field is missing before %s", found(w, what));
		return NULL;
	}
	snprintf(field, sizeof(field), "%.*s", (int)(w->token.len < 60 ? w->token.len : 60), w->token.at);
	type = w->fields->type(w->fields->arg, field);
	if (!type) {
		refuse(w, w->token.at, "\"%s\" is not a field of this metric ('heatscope metrics' lists them)", field);
		return NULL;
	}
	if (advance(w))
		return NULL;
	op = read_operator(w, type);
	value = op ? read_value(w, field, type) : NULL;
	return value ? json_pack("{s:[s, o]}", op, field, value) : NULL;
}

static json_t *read_member(struct where *w)
{
	const char *open = w->token.at;
	json_t *inner;

	if (w->token.kind != TOKEN_OPEN)
		return read_comparison(w);
	if (w->depth == DEPTH_MAX) {
		refuse(w, open, "parentheses are nested more than %d deep", DEPTH_MAX);
		return NULL;
	}
	w->depth++;
	inner = advance(w) ? NULL : read_or(w);
	w->depth--;
	if (inner && w->token.kind != TOKEN_CLOSE)
		refuse(w, open, "this parenthesis is not closed");
	if (inner && (w->err || advance(w))) {
		json_decref(inner);
		inner = NULL;
	}
	return inner;
}

/* Reads parts with `word` between them; a single part stays as it is. */
static json_t *read_list(struct where *w, const char *word, json_t *(*part)(struct where *w))
{
	json_t *list = json_array(), *one;

	do {
		one = part(w);
		if (one)
			json_array_append_new(list, one);
	} while (one && token_is(w, word) && !advance(w));
	one = w->err ? NULL : json_array_size(list) > 1 ? json_pack("{s:O}", word, list) : json_incref(json_array_get(list, 0));
	json_decref(list);
	return one;
}

static json_t *read_and(struct where *w)
{
	return read_list(w, "and", read_member);
}

static json_t *read_or(struct where *w)
{
	return read_list(w, "or", read_and);
}

int where_parse(const char *text, const struct where_fields *fields, json_t **ret_predicate, char reason[WHERE_REASON])
{
	struct where w = { .text = text, .next = text, .fields = fields, .reason = reason };
	json_t *predicate = advance(&w) ? NULL : read_or(&w);
	char what[64];

	if (!w.err && w.token.kind != TOKEN_END)
		refuse(&w, w.token.at, "`and` or `or` is missing before %s", found(&w, what));
	if (w.err) {
		json_decref(predicate);
		return w.err;
	}
	*ret_predicate = predicate;
	return 0;
}
