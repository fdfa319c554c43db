/* slice.h - defines the slice, the unit of all data: one histogram for one (key, axis, weight).
 *
 *      a heat map is a fold of slices: over sources, keys, time and value, always by adding
 *
 * Key     the bytes of its labels.  Each decomposed field, in the instrumentation's order, has one length byte and
 *         that many bytes of UTF-8.  A label of length 0 is `other`: all keys beyond the limit of keys.  Without
 *         decomposed fields a key has no bytes.
 * Axis    index of the quantized measure among the instrumentation's measures.
 * Weight  what an event adds to its cell: 0 = 1; n = its value of the instrumentation's weight n-1.  Only slices of
 *         equal weight can be added.
 * Memory  a slice borrows the bytes of its key and histogram.
 */
#ifndef HEATSCOPE_SLICE_H
#define HEATSCOPE_SLICE_H

#include "collector/core/hist.h"

#define LABEL_MAX 255			/* bytes of one label */
#define KEY_FIELDS_MAX 4		/* discrete fields in one key */
#define KEY_BYTES_MAX (KEY_FIELDS_MAX * (LABEL_MAX + 1))
#define KEY_TEXT_MAX (2 * KEY_BYTES_MAX)	/* of a key's text, in which `/` and `\` may be escaped */
#define MEASURES_MAX 16			/* measures of one instrumentation; also the limit of weights */

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

/* Compares by bytes; 0: equal. */
int labels_compare(const struct labels *a, const struct labels *b);

/* Returns how many labels the bytes hold; -EBADMSG: the lengths do not add up, or there are too many labels. */
int labels_count(const struct labels *key);

/* Copies the label at an index, NUL-terminated, into out[LABEL_MAX + 1]; `other` for length 0.
 * -EINVAL: no such label. */
int labels_text(const struct labels *key, unsigned index, char *out);

/* Appends one label (at most LABEL_MAX bytes of it) to the bytes of a key; NULL: `other`. */
void labels_put(struct bytes *key, const char *text);

/* Keeps only the fields whose bit is set in `keep` (bit 0 = first field). */
void labels_keep(const struct labels *key, __u32 keep, struct bytes *out);

#endif
