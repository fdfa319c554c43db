/* recording.h - reads and writes a recording: a file of frames with batches and their instrumentations.
 *
 *      INST {"instrumentation": {...}, "metric": {...}}   BATCH BATCH ...   INST ...   BATCH ...
 *
 * Shape   an INST frame comes before the first batch of its instrumentation.  A batch names its instrumentation by id.
 *         An INST with a known id and other content begins another instrumentation.
 * Labels  a batch has labels for the instrumentation's fields without those of the host.
 * Cut     a recording that ends within a frame (a full disk, an interrupted copy) is read as far as it is whole.
 * Errors  a sentence with the offset in the file: "offset 1234: damaged ...".
 */
#ifndef HEATSCOPE_RECORDING_H
#define HEATSCOPE_RECORDING_H

#include "collector/core/batch.h"
#include "collector/core/instrumentation.h"

#define RECORDING_MAX (256u << 20)	/* bytes read at most */

/* --- reading --- */

struct recorded_batch {
	const __u8 *data;		/* for batch_decode() */
	size_t len;
	__s64 slot;
};

struct recorded {			/* one instrumentation */
	struct instrumentation in;	/* bound; none of its fields is one of the host's */
	struct metric metric;
	struct recorded_batch *batch;	/* in the order of the file */
	size_t n_batches;
	__s64 first_slot;
};

struct recording {
	__u8 *data;
	struct recorded *inst;
	size_t n_insts;
	size_t cut_at, cut_len;		/* bytes at the end that are no whole frame; cut_len 0: there are none */
};

/* Reads and checks the whole file.  -EBADMSG, -EFBIG, or an error of reading the file. */
int recording_read(const char *path, struct recording **ret_recording, char reason[REASON_MAX]);
/* The same from memory, which is copied: for the tests and fuzz_recording, which try very many contents. */
int recording_parse(const __u8 *data, size_t len, struct recording **ret_recording, char reason[REASON_MAX]);
void recording_free(struct recording *r);

/* Removes the fields of the host (host_labels.h), because the aggregator fills them in. */
void instrumentation_strip(struct instrumentation *in);

/* --- writing --- */

struct recorder;

int recorder_open(const char *path, struct recorder **ret_recorder);	/* replaces the file */
/* Begins an instrumentation: the following batches with its id belong to it, until another one with that id begins. */
int recorder_begin(struct recorder *r, const struct instrumentation *in, const struct metric *m);
int recorder_batch(struct recorder *r, const struct batch *b);
int recorder_flush(struct recorder *r);
int recorder_close(struct recorder *r);	/* the first error of all writes; NULL: 0 */

#endif
