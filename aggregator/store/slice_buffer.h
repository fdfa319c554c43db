/* slice_buffer.h - what a read gave, to be given again later or on another thread.
 *
 *      cube_read() --tape_recorder()--> tape --tape_play()--> any store_reader
 *
 * Why     folding an hour of many keys takes tens of milliseconds; copying it takes a few.  The
 *         loop copies, a worker folds.
 * Memory  a zeroed tape is empty; tape_fini() frees it.  What is played is valid during the call.
 * Errors  tape.bytes.err: no memory while recording.
 * Thread  any, one at a time.
 */
#ifndef HEATSCOPE_TAPE_H
#define HEATSCOPE_TAPE_H

#include "aggregator/store/store.h"

struct tape {
	struct bytes bytes;
	struct store_reader recorder;
	bool axes[MEASURES_MAX];	/* which ones are recorded; others are left out */
};

void tape_fini(struct tape *t);
const struct store_reader *tape_recorder(struct tape *t);
void tape_play(const struct tape *t, const struct store_reader *reader);

#endif
