/* feed.h - folds batches of many sources into few and small ones, for the cubes of other heatscoped.
 *
 *      batches --feed_add()--> what each reports, without slices;  the slices of all sources of a slot, added up
 *              --feed_take()--> FRAME_BATCH of the former, FRAME_FOLD of the latter --> cube_add(), cube_fold()
 *
 * Law     a cube that gets the frames holds the same as one that gets the batches.  Slices come before what the sources report:
 *         a column never looks complete while its events are missing.
 * Errors  0 or -errno.
 * Thread  any, one at a time.
 */
#ifndef HEATSCOPE_FEED_H
#define HEATSCOPE_FEED_H

#include "collector/core/batch.h"

#include <stdbool.h>

struct feed;				/* its fields are in feed.c */

int feed_new(struct feed **ret_feed);	/* -ENOMEM */
void feed_free(struct feed *f);		/* NULL is fine */

/* -ENOMEM: the feed is incomplete: feed_clear() it. */
int feed_add(struct feed *f, const struct batch *b);
bool feed_is_empty(const struct feed *f);
bool feed_is_full(const struct feed *f);	/* take it before you add more */

/* Gives all frames, in pieces of at most `most` bytes each, and is empty then.  data NULL: a frame is longer than that, and
 * is left out. */
void feed_take(struct feed *f, size_t most, void (*piece)(void *arg, const __u8 *data, size_t len), void *arg);
void feed_clear(struct feed *f);

#endif
