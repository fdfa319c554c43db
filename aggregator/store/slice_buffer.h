/* slice_buffer.h - records the results of a read, to play them later or on another thread.
 *
 *      cube_read() --slice_buffer_recorder()--> buffer --slice_buffer_play()--> any store_reader
 *
 * Why     To fold an hour of many keys takes tens of milliseconds, to copy it a few.  So the loop copies, and a worker
 *         folds.
 * Memory  a zeroed buffer is empty; slice_buffer_fini() frees it.  Played data are valid during the call.
 * Errors  bytes.err: no memory while recording.
 * Thread  any, one at a time.
 */
#ifndef HEATSCOPE_SLICE_BUFFER_H
#define HEATSCOPE_SLICE_BUFFER_H

#include "aggregator/store/store.h"

struct slice_buffer {
	struct bytes bytes;
	struct store_reader recorder;
	bool axes[MEASURES_MAX];	/* the axes to record; others are left out */
};

void slice_buffer_fini(struct slice_buffer *t);
const struct store_reader *slice_buffer_recorder(struct slice_buffer *t);
void slice_buffer_play(const struct slice_buffer *t, const struct store_reader *reader);

#endif
