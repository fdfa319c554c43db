/* expression.h - describes an expression of PromQL as a tree, and prints it.
 *
 *      text --expression_parse() (parse.h)--> tree --expression_print()--> text
 *
 * Subset  numbers; x[range] within rate() and increase(); sum with by or without; histogram_quantile, _count, _sum, _avg;
 *         + - * / % ^ of numbers and vectors (two vectors: series with equal labels).
 * Law     the text of a tree is parsed as the same tree (test_parse.c, fuzz_promql).
 * Memory  a tree owns its parts; expression_free() frees it.
 * Pure    no loop, file or clock.  Thread: any.
 */
#ifndef HEATSCOPE_EXPRESSION_H
#define HEATSCOPE_EXPRESSION_H

#include "aggregator/promql/selector.h"
#include "collector/core/bytes.h"

enum expression_kind {
	EXPRESSION_NUMBER,
	EXPRESSION_RATE, EXPRESSION_INCREASE,			/* of a selector over a range: the leaves */
	EXPRESSION_SUM,
	EXPRESSION_QUANTILE, EXPRESSION_COUNT, EXPRESSION_TOTAL, EXPRESSION_AVERAGE,	/* of histograms */
	EXPRESSION_NEGATIVE, EXPRESSION_BINARY,
};

struct expression {
	enum expression_kind kind;
	size_t at;			/* where it begins: a byte of the text */
	double number;
	char sign;			/* of two operands */
	struct selector selector;
	__s64 range_ns;
	char **label;			/* of sum: those that stay; without: those that go */
	size_t n_labels;
	bool without;
	struct expression *child[2];	/* the quantile comes first */
};

void expression_free(struct expression *e);		/* NULL is fine */
void expression_print(const struct expression *e, struct bytes *out);

/* Is it one number, whatever the series? */
bool expression_is_number(const struct expression *e);

/* Is it rate or increase? */
bool expression_is_leaf(const struct expression *e);

#endif
