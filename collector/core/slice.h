/* slice.h - the unit of everything: one histogram filed under (key, axis, weight).
 *
 *      a heat map is a fold of slices: over sources, keys, time and value, always by adding
 *
 * Key     user space knows a key by its label bytes alone: for every decomposed field, in the
 *         instrumentation's order, one length byte and that many bytes of UTF-8.  A label of
 *         length 0 is `other`, the rest beyond the cap on keys.  No fields: no bytes.
 * Axis    index into the instrumentation's measures: which one is quantized.
 * Weight  what a cell adds: 0 = 1 per event, n = what the instrumentation's weight n-1 was of it.  Slices add only
 *         if both are equal.
 * Memory  a slice borrows its key and histogram bytes from whoever holds it.
 */
#ifndef HEATSCOPE_SLICE_H
#define HEATSCOPE_SLICE_H

#include "collector/core/hist.h"

#define LABEL_MAX 255			/* bytes of one label */
#define KEY_FIELDS_MAX 4		/* discrete fields in one key */
#define KEY_BYTES_MAX (KEY_FIELDS_MAX * (LABEL_MAX + 1))
#define MEASURES_MAX 16			/* measures of one instrumentation, and weights */

struct labels {
	const __u8 *bytes;
	__u16 len;
};

struct slice {
	__u64 ruler;
	__u16 axis, weight;
	struct labels key;
	const __u8 *hist;		/* sparse bytes, see hist_encode() */
	__u32 hist_len;
};

/* Order by bytes; 0 when equal. */
int labels_compare(const struct labels *a, const struct labels *b);

/* How many labels the bytes hold; -EBADMSG: the lengths do not add up or there are too many. */
int labels_count(const struct labels *key);

/* The label at an index, NUL-terminated, into out[LABEL_MAX + 1]; `other` for length 0.
 * -EINVAL: no such label. */
int labels_text(const struct labels *key, unsigned index, char *out);

/* Adds one label (at most LABEL_MAX bytes of it) to key bytes in the making; NULL: `other`. */
void labels_put(struct bytes *key, const char *text);

/* Keeps only the fields whose bit is set in `keep` (bit 0 = first field). */
void labels_keep(const struct labels *key, __u32 keep, struct bytes *out);

#endif
