/* batch_builder.h - collects the slices of the batch that is being made.
 *
 *      pieces_key() -> pieces_add(), one per measure and weight ... -> pieces_slices()
 *
 * Offsets Bytes move as the buffer grows, so a piece is an offset until pieces_slices() makes slices of them.
 * Errors  0 or -ENOMEM.
 * Memory  a zeroed one is empty; pieces_fini() frees.  Slices are valid until the next call of another function.
 */
#ifndef HEATSCOPE_PIECES_H
#define HEATSCOPE_PIECES_H

#include "collector/core/slice.h"

struct piece {
	size_t key_at, hist_at;
	__u16 key_len, axis, weight;
	__u32 hist_len;
	__u64 ruler;
};

struct pieces {
	struct bytes keys, hists;
	struct piece key;		/* key of the slices that are added next */
	struct piece *piece;
	struct slice *slice;
	size_t n, room;
};

void pieces_fini(struct pieces *p);
void pieces_clear(struct pieces *p);

/* Begins a key without labels.  The caller then puts the labels, NULL for `other`. */
void pieces_key(struct pieces *p);
void pieces_label(struct pieces *p, const char *text);

int pieces_add(struct pieces *p, __u16 axis, __u16 weight, const struct hist *h);
const struct slice *pieces_slices(struct pieces *p);	/* p->n of them */

#endif
