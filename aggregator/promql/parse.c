#include "aggregator/promql/parse.h"

#include "aggregator/promql/lexer.h"
#include "collector/core/array.h"
#include "collector/core/refuse.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <strings.h>

struct parser {
	struct lexer lexer;
	struct lexeme token;		/* the next one */
	unsigned depth, n_parts, n_leaves;
	char *reason;
};

static void advance(struct parser *p) { lexer_next(&p->lexer, &p->token); }

/* ---- refusals ---- */

static __attribute__((format(printf, 3, 4))) int parse_refuse(struct parser *p, size_t at, const char *format, ...)
{
	char why[REASON_MAX - 32];
	unsigned line = 1, character = 1;
	va_list args;

	for (size_t i = 0; i < at; i++) {
		character = p->lexer.text[i] == '\n' ? 1 : character + 1;
		line += p->lexer.text[i] == '\n';
	}
	va_start(args, format);
	vsnprintf(why, sizeof(why), format, args);
	va_end(args);
	return refuse(p->reason, "%u:%u: %s", line, character, why);
}

static int refuse_token(struct parser *p, const char *expected)
{
	const struct lexeme *t = &p->token;

	if (t->kind == TOKEN_WRONG)
		return parse_refuse(p, t->at, "%s", p->lexer.reason);
	if (t->kind == TOKEN_END)
		return parse_refuse(p, t->at, "the expression ends; expected: %s", expected);
	return parse_refuse(p, t->at, "\"%.*s\" does not belong here; expected: %s", (int)(t->len < 40 ? t->len : 40), p->lexer.text + t->at,
			    expected);
}

/* ---- tokens ---- */

static bool is_sign(const struct parser *p, const char *sign) { return p->token.kind == TOKEN_SIGN && !strcmp(p->token.text, sign); }

static int expect_sign(struct parser *p, const char *sign)
{
	if (!is_sign(p, sign))
		return refuse_token(p, sign);
	advance(p);
	return 0;
}

/* Keywords may be written in capitals; names of functions may not. */
static bool is_word(const struct parser *p, const char *word) { return p->token.kind == TOKEN_NAME && !strcasecmp(p->token.text, word); }

static struct expression *expression_new(const struct parser *p, enum expression_kind kind, size_t at)
{
	struct expression *e = calloc(1, sizeof(*e));

	if (e)
		*e = (struct expression){ .kind = kind, .at = at };
	return e;
}

/* ---- selectors ---- */

static int parse_matcher(struct parser *p, struct selector *s)
{
	enum matcher_kind kind = MATCHER_EQUAL;
	char label[256], why[REASON_MAX];
	size_t at = p->token.at;
	int err;

	if (p->token.kind != TOKEN_NAME || strchr(p->token.text, ':'))
		return refuse_token(p, "the name of a label");
	if (p->token.len >= sizeof(label))
		return parse_refuse(p, at, "the name of a label has more than %zu bytes", sizeof(label) - 1);
	snprintf(label, sizeof(label), "%.*s", (int)sizeof(label) - 1, p->token.text);
	advance(p);
	while (kind <= MATCHER_NOT_PATTERN && !is_sign(p, matcher_sign(kind)))
		kind++;
	if (kind > MATCHER_NOT_PATTERN)
		return refuse_token(p, "=, !=, =~ or !~");
	advance(p);
	if (p->token.kind != TOKEN_TEXT)
		return refuse_token(p, "a text in quotes");
	err = selector_add(s, kind, label, p->token.text, why);
	if (err == -EINVAL)
		return parse_refuse(p, p->token.at, "%s", why);
	advance(p);
	return err;
}

static int parse_matchers(struct parser *p, struct selector *s)
{
	int err = 0;

	advance(p);
	while (!err && !is_sign(p, "}")) {
		err = parse_matcher(p, s);
		if (!err && !is_sign(p, "}"))
			err = expect_sign(p, ",");
	}
	if (!err)
		advance(p);
	return err;
}

/* name{...}, name or {...} */
static int parse_selector(struct parser *p, struct selector *s)
{
	size_t at = p->token.at;
	int err = 0;

	if (p->token.kind != TOKEN_NAME && !is_sign(p, "{"))
		return refuse_token(p, "the name of a metric, or {");
	if (p->token.kind == TOKEN_NAME) {
		err = selector_add(s, MATCHER_EQUAL, SERIES_NAME, p->token.text, p->reason);
		advance(p);
	}
	if (!err && is_sign(p, "{"))
		err = parse_matchers(p, s);
	if (!err && !selector_is_narrow(s))
		err = parse_refuse(p, at, "a selector needs a matcher that does not match the empty text");
	return err;
}

static int refuse_modifier(struct parser *p)
{
	if (is_word(p, "offset") || is_sign(p, "@"))
		return parse_refuse(p, p->token.at, "\"%s\" is not supported", p->token.text);
	return 0;
}

/* selector[range] */
static int parse_range(struct parser *p, struct expression *e)
{
	size_t at = p->token.at;
	int err = parse_selector(p, &e->selector);

	if (err)
		return err;
	if (is_sign(p, "("))
		return parse_refuse(p, at, "a subquery or a function is not supported within rate() and increase(); expected: NAME{...}[RANGE]");
	err = refuse_modifier(p);
	if (err)
		return err;
	if (!is_sign(p, "["))
		return refuse_token(p, "[ and a range, such as [1m]");
	advance(p);
	if (p->token.kind != TOKEN_DURATION || !p->token.duration_ns)
		return refuse_token(p, "a range, such as 1m");
	e->range_ns = p->token.duration_ns;
	advance(p);
	if (p->token.text[0] == ':')
		return parse_refuse(p, p->token.at, "a subquery is not supported");
	err = expect_sign(p, "]");
	return err ? err : refuse_modifier(p);
}

/* ---- functions ---- */

static int parse_expression(struct parser *p, struct expression **ret);

static const struct function {
	const char *name;
	enum expression_kind kind;
} functions[] = {
	{ "rate", EXPRESSION_RATE }, { "increase", EXPRESSION_INCREASE }, { "histogram_quantile", EXPRESSION_QUANTILE },
	{ "histogram_count", EXPRESSION_COUNT }, { "histogram_sum", EXPRESSION_TOTAL }, { "histogram_avg", EXPRESSION_AVERAGE },
};
#define HAS "heatscoped has sum, rate, increase, histogram_quantile, histogram_count, histogram_sum and histogram_avg"

static const struct function *function_find(const char *name)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (!strcmp(functions[i].name, name))
			return &functions[i];
	return NULL;
}

/* The arguments after "(": [quantile,] vector ")". */
static int parse_arguments(struct parser *p, struct expression *e)
{
	struct expression **vector = &e->child[e->kind == EXPRESSION_QUANTILE];
	int err = 0;

	if (e->kind == EXPRESSION_QUANTILE) {
		err = parse_expression(p, &e->child[0]);
		if (!err && !expression_is_number(e->child[0]))
			err = parse_refuse(p, e->child[0]->at, "the quantile must be a number");
		if (!err)
			err = expect_sign(p, ",");
	}
	if (!err)
		err = parse_expression(p, vector);
	if (!err && expression_is_number(*vector))
		err = parse_refuse(p, (*vector)->at, "expected: series, not a number");
	return err ? err : expect_sign(p, ")");
}

static int parse_call(struct parser *p, const struct function *f, struct expression **ret)
{
	struct expression *e = expression_new(p, f->kind, p->token.at);
	int err = e ? 0 : -ENOMEM;

	advance(p);
	if (!err)
		err = expect_sign(p, "(");
	if (!err && expression_is_leaf(e)) {
		err = ++p->n_leaves > PARSE_LEAVES_MAX ? parse_refuse(p, e->at, "there are more than %d selectors", PARSE_LEAVES_MAX) : 0;
		if (!err)
			err = parse_range(p, e);
		if (!err)
			err = expect_sign(p, ")");
	} else if (!err) {
		err = parse_arguments(p, e);
	}
	if (err)
		expression_free(e);
	else
		*ret = e;
	return err;
}

/* ---- sum ---- */

static int parse_label(struct parser *p, struct expression *e)
{
	char *label;

	if (p->token.kind != TOKEN_NAME || strchr(p->token.text, ':'))
		return refuse_token(p, "the name of a label");
	label = strdup(p->token.text);
	if (!label || array_resize(&e->label, e->n_labels + 1, sizeof(label))) {
		free(label);
		return -ENOMEM;
	}
	e->label[e->n_labels++] = label;
	advance(p);
	return 0;
}

/* by (a, b), without (a, b), or nothing */
static int parse_grouping(struct parser *p, struct expression *e, bool *ret_is_there)
{
	int err;

	*ret_is_there = is_word(p, "by") || is_word(p, "without");
	if (!*ret_is_there)
		return 0;
	e->without = is_word(p, "without");
	advance(p);
	err = expect_sign(p, "(");
	while (!err && !is_sign(p, ")")) {
		err = parse_label(p, e);
		if (!err && !is_sign(p, ")"))
			err = expect_sign(p, ",");
	}
	if (!err)
		advance(p);
	return err;
}

static int parse_sum(struct parser *p, struct expression **ret)
{
	struct expression *e = expression_new(p, EXPRESSION_SUM, p->token.at);
	bool is_grouped = false;
	int err = e ? 0 : -ENOMEM;

	advance(p);
	if (!err)
		err = parse_grouping(p, e, &is_grouped);
	if (!err)
		err = expect_sign(p, "(");
	if (!err)
		err = parse_arguments(p, e);
	if (!err && !is_grouped)
		err = parse_grouping(p, e, &is_grouped);
	if (err)
		expression_free(e);
	else
		*ret = e;
	return err;
}

/* ---- numbers and operators ---- */

static int parse_number(struct parser *p, double number, struct expression **ret)
{
	struct expression *e = expression_new(p, EXPRESSION_NUMBER, p->token.at);

	if (!e)
		return -ENOMEM;
	e->number = number;
	advance(p);
	*ret = e;
	return 0;
}

static int refuse_bare(struct parser *p)
{
	struct selector s = { 0 };
	size_t at = p->token.at;
	int err = parse_selector(p, &s);

	selector_fini(&s);
	if (err)
		return err;
	if (is_sign(p, "["))
		return parse_refuse(p, at, "a range is only supported within rate() and increase()");
	return parse_refuse(p, at, "a counter by itself is not supported: use rate(...[RANGE]) or increase(...[RANGE])");
}

/* A name: a number, sum, a function, or what is not supported. */
static int parse_name(struct parser *p, struct expression **ret)
{
	const struct function *f = function_find(p->token.text);
	struct lexer ahead = p->lexer;
	struct lexeme *next;
	bool is_call;

	if (is_word(p, "inf") || is_word(p, "nan"))
		return parse_number(p, is_word(p, "inf") ? INFINITY : NAN, ret);
	next = malloc(sizeof(*next));
	if (!next)
		return -ENOMEM;
	lexer_next(&ahead, next);
	is_call = (next->kind == TOKEN_SIGN && !strcmp(next->text, "(")) ||
		  (next->kind == TOKEN_NAME && (!strcasecmp(next->text, "by") || !strcasecmp(next->text, "without")));
	free(next);
	if (is_call && is_word(p, "sum"))
		return parse_sum(p, ret);
	if (is_call && f)
		return parse_call(p, f, ret);
	if (is_call)
		return parse_refuse(p, p->token.at, "\"%.64s\" is not supported; " HAS, p->token.text);
	return refuse_bare(p);
}

static int count_part(struct parser *p)
{
	return ++p->n_parts > PARSE_PARTS_MAX ? parse_refuse(p, p->token.at, "the expression has more than %d parts", PARSE_PARTS_MAX) : 0;
}

static int parse_primary(struct parser *p, struct expression **ret)
{
	struct expression *e = NULL;
	int err = is_sign(p, "(") ? 0 : count_part(p);

	if (err)
		return err;
	if (p->token.kind == TOKEN_NUMBER)
		return parse_number(p, p->token.number, ret);
	if (p->token.kind == TOKEN_NAME)
		return parse_name(p, ret);
	if (is_sign(p, "{"))
		return refuse_bare(p);
	if (!is_sign(p, "("))
		return refuse_token(p, "a number, a function, or (");
	if (++p->depth > PARSE_DEPTH_MAX)
		return parse_refuse(p, p->token.at, "the expression has more than %d levels of parentheses", PARSE_DEPTH_MAX);
	advance(p);
	err = parse_expression(p, &e);
	p->depth--;
	if (!err)
		err = expect_sign(p, ")");
	if (!err && is_sign(p, "["))
		err = parse_refuse(p, p->token.at, "a subquery is not supported");
	if (err)
		expression_free(e);
	else
		*ret = e;
	return err;
}

static int parse_unary(struct parser *p, struct expression **ret);

/* Joins *left and right; takes both. */
static int join(struct parser *p, char sign, struct expression **left, struct expression *right)
{
	struct expression *e = expression_new(p, EXPRESSION_BINARY, (*left)->at);

	if (!e) {
		expression_free(right);
		return -ENOMEM;
	}
	e->sign = sign;
	e->child[0] = *left;
	e->child[1] = right;
	*left = e;
	return 0;
}

static int refuse_matching(struct parser *p)
{
	static const char *const words[] = { "on", "ignoring", "group_left", "group_right", "bool" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (is_word(p, words[i]))
			return parse_refuse(p, p->token.at, "\"%s\" is not supported", words[i]);
	return 0;
}

/* a ^ b: binds more than a sign before a, less than a sign before b; from right to left. */
static int parse_power(struct parser *p, struct expression **ret)
{
	struct expression *left = NULL, *right = NULL;
	int err = parse_primary(p, &left);

	if (!err && is_sign(p, "^")) {
		advance(p);
		err = refuse_matching(p);
		if (!err)
			err = parse_unary(p, &right);
		if (!err)
			err = join(p, '^', &left, right);
	}
	if (err)
		expression_free(left);
	else
		*ret = left;
	return err;
}

static int parse_unary(struct parser *p, struct expression **ret)
{
	bool is_negative = is_sign(p, "-");
	struct expression *e;
	int err;

	if (!is_negative && !is_sign(p, "+"))
		return parse_power(p, ret);
	err = count_part(p);
	if (err)
		return err;
	e = expression_new(p, EXPRESSION_NEGATIVE, p->token.at);
	advance(p);
	if (!e)
		return -ENOMEM;
	err = parse_unary(p, &e->child[0]);
	if (err) {
		expression_free(e);
		return err;
	}
	*ret = e;
	if (!is_negative) {
		*ret = e->child[0];
		e->child[0] = NULL;
		expression_free(e);
	}
	return 0;
}

static bool is_operator(const struct parser *p, const char *signs)
{
	return p->token.kind == TOKEN_SIGN && p->token.len == 1 && strchr(signs, p->token.text[0]);
}

static int parse_product(struct parser *p, struct expression **ret)
{
	struct expression *left = NULL;
	int err = parse_unary(p, &left);

	while (!err && is_operator(p, "*/%")) {
		struct expression *right = NULL;
		char sign = p->token.text[0];

		advance(p);
		err = refuse_matching(p);
		if (!err)
			err = parse_unary(p, &right);
		if (!err)
			err = join(p, sign, &left, right);
	}
	if (err)
		expression_free(left);
	else
		*ret = left;
	return err;
}

static int refuse_others(struct parser *p)
{
	static const char *const words[] = { "==", "!=", "<", ">", "<=", ">=", "and", "or", "unless", "atan2", "@", "offset" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (is_sign(p, words[i]) || is_word(p, words[i]))
			return parse_refuse(p, p->token.at, "\"%s\" is not supported; heatscoped has + - * / %% ^", words[i]);
	return 0;
}

static int parse_expression(struct parser *p, struct expression **ret)
{
	struct expression *left = NULL;
	int err = parse_product(p, &left);

	while (!err && is_operator(p, "+-")) {
		struct expression *right = NULL;
		char sign = p->token.text[0];

		advance(p);
		err = refuse_matching(p);
		if (!err)
			err = parse_product(p, &right);
		if (!err)
			err = join(p, sign, &left, right);
	}
	if (!err)
		err = refuse_others(p);
	if (err)
		expression_free(left);
	else
		*ret = left;
	return err;
}

/* ---- whole texts ---- */

static struct parser *parser_new(const char *text, char *reason, int *ret_err)
{
	struct parser *p = NULL;

	if (strlen(text) > PARSE_TEXT_MAX) {
		*ret_err = refuse(reason, "1:1: the expression has more than %d bytes", PARSE_TEXT_MAX);
		return NULL;
	}
	p = calloc(1, sizeof(*p));
	*ret_err = p ? 0 : -ENOMEM;
	if (!p)
		return NULL;
	p->lexer.text = text;
	p->reason = reason;
	advance(p);
	return p;
}

static int expect_end(struct parser *p) { return p->token.kind == TOKEN_END ? 0 : refuse_token(p, "an operator, or the end"); }

int expression_parse(const char *text, struct expression **ret_expression, char *reason)
{
	struct expression *e = NULL;
	int err;
	struct parser *p = parser_new(text, reason, &err);

	if (!err)
		err = parse_expression(p, &e);
	if (!err)
		err = expect_end(p);
	if (err)
		expression_free(e);
	else
		*ret_expression = e;
	free(p);
	return err;
}

int selector_parse(const char *text, struct selector *ret_selector, char *reason)
{
	struct selector s = { 0 };
	int err;
	struct parser *p = parser_new(text, reason, &err);

	if (!err)
		err = parse_selector(p, &s);
	if (!err)
		err = expect_end(p);
	if (err)
		selector_fini(&s);
	else
		*ret_selector = s;
	free(p);
	return err;
}
