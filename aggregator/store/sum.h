/* sum.h - adds sparse histograms of one ruler into one.
 *
 *      sum_begin(ruler)  sum_add(bytes) sum_add(bytes) ...  sum_end()  ->  s->bytes
 *
 * Law     the bytes do not depend on the order, nor on how the parts were added before.
 * Errors  0 or -errno; then begin again.
 * Memory  a zeroed one is empty; it keeps its scratch memory until sum_fini(), so that adding many
 *         allocates once.  s->bytes is valid until the next sum_begin().
 * Thread  any, one at a time.
 */
#ifndef HEATSCOPE_SUM_H
#define HEATSCOPE_SUM_H

#include "collector/core/hist.h"

struct sum {
	struct hist hist;
	struct bytes bytes;
};

void sum_fini(struct sum *s);
int sum_begin(struct sum *s, __u64 ruler);
int sum_add(struct sum *s, const __u8 *data, size_t len);	/* -EBADMSG: not a histogram */
int sum_end(struct sum *s);

/* Adds a + b in one call. */
int sum_two(struct sum *s, __u64 ruler, const __u8 *a, size_t a_len, const __u8 *b, size_t b_len);

#endif
