/* buckets.h - moves the cells of a ruler into the buckets of Prometheus.
 *
 *      cell [low, high) of a ruler --buckets_spread()--> native buckets, whose edges are 2^(1/2^schema) apart
 *
 * Native  The bucket of index i has the values in (2^((i-1)/2^schema), 2^(i/2^schema)], in the unit of Prometheus: seconds,
 *         bytes.  A cell that lies across an edge is divided by the widths of its parts, and the events that are left go to the
 *         largest remainders, so the total is exact; the position is off by at most the width of the cell.  No event is in
 *         a zero bucket: the first cell, from 0 on, is in the bucket of its upper edge, the last one in that of its lower.
 * Source  Prometheus, "Native Histograms" (the specification), and the comments of its io/prometheus/client/metrics.proto.
 * Errors  none.
 * Thread  any.
 */
#ifndef HEATSCOPE_EXPORT_BUCKETS_H
#define HEATSCOPE_EXPORT_BUCKETS_H

#include "collector/core/quantize.h"

#include <stddef.h>

#define BUCKETS_SCHEMA_MAX 4
#define BUCKETS_OF_A_CELL_MAX 18	/* an octave at schema 4, and a part on each side */

/* Prometheus' unit of values of this unit: "seconds"; "": none.  *ret_divisor: a value of so much is 1 of it. */
const char *buckets_unit(enum ruler_unit unit, double *ret_divisor);

/* The native buckets that cells of this ruler can go to: first to last, inclusive. */
void buckets_range(__u64 ruler, double divisor, int schema, int *ret_first, int *ret_last);

/* Adds n events of a cell to count[], whose first element is the bucket of index `first`. */
void buckets_spread(__u64 ruler, __u32 cell, double divisor, int schema, __u64 n, __u64 *count, int first);

#endif
