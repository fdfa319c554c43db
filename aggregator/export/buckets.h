/* buckets.h - moves the cells of a ruler into the buckets of Prometheus.
 *
 *      values first ... last of a cell --buckets_spread()--> native buckets, whose edges are 2^(1/2^schema) apart
 *                                      --classic ruler-----> buckets of a doubling, le = the last value of each
 *
 * Native  The bucket of index i has the values in (2^((i-1)/2^schema), 2^(i/2^schema)], in the unit of Prometheus: seconds,
 *         bytes.  The events of a cell that lies across an edge are divided by how many of its values are on each side; those
 *         that are left go to the largest remainders.  So the total is exact, and a value is off by at most the width of its
 *         cell; a cell of one value is exact.  There is no zero bucket: a cell with 0 is in the bucket of its last value, or
 *         of half of the smallest value if it has only 0.  The last cell is in the bucket of its first value.
 * Source  Prometheus, "Native Histograms" (the specification).
 * Errors  none.
 * Thread  any.
 */
#ifndef HEATSCOPE_EXPORT_BUCKETS_H
#define HEATSCOPE_EXPORT_BUCKETS_H

#include "collector/core/quantize.h"

#include <stdbool.h>
#include <stddef.h>

#define BUCKETS_SCHEMA_MAX 4

/* Prometheus' unit of values of this unit: "seconds"; "": none.  *ret_divisor: a value of so much is 1 of it. */
const char *buckets_unit(enum ruler_unit unit, double *ret_divisor);

/* The native buckets that cells of this ruler can go to: first to last, inclusive. */
void buckets_range(__u64 ruler, double divisor, int schema, int *ret_first, int *ret_last);

/* The upper edge of a native bucket, in the unit of Prometheus. */
double buckets_edge(int index, int schema);

/* The native buckets that have values of a cell: first to last, inclusive. */
void buckets_of_cell(__u64 ruler, __u32 cell, double divisor, int schema, int *ret_first, int *ret_last);

/* Adds n events of a cell to count[], which has the buckets first to last; those beyond are in the outer ones. */
void buckets_spread(__u64 ruler, __u32 cell, double divisor, int schema, __u64 n, __u64 *count, int first, int last);

/* The part of buckets_spread() that only depends on the cell, kept for many slices: the same result, in less time. */
struct buckets_cell {
	int first, last;		/* its buckets */
	__u64 head, values;		/* if they are two: how many values of the cell are in the first one, and in both */
};
void buckets_cell_make(__u64 ruler, __u32 cell, double divisor, int schema, struct buckets_cell *ret_cell);
/* Adds n events to count[], whose bucket `first` is count[0], if the cell has one or two buckets, which are in count[]; false: it
 * has more. */
bool buckets_cell_spread(const struct buckets_cell *c, __u64 n, __u64 *count, int first);

/* A ruler with a cell per doubling, whose edges this ruler has. */
__u64 buckets_classic(__u64 ruler);

#endif
