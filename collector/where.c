#include "where.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
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
	struct token token;		/* the one to be read */
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

/* What stands at the token, for a sentence. */
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

struct unit {
	const char *name;
	uint64_t worth;
};

static const struct unit time_units[] = {
	{ "ns", 1 }, { "us", 1000 }, { "µs", 1000 }, { "ms", 1000000 }, { "s", 1000000000 }, { NULL, 0 }
};
static const struct unit size_units[] = {
	{ "B", 1 }, { "KiB", 1 << 10 }, { "MiB", 1 << 20 }, { "GiB", 1 << 30 }, { NULL, 0 }
};
static const struct unit percent_units[] = { { "", 1 }, { "%", 1 }, { NULL, 0 } };
static const struct unit plain_units[] = { { "", 1 }, { NULL, 0 } };

static const struct unit *units_of(const char *type)
{
	return !strcmp(type, "time") ? time_units : !strcmp(type, "size") ? size_units :
	       !strcmp(type, "percent") ? percent_units : plain_units;
}

static const struct unit *unit_find(const struct unit *units, const char *name, size_t len)
{
	for (; units->name; units++)
		if (strlen(units->name) == len && !strncmp(units->name, name, len))
			return units;
	return NULL;
}

/* For sentences: what to choose from, and the smallest. */
static const char *units_list(const struct unit *units)
{
	return units == time_units ? "ns, us, ms, s" : units == size_units ? "B, KiB, MiB, GiB" : units == percent_units ? "%" : "none";
}

struct decimal {
	const char *at;			/* in the text */
	uint64_t whole, part, place;	/* whole + part / place */
};

static int is_digit(const char *at, const char *end)
{
	return at < end && *at >= '0' && *at <= '9';
}

/* Reads the digits of a word; returns what follows them.  Too many: whole is the highest, place 0. */
static const char *decimal_read(struct where *w, struct decimal *ret)
{
	const char *at = w->token.at, *end = at + w->token.len;
	struct decimal d = { at, 0, 0, 1 };

	for (; is_digit(at, end); at++)
		d.whole = d.whole > INT64_MAX / 10 ? UINT64_MAX : d.whole * 10 + (uint64_t)(*at - '0');
	if (at < end && *at == '.')
		at++;
	else
		end = at;
	for (unsigned n = 0; is_digit(at, end); at++, n++) {
		if (n < 9) {
			d.part = d.part * 10 + (uint64_t)(*at - '0');
			d.place *= 10;
		} else if (*at != '0') {
			d.place = 0;
		}
	}
	*ret = d;
	return at;
}

static json_t *decimal_scale(struct where *w, const struct decimal *d, const struct unit *units, const struct unit *unit)
{
	uint64_t worth = unit->worth;

	if (d->whole > INT64_MAX / worth)
		refuse(w, d->at, "this number is too large");
	else if (!d->place || d->part * worth % d->place)
		refuse(w, d->at, "this is no whole number%s%s", *units->name ? " of " : "", units->name);
	else if (d->whole * worth > INT64_MAX - d->part * worth / d->place)
		refuse(w, d->at, "this number is too large");
	else
		return json_integer((json_int_t)(d->whole * worth + d->part * worth / d->place));
	return NULL;
}

/* The unit that follows in the same word, or as the next; NULL after an error. */
static const struct unit *read_unit_name(struct where *w, const char *rest, const struct decimal *d, const char *field,
					 const struct unit *units)
{
	struct token name = { TOKEN_WORD, rest, (size_t)(w->token.at + w->token.len - rest) };
	const struct unit *unit;

	if (advance(w))
		return NULL;
	if (!name.len && w->token.kind == TOKEN_WORD && !token_is(w, "and") && !token_is(w, "or")) {
		name = w->token;
		if (advance(w))
			return NULL;
	}
	unit = unit_find(units, name.at, name.len);
	if (!unit && !name.len && !d->whole && !d->part)
		unit = units;			/* 0 is 0 of anything */
	if (!unit && !name.len)
		refuse(w, d->at, "%s needs a unit: one of %s", field, units_list(units));
	else if (!unit)
		refuse(w, name.at, "\"%.*s\" is no unit of %s: there are %s", (int)(name.len < 40 ? name.len : 40), name.at, field,
		       units_list(units));
	return unit;
}

/* 10ms, 10 ms, 1.5 s, 0 */
static json_t *read_number(struct where *w, const char *field, const char *type)
{
	const struct unit *units = units_of(type), *unit;
	struct decimal d;
	const char *rest;

	if (w->token.kind != TOKEN_WORD || *w->token.at < '0' || *w->token.at > '9') {
		refuse(w, w->token.at, "%s is a number and cannot be compared with a text", field);
		return NULL;
	}
	rest = decimal_read(w, &d);
	unit = read_unit_name(w, rest, &d, field, units);
	return unit ? decimal_scale(w, &d, units, unit) : NULL;
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
	refuse(w, w->token.at, "%s is none of = != < <= > >=", found(w, what));
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
		refuse(w, open, "more than %d parentheses within each other", DEPTH_MAX);
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

/* Parts with `word` between them; one alone is itself. */
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
