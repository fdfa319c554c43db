/* query.h - folds slices into the result that a client gets: a grid, a raw value, the keys of a cell.
 *
 *      cube or store --store_reader--> fold: keys dropped, slots summed, rows coarser --> grid
 *
 * Pure    no loop, file or clock: slices come in through a store_reader, time as now_ns.
 * Laws    The sum of all cells is the count.  Folding columns, rows or keys keeps it, in any order and in any pieces
 *         (test_query.c, query/test_keys.c).
 * Scope   All sums of a point metric are kept as they are, with the number of slots that any source reported: the code
 *         that shows them divides (grid_shown()).  A slot that no source observed is not a snapshot.  A key that an
 *         observed slot lacks was 0 there.
 * Cover   A source that was seen in the range (or named by fold_expect()) should have reported each settled slot from
 *         its first on.  A slot that no source covers is unobserved.  A column is in progress until its slots are over
 *         and all have reported, or are settled.
 * Keys    a key's text is its labels joined by "/".  In all labels but the last, a "/" is written as \/, and a backslash before it
 *         or at the label's end as \\, so that other labels are another text.  If only one label has a "/", and begins
 *         with it, and none has a backslash, no escape is needed: "GET//a/b/200" is GET, /a/b, 200.
 * Thread  any, one at a time per fold.
 */
#ifndef HEATSCOPE_QUERY_H
#define HEATSCOPE_QUERY_H

#include "collector/core/instrumentation.h"
#include "render/grid/grid.h"
#include "aggregator/store/store.h"

/* A slot is settled this long after its end: a source that has not reported by then counts as missing. */
#define SETTLE_NS 1000000000ll

struct query {
	const struct instrumentation *inst;
	enum metric_scope scope;
	int axis;			/* index of the measure */
	int weight;			/* 0 = events; n = sums of the instrumentation's weight n-1, along its first
					 * measure */
	__s64 from_ns, to_ns;		/* half-open, multiples of a slot */
	size_t n_cols;			/* columns wanted, at most; slots are summed, never skipped */
	__u32 row_bits;			/* rows per octave = 2^row_bits, at most the ruler's */
	__u64 row_min, row_max;		/* values that the rows must reach at least; 0, 0: the data decide */
	__s64 now_ns;
	const char *const *select;	/* texts of keys */
	size_t n_select;		/* 0: every key */
	bool exclude;			/* take all keys except the selected */
	__u32 drop;			/* key_fold, layer_fold: fields to fold away, bit 0 = the first */
	bool cells_only;		/* no percentiles per column: the reader needs only the cells */
	bool select_kept;		/* select's texts have only the fields that are kept */
};

/* Returns the first and last slot (inclusive) to read for it. */
void query_slots(const struct query *q, __s64 *ret_first, __s64 *ret_last);

/* Returns the unit of a measure as all replies write it: "ns", "bytes", "%", "/s", "bytes/s"; "": none. */
const char *query_unit(const struct instrumentation *in, int axis);

/* Returns how long a column will be: a whole number of slots, at least one granularity. */
__u64 query_col_ns(const struct query *q);

/* Does the selection take this key?  (Slow: once per key, not per slice.) */
bool query_selects(const struct query *q, const struct labels *key);

/* Returns which of the selected texts the key has, without the fields that are dropped if `kept`; -1: none. */
long query_selected(const struct query *q, const struct labels *key, bool kept);

/* Writes a key's text without the fields that are dropped into out[KEY_TEXT_MAX].  -ENOMEM. */
int query_key_text(const struct query *q, const struct labels *key, char *out, bool *ret_other);

struct fold;				/* makes a grid; its fields are in query.c */

/* The query's arrays and instrumentation are borrowed until fold_free(). */
int fold_new(const struct query *q, struct fold **ret_fold);
void fold_free(struct fold *f);

/* Expects reports of this source, too, from this slot on. */
int fold_expect(struct fold *f, const char *source, __s64 first);

/* Before fold_grid(): its rows must reach at least these values, those of a neighbouring grid. */
void fold_reach(struct fold *f, __u64 min, __u64 max);

const struct store_reader *fold_reader(struct fold *f);	/* give this to cube_read() or a store's read */
int fold_error(const struct fold *f);			/* the first error while slices came in */
__u32 fold_min_reporting(struct fold *f);	/* the smallest number of sources that reported a slot, of the slots
						 * that are over */
/* Returns which part, 0 to 1, of the slots that are over any source reported.  0: nothing was observed. */
double fold_observed(struct fold *f);
/* Counts the slots of from..to that any source reported, for a point metric; 0 for others. */
__u64 fold_snapshots(struct fold *f, __s64 from_ns, __s64 to_ns);
struct grid *fold_grid(struct fold *f);	/* finishes it; the caller frees the grid; NULL: no memory */

/* Folds a histogram per key over the whole range, e.g. for the key list, the report's table, `details`. */
struct key_total {
	char text[KEY_TEXT_MAX];
	bool other;			/* one of its labels is `other`: the keys beyond a cap */
	struct hist hist;
	__u64 rank;			/* the sort key, the highest first */
};

/* The number that sorts the keys, the highest first.  The sum shows where the time went; for a measure that counts 1
 * per event it equals the count.  Equal keys are ordered by count, then by text.  KEYS_BY_KEY: by text alone. */
enum key_order { KEYS_BY_SUM, KEYS_BY_COUNT, KEYS_BY_MEAN, KEYS_BY_P50, KEYS_BY_P90, KEYS_BY_P99, KEYS_BY_P999, KEYS_BY_MAX, KEYS_BY_KEY };
#define KEY_ORDERS "sum count mean p50 p90 p99 p999 max key"	/* their names, in that order */

struct key_fold;
int key_fold_new(const struct query *q, struct key_fold **ret_fold);
void key_fold_free(struct key_fold *f);
const struct store_reader *key_fold_reader(struct key_fold *f);
/* For a reader's count(): then the totals' histograms contain only the count. */
void key_fold_count(void *fold, const struct slice *s, __u64 n);
int key_fold_error(const struct key_fold *f);
/* Returns the sorted totals, valid until key_fold_free() or until they are sorted again. */
const struct key_total *key_fold_totals(struct key_fold *f, enum key_order order, size_t *ret_n);

/* Writes a key's text, NUL-terminated, into out[KEY_TEXT_MAX]; "" without fields. */
void key_text(const struct labels *key, char *out, bool *ret_other);

/* Is it the key's text?  Also one without escapes, as texts were saved before there were any, unless it is another key's. */
bool key_is(const struct labels *key, const char *text);

#endif
