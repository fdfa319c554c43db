/* buckets.h - describes the cells of quantize(), lquantize() and llquantize(): their edges, order and labels.
 *
 *      quantize     ... -2 -1 | 0 | 1 2 4 8 ...           cell n: the n-th cell of the ruler; negative: of negative values
 *      llquantize   ... -1 | |v| < factor^low | 1 ...     likewise, with linear steps within each power of the factor
 *      lquantize    0: below base | 1 2 ... in steps | levels + 1: at the limit or above
 *
 * Shape   The edges of quantize() are those of quantize.h's ruler with 0 bits, so that no other arithmetic is needed.  A
 *         program searches the edges for |value|, and gives the cell the sign of the value.
 * Errors  d_buckets_edges(): -E2BIG: more than D_EDGES_MAX; -ENOMEM.
 */
#ifndef HEATSCOPE_CHECK_BUCKETS_H
#define HEATSCOPE_CHECK_BUCKETS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#define D_EDGES_MAX 4096

enum d_buckets_kind { BUCKETS_NONE, BUCKETS_QUANTIZE, BUCKETS_LINEAR, BUCKETS_LOG_LINEAR };

struct d_buckets {
	enum d_buckets_kind kind;
	__s64 base, limit, step;		/* lquantize */
	__s64 factor, low, high, steps;		/* llquantize */
};

/* NULL: the parameters are right; else which is not. */
const char *d_buckets_check(const struct d_buckets *b);

/* The lowest values of the cells 0, 1 ... of quantize() or llquantize().  Free them.  lquantize(): *ret_n is 0. */
int d_buckets_edges(const struct d_buckets *b, __u64 **ret_edges, size_t *ret_n);

/* The first and the last cell that there may be. */
void d_buckets_range(const struct d_buckets *b, __s64 *ret_first, __s64 *ret_last);

__s64 d_buckets_levels(const struct d_buckets *b);	/* lquantize: cells between base and limit */

/* The cell of a value: for a program, lower_aggregation.c has the same. */
__s64 d_buckets_cell(const struct d_buckets *b, __s64 value);

/* The value for which a cell stands, for sorting and as its label. */
__s64 d_buckets_value(const struct d_buckets *b, const __u64 *edges, size_t n_edges, __s64 cell);

/* The label as it is printed, e.g. ">= 100".  has_negative: cells below 0 have counts.  out: 32 bytes. */
void d_buckets_label(const struct d_buckets *b, const __u64 *edges, size_t n_edges, __s64 cell, bool has_negative, char *out);

#endif
