/* hist.h - keeps one histogram: exact count, sum, min and max, and cells along a ruler.
 *
 *      values --hist_record()--> hist --hist_encode()--> sparse bytes --hist_decode_add()--> hist
 *
 * Laws    adding is commutative and associative, and folding to a coarser ruler keeps every event.  Adding and folding
 *         commute: either order gives the same bits (test_hist.c).  count, sum and cells saturate at 2^64-1, which
 *         keeps these laws.
 * Weight  an event adds to its cell 1, or its weight (slice.h).  count, sum, min and max are always those of the axis.
 * Errors  0 or -errno; after an error nothing has changed.
 * Memory  hist_init() allocates the cells, hist_fini() frees them.
 */
#ifndef HEATSCOPE_HIST_H
#define HEATSCOPE_HIST_H

#include "collector/core/bytes.h"
#include "collector/core/quantize.h"

struct hist {
	__u64 ruler;
	__u64 count, sum, min, max;		/* while count is 0, min is 2^64-1 and max is 0 */
	__u64 *cell;				/* ruler_cells(ruler) cells */
};

int hist_init(struct hist *h, __u64 ruler);	/* -EINVAL: no such ruler */
void hist_fini(struct hist *h);
void hist_clear(struct hist *h);

void hist_record(struct hist *h, __u64 value, __u64 weight);
void hist_record_times(struct hist *h, __u64 value, __u64 n);	/* n events of that value, in one step */
void hist_weigh(struct hist *h, __u64 value, __u64 n, __u64 weight);	/* n events whose weights add up to `weight` */

/* Adds other to h.  If the rulers differ, h folds to ruler_common() of both.  -EINVAL: they have no common ruler. */
int hist_add(struct hist *h, const struct hist *other);

/* Folds h to a coarser, narrower ruler.  -EINVAL: `ruler` is not ruler_common(h->ruler, ruler). */
int hist_fold(struct hist *h, __u64 ruler);

/* Returns the highest value of the cell that holds rank ceil(p * total of the cells), at most the exact max;
 * p in millionths, 0..1000000.  0 if h is empty; for p = 0 the exact min. */
__u64 hist_percentile(const struct hist *h, __u32 p_millionths);

/* Finds n percentiles, in ascending order, in one pass. */
void hist_percentiles(const struct hist *h, const __u32 *p_millionths, size_t n, __u64 *ret_value);

/* Finds the range of used cells: the cells before `first` and from `end` on are 0; first >= end: all cells are 0. */
void hist_used(const struct hist *h, __u32 *ret_first, __u32 *ret_end);

/* Returns the sum of the cells: the events of a count histogram, the weight of a weighted one. */
__u64 hist_total(const struct hist *h);

/* Returns the value that we assume for an event of this cell: the middle of the cell, between the histogram's min
 * and max. */
double hist_middle(__u64 ruler, __u32 cell, __u64 min, __u64 max);

__u64 hist_mean(const struct hist *h);		/* floor(sum / count); 0 if empty */

/* Returns the standard deviation, computed from the cells' midpoints in integers, so that every merge order gives the
 * same result.  The error is at most half the width of the widest used cell.  The overflow cell counts as max. */
__u64 hist_stddev(const struct hist *h);

/* Appends the sparse bytes, all varints: count sum min max n { skip value } x n, where skip is the number of
 * empty cells before this one.  An empty histogram is count 0 and n 0 (then min and max are 0).
 * The bytes do not contain the ruler; the slice carries it. */
void hist_encode(const struct hist *h, struct bytes *out);

/* Adds the sparse bytes of a histogram with this ruler.  -EBADMSG: the bytes are not such (nothing was added);
 * -EINVAL: no common ruler. */
int hist_decode_add(struct hist *h, __u64 ruler, const __u8 *data, size_t len);

/* Returns 0 if hist_decode_add() would take these bytes, -EBADMSG if not. */
int hist_check(__u64 ruler, const __u8 *data, size_t len);

/* As hist_decode_add(), but in one pass, in a quarter of the time, for bytes that were checked before.  After an error,
 * some of the bytes may have been added. */
int hist_decode_once(struct hist *h, __u64 ruler, const __u8 *data, size_t len);

/* Reads the same bytes without building a histogram, for folds over many slices.
 *
 *      struct hist_reader r;
 *      for (err = hist_reader_open(&r, ruler, data, len); !err && hist_reader_next(&r); )
 *              row[r.cell] += r.value;
 */
struct hist_reader {
	struct cursor cursor;
	__u64 count, sum, min, max;
	__u32 n_cells, n_left, cell;		/* cell: index of the current one */
	__u64 value;
};

int hist_reader_open(struct hist_reader *r, __u64 ruler, const __u8 *data, size_t len);
int hist_reader_next(struct hist_reader *r);	/* 1: cell and value are set; 0: end, see cursor.err */

#endif
