/* aggregate.h - adds up what programs have aggregated: the totals of each aggregation, row by row of its keys.
 *
 *      elements of an interval's maps, of any CPU --d_totals_add()--> rows --trunc, clear, normalize--> printed
 *
 * Shape   An element is { key, cell } -> words.  All words add, those of min() and max() are the larger one, so elements
 *         merge in any order and grouping.  A row's cells are sorted; a cell of count 0 may be there.  
 *         d_totals_sort(), _trunc() and _printa() change the order of rows; a pointer to a row is valid until _trunc().
 *
 *           count   n                       stddev  n, sum, and sums of the parts of the square: with |v| = h 2^32 + l
 *           sum     sum                             low and high half of l l, low and high half of h l, h h
 *           avg     n, sum                  min     n, largest INT64_MAX - v     max   n, largest v + 2^63
 *           quantize ...  a word per cell: its count
 * Errors  -ENOMEM: the element is not in the totals.
 * Memory  begins with d_aggregates_init(), ends with d_aggregates_fini(); borrows the program.
 */
#ifndef HEATSCOPE_OUTPUT_AGGREGATE_H
#define HEATSCOPE_OUTPUT_AGGREGATE_H

#include "collector/d/text/format.h"
#include "collector/d/tree/probe.h"
#include "collector/d/check/program.h"
#include "collector/d/output/symbols.h"

struct d_cell {
	__s64 cell, count;
};

struct d_row {
	__u8 *key;				/* each text in D_STRING_SIZE bytes, so keys of any tables are compared */
	__u64 word[D_WORDS];
	struct d_cell *cells;
	size_t n_cells, cells_room;
};

struct d_totals {
	const struct d_aggregation *aggregation;
	const struct d_probes *probes;
	struct d_symbols *symbols;
	struct d_row **rows;
	size_t n_rows, rows_room;
	size_t *index;				/* rows by the hash of their key, +1; 0: free; at least twice as many as rows */
	size_t index_len;
	__u64 normal;
	bool is_printed;
};

struct d_sort {
	bool by_key, reverse;
	unsigned key_position, position;	/* the key, and the aggregation of printa(), that decides */
};

struct d_aggregates {
	struct d_totals *totals;		/* by the aggregations' id */
	size_t n_totals;
	struct d_sort sort;
};

/* probes: those whose names are keys; symbols: of stacks that are keys. */
int d_aggregates_init(struct d_aggregates *a, const struct d_program *p, const struct d_probes *probes, struct d_symbols *symbols);
void d_aggregates_fini(struct d_aggregates *a);

/* key: the parts of the table's key, of which the cell is not read. */
int d_totals_add(struct d_totals *t, const void *key, __s64 cell, const __u64 *words);
/* Adds a value of any function but count(). */
int d_totals_add_value(struct d_totals *t, const void *key, __s64 value, struct d_row **ret_row);
/* key: of a row of any aggregation whose keys have these types.  NULL: no such row. */
struct d_row *d_totals_find(const struct d_totals *t, const void *key);

void d_totals_clear(struct d_totals *t);		/* keeps the rows */
void d_totals_trunc(struct d_totals *t, const struct d_sort *sort, __s64 n);	/* n largest, or -n smallest stay */
void d_totals_sort(struct d_totals *t, const struct d_sort *sort);
int d_totals_index(struct d_totals *t, size_t len);		/* finds rows in their present order; len: places */

/* The value of a row of an aggregation without cells, as it is printed. */
__s64 d_row_value(const struct d_totals *t, const struct d_row *r);
/* The bytes of part i of the key. */
const __u8 *d_row_part(const struct d_aggregation *a, const struct d_row *r, unsigned i);
/* Part i of the key, which is no stack. */
struct d_format_value d_row_key(const struct d_aggregation *a, const struct d_row *r, unsigned i);

/* aggregate_print.c */
/* One line per key that any of them has; format NULL: the default one. */
void d_totals_printa(struct d_totals **all, size_t n, const struct d_directive *format, const struct d_sort *sort, FILE *out);
void d_aggregates_print_rest(struct d_aggregates *a, FILE *out);		/* those that were never printed */

#endif
