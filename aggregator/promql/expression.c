#include "aggregator/promql/expression.h"

#include "aggregator/promql/lexer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void expression_free(struct expression *e)
{
	if (!e)
		return;
	expression_free(e->child[0]);
	expression_free(e->child[1]);
	selector_fini(&e->selector);
	for (size_t i = 0; i < e->n_labels; i++)
		free(e->label[i]);
	free(e->label);
	free(e);
}

bool expression_is_leaf(const struct expression *e)
{
	return e->kind == EXPRESSION_RATE || e->kind == EXPRESSION_INCREASE;
}

bool expression_is_number(const struct expression *e)
{
	switch (e->kind) {
	case EXPRESSION_NUMBER: return true;
	case EXPRESSION_NEGATIVE: return expression_is_number(e->child[0]);
	case EXPRESSION_BINARY: return expression_is_number(e->child[0]) && expression_is_number(e->child[1]);
	default: return false;
	}
}

static void put(struct bytes *out, const char *text) { bytes_put(out, text, strlen(text)); }

static void put_text(struct bytes *out, const char *text)
{
	char escape[8];

	put(out, "\"");
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			snprintf(escape, sizeof(escape), "\\%c", *text);
		else if ((unsigned char)*text < 0x20 || (unsigned char)*text >= 0x7f)
			snprintf(escape, sizeof(escape), "\\x%02x", (unsigned char)*text);
		else
			snprintf(escape, sizeof(escape), "%c", *text);
		put(out, escape);
	}
	put(out, "\"");
}

static void put_selector(const struct expression *e, struct bytes *out)
{
	const struct selector *s = &e->selector;
	char range[64];

	put(out, "{");
	for (size_t i = 0; i < s->n; i++) {
		put(out, i ? "," : "");
		put(out, s->matcher[i].label);
		put(out, matcher_sign(s->matcher[i].kind));
		put_text(out, s->matcher[i].value);
	}
	duration_print(e->range_ns, range, sizeof(range));
	put(out, "}[");
	put(out, range);
	put(out, "]");
}

static void put_number(double number, struct bytes *out)
{
	char text[32];

	if (isnan(number))
		snprintf(text, sizeof(text), "NaN");
	else if (isinf(number))
		snprintf(text, sizeof(text), "Inf");
	else
		snprintf(text, sizeof(text), "%.17g", number);
	put(out, text);
}

static void put_sum(const struct expression *e, struct bytes *out)
{
	put(out, e->without ? "sum without(" : "sum by(");
	for (size_t i = 0; i < e->n_labels; i++) {
		put(out, i ? "," : "");
		put(out, e->label[i]);
	}
	put(out, ")(");
	expression_print(e->child[0], out);
	put(out, ")");
}

static void put_call(const struct expression *e, const char *name, struct bytes *out)
{
	put(out, name);
	put(out, "(");
	for (int i = 0; i < 2 && e->child[i]; i++) {
		put(out, i ? "," : "");
		expression_print(e->child[i], out);
	}
	if (!e->child[0])
		put_selector(e, out);
	put(out, ")");
}

static void put_binary(const struct expression *e, struct bytes *out)
{
	const char sign[] = { e->sign, 0 };

	put(out, "(");
	expression_print(e->child[0], out);
	put(out, sign);
	expression_print(e->child[1], out);
	put(out, ")");
}

void expression_print(const struct expression *e, struct bytes *out)
{
	switch (e->kind) {
	case EXPRESSION_NUMBER: put_number(e->number, out); break;
	case EXPRESSION_RATE: put_call(e, "rate", out); break;
	case EXPRESSION_INCREASE: put_call(e, "increase", out); break;
	case EXPRESSION_SUM: put_sum(e, out); break;
	case EXPRESSION_QUANTILE: put_call(e, "histogram_quantile", out); break;
	case EXPRESSION_COUNT: put_call(e, "histogram_count", out); break;
	case EXPRESSION_TOTAL: put_call(e, "histogram_sum", out); break;
	case EXPRESSION_AVERAGE: put_call(e, "histogram_avg", out); break;
	case EXPRESSION_NEGATIVE:
		put(out, "(-");
		expression_print(e->child[0], out);
		put(out, ")");
		break;
	case EXPRESSION_BINARY: put_binary(e, out); break;
	}
}
