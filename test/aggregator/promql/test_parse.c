#include "aggregator/promql/parse.h"
#include "test/kit/check.h"

#include "collector/core/metric.h"

#include <errno.h>
#include <stdio.h>

static char *printed(const struct expression *e)
{
	struct bytes out = { 0 };

	expression_print(e, &out);
	bytes_put(&out, "", 1);
	assert_int_equal(out.err, 0);
	return (char *)out.data;
}

static void assert_reads(const char *text, const char *expected)
{
	struct expression *e = NULL;
	char reason[REASON_MAX] = "", *out;

	if (expression_parse(text, &e, reason))
		fail_msg("%s: %s", text, reason);
	out = printed(e);
	assert_string_equal(out, expected);
	free(out);
	expression_free(e);
}

static void assert_refuses(const char *text, const char *expected)
{
	struct expression *e = NULL;
	char reason[REASON_MAX] = "";

	assert_int_equal(expression_parse(text, &e, reason), -EINVAL);
	if (!strstr(reason, expected))
		fail_msg("%s: %s, not %s", text, reason, expected);
}

TEST(what_grafana_sends_is_read)
{
	static const char *const cases[][2] = {
		{ "1+1", "(1+1)" },
		{ "rate(x[1m0s])", "rate({__name__=\"x\"}[1m])" },
		{ "sum by (le) (rate(x_bucket{a=\"b\"}[15s]))", "sum by(le)(rate({__name__=\"x_bucket\",a=\"b\"}[15s]))" },
		{ "sum(increase(x{a=~\"b|c\", d!~`e\\.`,f!=''}[1h30m])) without (le, g)",
		  "sum without(le,g)(increase({__name__=\"x\",a=~\"b|c\",d!~\"e\\\\.\",f!=\"\"}[1h30m]))" },
		{ "SUM BY(le) (rate({__name__=~\"x.*\"}[5m]))", "sum by(le)(rate({__name__=~\"x.*\"}[5m]))" },
		{ "histogram_quantile(0.99, sum by (le) (rate(x_bucket[1m])))", "histogram_quantile(0.98999999999999999,sum by(le)(rate({__name__=\"x_bucket\"}[1m])))" },
		{ "histogram_avg(rate(x[1m])) * 1e3", "(histogram_avg(rate({__name__=\"x\"}[1m]))*1000)" },
		{ "histogram_count(rate(x[1m]))/histogram_sum(rate(x[1m]))", "(histogram_count(rate({__name__=\"x\"}[1m]))/histogram_sum(rate({__name__=\"x\"}[1m])))" },
		{ "# a remark\n sum ( rate ( x [ 1d ] ) ) # and another", "sum by()(rate({__name__=\"x\"}[1d]))" },
		{ "-1^2*3-4%5", "(((-(1^2))*3)-(4%5))" }, { "2^3^2", "(2^(3^2))" }, { "1-2-3", "((1-2)-3)" }, { "+(1)", "1" },
		{ "0x1F + Inf + NaN + .5", "(((31+Inf)+NaN)+0.5)" }, { "rate(a:b{}[1s])", "rate({__name__=\"a:b\"}[1s])" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_reads(cases[i][0], cases[i][1]);
}

TEST(refusals_say_where_and_what)
{
	static const char *const cases[][2] = {
		{ "topk(3, rate(x[1m]))", "1:1: \"topk\" is not supported" }, { "avg by (a) (rate(x[1m]))", "1:1: \"avg\" is not supported" },
		{ "sum(\n  irate(x[1m]))", "2:3: \"irate\" is not supported" }, { "x", "1:1: a counter by itself is not supported" },
		{ "sum(x{a=\"b\"})", "1:5: a counter by itself" }, { "x[1m]", "1:1: a range is only supported within rate()" },
		{ "rate(x[1m] offset 1h)", "1:12: \"offset\" is not supported" }, { "rate(x[1m] @ 1)", "1:12: \"@\" is not supported" },
		{ "rate(x[5m:1m])", "1:10: a subquery is not supported" }, { "rate(sum(x)[1m])", "1:6: a subquery or a function" },
		{ "rate(x[1m]) > 5", "1:13: \">\" is not supported" }, { "rate(x[1m]) or rate(y[1m])", "1:13: \"or\" is not supported" },
		{ "rate(x[1m]) / on(a) rate(y[1m])", "1:15: \"on\" is not supported" }, { "", "1:1: the expression ends" },
		{ "rate(x)", "1:7: \")\" does not belong here; expected: [ and a range" }, { "rate(x[1])", "expected: a range" },
		{ "rate(x[0s])", "expected: a range" }, { "rate(x[1m]", "the expression ends; expected: )" }, { "1 1", "1:3: \"1\" does not belong here" },
		{ "rate({}[1m])", "1:6: a selector needs a matcher" }, { "rate({a=~\".*\"}[1m])", "1:6: a selector needs a matcher" },
		{ "rate(x{a=\"b]", "1:10: the text has no closing quote" }, { "rate(x{a=\"\\q\"}[1m])", "invalid escape" }, { "rate(x{a=b}[1m])", "expected: a text in quotes" },
		{ "rate(x{a=~\"(?i)b\"}[1m])", "(? is not supported" }, { "rate(x{a=~\"a{9}\"}[1m])", "repetition in braces" },
		{ "rate(x{a=~\"\\\\d\"}[1m])", "\\d is not supported" }, { "rate(x{a=~\"a+?\"}[1m])", "+? is not supported" }, { "rate(x{a=~\"(\"}[1m])", "is invalid" },
		{ "histogram_quantile(rate(x[1m]), rate(x[1m]))", "1:20: the quantile must be a number" }, { "sum(1)", "1:5: expected: series" },
		{ "1 ~ 2", "the character ~ does not belong here" }, { "1s", "does not belong here" }, { "9x", "this is no number" }, { "'\\xff'", "1:1:" },
	};
	char deep[600];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_refuses(cases[i][0], cases[i][1]);
	memset(deep, '(', sizeof(deep));
	deep[sizeof(deep) - 1] = 0;
	assert_refuses(deep, "more than 250 levels of parentheses");
	memset(deep, '-', sizeof(deep) - 1);
	assert_refuses(deep, "more than 50 parts");
}

/* ---- any tree ---- */

static void put_any(struct bytes *out, int depth, bool is_number);

static void put(struct bytes *out, const char *text) { bytes_put(out, text, strlen(text)); }

static const char *one_of(const char *const *texts, size_t n) { return texts[check_below(n)]; }

static void put_leaf(struct bytes *out)
{
	static const char *const calls[] = { "rate", "increase" }, *const signs[] = { "=", "!=", "=~", "!~" },
				 *const values[] = { "\"b\"", "'\\x01\\\"'", "`a.*|\\.b`", "\"\\u00e9\\n\"", "\"\"" },
				 *const ranges[] = { "1s", "1m30s", "2y1d", "100ms", "90s" };

	put(out, one_of(calls, 2));
	put(out, "(x{");
	for (uint64_t i = check_below(3); i > 0; i--) {
		put(out, "a");
		put(out, one_of(signs, 4));
		put(out, one_of(values, 5));
		put(out, ",");
	}
	put(out, "}[");
	put(out, one_of(ranges, 5));
	put(out, "])");
}

static void put_vector(struct bytes *out, int depth)
{
	static const char *const calls[] = { "sum by (a,le) (", "sum without (b) (", "sum (", "histogram_count(", "histogram_sum(", "histogram_avg(", "histogram_quantile(0.5," };

	if (depth <= 0) {
		put_leaf(out);
		return;
	}
	put(out, one_of(calls, 7));
	put_any(out, depth - 1, false);
	put(out, ")");
}

static void put_any(struct bytes *out, int depth, bool is_number)
{
	static const char *const numbers[] = { "1", "0.1", "1e300", "Inf", "nan", "12345678901234567" };
	const char sign[] = { " + - * / % ^ "[check_below(6) * 2 + 1], 0 };

	switch (check_below(4)) {
	case 0:
		put(out, "-");
		put_any(out, depth - 1, is_number);
		return;
	case 1:
		if (depth <= 0)
			break;
		put(out, "(");
		put_any(out, depth - 2, is_number);
		put(out, sign);
		put_any(out, depth - 2, true);
		put(out, ")");
		return;
	}
	if (is_number)
		put(out, one_of(numbers, 6));
	else
		put_vector(out, depth);
}

TEST(the_text_of_a_tree_is_read_as_the_same_tree)
{
	unsigned n_read = 0;

	for (unsigned i = 0; i < 5000; i++) {
		struct bytes text = { 0 };
		struct expression *e = NULL;
		char reason[REASON_MAX], *out;
		int depth = (int)check_below(6);

		put_any(&text, depth, check_below(3) == 0);
		bytes_put(&text, "", 1);
		if (!expression_parse((char *)text.data, &e, reason)) {
			n_read++;
			out = printed(e);
			assert_reads(out, out);
			free(out);
			expression_free(e);
		}
		bytes_fini(&text);
	}
	assert_true(n_read > 1000);
}

TEST(selectors_choose_as_prometheus_does)
{
	static const struct { const char *selector, *value; bool takes; } cases[] = {
		{ "{a=\"b\"}", "b", true }, { "{a=\"b\"}", "bb", false }, { "{a!=\"b\"}", "", true }, { "{a=~\"b|c\"}", "c", true }, { "{a=~\"b|c\"}", "bc", false },
		{ "{a!~\"b.*\",c=\"\"}", "x", true }, { "{a!~\"b.*\"}", "bcd", false }, { "{a=~\"b\\\\.c\"}", "b.c", true }, { "{a=~\"b\\\\.c\"}", "bxc", false },
		{ "{a=~\"[^b]+\"}", "cc", true }, { "{a=~\"[]]\"}", "]", true }, { "{a=\"b\",a=~\"c\"}", "b", false }, { "{z=\"y\"}", "b", false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct series_labels labels = { 0 };
		struct selector s = { 0 };
		char text[128], reason[REASON_MAX] = "";

		snprintf(text, sizeof(text), "x%s", cases[i].selector);
		if (selector_parse(text, &s, reason))
			fail_msg("%s: %s", text, reason);
		assert_int_equal(series_labels_add(&labels, SERIES_NAME, "x"), 0);
		assert_int_equal(series_labels_add(&labels, "a", cases[i].value), 0);
		if (selector_accepts(&s, &labels, NULL) != cases[i].takes)
			fail_msg("%s of %s", text, cases[i].value);
		series_labels_fini(&labels);
		selector_fini(&s);
	}
}

TEST_MAIN()
