/* row.h - writes and reads rows of the table FILED in ClickHouse's format RowBinary.
 *
 *      struct row --row_put()--> bytes of an INSERT          bytes of a SELECT --row_get_slice()--> struct row_slice
 *
 * Shape   Integers are little-endian; a string is a varint and its bytes; an array is a varint and its elements.
 * Kinds   All that the store keeps of a batch are rows of one table and one day, so that one INSERT files it as a whole.
 * Period  Rows of slices have the first slot of the period in which they lie, others 0.  The table is ordered by kind, period,
 *         key and slot.  A period is so long that a picture of one key reads few of them, and so short that a few slots of all
 *         keys are a small part of a day.
 * Version Rows of add() have a version of 0 to TIERS - 1: for so many coarser tiers they are late, see clickhouse.h.  Rows of
 *         a roll-up have a higher one.
 * Sums    A sum of counts in ClickHouse wraps at 2^64.  A row with a count or a cell of ROW_LARGE or more is therefore
 *         `large`, and its count is never added up there.
 * Errors  the cursor's and the buffer's; -EBADMSG.
 * Pure    Thread: any.
 */
#ifndef HEATSCOPE_ROW_H
#define HEATSCOPE_ROW_H

#include "aggregator/store/store.h"

#define ROW_LARGE (1ull << 40)		/* 16 million cells below it add up to less than 2^64 */

enum row_kind {
	ROW_SLOT, ROW_MINUTE, ROW_HOUR,	/* slices of the tiers 0, 1, 2 */
	ROW_NAME,			/* a batch's name, and the slots that it reports */
	ROW_COVER,			/* the reported slots of a source, of one hour or of one late batch */
	ROW_LOSS, ROW_MARK, ROW_EXEMPLARS,
	ROW_WHOLE,			/* the sum of all keys of tier 0's rows, and the next two of those of minutes and hours */
	ROW_WHOLE_MINUTE, ROW_WHOLE_HOUR,
	ROW_STEP, ROW_WHOLE_STEP,	/* slices of STEP_SLOTS slots of tier 0, and the sum of all keys: for many slots */
};

#define STEP_SLOTS 12			/* divides a minute; a grain of plan.h */

struct row {
	__u64 slot_ns, inst;
	__u32 life;			/* see struct state */
	__u64 version;			/* of add(): the row's batch is also filed as rows of so many coarser tiers */
	enum row_kind kind;
	const struct slice *slice;	/* NULL: it has none */
	__s64 slot;			/* the first slot of tier 0 in the tier's slot */
	const char *source;		/* with the next three: the batch's name */
	__u64 incarnation;
	__s64 batch_slot;
	__u32 seq;
	__u32 part;			/* tells rows of one batch apart */
	__s64 first, last;		/* reported slots; slots of a loss; in `first` the value of a mark */
	__u64 n, total;			/* events and their sum; of a mark its kind; of a slice those of its histogram */
	const void *data;		/* exemplars; a slice has the sparse bytes of its histogram there */
	size_t len;
};

/* The columns that row_put() writes, with commas between them. */
#define ROW_COLUMNS "period, " ROW_COLUMNS_3
#define ROW_COLUMNS_3 "day, inst, life, kind, axis, weight, ruler, key, slot, source, incarnation, batch_slot, seq, part, " \
	"version, first, last, n, total, low, high, large, buckets, counts, firsts, lasts, data"

void row_put(struct bytes *out, const struct row *r);		/* out->err -EBADMSG: it is no histogram */
void row_put_text(struct bytes *out, const void *text, size_t len);

/* Returns how many slots of tier 0 a period of this kind has; 0: rows of this kind have none. */
__s64 row_period_slots(__u64 slot_ns, enum row_kind kind);

/* Returns the first slot of the period. */
__s64 row_period(__u64 slot_ns, enum row_kind kind, __s64 slot);

/* Returns the day since 1970 (0 to 65535) in which the slot begins. */
unsigned row_day(__u64 slot_ns, __s64 slot);

struct row_text {			/* borrowed */
	const __u8 *data;
	size_t len;
};

struct row_text row_get_text(struct cursor *c);
size_t row_get_array(struct cursor *c, size_t size, const __u8 **ret_data);	/* elements of `size` bytes */

struct row_slice {			/* as a SELECT gives it */
	__s64 slot;
	struct slice slice;		/* without a histogram; the key is borrowed */
	__u64 n, total, low, high;
	struct row_text data;		/* its histogram; "": it stands in the arrays, as before version 4 */
	size_t n_buckets, n_counts;
	const __u8 *bucket, *count;	/* of 2 and of 8 bytes, borrowed */
};

/* The columns that row_get_slice() reads, after one of the slot. */
#define ROW_SLICE(key) "axis, weight, ruler, " key ", n, total, low, high, buckets, counts, data"
struct row_slice row_get_slice(struct cursor *c);

/* Appends the sparse bytes of its histogram.  -EBADMSG: it is not one; then nothing has changed. */
int row_slice_encode(const struct row_slice *r, struct bytes *out);

#endif
