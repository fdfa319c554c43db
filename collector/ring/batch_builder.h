/* batch_builder.h - collects the slices of a batch while the reader makes it.
 *
 *      batch_builder_key() -> batch_builder_add(), one per measure and weight ... -> batch_builder_slices()
 *
 * Offsets The buffer moves as it grows, so a piece is an offset in it until batch_builder_slices() makes the slices.
 * Errors  0 or -ENOMEM.
 * Memory  a zeroed builder is empty; batch_builder_fini() frees.  Slices are valid until the next call of another
 *         function.
 */
#ifndef HEATSCOPE_BATCH_BUILDER_H
#define HEATSCOPE_BATCH_BUILDER_H

#include "collector/core/slice.h"

struct piece {
	size_t key_at, hist_at;
	__u16 key_len, axis, weight;
	__u32 hist_len;
	__u64 ruler;
};

struct batch_builder {
	struct bytes keys, hists;
	struct piece key;		/* key of the slices that are added next */
	struct piece *piece;
	struct slice *slice;
	size_t n, room;
};

void batch_builder_fini(struct batch_builder *p);
void batch_builder_clear(struct batch_builder *p);

/* Begins a key without labels.  The caller then puts the labels, NULL for `other`. */
void batch_builder_key(struct batch_builder *p);
void batch_builder_label(struct batch_builder *p, const char *text);

int batch_builder_add(struct batch_builder *p, __u16 axis, __u16 weight, const struct hist *h);
struct slice *batch_builder_slices(struct batch_builder *p);	/* p->n of them */

#endif
